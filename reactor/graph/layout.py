"""Nodes in layers from left to right, edges between neighbouring layers.

The way of Sugiyama, Tagawa and Toda (1981), kept small: edges that close a circle are turned
around, each node stands one layer behind the last that feeds it, longer edges pass through a
place in every layer between, and each layer is sorted by the middle of its neighbours.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_SWEEPS = 8

Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand."""

    layers: tuple[tuple[str, ...], ...]  # nodes, and places where a longer edge passes by
    routes: Mapping[Link, tuple[str, ...]]  # of each edge, from its start to its end


def lay_out(nodes: Sequence[str], edges: Iterable[Link]) -> Layout:
    """Equal graphs get equal layouts.  Edges from a node to itself are left out."""
    links = sorted({link for link in edges if link[0] != link[1]})
    turned = _closing(nodes, links)
    forward = sorted({link[::-1] if link in turned else link for link in links})
    depth = _depths(nodes, forward)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in nodes:
        layers[depth[node]].append(node)
    routes: dict[Link, tuple[str, ...]] = {}
    for start, end in forward:
        between = [f"{start}\0{end}\0{number}" for number in range(depth[start] + 1, depth[end])]
        for number, place in enumerate(between, start=depth[start] + 1):
            layers[number].append(place)
        routes[start, end] = (start, *between, end)
    _untangle(layers, routes.values())
    told = {link: routes[link[::-1]][::-1] if link in turned else routes[link] for link in links}
    return Layout(tuple(map(tuple, layers)), told)


def _closing(nodes: Sequence[str], links: Sequence[Link]) -> set[Link]:
    """The edges that close a circle, met on a walk in depth from each node."""
    ahead: dict[str, list[str]] = defaultdict(list)
    for start, end in links:
        ahead[start].append(end)
    has_cause = {end for _, end in links}
    found: set[Link] = set()
    done: set[str] = set()
    for root in sorted(nodes, key=lambda node: (node in has_cause, node)):
        found |= _walk(root, ahead, done)
    return found


def _walk(root: str, ahead: Mapping[str, Sequence[str]], done: set[str]) -> set[Link]:
    """The edges back to where the walk came from; what it has seen is added to `done`."""
    found: set[Link] = set()
    path: dict[str, None] = {}
    waiting = [(root, False)]
    while waiting:
        node, is_left = waiting.pop()
        if is_left:
            del path[node]
        elif node not in done:
            done.add(node)
            path[node] = None
            waiting.append((node, True))
            ends = ahead.get(node, ())
            found |= {(node, end) for end in ends if end in path}
            waiting += [(end, False) for end in ends if end not in done]
    return found


def _depths(nodes: Sequence[str], forward: Sequence[Link]) -> dict[str, int]:
    """How many layers lie before each node: as many as its longest chain of causes."""
    causes: dict[str, int] = dict.fromkeys(nodes, 0)
    ahead: dict[str, list[str]] = defaultdict(list)
    for start, end in forward:
        causes[end] += 1
        ahead[start].append(end)
    depth = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not causes[node]]
    while ready:
        node = ready.pop()
        for end in ahead[node]:
            depth[end] = max(depth[end], depth[node] + 1)
            causes[end] -= 1
            if not causes[end]:
                ready.append(end)
    return depth


def _untangle(layers: list[list[str]], routes: Iterable[tuple[str, ...]]) -> None:
    """Sort each layer by the middle of what its items are joined to, there and back."""
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for route in routes:
        for start, end in pairwise(route):
            after[start].append(end)
            before[end].append(start)
    place = {item: number for layer in layers for number, item in enumerate(layer)}
    for sweep in range(_SWEEPS):
        is_back = bool(sweep % 2)
        joined = after if is_back else before
        for layer in reversed(layers) if is_back else layers:
            middle = {
                item: sum(place[other] for other in joined[item]) / len(joined[item])
                if joined[item]
                else float(place[item])
                for item in layer
            }
            layer.sort(key=lambda item: (middle[item], item))
            place |= {item: number for number, item in enumerate(layer)}
