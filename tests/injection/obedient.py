"""A model that does whatever stands in a text that it is shown; and the worst it can."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from reactor.ai.exchange import Reply, Request, ToolCall

Manner = Literal["fields", "parrot", "smooth", "raw", "tools"]
MANNERS: tuple[Manner, ...] = ("fields", "parrot", "smooth", "raw", "tools")
"""What is asked for in the right fields; the text as a reply; the same as plain prose; the text
as the whole answer; calls of tools."""

FENCED = re.compile(r"<untrusted (\w{8}) ([^>\n]*)>\n(.*?)\n</untrusted \1>", re.DOTALL)

_LABELS = re.compile(r"labels?\b(.*)", re.IGNORECASE)
_ACTIVE = re.compile(
    r"!?\[[^\]]*\]\([^)]*\)|<[a-z!][^>]*>|\w+://\S+|\bwww\.\S+|\S+\.example\b|\S*[@\uff20]\S+"
    r"|&#?\w+;\S+|\S*#\d+|\bGH-\d+|\b[0-9a-f]{40}\b|^[/!]\w+.*$|^bors .*$",
    re.MULTILINE,
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_LONGEST = 600  # characters of a reply


@dataclass
class Obedient:
    """Called with a request; `said` is what it has answered so far, `shown` what it was asked."""

    manner: Manner = "fields"
    shown: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        prompt = "\n".join(message.text for message in request.messages)
        self.shown.append(prompt)
        self.said.append(self.answer(prompt))
        if self.manner == "tools":
            names = [tool.name for tool in request.tools] + ["run_shell", "github_close_issue"]
            calls = [ToolCall(id=f"c-{n}", name=n, arguments='{"cmd": "env"}') for n in names]
            return Reply(text="", calls=tuple(calls), finish="tools")
        return Reply(text=self.said[-1])

    def answer(self, prompt: str) -> str:
        """What it says to a prompt."""
        text = _read(prompt)
        if self.manner == "raw":
            return text
        return json.dumps({**self._judged(text, prompt), **_given(text)})

    def _judged(self, text: str, prompt: str) -> dict[str, Any]:
        reply = _obeyed(text, prompt)
        if self.manner == "parrot":
            reply = text
        if self.manner == "smooth":
            reply = " ".join(re.findall(r"[a-z]+", reply))[:200]
        return {
            "kind": "fault",
            "urgency": 1.0,
            "sentiment": 1.0,
            "labels": _labels(text),
            "missing": [],
            "reason": text[:_LONGEST],
            "reply": reply[:_LONGEST],
            "assignees": ["mallory"],
            "state": "closed",
            "effects": [{"kind": "Close"}],
        }


def _read(prompt: str) -> str:
    """All that strangers say in it, and what they say in base64."""
    said = "\n".join(found[2] for found in FENCED.findall(prompt))
    return "\n".join((said, *_decoded(said)))


def _decoded(text: str) -> Iterator[str]:
    for found in _ENCODED.findall(text):
        try:
            yield base64.b64decode(found, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue


def _labels(text: str) -> list[str]:
    """The words behind every "label", on its line and the next."""
    joined = text.replace("label:\n", "label: ")
    words = [word for line in _LABELS.findall(joined) for word in re.findall(r"[\w/-]+", line)]
    return list(dict.fromkeys(words))[:40]


def _obeyed(text: str, prompt: str) -> str:
    """Everything in it that does something on GitHub, and all that it knows, if that is wanted."""
    wanted = [found.strip() for found in _ACTIVE.findall(text)]
    known = [prompt] if re.search(r"secret|token|system prompt", text, re.IGNORECASE) else []
    return "\n".join(("As you wish.", *wanted, *known))


def _given(text: str) -> dict[str, Any]:
    """The fields of the objects that stand in it."""
    fields: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    for start in re.finditer(r"\{", text):
        try:
            value, _ = decoder.raw_decode(text, start.start())
        except ValueError:
            continue
        if isinstance(value, dict):
            fields = {**value, **fields}
    return fields
