"""The rules of repositories, over files that are there, change, have faults and can't be read."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Any, Literal

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_files import MemoryFiles
from reactor.errors import InfrastructureError
from reactor.github.repository_reading import FRESH_S, FaultyFile, FileRules, Reading
from reactor.permissions import RepositoryRef
from reactor.policy import Narrowing
from reactor.repository_files import UNCHANGED, FileUnknown, FoundFile
from tests.github.conftest import REPOSITORY, MakeDelivery

HELLO = RepositoryRef(host="github.com", id=1296269, name="octo/hello")
OTHER = RepositoryRef(host="github.com", id=2, name="octo/other")
WITHOUT = Narrowing(source="without a file", mode="approve")
AFTER = "c" * 40


class Host:
    """Fits `RepositoryFiles`: files as somebody has written them."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.asked: list[str] = []
        self.sent: list[str] = []
        self.refuses: set[str] = set()
        self.private: set[str] = set()  # that others than their owners can't see
        self.is_away = False
        self.is_paced = False

    def write(self, name: str, text: str) -> None:
        self.files[name] = text

    async def read(
        self, asker: RepositoryRef, name: str, *, etag: str = ""
    ) -> FoundFile | Literal["unchanged"] | None:
        self.asked.append(name)
        await asyncio.sleep(0)
        if self.is_paced:
            raise FileUnknown(name, "too fast", of_host=True, is_ours=True)
        if self.is_away:
            raise FileUnknown(name, "away", of_host=True)
        if name in self.refuses:
            raise FileUnknown(name, "the app lacks a permission")
        is_hidden = name in self.private and name.split("/")[0] != asker.name.split("/")[0]
        if name not in self.files or is_hidden:
            return None
        sha = self.sha(name)
        if etag == f'"{sha}"':
            return UNCHANGED
        self.sent.append(name)
        return FoundFile(sha=sha, text=self.files[name], etag=f'"{sha}"')

    def sha(self, name: str) -> str:
        return sha256(self.files[name].encode()).hexdigest()[:40]


@dataclass
class Worker:
    """One process that asks for rules; several share host and store."""

    host: Host = field(default_factory=Host)
    store: MemoryFiles = field(default_factory=MemoryFiles)
    clock: ManualClock = field(default_factory=ManualClock)
    told: list[FaultyFile] = field(default_factory=list)
    owners: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        reading = Reading(without_file=lambda _: WITHOUT, tell=self._tell, owners=self.owners)
        self.rules = FileRules(self.host, self.store, self.clock, reading)

    async def _tell(self, faulty: FaultyFile) -> None:
        self.told.append(faulty)

    async def mode(self, repository: RepositoryRef = HELLO) -> str:
        return (await self.rules.of(repository)).whole.mode

    def let_pass(self, seconds: float) -> None:
        self.clock.move(timedelta(seconds=seconds))


@pytest.fixture
def worker() -> Worker:
    return Worker()


def pushed(make_delivery: MakeDelivery, repository: Mapping[str, Any] = REPOSITORY) -> Any:
    commit = {"modified": [".github/reactor.yml"]}
    place = {**repository, "default_branch": "main"}
    return make_delivery(
        "push", ref="refs/heads/main", after=AFTER, commits=[commit], repository=place
    )


# Which file counts ---------------------------------------------------------------------------


