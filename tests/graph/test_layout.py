"""Layers: every graph gets a layout that keeps its promises."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reactor.graph.layout import Layout, lay_out

NAMES = [f"n{number}" for number in range(12)]

edges = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=40)


def depths(layout: Layout) -> dict[str, int]:
    return {item: number for number, layer in enumerate(layout.layers) for item in layer}


@given(edges)
def test_every_node_stands_in_one_layer(edges: list[tuple[str, str]]) -> None:
    layout = lay_out(NAMES, edges)

    standing = [item for layer in layout.layers for item in layer if "\0" not in item]
    assert sorted(standing) == sorted(NAMES)


@given(edges)
def test_every_edge_goes_from_layer_to_layer_in_one_direction(
    edges: list[tuple[str, str]],
) -> None:
    layout = lay_out(NAMES, edges)

    depth = depths(layout)
    assert set(layout.routes) == {(start, end) for start, end in edges if start != end}
    for (start, end), route in layout.routes.items():
        assert (route[0], route[-1]) == (start, end)
        steps = [depth[after] - depth[before] for before, after in pairwise(route)]
        assert set(steps) in ({1}, {-1})


@given(edges)
def test_the_order_of_edges_makes_no_difference(edges: list[tuple[str, str]]) -> None:
    assert lay_out(NAMES, edges) == lay_out(NAMES, edges[::-1])


def test_without_circles_everything_points_forward() -> None:
    layout = lay_out(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])

    depth = depths(layout)
    assert [depth[node] for node in ("a", "b", "c")] == [0, 1, 2]
    assert len(layout.routes["a", "c"]) == 3


def test_a_long_chain_is_no_trouble() -> None:
    names = [f"n{number:05}" for number in range(3000)]

    layout = lay_out(names, list(pairwise(names)))

    assert len(layout.layers) == 3000
