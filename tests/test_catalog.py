"""What may be stored, by which name it is found again, and that it comes back as it was."""

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, computed_field, field_validator

from reactor.blackboard import UnknownValue
from reactor.catalog import AmbiguousTypeName, TypeCatalog, TypeClash, UnknownTypeName
from reactor.encoded import UnstorableValue


class Urgency(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class Account(BaseModel):
    model_config = ConfigDict(frozen=True)

    login: str
    id: int


class Issue(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    number: int
    title: str = Field(alias="issueTitle")
    body: str | None = None
    user: Account | None = None
    labels: tuple[str, ...] = ()
    urgency: Urgency = Urgency.LOW
    opened_at: datetime | None = None
    weight: float = 0.0

    @computed_field
    def shouted(self) -> str:
        return self.title.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    urgency: float
    level: Level
    authors: tuple[Account, ...] = ()
    words: frozenset[str] = frozenset()
    after: timedelta = timedelta()


class Point(NamedTuple):
    x: int
    y: int


class Other(BaseModel):
    """Never given to the catalog."""

    x: int = 1


CATALOG = TypeCatalog([Urgency, Level, Account, Issue, Assessment, Point])

text = st.text(st.characters(exclude_categories=["Cs"]))  # half a surrogate pair is no UTF-8
instants = st.datetimes(timezones=st.just(UTC))
accounts = st.builds(Account, login=text, id=st.integers(-(2**80), 2**80))
issues = st.builds(
    Issue,
    number=st.integers(),
    issueTitle=text,
    body=st.none() | text,
    user=st.none() | accounts,
    labels=st.lists(text).map(tuple),
    urgency=st.sampled_from(Urgency),
    opened_at=st.none() | instants,
    weight=st.floats(allow_nan=False, allow_infinity=False),
    extra_field=st.none() | text | st.integers() | st.lists(text),
)
assessments = st.builds(
    Assessment,
    urgency=st.floats(allow_nan=False, allow_infinity=False),
    level=st.sampled_from(Level),
    authors=st.lists(accounts).map(tuple),
    words=st.frozensets(text),
    after=st.timedeltas(),
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | text
    | st.binary()
    | instants
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.uuids()
    | st.sampled_from(Urgency)
    | st.sampled_from(Level)
)
hashable = scalars | accounts | assessments | st.builds(Point, st.integers(), st.integers())
values = st.recursive(
    hashable | issues,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(hashable, inner)
        | st.sets(hashable)
        | st.frozensets(hashable)
    ),
    max_leaves=8,
)


def types_of(value: object) -> object:
    """The types of a value and of all that it holds, as far as equality does not tell them."""
    kind = type(value)
    if isinstance(value, dict):
        return kind, [(types_of(k), types_of(v)) for k, v in value.items()]
    if isinstance(value, list | tuple):
        return kind, [types_of(item) for item in value]
    if isinstance(value, set | frozenset):
        return kind, {(type(item), item) for item in value}
    return kind


@settings(max_examples=200, deadline=None)
@given(values)
@example([1, 1.0, True])
@example({1: "one", "1": "text"})
@example([[], (), {}, set(), frozenset()])
@example({"plain": [1, 2.5, None, {"deep": True}], "big": 2**70})
@example(math.inf)
@example([-math.inf])
def test_what_is_stored_comes_back_equal_and_of_the_same_types(value: object) -> None:
    encoded = CATALOG.encode(value)

    back = CATALOG.decode(*encoded)

    assert back == value
    assert types_of(back) == types_of(value)
    assert b"\n" not in encoded.json
    CATALOG.check(value)


def test_not_a_number_comes_back_as_such() -> None:
    encoded = CATALOG.encode(math.nan)

    back = CATALOG.decode(*encoded)

    assert isinstance(back, float)
    assert math.isnan(back)
    CATALOG.check(math.nan)


def test_equal_sets_are_written_alike() -> None:
    one = CATALOG.encode({"a", "b", "c", 1, None})
    two = CATALOG.encode({None, 1, "c", "b", "a"})

    assert one == two


def test_a_plain_dict_is_written_as_it_is() -> None:
    assert CATALOG.encode({"a": [1, None]}) == ("json", b'{"a":[1,null]}')


def test_a_type_is_named_by_its_module_and_place_there() -> None:
    assert CATALOG.encode(Urgency.LOW).type_name == f"{__name__}:Urgency"
    assert CATALOG.encode("text").type_name == "str"


# What can't be read any more ---------------------------------------------------------------------


def test_a_type_that_is_not_in_the_catalog_comes_back_unknown_and_goes_out_as_it_was() -> None:
    stored = CATALOG.encode(Account(login="octo", id=1))
    smaller = TypeCatalog()

    unknown = smaller.decode(*stored)

    assert unknown == UnknownValue(stored.type_name, stored.json.decode())
    assert smaller.encode(unknown) == stored


@settings(deadline=None)
@given(st.lists(accounts, min_size=1))
def test_unknown_items_of_a_container_go_out_as_they_were(items: list[Account]) -> None:
    stored = CATALOG.encode(items)
    smaller = TypeCatalog()

    written_again = smaller.encode(smaller.decode(*stored))

    assert CATALOG.decode(*written_again) == items


def test_a_value_that_its_type_refuses_by_now_comes_back_unknown() -> None:
    name = f"{__name__}:Account"

    assert CATALOG.decode(name, b'{"login":null}') == UnknownValue(name, '{"login":null}')
    assert CATALOG.decode("int", b'"seven"') == UnknownValue("int", '"seven"')
    assert CATALOG.decode("tuple", b"7") == UnknownValue("tuple", "7")


def test_a_validator_that_breaks_down_makes_the_value_unknown_too() -> None:
    class Touchy(BaseModel):
        x: int

        @field_validator("x")
        @classmethod
        def break_down(cls, x: int) -> int:
            raise LookupError(x)

    catalog = TypeCatalog([Touchy])
    name = f"{__name__}:{Touchy.__qualname__}"

    assert catalog.decode(name, b'{"x":1}') == UnknownValue(name, '{"x":1}')


@pytest.mark.parametrize(
    "name", ["subprocess:Popen", "os:system", "builtins:eval", "", "json:dumps"]
)
def test_a_name_found_in_a_store_never_makes_anything_be_imported_or_called(name: str) -> None:
    assert CATALOG.decode(name, b'["x"]') == UnknownValue(name, '["x"]')


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["json", "list", "dict", "set", "int", f"{__name__}:Issue"]), st.binary())
def test_no_stored_bytes_make_reading_fail(name: str, json: bytes) -> None:
    CATALOG.decode(name, json)


