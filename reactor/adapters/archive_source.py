"""What is new in the archive folder, for the index: each file read on from where it was read to."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog

from reactor.adapters.archive_folder import IMPORTED, files_of
from reactor.archive import Damage, members
from reactor.archive_lines import UnreadableLine, item_of
from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.records import Batch, DeliveryMark, delivery_mark

_SOURCE = "archive "
_ITEMS = 500  # in one batch, more or less
_BYTES = 4 * 1024 * 1024  # of text, the same


@dataclass(slots=True)
class ArchiveSource:
    """Fits `reactor.indexing.Source`."""

    folder: Path
    _looked_at: dict[str, tuple[int, int]] = field(default_factory=dict, init=False)
    """By file, its size when it was read last, and up to where that went."""

    async def batches(self, places: Mapping[str, str]) -> AsyncIterator[Batch]:
        """All that was added since `places`, oldest file first."""
        for path in await asyncio.to_thread(files_of, self.folder):
            begin = _begin(places.get(_SOURCE + path.name))
            reading = _Reading(path, begin)
            if not await asyncio.to_thread(self._is_longer, path, begin):
                continue
            parts = reading.parts()
            while (batch := await asyncio.to_thread(next, parts, None)) is not None:
                yield batch
            self._looked_at[path.name] = (reading.size, reading.end)

    def _is_longer(self, path: Path, begin: int) -> bool:
        """Whether there may be more than was read; what is damaged at the end isn't read anew."""
        try:
            size = path.stat().st_size
        except OSError:  # its time was over
            return False
        return size > begin and self._looked_at.get(path.name) != (size, begin)


@dataclass(slots=True)
class _Reading:
    path: Path
    begin: int
    size: int = 0
    end: int = field(default=0, init=False)

    def parts(self) -> Iterator[Batch]:
        """In a thread.  A file that can't be read at all is told, and passed over."""
        self.end = self.begin
        try:
            with self.path.open("rb") as file:
                stat = self.path.stat()
                self.size = stat.st_size
                is_brought = self.path.name.startswith(IMPORTED)
                part = _Part(
                    self.path.name,
                    datetime.fromtimestamp(stat.st_mtime, UTC) if is_brought else None,
                )
                for member in members(file, begin=self.begin):
                    if isinstance(member, Damage):
                        part.damaged += 1
                        continue
                    part.add(member.begin, member.text)
                    self.end = part.end = member.end
                    if part.is_full:
                        yield part.taken()
                if part.end:
                    yield part.taken()
        except OSError as error:
            log = structlog.get_logger("reactor.journal")
            log.warning("archive_file_unreadable", file=self.path.name, error=str(error))


@dataclass(slots=True)
class _Part:
    name: str
    keep_from: datetime | None
    records: list[JournalRecord] = field(default_factory=list)
    deliveries: list[tuple[DeliveryMark, str]] = field(default_factory=list)
    size: int = 0
    end: int = 0
    damaged: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.records) + len(self.deliveries) >= _ITEMS or self.size >= _BYTES

    def add(self, begin: int, text: bytes) -> None:
        self.size += len(text)
        for number, line in enumerate(text.splitlines()):
            try:
                item = item_of(line)
            except UnreadableLine:
                self.damaged += 1
                continue
            if isinstance(item, Delivery):
                self.deliveries.append((delivery_mark(item), f"{self.name}:{begin}:{number}"))
            elif item is not None:
                self.records.append(item)

    def taken(self) -> Batch:
        """What is there, and begin again."""
        if self.damaged:
            log = structlog.get_logger("reactor.journal")
            log.warning("archive_damaged", file=self.name, places=self.damaged)
        batch = Batch(
            records=tuple(self.records),
            deliveries=tuple(self.deliveries),
            places={_SOURCE + self.name: json.dumps({"next": self.end})},
            keep_from=self.keep_from,
        )
        self.records, self.deliveries, self.size, self.damaged = [], [], 0, 0
        return batch


def _begin(place: str | None) -> int:
    try:
        return int(json.loads(place)["next"]) if place else 0
    except (ValueError, KeyError, TypeError):
        return 0
