"""A console on which there is something to do: forms, approvals, dead letters, unsent effects."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

from reactor.adapters.memory import MemoryDeliveryLog
from reactor.adapters.memory_dead import MemoryHandlings
from reactor.adapters.memory_forms import MemoryForms
from reactor.answering import AnswerDesk
from reactor.approvals import Approvals
from reactor.dead import DeadDesk, Entry, Lying, NotDrivable
from reactor.effect import EffectRecord
from reactor.ledger import Caps, Fate, Held, Intent, Outcome, Sending
from reactor.runner import NoSuchProcess
from reactor.signal import Signal, as_delivery, read_signal
from reactor.status import ProcessHead, Status
from reactor.topic import DeadLetter, Position
from reactor.waiting import FormRequest
from reactor.web.access import Access
from reactor.web.console.asked import Asked
from reactor.web.console.entrance import Entrance
from reactor.web.console.given_up import GivenUpPages
from reactor.web.console.wishes import Wishes
from tests.contract.ledgers import MemoryLedgerStore
from tests.contract.samples import AddLabels
from tests.web.console.browser import Browser
from tests.web.console.doing import SEAL
from tests.web.console.site import Site

HERE = "http://127.0.0.1:8081"
WORD = SEAL.word("here")
PLENTY = Caps(per_event=99, per_day=99, per_subject=99, window=timedelta(minutes=1))
SCHEMA = {
    "type": "object",
    "properties": {
        "label": {"enum": ["bug", "question"], "title": "Label"},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
        "comment": {"type": "string", "default": ""},
    },
    "required": ["label", "stars"],
}


@dataclass
class Shelf:
    """Letters as they lie on a topic; fits the port `Letters`."""

    lying: list[Lying] = field(default_factory=list)
    driven: list[str] = field(default_factory=list)

    async def read(self) -> AsyncIterator[Lying]:
        for each in self.lying:
            yield each

    async def drive(self, entry: Entry) -> None:
        if entry.letter.reason == "unreadable":
            raise NotDrivable(entry.id, "it is no letter")
        self.driven.append(entry.id)

    async def forget(self, entry: Entry) -> None:
        """Nothing is kept apart from the topic."""


@dataclass
class MemoryDesk:
    """Fits the port `Desk`; nobody reads what it is told, so nothing is heard."""

    answers: AnswerDesk
    approvals: Approvals
    told: list[Signal] = field(default_factory=list)

    async def tell(self, signal: Signal) -> Position | None:
        if await self.answers.boards.read(signal.process_id) is None:
            raise NoSuchProcess(signal.process_id)
        self.told.append(signal)
        return await self.answers.signals.append(as_delivery(signal, at=self.answers.clock.now()))

    async def heard(self, form_id: str, *, within_s: float) -> ProcessHead | None:
        return None

    async def ruled(self, held: Held, *, within_s: float) -> Fate | None:
        return None


@dataclass
class MemoryDead:
    """Fits the port `Dead`."""

    desk: DeadDesk

    async def original(self, letter: DeadLetter) -> bytes:
        return letter.body


class DeskSite:
    """The console, and what lies behind it."""

    def __init__(self, **entrance: object) -> None:
        self.site = Site()
        self.ledger = MemoryLedgerStore.new()
        self.signals, self.forms, self.shelf = MemoryDeliveryLog(), MemoryForms(), Shelf()
        clock = self.site.clock
        self.desk = MemoryDesk(
            answers=AnswerDesk(
                boards=self.site.boards, signals=self.signals, forms=self.forms, clock=clock
            ),
            approvals=Approvals(ledger=self.ledger.ledger, signals=self.signals, clock=clock),
        )
        self.handlings = MemoryHandlings()
        dead = MemoryDead(DeadDesk(letters=self.shelf, handlings=self.handlings))
        areas = (
            Asked(self.desk),
            Wishes(self.desk),
            GivenUpPages(dead, self.ledger.ledger, clock),
        )
        way: dict[str, object] = {"access": Access(loopback=True), "here": "ann", "seal": SEAL}
        made = Entrance(**{**way, **entrance})  # type: ignore[arg-type]
        self.site.with_parts(areas=areas, entrance=made)
        self.app = self.site.app()

    @property
    def said(self) -> list[Signal]:
        """What was put on the signals topic."""
        return [read_signal(delivery) for delivery in self.signals.deliveries]

    async def ask(self, **changed: object) -> FormRequest:
        """A process that waits for an answer."""
        process = await self.site.put("github.com/d-1", Status.WAITING)
        told: dict[str, object] = {
            "id": f"{process}-1",
            "process_id": process,
            "action": "writer.ask",
            "kind": "form",
            "model": "tests:Feedback",
            "title": "How is it?",
            "schema": SCHEMA,
            "asked_at": self.site.clock.now(),
        }
        form = FormRequest(**{**told, **changed})  # type: ignore[arg-type]
        await self.site.put("github.com/d-1", Status.WAITING, forms=(form,))
        await self.forms.add(form.id, asked_at=form.asked_at)
        return form

    async def hold(self, key: str = "5f0c1e9a77b2" + "0" * 20, *, mode: str = "approve") -> str:
        """An effect that waits for approval; gives its key."""
        record = EffectRecord(
            key=key,
            effect=AddLabels(labels=("bug",)),
            subject="github.com/1#7",
            action="triage.label",
            mode=mode,  # type: ignore[arg-type]
            state="intended",
        )
        wish = Intent(
            record=record,
            process_id="p" + "1" * 24,
            delivery="github.com/d-1",
            host="github.com",
            subject_name="octo/hello#7",
            cause="c1",
        )
        await self.ledger.ledger.enrol([wish], PLENTY, now=self.site.clock.now())
        return key

    async def give_up(self, key: str = "0a1b" * 8) -> str:
        """An effect that could not be sent; gives its key."""
        await self.hold(key, mode="live")
        ledger, now = self.ledger.ledger, self.site.clock.now()
        sending = await ledger.begin(
            "github.com/1#7", owner="w", lease=timedelta(minutes=1), now=now
        )
        outcome = Outcome(state="given_up", reason="GitHub says no <b>", failed=True)
        assert isinstance(sending, Sending)
        await ledger.finish(sending, outcome, now=now)
        return key

    def bury(self, letter: DeadLetter) -> None:
        """One letter more."""
        self.shelf.lying.append(Lying(letter=letter, at=self.site.clock.now()))
        self.site.clock.move(timedelta(hours=1))


async def post(browser: Browser, path: str, **fields: object) -> tuple[int, str]:
    """A form of ours: the status, and where it leads (or what it says)."""
    answer = await browser.post(path, {"csrf": WORD, **fields})
    return answer.status_code, answer.headers.get("location", answer.text)
