"""The action that asks the model: it puts a round onto the blackboard, and runs nothing itself.

An action as any other, so that it is retried, journalled, paid for and told of as those are.  It
counts as one that can't be repeated: what it answers is kept before anything follows from it.
"""

from collections.abc import Mapping

from reactor.ai import Ai
from reactor.ai.exchange import Reply
from reactor.ai.output import Unreadable
from reactor.blackboard import DEFAULT_NAME
from reactor.context import ActionContext
from reactor.installed import Action, Component, Worth
from reactor.marks import ActionMark, ComponentMark, RetryPolicy
from reactor.package import Package
from reactor.plan import Truth
from reactor.result import One
from reactor.rounds import PICK, PickedCall, SupervisorRound
from reactor.signature import Signature
from reactor.supervisor.prompt import Offer, write_prompt
from reactor.supervisor.tools import ActionTool, BadArguments
from reactor.untrusted import clean

ROLE = "supervisor"  # that the settings may give to a model (`llm.roles`)
_TIMEOUT_S = 600.0  # several calls, of which each has a time-out of its own
_SAID_LIMIT = 1_000
_DECLINED_LIMIT = 300


def asking_action(llm: str) -> Action:
    """The action; `llm`: the condition that there is a model to ask."""
    asker = ModelAsker()
    return Action(
        name=PICK,
        component=Component(
            mark=ComponentMark(name="supervisor", uses_llm=True),
            package=Package(name="reactor", components=()),
            instance=asker,
            settings=None,
        ),
        mark=ActionMark(
            can_rerun=True,
            idempotent=False,
            retry=RetryPolicy(attempts=1),  # asking has an own cap on its calls
            output="supervisor_round",
            timeout_s=_TIMEOUT_S,
            description="Ask a model what to run next.",
        ),
        signature=Signature(
            injected={"ai": Ai, "context": ActionContext},
            result=One(SupervisorRound),
            is_async=True,
        ),
        call=asker.pick,
        cost=Worth(amount=0.0),
        value=Worth(amount=0.0),
        pre={llm: Truth.TRUE},
    )


class ModelAsker:
    """Asks, and reads what is picked."""

    async def pick(self, offer: Offer, ai: Ai, context: ActionContext) -> SupervisorRound:
        """A round of at least one call.  Raises what asking for an object does."""
        tools = tuple(tool.schema for tool in offer.tools)
        reading = _Reading(offer)
        picked = await ai.with_role(ROLE).pick(write_prompt(offer), tools, reading.read)
        for tool, values in picked.values():
            named = {taken.parameter: taken.named for taken in tool.asked}
            for parameter, value in values.items():
                name = parameter if named[parameter] else DEFAULT_NAME
                entry = context.board.bind(name, value, producer=PICK)
                context.board.hide(entry)
        calls = (PickedCall(name, tuple(values)) for name, (_, values) in picked.items())
        return SupervisorRound(
            number=offer.number,
            calls=tuple(calls),
            said=reading.said,
            declined=tuple(reading.declined),
        )


class _Reading:
    """Reads the replies to one question; what it keeps is of the last one."""

    def __init__(self, offer: Offer) -> None:
        self._tools = {tool.name: tool for tool in offer.tools}
        self._tools |= {tool.action.name: tool for tool in offer.tools}
        self.said = ""
        self.declined: list[str] = []

    def read(self, reply: Reply) -> Mapping[str, tuple[ActionTool, Mapping[str, object]]]:
        """By action, its tool and what was supplied, in order.  Raises `Unreadable`."""
        self.said, self.declined = clean(reply.text)[:_SAID_LIMIT], []
        picked: dict[str, tuple[ActionTool, Mapping[str, object]]] = {}
        for call in reply.calls:
            tool = self._tools.get(call.name)
            if tool is None:
                self._decline(call.name, "there is no such tool")
            elif tool.action.name in picked:
                self._decline(call.name, "it was called twice; a tool is called once in a reply")
            else:
                try:
                    picked[tool.action.name] = tool, tool.read(call.arguments)
                except BadArguments as error:
                    self._decline(call.name, f"its arguments are wrong: {error}")
        if not picked:
            known = ", ".join(tool for tool in self._tools if "." not in tool)
            raise Unreadable("\n".join((*self.declined, f"The tools are: {known}")))
        return picked

    def _decline(self, name: str, why: str) -> None:
        self.declined.append(clean(f"{name}: {why}")[:_DECLINED_LIMIT])
