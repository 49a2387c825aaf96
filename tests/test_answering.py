"""The desk: what people are asked, and how their answers are taken."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryDeliveryLog
from reactor.adapters.memory_forms import MemoryForms
from reactor.answering import AnswerDesk, UnknownForm
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.errors import InfrastructureError
from reactor.ports import Commit
from reactor.signal import read_signal
from reactor.status import ProcessHead, Status
from reactor.topic import Position
from reactor.waiting import Answer, AnswerRefused, FormRequest

FEEDBACK = {
    "type": "object",
    "properties": {
        "comment": {"type": "string"},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["comment", "stars"],
}


class Site:
    """A desk over memory, and processes that wait."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.boards = MemoryBoards(Codec(TypeCatalog()), self.clock)
        self.forms, self.signals = MemoryForms(), MemoryDeliveryLog()
        self.desk = AnswerDesk(
            boards=self.boards,
            signals=self.signals,
            forms=self.forms,
            clock=self.clock,
        )

    async def ask(self, process_id: str = "p1", **fields: object) -> FormRequest:
        told: dict[str, object] = {
            "id": f"{process_id}-1",
            "process_id": process_id,
            "action": "writer.ask",
            "kind": "form",
            "model": "tests:Feedback",
            "title": "How is it?",
            "schema": FEEDBACK,
            "asked_at": self.clock.now(),
        }
        form = FormRequest(**{**told, **fields})  # type: ignore[arg-type]
        await self.commit(process_id, Status.WAITING, form)
        await self.forms.add(form.id, asked_at=form.asked_at)
        return form

    async def commit(self, process_id: str, status: Status, *forms: FormRequest) -> None:
        now = self.clock.now()
        head = ProcessHead(
            id=process_id,
            delivery="github.com/d-1",
            reaction="triage",
            subject="github.com/1#7",
            agent="reactor",
            planner="utility",
            status=status,
            created_at=now,
            updated_at=now,
            forms=forms,
        )
        opened = await self.boards.open(
            process_id, delivery=head.delivery, owner="w", lease=timedelta(minutes=1)
        )
        await self.boards.commit(opened.lease, Commit(head=head))


@pytest.fixture
def site() -> Site:
    return Site()


def good(form: FormRequest) -> Answer:
    return Answer(id="a-1", form_id=form.id, by="ann", value={"comment": "fine", "stars": 5})


async def test_open_forms_are_listed_as_they_are_asked(site: Site) -> None:
    form = await site.ask()

    assert await site.desk.open_forms() == [form]
    assert await site.desk.form(form.id) == form


async def test_what_was_answered_is_not_listed_and_is_forgotten(site: Site) -> None:
    first, second = await site.ask("p1"), await site.ask("p2")
    await site.commit("p1", Status.TERMINATED)

    assert await site.desk.open_forms() == [second]
    assert await site.forms.newest(limit=9) == [second.id]
    with pytest.raises(UnknownForm):
        await site.desk.form(first.id)


async def test_an_answer_is_on_its_way_as_a_signal(site: Site) -> None:
    form = await site.ask()

    taken = await site.desk.take(good(form))

    (record,) = site.signals.deliveries
    assert read_signal(record).answer == good(form)
    assert taken.form == form
    assert taken.position == Position("reactor.deliveries", 0, 0)


async def test_all_faults_of_an_answer_are_told_with_their_places(site: Site) -> None:
    form = await site.ask()

    with pytest.raises(AnswerRefused) as refused:
        await site.desk.take(replace(good(form), value={"stars": 9}))

    assert refused.value.problems == (
        "'comment' is a required property",
        "stars: 9 is greater than the maximum of 5",
    )
    assert site.signals.deliveries == []


async def test_a_confirmation_takes_yes_or_no_and_a_form_takes_neither(site: Site) -> None:
    form = await site.ask("p1")
    confirm = await site.ask("p2", kind="confirm", schema={})

    for wrong in (replace(good(form), approved=True), Answer(id="a", form_id=confirm.id, value=1)):
        with pytest.raises(AnswerRefused):
            await site.desk.take(wrong)
    await site.desk.take(Answer(id="a", form_id=confirm.id, approved=False))

    assert len(site.signals.deliveries) == 1


@pytest.mark.parametrize("form_id", ["p404-1", "p1-9", "", "p1", "-", "../../etc/passwd"])
async def test_nobody_waits_for_what_is_not_open(site: Site, form_id: str) -> None:
    await site.ask()

    with pytest.raises(UnknownForm):
        await site.desk.take(Answer(id="a-1", form_id=form_id, value={}))


async def test_an_answer_that_could_not_be_kept_is_not_taken(site: Site) -> None:
    form = await site.ask()
    site.signals.is_down = True

    with pytest.raises(InfrastructureError):
        await site.desk.take(good(form))
