"""Approvals on the command line; with servers in between: tests/e2e."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from typer.testing import Result

from reactor.cli.approving import shown
from reactor.effect import EffectRecord
from reactor.github.effects import PostComment
from reactor.ledger import Held, Intent
from reactor.wiring.redis import NoServer

Run = Callable[..., Result]


@pytest.mark.parametrize("words", [("approvals",), ("approve", "5f0c1e9a77b2")])
def test_without_servers_it_says_what_to_set(run: Run, words: tuple[str, ...]) -> None:
    assert isinstance(run(*words).exception, NoServer)


def test_what_waits_is_shown_in_two_lines_and_commands_no_terminal() -> None:
    record = EffectRecord(
        key="5f0c1e9a77b2" + "0" * 20,
        effect=PostComment(body="Thanks.\x1b[2J\nBye."),
        subject="github.com/1#7",
        action="triage.thank",
        mode="approve",
        state="intended",
    )
    intent = Intent(
        record=record,
        process_id="p1",
        delivery="github.com/d-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c1",
    )

    first, second = shown(
        Held(intent=intent, since=datetime(2026, 3, 14, 15, 9, tzinfo=UTC))
    ).splitlines()

    assert first.startswith("5f0c1e9a77b2  octo/hello#7: comment")
    assert "\x1b" not in first
    assert second == (
        "  wanted by triage.thank at 2026-03-14 15:09 UTC; `reactor explain d-1` tells why"
    )
