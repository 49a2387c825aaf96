"""A graph as one SVG document, without script, fonts or anything else from outside."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from reactor.graph.graph import Edge, Graph, Node
from reactor.graph.layout import Layout, lay_out

_HEIGHT, _ROW, _GAP, _MARGIN = 26.0, 40.0, 70.0, 20.0  # pixels
_LETTER = 7.4  # width of one, at the font size below, in a wide font
_LONGEST = 48  # characters of a label; the whole stands in the title

_STYLE = """\
text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}
.box{fill:#f6f8fa;stroke:#8c959f}.action .box{fill:#ddf4ff;stroke:#0969da}
.goal .box{fill:#dafbe1;stroke:#1a7f37}.condition .box{fill:#fff8c5;stroke:#9a6700}
path{fill:none;stroke:#6e7781}.gives{stroke:#0969da}.needs_not{stroke:#cf222e;stroke-dasharray:5 3}
.speaks_of{stroke-dasharray:2 3}"""

_ROUNDING = {"action": 6.0, "fact": _HEIGHT / 2, "condition": 0.0, "goal": 6.0}


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a node stands, or where a longer edge passes by."""

    x: float
    y: float  # of its middle
    width: float


def svg_of(graph: Graph, *, link: Callable[[Node], str] | None = None) -> str:
    """The document.

    `link`: where a node leads, or ""; a drawing with links is part of a page, which styles it.
    """
    layout = lay_out([n.id for n in graph.nodes], [(e.start, e.end) for e in graph.edges])
    nodes = {node.id: node for node in graph.nodes}
    boxes = _boxes(layout, nodes)
    width = max((box.x + box.width for box in boxes.values()), default=0.0) + _MARGIN
    height = max((box.y + _HEIGHT / 2 for box in boxes.values()), default=0.0) + _MARGIN
    role = "group" if link else "img"  # nothing within an image can be reached
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="{role}" width="{width:g}"'
        f' height="{height:g}" viewBox="0 0 {width:g} {height:g}">',
        "<title>Actions, conditions and goals</title>",
        "" if link else f"<style>{_STYLE}</style>",
        '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0 8 4 0 8"/></marker>',
        *(_edge(edge, layout, boxes) for edge in graph.edges if edge.start != edge.end),
        *(line for node in graph.nodes for line in _linked(node, boxes[node.id], link)),
        "</svg>",
    ]
    return "\n".join(lines)


def _boxes(layout: Layout, nodes: Mapping[str, Node]) -> dict[str, _Box]:
    boxes: dict[str, _Box] = {}
    x = _MARGIN
    for layer in layout.layers:
        widths = {item: _width(nodes[item]) if item in nodes else 0.0 for item in layer}
        widest = max(widths.values())
        y = _MARGIN + _HEIGHT / 2  # from the top: there one begins to read
        for item in layer:
            boxes[item] = _Box(x + (widest - widths[item]) / 2, y, widths[item])
            y += _ROW
        x += widest + _GAP
    return boxes


def _width(node: Node) -> float:
    return len(_shown(node.label)) * _LETTER + 20


def _shown(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"


def _linked(node: Node, box: _Box, link: Callable[[Node], str] | None) -> Iterator[str]:
    target = link(node) if link else ""
    if target:
        yield f"<a href={quoteattr(target)}>"
    yield from _node(node, box)
    if target:
        yield "</a>"


def _node(node: Node, box: _Box) -> Iterator[str]:
    top = box.y - _HEIGHT / 2
    title = f"{node.kind} {node.label}" + (f" ({node.group})" if node.group else "")
    yield f"<g class={quoteattr(node.kind)}><title>{escape(title)}</title>"
    yield (
        f'<rect class="box" x="{box.x:g}" y="{top:g}" width="{box.width:g}" height="{_HEIGHT:g}"'
        f' rx="{_ROUNDING[node.kind]:g}"/>'
    )
    label = escape(_shown(node.label))
    yield f'<text x="{box.x + box.width / 2:g}" y="{box.y + 4:g}" text-anchor="middle">{label}</text>'
    yield "</g>"


def _edge(edge: Edge, layout: Layout, boxes: Mapping[str, _Box]) -> str:
    """A line through the places of its route; each bend is as flat as the gap allows."""
    route = [boxes[item] for item in layout.routes[edge.start, edge.end]]
    is_back = route[0].x > route[-1].x
    points: list[tuple[float, float]] = []
    for box in route:
        sides = [(box.x, box.y), (box.x + box.width, box.y)]
        points += sides[::-1] if is_back else sides
    points = points[1:-1]  # from the far side of the first to the near side of the last
    drawn = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (x0 + x1) / 2
        drawn.append(f"C{middle:g} {y0:g} {middle:g} {y1:g} {x1:g} {y1:g}")
    return f'<path class="{edge.link}" d="{" ".join(drawn)}" marker-end="url(#arrow)"/>'
