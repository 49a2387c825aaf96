"""What is sent to the gateway: comments that wish for labels, all from one seed.  Pure.

Each comment is a wish: put a label on its issue, or take one off.  Some deliveries of it come
more often: the same id again, at once or later; another id with the same body, as a second hook
sends it.  All are accepted; a wish is to be heeded once.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random  # noqa: TID251 - seeded: one seed draws the same again
from typing import Literal

LABELS = ("blue", "green", "red")
REPOSITORY = 505_050_505
HOST = "github.com"

Kind = Literal["first", "at_once", "later", "second_hook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one comment asks for."""

    number: int
    issue: int
    label: str
    on: bool
    takes_ms: int = 0  # how long the reactions think about it
    explodes: bool = False  # one of the reactions breaks on it, for good

    @property
    def subject(self) -> str:
        """The key of its subject."""
        return f"{HOST}/{REPOSITORY}#{self.issue}"

    @property
    def text(self) -> str:
        """The comment's body; `packages.wish.read` reads it."""
        verb = "break" if self.explodes else "put" if self.on else "take"
        return f"{verb} {self.label} after {self.takes_ms} ms (wish {self.number})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One POST to be made: again and again until it is answered 202."""

    at_s: float  # after the start
    delivery: str
    wish: Wish
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How much is sent."""

    deliveries: int  # different ids
    subjects: int
    over_s: float


def plan(rng: Random, amount: Amount) -> list[Shot]:
    """All shots, in the order of their times."""
    shots: list[Shot] = []
    ids = number = 0
    while ids < amount.deliveries:
        number += 1
        wish = _wish(rng, number, amount.subjects)
        at_s = rng.uniform(0, amount.over_s)
        for shot in _shots(rng, wish, at_s, amount.over_s):
            shots.append(shot)
            ids += shot.kind in ("first", "second_hook")
    return sorted(shots, key=lambda shot: shot.at_s)


def _wish(rng: Random, number: int, subjects: int) -> Wish:
    takes_ms = rng.choice((0, 0, 0, 0, 0, 20, 150, 600, 2_000))
    return Wish(
        number=number,
        issue=1 + rng.randrange(subjects),
        label=rng.choice(LABELS),
        on=rng.random() < 0.5,
        takes_ms=takes_ms,
    )


def _shots(rng: Random, wish: Wish, at_s: float, over_s: float) -> Iterator[Shot]:
    first = Shot(at_s=at_s, delivery=f"d-{wish.number}", wish=wish, kind="first")
    yield first
    if rng.random() < 0.10:
        yield Shot(at_s=at_s, delivery=first.delivery, wish=wish, kind="at_once")
    if rng.random() < 0.05:
        later_s = min(at_s + rng.uniform(1, 60), over_s)
        yield Shot(at_s=later_s, delivery=first.delivery, wish=wish, kind="later")
    if rng.random() < 0.05:
        hook_s = min(at_s + rng.uniform(0, 5), over_s)
        yield Shot(at_s=hook_s, delivery=f"h-{wish.number}", wish=wish, kind="second_hook")


def body_of(wish: Wish) -> bytes:
    """The payload of `issue_comment.created`; the same bytes for the same wish."""
    time = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=wish.number)).isoformat()
    person = {"id": 7003, "login": "lin-maintainer", "type": "User"}
    issue = {
        "id": 3_000_000_000 + wish.issue,
        "number": wish.issue,
        "title": f"Issue {wish.issue}",
        "body": "Colours, please.",
        "user": person,
        "state": "open",
        "labels": [],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": time,
    }
    comment = {
        "id": 4_000_000_000 + wish.number,
        "body": wish.text,
        "user": person,
        "created_at": time,
        "updated_at": time,
    }
    document = {
        "action": "created",
        "issue": issue,
        "comment": comment,
        "repository": {"id": REPOSITORY, "full_name": "harbour/lantern", "name": "lantern"},
        "sender": person,
    }
    return json.dumps(document).encode()
