"""What services answer can be written down and read again, by what their methods return."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from reactor.approving import ApprovalDesk
from reactor.community import CommunityStore, Entity
from reactor.encoded import Encoded
from reactor.errors import InfrastructureError
from reactor.failure import PassingLater, in_one_line, kind_of
from reactor.permissions import Permissions, PermissionUnknown, RepositoryRef
from reactor.ports import Clock, Contexts
from reactor.recounting import Explanations
from reactor.repository_rules import RulesOfRepositories
from reactor.restarting import Restarts
from reactor.service_calls import Method, NotKept, error_data, error_of, methods_of
from reactor.testing import context

SERVICES = (
    ApprovalDesk,
    Clock,
    CommunityStore,
    Contexts,
    Explanations,
    Permissions,
    Restarts,
    RulesOfRepositories,
)
METHODS = [method for service in SERVICES for method in methods_of(service).values()]

st.register_type_strategy(
    Encoded, st.builds(Encoded, st.text(), st.text().map(lambda text: json.dumps(text).encode()))
)

st.register_type_strategy(
    Entity,
    st.builds(
        Entity,
        kind=st.sampled_from(["issue", "pull_request", "person"]),
        key=st.text(),
        name=st.text(),
    ),
)

st.register_type_strategy(  # a dict, as all of ours return
    Mapping, lambda kind: st.dictionaries(*map(st.from_type, get_args(kind)))
)


def kept(told: Mapping[str, Any]) -> Any:
    """As the journal has it."""
    return json.loads(json.dumps(told))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.label)
def test_what_any_method_of_a_provided_service_returns_comes_back_equal(method: Method) -> None:
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.from_type(get_type_hints(method.function)["return"]))
    def check(result: Any) -> None:
        assume(not isinstance(result, float) or math.isfinite(result))  # JSON has no others

        assert method.result_of(kept(method.answered("", result))) == result

    check()


def test_a_moment_comes_back_with_its_zone() -> None:
    now = methods_of(Clock)["now"]
    at = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)

    again = now.result_of(kept(now.answered("", at)))

    assert (again, again.tzinfo) == (at, UTC)


def test_the_same_question_has_the_same_digest_however_it_is_put() -> None:
    claim = methods_of(CommunityStore)["claim_new"]
    entity = Entity(kind="issue", key="github.com/1#7", name="#7 Brakes")

    asked = claim.asked(([entity],), {"purpose": "a", "process_id": "p-1"})

    assert asked == claim.asked((), {"process_id": "p-1", "purpose": "a", "entities": (entity,)})
    assert asked != claim.asked(([entity],), {"purpose": "b", "process_id": "p-1"})
    assert asked != claim.asked(([],), {"purpose": "a", "process_id": "p-1"})
    assert asked != claim.asked(([entity],), {"purpose": "a", "process_id": "p-1", "more": 1})


def test_of_a_process_that_asks_only_its_id_counts() -> None:
    last = methods_of(Explanations)["last"]
    early, late = context("p-1").process, context("p-1").process.but(usage={"tokens": 7.0})

    assert last.asked(("s",), {"asked_in": early}) == last.asked(("s",), {"asked_in": late})
    assert last.asked(("s",), {"asked_in": early}) != last.asked(
        ("s",), {"asked_in": context("p-2").process}
    )


def test_sets_and_mappings_are_asked_alike_in_any_order() -> None:
    class Finder(Protocol):
        def find(self, what: object) -> str: ...

    find = methods_of(Finder)["find"]

    assert find.asked(({"a": {3, 1, 2}, "b": 1},), {}) == find.asked(
        ({"b": 1, "a": {2, 1, 3}},), {}
    )


@pytest.mark.parametrize(
    "error",
    [
        PermissionUnknown("ann", "octo/hello", "403"),
        InfrastructureError("github.com", "it is away"),
        PassingLater("in an hour"),
        ConnectionError("reset"),
        KeyError("name"),
        TimeoutError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_that_is_known_comes_back_as_what_it_was(error: Exception) -> None:
    again = error_of(kept(error_data(error)))

    assert type(again) is type(error)
    assert (again.args, str(again)) == (error.args, str(error))


@pytest.mark.parametrize("cause", [None, ConnectionError("reset"), ValueError("no")])
def test_an_error_that_is_not_known_reads_the_same_and_counts_the_same(
    cause: Exception | None,
) -> None:
    class Strange(Exception):
        """Known to nobody but a package of somebody's."""

    error = Strange("what is this")
    error.__cause__ = cause

    again = error_of(kept(error_data(error)))

    assert in_one_line(again) == in_one_line(error) == "Strange: what is this"
    assert kind_of(again) == kind_of(error)


def test_no_secret_of_an_error_is_kept() -> None:
    told = json.dumps(error_data(ConnectionError("https://me:hunter2@host says ghp_" + "a" * 36)))

    assert "hunter2" not in told
    assert "ghp_" not in told


def test_what_is_no_json_is_not_kept_and_said_to_be_so() -> None:
    class Handles(Protocol):
        def handle(self) -> object: ...
        def callback(self) -> "NoSuchName": ...  # type: ignore[name-defined]  # noqa: F821
        def text(self) -> str: ...

    methods = methods_of(Handles)

    told = [methods[name].answered("", "\ud800") for name in ("handle", "callback", "text")]

    assert {each["not_kept"] for each in told} == {"no JSON can be made of it"}
    with pytest.raises(NotKept, match="no JSON"):
        methods["text"].result_of(told[2])


def test_a_result_that_is_of_another_type_by_now_is_not_kept_any_more() -> None:
    role = methods_of(Permissions)["role"]
    told = role.answered(role.asked((RepositoryRef(host="h", id=1, name="a/b"), "ann"), {}), 3)

    told["result"] = "overlord"

    with pytest.raises(NotKept, match="can't be read any more"):
        role.result_of(told)
