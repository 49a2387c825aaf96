"""What can be wrong with an expression before it ever runs."""

from reactor.errors import ReactorError


class BadExpression(ReactorError):
    """An expression that cannot be compiled, or that speaks of what does not exist."""

    def __init__(self, source: str, faults: tuple[str, ...]) -> None:
        super().__init__(source, faults)
        self.source, self.faults = source, faults

    def __str__(self) -> str:
        return f"expression {_short(self.source)!r}: {'; '.join(self.faults)}"


def _short(source: str) -> str:
    return source if len(source) <= 120 else source[:117] + "..."
