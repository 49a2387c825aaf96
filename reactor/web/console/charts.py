"""Charts, drawn by the server: shapes only, stretched to their place; words stand around them.

A page's policy allows no styles within it, so shapes have classes, which the style sheet colours.
"""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

NOBODY_KNOWS = "\N{EN DASH}"
_WIDTH, _HEIGHT = 600.0, 100.0
_LONE = 8.0  # to each side of a point that has no neighbour

OUTCOMES: Mapping[str, str] = {
    "COMPLETED": "good",
    "TERMINATED": "good",
    "RUNNING": "faint",
    "NOT_STARTED": "faint",
    "WAITING": "warn",
    "STUCK": "warn",
    "PAUSED": "warn",
    "FAILED": "bad",
    "KILLED": "bad",
}
"""The colour of each status; one of them never stands for itself: the table beside has the words."""

_ORDER = ("good", "faint", "warn", "bad")  # from the ground up


def stacked(columns: Sequence[Mapping[str, int]], titles: Sequence[str]) -> Markup:
    """Columns of counts by status, one on the other; `titles` are told where one points at them."""
    highest = max((sum(column.values()) for column in columns), default=0) or 1
    step = _WIDTH / max(len(columns), 1)
    shapes = []
    for number, (column, title) in enumerate(zip(columns, titles, strict=True)):
        y = _HEIGHT
        x, width = number * step + step * 0.1, step * 0.8
        told = Markup("<title>{}</title>").format(title)
        shapes.append(
            Markup('<g>{}<rect x="{:g}" y="0" width="{:g}" height="{:g}" class="room"/>').format(
                told, number * step, step, _HEIGHT
            )
        )
        for colour, count in _by_colour(column):
            height = _HEIGHT * count / highest
            y -= height
            shapes.append(
                Markup(
                    '<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" class="{}"/>'
                ).format(x, y, width, height, colour)
            )
        shapes.append(Markup("</g>"))
    return _chart(shapes)


def lines(*series: Sequence[float | None]) -> Markup:
    """Lines from left to right, the first with the ground below it; gaps where there is None."""
    highest = highest_of(*series)
    shapes = [Markup("")]
    for number, values in enumerate(series):
        for points in _runs(values, highest):
            drawn = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
            if number == 0:
                first, last = points[0][0], points[-1][0]
                ground = f"{first:.2f},{_HEIGHT:g} {drawn} {last:.2f},{_HEIGHT:g}"
                shapes.append(Markup('<polygon class="area" points="{}"/>').format(ground))
            which = "line" if number == 0 else "line second"
            shapes.append(Markup('<polyline class="{}" points="{}"/>').format(which, drawn))
    return _chart(shapes)


def bar(value: float | None, most: float) -> Markup:
    """One bar, of at most `most`; what is less than nothing is shown as that."""
    share = 1.0 if value is None else min(abs(value) / most, 1.0) if most else 0.0
    which = "below" if value is not None and value < 0 else "filled"
    return Markup(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="ground" width="100" height="10" rx="3"/>'
        '<rect class="{}" width="{:.1f}" height="10" rx="3"/></svg>'
    ).format(which, share * 100)


def highest_of(*series: Sequence[float | None]) -> float:
    """The top of the scale."""
    return max((value for values in series for value in values if value is not None), default=0.0)


def _by_colour(column: Mapping[str, int]) -> list[tuple[str, int]]:
    counts = {
        colour: sum(n for status, n in column.items() if OUTCOMES.get(status) == colour)
        for colour in _ORDER
    }
    return [(colour, count) for colour, count in counts.items() if count]


def _runs(values: Sequence[float | None], highest: float) -> list[list[tuple[float, float]]]:
    """Points of each stretch without a gap; a lone one is wide enough to be seen."""
    step = _WIDTH / max(len(values) - 1, 1)
    runs: list[list[tuple[float, float]]] = [[]]
    for number, value in enumerate(values):
        if value is None:
            runs.append([])
            continue
        y = _HEIGHT - (_HEIGHT - 4) * (value / highest if highest else 0)
        runs[-1].append((number * step, y))
    wide = max(step / 4, _LONE)
    return [run if len(run) > 1 else _widened(*run[0], wide) for run in runs if run]


def _widened(x: float, y: float, by: float) -> list[tuple[float, float]]:
    return [(max(x - by, 0), y), (min(x + by, _WIDTH), y)]


def _chart(shapes: Sequence[Markup]) -> Markup:
    grid = "".join(
        f'<line class="grid" x1="0" x2="{_WIDTH:g}" y1="{y:g}" y2="{y:g}"/>'
        for y in (0.5, _HEIGHT / 2, _HEIGHT - 0.5)
    )
    opening = (
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" preserveAspectRatio="none"'
        f' aria-hidden="true">{grid}'
    )
    return Markup(opening) + Markup("").join(shapes) + Markup("</svg>")  # numbers of our own only


def span(seconds: float | None) -> str:
    """A length of time for people: "12 ms", "3.4 s", "5 min"."""
    if seconds is None:
        return NOBODY_KNOWS
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def count(number: float | None) -> str:
    """A count for people: "12,345"; a dash where nobody knows."""
    return NOBODY_KNOWS if number is None else f"{number:,.0f}"


def titles_of(times: Sequence[str], columns: Sequence[Mapping[str, int]]) -> list[str]:
    """What each column says in words."""
    return [
        f"{at}: {', '.join(f'{n} {status.lower()}' for status, n in column.items()) or 'none'}"
        for at, column in zip(times, columns, strict=True)
    ]
