"""Every adapter of `Prompts`: what was listed where, the newest first."""

import pytest

from reactor.adapters.memory_prompts import MemoryPrompts
from reactor.adapters.redis_prompts import RedisPrompts
from reactor.prompt import MOST_KEPT, Listed, Prompt, Prompts
from tests.contract.conftest import redis

SUBJECT = "github.com/1#7"


@pytest.fixture
def prompts(adapter: str, request: pytest.FixtureRequest) -> Prompts:
    if adapter == "memory":
        return MemoryPrompts()
    client, prefix = redis(request)
    return RedisPrompts(client, prefix=prefix)


def prompt(number: int) -> Prompt:
    listed = Listed(
        key=f"k{number}", id=f"{number}", would='add label "größer"', action="triage.label"
    )
    return Prompt(key=f"prompt-{number}", listed=(listed,))


async def test_where_nothing_was_listed_there_is_nothing(prompts: Prompts) -> None:
    await prompts.add(SUBJECT, prompt(1))

    assert await prompts.of("github.com/1#8") == []


async def test_what_was_listed_comes_back_newest_first(prompts: Prompts) -> None:
    for number in (1, 2, 3):
        await prompts.add(SUBJECT, prompt(number))

    assert await prompts.of(SUBJECT) == [prompt(3), prompt(2), prompt(1)]


async def test_the_same_again_is_kept_once(prompts: Prompts) -> None:
    await prompts.add(SUBJECT, prompt(1))
    await prompts.add(SUBJECT, prompt(1))

    assert await prompts.of(SUBJECT) == [prompt(1)]


async def test_the_oldest_make_room(prompts: Prompts) -> None:
    for number in range(MOST_KEPT + 2):
        await prompts.add(SUBJECT, prompt(number))

    kept = await prompts.of(SUBJECT)
    assert (len(kept), kept[0], kept[-1]) == (MOST_KEPT, prompt(MOST_KEPT + 1), prompt(2))
