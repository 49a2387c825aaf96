"""One thing that a lint has found, and where it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
_ORDER: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A line of a source file."""

    file: str
    line: int  # the first is 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong, or probably not meant so."""

    severity: Severity
    rule: str  # a constant word: "fault", "unproducible", "unreachable", "tie", "blocking"
    package: str  # name; "" for what is nobody's
    where: str  # "triage.escalate"; begins the sentence
    problem: str  # ends it, with what to do
    spot: Spot | None = None

    def __str__(self) -> str:
        place = f"{self.spot}: " if self.spot else ""
        package = f"{self.package}: " if self.package else ""
        return f"{place}{self.severity} [{self.rule}] {package}{self.where} {self.problem}"


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first, then by place and name; each once."""
    return sorted(
        dict.fromkeys(findings),
        key=lambda each: (
            _ORDER.index(each.severity),
            each.spot or Spot("", 0),
            each.package,
            each.where,
            each.problem,
        ),
    )
