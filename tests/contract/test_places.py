"""Every adapter of `Absences` and `OpenProcesses`: places that are gone, and what may go on there."""

from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_places import MemoryAbsences, MemoryOpenProcesses
from reactor.adapters.redis_places import RedisAbsences, RedisOpenProcesses
from reactor.lifecycle import Absence, Absences, Word
from reactor.ports import OpenProcesses
from tests.contract.conftest import redis
from tests.contract.samples import NOW

HERE, OTHER = "github.com/1", "github.com/12"
ISSUE = f"{HERE}#7"


@pytest.fixture
def absences(adapter: str, request: pytest.FixtureRequest) -> Absences:
    if adapter == "memory":
        return MemoryAbsences()
    client, prefix = redis(request)
    return RedisAbsences(client, prefix=prefix)


@pytest.fixture
def open_processes(adapter: str, request: pytest.FixtureRequest) -> OpenProcesses:
    if adapter == "memory":
        return MemoryOpenProcesses()
    client, prefix = redis(request)
    return RedisOpenProcesses(client, ManualClock(), prefix=prefix)


def absence(word: Word, *, after: timedelta = timedelta(0), why: str = "") -> Absence:
    return Absence(word=word, why=why or word, since=NOW + after, delivery="github.com/d-1")


# Absences ------------------------------------------------------------------------------------


async def test_what_begins_is_known_as_it_was_told(absences: Absences) -> None:
    gone = absence("transferred", why="octo/hello#7 was transferred to octo/sledge#3 ⛄")

    await absences.begin(ISSUE, gone)
    await absences.begin(ISSUE, gone)

    assert await absences.of(ISSUE) == [gone]


async def test_a_subject_is_gone_with_its_repository_and_no_other_is(absences: Absences) -> None:
    await absences.begin(HERE, absence("archived"))
    await absences.begin(ISSUE, absence("deleted"))

    assert [each.word for each in await absences.of(ISSUE)] == ["deleted", "archived"]
    assert [each.word for each in await absences.of(f"{HERE}#70")] == ["archived"]
    assert [each.word for each in await absences.of(HERE)] == ["archived"]
    assert await absences.of(f"{OTHER}#7") == []


async def test_those_for_good_come_first_and_then_the_oldest(absences: Absences) -> None:
    for number, word in enumerate(("suspended", "removed", "deleted", "archived")):
        await absences.begin(HERE, absence(word, after=-timedelta(minutes=number)))  # type: ignore[arg-type]

    found = [each.word for each in await absences.of(HERE)]

    assert found == ["deleted", "archived", "removed", "suspended"]


async def test_only_what_is_over_ends(absences: Absences) -> None:
    await absences.begin(HERE, absence("archived"))
    await absences.begin(HERE, absence("suspended"))

    for _ in range(2):
        await absences.end(HERE, {"suspended", "removed"})
    await absences.end(HERE, ())
    await absences.end(OTHER, {"archived"})

    assert [each.word for each in await absences.of(HERE)] == ["archived"]


async def test_the_newest_of_a_word_counts(absences: Absences) -> None:
    later = absence("suspended", after=timedelta(hours=1))
    await absences.begin(HERE, absence("suspended"))

    await absences.begin(HERE, later)

    assert await absences.of(HERE) == [later]


# Processes that rest -------------------------------------------------------------------------


async def test_they_are_found_by_their_subject_and_by_its_repository(
    open_processes: OpenProcesses,
) -> None:
    await open_processes.add("p1", subject=ISSUE)
    await open_processes.add("p2", subject=f"{HERE}#70")
    await open_processes.add("p3", subject=f"{OTHER}#7")
    await open_processes.add("p4", subject=HERE)

    assert await open_processes.at(ISSUE) == ["p1"]
    assert sorted(await open_processes.at(HERE)) == ["p1", "p2", "p4"]
    assert await open_processes.at("github.com/3") == []


async def test_one_that_rests_again_is_listed_once_and_one_that_ended_is_not(
    open_processes: OpenProcesses,
) -> None:
    for _ in range(2):
        await open_processes.add("p1", subject=ISSUE)
    await open_processes.add("p2", subject=ISSUE)

    for _ in range(2):
        await open_processes.remove("p2", subject=ISSUE)

    assert await open_processes.at(ISSUE) == ["p1"]


async def test_what_belongs_to_no_repository_is_found_as_well(
    open_processes: OpenProcesses,
) -> None:
    await open_processes.add("p1", subject="github.com/@9919")

    assert await open_processes.at("github.com/@9919") == ["p1"]
