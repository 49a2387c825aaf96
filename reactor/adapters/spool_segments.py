"""The files of a spool: segments of items, each item with its length and a checksum before it.

    4 bytes   length of the item, unsigned, big-endian
    4         CRC-32 of those four bytes and of the item
    n         the item

A segment is called by the number of its first item, and the next segment's name says how many
count in it: what an append left behind that failed does not.  Blocking calls only; `file_spool`
has them in a thread, one at a time.
"""

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from pathlib import Path

_HEADER = struct.Struct(">II")
_SUFFIX = ".items"


@dataclass(frozen=True, slots=True)
class Item:
    """Where an item lies."""

    number: int
    path: Path
    start: int  # of its bytes, after length and checksum
    length: int

    @property
    def size(self) -> int:
        """Bytes that it takes in its file."""
        return framed(self.length)


@dataclass(slots=True)
class Segment:
    """One file."""

    path: Path
    first: int
    size: int  # as far as it is known to be good
    is_closed: bool = False  # writing to it failed: it is not trusted with more

    @classmethod
    def new(cls, folder: Path, first: int) -> "Segment":
        """An empty one, which is there after a power cut, too.  Raises `OSError`."""
        path = folder / f"{first:016}{_SUFFIX}"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        _sync_folder(folder)
        return cls(path, first, 0)

    def write(self, number: int, items: Sequence[bytes]) -> list[Item]:
        """Add items, the first of which has this number; return when they are on the disk.

        Raises `OSError`; none of them counts then.
        """
        added, parts, end = [], [], self.size
        for offset, item in enumerate(items):
            start = end + _HEADER.size
            added.append(Item(number + offset, self.path, start, len(item)))
            parts += [_header(item), item]
            end = start + len(item)
        with _opened(self.path, os.O_WRONLY) as file:
            try:
                _write_all(file, b"".join(parts), at=self.size)
                os.fdatasync(file)
            except OSError:
                # after a failed fsync nobody knows what the disk has of this file
                self.is_closed = True
                with suppress(OSError):
                    os.ftruncate(file, self.size)
                raise
        self.size = end
        return added


@dataclass(slots=True)
class Found:
    """What a folder holds."""

    segments: list[Segment] = field(default_factory=list)
    waiting: list[Item] = field(default_factory=list)
    next_number: int = 1
    cut: list[tuple[str, str]] = field(default_factory=list)  # what was given up, and in which file


def load(folder: Path) -> Found:
    """Read what is there, and cut off what was not written to its end.  Raises `OSError`."""
    found, first = Found(), _first_waiting(folder)
    for path, end in _files(folder):
        items = list(_items(path, end, is_checked=True))
        size = items[-1].start + items[-1].length if items else 0
        _cut(found, path, size, missing=end - _number(path) - len(items) if end else 0)
        found.segments.append(Segment(path, _number(path), size))
        found.waiting += [item for item in items if item.number >= first]
        found.next_number = _number(path) + len(items)
    found.next_number = max(found.next_number, first)
    return found


def waiting(folder: Path) -> Iterator[Item]:
    """The items that were not taken yet, also while somebody writes there.  Raises `OSError`."""
    first = _first_waiting(folder)
    for path, end in _files(folder):
        with suppress(FileNotFoundError):  # taken meanwhile
            yield from (item for item in _items(path, end) if item.number >= first)


def read(items: Sequence[Item]) -> list[bytes]:
    """The items themselves.  Raises `OSError`, also where a file is shorter than it was."""
    given = []
    for path, those in groupby(items, key=lambda item: item.path):
        with _opened(path, os.O_RDONLY) as file:
            for item in those:
                given.append(os.pread(file, item.length, item.start))
                if len(given[-1]) < item.length:
                    raise OSError(f"{path.name} was cut short")
    return given


def check(folder: Path, lock: int, paths: Sequence[Path]) -> None:
    """See that the folder is still the one that was locked, and has these files.

    Its volume may be unmounted, or everything be deleted: what is written then is written to
    nowhere.  `lock` is the open file.  Raises `OSError`.
    """
    if not os.path.samestat(os.fstat(lock), (folder / "lock").stat()):
        raise OSError("another folder is there in its place")
    for path in paths:
        path.stat()


def mark_taken(folder: Path, first_waiting: int, spent: Sequence[Segment]) -> None:
    """Everything before this number was taken; segments that nobody needs go.  Raises `OSError`."""
    new = folder / "taken.new"
    try:
        new.write_text(f"{first_waiting}\n")
        new.replace(folder / "taken")
    finally:  # on a full disk they are what makes room
        for segment in spent:
            segment.path.unlink(missing_ok=True)


def set_aside(folder: Path, item: bytes) -> Path:
    """Write an item to a file of its own, named by what is in it.  Raises `OSError`."""
    path = folder / "aside" / f"{zlib.crc32(item):08x}-{len(item)}.item"
    with _opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as file:
        _write_all(file, item, at=0)
        os.fsync(file)
    _sync_folder(path.parent)
    return path


def framed(length: int) -> int:
    """Bytes that an item of this length takes."""
    return length + _HEADER.size


def _cut(found: Found, path: Path, size: int, *, missing: int) -> None:
    """Cut off what follows the last good item; where items are missing, keep it for a person."""
    over = path.stat().st_size - size
    if missing > 0:
        found.cut.append((f"{missing} items can't be read; the file is kept in aside", path.name))
        with suppress(FileExistsError):
            (path.parent / "aside" / path.name).hardlink_to(path)
    elif over:
        found.cut.append((f"{over} bytes that were not written to their end", path.name))
        os.truncate(path, size)


def _files(folder: Path) -> Iterator[tuple[Path, int | None]]:
    """The segments, each with the number that the next one begins with."""
    paths = sorted(folder.glob(f"*{_SUFFIX}"))
    yield from zip_longest(paths, map(_number, paths[1:]))


def _number(path: Path) -> int:
    return int(path.name.removesuffix(_SUFFIX))


def _first_waiting(folder: Path) -> int:
    try:
        return int((folder / "taken").read_text())
    except (FileNotFoundError, ValueError):  # empty after a power cut: all are given again
        return 0


def _items(path: Path, end: int | None, *, is_checked: bool = False) -> Iterator[Item]:
    """The items of a segment up to the number `end`, or to the first that is not whole."""
    size, start, number = path.stat().st_size, 0, _number(path)
    with path.open("rb") as file:
        while end is None or number < end:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                return
            length, checksum = _HEADER.unpack(header)
            start += _HEADER.size
            if start + length > size:
                return
            if not is_checked:
                file.seek(length, os.SEEK_CUR)
            elif _checksum(file.read(length)) != checksum:
                return
            yield Item(number, path, start, length)
            start, number = start + length, number + 1


def _header(item: bytes) -> bytes:
    return _HEADER.pack(len(item), _checksum(item))


def _checksum(item: bytes) -> int:
    return zlib.crc32(item, zlib.crc32(struct.pack(">I", len(item))))


def _write_all(file: int, data: bytes, *, at: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, at)
        view, at = view[written:], at + written


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    file = os.open(path, flags, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    with _opened(folder, os.O_RDONLY) as file:
        os.fsync(file)
