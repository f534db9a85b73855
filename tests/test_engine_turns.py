"""Places are given in turns: who asks much does not keep others waiting, and no place is lost."""

from __future__ import annotations

import asyncio
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gristmill.engine.turns import Turns


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_each_asker_has_a_turn() -> None:
    async def main() -> str:
        turns, order = Turns(1), []

        async def ask(name: str) -> None:
            await turns.take(name)
            order.append(name)

        await turns.take("somebody")
        asked = [asyncio.create_task(ask(name)) for name in "aaaaabbc"]
        await _settle()
        for _ in asked:
            turns.give_back(order[-1] if order else "somebody")
            await _settle()
        return "".join(order)

    assert asyncio.run(main()) == "abcabaaa"


def test_an_asker_has_so_many_places_only() -> None:
    async def main() -> None:
        turns = Turns(3, at_most=2)
        asked = [asyncio.create_task(turns.take("greedy")) for _ in range(3)]
        await _settle()
        assert [task.done() for task in asked] == [True, True, False]
        await asyncio.wait_for(turns.take(None), 1)  # the third is for others
        turns.give_back("greedy")
        await asyncio.wait_for(asked[2], 1)
        assert turns.waiting == 0

    asyncio.run(main())


@given(
    places=st.integers(1, 4),
    at_most=st.integers(1, 4) | st.none(),
    plan=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.booleans()), max_size=30),
)
def test_no_place_is_lost(places: int, at_most: int | None, plan: list[tuple[str, int, bool]]) -> None:
    """Whatever is cancelled, and when: never more than there are, nobody above the limit, all free at the end."""

    async def main() -> None:
        turns = Turns(places, at_most)
        held: Counter[str] = Counter()

        async def ask(name: str, rounds: int) -> None:
            await turns.take(name)
            held[name] += 1
            try:
                assert held.total() <= places
                assert held[name] <= (at_most or places)
                for _ in range(rounds):
                    await asyncio.sleep(0)
            finally:
                held[name] -= 1
                turns.give_back(name)

        tasks = []
        for name, rounds, is_cancelled in plan:
            tasks.append(asyncio.create_task(ask(name, rounds)))
            if is_cancelled:
                await asyncio.sleep(0)
                tasks[len(tasks) // 2].cancel()
        found = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert all(item is None or isinstance(item, asyncio.CancelledError) for item in found), found
        assert (turns.waiting, turns._free, turns._held.total()) == (0, places, 0)

    asyncio.run(main())
