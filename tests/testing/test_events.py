"""Every event that has a class of its own can be built by its name, as GitHub would send it."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reactor.github.events import TYPED
from reactor.github.facts import facts_of
from reactor.testing import delivery, event, issue, label

OCTOKIT = Path(__file__).parents[3] / "shared" / "octokit" / "octokit_examples.jsonl"

# What the builders leave out: parts that nothing here reads, and that no test asks for.
UNREAD = frozenset({"organization", "enterprise", "installation", "pusher", "hook", "rule"})


@pytest.mark.parametrize("kind", sorted(TYPED))
def test_its_name_alone_gives_the_typed_event_whole(kind: str) -> None:
    built = event(kind)

    assert type(built) is TYPED[kind]
    assert built.unread == ()
    assert "event" in dict(facts_of(built))


@pytest.mark.parametrize("kind", sorted(TYPED))
def test_what_it_has_an_example_of_github_has_at_the_same_place(kind: str) -> None:
    name, _, action = kind.partition(".")
    like = [
        payload
        for event_name, payload in examples()
        if event_name == name and (not action or payload.get("action") == action)
    ]
    if not like:
        pytest.skip(f"@octokit/webhooks-examples has no example of {kind}")
    built: dict[str, Any] = json.loads(delivery(kind).body)
    known = {key for payload in like for key in payload}
    assert {key for key in built if key not in known} - UNREAD - {"repository", "action"} == set()

    for key, part in built.items():
        anywhere = [payload[key] for _, payload in examples() if isinstance(payload.get(key), dict)]
        if isinstance(part, dict) and anywhere:
            assert set(part) - {name for whole in anywhere for name in whole} == set(), key


def test_what_a_test_names_takes_the_place_of_what_is_there_by_itself() -> None:
    built = event("issues.labeled", issue=issue(labels=[label("P1")]), label=label("P1"))

    assert built.label.name == "P1"  # type: ignore[attr-defined]


@cache
def examples() -> list[tuple[str, dict[str, Any]]]:
    if not OCTOKIT.exists():
        pytest.skip(f"needs the example payloads of @octokit/webhooks-examples in {OCTOKIT}")
    lines = map(json.loads, OCTOKIT.read_text(encoding="utf-8").splitlines())
    return [(line["event"], line["payload"]) for line in lines]
