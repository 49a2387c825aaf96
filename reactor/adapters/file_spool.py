"""A spool: byte items in order in files of one folder, fsynced, bounded, taken from the front.

    FOLDER/lock              held by the one process that uses the folder
    FOLDER/NNNN.items        a segment: the item of that number and those after it
    FOLDER/taken             number of the first item that was not taken yet
    FOLDER/aside/NNNN.item   an item that can't be used; nobody reads it again

Several appends at once share one fsync.  What was written halfway when a process was killed is
cut off when the folder is opened next; it was acknowledged to nobody.  `taken` is not fsynced:
after a power cut the last items may be given again, never too few.  Where the files are gone, or
can't be read, nothing is added behind them, and nothing is given up: a volume may come back.
"""

import asyncio
import fcntl
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import structlog

from reactor.adapters import spool_segments as segments
from reactor.adapters.spool_segments import Item, Segment
from reactor.errors import InfrastructureError, ReactorError

MIB = 1024 * 1024
_MOST_AT_ONCE = 64  # items that are read at once
_ORDINARY = 64 * 1024  # bytes; few deliveries are larger
_FULL_FOR_S = 10.0  # how long a disk that took nothing is not relied upon

T = TypeVar("T")


class SpoolInUse(ReactorError):
    """Another process uses the folder: two would write over each other."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder

    def __str__(self) -> str:
        return (
            f"the spool {self.folder} is used by another gateway: stop that one, or give each a"
            " folder of its own (setting gateway.spool, REACTOR_SPOOL)"
        )


class SpoolUnusable(ReactorError):
    """The folder can't be made, read or written to."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(folder, why)
        self.folder, self.why = folder, why

    def __str__(self) -> str:
        return (
            f"the spool {self.folder} can't be used ({self.why}): mend that, or set another folder"
            " (gateway.spool, REACTOR_SPOOL)"
        )


class SpoolRefused(InfrastructureError):
    """Nothing more can be kept now: the spool is full, or its disk does not take it."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__("the spool", why)
        self.args = (folder, why)
        self.folder, self.why = folder, why

    def __str__(self) -> str:
        return f"the spool {self.folder} keeps nothing more ({self.why}); send it again later"


class SpoolUnreadable(InfrastructureError):
    """What waits can't be read: its files are gone, or the disk does not give them."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__("the spool", why)
        self.args = (folder, why)
        self.folder, self.why = folder, why

    def __str__(self) -> str:
        return (
            f"what waits in the spool {self.folder} can't be read ({self.why}), so nothing is added"
            " to it: bring its files back (is the volume mounted?), or give them up by starting"
            " the gateway again"
        )


@dataclass(frozen=True, slots=True)
class SpoolSize:
    """How much waits in a spool."""

    items: int
    bytes: int


@asynccontextmanager
async def open_spool(folder: Path, *, size_up_to: int) -> AsyncIterator["FileSpool"]:
    """The spool in `folder`, which is made if it is not there; nobody else can have it meanwhile.

    `size_up_to` is in bytes, of all its files.  Raises `SpoolInUse` and `SpoolUnusable`.
    """
    with _unusable(folder):
        await asyncio.to_thread((folder / "aside").mkdir, parents=True, exist_ok=True)
        lock = await asyncio.to_thread((folder / "lock").open, "w")
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SpoolInUse(folder) from None
        with _unusable(folder):
            found = await asyncio.to_thread(segments.load, folder)
        spool = FileSpool(folder, found, lock=lock.fileno(), size_up_to=size_up_to)
        try:
            yield spool
        finally:
            await spool.close()
    finally:
        lock.close()


def size_of(folder: Path) -> SpoolSize:
    """How much waits there, also while a gateway uses it.  Raises `SpoolUnusable`."""
    with _unusable(folder):
        waiting = [item.size for item in segments.waiting(folder)]
    return SpoolSize(items=len(waiting), bytes=sum(waiting))


