"""What deliveries say of issues, repositories and installations that come and go."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.delivery import Delivery
from reactor.effect import Effect
from reactor.github import AddLabels, CreateIssue, Dispatch, PostComment
from reactor.github.lifecycle import OurApp, change_of, place_changed_by
from reactor.lifecycle import Change
from reactor.testing import account, delivery, issue, repository

ISSUE, HERE = "github.com/1296269#7", "github.com/1296269"
APP = OurApp(app_id=12)
INSTALLATION: Mapping[str, Any] = {"id": 42, "app_id": 12, "account": account("octo")}
LISTED = [{"id": 1, "full_name": "octo/one"}, {"id": 2, "full_name": "octo/two"}]


def changed(told: Delivery, us: OurApp = APP) -> Change:
    change = change_of(told, us)
    assert change is not None
    return change


def installation(kind: str, **payload: Any) -> Delivery:
    told = {"repository": None, "installation": INSTALLATION}
    return delivery(kind, **told | payload)


# Issues and discussions ----------------------------------------------------------------------


def test_an_issue_that_was_deleted_is_gone_for_good() -> None:
    told = delivery("issues.deleted", issue=issue(number=7))

    change = changed(told)

    assert change.places == (ISSUE,)
    assert change.begins is not None
    assert change.begins.is_for_good
    assert change.begins.word == "deleted"
    assert change.begins.why == "octo/hello#7 was deleted"
    assert (change.begins.since, change.begins.delivery) == (told.received_at, told.key)


def test_one_that_was_transferred_says_where_to() -> None:
    told = delivery(
        "issues.transferred",
        issue=issue(number=7),
        changes={"new_issue": issue(number=3), "new_repository": repository("octo/sledge")},
    )

    begins = changed(told).begins

    assert begins is not None
    assert begins.is_for_good
    assert begins.why == "octo/hello#7 was transferred to octo/sledge#3"


@pytest.mark.parametrize(
    "changes",
    [None, {}, [], {"new_repository": 7}, {"new_repository": {"full_name": "a\nb"}}],
)
def test_where_to_is_left_out_where_it_is_not_told_as_it_should_be(changes: object) -> None:
    told = delivery("issues.transferred", issue=issue(number=7), changes=changes)

    begins = changed(told).begins

    assert begins is not None
    assert begins.why == "octo/hello#7 was transferred"


def test_a_discussion_goes_as_an_issue_does() -> None:
    talk = {"id": 5, "number": 7, "title": "Sleds"}

    deleted = changed(delivery("discussion.deleted", discussion=talk))
    moved = changed(
        delivery(
            "discussion.transferred",
            discussion=talk,
            changes={"new_discussion": {"number": 9}, "new_repository": repository("octo/b")},
        )
    )

    assert deleted.places == moved.places == (ISSUE,)
    assert moved.begins is not None
    assert moved.begins.why == "octo/hello#7 was transferred to octo/b#9"


def test_one_that_comes_by_a_transfer_is_there_whatever_was_known_of_its_number() -> None:
    told = delivery("issues.opened", issue=issue(number=7), changes={"old_issue": issue(number=3)})

    change = changed(told)

    assert change.places == (ISSUE,)
    assert change.begins is None
    assert change.ends == {"deleted", "transferred"}


@pytest.mark.parametrize("kind", ["issues.opened", "issues.labeled", "issues.closed"])
def test_most_of_what_happens_to_issues_says_nothing(kind: str) -> None:
    assert change_of(delivery(kind, issue=issue(number=7)), APP) is None


# Repositories --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "word"), [("repository.deleted", "deleted"), ("repository.archived", "archived")]
)
def test_a_repository_that_goes_takes_all_that_is_in_it(kind: str, word: str) -> None:
    change = changed(delivery(kind))

    assert change.places == (HERE,)
    assert change.begins is not None
    assert change.begins.word == word
    assert "octo/hello" in change.begins.why


def test_one_that_is_archived_may_come_back() -> None:
    archived, back = changed(delivery("repository.archived")), delivery("repository.unarchived")

    assert archived.begins is not None
    assert not archived.begins.is_for_good
    assert "archived" in changed(back).ends


@pytest.mark.parametrize("action", ["renamed", "transferred", "privatized", "publicized", "edited"])
def test_one_that_was_changed_is_looked_at_anew_and_nothing_is_absent(action: str) -> None:
    change = changed(delivery(f"repository.{action}"))

    assert change.places == (HERE,)
    assert change.begins is None
    assert change.forgets


# Installations -------------------------------------------------------------------------------


def test_an_app_that_was_uninstalled_reaches_none_of_its_repositories() -> None:
    change = changed(installation("installation.deleted", repositories=LISTED))

    assert (change.installation, change.places) == (42, ("github.com/1", "github.com/2"))
    assert change.begins is not None
    assert change.begins.word == "removed"
    assert not change.begins.is_for_good


def test_where_a_token_writes_without_the_app_nothing_is_absent_and_what_was_known_goes() -> None:
    us = OurApp(app_id=12, has_token=True)

    gone = changed(installation("installation.deleted", repositories=LISTED), us)
    fewer = changed(
        installation("installation_repositories.removed", repositories_removed=LISTED), us
    )

    assert gone.begins is fewer.begins is None
    assert gone.forgets
    assert fewer.forgets


def test_one_that_is_suspended_is_told_without_its_repositories_and_comes_back() -> None:
    suspended = changed(installation("installation.suspend"))
    back = changed(installation("installation.unsuspend"))

    assert (suspended.installation, suspended.places) == (42, ())
    assert suspended.begins is not None
    assert suspended.begins.word == "suspended"
    assert "suspended" in back.ends
    assert back.begins is None


def test_repositories_come_to_an_installation_and_leave_it() -> None:
    come = changed(installation("installation_repositories.added", repositories_added=LISTED))
    leave = changed(installation("installation_repositories.removed", repositories_removed=LISTED))

    assert come.places == leave.places == ("github.com/1", "github.com/2")
    assert come.installation is leave.installation is None  # the others stay as they are
    assert "removed" in come.ends
    assert leave.begins is not None
    assert leave.begins.word == "removed"


def test_new_permissions_make_one_forget_tokens_and_nothing_else() -> None:
    change = changed(installation("installation.new_permissions_accepted", repositories=LISTED))

    assert change.forgets
    assert change.begins is None
    assert change.ends == frozenset()


@pytest.mark.parametrize(
    ("payload", "us"),
    [
        ({}, OurApp()),
        ({"installation": {**INSTALLATION, "app_id": 13}}, APP),
        ({"installation": {"id": "42"}}, APP),
        ({"installation": None}, APP),
    ],
    ids=["we are no app", "another app", "no id", "none"],
)
def test_installations_that_are_not_ours_say_nothing(payload: Any, us: OurApp) -> None:
    assert change_of(installation("installation.deleted", **payload), us) is None


@pytest.mark.parametrize("repositories", [None, "all", [None, 7, {"id": "1"}, {"id": True}]])
def test_what_is_no_list_of_repositories_is_none(repositories: object) -> None:
    change = changed(installation("installation.deleted", repositories=repositories))

    assert change.places == ()


@pytest.mark.parametrize(
    "kind", ["repository.painted", "repository", "installation.painted", "installation"]
)
def test_what_github_has_no_name_for_says_nothing(kind: str) -> None:
    assert change_of(delivery(kind, installation=INSTALLATION), APP) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "number", "full_name", "app_id", "new_issue", "new_repository"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
PARTS = ("repository", "installation", "issue", "discussion", "changes", "repositories")
KINDS = (
    *("issues.deleted", "issues.transferred", "issues.opened", "discussion.deleted"),
    *("repository.deleted", "repository.renamed", "installation.deleted", "installation.suspend"),
    *("installation_repositories.added", "installation_repositories.removed"),
)


@given(kind=st.sampled_from(KINDS), payload=st.fixed_dictionaries(dict.fromkeys(PARTS, JSON)))
def test_whatever_stands_in_a_payload_is_read(kind: str, payload: dict[str, Any]) -> None:
    change = change_of(delivery(kind, **payload), APP)

    places = change.places if change else ()
    assert all(place.startswith("github.com/") for place in places)


@pytest.mark.parametrize("source", ["timer", "signal", "cli"])
def test_only_hosts_say_what_becomes_of_places(source: Any) -> None:
    told = replace(delivery("issues.deleted", issue=issue(number=7)), source=source)

    assert change_of(told, APP) is None


# What effects need ---------------------------------------------------------------------------


class Call(Effect):
    """A team's own."""


@pytest.mark.parametrize(
    ("effect", "place"),
    [
        (AddLabels(labels=("bug",)), ISSUE),
        (PostComment(body="hello"), ISSUE),
        (CreateIssue(title="Weekly", body="report"), HERE),
        (Dispatch(event_type="gone"), HERE),
        (Call(), None),
    ],
)
def test_an_effect_needs_its_issue_or_its_repository_or_nothing_there(
    effect: Effect, place: str | None
) -> None:
    assert place_changed_by(effect, ISSUE) == place
