"""Events that reactions name and nobody sends: most often a slip of the pen in `on:`."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import structlog

from reactor.firing import EVENT as TIMER
from reactor.github.names import EVENT_NAMES
from reactor.settings import Settings

_ANY = frozenset({"*", "**"})


@dataclass(frozen=True, slots=True)
class Unheard:
    """A pattern that will hardly ever fit."""

    reaction: str
    pattern: str
    instead: tuple[str, ...]  # what may be meant


def unheard(settings: Settings) -> Iterator[Unheard]:
    """The patterns whose event neither GitHub nor a timer of the settings sends.

    GitHub may know one that this version does not, so it is no fault.
    """
    timers = [timer.name for timer in settings.timers]
    for reaction in settings.reactions:
        for pattern in reaction.on:
            event, _, action = pattern.partition(".")
            if event == TIMER and action not in ("", "*", *timers):
                near = get_close_matches(action, timers)
                yield Unheard(reaction.name, pattern, tuple(f"{TIMER}.{name}" for name in near))
            elif event not in EVENT_NAMES | _ANY | {TIMER}:
                yield Unheard(reaction.name, pattern, tuple(get_close_matches(event, EVENT_NAMES)))


def warn_of_unheard(settings: Settings) -> None:
    """Log a line for each."""
    log = structlog.get_logger("reactor.worker")
    for found in unheard(settings):
        log.warning(
            "event_unknown", reaction=found.reaction, on=found.pattern, instead=found.instead
        )
