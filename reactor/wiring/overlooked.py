"""What the reactions of the settings leave out, and is probably not meant so.

Nothing here is a fault: a package may be kept for later, and hosts have events that have no type
here.  But nothing else tells why an action that is installed never runs.
"""

from collections.abc import Iterable, Iterator

from reactor.commanding import without_commands
from reactor.firing import EVENT as TIMER
from reactor.github.events import TYPED
from reactor.lint import meant_event
from reactor.platform import Platform
from reactor.scope import Scope
from reactor.settings import Settings
from reactor.worker import Listener


def known_events(settings: Settings) -> tuple[str, ...]:
    """The events that have a type, and the timers: "issues", "issues.opened", "timer.nightly"."""
    return (*TYPED, *(f"{TIMER}.{timer.name}" for timer in settings.timers))


def misspelt_reactions(settings: Settings) -> Iterator[str]:
    """A sentence for each event in an `on` that reads like another one."""
    known = known_events(settings)
    for reaction in settings.reactions:
        for pattern in reaction.on:
            if better := meant_event(pattern, known):
                yield (
                    f"{reaction.name}: on: no event {pattern!r} is known, so this may never begin;"
                    f" did you mean {better!r}?"
                )


def overlooked_packages(platform: Platform, listeners: Iterable[Listener]) -> Iterator[str]:
    """A sentence for each package whose actions no reaction runs; agents and commands aside."""
    run: set[str] = set()
    for listener in listeners:
        run.update(platform.repertoire(listener.scope).actions)
    offered = platform.repertoire(without_commands(Scope.platform(), platform)).actions.values()
    idle = {action.component.package.name for action in offered}
    idle -= {action.component.package.name for action in offered if action.name in run}
    for name in sorted(idle):
        yield f"no reaction runs anything of {name}: add it to the `scope` of one, if it is to run"
