"""What feeds what: the actions, conditions and goals of a platform as a graph.

    graph   nodes and edges, from what is installed
    text    as lines for a terminal
    dot     for Graphviz
    layout  nodes in layers, edges without crossings as far as that is easy
    svg     that, drawn

Pure: the command line and the console show it.
"""

from reactor.graph.dot import dot_of
from reactor.graph.graph import Edge, Graph, Node, graph_of
from reactor.graph.svg import svg_of
from reactor.graph.text import text_of

__all__ = ["Edge", "Graph", "Node", "dot_of", "graph_of", "svg_of", "text_of"]
