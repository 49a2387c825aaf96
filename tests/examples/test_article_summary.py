"""An article is summed up: two readings of it are independent, and run together if one likes.

raw article -> content -> {key points, conclusions} -> draft -> checked summary.  Planning calls
the model three times, once for each step that needs it, and nothing decides by asking a model
what to do next.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from reactor import (
    AgentInvocation,
    MaxUsage,
    Package,
    Platform,
    Process,
    ProcessOptions,
    Status,
    achieves_goal,
    action,
    agent,
)
from reactor.context import ActionContext


@dataclass(frozen=True)
class RawArticle:
    html: str


@dataclass(frozen=True)
class Content:
    text: str


@dataclass(frozen=True)
class KeyPoints:
    points: tuple[str, ...]


@dataclass(frozen=True)
class Conclusions:
    text: str


@dataclass(frozen=True)
class Draft:
    text: str


@dataclass(frozen=True)
class Summary:
    text: str


class Model(Protocol):
    async def answer(self, prompt: str) -> str:
        """What a language model answers."""
        ...


@agent("Sums up articles.")
class SummaryAgent:
    def __init__(self, model: Model) -> None:
        self._model = model

    @action(cost=0.05)
    def extract_content(self, article: RawArticle) -> Content:
        return Content(article.html.removeprefix("<p>"))

    @action(cost=0.2, read_only=True)
    async def identify_key_points(self, content: Content, ctx: ActionContext) -> KeyPoints:
        ctx.add_usage("tokens", 1500)
        return KeyPoints(((await self._model.answer(f"key points: {content.text}")),))

    @action(cost=0.2, read_only=True)
    async def identify_conclusions(self, content: Content, ctx: ActionContext) -> Conclusions:
        ctx.add_usage("tokens", 1500)
        return Conclusions(await self._model.answer(f"conclusions: {content.text}"))

    @action(cost=0.2)
    async def draft(self, points: KeyPoints, conclusions: Conclusions, ctx: ActionContext) -> Draft:
        ctx.add_usage("tokens", 1500)
        return Draft(await self._model.answer(f"draft: {points.points[0]}; {conclusions.text}"))

    @achieves_goal("There is a summary that is fit to print.")
    @action(cost=0.05)
    def validate(self, draft: Draft, content: Content) -> Summary | None:
        """Short enough, and not empty; otherwise nothing came of it."""
        is_fit = 0 < len(draft.text) <= 80
        return Summary(draft.text) if is_fit else None


@dataclass
class Calls:
    """A model that repeats what it is asked, and remembers it."""

    prompts: list[str] = field(default_factory=list)

    async def answer(self, prompt: str) -> str:
        self.prompts.append(prompt.partition(":")[0])
        return prompt.partition(": ")[2]


class BothAtOnce(Calls):
    """A model that answers the two readings only once both have been asked."""

    def __init__(self) -> None:
        super().__init__()
        self._both = asyncio.Barrier(2)

    async def answer(self, prompt: str) -> str:
        answer = await super().answer(prompt)
        if not prompt.startswith("draft"):
            await self._both.wait()
        return answer


async def run(model: Model, text: str = "Ice melts.", **options: object) -> Process:
    package = Package(name="summary", components=(SummaryAgent,))
    platform = Platform(packages=[package], services={Model: model})
    invocation = AgentInvocation.on(platform).returning(Summary)
    configured = ProcessOptions(**options)  # type: ignore[arg-type]  # as the test gives them
    return await invocation.with_process_options(configured).run_async(RawArticle(f"<p>{text}"))


def steps(process: Process) -> list[str]:
    return [run.action.removeprefix("summary.") for run in process.history]


async def test_one_after_the_other_it_takes_five_actions_and_three_calls() -> None:
    model = Calls()

    process = await run(model)

    assert sorted(steps(process)[1:3]) == ["identify_conclusions", "identify_key_points"]
    assert steps(process)[0] == "extract_content"
    assert steps(process)[3:] == ["draft", "validate"]
    assert len(model.prompts) == 3
    assert process.status is Status.COMPLETED
    assert process.head.usage == {"tokens": 4500}


async def test_the_two_readings_run_together() -> None:
    process = await run(BothAtOnce(), concurrent=True)

    assert process.status is Status.COMPLETED
    assert process.board.last(Summary) == Summary("Ice melts.; Ice melts.")


async def test_together_or_not_the_result_is_the_same() -> None:
    alone, together = await run(Calls()), await run(Calls(), concurrent=True)

    assert sorted(steps(alone)) == sorted(steps(together))
    assert alone.board.last(Summary) == together.board.last(Summary)


async def test_a_draft_that_is_too_long_gives_no_summary() -> None:
    process = await run(Calls(), "x" * 100)

    assert process.history[-1].outcome == "nothing"
    assert process.status is Status.STUCK


async def test_a_budget_of_tokens_ends_it_early() -> None:
    process = await run(Calls(), policies=(MaxUsage("tokens", 3000),))

    assert process.status is Status.TERMINATED
    assert "draft" not in steps(process)
