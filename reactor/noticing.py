"""Noticing: what goes wrong in components, gathered in a worker until somebody keeps it.

Runs of actions are told by their processes; that the loop was held up is told by the watchdog, in
a thread of its own.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from reactor.listening import ActionFinished, ProcessEvent
from reactor.platform import Platform
from reactor.status import Run
from reactor.troubles import Trouble, TroubleKind

if TYPE_CHECKING:
    from reactor.watchdog import Place

_MOST_WAITING = 1_000  # that nobody has kept yet; then the oldest are forgotten

_BY_ERROR: Mapping[str, TroubleKind] = {"WrongResult": "result", "LoopBlocked": "blocked"}
"""By the class that an error's line begins with."""


class Noticing:
    """Fits `ProcessListener`.  `tell` is called with each kind of trouble, for counting."""

    def __init__(
        self,
        now: Callable[[], datetime],
        *,
        tell: Callable[[str, TroubleKind], None] | None = None,
    ) -> None:
        self._now, self.tell = now, tell
        self._waiting: deque[Trouble] = deque(maxlen=_MOST_WAITING)
        self._held_up: deque[tuple[Place, datetime]] = deque(maxlen=_MOST_WAITING)

    def __call__(self, event: ProcessEvent, /) -> None:
        """An action has ended."""
        if isinstance(event, ActionFinished) and (kind := _kind_of(event.run)):
            self._add(kind, event.run.action, event.run.error, process=event.head.id)

    def rested(self, component: str, why: str) -> None:
        """Its actions are left out for a while."""
        self._add("resting", component, why)

    def failed_to_start(self, component: str, error: str) -> None:
        """What it has to have open could not be opened."""
        self._add("failed", component, f"its start: {error}")

    def held_up(self, place: "Place", _stack: Sequence[str] = ()) -> None:
        """The loop was held up there; may be called in any thread."""
        if place.is_component:
            self._held_up.append((place, self._now()))

    def taken(self, platform: Platform) -> list[Trouble]:
        """What was gathered since it was last asked."""
        while self._held_up:
            place, at = self._held_up.popleft()
            component = _component_at(place, platform)
            if component:
                self._add("blocked", component, f"it did not await, at {place.where}", at=at)
        troubles = list(self._waiting)
        self._waiting.clear()
        return troubles

    def _add(
        self,
        kind: TroubleKind,
        where: str,
        text: str,
        *,
        process: str = "",
        at: datetime | None = None,
    ) -> None:
        at = at or self._now()
        component, _, method = where.partition(".")
        trouble = Trouble(
            component=component,
            kind=kind,
            action=where if method else "",
            first_at=at,
            last_at=at,
            text=text,
            process=process,
        )
        self._waiting.append(trouble)
        if self.tell is not None:
            self.tell(component, kind)


def _kind_of(run: Run) -> TroubleKind | None:
    if run.outcome == "timeout":
        return "timeout"
    if run.outcome != "failed":
        return None
    return _BY_ERROR.get(run.error.partition(":")[0], "failed")


def _component_at(place: "Place", platform: Platform) -> str:
    """The component that the code belongs to; "" where it is nobody's."""
    module = place.where.partition(":")[0]
    homes = {each.name: type(each.instance).__module__ for each in platform.components}
    exact = [name for name, home in homes.items() if home == module]
    same = [
        name for name, home in homes.items() if home.partition(".")[0] == module.partition(".")[0]
    ]
    return min(exact or same, default="")
