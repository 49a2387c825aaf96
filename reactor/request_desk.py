"""What people ask for in their own words: which agent is meant, and its run.

    FreeRequest -> choose -> Choice -> carry_out -> a sub-process of the agent
                                                 -> Declined: nothing suits, or no model is there

Only agents that export a goal are on offer, and are run for such goals alone.  Who may ask was
found out where the command was let in.  The choice is kept before it is carried out, so that a
process that goes on after a crash runs the same agent.  A component like any other.
"""

from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict

from reactor.action import Not, action, component, condition
from reactor.ai.ai import Ai
from reactor.ai.choosing import NothingSuits, Ranking, rank
from reactor.ai.errors import BadAnswer, ModelRefused
from reactor.autonomy import CUTOFF, ROLE
from reactor.blackboard import Blackboard
from reactor.command import Asker, FreeRequest, Role
from reactor.commanded import Declined
from reactor.context import ActionContext
from reactor.effect import EffectRecord
from reactor.errors import ReactorError
from reactor.offers import AgentOffer, Offers
from reactor.package import Package
from reactor.platform import Platform
from reactor.scope import Scope
from reactor.status import Status
from reactor.subprocesses import Subprocess
from reactor.untrusted import Trust, fence

REQUESTS = "reactor-requests"  # what is shown as its package
_LONGEST_S = 900.0  # of a choice, and of the run of an agent: all calls of models are within it


class Choice(BaseModel):
    """Which agent a request is for, or why none is run."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    agent: str = ""
    reason: str = ""  # where there is no agent: a sentence without its full stop
    ranking: Ranking = Ranking()  # of all that were on offer


class AgentGone(ReactorError):
    """The agent that was chosen is not on offer any more."""

    status = 400

    def __init__(self, agent: str) -> None:
        super().__init__(agent)
        self.agent = agent

    def __str__(self) -> str:
        return f"the agent {self.agent} was chosen, and is not on offer any more; ask once more"


class AgentFailed(ReactorError):
    """The agent that was chosen failed; what it failed with is in its own record."""

    status = 400  # running it again would not help: it has had its tries

    def __init__(self, agent: str, failure: str) -> None:
        super().__init__(agent, failure)
        self.agent, self.failure = agent, failure

    def __str__(self) -> str:
        return f"the agent {self.agent} failed: {self.failure}"


@component(name="request_desk")
class RequestDesk:
    """Has the agent run that a request in somebody's own words is for."""

    def __init__(self, cutoff: float = CUTOFF) -> None:
        """`cutoff`: how confident a model has to be that it is, from 0 to 1."""
        self._cutoff = cutoff

    @condition
    def is_undecided(self, board: Blackboard) -> bool:
        """Whether nothing was chosen for the newest request so far."""
        return isinstance(_last_step(board), FreeRequest)

    @condition
    def is_decided(self, board: Blackboard) -> bool:
        """Whether a choice was made for the newest request."""
        return isinstance(_last_step(board), Choice)

    @action(pre=["is_undecided"], can_rerun=True, value=0.6, timeout_s=_LONGEST_S)
    async def choose(self, request: FreeRequest, asker: Asker, offers: Offers, ai: Ai) -> Choice:
        """Ask a model which agent is meant."""
        wish = fence(request.text, source="request", author=asker.login, trust=_trust(asker))
        try:
            ranking = await rank(ai.with_role(ROLE), wish, offers.exported)
            best = ranking.best(cutoff=self._cutoff)
        except NothingSuits as nothing:
            return Choice(reason=str(nothing), ranking=nothing.ranking)
        except (BadAnswer, ModelRefused):  # what they say is for the operator, who has the log
            return Choice(reason="no model could tell what is asked for; say it in other words")
        return Choice(agent=best.name, ranking=ranking)

    @action(pre=["is_undecided", Not("llm")], can_rerun=True, value=0.1)
    async def choose_nothing(self, request: FreeRequest) -> Choice:
        """Where no model is to be had: no rule knows what people mean."""
        return Choice(reason="no model can be asked now what is meant; /help lists what goes now")

    @action(
        trigger=FreeRequest, pre=["is_decided"], can_rerun=True, value=0.6, timeout_s=_LONGEST_S
    )
    async def carry_out(
        self, choice: Choice, offers: Offers, context: ActionContext
    ) -> list[Declined]:
        """Run the agent for the goals that people may have: what comes of it are its effects.

        Who asked is told what of these is not made at once.
        """
        if not choice.agent:
            return [Declined(reason=choice.reason)]
        offer = _found(offers, choice.agent)
        ended = await context.run_subprocess(
            Subprocess(
                name=offer.name,
                scope=Scope.from_agents(offer.name),
                planner=offer.planner,
                goals=offer.goal_names,
            )
        )
        if ended.status is Status.FAILED:
            raise AgentFailed(offer.name, ended.head.failure or "it does not say why")
        if ended.status is not Status.COMPLETED:
            return [Declined(reason=f"the agent {offer.name} could not do it ({ended.status})")]
        return [Declined(reason=reason) for reason in _not_made(ended.effects)]


def request_package(cutoff: float = CUTOFF) -> Package:
    """The desk, as it is installed where there is a model to ask."""
    return Package(name=REQUESTS, components=(RequestDesk(cutoff),), distribution="webhook-reactor")


def may_be_asked(platform: Platform) -> bool:
    """Whether the desk has a place there: agents to offer, and no other `/ask`."""
    taken = any(kind.name == FreeRequest.name for kind in platform.commands)
    return not taken and bool(platform.offers.exported)


def _not_made(effects: Iterable[EffectRecord]) -> Iterator[str]:
    """By kind alone: what a model would have said there, nobody has let through."""
    for record in effects:
        if record.state == "refused":
            yield f"{record.effect.kind}: {record.reason}"
        elif (record.state, record.mode) == ("intended", "approve"):
            yield f"{record.effect.kind}: waits for approval"


def _last_step(board: Blackboard) -> FreeRequest | Choice | None:
    for entry in board.newest_first():
        if isinstance(entry.value, FreeRequest | Choice):
            return entry.value
    return None


def _found(offers: Offers, name: str) -> AgentOffer:
    for offer in offers.exported:
        if offer.name == name:
            return offer
    raise AgentGone(name)


def _trust(asker: Asker) -> Trust:
    """By what they may do there, as the host says."""
    if asker.role >= Role.WRITE:
        return Trust.MAINTAINER
    return Trust.CONTRIBUTOR if asker.role >= Role.TRIAGE else Trust.ANYONE
