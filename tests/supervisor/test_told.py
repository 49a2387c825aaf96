"""How people are told what a model picked, and how a process waits for them in between."""

from collections.abc import Callable
from dataclasses import replace

from reactor import (
    Answer,
    Platform,
    Runner,
    Status,
    achieves_goal,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.explain import ToldProcess, told_process
from reactor.sentences import plan_sentences
from reactor.testing import FakeAi
from reactor.why_not import why_not_here
from tests.supervisor.conftest import START, FinalReport, MarketData

PlatformOf = Callable[..., Platform]
calls = FakeAi.calls


class Desk:
    """A runner over a store in memory."""

    def __init__(self, platform: Platform) -> None:
        self.clock = ManualClock()
        self.boards = MemoryBoards(Codec(platform.catalog), self.clock)
        self.runner = Runner(
            platform=platform, boards=self.boards, clock=self.clock, owner="worker"
        )

    async def told(self) -> ToldProcess:
        stored = await self.boards.read("p-1")
        assert stored is not None
        return told_process(stored, await self.boards.journal("p-1"))


async def test_it_is_told_who_picked_what_was_offered_and_what_was_not(
    platform_of: PlatformOf,
) -> None:
    desk = Desk(
        platform_of(FakeAi(calls("gather_market_data"), calls(compile_report={"title": "Tea"})))
    )
    with desk.runner as runner:
        await runner.run(START)

    told = await desk.told()

    assert plan_sentences(told) == [
        "supervisor.pick -> SupervisorRound (offered: research.gather_market_data)",
        "research.gather_market_data -> MarketData (picked by the supervisor, round 1)",
        "supervisor.pick -> ReportRequest, SupervisorRound"
        " (offered: research.gather_market_data, research.compile_report)",
        "research.compile_report -> FinalReport (picked by the supervisor, round 2)",
    ]
    assert "tick 3: it was offered to the model" in why_not_here(told, "research.compile_report")
    assert (
        "tick 4: it was on offer, but research.compile_report was picked by the supervisor, round 2"
        in why_not_here(told, "research.gather_market_data")
    )
    assert "Licence" in why_not_here(told, "research.read_secrets")[0]
    assert all("answers" not in tick for tick in told["ticks"])
    assert [tick.get("models") for tick in told["ticks"][:4]] == [["fake"], None, ["fake"], None]
    assert told["usage"]["model_calls"] == 2


async def test_a_picked_action_may_ask_a_person_and_the_other_picks_wait_for_that(
    platform_of: PlatformOf,
) -> None:
    @component(name="office")
    class Office:
        @action
        async def ask(self) -> MarketData:
            return wait_for.form(MarketData, title="What do you know?")

        @achieves_goal("A report is there.")
        @action
        async def report(self, data: MarketData) -> FinalReport:
            return FinalReport("", (data.topic,))

    ai = FakeAi(calls("ask"), calls("report"))
    desk = Desk(platform_of(ai, Office))
    with desk.runner as runner:
        waiting = (await runner.run(replace(START, facts=[]))).head
        answer = Answer(id="a-1", form_id=waiting.forms[0].id, value={"topic": "mate"}, by="ada")
        done = await runner.run(replace(START, answer=answer))

    assert waiting.status is Status.WAITING
    assert done.head.status is Status.COMPLETED
    assert ai.left == 0
    stored = await desk.boards.read("p-1")
    assert stored is not None
    assert [run.action for run in stored.history] == [
        "supervisor.pick",
        "office.ask",
        "office.ask",
        "supervisor.pick",
        "office.report",
    ]