class FileSpool:
    """Keeps items until they are taken; made by `open_spool`, for one event loop."""

    def __init__(self, folder: Path, found: segments.Found, *, lock: int, size_up_to: int) -> None:
        self._folder, self._lock, self._size_up_to = folder, lock, size_up_to
        self._segment_up_to = max(min(size_up_to // 8, 16 * MIB), 1)
        self._segments, self._waiting = deque(found.segments), deque(found.waiting)
        self._next = found.next_number
        self._bytes = sum(item.size for item in self._waiting)
        self._pending: list[tuple[bytes, asyncio.Future[None]]] = []
        self._pending_bytes = 0
        self._writing: asyncio.Task[None] | None = None
        self._begun: set[asyncio.Task[Any]] = set()
        self._full_until = 0.0  # in the loop's seconds: the disk took nothing a moment ago
        self._trouble = ""  # why what waits could not be read when it was looked at last
        self._files = asyncio.Lock()  # one thread at a time is at the files
        self._log = structlog.get_logger("reactor.spool")
        for what, where in found.cut:
            self._log.warning("spool_tail_cut", file=where, what=what)

    @property
    def size(self) -> SpoolSize:
        """How much waits."""
        return SpoolSize(items=len(self._waiting), bytes=self._bytes)

    @property
    def size_up_to(self) -> int:
        """Bytes at which it is full."""
        return self._size_up_to

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits, and nothing is being written."""
        return not self._waiting and not self._pending and self._writing is None

    @property
    def has_room(self) -> bool:
        """Whether an item of ordinary size would be taken, as far as is known."""
        is_full = asyncio.get_running_loop().time() < self._full_until
        can_be_added_to = not self._trouble and not is_full
        return can_be_added_to and self._used() + _ORDINARY <= self._size_up_to

    @property
    def is_readable(self) -> bool:
        """Whether its files were there, and could be read, when they were looked at last."""
        return not self._trouble

    async def check(self) -> None:
        """Look whether its files are there.  Raises `SpoolUnreadable`."""
        async with self._files:
            await self._check()
        if self._trouble:  # they are there, and could not be read when that was tried last
            raise SpoolUnreadable(self._folder, self._trouble)

    async def append(self, item: bytes) -> None:
        """Return once the item is on the disk, behind all that were appended before it.

        Raises `SpoolRefused`, and `SpoolUnreadable` where it would lie behind what can't be read.
        Cancelled, it may have been kept all the same.
        """
        size = segments.framed(len(item))
        if self._used() + size > self._size_up_to:
            raise SpoolRefused(self._folder, f"it is full: {self._size_up_to // MIB} MB")
        written = asyncio.get_running_loop().create_future()
        self._pending.append((item, written))
        self._pending_bytes += size
        if self._writing is None:
            self._writing = self._begin(self._write_pending())
        await written

    async def head(self, *, bytes_up_to: int = 4 * MIB) -> list[bytes]:
        """The first items, in order: at least one if there are any, and few enough to hold.

        Raises `SpoolUnreadable` where the disk does not give them; they still wait then.
        """
        wanted: list[Item] = []
        size = 0
        for item in self._waiting:
            size += item.size
            if wanted and (size > bytes_up_to or len(wanted) == _MOST_AT_ONCE):
                break
            wanted.append(item)
        return await self._finish(self._read(wanted))

    async def take(self, count: int) -> None:
        """Forget the first `count` items.  Raises `SpoolRefused`; they may be given again then."""
        await self._finish(self._take(count))

    async def set_aside(self, item: bytes) -> Path:
        """Keep an item that can't be used where nobody reads it; the file.

        It is one of `head`, and still has to be taken.  Raises `SpoolRefused`.
        """
        return await self._finish(self._at_files(segments.set_aside, self._folder, item))

    async def close(self) -> None:
        """Return once all that was begun is done, or refused."""
        while self._begun:
            await asyncio.wait(self._begun)

    def _used(self) -> int:
        return sum(segment.size for segment in self._segments) + self._pending_bytes

    def _spent(self, first: int) -> list[Segment]:
        """Segments of which everything is taken, but for the one that is written to."""
        spent = []
        while len(self._segments) > 1 and self._segments[1].first <= first:
            spent.append(self._segments.popleft())
        if not self._waiting and self._segments and not self._pending and self._writing is None:
            spent.append(self._segments.popleft())
        return spent

    def _begin(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        """Begin what must not end halfway; `close` waits for it."""
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._begun.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still waits for it gets it, too

    async def _finish(self, work: Coroutine[None, None, T]) -> T:
        """Wait for it; it goes on if the caller is cancelled, for a thread would as well."""
        return await asyncio.shield(self._begin(work))

    async def _at_files(self, work: Callable[..., T], *arguments: object) -> T:
        async with self._files:
            try:
                return await asyncio.to_thread(work, *arguments)
            except OSError as error:
                raise SpoolRefused(self._folder, _said(error)) from error

    async def _read(self, wanted: Sequence[Item]) -> list[bytes]:
        async with self._files:
            try:
                items = await asyncio.to_thread(segments.read, wanted)
            except OSError as error:
                raise self._in_trouble(error) from error
            if wanted:
                self._out_of_trouble()
            return items

    async def _check(self) -> None:
        """To be called with `_files` held."""
        paths = [segment.path for segment in self._segments]
        try:
            await asyncio.to_thread(segments.check, self._folder, self._lock, paths)
        except OSError as error:
            raise self._in_trouble(error) from error
        if not self._waiting:  # else only reading tells
            self._out_of_trouble()

    def _in_trouble(self, error: OSError) -> SpoolUnreadable:
        trouble = SpoolUnreadable(self._folder, _said(error))
        if not self._trouble:
            self._log.error(
                "spool_unreadable", items=len(self._waiting), what=str(trouble), error=trouble.why
            )
        self._trouble = trouble.why
        return trouble

    def _out_of_trouble(self) -> None:
        if self._trouble:
            self._log.warning("spool_readable_again", items=len(self._waiting))
        self._trouble = ""

    async def _take(self, count: int) -> None:
        async with self._files:
            taken = [self._waiting.popleft() for _ in range(count)]
            self._bytes -= sum(item.size for item in taken)
            first = self._waiting[0].number if self._waiting else self._next
            spent = self._spent(first)
            try:
                await asyncio.to_thread(segments.mark_taken, self._folder, first, spent)
            except OSError as error:
                raise SpoolRefused(self._folder, _said(error)) from error

    async def _write_pending(self) -> None:
        """Write until nothing more is there to be written: all that came meanwhile at once."""
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                async with self._files:
                    error = await self._write([item for item, _ in batch])
                self._pending_bytes -= sum(segments.framed(len(item)) for item, _ in batch)
                for _, written in batch:
                    if written.done():  # its caller does not wait any more
                        continue
                    if error:
                        written.set_exception(error)
                    else:
                        written.set_result(None)
        finally:
            self._writing = None

    async def _write(self, items: Sequence[bytes]) -> InfrastructureError | None:
        try:
            await self._check()
        except SpoolUnreadable as error:
            return error
        if self._trouble:
            return SpoolUnreadable(self._folder, self._trouble)
        try:
            last = await self._last_segment()
            added = await asyncio.to_thread(last.write, self._next, items)
        except OSError as error:
            self._full_until = asyncio.get_running_loop().time() + _FULL_FOR_S
            self._log.error("spool_refused", folder=str(self._folder), error=_said(error))
            return SpoolRefused(self._folder, _said(error))
        self._waiting.extend(added)
        self._next += len(added)
        self._bytes += sum(item.size for item in added)
        return None

    async def _last_segment(self) -> Segment:
        """The one that is written to."""
        if self._segments:
            last = self._segments[-1]
            if not last.is_closed and last.size < self._segment_up_to:
                return last
            if not last.size:  # nothing in it counts: the new one has its name
                self._segments.pop()
        last = await asyncio.to_thread(Segment.new, self._folder, self._next)
        self._segments.append(last)
        return last


@contextmanager
def _unusable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SpoolUnusable(folder, _said(error)) from error


def _said(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)
