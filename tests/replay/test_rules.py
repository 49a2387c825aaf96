"""A replay judges effects by the repository's file of then, and by the settings of now."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryBoards, MemoryFirsts, MemoryJournalLog
from reactor.adapters.memory_records import MemoryRecords
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.permissions import Permissions, RepositoryRef
from reactor.policy import Narrowing
from reactor.replay.document import Replayed
from reactor.repository_rules import RepositoryRules, RulesOfRepositories
from reactor.settings import Settings
from reactor.wiring.engine import Stores, make_runner, make_worker
from reactor.wiring.granting import make_granting
from reactor.wiring.platform import install
from reactor.wiring.replay_engine import replay_engine
from tests.replay.worked import commands, issues, roles


def live(**more: object) -> Settings:
    reaction = {"name": "all", "on": "*", "effects": "live"}
    return Settings.model_validate({"reactions": [reaction], **more})


@dataclass
class Files:
    """Fits `RulesOfRepositories`: the repository changes its file with each look at it."""

    said: Sequence[RepositoryRules]
    looks: int = field(default=0, init=False)

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        self.looks += 1
        return self.said[self.looks % len(self.said)]


HELD = RepositoryRules(whole=Narrowing(source="the file", mode="approve"), version="v1")
REFUSED = RepositoryRules(
    whole=Narrowing(source="the file", kinds=frozenset({"React"})), version="v2"
)
UNKNOWN = RepositoryRules(whole=Narrowing(source="the file", mode="observe"), unknown="it is away")
NONE = RepositoryRules(whole=Narrowing(source="no file", mode="live"))


async def work(
    settings: Settings, deliveries: Sequence[Delivery], rules: RulesOfRepositories
) -> list[JournalRecord]:
    clock, journal = SystemClock(), MemoryJournalLog()
    services: dict[type, object] = {RulesOfRepositories: rules, Permissions: roles(deliveries)}
    installed = install(settings, firsts=MemoryFirsts(), clock=clock, services=services)
    boards = MemoryBoards(Codec(installed.platform.catalog), clock)
    stores = Stores(boards, journal, clock, make_granting(settings, rules))
    with make_runner(settings, installed, stores, "w") as runner:
        worker = make_worker(settings, installed, stores, runner)
        for each in deliveries:
            await worker.settle(each)
    return list(journal.records)


async def replay(
    settings: Settings, deliveries: Sequence[Delivery], records: Sequence[JournalRecord]
) -> list[Replayed]:
    async with replay_engine(settings, MemoryRecords(records)) as engine:
        return [p for each in deliveries for p in await engine.replaying.replay(each)]


async def test_files_that_changed_all_the_time_and_could_not_be_read_are_as_they_were() -> None:
    deliveries = [*issues(4), *commands()]
    records = await work(live(), deliveries, Files((HELD, REFUSED, UNKNOWN)))

    found = await replay(live(), deliveries, records)

    states = {e["state"] for each in found if each["now"] for e in each["now"]["effects"]}
    failed = [t for each in found if each["now"] for t in each["now"]["ticks"] if t["error"]]
    assert states == {"intended", "refused"}
    assert any("RulesUnknown" in tick["error"] for tick in failed)
    assert [(each["verdict"], each["differences"], each["unrecorded"]) for each in found] == [
        ("same", [], [])
    ] * len(found)


@pytest.mark.parametrize(("without_file", "verdict"), [("live", "same"), ("observe", "different")])
async def test_where_there_was_no_file_the_settings_of_now_count(
    without_file: str, verdict: str
) -> None:
    deliveries = issues(1)
    records = await work(live(), deliveries, Files((NONE,)))

    settings = live(repositories={"*": {"without_file": without_file}})
    (found,) = await replay(settings, deliveries, records)

    assert found["verdict"] == verdict
    assert {each["what"] for each in found["differences"]} == (
        set() if verdict == "same" else {"policy"}
    )
