"""Every adapter of `Troubles`: what several workers had with components is told as one."""

import asyncio
from datetime import timedelta

from reactor.troubles import Trouble, TroubleKind, Troubles
from tests.contract.samples import NOW

LONG = timedelta(minutes=5)
AT_ONCE = timedelta(microseconds=1)  # the shortest that any adapter keeps


def trouble(
    kind: TroubleKind = "failed",
    *,
    count: int = 1,
    after_s: float = 0,
    text: str = "ValueError: no",
) -> Trouble:
    at = NOW + timedelta(seconds=after_s)
    return Trouble(
        component="triage",
        kind=kind,
        action="triage.label",
        count=count,
        first_at=at,
        last_at=at,
        text=text,
        process="p-1",
    )


async def test_the_same_trouble_is_counted_and_its_last_text_is_told(troubles: Troubles) -> None:
    await troubles.note([trouble(count=2, text="first")], keep=LONG)
    await troubles.note([trouble(after_s=5), trouble(after_s=9, text="last")], keep=LONG)

    (known,) = await troubles.known()

    assert (known.count, known.text) == (4, "last")
    assert known.first_at == NOW
    assert known.last_at == NOW + timedelta(seconds=9)
    assert known.process == "p-1"


async def test_the_newest_comes_first(troubles: Troubles) -> None:
    await troubles.note([trouble("timeout", after_s=3), trouble("blocked", after_s=7)], keep=LONG)
    await troubles.note([trouble("result", after_s=5)], keep=LONG)

    assert [each.kind for each in await troubles.known()] == ["blocked", "result", "timeout"]


async def test_nothing_is_known_at_first_and_nothing_is_noted_of_nothing(
    troubles: Troubles,
) -> None:
    await troubles.note([], keep=LONG)

    assert await troubles.known() == []


async def test_they_are_forgotten_some_time_after_the_last_one(troubles: Troubles) -> None:
    await troubles.note([trouble()], keep=AT_ONCE)

    async with asyncio.timeout(10):
        while await troubles.known():  # noqa: ASYNC110 - of a server
            await asyncio.sleep(0.01)


async def test_workers_that_note_at_once_lose_nothing(troubles: Troubles) -> None:
    async with asyncio.TaskGroup() as group:
        for worker in range(20):
            group.create_task(troubles.note([trouble(after_s=worker)], keep=LONG))

    assert [each.count for each in await troubles.known()] == [20]
