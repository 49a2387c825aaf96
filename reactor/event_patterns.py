"""Which events are meant: as reactions name what they listen to, and components what they are for.

`issues.opened` (an event and its action), `issues` (an event, whatever its action), `*` (every
event that has a typed model), `**` (every event at all).
"""

import re
from collections.abc import Iterable

_PATTERN = re.compile(r"(\*\*?|[a-z0-9_]+(\.(\*|[a-z0-9_]+))?)")


def malformed(patterns: Iterable[str]) -> tuple[str, ...]:
    """Those that are no pattern."""
    return tuple(pattern for pattern in patterns if not _PATTERN.fullmatch(pattern))


def matches(pattern: str, event: str, action: str | None, *, is_typed: bool) -> bool:
    """Whether the event is meant.

    Ping is no event of anybody's repository: `*` leaves it out, naming it does not.
    """
    if pattern == "**":
        return True
    if pattern == "*":
        return is_typed and event != "ping"
    wanted_event, _, wanted_action = pattern.partition(".")
    if wanted_event != event:
        return False
    return wanted_action in ("", "*") or wanted_action == action
