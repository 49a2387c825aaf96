"""One task for several ways to decide: an article is summed up in five steps, three ask a model.

    article -> extract -> {key points, conclusions} -> draft -> validate

The steps are functions, the same for every way.  `SummaryAgent` has them as actions, `Toolbox` as
tools for a conversation; it keeps what each gives, so that no model has to repeat it.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from reactor import achieves_goal, action, agent
from reactor.ai import Ai, fence

F = TypeVar("F", bound="Fact")

ARTICLE = Path(__file__).resolve().parents[1] / "LICENSE"  # prose that stays as it is
TASK = (
    "Sum up the article LICENSE: extract its content, identify its key points and its conclusions,"
    " write a draft from these, and validate the draft. Answer with the validated summary."
)
LONGEST_SUMMARY = 600  # characters


class Fact(BaseModel):
    """What is known at some step."""

    model_config = ConfigDict(frozen=True)


class Article(Fact):
    """Where it is, not what it says."""

    name: str


class Content(Fact):
    """Its text."""

    text: str


class KeyPoints(Fact):
    """What it says, in short."""

    points: tuple[str, ...]


class Conclusions(Fact):
    """What follows from it."""

    text: str


class Draft(Fact):
    """A summary that nobody has looked at."""

    text: str


class Summary(Fact):
    """A summary that is fit to print."""

    text: str


def extracted(article: Article) -> Content:
    """By code: whitespace is none of its content."""
    text = ARTICLE.read_text(encoding="utf-8") if article.name == ARTICLE.name else ""
    return Content(text=" ".join(text.split()))


async def key_points(content: Content, ai: Ai) -> KeyPoints:
    """By a model."""
    prompt = f"Identify the key points.\n{fence(content.text, source='article')}"
    return await ai.create_object(prompt, KeyPoints)


async def conclusions(content: Content, ai: Ai) -> Conclusions:
    """By a model."""
    prompt = f"Identify the conclusions.\n{fence(content.text, source='article')}"
    return await ai.create_object(prompt, Conclusions)


async def drafted(points: KeyPoints, conclusions: Conclusions, ai: Ai) -> Draft:
    """By a model."""
    said = fence("\n".join((*points.points, conclusions.text)), source="what was identified")
    return await ai.create_object(f"Write a draft of a summary.\n{said}", Draft)


def validated(draft: Draft) -> Summary | None:
    """By code."""
    return Summary(text=draft.text) if 0 < len(draft.text) <= LONGEST_SUMMARY else None


@agent("Sums up articles.", name="summary")
class SummaryAgent:
    """The steps as actions."""

    @action(cost=0.05)
    def extract_content(self, article: Article) -> Content:
        """Extract the content of the article."""
        return extracted(article)

    @action(cost=0.2, read_only=True)
    async def identify_key_points(self, content: Content, ai: Ai) -> KeyPoints:
        """Identify the key points of the content."""
        return await key_points(content, ai)

    @action(cost=0.2, read_only=True)
    async def identify_conclusions(self, content: Content, ai: Ai) -> Conclusions:
        """Identify the conclusions of the content."""
        return await conclusions(content, ai)

    @action(cost=0.2)
    async def draft(self, points: KeyPoints, conclusions: Conclusions, ai: Ai) -> Draft:
        """Write a draft from key points and conclusions."""
        return await drafted(points, conclusions, ai)

    @achieves_goal("There is a summary that is fit to print.")
    @action(cost=0.05)
    def validate(self, draft: Draft) -> Summary | None:
        """Validate the draft."""
        return validated(draft)


class OutOfOrder(Exception):
    """A tool was called before what it takes is there; the message tells the model."""


class Toolbox:
    """The steps as tools without arguments; each gives as JSON what came of it."""

    def __init__(self, ai: Ai) -> None:
        self._ai = ai
        self._known: list[Fact] = [Article(name=ARTICLE.name)]

    @property
    def summary(self) -> Summary | None:
        """What there is of it."""
        return next((fact for fact in self._known if isinstance(fact, Summary)), None)

    @property
    def tools(self) -> Mapping[str, Callable[[], Awaitable[str]]]:
        """By name, in the order of the work."""
        steps = (
            self.extract_content,
            self.identify_key_points,
            self.identify_conclusions,
            self.draft,
            self.validate,
        )
        return {step.__name__: step for step in steps}

    async def extract_content(self) -> str:
        """Extract the content of the article."""
        return self._keep(extracted(self._last(Article)))

    async def identify_key_points(self) -> str:
        """Identify the key points of the content."""
        return self._keep(await key_points(self._last(Content), self._ai))

    async def identify_conclusions(self) -> str:
        """Identify the conclusions of the content."""
        return self._keep(await conclusions(self._last(Content), self._ai))

    async def draft(self) -> str:
        """Write a draft from key points and conclusions."""
        points, concluded = self._last(KeyPoints), self._last(Conclusions)
        return self._keep(await drafted(points, concluded, self._ai))

    async def validate(self) -> str:
        """Validate the draft."""
        summary = validated(self._last(Draft))
        return self._keep(summary) if summary else "It is empty, or too long."

    def _keep(self, fact: Fact) -> str:
        self._known.append(fact)
        return fact.model_dump_json()

    def _last(self, kind: type[F]) -> F:
        """Raises `OutOfOrder`."""
        found = next((fact for fact in reversed(self._known) if isinstance(fact, kind)), None)
        if found is None:
            raise OutOfOrder(f"there is no {kind.__name__} yet")
        return found