async def test_a_repository_says_what_counts_there(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: live\nlabels: [bug]\n")

    rules = await worker.rules.of(HELLO)

    assert (rules.whole.mode, rules.whole.labels) == ("live", frozenset({"bug"}))
    assert rules.whole.source == ".github/reactor.yml"
    assert rules.version == worker.host.sha("octo/hello")


async def test_without_a_file_that_of_its_owner_counts(worker: Worker) -> None:
    worker.host.write("octo/.github", "mode: live\n")

    rules = await worker.rules.of(HELLO)

    assert (rules.whole.mode, rules.whole.source) == (
        "live",
        ".github/reactor.yml of octo/.github",
    )


async def test_its_own_file_comes_before_that_of_its_owner(worker: Worker) -> None:
    worker.host.write("octo/.github", "mode: live\nlabels: [bug]\n")
    worker.host.write("octo/hello", "mode: observe\n")

    rules = await worker.rules.of(HELLO)

    assert (rules.whole.mode, rules.whole.labels) == ("observe", None)
    assert worker.host.asked == ["octo/hello"]


async def test_without_any_file_the_operator_says_what_counts(worker: Worker) -> None:
    rules = await worker.rules.of(HELLO)

    assert (rules.whole, rules.version, rules.commands) == (WITHOUT, "", None)


async def test_of_the_owners_repository_itself_one_file_is_read(worker: Worker) -> None:
    await worker.rules.of(RepositoryRef(host="github.com", id=3, name="octo/.github"))

    assert worker.host.asked == ["octo/.github"]


async def test_a_file_says_only_what_is_different_from_the_one_it_extends(worker: Worker) -> None:
    worker.host.write("octo/hello", "_extends: base\nlabels: [bug]\n")
    worker.host.write("octo/base", "mode: approve\nlabels: [question]\ncommands: off\n")

    rules = await worker.rules.of(HELLO)

    assert (rules.whole.mode, rules.whole.labels) == ("approve", frozenset({"bug"}))
    assert rules.commands == frozenset()
    assert rules.version == "+".join(map(worker.host.sha, ("octo/hello", "octo/base")))


async def test_three_files_extend_each_other_and_no_more(worker: Worker) -> None:
    for name, base in (("hello", "b1"), ("b1", "b2"), ("b2", "b3")):
        worker.host.write(f"octo/{name}", f"_extends: {base}\n")
    worker.host.write("octo/b3", "mode: approve\n")
    assert await worker.mode() == "approve"

    worker.host.write("octo/b3", "_extends: b4\n")
    worker.host.write("octo/b4", "mode: live\n")
    another = Worker(host=worker.host)

    assert await another.mode() == "observe"
    assert any("more than 3 files" in str(fault) for it in another.told for fault in it.faults)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("_extends: Hello\n", "extends this one"),
        ("_extends: circle\n", "faults of its own"),
        ("_extends: nowhere\n", "octo/nowhere has no .github/reactor.yml"),
        ("mode: live\n_extends: acme/base\n", "not extended by those of others"),
        ("_extends: broken\n", "octo/broken has faults of its own"),
    ],
)
async def test_what_can_not_be_extended_is_a_fault_of_the_line_that_says_so(
    worker: Worker, text: str, reason: str
) -> None:
    worker.host.write("octo/hello", text)
    worker.host.write("octo/circle", "_extends: hello\n")
    worker.host.write("octo/broken", "mode: s3cret\n")
    worker.host.write("acme/base", "mode: live\n")

    assert await worker.mode() == "observe"

    (told,) = [it for it in worker.told if it.repository == "octo/hello"]
    assert len(told.faults) == 1
    assert told.faults[0].line == 1 + text.index("_extends") // 11
    assert reason in told.faults[0].reason


@pytest.mark.parametrize("owners", [("Acme",), ("*",)])
async def test_files_of_owners_that_the_operator_names_are_extended_by_others(
    owners: tuple[str, ...],
) -> None:
    worker = Worker(owners=owners)
    worker.host.write("octo/hello", "_extends: acme/base\n")
    worker.host.write("acme/base", "mode: live\n")

    assert await worker.mode() == "live"


async def test_who_extends_a_private_file_of_others_changes_nothing_there() -> None:
    worker = Worker(owners=("*",))
    secret = RepositoryRef(host="github.com", id=3, name="acme/secret")
    worker.host.write("octo/hello", "_extends: acme/secret\n")
    worker.host.write("acme/secret", "mode: observe\n")
    worker.host.private.add("acme/secret")

    of_stranger = await worker.mode()

    assert of_stranger == "observe"
    assert worker.told[0].faults[0].reason.startswith("acme/secret has no .github/reactor.yml")
    assert await worker.mode(secret) == "observe"
    assert (await worker.rules.of(secret)).version  # its own file, not the lack of one


