"""What feeds what, of a small platform, and the ways to write it."""

from dataclasses import dataclass
from xml.etree import ElementTree as ET

import pytest

from reactor import (
    Goal,
    Not,
    Package,
    Platform,
    Scope,
    achieves_goal,
    action,
    agent,
    component,
    state,
)
from reactor.graph import Edge, Graph, Node, dot_of, graph_of, svg_of, text_of


@dataclass(frozen=True)
class Order:
    price: float


@dataclass(frozen=True)
class Bill: ...


@dataclass(frozen=True)
class Paid: ...


@component
class Shop:
    @action(pre=['order.price < 10.0 && "<&>" != ""', Not("closed")], post=["greeted"])
    def bill(self, order: Order) -> Bill:
        return Bill()

    @action(post=["closed"])
    def close(self) -> None: ...

    @achieves_goal("It is paid.")
    @action(pre=["greeted"])
    def pay(self, bill: Bill) -> Paid:
        return Paid()


@state
@dataclass(frozen=True)
class Stage: ...


@dataclass(frozen=True)
class First(Stage):
    @achieves_goal("Done.")
    @action
    def end(self) -> Paid:
        return Paid()


@agent("Goes through stages.")
class StageAgent:
    @action
    def begin(self, order: Order) -> Stage:
        return First()


@pytest.fixture
def platform() -> Platform:
    goal = Goal(name="rich", inputs=(Paid,))
    package = Package(name="shop", components=(Shop, StageAgent), goals=(goal,))
    return Platform(packages=[package])


@pytest.fixture
def shop(platform: Platform) -> Graph:
    return graph_of(platform, Scope.from_components("shop"))


RULE = 'order.price < 10.0 && "<&>" != ""'


def test_nodes_are_actions_goals_facts_and_other_conditions(shop: Graph) -> None:
    assert [(node.kind, node.label) for node in shop.nodes] == [
        ("action", "shop.bill"),
        ("action", "shop.close"),
        ("action", "shop.pay"),
        ("condition", "closed"),
        ("condition", "greeted"),
        ("condition", RULE),
        ("fact", "Bill"),
        ("fact", "Order"),
        ("fact", "Paid"),
        ("goal", "shop.pay"),
    ]


def test_edges_say_what_is_needed_given_and_spoken_of(shop: Graph) -> None:
    assert set(shop.edges) == {
        Edge("fact:Order", "action:shop.bill", "needs"),
        Edge(f"condition:{RULE}", "action:shop.bill", "needs"),
        Edge("condition:closed", "action:shop.bill", "needs_not"),
        Edge("fact:Order", f"condition:{RULE}", "speaks_of"),
        Edge("action:shop.bill", "fact:Bill", "gives"),
        Edge("action:shop.bill", "condition:greeted", "gives"),
        Edge("action:shop.close", "condition:closed", "gives"),
        Edge("fact:Bill", "action:shop.pay", "needs"),
        Edge("condition:greeted", "action:shop.pay", "needs"),
        Edge("action:shop.pay", "fact:Paid", "gives"),
        Edge("action:shop.pay", "goal:shop.pay", "gives"),
    }


def test_a_state_is_fed_by_the_action_that_gives_its_base(platform: Platform) -> None:
    graph = graph_of(platform, Scope.from_agents("stage"))

    assert Edge("action:stage.begin", "fact:First", "gives") in graph.edges
    assert Edge("fact:First", "action:stage.First.end", "needs") in graph.edges


def test_a_goal_as_data_is_fed_by_facts(platform: Platform) -> None:
    assert Edge("fact:Paid", "goal:rich", "needs") in graph_of(platform).edges


def test_as_text_each_action_tells_what_it_needs_and_gives(shop: Graph) -> None:
    assert text_of(shop).splitlines()[:7] == [
        "action shop.bill  (shop)",
        "  needs not closed",
        f"  needs {RULE}",
        "  needs Order",
        "  gives greeted",
        "  gives Bill",
        "action shop.close  (shop)",
    ]
    assert text_of(shop).splitlines()[-2:] == ["goal shop.pay  (shop)", "  by    shop.pay"]


def test_as_dot_quotes_are_escaped(shop: Graph) -> None:
    lines = dot_of(shop).splitlines()

    assert lines[0] == "digraph reactor {"
    assert lines[-1] == "}"
    assert '  "fact:Bill" -> "action:shop.pay";' in lines
    assert any(r"\"<&>\" != \"\"" in line for line in lines)


def test_as_svg_it_is_one_document_with_every_node_and_edge(shop: Graph) -> None:
    root = ET.fromstring(svg_of(shop))

    space = {"svg": "http://www.w3.org/2000/svg"}
    titles = {found.text for found in root.findall("svg:g/svg:title", space)}
    assert titles == {
        f"{node.kind} {node.label}" + (f" ({node.group})" if node.group else "")
        for node in shop.nodes
    }
    assert len(root.findall("svg:path", space)) == len(shop.edges)
    assert not root.findall(".//svg:script", space)


def test_a_drawing_begins_at_its_top_left_however_much_comes_of_the_first_node() -> None:
    nodes = (Node("a", "fact", "a"), *(Node(name, "action", name) for name in "bcd"))
    graph = Graph(nodes, tuple(Edge("a", name, "needs") for name in "bcd"))

    first, *others = ET.fromstring(svg_of(graph)).findall("{*}g/{*}rect")

    assert float(first.get("y", "")) == min(float(other.get("y", "")) for other in others)


def test_an_empty_graph_is_drawn_as_well() -> None:
    assert ET.fromstring(svg_of(Graph((), ()))).tag.endswith("svg")


def test_an_edge_back_is_drawn_from_its_start_to_its_end() -> None:
    nodes = (Node("a", "action", "a"), Node("b", "fact", "b"))
    graph = Graph(nodes, (Edge("a", "b", "gives"), Edge("b", "a", "needs")))

    root = ET.fromstring(svg_of(graph))

    there, back = (path.get("d", "") for path in root.findall("{*}path"))
    assert there.split()[0] == f"M{back.split()[-2]}"
