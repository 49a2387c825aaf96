"""Judging a text by rules: how urgent, in what mood, under which labels, how complete.

Pure: a title and a body in, a `Judgement` out.  The text is data and nothing else: whatever it
asks for, only labels of the configured list come out, and numbers between 0 and 1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from reactor_triage.lexicon import (
    CALM,
    DISPLEASED,
    FAULTS,
    PLEASED,
    UNTELLING_TITLES,
    URGENT,
    WISHES,
    Signal,
)
from reactor_triage.phrases import Phrases, has_code, prose, visible

TITLE_POINTS = 2  # a phrase in the title speaks as loud as two in the body
ENOUGH_POINTS = 2  # from which a label is chosen

# What is asked for, in words that fit "please add ..."
NO_DESCRIPTION = "a description of what happens, or of what you wish for"
NO_REASON = "what you need it for"
STEPS = "the steps that lead to it"
EXPECTATION = "what you expected, and what happened instead"
VERSION = "the version and the system you use"

# Sought in lower case.
_STEPS = re.compile(r"\bsteps|reproduc|^[ \t]*1[.)]\s|\bwhen i\b|\bif i\b", re.MULTILINE)
_EXPECTED = re.compile(r"expect|\bshould\b|instead|actual|\bbut (?:it|i)\b")
_VERSION = re.compile(
    r"\bv?\d+\.\d+|\bversion\b|\b(?:ubuntu|debian|fedora|macos|windows|linux|android|ios|docker"
    r"|chrome|firefox|safari|python|node|java)\b"
)
_EVIDENCE = re.compile(r"traceback|exception|stack ?trace|!\[|<img|error:")
_REASON = re.compile(r"because|so that|use case|would|in order to|i want|i need|we need|currently")

TITLE = 0.15  # shares of the quality of a report: they add up to 1
DESCRIPTION = 0.2
FAULT: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    (STEPS, 0.25, _STEPS),
    (EXPECTATION, 0.15, _EXPECTED),
    (VERSION, 0.15, _VERSION),
)
EVIDENCE = 0.1  # code, a log or a picture: welcome, but not asked for
WISH_TITLE, WISH_DESCRIPTION, WISH_REASON = 0.3, 0.5, 0.2  # the same for wishes and questions
FULL_DESCRIPTION = 120  # characters from which a description counts fully
SHOUTED_FROM = 20  # letters: fewer capitals may be a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the rules make of a text."""

    urgency: float  # 0 to 1
    sentiment: float  # 0 hostile, 0.5 neutral, 1 delighted
    labels: tuple[str, ...]  # best first
    quality: float  # 0 to 1
    missing: tuple[str, ...]  # in words that fit "please add ..."
    reasons: tuple[str, ...]  # the signals that were found


class Rules:
    """The rules, with the phrases of one configuration compiled."""

    def __init__(self, labels: Mapping[str, tuple[str, ...]], *, most_labels: int = 3) -> None:
        self._labels = {name: Phrases(words) for name, words in labels.items()}
        self._most_labels = most_labels
        self._urgent = _compiled(URGENT)
        self._calm = _compiled(CALM)
        self._pleased, self._displeased = Phrases(PLEASED), Phrases(DISPLEASED)
        self._faults, self._wishes = Phrases(FAULTS), Phrases(WISHES)

    def judge(self, title: str, body: str | None) -> Judgement:
        """Judge a title and a body; a null body is an empty one."""
        title, body = visible(title), visible(body)
        own_words = prose(body)
        said = f"{title}\n{own_words}"
        urgency, reasons = self._urgency(said)
        is_wish = _points(self._wishes, title, own_words) > _points(self._faults, title, own_words)
        quality, missing = (_quality_of_wish if is_wish else _quality_of_fault)(title, body)
        return Judgement(
            urgency=urgency,
            sentiment=self._sentiment(said),
            labels=self._choose_labels(title, own_words),
            quality=quality,
            missing=missing,
            reasons=reasons,
        )

    def _urgency(self, said: str) -> tuple[float, tuple[str, ...]]:
        """Signals joined as independent chances, then lessened by what speaks against hurry."""
        calm = [signal for signal, phrases in self._calm if phrases.in_text(said)]
        for _, phrases in self._calm:
            said = phrases.cut_from(said)  # "not urgent" does not say "urgent"
        urgent = [signal for signal, phrases in self._urgent if phrases.in_text(said)]
        not_urgent = 1.0
        for signal in urgent:
            not_urgent *= 1 - signal.weight
        urgency = 1 - not_urgent
        for signal in calm:
            urgency *= signal.weight
        return round(urgency, 3), tuple(signal.name for signal in (*urgent, *calm))

    def _sentiment(self, said: str) -> float:
        pleased = len(self._pleased.in_text(said))
        displeased = len(self._displeased.in_text(said)) + _is_shouted(said)
        # two are added below so that one word alone does not make a mood
        return round(0.5 + 0.5 * (pleased - displeased) / (pleased + displeased + 2), 3)

    def _choose_labels(self, title: str, body: str) -> tuple[str, ...]:
        points = {name: _points(words, title, body) for name, words in self._labels.items()}
        chosen = [name for name in points if points[name] >= ENOUGH_POINTS]
        return tuple(sorted(chosen, key=lambda name: (-points[name], name))[: self._most_labels])


def _compiled(signals: tuple[Signal, ...]) -> tuple[tuple[Signal, Phrases], ...]:
    return tuple((signal, Phrases(signal.phrases)) for signal in signals)


def _points(words: Phrases, title: str, body: str) -> int:
    return TITLE_POINTS * len(words.in_text(title)) + len(words.in_text(body))


def _quality_of_fault(title: str, body: str) -> tuple[float, tuple[str, ...]]:
    """How complete a report of a fault is, and what to ask for."""
    text = body.lower()
    if not text.strip():
        return _tells(title) * TITLE, (NO_DESCRIPTION, *(what for what, _, _ in FAULT))
    missing = tuple(what for what, _, pattern in FAULT if not pattern.search(text))
    quality = _tells(title) * TITLE + _fullness(body) * DESCRIPTION
    quality += sum(weight for what, weight, _ in FAULT if what not in missing)
    if has_code(body) or _EVIDENCE.search(text):
        quality += EVIDENCE
    return round(quality, 3), missing


def _quality_of_wish(title: str, body: str) -> tuple[float, tuple[str, ...]]:
    """How complete a wish or a question is, and what to ask for."""
    if not body.strip():
        return _tells(title) * WISH_TITLE, (NO_DESCRIPTION,)
    has_reason = _REASON.search(body.lower()) is not None
    quality = _tells(title) * WISH_TITLE + _fullness(body) * WISH_DESCRIPTION
    return round(quality + has_reason * WISH_REASON, 3), (() if has_reason else (NO_REASON,))


def _tells(title: str) -> bool:
    """Whether a title says what it is about."""
    words = title.lower().strip(" .!?:-[]")
    return words not in UNTELLING_TITLES and len(words.split()) > 1


def _fullness(body: str) -> float:
    return min(1.0, len(body.strip()) / FULL_DESCRIPTION)


def _is_shouted(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    return "!!!" in text or (len(letters) >= SHOUTED_FROM and capitals > 0.6 * len(letters))
