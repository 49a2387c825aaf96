"""Labels of metrics: as they are, up to so many of them, so that no sender can make them grow."""

OTHER = "other"


class Few:
    """The first `most` values stay as they are, all later ones are "other"."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def __call__(self, value: str) -> str:
        """The label of a value."""
        if value in self._known:
            return value
        if len(self._known) >= self._most:
            return OTHER
        self._known.add(value)
        return value
