"""Which deliveries are meant: all that was said has to fit."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reactor.replay.selection import Selection
from reactor.testing import delivery, issue

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
OPENED = replace(delivery("issues.opened", id="d-7", issue=issue()), received_at=NOON)


@pytest.mark.parametrize(
    "meant",
    [
        Selection(),
        Selection(since=NOON, until=NOON + timedelta(seconds=1)),
        Selection(events=frozenset({"issues"})),
        Selection(events=frozenset({"issues.opened", "push"})),
        Selection(repositories=frozenset({"octo/hello"})),
        Selection(deliveries=frozenset({"d-7"})),
        Selection(deliveries=frozenset({"github.com/d-7"}), events=frozenset({"issues"})),
    ],
)
def test_it_is_meant(meant: Selection) -> None:
    assert meant.has(OPENED)


@pytest.mark.parametrize(
    "meant",
    [
        Selection(since=NOON + timedelta(seconds=1)),
        Selection(until=NOON),
        Selection(events=frozenset({"issue", "issues.closed"})),
        Selection(repositories=frozenset({"octo/hell"})),
        Selection(deliveries=frozenset({"d-7"}), events=frozenset({"push"})),
    ],
)
def test_it_is_not(meant: Selection) -> None:
    assert not meant.has(OPENED)


def test_repositories_are_called_in_any_case() -> None:
    shouted = replace(OPENED, subject=replace(OPENED.subject, name="Octo/HELLO#17"))

    assert Selection(repositories=frozenset({"octo/hello"})).has(shouted)
