"""What an app was granted, held against what may be asked of it by what is installed."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryFirsts
from reactor.effect import Effect
from reactor.errors import ReactorError
from reactor.github.app_permissions import EVENTS, NEEDS, lacking, shown
from reactor.settings import Settings
from reactor.wiring.platform import install, listeners

if TYPE_CHECKING:
    from reactor.adapters.github.accounts import Greeting

_ACCEPT = "grant it in the settings of the app, then accept it where the app is installed"


def lacks(greeting: "Greeting", settings: Settings) -> list[str]:
    """What is missing, a sentence each; nothing of a token, which does not tell.

    Only what reactions may send that are not `observe` counts.
    """
    kinds = _kinds(settings) if greeting.granted is not None else set()
    return list(_lacks(greeting, kinds)) if kinds else []


def _lacks(greeting: "Greeting", kinds: Collection[type[Effect]]) -> Iterator[str]:
    for name, access in lacking(greeting.granted or {}, kinds).items():
        needed = sorted(kind.__name__ for kind in kinds if _needs(kind, name))
        why = f" (for {', '.join(needed)})" if needed and access == "write" else ""
        yield f"{greeting.who} lacks {shown(name)}: {access}{why}; {_ACCEPT}"
    if untold := [event for event in EVENTS if event not in greeting.events]:
        yield (
            f"{greeting.who} is not told of {', '.join(untold)}: subscribe to those that you want,"
            " in the settings of the app, or of the repository's webhook"
        )


def _needs(kind: type[Effect], name: str) -> bool:
    return kind in NEEDS and name in NEEDS[kind].all


def _kinds(settings: Settings) -> set[type[Effect]]:
    """That components in live reactions may ask for; none where that can't be told."""
    try:
        platform = install(settings, firsts=MemoryFirsts(), clock=SystemClock()).platform
        live = [
            listener
            for listener in listeners(settings, platform)
            if listener.reaction.effects != "observe"
        ]
    except ReactorError:  # the doctor says so of the components
        return set()
    repertoires = (platform.repertoire(listener.scope) for listener in live)
    return {
        kind
        for repertoire in repertoires
        for action in repertoire.actions.values()
        for kind in action.component.mark.effects
    }
