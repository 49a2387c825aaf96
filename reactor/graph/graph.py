"""Nodes and edges, from what is installed.

Left out is what every action has in common and what is planners' own affair: that it has not run
yet, and that there is no result of its type so far.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from reactor.blackboard import snake_case
from reactor.conditions import Condition, Has, New, Ran, Rule
from reactor.installed import Action, InstalledGoal
from reactor.plan import Truth
from reactor.platform import Platform
from reactor.result import facts_of
from reactor.scope import Scope

Kind = Literal["fact", "condition", "action", "goal"]
Link = Literal["needs", "needs_not", "gives", "speaks_of"]


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """An action, a goal, a type of facts, or another condition."""

    id: str  # unique: kind and name
    kind: Kind
    label: str
    group: str = ""  # the package, of actions and goals


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One node feeds another; or, with "needs_not", stands in its way."""

    start: str  # ids of nodes
    end: str
    link: Link


@dataclass(frozen=True, slots=True)
class Graph:
    """Both sorted, so that equal platforms give equal graphs."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph_of(platform: Platform, scope: Scope | None = None) -> Graph:
    """The graph of everything that is installed, or of what a scope selects of it."""
    actions: Collection[Action] = platform.actions.values()
    goals: Iterable[InstalledGoal] = platform.goals.values()
    if scope is not None:
        actions = platform.repertoire(scope).actions.values()
        goals = platform.goals_in(scope)
    building = _Building(platform.conditions)
    for goal in goals:
        building.add_goal(goal)
    for action in actions:
        building.add_needs(action)
    for action in actions:
        building.add_results(action)
    building.add_rules()
    return Graph(tuple(sorted(building.nodes.values())), tuple(sorted(building.edges)))


class _Building:
    """A graph while it grows: first what is needed, then what is given."""

    def __init__(self, conditions: Mapping[str, Condition]) -> None:
        self._conditions = conditions
        self.nodes: dict[str, Node] = {}
        self.edges: set[Edge] = set()

    def add_goal(self, goal: InstalledGoal) -> None:
        """A goal, and what it needs: where an action is to have run, that action is enough."""
        node = self._put("goal", goal.name, goal.package.name)
        needed = {key: self._conditions[key] for key in goal.aim.pre}
        ran = [condition for condition in needed.values() if isinstance(condition, Ran)]
        for mark in ran:
            start = self._put("action", mark.action, goal.package.name)
            self.edges.add(Edge(start, node, "gives"))
        for key, condition in needed.items():
            if not isinstance(condition, Ran) and not (ran and isinstance(condition, Has)):
                self._link(self._condition(key), node, goal.aim.pre[key])

    def add_needs(self, action: Action) -> None:
        """An action, and what it needs."""
        node = self._put("action", action.name, action.component.package.name)
        results = facts_of(action.signature.result)
        for key, wanted in action.pre.items():
            condition = self._conditions[key]
            is_only_once = (
                wanted is Truth.FALSE and isinstance(condition, Has) and condition.kind in results
            )
            if not isinstance(condition, New) and not is_only_once:
                self._link(self._condition(key), node, wanted)

    def add_results(self, action: Action) -> None:
        """What an action gives: its declared types, and whatever of it is needed somewhere."""
        node = f"action:{action.name}"
        declared = [Has(kind) for kind in facts_of(action.signature.result)]
        for key, to in action.effects.items():
            condition = self._conditions[key]
            if not to or isinstance(condition, Ran):
                continue
            if self._id_of(key) in self.nodes or condition in declared:
                self.edges.add(Edge(node, self._condition(key), "gives"))

    def add_rules(self) -> None:
        """From facts to the expressions that speak of them."""
        facts = {snake_case(node.label): node.id for node in self._of_kind("fact")}
        for node in list(self._of_kind("condition")):
            condition = self._conditions.get(node.label)
            for name in condition.names if isinstance(condition, Rule) else ():
                if name in facts:
                    self.edges.add(Edge(facts[name], node.id, "speaks_of"))

    def _link(self, start: str, end: str, wanted: Truth) -> None:
        self.edges.add(Edge(start, end, "needs_not" if wanted is Truth.FALSE else "needs"))

    def _id_of(self, key: str) -> str:
        is_fact = isinstance(self._conditions[key], Has)
        return f"fact:{_type_of(key)}" if is_fact else f"condition:{key}"

    def _condition(self, key: str) -> str:
        if isinstance(self._conditions[key], Has):
            return self._put("fact", _type_of(key))
        return self._put("condition", key)

    def _put(self, kind: Kind, label: str, group: str = "") -> str:
        id_ = f"{kind}:{label}"
        self.nodes.setdefault(id_, Node(id_, kind, label, group))
        return id_

    def _of_kind(self, kind: Kind) -> Iterator[Node]:
        return (node for node in self.nodes.values() if node.kind == kind)


def _type_of(key: str) -> str:
    """`Issue` of `has(Issue)`."""
    return key.removeprefix("has(").removesuffix(")")
