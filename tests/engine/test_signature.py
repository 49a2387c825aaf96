"""What a method takes and gives is read from its annotations alone."""

from typing import Annotated, Any, Protocol

import pytest

from reactor.action import Named
from reactor.effect import Effect
from reactor.result import (
    NOTHING,
    Each,
    Either,
    Mismatch,
    One,
    Together,
    effects_of,
    facts_of,
    items_in,
    shape_of,
)
from reactor.signature import Input, read_signature


class Issue: ...


class Bug(Issue): ...


class Note(Effect):
    text: str


class Store: ...


class Lookup(Protocol): ...


def test_parameters_become_inputs_or_are_injected() -> None:
    async def act(
        issue: Issue,
        title: Annotated[str, Named],
        maybe: Bug | None,
        store: Store,
        limit: int = 3,
    ) -> Bug | None: ...

    signature = read_signature(act, provided={Store})

    assert signature.inputs == (
        Input(parameter="issue", kind=Issue),
        Input(parameter="title", kind=str, named=True),
        Input(parameter="maybe", kind=Bug, optional=True),
        Input(parameter="limit", kind=int, optional=True, has_default=True),
    )
    assert signature.injected == {"store": Store}
    assert signature.result == Either((One(Bug),), or_nothing=True)
    assert signature.is_async
    assert signature.faults == ()


def test_annotations_may_be_nested_in_each_other() -> None:
    def act(
        every: list[Bug],
        some: list[Issue] | None,
        named: Annotated[Issue, Named] | None,
        own: Annotated[Issue, "x"],
    ) -> None: ...

    signature = read_signature(act, provided=())

    assert signature.inputs == (
        Input(parameter="every", kind=Bug, many=True),
        Input(parameter="some", kind=Issue, optional=True, many=True),
        Input(parameter="named", kind=Issue, named=True, optional=True),
        Input(parameter="own", kind=Issue),
    )
    assert signature.result == NOTHING


def test_every_fault_of_a_signature_is_told() -> None:
    def act(  # type: ignore[no-untyped-def]  # that is the point
        bare, any: Any, either: Issue | Store, effect: Note, asks: Lookup, /, *rest: Issue
    ): ...

    faults = " | ".join(read_signature(act, provided=()).faults)

    assert "takes bare in a way that is not by name" in faults
    assert "takes rest in a way that is not by name" in faults
    assert "does not say what it returns" in faults


@pytest.mark.parametrize(
    ("annotation", "complaint"),
    [
        (Any, "does not name a class of its own"),
        (object, "does not name a class of its own"),
        (list, "does not name a class of its own"),
        (Issue | Store, "take one type, or a base class of them"),
        (Note, "an effect: those are never on the blackboard"),
        (Lookup, "which nobody provides"),
        ("Missing", "annotations that can't be read"),
    ],
)
def test_a_parameter_that_says_too_little_is_a_fault(annotation: object, complaint: str) -> None:
    def act(thing: object) -> None: ...

    act.__annotations__["thing"] = annotation

    (fault,) = read_signature(act, provided=()).faults

    assert complaint in fault


def test_a_method_that_returns_anything_at_all_is_a_fault() -> None:
    def act() -> Any: ...

    (fault,) = read_signature(act, provided=()).faults

    assert fault.startswith("returns ")


@pytest.mark.parametrize(
    ("annotation", "shape", "facts", "effects"),
    [
        (None, NOTHING, (), ()),
        (Issue, One(Issue), (Issue,), ()),
        (Note, One(Note), (), (Note,)),
        (Issue | Store, Either((One(Issue), One(Store))), (Issue, Store), ()),
        (list[Note], Each(One(Note)), (), (Note,)),
        (tuple[Issue, ...], Each(One(Issue)), (Issue,), ()),
        (
            tuple[Issue, list[Note]],
            Together((One(Issue), Each(One(Note)))),
            (Issue,),
            (Note,),
        ),
        (dict[str, int], One(dict), (dict,), ()),
    ],
)
def test_a_return_annotation_has_a_shape(
    annotation: object, shape: object, facts: tuple[type, ...], effects: tuple[type, ...]
) -> None:
    found = shape_of(annotation)

    assert found == shape
    assert facts_of(found) == facts
    assert effects_of(found) == effects


def test_items_are_found_in_every_shape() -> None:
    issue, bug, note = Issue(), Bug(), Note(text="x")

    assert items_in(shape_of(Issue), bug) == [bug]
    assert items_in(shape_of(Issue | None), None) == []
    assert items_in(shape_of(tuple[Issue, list[Note]]), (issue, [note, note])) == [
        issue,
        note,
        note,
    ]
    assert items_in(shape_of(list[Note | Issue]), [note, issue]) == [note, issue]
    assert items_in(shape_of(list[Note]), ()) == []
    assert items_in(shape_of(dict[str, int]), {"a": 1}) == [{"a": 1}]
    assert items_in(shape_of(float), 1) == [1]


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (Issue, None),
        (Bug, Issue()),
        (None, Issue()),
        (Issue | None, "text"),
        (list[Issue], Issue()),
        (list[Issue], [Issue(), None]),
        (tuple[Issue, Issue], (Issue(),)),
        (tuple[Issue, Issue], [Issue(), Issue()]),
        (dict[str, int], [("a", 1)]),
    ],
)
def test_a_value_of_another_shape_is_a_mismatch(annotation: object, value: object) -> None:
    with pytest.raises(Mismatch):
        items_in(shape_of(annotation), value)


def test_a_list_that_fits_none_of_several_shapes_is_told_with_what_it_holds() -> None:
    with pytest.raises(Mismatch, match=r"^list of Issue, str$"):
        items_in(shape_of(list[Note] | None), ["x", Issue(), Issue()])
