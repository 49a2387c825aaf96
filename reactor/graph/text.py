"""A graph as lines for a terminal: each action with what it needs and gives, then the goals."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from reactor.graph.graph import Edge, Graph, Node

_NEEDS = {"needs": "", "needs_not": "not "}


def text_of(graph: Graph) -> str:
    """One block for each action and goal, actions by package."""
    ends: dict[str, list[Edge]] = defaultdict(list)
    starts: dict[str, list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        ends[edge.end].append(edge)
        starts[edge.start].append(edge)
    nodes = {node.id: node for node in graph.nodes}
    lines: list[str] = []
    for kind in ("action", "goal"):
        for node in sorted((n for n in graph.nodes if n.kind == kind), key=_place):
            lines += [f"{kind} {node.label}" + (f"  ({node.group})" if node.group else "")]
            lines += [f"  {line}" for line in _around(nodes, ends[node.id], starts[node.id])]
    return "\n".join(lines)


def _place(node: Node) -> tuple[str, str]:
    return node.group, node.label


def _around(nodes: Mapping[str, Node], ends: list[Edge], starts: list[Edge]) -> Iterator[str]:
    for edge in ends:
        if edge.link in _NEEDS:
            yield f"needs {_NEEDS[edge.link]}{nodes[edge.start].label}"
        else:
            yield f"by    {nodes[edge.start].label}"
    for edge in starts:
        end = nodes[edge.end]
        yield f"gives {'goal ' if end.kind == 'goal' else ''}{end.label}"
