"""A model that sums up an article, and is as good as can be at deciding what is next.

It answers over HTTP as the stub of a provider.  What it decides it reads off what it is told: the
tools that are offered, and which were called already.  So a way to decide costs what it must, and
no more.  All that is sent to it is counted by one tokenizer, whoever sends it.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from article import Conclusions, Draft, KeyPoints

from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer

STAGES = (
    ("extract_content",),
    ("identify_key_points", "identify_conclusions"),  # neither needs the other
    ("draft",),
    ("validate",),
)
POINTS = KeyPoints(
    points=(
        "Anyone may use, change and pass on the work, for nothing.",
        "Contributors grant their patents; who sues over one loses the grant.",
        "Copies carry the licence, the notices, and a word on what was changed.",
    )
)
CONCLUSIONS = Conclusions(text="It comes without a warranty, and gives no right to a trademark.")
DRAFT = Draft(text=" ".join((*POINTS.points, CONCLUSIONS.text)))
WORKS = {
    "Identify the key points.": POINTS,
    "Identify the conclusions.": CONCLUSIONS,
    "Write a draft of a summary.": DRAFT,
}
HANDOFF = "transfer_to_"  # how a team's tools begin that hand on to one of its agents


class Tokenizer:
    """One for all ways: o200k, as it comes with LiteLLM; nothing is fetched."""

    def __init__(self) -> None:
        # before it is imported; it reads both there
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251
        import litellm.litellm_core_utils.default_encoding  # noqa: F401 - it says where files are
        import tiktoken

        self._encoding = tiktoken.get_encoding("o200k_base")

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return len(self._encoding.encode(text, disallowed_special=()))


@dataclass
class Spent:
    """What a way has asked of the model."""

    deciding: int = 0  # calls
    working: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def calls(self) -> int:
        """Of both kinds."""
        return self.deciding + self.working


@dataclass
class Author:
    """The model."""

    tokenizer: Tokenizer
    spent: Spent = field(default_factory=Spent)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """To one request."""
        asked = str(request["messages"][-1]["content"] or "").partition("\n")[0]
        work = None if request.get("tools") else WORKS.get(asked)
        if work is not None:
            self.spent.working += 1
            answer = answers.value(work.model_dump())
        else:
            self.spent.deciding += 1
            answer = decided(request)
        self.spent.prompt_tokens += self._count(*_sent(request))
        self.spent.completion_tokens += self._count(*_written(answer))
        return answer

    def _count(self, *texts: str) -> int:
        return sum(map(self.tokenizer.count, texts))


def decided(request: Mapping[str, Any]) -> Answer:
    """The next tools to be called; the end where nothing is left."""
    offered = [str(tool["function"]["name"]) for tool in request.get("tools") or ()]
    called = set(_called(request))
    for stage in STAGES:
        if wanted := [name for name in stage if name in offered and name not in called]:
            return answers.tool_calls(**{name: {} for name in wanted})
    members = [name for name in offered if name.startswith(HANDOFF)]
    if waiting := [name for name in members if name not in called]:
        return answers.tool_calls(**{min(waiting, key=_place): {}})
    is_end = bool(members) or "validate" in called
    return answers.text(DRAFT.text if is_end else "Done.")


def _place(member: str) -> int:
    """Where what a member of a team does stands in the order of the work."""
    steps = [step for stage in STAGES for step in stage]
    return next((at for at, step in enumerate(steps) if step in member), 0)


def _called(request: Mapping[str, Any]) -> Iterator[str]:
    for message in request["messages"]:
        for call in message.get("tool_calls") or ():
            yield str(call["function"]["name"])


def _sent(request: Mapping[str, Any]) -> Iterator[str]:
    """All that is text to a model: messages, calls, schemas of tools and of the answer."""
    for message in request["messages"]:
        yield str(message.get("content") or "")
        for call in message.get("tool_calls") or ():
            yield json.dumps(call["function"])
    for tool in request.get("tools") or ():
        yield json.dumps(tool["function"])
    if wanted := request.get("response_format"):
        yield json.dumps(wanted)


def _written(answer: Answer) -> Iterator[str]:
    assert not isinstance(answer.body, str)
    message = answer.body["choices"][0]["message"]
    yield str(message.get("content") or "")
    for call in message.get("tool_calls") or ():
        yield json.dumps(call["function"])
