"""The archive: what is written comes back, and what is damaged is told and costs nothing else."""

import gzip
import json
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.archive import (
    Damage,
    DamagedArchive,
    Member,
    NoArchive,
    members,
    read_archive,
    write_archive,
)
from reactor.archive_lines import Item, head_line, item_of, line_of
from reactor.delivery import Delivery, Subject, digest
from reactor.journal import JournalRecord
from reactor.payload import parse
from reactor.testing import delivery, issue

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
_ANY_TEXT = st.text(max_size=20)  # lone surrogates as well
_MOMENTS = st.datetimes(timezones=st.just(UTC))
_BODIES = st.dictionaries(_TEXT, _JSON, max_size=3).map(
    lambda value: json.dumps(value).encode()
) | st.just(b'{"title": "\xef\xbb\xbf\xe2\x80\xae<script>"}')


@st.composite
def _deliveries(draw: st.DrawFn) -> Delivery:
    body = draw(_BODIES)
    return Delivery(
        id=draw(st.text("0123456789abcdef-", min_size=1, max_size=36)),
        event=draw(_TEXT),
        action=draw(st.none() | _TEXT),
        host=draw(_TEXT),
        subject=Subject(key=draw(_ANY_TEXT), name=draw(_ANY_TEXT)),
        body=body,
        media_type="application/json",
        payload=parse(body),
        received_at=draw(_MOMENTS),
        digest=digest(body),
        source=draw(st.sampled_from(["webhook", "cli", "timer", "command"])),
        headers=draw(st.dictionaries(_ANY_TEXT, _ANY_TEXT, max_size=3)),
        causation=tuple(draw(st.lists(_TEXT, max_size=3))),
        attempt=draw(st.integers(1, 9)),
        replayed=draw(st.booleans()),
        unclaimed=draw(st.booleans()),
        traceparent=draw(_TEXT),
    )


_RECORDS = st.builds(
    JournalRecord,
    process_id=_TEXT,
    seq=st.integers(1, 2**62),
    kind=st.sampled_from(["seeded", "tick", "answered", "rescued", "ended"]),
    at=_MOMENTS,
    data=st.dictionaries(_TEXT, st.none() | st.booleans() | _TEXT | st.integers(0, 9), max_size=4),
)


@given(item=_deliveries() | _RECORDS)
def test_an_item_comes_back_from_its_line_as_it_was(item: Item) -> None:
    line = line_of(item)

    assert line.count(b"\n") == 1
    assert item_of(line) == item


@given(items=st.lists(_deliveries() | _RECORDS, max_size=20))
@settings(max_examples=30)
def test_a_file_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, items: list[Item]
) -> None:
    path = tmp_path_factory.mktemp("archive") / "out.gz"

    write_archive(path, items)

    assert list(read_archive(path)) == items
    assert [file.name for file in path.parent.iterdir()] == ["out.gz"]


def test_a_body_that_is_no_text_is_kept_to_the_byte(tmp_path: Path) -> None:
    came = delivery("issues.opened", id="guid-1", issue=issue("It crashes"))
    form = b"payload=%7B%7D&other=\xff"
    odd = Delivery(
        id=came.id,
        event=came.event,
        action=came.action,
        host=came.host,
        subject=came.subject,
        body=form,
        media_type="application/x-www-form-urlencoded",
        payload={},
        received_at=came.received_at,
        digest=digest(form),
    )

    write_archive(tmp_path / "out.gz", [odd])

    (back,) = read_archive(tmp_path / "out.gz")
    assert isinstance(back, Delivery)
    assert back.body == form


def test_a_damaged_line_is_told_by_its_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    lines = [head_line(), line_of(_record(1)), b'{"journal": {"seq": 2}}\n', line_of(_record(3))]
    (tmp_path / "in.gz").write_bytes(gzip.compress(b"".join(lines)))
    damaged = list[Damage]()

    read = list(read_archive(tmp_path / "in.gz", damaged=damaged.append))

    assert read == [_record(1), _record(3)]
    assert [damage.line for damage in damaged] == [3]


def test_without_somebody_to_hear_of_it_damage_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "in.gz").write_bytes(gzip.compress(head_line() + b"{]\n"))

    with pytest.raises(DamagedArchive, match=r"line 2.*archive import"):
        list(read_archive(tmp_path / "in.gz"))


@pytest.mark.parametrize("at", [0.3, 0.5, 0.8])
def test_bytes_that_were_overwritten_cost_only_the_lines_that_they_hold(
    tmp_path: Path, at: float
) -> None:
    path = tmp_path / "out.gz"
    written = [_record(seq, data={"text": str(seq) * 400}) for seq in range(1, 3001)]
    write_archive(path, written)
    whole = bytearray(path.read_bytes())
    place = int(len(whole) * at)
    whole[place : place + 40] = bytes(40)
    path.write_bytes(whole)
    damaged = list[Damage]()

    read = list(read_archive(path, damaged=damaged.append))

    assert len(damaged) == 1
    assert set(map(_seq, read)) < set(map(_seq, written))
    assert len(read) > len(written) / 2


def test_what_unpacks_to_very_much_is_damage_and_no_bomb() -> None:
    bomb = gzip.compress(bytes(100_000))
    file = BytesIO(gzip.compress(b"first\n") + bomb + gzip.compress(b"last\n"))

    first, damage, last = members(file, text_up_to=10_000)

    assert isinstance(first, Member)
    assert isinstance(last, Member)
    assert (first.text, last.text) == (b"first\n", b"last\n")
    assert isinstance(damage, Damage)
    assert "too many" in damage.why


def test_a_file_that_was_cut_gives_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.gz"
    write_archive(path, [_record(seq, data={"text": str(seq) * 400}) for seq in range(1, 3001)])
    path.write_bytes(path.read_bytes()[:-100])
    damaged = list[Damage]()

    read = list(read_archive(path, damaged=damaged.append))

    assert 0 < len(read) < 3000
    assert len(damaged) == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"no gzip at all", "no gzip, or was cut off"),
        (gzip.compress(b"text\n"), "no JSON"),
        (gzip.compress(b'{"format": "reactor-archive", "version": 2}\n'), "its version is 2"),
        (gzip.compress(b'{"format": "other"}\n'), "does not say"),
    ],
    ids=["empty", "not gzip", "not JSON", "another version", "another format"],
)
def test_what_is_no_archive_is_told_so(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "in.gz").write_bytes(content)

    with pytest.raises(NoArchive, match=why):
        list(read_archive(tmp_path / "in.gz"))


def test_a_file_whose_writing_failed_is_not_there(tmp_path: Path) -> None:
    def items() -> "list[Item]":
        raise RuntimeError("the topic went away")

    with pytest.raises(RuntimeError):
        write_archive(tmp_path / "out.gz", (each for each in items()))

    assert list(tmp_path.iterdir()) == []


def _record(seq: int, data: dict[str, object] | None = None) -> JournalRecord:
    at = datetime(2026, 2, 3, tzinfo=UTC)
    return JournalRecord(process_id="p1", seq=seq, kind="tick", at=at, data=data or {})


def _seq(item: Item) -> int:
    assert isinstance(item, JournalRecord)
    return item.seq
