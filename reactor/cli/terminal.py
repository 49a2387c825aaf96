"""Where text goes: to a terminal of some width, or into a pipe, which has none."""

from rich.console import Console

_IN_A_PIPE = 10_000  # characters: a line stays one, for grep and the like


def console() -> Console:
    """Standard output; nothing is broken into lines where that is no terminal."""
    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=_IN_A_PIPE)


def harmless(text: str) -> str:
    """Text in one line that does nothing to a terminal: it may hold what strangers wrote."""
    return "".join(c if c.isprintable() else " " for c in text)
