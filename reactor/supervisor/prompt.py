"""What the model is told in a round: the goal, the types, what is known, what was done.

Pure.  Whatever comes from the blackboard is fenced, and all of it is cut to a budget.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import PydanticUserError, TypeAdapter
from pydantic_core import to_json

from reactor.blackboard import DEFAULT_NAME, Entry
from reactor.preview import preview
from reactor.result import facts_of
from reactor.status import Run
from reactor.supervisor.tools import ActionTool
from reactor.untrusted import fence

FACTS_LIMIT = 16_000  # characters of all facts, the newest first
FACT_LIMIT = 4_000  # of one
_TYPES_LIMIT, _TYPE_LIMIT = 8_000, 2_000
_ERROR_LIMIT = 500
_MOST_RUNS = 20
_MOST_WITHHELD = 20

_PROMPT = """\
You steer a piece of work towards its goal by calling tools; round {number}.

The goal: {goal}
It is reached once there is {wanted}, which only a tool can bring. Call what brings the work \
nearer to it, and nothing that it does not need. What a tool takes from what is known is filled \
in for you. Call several at once only where none needs what another brings, and each at most once.

Types:
{types}

What is known:
{facts}

What was done:
{done}

What can't be called now:
{withheld}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a model is to choose from, and what it should know for that."""

    number: int  # of the round
    goal: str  # in words
    wanted: tuple[type, ...]  # what reaches it
    tools: tuple[ActionTool, ...]  # those that are ready first
    withheld: tuple[tuple[str, str], ...]  # other tools, and why
    facts: tuple[Entry, ...]  # in sight, oldest first
    runs: tuple[Run, ...]  # oldest first
    dropped: tuple[str, ...] = ()  # calls of the last round that were not made, and why


def write_prompt(offer: Offer) -> str:
    """The text of a round."""
    return _PROMPT.format(
        number=offer.number,
        goal=offer.goal,
        wanted=" or ".join(f"a {kind.__name__}" for kind in offer.wanted) or "what it says",
        types="\n".join(_types(offer)) or "(none)",
        facts="\n".join(_facts(offer.facts)) or "(nothing)",
        done="\n".join(_done(offer)) or "(nothing)",
        withheld="\n".join(_withheld(offer.withheld)) or "(nothing)",
    )


def _types(offer: Offer) -> Iterator[str]:
    brought = (k for tool in offer.tools for k in facts_of(tool.action.signature.result))
    left = _TYPES_LIMIT
    for kind in dict.fromkeys((*offer.wanted, *brought)):
        line = f"- {kind.__name__}: {_schema(kind)}"
        left -= len(line)
        yield line if left > 0 else f"- {kind.__name__}"


def _schema(kind: type) -> str:
    try:
        text = json.dumps(TypeAdapter(kind).json_schema(), ensure_ascii=False)
    except PydanticUserError:  # it has no schema, as a class of its own making
        return "(no schema)"
    return text if len(text) <= _TYPE_LIMIT else "(too long to show)"


def _facts(entries: Sequence[Entry]) -> Iterable[str]:
    """The newest as far as the budget goes, oldest first."""
    left, shown = FACTS_LIMIT, list[str]()
    for entry in reversed(entries):
        if left <= 0:
            shown.append(f"({len(entries) - len(shown)} older ones are left out)")
            break
        kind = type(entry.value).__name__
        source = kind if entry.name == DEFAULT_NAME else f"{entry.name}: {kind}"
        text = _written(entry.value)
        shown.append(fence(text, source=source, limit=min(FACT_LIMIT, left)))
        left -= len(text)
    return reversed(shown)


def _written(value: object) -> str:
    try:
        return to_json(value, fallback=str).decode("utf-8", "replace")
    except ValueError:  # bytes that are no text, or what refers to itself
        return str(preview(value))


def _done(offer: Offer) -> Iterator[str]:
    for run in offer.runs[-_MOST_RUNS:]:
        yield f"- {run.action}: {run.outcome}"
        if run.error:
            yield fence(run.error, source=f"error of {run.action}", limit=_ERROR_LIMIT)
    if offer.dropped:
        text = "\n".join(offer.dropped)
        yield "Of your last calls these were not made:"
        yield fence(text, source="calls not made", limit=_ERROR_LIMIT * 4)


def _withheld(withheld: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, why in withheld[:_MOST_WITHHELD]:
        yield f"- {name}: {why}"
