"""Lint for component packages: what works as far as it goes, and is probably not meant so.

    reach      actions and goals that nothing can ever bring about
    ties       actions of equal worth, between which the name decides
    deprecated actions that are about to go
    event      events that a component is for, misspelt
    blocking   calls that would hold up everything else that a worker does

What is wrong outright is a fault, found when packages are registered; here it only gets its place.
Pure, but for the source files that `places` reads.
"""

from reactor.lint.blocking import blocking_in
from reactor.lint.deprecated import deprecated_in
from reactor.lint.faults import from_faults
from reactor.lint.finding import Finding, Severity, Spot, in_order
from reactor.lint.reach import out_of_reach
from reactor.lint.ties import ties_among
from reactor.lint.unknown_events import meant_event, misspelt_events

__all__ = [
    "Finding",
    "Severity",
    "Spot",
    "blocking_in",
    "deprecated_in",
    "from_faults",
    "in_order",
    "meant_event",
    "misspelt_events",
    "out_of_reach",
    "ties_among",
]
