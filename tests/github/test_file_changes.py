"""Which files a delivery may have changed."""

from typing import Any

import pytest

from reactor.github.file_changes import NONE, changes_in
from reactor.permissions import RepositoryRef
from tests.github.conftest import REPOSITORY, MakeDelivery

HELLO = {**REPOSITORY, "default_branch": "main"}
AFTER = "c" * 40


def push(*files: str, **more: Any) -> dict[str, Any]:
    """To the default branch, of one commit that touches these files."""
    commit = {"id": AFTER, "added": [], "modified": list(files), "removed": []}
    usual = {"ref": "refs/heads/main", "after": AFTER, "commits": [commit], "repository": HELLO}
    return {**usual, **more}


def test_a_push_to_the_default_branch_that_touches_the_file(make_delivery: MakeDelivery) -> None:
    found = changes_in(make_delivery("push", **push("README.md", ".github/reactor.yml")))

    assert (found.names, found.commit) == (("octo/hello",), AFTER)
    assert found.pushed_to == RepositoryRef(host="github.com", id=1296269, name="octo/hello")


@pytest.mark.parametrize("how", ["added", "removed"])
def test_the_file_may_be_new_or_gone(make_delivery: MakeDelivery, how: str) -> None:
    commits = [{how: [".github/reactor.yml"]}]

    assert changes_in(make_delivery("push", **push(commits=commits))).names == ("octo/hello",)


@pytest.mark.parametrize(
    "more",
    [
        {"ref": "refs/heads/other"},
        {"ref": "refs/tags/main"},
        {"commits": [{"modified": ["docs/.github/reactor.yml"]}, {"modified": None}, 3]},
        {"commits": []},
        {"repository": {"id": "1", "full_name": "octo/hello", "default_branch": "main"}},
        {"repository": None},
    ],
)
def test_other_pushes_change_nothing(make_delivery: MakeDelivery, more: dict[str, Any]) -> None:
    payload = {**push(".github/reactor.yml"), **more}

    assert changes_in(make_delivery("push", **payload)) == NONE


@pytest.mark.parametrize(
    "more",
    [
        {"forced": True},
        {"created": True},
        {"commits": [{"modified": ["README.md"]}] * 20},
        {"commits": None},
    ],
)
def test_a_push_that_does_not_tell_all_it_touches_may_touch_the_file(
    make_delivery: MakeDelivery, more: dict[str, Any]
) -> None:
    found = changes_in(make_delivery("push", **push("README.md", **more)))

    assert found.names == ("octo/hello",)


def test_of_a_renamed_repository_both_names_are_looked_at(make_delivery: MakeDelivery) -> None:
    changes = {"repository": {"name": {"from": "hallo"}}}

    found = changes_in(make_delivery("repository", action="renamed", changes=changes))

    assert found.names == ("octo/hello", "octo/hallo")
    assert found.pushed_to is None


@pytest.mark.parametrize("kind", ["user", "organization"])
def test_so_they_are_of_one_that_was_transferred(make_delivery: MakeDelivery, kind: str) -> None:
    changes = {"owner": {"from": {kind: {"login": "acme"}}}}

    found = changes_in(make_delivery("repository", action="transferred", changes=changes))

    assert found.names == ("octo/hello", "acme/hello")


def test_repositories_that_an_installation_names_are_looked_at_and_their_owners(
    make_delivery: MakeDelivery,
) -> None:
    named = {
        "installation": {"id": 1, "account": {"login": "octo"}},
        "repositories_added": [{"full_name": "octo/hello"}, {"full_name": "octo/more"}, None],
        "repositories_removed": [{"full_name": "octo/old"}],
    }

    found = changes_in(make_delivery("installation_repositories", action="added", **named))

    assert found.names == ("octo/.github", "octo/hello", "octo/more", "octo/old")


def test_other_events_change_nothing(make_delivery: MakeDelivery) -> None:
    assert changes_in(make_delivery("issues", action="opened")) == NONE


def test_the_published_examples_are_read(
    make_delivery: MakeDelivery, octokit_examples: list[tuple[str, dict[str, Any]]]
) -> None:
    changed = {
        event
        for event, payload in octokit_examples
        if changes_in(make_delivery(event, **payload)).names
    }

    assert {"repository", "installation", "installation_repositories"} <= changed
    assert changed <= {"push", "repository", "installation", "installation_repositories"}
