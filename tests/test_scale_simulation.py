"""The simulation of a cluster in `benchmarks/` gives what can be worked out by hand, and the same for the same seed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))  # last: it has modules with names of other libraries

from scale_simulation import Cluster, Outcome, Round, simulate


def even(nodes: int, slots: int = 1) -> Cluster:
    return Cluster(nodes, slots, node_sigma=0.0, task_sigma=0.0, failures_an_hour=0.0)


@pytest.mark.parametrize(
    ("rounds", "nodes", "slots", "seconds"),
    [
        ([], 4, 1, 0),
        ([Round([])], 4, 1, 0),
        ([Round([5.0])], 4, 1, 5),
        ([Round([1.0] * 8)], 2, 2, 2),
        ([Round([1.0] * 9)], 2, 2, 3),  # the last one alone
        ([Round([4.0, 3.0, 3.0, 2.0])], 2, 1, 6),
        ([Round([2.0, 3.0, 3.0, 4.0])], 2, 1, 6),  # longest first, whatever the order
        ([Round([1.0, 2.0]), Round([2.0, 1.0])], 2, 1, 4),  # nobody passes the barrier
        ([Round([1.0] * 2, driver=3.0), Round([], driver=2.0)], 2, 1, 6),
    ],
)
def test_an_even_cluster_takes_what_can_be_worked_out(
    rounds: list[Round], nodes: int, slots: int, seconds: float
) -> None:
    outcome = simulate(rounds, even(nodes, slots))
    assert outcome.seconds == pytest.approx(seconds)
    assert outcome.driver == sum(one.driver for one in rounds)
    assert outcome.ideal == pytest.approx(sum(sum(one.tasks) for one in rounds) / (nodes * slots))
    assert (outcome.failures, outcome.lost, outcome.copies) == (0, 0, 0)


def test_the_ratio_is_to_what_the_slots_could_do() -> None:
    assert simulate([Round([1.0] * 8)], even(4)).ratio == pytest.approx(1)
    assert simulate([Round([1.0] * 9)], even(4)).ratio == pytest.approx(3 / (9 / 4))
    assert simulate([], even(4)).ratio == 1


def test_the_same_seed_gives_the_same_time() -> None:
    rounds = [Round([float(1 + number % 7) for number in range(500)], driver=2.0)] * 3
    cluster = Cluster(8, 4, failures_an_hour=20.0, detection=1.0, repair=5.0)
    first = simulate(rounds, cluster, seed=1)
    assert simulate(rounds, cluster, seed=1) == first
    assert simulate(rounds, cluster, seed=2) != first


def test_slow_nodes_and_tasks_take_longer_and_copies_of_late_tasks_help() -> None:
    rounds = [Round([60.0] * 640)] * 5
    cluster = Cluster(16, 4, node_sigma=0.1, task_sigma=0.5, failures_an_hour=0.0)
    plain, copied = simulate(rounds, cluster), simulate(rounds, cluster, speculate=True)
    assert plain.ratio > 1
    assert plain.copies == 0
    assert copied.copies > 0
    assert copied.seconds < plain.seconds


def test_a_copy_of_a_late_task_runs_on_another_node_and_the_first_to_end_counts() -> None:
    """Of two nodes, each with a task of 100 seconds, one is so slow that a copy, begun after 150, ends first."""
    cluster = Cluster(2, 1, node_sigma=1.0, task_sigma=0.0, failures_an_hour=0.0)
    rounds = [Round([100.0] * 2)]
    alone = [simulate(rounds, cluster, seed=seed) for seed in range(30)]
    copied = [simulate(rounds, cluster, seed=seed, speculate=True) for seed in range(30)]
    assert all(copy.copies == (plain.seconds > 150) for plain, copy in zip(alone, copied, strict=True))
    assert all(copy.seconds <= plain.seconds for plain, copy in zip(alone, copied, strict=True))
    assert any(150 < copy.seconds < plain.seconds for plain, copy in zip(alone, copied, strict=True))


def test_what_ran_on_a_failed_node_is_run_again_and_what_has_ended_is_not() -> None:
    cluster = Cluster(4, 2, node_sigma=0.0, task_sigma=0.0, failures_an_hour=2.0, detection=30.0, repair=600.0)
    outcome = simulate([Round([100.0] * 400)], cluster, seed=5)
    assert outcome.failures > 0
    assert 0 < outcome.lost <= outcome.failures * 2 * 100
    assert outcome.seconds > outcome.ideal == pytest.approx(5000)
    most = outcome.ideal + outcome.failures * (600 + 100) + outcome.lost + 130
    assert outcome.seconds < most


def test_all_nodes_may_be_down_at_once() -> None:
    cluster = Cluster(1, 1, node_sigma=0.0, task_sigma=0.0, failures_an_hour=30.0, detection=5.0, repair=60.0)
    outcome = simulate([Round([20.0] * 20)], cluster, seed=2)
    assert outcome.failures > 0
    assert outcome.seconds >= 20 * 20 + outcome.lost


def test_a_failure_is_noticed_even_after_the_round_of_its_task() -> None:
    """A task that has a copy goes on elsewhere when the node of one of the two fails."""
    cluster = Cluster(6, 2, node_sigma=1.0, task_sigma=1.0, failures_an_hour=60.0, detection=10.0, repair=30.0)
    for seed in range(20):
        outcome = simulate([Round([30.0] * 24)] * 4, cluster, seed=seed, speculate=True)
        assert isinstance(outcome, Outcome)
        assert outcome.seconds > 0
        assert outcome.failures > 0
