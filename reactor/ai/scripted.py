"""A stand-in for models in tests: it answers what it was told to, through the real path.

ai = FakeAi(IssueAssessment(...), "a text", ModelUnavailable("fake", "down"))
await component.judge(issue, ai)
assert "brakes" in ai.prompts[0]
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic_core import to_json

from reactor.ai.ai import Ai, Defaults, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from reactor.ai.exchange import Reply, Request, ToolCall, Usage
from reactor.ai.options import Choices
from reactor.ai.prices import FREE, Price
from reactor.ai.templates import NoTemplates, Templates
from reactor.errors import ReactorError
from reactor.status import ProcessHead

FAKE = "fake"  # the name of the model; of whatever name an action asks for, it gets this one
_CHARACTERS_PER_TOKEN = 4

Scripted = object | Callable[[Request], object]
"""What is answered: a typed value, a text where one is wanted, an error to raise, a `Reply` as it
stands, or a function that gives one of these."""


class NothingScripted(ReactorError):
    """A model was asked more often than the test has answers for."""

    status = 400

    def __str__(self) -> str:
        return f"the model was asked once more than it has answers; it was asked:\n{self.args[0]}"


@dataclass
class ScriptedModels:
    """Fits the port `Models`: gives its answers one after the other."""

    answers: list[Scripted]
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        """The next answer."""
        self.requests.append(request)
        if not self.answers:
            raise NothingScripted(request.messages[-1].text)
        answer = self.answers.pop(0)
        if callable(answer) and not isinstance(answer, type):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        reply = answer if isinstance(answer, Reply) else Reply(text=_written(answer, request))
        if reply.usage != Usage():
            return reply
        usage = Usage(
            prompt_tokens=request.prompt_size // _CHARACTERS_PER_TOKEN,
            completion_tokens=len(reply.text) // _CHARACTERS_PER_TOKEN,
        )
        return Reply(text=reply.text, calls=reply.calls, finish=reply.finish, usage=usage)

    async def make_ready(self) -> None:
        """It is."""


class _AnyModel(dict[str, tuple[str, ...]]):
    """Every name is a model: a test needs no settings."""

    def __missing__(self, name: str) -> tuple[str, ...]:
        return ()

    def __contains__(self, name: object) -> bool:
        return True


class ScriptedAi(Ai):
    """An `Ai` that is told beforehand what its model answers."""

    def __init__(
        self, *answers: Scripted, templates: Templates | None = None, price: Price = FREE
    ) -> None:
        self._models = ScriptedModels(list(answers))
        super().__init__(
            Runtime(
                caller=Caller(
                    models=self._models,
                    circuits=Circuits(lambda: 0.0),
                    price_of=lambda _: price,
                    pause=_at_once,
                ),
                choices=Choices(models=_AnyModel({FAKE: ()})),
                templates=templates or NoTemplates(),
                defaults=Defaults(),
            )
        )

    @staticmethod
    def calls(*names: str, **arguments: Mapping[str, object]) -> Reply:
        """An answer that calls tools: by name alone, or with arguments by name."""
        wanted = {**{name: {} for name in names}, **arguments}
        calls = tuple(
            ToolCall(id=f"call-{number}", name=name, arguments=to_json(given).decode())
            for number, (name, given) in enumerate(wanted.items(), 1)
        )
        return Reply(calls=calls, finish="tools")

    async def why_away(self, head: ProcessHead) -> str:
        """It is there as long as it has answers: without any, rules do the work."""
        return "" if self._models.answers else "nothing is scripted"

    @property
    def requests(self) -> tuple[Request, ...]:
        """All calls, in order."""
        return tuple(self._models.requests)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The last message of each call: what the model was asked."""
        return tuple(request.messages[-1].text for request in self._models.requests)

    @property
    def left(self) -> int:
        """How many answers nobody has asked for."""
        return len(self._models.answers)


async def _at_once(_: float) -> None:
    """No test waits."""


def _written(answer: object, request: Request) -> str:
    """As a model would write it."""
    if request.answer is None:
        return answer if isinstance(answer, str) else to_json(answer).decode()
    properties = request.answer.schema.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    written = to_json(answer).decode()
    if names in (["value"], ["result"]) and not written.startswith(f'{{"{names[0]}"'):
        return f'{{"{names[0]}":{written}}}'
    return written
