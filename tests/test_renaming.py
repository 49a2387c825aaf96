"""An action that gets another name: what is under way by the former one goes on."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from reactor import (
    BadPlatform,
    Package,
    Platform,
    ProcessOptions,
    Scope,
    Start,
    Status,
    achieves_goal,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.runner import Ran, Runner
from reactor.waiting import Answer


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Verdict:
    label: str


@component(name="judge")
class Before:
    @action(value=0.9)
    async def look(self, issue: Issue) -> None:
        """Once."""

    @action(value=0.5)
    async def ask(self, issue: Issue) -> Verdict:
        """Let a person decide."""
        return wait_for.form(Verdict, title="Which label?")


@component(name="judge")
class After:
    looked: list[str] = []  # noqa: RUF012 - of all instances

    @action(value=0.9, formerly=("look",))
    async def read(self, issue: Issue) -> None:
        """Once, whatever it is called."""
        After.looked.append(issue.title)

    @action(value=0.5, formerly=("judge.ask",))
    async def ask_a_person(self, issue: Issue) -> Verdict:
        """Let a person decide."""
        return wait_for.form(Verdict, title="Which label?")


@dataclass
class Site:
    """A store, and runners that come and go, each with its own version of the component."""

    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        After.looked.clear()
        self._boards: MemoryBoards | None = None

    async def run(self, version: type, answer: Answer | None = None) -> Ran:
        platform = Platform(
            packages=[Package(name="court", components=(version,))], types=(Issue, Verdict)
        )
        if self._boards is None:
            self._boards = MemoryBoards(Codec(platform.catalog), self.clock)
        runner = Runner(
            platform=platform,
            boards=self._boards,
            clock=self.clock,
            owner="here",
            lease=timedelta(minutes=1),
        )
        start = Start(
            process_id="p-1",
            delivery="github.com/d-1",
            reaction="everything",
            subject="github.com/1#2",
            facts=(("issue", Issue("Sled")),),
            options=ProcessOptions(terminate_when_stuck=True),
            answer=answer,
        )
        return await runner.run(start)


@component(name="judge")
class Forgets:
    @action(value=0.9)
    async def read(self, issue: Issue) -> None:
        """Says nothing of its former name."""
        After.looked.append(issue.title)

    @action(value=0.5, formerly="ask")
    async def ask_a_person(self, issue: Issue) -> Verdict:
        """Let a person decide."""
        return wait_for.form(Verdict, title="Which label?")


@pytest.mark.parametrize(("version", "looked"), [(After, []), (Forgets, ["Sled"])])
async def test_a_process_that_waits_is_answered_and_what_has_run_runs_again_only_if_forgotten(
    version: type, looked: list[str]
) -> None:
    site = Site()
    (form,) = (await site.run(Before)).head.forms
    answer = Answer(id="a-1", form_id=form.id, by="ann", value={"label": "bug"})

    ended = await site.run(version, answer)

    assert ended.head.status is Status.TERMINATED
    assert After.looked == looked


def test_a_goal_in_the_settings_may_be_named_by_the_former_name() -> None:
    @component(name="court")
    class Goals:
        @achieves_goal("It is decided.", value=0.9)
        @action(formerly=("decide",))
        async def rule(self, issue: Issue) -> Verdict:
            """Decide."""
            return Verdict("bug")

    platform = Platform(packages=[Package(name="court", components=(Goals,))])

    (aim,) = platform.repertoire(Scope.platform(), frozenset({"court.decide"})).real_aims
    assert aim.name == "court.rule"


def test_a_name_that_is_somebody_elses_is_a_fault() -> None:
    @component(name="court")
    class Twice:
        @action(formerly=("old", "rule"))
        async def judge(self, issue: Issue) -> None: ...

        @action(formerly=("old",))
        async def rule(self, issue: Issue) -> None: ...

    with pytest.raises(BadPlatform) as raised:
        Platform(packages=[Package(name="court", components=(Twice,))])

    told = str(raised.value)
    assert "court.judge was formerly court.rule, which is an action of today" in told
    assert "court.rule was formerly court.old, and so was court.judge" in told
