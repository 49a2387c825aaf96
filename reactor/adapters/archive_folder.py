"""The archive in the data folder: what a broker that forgets would lose, kept for explain and replay.

    FOLDER/kept-20260314T150926Z-ab12cd34.jsonl.gz    written by one worker, never by two
    FOLDER/import-....jsonl.gz                        a file that somebody brought (`keep_from`)

Each file is an archive (`reactor.archive`) whose members are what was appended at once, fsynced.
A member that was written halfway when its worker was killed was promised to nobody.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import structlog

from reactor.archive import Damage, NoArchive, members, pack, read_archive, sync_folder
from reactor.archive_lines import Item, head_line, item_of, line_of
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.ports import Clock

FOLDER = "archive"  # in the data folder
IMPORTED = "import-"
_PATTERN = "*.jsonl.gz"
_SIZE_UP_TO = 16 * 1024 * 1024  # bytes of a file; then another one is begun
_OPEN_FOR = timedelta(days=1)  # the same, so that retention can take whole files


class ArchiveRefused(InfrastructureError):
    """The disk does not take it: nothing is settled until it does."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__("the archive", why)
        self.args = (folder, why)
        self.folder, self.why = folder, why

    def __str__(self) -> str:
        return f"the archive {self.folder} keeps nothing more ({self.why}); it is tried again"


class ArchiveWriter:
    """Appends to files of its own; several appends at once share one fsync."""

    def __init__(self, folder: Path, clock: Clock, *, keep: timedelta | None = None) -> None:
        """`folder` need not be there yet.  `keep`: how long files stay; None: for ever."""
        self._folder, self._clock, self._keep = folder, clock, keep
        self._file: BinaryIO | None = None
        self._begun_at = clock.now()
        self._pending: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def append(self, *items: Item) -> None:
        """Return once they are on the disk.  Raises `ArchiveRefused`.

        Cancelled, they may have been kept all the same.
        """
        if not items:
            return
        kept = asyncio.get_running_loop().create_future()
        self._pending.append((b"".join(map(line_of, items)), kept))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_pending())
        await kept

    async def close(self) -> None:
        """Return once what was appended is kept, or refused."""
        if self._writing:
            await asyncio.wait([self._writing])
        if self._file:
            await asyncio.to_thread(self._file.close)

    async def _write_pending(self) -> None:
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                error = await asyncio.to_thread(self._write, [lines for lines, _ in batch])
                for _, kept in batch:
                    if kept.done():  # its caller does not wait any more
                        continue
                    if error:
                        kept.set_exception(error)
                    else:
                        kept.set_result(None)
        finally:
            self._writing = None

    def _write(self, lines: Sequence[bytes]) -> ArchiveRefused | None:
        try:
            file, first = self._to_write_to()
            file.write(pack([*first, *lines]))
            os.fsync(file.fileno())
            if first:
                sync_folder(self._folder)
        except OSError as error:
            self._leave()  # what it holds of this may be half a member
            return ArchiveRefused(self._folder, error.strerror or str(error))
        return None

    def _to_write_to(self) -> tuple[BinaryIO, list[bytes]]:
        """The file, and what has to be written first in it."""
        now = self._clock.now()
        is_over = self._file is not None and (
            self._file.tell() >= _SIZE_UP_TO or now - self._begun_at >= _OPEN_FOR
        )
        if self._file is not None and not is_over:
            return self._file, []
        self._leave()
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._keep:  # a console does so too, where one runs
            forget_files(self._folder, now - self._keep)
        stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        path = self._folder / f"kept-{stamp}-{secrets.token_hex(4)}.jsonl.gz"
        self._file, self._begun_at = path.open("xb", buffering=0), now
        return self._file, [head_line()]

    def _leave(self) -> None:
        file, self._file = self._file, None
        if file:
            file.close()


# Reading -----------------------------------------------------------------------------------


def files_of(folder: Path) -> list[Path]:
    """Its files, by name: oldest first among those of workers."""
    return sorted(folder.glob(_PATTERN))


def archived(folder: Path, *, damaged: Callable[[Damage], None] | None = None) -> Iterator[Item]:
    """All that is in the folder, file by file; some of it may be there twice.

    Of a file that a worker writes to now, what is whole.  `damaged` as of `read_archive`, but
    without it, damage is passed over.
    """
    for path in files_of(folder):
        try:
            yield from read_archive(path, damaged=damaged or (lambda _: None))
        except (NoArchive, FileNotFoundError):  # just begun; or its time was over
            continue


def delivery_at(folder: Path, place: str) -> Delivery | None:
    """The delivery at a place that `ArchiveSource` has told; None where it is not there any more."""
    try:
        name, begin, line = place.rsplit(":", 2)
        with (folder / name).open("rb") as file:
            member = next(members(file, begin=int(begin)), None)
        if not member or isinstance(member, Damage):
            return None
        found = item_of(member.text.splitlines()[int(line)])
    except (OSError, IndexError, ValueError):  # `UnreadableLine` is one
        return None
    return found if isinstance(found, Delivery) else None


def forget_files(folder: Path, before: datetime) -> int:
    """Remove files to which nothing was written since then; how many it were."""
    log, gone = structlog.get_logger("reactor.archive"), 0
    for path in files_of(folder):
        try:
            if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
                path.unlink()
                log.info("archive_file_removed", file=path.name)
                gone += 1
        except OSError as error:
            log.warning("archive_file_stays", file=path.name, error=str(error))
    return gone
