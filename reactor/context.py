"""What an action may ask for besides facts: who it runs for, and a place for what it finds."""

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from reactor.blackboard import Blackboard
from reactor.status import ProcessHead
from reactor.tally import Tally

if TYPE_CHECKING:
    from reactor.subprocesses import Subprocess, SubprocessEnded


class Host(Protocol):
    """What a context asks of the process that it speaks for."""

    tally: Tally  # of it, and of those that it runs within

    def now(self) -> datetime:
        """Aware, UTC."""
        ...

    async def save(self, value: object, *, name: str) -> None:
        """Keep it beyond the process."""
        ...

    async def run_subprocess(
        self, wanted: "Subprocess", context: "ActionContext"
    ) -> "SubprocessEnded":
        """Run it over a copy of the context's board."""
        ...


class ActionContext:
    """Passed to an action that has a parameter of this type.

    `board` is a copy of the blackboard: what is written there (or through the methods here) is
    put on the real one when the action has ended, also if it failed.  What comes after a time-out
    comes too late.
    """

    def __init__(self, *, process: ProcessHead, action: str, board: Blackboard, host: Host) -> None:
        self.process = process
        self.action = action  # "component.method"
        self.board = board
        self.tally = host.tally
        self.usage: dict[str, float] = {}
        self._by_subprocesses: dict[str, float] = {}  # part of that
        self._host = host

    @property
    def process_id(self) -> str:
        """The same when it resumes, or is tried again after it failed: what claims are made with.

        It is the id of the first attempt; `process.id` is that of this one.
        """
        return self.process.first_id

    def now(self) -> datetime:
        """The time, aware and in UTC; of the recording, in a replay."""
        return self._host.now()

    def add(self, value: object) -> None:
        """Add a fact to the blackboard."""
        self.board.add(value, producer=self.action)

    def bind(self, name: str, value: object) -> None:
        """Add a fact under a name."""
        self.board.bind(name, value, producer=self.action)

    def set_condition(self, name: str, value: bool = True) -> None:  # noqa: FBT001, FBT002 - it is the point
        """Set a named flag; one that is in the action's `post`, or among its component's flags."""
        self.board.set_flag(name, value)

    def add_usage(self, kind: str, amount: float) -> None:
        """Count what was used up, such as "tokens" or "cost_usd"."""
        self._count(kind, amount)
        self.tally.add(kind, amount)

    async def save(self, value: object, *, name: str = "") -> None:
        """Keep a fact beyond this process, at once: later ones of its context begin with it.

        It is known there by `name`, or by its class in snake_case, and replaces what was.  Raises
        `NoContext` where the process has none.
        """
        await self._host.save(value, name=name)

    async def run_subprocess(self, wanted: "Subprocess") -> "SubprocessEnded":
        """Run a process within this action, over a copy of its board; see `reactor.subprocesses`.

        It counts as part of the action: within its `timeout_s`, and ended with it.
        """
        ended = await self._host.run_subprocess(wanted, self)
        self.tally.begin(ended.head.id, ended.head.usage)  # it may have run elsewhere
        for kind, amount in ended.head.usage.items():
            self._count(kind, amount)
            before = self._by_subprocesses.get(kind, 0.0)
            self._by_subprocesses[kind] = before + amount
        return ended

    def go_on_from(self, earlier: "ActionContext") -> None:
        """What an earlier try of the same run has used up counts as well.

        Sub-processes aside: the next try finds them again, and counts them itself.
        """
        for kind, amount in earlier.usage.items():
            self._count(kind, amount - earlier._by_subprocesses.get(kind, 0.0))

    def _count(self, kind: str, amount: float) -> None:
        self.usage[kind] = self.usage.get(kind, 0.0) + amount
