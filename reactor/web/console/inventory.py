"""What is installed: packages with what was granted to them, and a drawing of what feeds what."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup
from starlette.requests import Request

from reactor.errors import InfrastructureError
from reactor.graph import Edge, Graph, Node, graph_of, svg_of
from reactor.inventory import ToldComponents
from reactor.platform import Platform
from reactor.refusal import Refused
from reactor.scope import EmptyScope, Scope
from reactor.troubles import ToldTrouble, Troubles, told_trouble
from reactor.web.console.areas import Change, Resource


@dataclass(frozen=True, slots=True)
class Inventory:
    """`/components` and its JSON; `?package=` narrows the graph."""

    told: ToldComponents
    platform: Platform | None = None  # None: no graph
    grants: Sequence[str] = ()  # a line on each, beginning with what it is about
    troubles: Troubles | None = None  # that workers had; None: nobody knows of any
    changes: tuple[Change, ...] = ()

    @property
    def resources(self) -> tuple[Resource, ...]:
        """One; but for the troubles, it stays as it is for as long as the console runs."""
        page = Resource("/components", "/api/components", "components.html", self._read)
        return (page,)

    async def _read(self, request: Request) -> Mapping[str, Any]:
        package = request.query_params.get("package", "").strip()
        names = [each["name"] for each in self.told["packages"]]
        if package and package not in names:
            fix = f"give one of {', '.join(names)}"
            raise Refused(404, "query", "no such package", where="query: package", fix=fix)
        return {
            **self.told,
            "grants": list(self.grants),
            "troubles": await self._troubles(),
            "package": package,
            "graph": self._graph(package),
        }

    async def _troubles(self) -> list[ToldTrouble] | None:
        """None: nobody can tell now."""
        if self.troubles is None:
            return []
        try:
            return [told_trouble(trouble) for trouble in await self.troubles.known()]
        except InfrastructureError:
            return None

    def _graph(self, package: str) -> dict[str, Any] | None:
        if self.platform is None:
            return None
        try:
            scope = Scope.from_packages(package) if package else None
            graph = graph_of(self.platform, scope)
        except EmptyScope:  # a package of commands, or of goals only
            return None
        return {
            "nodes": [asdict(node) for node in graph.nodes],
            "edges": [asdict(edge) for edge in graph.edges],
        }


def drawn(told: Mapping[str, Any]) -> Markup:
    """The graph as a drawing that is part of a page; its actions lead to what is said of them."""
    nodes = tuple(Node(**node) for node in told["nodes"])
    edges = tuple(Edge(**edge) for edge in told["edges"])
    return Markup(_drawing(Graph(nodes, edges)))  # made by us, names are escaped there


@lru_cache(maxsize=32)  # laying out takes longer than all the rest of the page
def _drawing(graph: Graph) -> str:
    return svg_of(graph, link=lambda node: f"#{node.label}" if node.kind == "action" else "")
