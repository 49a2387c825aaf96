"""Whatever a model picks and whatever the actions do, the engine's promises hold.

Random components and random replies: calls of what can't run, of what there is not, of nothing,
with arguments of any kind; actions that fail, clear the board, bring nothing, or ask for another
plan.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reactor import (
    Package,
    PassingError,
    Platform,
    Process,
    ProcessOptions,
    ReplanRequested,
    RetryPolicy,
    Status,
    SupervisorInvocation,
    TerminateAction,
    achieves_goal,
    action,
    component,
    request_type,
)
from reactor.ai import Ai
from reactor.ai.exchange import Reply, Request, ToolCall
from reactor.testing import FakeAi

WAYS = [
    "give",
    "give",
    "give",
    "give",
    "nothing",
    "passing",
    "unclear",
    "permanent",
    "replan",
    "end_action",
]
ONCE = RetryPolicy(attempts=1)
TOOLS = ["dig", "wash", "weigh", "cut", "sell", "steal", "supervisor_pick"]
WRITTEN = [
    "{}",
    "",
    "no",
    '{"order": {"carats": 3}}',
    '{"carats": 3}',
    '{"order": {"carats": "x"}}',
]


@request_type
@dataclass(frozen=True)
class Order:
    carats: int


@dataclass(frozen=True)
class Stone:
    weight: int


@dataclass(frozen=True)
class Licence:
    holder: str


@dataclass(frozen=True)
class Gem:
    carats: int


@dataclass(frozen=True)
class Sold:
    carats: int


class Acts:
    """What an action does in a run: the next of its ways, and in the end it gives."""

    def __init__(self, ways: dict[str, list[str]]) -> None:
        self._ways = {name: [*listed, "give"] for name, listed in ways.items()}

    def next(self, name: str) -> bool:
        """Whether to give something.  Raises what the way says."""
        listed = self._ways[name]
        match listed.pop(0) if len(listed) > 1 else listed[0]:
            case "passing":
                raise PassingError("later")
            case "unclear":
                raise RuntimeError("who knows")
            case "permanent":
                raise ValueError("never")
            case "replan":
                raise ReplanRequested("another way")
            case "end_action":
                raise TerminateAction("enough")
            case way:
                return way == "give"


@component(name="mine")
class Mine:
    """Notes what should not have happened."""

    def __init__(self, acts: Acts) -> None:
        self.acts = acts
        self.violations: list[str] = []

    @action(can_rerun=True, unique_output=False, read_only=True, retry=ONCE)
    async def dig(self) -> Stone | None:
        return Stone(5) if self.acts.next("dig") else None

    @action(can_rerun=True, clear_blackboard=True, retry=ONCE)
    async def wash(self, stone: Stone) -> Stone | None:
        return Stone(4) if self.acts.next("wash") else None

    @action(can_rerun=True, read_only=True, retry=ONCE)
    async def weigh(self, stone: Stone) -> None:
        self.acts.next("weigh")

    @action(pre=["order.carats > 1"], can_rerun=True, unique_output=False, retry=ONCE)
    async def cut(self, stone: Stone, order: Order) -> Gem | None:
        if order.carats <= 1:
            self.violations.append("cut to nothing")
        return Gem(order.carats) if self.acts.next("cut") else None

    @action
    async def steal(self, licence: Licence) -> Gem:
        self.violations.append("stolen")
        return Gem(100)

    @achieves_goal("A gem is sold.")
    @action(pre=["gem.carats > 2"], can_rerun=True, retry=ONCE)
    async def sell(self, gem: Gem) -> Sold | None:
        if gem.carats <= 2:
            self.violations.append("sold too small")
        return Sold(gem.carats) if self.acts.next("sell") else None


CALLS = st.lists(
    st.builds(
        ToolCall, id=st.just("1"), name=st.sampled_from(TOOLS), arguments=st.sampled_from(WRITTEN)
    ),
    max_size=4,
)
REPLIES = st.lists(CALLS.map(lambda calls: Reply(calls=tuple(calls))), max_size=12)


def of_the_offered(request: Request) -> Reply:
    """What a sensible model does once the random one has said its all."""
    names = [tool.name for tool in request.tools]
    wanted = next(name for name in ("sell", "cut", "dig", *names) if name in names)
    return FakeAi.calls(**{wanted: {"order": {"carats": 3}}})


async def run(mine: Mine, ai: Ai) -> Process:
    platform = Platform(packages=[Package(name="team", components=(mine,))], services={Ai: ai})
    invocation = SupervisorInvocation.on(platform).returning(Sold)
    options = ProcessOptions(max_rounds=15, max_actions=40)
    return await invocation.with_process_options(options).run_async()


@given(
    ways=st.fixed_dictionaries(
        {
            name: st.lists(st.sampled_from(WAYS), max_size=3)
            for name in ("dig", "wash", "weigh", "cut", "sell")
        }
    ),
    replies=REPLIES,
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_runs_that_may_not_and_nothing_but_the_goal_is_success(
    ways: dict[str, list[str]], replies: list[Reply]
) -> None:
    mine = Mine(Acts(ways))
    later: list[Callable[[Request], Any]] = [of_the_offered] * 200
    ai = FakeAi(*replies, *later)

    process = asyncio.run(run(mine, ai))

    assert mine.violations == []
    assert process.status in (Status.COMPLETED, Status.TERMINATED, Status.STUCK, Status.FAILED)
    assert (process.status is Status.COMPLETED) == (process.board.last(Sold) is not None)
    assert process.board.last(Order) is None  # each was for its own call
    picks = [run for run in process.history if run.action == "supervisor.pick"]
    assert len([pick for pick in picks if pick.outcome == "done"]) <= 15
    chosen = [tick for tick in process.decisions if tick["chosen"] != "supervisor.pick"]
    assert all(str(tick.get("chosen_by")).startswith("supervisor, round") for tick in chosen)
