"""What became of the effects of a process is told wherever the process is: page, JSON, terminal."""

import io
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console

from reactor import EffectRecord
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.cli.render import show
from reactor.codec import Codec
from reactor.effect import Mode
from reactor.github import AddLabels
from reactor.ledger import Caps, Intent, Outcome, Sending
from reactor.ports import Commit
from reactor.sentences import six_lines
from reactor.status import ProcessHead, Status, process_id
from tests.web.console.site import Site

SUBJECT = "github.com/9#7"
PLENTY = Caps(per_event=9, per_day=9, per_subject=9, window=timedelta(minutes=10))
PROCESS = process_id(delivery="github.com/guid-1", reaction="everything")


def record(label: str, mode: Mode = "live") -> EffectRecord:
    return EffectRecord(
        key=f"key-{label}",
        effect=AddLabels(labels=(label,)),
        subject=SUBJECT,
        action="triage.label",
        mode=mode,
        state="observed" if mode == "observe" else "intended",
    )


def intent(label: str, process_id: str = PROCESS) -> Intent:
    return Intent(
        record=record(label),
        process_id=process_id,
        delivery="github.com/guid-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c1",
    )


@pytest.fixture
async def site() -> Site:
    """A process with an effect in each state, by its label."""
    site = Site()
    now = site.clock.now()
    ledger = MemoryLedger(Codec(site.installed.platform.catalog), site.clock)

    async def come_to(label: str, outcome: Outcome, process_id: str = PROCESS) -> None:
        await ledger.enrol([intent(label, process_id)], PLENTY, now=now)
        sending = await begin()
        await ledger.finish(sending, outcome, now=now)

    async def begin() -> Sending:
        lease = timedelta(minutes=1)
        found = await ledger.begin(SUBJECT, owner="w", lease=lease, now=now)
        assert isinstance(found, Sending)
        return found

    await come_to("done", Outcome(state="done", result='{"id":17}'))
    await come_to("refused", Outcome(state="refused", reason="the repository is archived"))
    await come_to("elsewhere", Outcome(state="done"), "p2")
    await come_to("given up", Outcome(state="given_up", reason="away for a day"))
    later = Outcome(state="due", reason="HTTP 502", due_at=now, failed=True)
    await come_to("due", later)
    await ledger.finish(await begin(), replace(later, due_at=now + timedelta(minutes=5)), now=now)
    await ledger.enrol([intent("intended")], PLENTY, now=now)
    head = ProcessHead(
        id=PROCESS,
        delivery="github.com/guid-1",
        reaction="everything",
        subject=SUBJECT,
        subject_name="octo/hello#7",
        event="issues.opened",
        agent="reactor",
        planner="utility",
        status=Status.COMPLETED,
        created_at=now,
        updated_at=now,
    )
    opened = await site.boards.open(
        PROCESS, delivery=head.delivery, owner="w", lease=timedelta(minutes=1)
    )
    effects = [
        *(
            record(label)
            for label in ("done", "refused", "elsewhere", "given up", "due", "intended")
        ),
        record("observed", "observe"),
        replace(record("withheld"), state="refused", reason="components.triage does not allow it"),
    ]
    await site.boards.commit(opened.lease, Commit(head=head, effects=effects))
    site.lookup = replace(site.lookup, ledger=ledger)
    return site.with_parts(lookup=site.lookup)


async def test_each_effect_has_its_newest_state_and_what_the_ledger_knows(site: Site) -> None:
    told = (await site.get(f"/api/processes/{PROCESS}")).json()

    states = {effect["labels"][0]: effect["state"] for effect in told["effects"]}
    fates = {effect["labels"][0]: effect.get("fate") for effect in told["effects"]}
    assert states == {
        "done": "done",
        "refused": "refused",
        "elsewhere": "done",
        "given up": "given_up",
        "due": "due",
        "intended": "intended",
        "observed": "observed",
        "withheld": "refused",
    }
    assert fates["done"] == {
        "attempts": 1,
        "changed_at": "2026-01-01T00:00:00+00:00",
        "due_at": None,
        "result": {"id": 17},
        "reason": "",
        "process": PROCESS,
    }
    assert fates["due"]["due_at"] == "2026-01-01T00:05:00+00:00"
    assert fates["elsewhere"]["process"] == "p2"
    assert fates["observed"] is None


async def test_one_that_was_only_observed_is_not_done_by_somebody_else_having_done_it(
    site: Site,
) -> None:
    ledger = site.lookup.ledger
    assert ledger is not None
    await ledger.enrol([intent("observed", "p2")], PLENTY, now=site.clock.now())

    told = await site.lookup.process(PROCESS)

    assert told["effects"][-2]["state"] == "observed"
    assert "fate" not in told["effects"][-2]


async def test_the_page_shows_why_and_when(site: Site) -> None:
    page = await site.look(f"/processes/{PROCESS}")

    assert "the repository is archived" in page.text
    assert "HTTP 502" in page.text
    assert "2026-01-01T00:05:00+00:00" in page.text


async def test_the_terminal_says_it_in_a_line(site: Site) -> None:
    told = await site.lookup.delivery("guid-1")
    written = io.StringIO()

    show(told, Console(file=written, width=200))

    printed = written.getvalue()
    assert "the repository is archived" in printed
    assert "again at 2026-01-01T00:05:00+00:00; 2 tries; HTTP 502" in printed
    assert "the repository is archived" in six_lines(told)[-1]


async def test_of_one_that_was_given_up_it_is_said_how_it_is_sent_again(site: Site) -> None:
    told = await site.lookup.delivery("guid-1")
    written = io.StringIO()

    show(told, Console(file=written, width=200))
    page = await site.look(f"/processes/{PROCESS}")

    sentence = (
        "given up after 1 try: away for a day; `reactor effects retry key-given up` sends it again"
    )
    assert sentence in six_lines(told)[-1]
    assert sentence in written.getvalue()
    assert "away for a day" in page.text
    badges = [
        "".join(each.pieces).strip()
        for each in page.elements
        if each.attributes.get("class") == "badge is-given_up"
    ]
    assert badges == ["given up"]


async def test_one_that_was_refused_where_it_landed_is_shown_with_who_refuses_it(
    site: Site,
) -> None:
    told = await site.lookup.delivery("guid-1")
    written = io.StringIO()

    show(told, Console(file=written, width=200))
    page = await site.look(f"/processes/{PROCESS}")

    sentence = "components.triage does not allow it"
    assert f"refused add label withheld ({sentence})" in six_lines(told)[-1]
    assert (
        f"effect refused: add label withheld  (by triage.label): {sentence}" in written.getvalue()
    )
    assert sentence in page.text
