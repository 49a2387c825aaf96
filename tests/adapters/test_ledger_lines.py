"""What a ledger keeps of an intent is the intent, also one that an older version has written."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic_core import from_json, to_json

from reactor.adapters.ledger_lines import IntentLines, LedgerLines
from reactor.codec import Codec
from tests.contract.ledgers import intent
from tests.contract.samples import CATALOG


@pytest.fixture
def lines() -> LedgerLines:
    return LedgerLines(Codec(CATALOG))


@pytest.mark.parametrize(
    "at", [None, datetime(2026, 3, 1, 12, 0, 5, 250, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)]
)
def test_when_it_happened_comes_back_as_it_was(lines: LedgerLines, at: datetime | None) -> None:
    wished = intent(happened_at=at)

    back = lines.read(lines.write(wished))

    assert back == wished
    assert at is None or (back.happened_at is not None and back.happened_at.tzinfo is not None)


def test_what_was_written_before_there_was_such_a_time_is_read(lines: LedgerLines) -> None:
    written = lines.write(intent())
    told = from_json(written.told)
    del told["happened_at"]

    back = lines.read(IntentLines(written.effect, to_json(told)))

    assert back == intent()


def test_later_and_earlier_can_be_told_after_it_was_kept(lines: LedgerLines) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)

    back = lines.read(lines.write(intent(happened_at=at)))

    assert back.happened_at is not None
    assert back.happened_at < at + timedelta(seconds=1)