async def test_what_the_owner_sees_is_not_told_to_others_who_extend_it() -> None:
    worker = Worker(owners=("*",))
    secret = RepositoryRef(host="github.com", id=3, name="acme/secret")
    worker.host.write("octo/hello", "_extends: acme/secret\n")
    worker.host.write("acme/secret", "mode: live\n")
    worker.host.private.add("acme/secret")
    await worker.mode(secret)

    assert await worker.mode() == "observe"


# When it is asked for ------------------------------------------------------------------------


async def test_of_many_that_want_it_at_once_one_asks(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: live\n")

    modes = await asyncio.gather(*(worker.mode() for _ in range(50)))

    assert set(modes) == {"live"}
    assert worker.host.asked == ["octo/hello"]


async def test_what_one_worker_knows_others_need_not_ask_for(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    await worker.mode()

    assert await Worker(worker.host, worker.store, worker.clock).mode() == "live"
    assert worker.host.asked == ["octo/hello"]


async def test_that_there_is_no_file_is_known_as_well(worker: Worker) -> None:
    await worker.mode()
    worker.let_pass(FRESH_S - 1)
    await worker.mode()

    assert worker.host.asked == ["octo/hello", "octo/.github"]


async def test_when_it_is_old_it_is_asked_for_again_and_sent_only_if_it_changed(
    worker: Worker,
) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    await worker.mode()
    worker.let_pass(FRESH_S)
    await worker.mode()
    assert (len(worker.host.asked), len(worker.host.sent)) == (2, 1)

    worker.host.write("octo/hello", "mode: observe\n")
    worker.let_pass(FRESH_S)

    assert await worker.mode() == "observe"


async def test_a_push_that_changes_it_counts_at_once(
    worker: Worker, make_delivery: MakeDelivery
) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    await worker.mode()
    worker.host.write("octo/hello", "mode: observe\n")

    await worker.rules.hear(pushed(make_delivery))

    assert await worker.mode() == "observe"


async def test_a_push_to_the_owners_file_counts_for_all_its_repositories(
    worker: Worker, make_delivery: MakeDelivery
) -> None:
    worker.host.write("octo/.github", "mode: live\n")
    assert [await worker.mode(it) for it in (HELLO, OTHER)] == ["live", "live"]
    worker.host.write("octo/.github", "mode: approve\n")

    await worker.rules.hear(pushed(make_delivery, {"id": 3, "full_name": "octo/.github"}))

    assert [await worker.mode(it) for it in (HELLO, OTHER)] == ["approve", "approve"]


async def test_other_workers_see_a_change_that_one_was_told_of_some_seconds_later(
    worker: Worker, make_delivery: MakeDelivery
) -> None:
    another = Worker(worker.host, worker.store, worker.clock)
    worker.host.write("octo/hello", "mode: live\n")
    assert await another.mode() == "live"
    worker.host.write("octo/hello", "mode: observe\n")

    await worker.rules.hear(pushed(make_delivery))
    worker.let_pass(5)

    assert await another.mode() == "observe"


async def test_a_deleted_file_counts_no_more(worker: Worker, make_delivery: MakeDelivery) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    await worker.mode()
    del worker.host.files["octo/hello"]

    await worker.rules.hear(pushed(make_delivery))

    assert await worker.mode() == WITHOUT.mode


# With faults ---------------------------------------------------------------------------------


async def test_while_a_file_has_faults_the_last_good_one_counts(
    worker: Worker, make_delivery: MakeDelivery
) -> None:
    worker.host.write("octo/hello", "mode: approve\nlabels: [bug]\n")
    await worker.mode()
    worker.host.write("octo/hello", "mode: life\n")

    await worker.rules.hear(pushed(make_delivery))

    rules = await worker.rules.of(HELLO)
    assert (rules.whole.mode, rules.whole.labels) == ("approve", frozenset({"bug"}))


async def test_without_a_good_one_nothing_is_done(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: life\n")
    worker.host.write("octo/.github", "mode: live\n")

    rules = await worker.rules.of(HELLO)

    assert (rules.whole.mode, rules.commands) == ("observe", frozenset())
    assert "faults" in rules.whole.source


async def test_a_file_whose_base_is_broken_later_stays_as_it_was(
    worker: Worker, make_delivery: MakeDelivery
) -> None:
    worker.host.write("octo/hello", "_extends: base\n")
    worker.host.write("octo/base", "mode: approve\n")
    await worker.mode()
    worker.host.write("octo/base", "mode: life\n")

    await worker.rules.hear(pushed(make_delivery, {"id": 4, "full_name": "octo/base"}))

    assert await worker.mode() == "approve"


async def test_somebody_is_told_once_of_each_content_with_line_reason_and_commit(
    worker: Worker, make_delivery: MakeDelivery
) -> None:
    worker.host.write("octo/hello", "labels: [bug]\nmode: life\n")
    for _ in range(3):
        await worker.rules.hear(pushed(make_delivery))
        worker.let_pass(FRESH_S)
        await Worker(worker.host, worker.store, worker.clock, worker.told).mode()

    (told,) = worker.told
    assert (told.repository, told.commit) == ("octo/hello", AFTER)
    assert told.sha == worker.host.sha("octo/hello")
    assert [str(it) for it in told.faults] == [
        "line 2, column 7: it must be observe, approve or live"
    ]
    assert not told.has_good_one

    worker.host.write("octo/hello", "mode: lief\n")
    await worker.rules.hear(pushed(make_delivery))

    assert len(worker.told) == 2


# When it can't be read -----------------------------------------------------------------------


async def test_while_its_host_is_away_the_last_one_counts(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    await worker.mode()
    worker.host.is_away = True
    worker.let_pass(FRESH_S)

    assert await worker.mode() == "live"


async def test_of_one_that_nobody_knows_nothing_is_done_meanwhile(worker: Worker) -> None:
    worker.host.is_away = True

    rules = await worker.rules.of(HELLO)

    assert (rules.whole.mode, rules.version) == ("observe", "")
    assert "octo/hello: away" in rules.whole.source
    assert "away" in rules.unknown


async def test_nobody_takes_it_for_known_while_its_host_rests_for_another(worker: Worker) -> None:
    worker.host.is_away = True
    await worker.rules.of(HELLO)

    assert (await worker.rules.of(OTHER)).unknown


async def test_what_may_not_be_read_is_no_passing_trouble(worker: Worker) -> None:
    worker.host.refuses.add("octo/hello")

    assert not (await worker.rules.of(HELLO)).unknown


async def test_a_host_that_is_away_is_asked_again_after_a_pause(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    worker.host.is_away = True
    await worker.mode()
    worker.let_pass(6)
    await worker.mode()
    await worker.mode(OTHER)
    assert worker.host.asked == ["octo/hello"]

    worker.host.is_away = False
    worker.let_pass(30)

    assert await worker.mode() == "live"


async def test_where_it_is_we_who_do_not_ask_yet_whoever_wants_the_first_one_waits(
    worker: Worker,
) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    worker.host.is_paced = True
    with pytest.raises(InfrastructureError, match="too fast"):
        await worker.mode()

    worker.host.is_paced = False

    assert await worker.mode() == "live"


async def test_and_one_that_is_known_counts_meanwhile(worker: Worker) -> None:
    worker.host.write("octo/hello", "mode: live\n")
    await worker.mode()
    worker.host.is_paced = True
    worker.let_pass(FRESH_S)

    assert await worker.mode() == "live"


async def test_one_that_may_not_be_read_keeps_no_other_from_being_read(worker: Worker) -> None:
    worker.host.write("octo/other", "mode: live\n")
    worker.host.refuses.add("octo/hello")

    assert [await worker.mode(it) for it in (HELLO, OTHER)] == ["observe", "live"]


async def test_rules_that_extend_what_can_not_be_read_are_not_known(worker: Worker) -> None:
    worker.host.write("octo/hello", "_extends: base\nmode: live\n")
    worker.host.refuses.add("octo/base")

    assert await worker.mode() == "observe"
    assert worker.told == []
