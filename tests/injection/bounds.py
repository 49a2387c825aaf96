"""What may come of an issue or a pull request, whoever wrote it and whatever a model says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reactor.effect import Effect
from reactor.github import AddLabels, Assign, PostComment, neutralise_mentions

_ACTIVE = {
    "a link": r"\w://|\]\(|\bwww\.|\w\.[^\W\d_]{2,}|<\w+:",
    "a picture": r"!\[|<img",
    "markup": r"<[a-zA-Z!/]",
    "a reference": r"#\d|\bGH-\d|\b[0-9a-f]{40}\b",
    "a command": r"(?m)^\s*[/!]\w|bors r\+",
    "text that nobody sees": r"[\u200c-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e0fff]",
    "a mark of a fence": r"untrusted\s+[0-9a-f]{8}",
}


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What an operator has listed."""

    labels: frozenset[str]
    on_call: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()

    def breaches(self, effects: Sequence[Effect]) -> list[str]:
        """What of these is outside, in words; [] where nothing is."""
        found = [said for effect in effects for said in self._of(effect)]
        comments = sum(isinstance(effect, PostComment) for effect in effects)
        return found if comments <= 1 else [*found, f"{comments} comments"]

    def _of(self, effect: Effect) -> Iterator[str]:
        match effect:
            case AddLabels():
                yield from (f"label {label}" for label in effect.labels if label not in self.labels)
            case Assign():
                yield from (f"login {login}" for login in {*effect.logins} - self.on_call)
            case PostComment():
                yield from self._of_comment(effect)
            case _:
                yield f"a {effect.kind}"

    def _of_comment(self, comment: PostComment) -> Iterator[str]:
        body = comment.body
        if comment.mentions or neutralise_mentions(body) != body or "@" in body:
            yield "a mention"
        yield from (what for what, pattern in _ACTIVE.items() if re.search(pattern, body))
        yield from ("a secret" for secret in self.secrets if secret in body)
