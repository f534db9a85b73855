"""The scheduler: one request at a time to a host and to an IP address, with pauses, the best host first."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.crawling.hosts import Host
from gristmill.crawling.scheduler import Scheduler


def _host(number: int, rank: float = 0.0, ip: str = "", after: float = 0.0) -> Host:
    return Host(number, f"host-{number}", rank, next=after, ip=ip)


def test_the_best_host_comes_first() -> None:
    scheduler = Scheduler()
    for number, rank in enumerate([3.0, 1.0, 2.0]):
        scheduler.put(_host(number, rank), 0.0)
    taken = [scheduler.take(0.0) for _ in range(4)]
    assert [host and host.id for host in taken] == [1, 2, 0, None]


def test_a_host_rests_until_its_time() -> None:
    scheduler = Scheduler()
    scheduler.put(_host(1, after=20.0), 0.0)
    assert scheduler.take(19.9) is None
    assert scheduler.wake_time() == 20.0
    host = scheduler.take(20.0)
    assert host is not None
    assert host.id == 1


def test_hosts_at_one_address_take_turns_with_a_pause_between() -> None:
    scheduler = Scheduler()
    for number in range(3):
        scheduler.put(_host(number, float(number), ip="192.0.2.1"), 0.0)
    scheduler.put(_host(9, 9.0, ip="192.0.2.9"), 0.0)
    first, other = scheduler.take(0.0), scheduler.take(0.0)
    assert first is not None
    assert other is not None
    assert (first.id, other.id) == (0, 9)
    assert scheduler.take(5.0) is None
    scheduler.release("192.0.2.1", 5.0, 1.0)
    assert scheduler.take(5.9) is None
    assert scheduler.wake_time() == 6.0
    second = scheduler.take(6.0)
    assert second is not None
    assert second.id == 1
    assert scheduler.take(6.0) is None


def test_a_host_that_is_dropped_does_not_keep_those_behind_it() -> None:
    scheduler = Scheduler()
    hosts = [_host(number, float(number), ip="192.0.2.1") for number in range(3)]
    for host in hosts:
        scheduler.put(host, 0.0)
    assert scheduler.take(0.0) is hosts[0]
    assert scheduler.take(0.0) is None
    scheduler.release("192.0.2.1", 1.0, 0.0)
    scheduler.put(_host(8, after=99.0), 1.0)
    scheduler.take(0.5)  # nothing is due
    scheduler._move(1.0)  # hosts[1] is called
    scheduler.drop(hosts[1])
    assert scheduler.take(1.0) is hosts[2]


def test_a_dropped_host_never_comes() -> None:
    scheduler = Scheduler()
    host = _host(1)
    scheduler.put(host, 0.0)
    scheduler.drop(host)
    assert scheduler.take(0.0) is None
    assert not scheduler.active


@settings(max_examples=60, deadline=None)
@given(
    hosts=st.integers(1, 30),
    addresses=st.integers(1, 6),
    delay=st.sampled_from([0.0, 0.5, 3.0]),
    pause=st.sampled_from([0.0, 1.0]),
    seed=st.integers(0, 1 << 30),
)
def test_every_visit_happens_and_none_too_soon(
    hosts: int, addresses: int, delay: float, pause: float, seed: int
) -> None:
    """Random hosts at a few IP addresses, each with some visits of random length."""
    rng = random.Random(seed)
    scheduler = Scheduler()
    left = {}
    for number in range(hosts):
        host = _host(number, rng.random(), ip=f"192.0.2.{rng.randrange(addresses)}")
        left[host] = rng.randrange(1, 5)
        scheduler.put(host, 0.0)
    total = sum(left.values())
    now, visits = 0.0, 0
    running: list[tuple[float, Host]] = []
    host_free: dict[Host, float] = {}
    ip_free: dict[str, float] = {}
    while left or running:
        while (taken := scheduler.take(now)) is not None:
            assert all(other is not taken and other.ip != taken.ip for _, other in running)
            assert now >= host_free.get(taken, 0.0)
            assert now >= ip_free.get(taken.ip, 0.0)
            running.append((now + rng.random() * 2, taken))
            visits += 1
        ends = [end for end, _ in running]
        wake = scheduler.wake_time()
        now = min([*ends, *([wake] if wake is not None and wake > now else [])])
        for end, host in [item for item in running if item[0] <= now]:
            running.remove((end, host))
            scheduler.release(host.ip, now, pause)
            host_free[host], ip_free[host.ip] = now + delay, now + pause
            host.next = now + delay
            left[host] -= 1
            if left[host]:
                scheduler.put(host, now)
            else:
                del left[host]
                scheduler.drop(host)
    assert visits == total
    assert not scheduler.active


@pytest.mark.parametrize("count", [50])
def test_room_is_bounded(count: int) -> None:
    scheduler = Scheduler(max_active=count)
    for number in range(count):
        assert scheduler.has_room
        scheduler.put(_host(number), 0.0)
    assert not scheduler.has_room
    assert len(list(scheduler.idle())) == count


def _visit(scheduler: Scheduler, now: float, worst: float = math.inf) -> Host | None:
    """Visit whoever comes first, and let all others at its IP address be parked."""
    host = scheduler.take(now, worst)
    if host is not None:
        assert scheduler.take(now, worst) is None
        scheduler.release(host.ip, now, 0.0)
        scheduler.drop(host)
    return host


def _go_on(scheduler: Scheduler, visits: int, worst: float = math.inf) -> list[int]:
    """The numbers of hosts as they are visited; each has always more addresses, and no delay."""
    found = []
    for now in map(float, range(visits)):
        host = _visit(scheduler, now, worst)
        assert host is not None
        found.append(host.id)
        scheduler.put(host, now)
    return found


def test_without_delays_hosts_at_one_address_take_turns() -> None:
    """The best one has always more: it does not keep the others."""
    scheduler = Scheduler()
    for number in range(19):
        scheduler.put(_host(number, float(number), ip="192.0.2.1"), 0.0)
    found = _go_on(scheduler, 57)
    assert [found.count(number) for number in range(19)] == [3] * 19


def test_new_hosts_without_end_do_not_keep_those_that_wait() -> None:
    """Names below a name cost nothing, and all have the same IP address."""
    scheduler = Scheduler()
    scheduler.put(_host(0, 5.0, ip="192.0.2.1"), 0.0)
    found = []
    for number in range(1, 40):
        for half in range(2):
            scheduler.put(_host(2 * number + half, 0.0, ip="192.0.2.1"), float(number))
        host = _visit(scheduler, float(number))
        assert host is not None
        found.append(host.id)
    assert 0 in found[:3]


def test_bad_hosts_do_not_keep_better_ones_at_their_address() -> None:
    """While much is going on, hosts below the mean are left alone; an IP address counts as its best host that waits."""
    scheduler = Scheduler()
    good, bad = _host(0, -1.0, ip="192.0.2.1"), _host(1, 0.0, ip="192.0.2.1")
    for host in (good, bad):
        scheduler.put(host, 0.0)
    scheduler.take(0.0)
    scheduler.take(0.0)  # parks the bad one
    scheduler.release("192.0.2.1", 0.0, 0.0)
    scheduler.put(good, 0.0)
    assert _go_on(scheduler, 6, worst=-0.5).count(0) >= 3
    scheduler.drop(good)
    _visit(scheduler, 6.0, -0.5)  # it may have been called for the good one
    scheduler.put(bad, 6.0)
    assert _visit(scheduler, 7.0, -0.5) is None
    assert _visit(scheduler, 7.0) is bad


def test_what_an_address_remembers_is_bounded() -> None:
    scheduler = Scheduler()
    for number in range(3):
        scheduler.put(_host(number, float(number), ip="192.0.2.1"), 0.0)
    _go_on(scheduler, 2_000)
    lane = scheduler._lanes["192.0.2.1"]
    assert len(lane.ranks) + len(lane.parked) < 200
