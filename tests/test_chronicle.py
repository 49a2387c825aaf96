"""All that happened to one subject, told in order of time, wherever it is known from."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.adapters.memory import MemoryBoards
from reactor.adapters.memory_records import MemoryRecords
from reactor.chronicle import ToldSubject, UnknownSubject, chronicle_lines, of_process
from reactor.chronicler import Asked, Chronicler
from reactor.cli.chronicling import word_of
from reactor.codec import Codec
from reactor.dead import Entry, Handling
from reactor.delivery import Delivery, Subject
from reactor.errors import InfrastructureError
from reactor.explain import ToldFate
from reactor.records import Batch, delivery_mark
from reactor.testing import delivery, issue, repository
from reactor.timer import Timer
from reactor.topic import DeadLetter
from tests.web.console.site import Site

KEY = "github.com/1296269#17"


@pytest.fixture
def site() -> Site:
    return Site()


def opened(guid: str, name: str = "octo/hello", **changed: object) -> Delivery:
    """An issue was opened in the repository, which may be called otherwise by now."""
    return delivery(
        "issues.opened", id=guid, issue=issue("It crashes", **changed), repository=repository(name)
    )


def chronicler(site: Site, records: MemoryRecords | None = None) -> Chronicler:
    return Chronicler(lookup=replace(site.lookup, records=records))


async def told(site: Site, word: str, records: MemoryRecords | None = None) -> ToldSubject:
    return await chronicler(site, records).tell(Asked(word=word))


def kinds(document: ToldSubject) -> list[str]:
    return [moment["what"] for moment in document["moments"]]


async def test_what_came_was_decided_and_wanted_is_told_in_that_order(site: Site) -> None:
    await site.settle(opened("guid-1"))

    document = await told(site, "octo/hello#17")

    assert document["keys"] == [KEY]
    assert kinds(document)[:3] == ["delivery", "began", "tick"]
    assert kinds(document)[-1] == "ended"
    assert "effect" in kinds(document)
    first = document["moments"][0]
    assert (first["says"], first["delivery"]) == ("issues.opened guid-1", "guid-1")
    assert all(moment["at"] for moment in document["moments"])


@pytest.mark.parametrize(
    "word", ["octo/hello#17", "OCTO/Hello#17", "github.com/octo/hello#17", KEY, "octo/hello"]
)
async def test_it_is_found_by_name_host_key_or_repository(site: Site, word: str) -> None:
    await site.settle(opened("guid-1"))

    assert (await told(site, word))["names"] == ["octo/hello#17"]


async def test_a_renamed_repository_is_told_under_both_names_the_newest_first(site: Site) -> None:
    await site.settle(opened("guid-1", "octo/old"))
    await site.settle(delivery("issues.closed", id="guid-2", issue=issue("It crashes")))

    for word in ("octo/old#17", "octo/hello#17"):
        document = await told(site, word)
        assert document["names"] == ["octo/hello#17", "octo/old#17"]
        came = [each["delivery"] for each in document["moments"] if each["what"] == "delivery"]
        assert came == ["guid-1", "guid-2"]
    assert "earlier octo/old#17" in chronicle_lines(document)[0]


async def test_what_the_store_has_let_go_is_told_from_the_journal(site: Site) -> None:
    came = opened("guid-1")
    settled = await site.settle(came)
    records = MemoryRecords(await site.boards.journal(settled.heads[0].id))
    from_both = await told(site, "octo/hello#17", records)
    empty = MemoryBoards(Codec(site.installed.platform.catalog), site.clock)
    site.lookup = replace(site.lookup, boards=empty)

    from_journal = await told(site, "octo/hello#17", records)

    assert from_journal["moments"] == from_both["moments"]
    assert kinds(from_journal)[:2] == ["delivery", "began"]


async def test_a_delivery_that_started_nothing_is_told_from_the_index(site: Site) -> None:
    records = MemoryRecords()
    await records.add(Batch(deliveries=[(delivery_mark(opened("guid-9")), "")]))

    (moment,) = (await told(site, "octo/hello#17", records))["moments"]

    assert moment["says"] == "issues.opened guid-9; it started nothing"


async def test_without_an_index_it_is_said_that_none_was_asked(site: Site) -> None:
    await site.settle(opened("guid-1"))

    assert "--data" in chronicle_lines(await told(site, "octo/hello#17"))[-1]
    assert (await told(site, "octo/hello#17", MemoryRecords()))["unread"] == []


async def test_one_that_nobody_knows_is_an_error_with_near_names(site: Site) -> None:
    await site.settle(opened("guid-1"))

    with pytest.raises(UnknownSubject, match=r"did you mean one of: octo/hello#17") as caught:
        await told(site, "octo/helo#17", MemoryRecords())

    assert "github.com/1296269#7" in str(caught.value)


async def test_only_what_is_asked_for_of_the_time_is_told_and_the_latest_of_much(
    site: Site,
) -> None:
    begin = site.clock.now()
    await site.settle(opened("guid-1"))
    site.clock.move(timedelta(hours=1))
    later = site.clock.now()
    await site.settle(delivery("issues.closed", id="guid-2", issue=issue("It crashes")))
    tell = chronicler(site, MemoryRecords()).tell

    since = await tell(Asked(word="octo/hello#17", since=later))
    until = await tell(Asked(word="octo/hello#17", since=begin, until=later))
    last = await tell(Asked(word="octo/hello#17", limit=2))

    assert {moment["delivery"] for moment in since["moments"]} == {"guid-2"}
    assert {moment["delivery"] for moment in until["moments"]} == {"guid-1"}
    assert len(last["moments"]) == 2
    assert f"... {last['left_out']} earlier moments or more: --limit" in chronicle_lines(last)


async def test_of_very_many_processes_only_as_many_are_read_as_are_told(site: Site) -> None:
    for number in range(40):
        await site.settle(opened(f"guid-{number}"))
    everything = await told(site, "octo/hello#17", MemoryRecords())

    last = await chronicler(site, MemoryRecords()).tell(Asked(word="octo/hello#17", limit=20))

    assert last["moments"] == everything["moments"][-20:]
    assert 0 < last["left_out"] < everything["left_out"] + len(everything["moments"]) - 20


async def test_a_delivery_whose_processes_are_not_told_did_not_start_nothing(site: Site) -> None:
    came = opened("guid-1")
    settled = await site.settle(came)
    records = MemoryRecords(await site.boards.journal(settled.heads[0].id))
    await records.add(Batch(deliveries=[(delivery_mark(came), "")]))
    until = site.clock.now() - timedelta(seconds=1)
    asked = Asked(word="octo/hello#17", since=came.received_at, until=until)

    document = await chronicler(site, records).tell(asked)

    for moment in document["moments"]:
        assert "started nothing" not in moment["says"]


async def test_what_was_given_up_and_who_saw_to_it_is_told(site: Site) -> None:
    await site.settle(opened("guid-1"))
    letter = DeadLetter(reason="failed", detail="ended FAILED", key=KEY.encode(), body=b"{}")
    handling = Handling(what="retried", by="ada", at=site.clock.now() + timedelta(hours=1))
    mine = Entry(id="abc", letter=letter, at=site.clock.now(), handling=handling)
    other = Entry(id="def", letter=replace(letter, key=b"github.com/9#1"), at=site.clock.now())

    async def letters() -> Sequence[Entry]:
        return [mine, other]

    document = await replace(chronicler(site), letters=letters).tell(Asked(word="octo/hello#17"))

    said = [moment["says"] for moment in document["moments"] if moment["what"] == "dead"]
    assert said == [
        "given up (failed): ended FAILED; `reactor dead show abc`",
        "dead letter abc was retried by ada",
    ]


async def test_what_is_to_come_is_told_last(site: Site) -> None:
    settled = await site.settle(opened("guid-1"))
    process, due = settled.heads[0].id, site.clock.now() + timedelta(days=7)

    async def timers() -> Sequence[Timer]:
        return [
            Timer(id=f"wake:{each}", due_at=due, name="wake", subject=Subject(key=each, name=""))
            for each in (process, "p0")
        ]

    document = await replace(chronicler(site), timers=timers).tell(Asked(word="octo/hello#17"))

    assert kinds(document).count("timer") == 1
    assert document["moments"][-1]["says"] == f"due: wake {process}"


async def test_a_source_that_is_away_is_told_and_harms_nothing_else(site: Site) -> None:
    await site.settle(opened("guid-1"))

    async def letters() -> Sequence[Entry]:
        raise InfrastructureError("kafka", "it is switched off")

    document = await replace(chronicler(site), letters=letters).tell(Asked(word="octo/hello#17"))

    assert kinds(document)[-1] == "ended"
    assert any("switched off" in each for each in document["unread"])


async def test_what_was_sent_is_told_when_it_was_with_who_approved_it(site: Site) -> None:
    settled = await site.settle(opened("guid-1"))
    process = await site.lookup.process(settled.heads[0].id)
    records = await site.boards.journal(process["id"])
    label = process["effects"][0]
    label["state"] = "done"
    label["fate"] = ToldFate(
        attempts=1,
        changed_at="2026-03-15T00:00:00+00:00",
        due_at=None,
        result=None,
        reason="",
        process=process["id"],
        ruled_by="ada",
    )

    moments = [each for each in of_process(process, records) if each["what"] == "effect"]

    assert len(moments) == len(process["effects"])
    assert moments[-1]["at"] == "2026-03-15T00:00:00+00:00"
    assert "done add label" in moments[-1]["says"]
    assert "approved by ada" in moments[-1]["says"]


async def test_what_another_process_had_wanted_before_is_told_as_not_done_again(
    site: Site,
) -> None:
    settled = await site.settle(opened("guid-1"))
    process = await site.lookup.process(settled.heads[0].id)
    records = await site.boards.journal(process["id"])
    process["effects"][0]["fate"] = ToldFate(
        attempts=1,
        changed_at="2001-01-01T00:00:00+00:00",
        due_at=None,
        result=None,
        reason="",
        process="p-earlier",
    )

    moments = [each for each in of_process(process, records) if each["what"] == "effect"]

    assert len(moments) == len(process["effects"])
    assert moments[0]["at"] >= records[0].at.isoformat()
    assert moments[0]["says"].startswith("not again: add label")
    assert "which p-earlier wanted before" in moments[0]["says"]


def test_the_address_of_a_page_is_as_good_as_a_name() -> None:
    page = "https://github.com/octo/hello/issues/7#issuecomment-1"

    assert word_of(page) == "github.com/octo/hello#7"
    assert word_of("octo/hello#7") == "octo/hello#7"
