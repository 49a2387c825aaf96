"""The words that the rules go by, and what each weighs.  Data only; change it here.

A phrase matches whole words, whatever their case; `crash*` matches every word that begins so,
and a space any run of white space.
"""

from collections.abc import Mapping
from dataclasses import dataclass

LABELS: Mapping[str, tuple[str, ...]] = {
    "bug": (
        "bug", "broken", "breaks", "crash*", "error", "errors", "exception", "traceback", "fails",
        "failed", "failure", "regression", "wrong", "incorrect", "does not", "doesn't",
        "do not work", "don't work", "not working", "nothing happens", "stopped working",
        "unexpected", "hangs", "freezes", "segfault*", "panic", "stack trace", "misbehav*",
        "data loss", "lost data", "wiped", "corrupt*",
    ),
    "enhancement": (
        "feature request", "feature", "enhancement", "add support", "support for", "would be nice",
        "would be great", "would be useful", "please add", "proposal", "suggestion",
        "wish", "ability to", "option to",
    ),
    "question": (
        "how do i", "how can i", "how to", "is it possible", "what is the", "where can i",
        "question", "why does", "can someone explain", "any way to",
    ),
    "documentation": (
        "documentation", "docs", "readme", "typo", "docstring", "tutorial", "changelog",
        "broken link", "spelling", "example is wrong",
    ),
    "security": (
        "vulnerability", "vulnerabilities", "cve-*", "exploit*", "xss", "csrf", "rce",
        "sql injection", "remote code execution", "privilege escalation", "security hole",
        "security issue", "security bug", "leaks credentials", "leaked token", "auth bypass",
    ),
    "performance": (
        "slow", "slower", "performance", "perf", "memory leak", "out of memory", "oom",
        "high cpu", "latency", "takes forever", "timeout", "timeouts",
    ),
}  # fmt: skip
"""The labels that exist by default, and the words that speak for each."""

FAULTS = (*LABELS["bug"], *LABELS["security"], *LABELS["performance"])
WISHES = (*LABELS["enhancement"], *LABELS["question"], *LABELS["documentation"])
"""What tells a report of a fault from a wish or a question, whatever the labels are called."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A reason to see a text as urgent."""

    name: str  # said in the assessment
    weight: float  # 0 to 1: how urgent it makes a text by itself
    phrases: tuple[str, ...]


URGENT: tuple[Signal, ...] = (
    Signal("data loss", 0.6, (
        "data loss", "lost data", "loses data", "lost all", "deletes all", "deleted all",
        "wiped", "corrupt*",
    )),
    Signal("security", 0.6, LABELS["security"]),
    Signal("outage", 0.6, (
        "outage", "production is down", "production down", "prod is down", "prod down",
        "is down for everyone", "site is down", "service is down", "in production",
        "completely down",
    )),
    Signal("safety", 0.5, ("injur*", "fire hazard", "unsafe", "dangerous")),
    Signal("crash", 0.3, (
        "crash*", "segfault*", "panics", "kernel panic", "hangs", "freezes", "deadlock*",
        "does not start", "doesn't start", "won't start", "cannot start", "can't start",
    )),
    Signal("many affected", 0.3, (
        "everyone", "all users", "all customers", "every user", "every customer", "all our",
        "many users",
    )),
    Signal("regression", 0.2, (
        "regression", "since the update", "since upgrading", "since updating", "after upgrading",
        "after updating", "after the update", "used to work", "worked before",
    )),
    Signal("blocked", 0.3, (
        "blocker", "blocking", "blocks us", "blocked", "no workaround", "cannot log in",
        "can't log in", "cannot login", "unable to log in",
    )),
    Signal("asked for", 0.3, (
        "urgent", "urgently", "asap", "as soon as possible", "critical", "emergency",
        "immediately", "showstopper", "sev1", "sev-1", "p0",
    )),
)  # fmt: skip
"""Weights are joined as independent chances: two of 0.6 make 0.84, never more than 1."""

CALM: tuple[Signal, ...] = (
    Signal("the author does not hurry", 0.3, (
        "not urgent", "no rush", "no hurry", "low priority", "not critical", "when you have time",
        "nice to have", "not a blocker",
    )),
    Signal("a small thing", 0.5, ("typo", "cosmetic", "minor", "nitpick", "trivial", "wording")),
    Signal("a question", 0.7, LABELS["question"]),
)  # fmt: skip
"""What each leaves of the urgency found: the weight is a factor."""

PLEASED = (
    "thanks", "thank you", "great", "love", "awesome", "excellent", "nice", "appreciate*",
    "fantastic", "amazing", "helpful", "wonderful", "kudos", "good work", "great work", "happy",
)  # fmt: skip

DISPLEASED = (
    "terrible", "awful", "useless", "hate", "frustrat*", "ridiculous", "waste of", "garbage",
    "annoying", "annoyed", "unacceptable", "disappoint*", "horrible", "worst", "stupid", "joke",
    "wtf", "angry", "fed up", "sick of", "pathetic", "incompetent", "unusable",
)  # fmt: skip

UNTELLING_TITLES = frozenset({
    "bug", "issue", "problem", "help", "error", "question", "not working", "doesn't work",
    "does not work", "broken", "please help", "it doesn't work", "bug report", "crash", "test",
})  # fmt: skip
"""Titles that tell nothing."""
