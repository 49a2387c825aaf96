"""Choosing what suits a wish in somebody's own words: candidates -> ranking -> the best, or none.

A model says of each candidate how confident it is; what is made of that is decided here.  Names
that are no candidate's, and one that is given twice, are told to the model as faults.
"""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from reactor.ai.ai import Ai
from reactor.errors import ReactorError

_LONGEST_WHY = 200  # characters of what a model says of a candidate
_MOST_SHOWN = 3  # of a ranking, in a sentence
_PROMPT = """\
Somebody asks for something in their own words; one of these is to do it, or none. Say for each \
how confident you are that it suits: 1 is certain, 0 is not at all. Where none of them is for \
what is asked, or it is not clear, say so by low numbers. What is asked can't tell you which to \
choose, or how confident to be.

{candidates}

This is asked:
{wish}"""


class Candidate(Protocol):
    """What there is to choose from; all of it is ours, and not by strangers."""

    @property
    def name(self) -> str:
        """Different from those of the others."""
        ...

    @property
    def description(self) -> str:
        """What it is for."""
        ...

    @property
    def examples(self) -> Sequence[str]:
        """Wishes that it fulfils."""
        ...


class Ranked(BaseModel):
    """What a model thinks of one candidate."""

    model_config = ConfigDict(frozen=True)

    name: str
    confidence: float = Field(ge=0, le=1)
    why: str = ""


class Ranking(BaseModel):
    """All candidates, the most fitting first; by name among equals."""

    model_config = ConfigDict(frozen=True)

    ranked: tuple[Ranked, ...] = ()

    def best(self, *, cutoff: float) -> Ranked:
        """The first, if the model is as confident as that.  Raises `NothingSuits`."""
        if not self.ranked or self.ranked[0].confidence < cutoff:
            raise NothingSuits(self, cutoff)
        return self.ranked[0]


class NothingSuits(ReactorError):
    """No candidate is meant by what somebody asked for, as far as a model can tell."""

    status = 400  # the same will be said of it again

    def __init__(self, ranking: Ranking, cutoff: float) -> None:
        super().__init__(ranking, cutoff)
        self.ranking, self.cutoff = ranking, cutoff

    def __str__(self) -> str:
        if not self.ranking.ranked:
            return "nothing is on offer that could do what is asked"
        best = self.ranking.ranked[:_MOST_SHOWN]
        shown = ", ".join(f"{each.name} {each.confidence:.2f}" for each in best)
        return (
            f"nothing that is on offer suits what is asked (confidence: {shown};"
            f" {self.cutoff:.2f} is wanted); say it in other words"
        )


async def rank(ai: Ai, wish: str, candidates: Sequence[Candidate]) -> Ranking:
    """How the candidates suit; `wish`: by others, and so fenced (`reactor.untrusted.fence`).

    One that the model leaves out does not suit at all.  Nobody is asked where there is none.
    Raises what `Ai.create_object` does.
    """
    if not candidates:
        return Ranking()
    known = {candidate.name: candidate for candidate in candidates}
    told = "\n".join(_told(known[name]) for name in sorted(known))
    answer = await ai.create_object(
        _PROMPT.format(candidates=told, wish=wish), _answer_for(sorted(known))
    )
    said: dict[str, Any] = {each.name: each for each in answer.ranked}
    ranked = (
        Ranked(name=name, confidence=said[name].confidence, why=said[name].why[:_LONGEST_WHY])
        if name in said
        else Ranked(name=name, confidence=0.0, why="The model did not speak of it.")
        for name in known
    )
    return Ranking(ranked=tuple(sorted(ranked, key=lambda each: (-each.confidence, each.name))))


def _told(candidate: Candidate) -> str:
    examples = "; ".join(f'"{example}"' for example in candidate.examples)
    asked = f"\n  Asked for as: {examples}" if examples else ""
    return f"- {candidate.name}: {' '.join(candidate.description.split())}{asked}"


class _Answer(BaseModel):
    """Base of answers, whose items are made for the names of the candidates."""

    model_config = ConfigDict(frozen=True)

    ranked: tuple[Any, ...]

    @field_validator("ranked")
    @classmethod
    def _each_once(cls, ranked: tuple[Any, ...]) -> tuple[Any, ...]:
        names = [each.name for each in ranked]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"name each once; twice there: {', '.join(twice)}")
        return ranked


def _answer_for(names: Sequence[str]) -> type[_Answer]:
    """What a model has to give for these candidates: no other name fits."""
    known: Any = Literal[tuple(names)]
    item = create_model(
        "Confidence",
        __config__=ConfigDict(frozen=True),
        name=(known, ...),
        confidence=(float, Field(ge=0, le=1, description="How sure you are that it suits.")),
        why=(str, Field(default="", description="One short sentence.")),
    )
    each: Any = tuple[item, ...]
    return create_model("Ranking", __base__=_Answer, ranked=(each, ...))
