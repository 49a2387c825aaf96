"""The policy: nothing that narrows an effect can be widened by something else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.effect import Effect
from reactor.github.effects import (
    EFFECT_TYPES,
    AddLabels,
    Close,
    PostComment,
    RemoveLabels,
    SetLabels,
)
from reactor.github.repository_effects import CreateIssue
from reactor.policy import SEVERITY, Decision, Grants, Narrowing, Verdict, Wish, judge, labels_of

LIVE = Narrowing(source="components.triage")


class LabelIt(Effect):
    """A team's own kind."""

    label: str


def label(*names: str) -> Wish:
    return Wish(effect=AddLabels(labels=names), component="triage", number=7)


NAMES = st.sampled_from(["bug", "Bug", "area/ui", "area/db", "c++", "triage [bot]", "why?"])
PATTERNS = NAMES | st.sampled_from(["*", "area/*", "*[bot]", "b?g", ""])
PACKAGES = st.sampled_from(["triage", "Triage", "welcome"])
EFFECTS = (
    st.builds(AddLabels, labels=st.lists(NAMES, min_size=1, max_size=4).map(tuple))
    | st.builds(RemoveLabels, labels=st.lists(NAMES, min_size=1, max_size=4).map(tuple))
    | st.builds(LabelIt, label=NAMES)
    | st.builds(Close, reason=st.just("duplicate"), duplicate_of=st.integers(1, 3))
    | st.just(PostComment(body="Thanks."))
)
WISHES = st.builds(Wish, effect=EFFECTS, component=PACKAGES, number=st.none() | st.integers(1, 3))
KINDS = st.frozensets(st.sampled_from(sorted(kind.__name__ for kind in EFFECT_TYPES)))
NARROWINGS = st.builds(
    Narrowing,
    source=st.sampled_from(["the reaction", "components.triage", ".github/reactor.yml"]),
    mode=st.sampled_from(["live", "approve", "observe"]),
    kinds=st.none() | KINDS,
    labels=st.none() | st.frozensets(PATTERNS),
    muted=st.frozensets(PACKAGES),
)
SEVERAL = st.lists(NARROWINGS, max_size=4)


def severity(verdict: Verdict) -> int:
    return SEVERITY[verdict.decision]


# What holds of all of them -------------------------------------------------------------------


@given(WISHES, SEVERAL)
def test_all_together_are_exactly_as_restrictive_as_the_most_restrictive_one(
    wish: Wish, narrowings: list[Narrowing]
) -> None:
    alone = [judge(wish, ()), *(judge(wish, (narrowing,)) for narrowing in narrowings)]

    assert severity(judge(wish, narrowings)) == max(map(severity, alone))