# What can't be stored ----------------------------------------------------------------------------


def test_a_value_of_an_unlisted_type_is_refused_with_what_to_do() -> None:
    with pytest.raises(UnstorableValue) as refused:
        CATALOG.encode(Other())

    assert refused.value.type_name == f"{__name__}.Other"
    assert "not in the catalog" in str(refused.value)
    assert "give it to the platform's types" in str(refused.value)


def test_a_subclass_of_a_listed_type_is_not_listed_by_that() -> None:
    class Bot(Account):
        pass

    with pytest.raises(UnstorableValue, match="Bot"):
        CATALOG.encode(Bot(login="octo", id=1))


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "make",
    [
        lambda: "half a pair: \ud800",
        lambda: ["\ud800"],
        lambda: Account(login="\ud800", id=1),
        lambda: [Other()],
        lambda: {"a": (Other(),)},
        lambda: nested(101),
        lambda: Path("x"),
        object,
    ],
)
def test_what_has_no_json_is_refused_and_not_half_written(make: Callable[[], object]) -> None:
    with pytest.raises(UnstorableValue):
        CATALOG.encode(make())


def test_a_container_that_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(UnstorableValue, match="containers in each other"):
        CATALOG.encode(endless)


def test_a_class_that_nothing_describes_is_refused_when_it_is_stored() -> None:
    class Opaque:
        pass

    with pytest.raises(UnstorableValue, match="can't describe its type"):
        TypeCatalog([Opaque]).encode(Opaque())


class Holder(BaseModel):
    model_config = ConfigDict(frozen=True)

    who: Account
    anything: Any = None
    weight: float = 0.0


class Bot(Account):
    app: str


@pytest.mark.parametrize(
    "value",
    [
        Holder(who=Bot(login="b", id=1, app="dependabot")),
        Holder(who=Account(login="b", id=1), anything=(1, 2)),
        Holder(who=Account(login="b", id=1), anything=date(2026, 1, 1)),
        Holder(who=Account(login="b", id=1), weight=math.inf),
    ],
    ids=["a subclass in a field", "a tuple in Any", "a date in Any", "infinity in a model"],
)
def test_a_value_that_would_come_back_changed_is_found_by_a_check(value: Holder) -> None:
    catalog = TypeCatalog([Holder])

    with pytest.raises(UnstorableValue, match="would not come back as it was"):
        catalog.check(value)


# The catalog itself ------------------------------------------------------------------------------


def test_types_are_found_by_simple_and_by_stable_name() -> None:
    assert CATALOG.named("Issue") is Issue
    assert CATALOG.named(f"{__name__}:Issue") is Issue


def test_an_unknown_name_comes_with_near_ones() -> None:
    with pytest.raises(UnknownTypeName, match="did you mean Issue") as unknown:
        CATALOG.named("Isue")

    assert unknown.value.near == ("Issue",)


def test_a_name_that_two_types_share_is_reported_with_both() -> None:
    class Elsewhere:
        class Issue(BaseModel):
            pass

    catalog = CATALOG.with_types([Elsewhere.Issue])

    with pytest.raises(AmbiguousTypeName) as ambiguous:
        catalog.named("Issue")

    assert len(ambiguous.value.candidates) == 2
    assert catalog.named(ambiguous.value.candidates[0]) in (Issue, Elsewhere.Issue)


def test_two_classes_of_one_full_name_are_refused() -> None:
    def make() -> type:
        class Twin(BaseModel):
            pass

        return Twin

    first, second = make(), make()

    with pytest.raises(TypeClash, match="Twin"):
        TypeCatalog([first, second])


def test_a_catalog_is_extended_without_changing_it() -> None:
    larger = CATALOG.with_types([Other, Issue])

    assert Other in larger
    assert Other not in CATALOG
    assert CATALOG.named("Issue") is larger.named("Issue")


def test_what_python_brings_needs_no_listing() -> None:
    listed = TypeCatalog([str, dict, list, int])

    assert list(listed) == []
    assert all(
        kind in listed for kind in (str, int, dict, type(None), datetime, time, Decimal, UUID)
    )


def test_types_are_listed_by_name_whatever_order_they_were_given_in() -> None:
    one, two = TypeCatalog([Issue, Account]), TypeCatalog([Account, Issue])

    assert list(one) == list(two) == [Account, Issue]


def test_named_tuples_come_back_as_such() -> None:
    back = CATALOG.decode(*CATALOG.encode(Point(1, 2)))

    assert isinstance(back, Point)
