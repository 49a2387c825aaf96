"""Autonomy: a wish in somebody's own words is matched with what is installed, and run.

    process = await Autonomy.on(platform).run_agent("Which brakes fail?", issue)     # closed
    process = await Autonomy.on(platform).run_goal("Which brakes fail?", issue)      # open

Closed mode chooses among the agents, and runs the one that suits as it is.  Open mode chooses
among the goals of a scope, and has an agent put together of the scope's actions, by a planner.
Where a model is not confident enough, nothing is run.  The wish is on the blackboard as a
`FreeRequest`.  As an invocation it runs in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from reactor.ai.ai import Ai
from reactor.ai.choosing import Ranking, rank
from reactor.ai.errors import NoModels
from reactor.command import FreeRequest
from reactor.invocation import UtilityInvocation
from reactor.offers import GoalOffer
from reactor.options import ProcessOptions
from reactor.platform import Platform
from reactor.process import Process
from reactor.scope import Scope
from reactor.untrusted import fence

ROLE = "autonomy"
"""What a model is wanted for: the settings may say which that is (`llm.roles`)."""

CUTOFF = 0.6
"""The least confidence, if nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoffs:
    """How confident a model has to be, from 0 to 1."""

    agent: float = CUTOFF
    goal: float = CUTOFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Autonomy:
    """Runs what suits a wish.  Each `with_` gives a new one."""

    platform: Platform
    ai: Ai
    scope: Scope = field(default_factory=Scope.platform)
    cutoffs: Cutoffs = field(default_factory=Cutoffs)
    options: ProcessOptions = field(default_factory=ProcessOptions)
    planner: str = "goap"  # of open mode; an agent has its own

    @classmethod
    def on(cls, platform: Platform) -> Self:
        """On everything that is installed there, by its model for "autonomy".

        Raises `NoModels` where the platform is provided with no `Ai`.
        """
        ai = platform.services.get(Ai)
        if not isinstance(ai, Ai):
            raise NoModels
        return cls(platform=platform, ai=ai.with_role(ROLE))

    def with_ai(self, ai: Ai) -> Self:
        """With whichever model that one asks."""
        return replace(self, ai=ai)

    def with_scope(self, scope: Scope) -> Self:
        """In open mode, only with these actions and goals."""
        return replace(self, scope=scope)

    def with_cutoffs(self, cutoffs: Cutoffs) -> Self:
        """With other cut-offs."""
        return replace(self, cutoffs=cutoffs)

    def with_process_options(self, options: ProcessOptions) -> Self:
        """With these limits."""
        return replace(self, options=options)

    def with_planner(self, name: str) -> Self:
        """In open mode, with another planner than goap."""
        return replace(self, planner=name)

    async def rank_agents(self, wish: str) -> Ranking:
        """How the agents suit; `wish` may be by anybody.  Raises what `Ai.create_object` does."""
        return await rank(self.ai, fence(wish, source="request"), tuple(self.platform.offers))

    async def rank_goals(self, wish: str) -> Ranking:
        """How the goals of the scope suit; likewise."""
        goals = self.platform.goals_in(self.scope)
        offers = [GoalOffer.of(goal.name, goal.mark) for goal in goals]
        return await rank(self.ai, fence(wish, source="request"), offers)

    async def run_agent(self, wish: str, *facts: object) -> Process:
        """Run the agent that suits over these facts to its end (`process.head.agent` is its name).

        Raises `NothingSuits`, and what `Ai.create_object` does.
        """
        ranking = await self.rank_agents(wish)
        name = ranking.best(cutoff=self.cutoffs.agent).name
        invocation = UtilityInvocation(
            platform=self.platform,
            scope=Scope.from_agents(name),
            agent_name=name,
            options=self.options,
            planner=self.platform.agent(name).mark.planner,
        )
        return await invocation.run_async(*_with(wish, facts))

    async def run_goal(self, wish: str, *facts: object) -> Process:
        """Run towards the goal that suits, over these facts, to the end.

        Raises `NothingSuits`, and what `Ai.create_object` does.
        """
        ranking = await self.rank_goals(wish)
        name = ranking.best(cutoff=self.cutoffs.goal).name
        invocation = UtilityInvocation(
            platform=self.platform,
            scope=self.scope,
            options=self.options,
            planner=self.planner,
        )
        return await invocation.towards(name).run_async(*_with(wish, facts))


def _with(wish: str, facts: Sequence[object]) -> Sequence[object]:
    """The facts, and the wish among them; a mapping given alone stays one."""
    if len(facts) == 1 and isinstance(facts[0], Mapping):
        return ({**facts[0], "request": FreeRequest(text=wish)},)
    return (*facts, FreeRequest(text=wish))