@given(WISHES, SEVERAL, st.randoms(use_true_random=False))
def test_their_order_does_not_matter(wish: Wish, narrowings: list[Narrowing], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = [*narrowings]
    random.shuffle(shuffled)

    assert judge(wish, shuffled).decision == judge(wish, narrowings).decision


@given(WISHES, NARROWINGS, st.data())
def test_tightening_one_never_lets_more_through(
    wish: Wish, narrowing: Narrowing, data: st.DataObject
) -> None:
    kinds = narrowing.kinds if narrowing.kinds is not None else frozenset({wish.effect.kind})
    labels = narrowing.labels if narrowing.labels is not None else frozenset(labels_of(wish.effect))
    tighter = data.draw(
        st.sampled_from(
            [
                replace(narrowing, kinds=frozenset(sorted(kinds)[1:])),
                replace(narrowing, labels=frozenset(sorted(labels)[1:])),
                replace(narrowing, muted=narrowing.muted | {"welcome"}),
                replace(narrowing, mode="observe"),
            ]
        )
    )

    assert severity(judge(wish, (tighter,))) >= severity(judge(wish, (narrowing,)))


@given(WISHES, SEVERAL)
def test_whatever_is_not_allowed_says_why(wish: Wish, narrowings: list[Narrowing]) -> None:
    verdict = judge(wish, narrowings)

    assert (verdict.decision == "allow") == (verdict.reason == "")


@given(WISHES, SEVERAL)
def test_a_refusal_stands_whatever_else_is_granted(wish: Wish, narrowings: list[Narrowing]) -> None:
    refusing = Narrowing(source="the operator", kinds=frozenset())

    assert judge(wish, [*narrowings, refusing]).decision == "refuse"


# One by one ----------------------------------------------------------------------------------


def test_what_nothing_narrows_is_allowed() -> None:
    assert judge(label("bug"), ()) == Verdict("allow")
    assert judge(label("bug"), (LIVE,)) == Verdict("allow")


def test_approve_holds_it_and_observe_only_looks() -> None:
    approve, observe = replace(LIVE, mode="approve"), replace(LIVE, mode="observe")

    assert judge(label("bug"), (approve,)) == Verdict("hold", "components.triage says approve")
    assert judge(label("bug"), (approve, observe)).decision == "observe"


def test_a_kind_that_is_not_allowed_is_refused_by_its_name() -> None:
    only_comments = replace(LIVE, kinds=frozenset({"PostComment"}))

    verdict = judge(label("bug"), (only_comments,))

    assert verdict == Verdict("refuse", "components.triage does not allow AddLabels")


def test_it_is_told_in_a_mode_of_observing_too_that_an_effect_would_be_refused() -> None:
    observing = replace(LIVE, mode="observe", kinds=frozenset())

    assert judge(label("bug"), (observing,)).decision == "refuse"


def test_labels_beyond_the_list_are_refused_by_their_names() -> None:
    listed = replace(LIVE, labels=frozenset({"bug", "area/*"}))

    verdict = judge(label("area/ui", "security-ok", "approved"), (listed,))

    why = "components.triage does not allow the labels approved, security-ok"
    assert verdict == Verdict("refuse", why)


@pytest.mark.parametrize("name", ["BUG", "area/", "Area/db", "triage [bot]", "c++"])
def test_labels_are_compared_without_case_and_only_the_star_is_special(name: str) -> None:
    listed = replace(LIVE, labels=frozenset({"bug", "area/*", "*[bot]", "C++"}))

    assert judge(label(name), (listed,)).decision == "allow"


@pytest.mark.parametrize("name", ["bugs", "xarea/db", "triage b", "area"])
def test_a_pattern_has_to_fit_all_of_the_name(name: str) -> None:
    listed = replace(LIVE, labels=frozenset({"bug", "area/*", "*[bot]"}))

    assert judge(label(name), (listed,)).decision == "refuse"


@pytest.mark.parametrize("name", ["\u017fecurity", "\u212aelvin", "stra\u00dfe", "security\u200b"])
def test_a_label_that_only_looks_like_one_of_the_list_is_refused(name: str) -> None:
    listed = replace(LIVE, labels=frozenset({"security", "kelvin", "strasse", "\u00c4rger"}))

    assert judge(label(name), (listed,)).decision == "refuse"
    assert judge(label("\u00e4rger"), (listed,)).decision == "allow"


def test_a_pattern_of_many_stars_is_decided_at_once() -> None:
    """As a regular expression this one takes longer than anybody waits."""
    stars = replace(LIVE, labels=frozenset({"*a" * 49 + "*b"}))

    assert judge(label("a" * 50), (stars,)).decision == "refuse"
    assert judge(label("a" * 49 + "b"), (stars,)).decision == "allow"


def test_who_lets_some_labels_through_does_not_let_all_others_be_taken_off() -> None:
    overwrite = Wish(effect=SetLabels(labels=("bug",)), component="triage", number=7)

    some = judge(overwrite, (replace(LIVE, labels=frozenset({"bug"})),))
    every = judge(overwrite, (replace(LIVE, labels=frozenset({"*"})),))

    why = "components.triage allows some labels, and SetLabels takes off all others"
    assert some == Verdict("refuse", why)
    assert every.decision == "allow"
    assert judge(overwrite, (LIVE,)).decision == "allow"


@pytest.mark.parametrize(
    "effect",
    [
        LabelIt(label="approved"),
        CreateIssue(title="Follow up", body="To do.", labels=("approved",)),
        RemoveLabels(labels=("approved",)),
    ],
    ids=lambda effect: effect.kind,
)
def test_no_kind_gets_around_the_list_of_labels(effect: Effect) -> None:
    listed = replace(LIVE, labels=frozenset({"bug"}))

    verdict = judge(Wish(effect=effect, component="triage"), (listed,))

    assert verdict == Verdict("refuse", "components.triage does not allow the label approved")


def test_a_muted_package_is_refused_and_the_others_are_not() -> None:
    muting = Narrowing(source=".github/reactor.yml", muted=frozenset({"Triage"}))

    assert judge(label("bug"), (muting,)) == Verdict("refuse", ".github/reactor.yml mutes triage")
    assert judge(replace(label("bug"), component="welcome"), (muting,)).decision == "allow"


def test_nothing_is_a_duplicate_of_itself() -> None:
    close = Wish(effect=Close(reason="duplicate", duplicate_of=7), component="triage", number=7)

    assert judge(close, (LIVE,)) == Verdict("refuse", "#7 can't be a duplicate of itself")
    assert judge(replace(close, number=8), (LIVE,)).decision == "allow"


# Grants --------------------------------------------------------------------------------------


def test_grants_of_the_component_and_of_every_pattern_that_fits_count() -> None:
    triage = Narrowing(source="components.triage")
    all_of_octo = Narrowing(source="repositories.octo/*", mode="approve")
    hello = Narrowing(source="repositories.Octo/Hello", mode="observe")
    grants = Grants(
        components={"triage": triage},
        repositories={"github.com/octo/*": all_of_octo, "*/Octo/Hello": hello},
    )

    assert grants.about(component="triage", repository="github.com/octo/hello") == (
        triage,
        all_of_octo,
        hello,
    )
    assert grants.about(component="welcome", repository="github.com/octo/other") == (all_of_octo,)
    assert grants.about(component="welcome", repository="github.com/octopus/hello") == ()
    assert grants.about(component="welcome", repository="ghe.example.com/octo/hello") == (hello,)


@pytest.mark.parametrize(
    ("repository", "decision"),
    [
        ("github.com/octo/hello", "allow"),
        ("github.com/acme/hello", "observe"),
        ("ghe.example.com/octo/hello", "observe"),
        (None, "allow"),
    ],
    ids=["listed", "not listed", "of the same name on another host", "none"],
)
def test_an_operator_can_have_only_listed_repositories_changed(
    repository: str | None, decision: Decision
) -> None:
    grants = Grants(
        repositories={"github.com/octo/*": Narrowing(source="octo/*")}, unlisted="observe"
    )

    narrowings = grants.about(component="triage", repository=repository)

    assert judge(Wish(effect=Close(), component="triage"), narrowings).decision == decision
