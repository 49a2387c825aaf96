"""A graph in the DOT language, for Graphviz."""

import json

from reactor.graph.graph import Graph

_SHAPES = {
    "action": "shape=box, style=rounded",
    "fact": "shape=ellipse",
    "condition": "shape=note",
    "goal": "shape=doubleoctagon",
}
_STYLES = {
    "needs": "",
    "needs_not": ' [style=dashed, arrowhead=tee, label="not"]',
    "gives": " [penwidth=2]",
    "speaks_of": " [style=dotted, arrowhead=none]",
}


def dot_of(graph: Graph) -> str:
    """One `digraph`, from left to right."""
    lines = ["digraph reactor {", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    lines += [
        f"  {_quoted(node.id)} [label={_quoted(node.label)}, {_SHAPES[node.kind]}];"
        for node in graph.nodes
    ]
    lines += [
        f"  {_quoted(edge.start)} -> {_quoted(edge.end)}{_STYLES[edge.link]};"
        for edge in graph.edges
    ]
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    """A quoted string: DOT knows only the escaped quote, and takes other backslashes as labels'."""
    return json.dumps(text, ensure_ascii=False)
