"""The archive: deliveries and decision records in a file, one JSON object a line, compressed.

    read_archive(path) -> deliveries and records;  write_archive(path, them)

Version 1.  The file is gzip (`zcat FILE | head` shows it), made of members that can each be read
alone, so that a damaged place costs some lines and not the rest.  Lines: `archive_lines`.
"""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from reactor.archive_lines import VERSION, Item, UnreadableLine, head_line, item_of, line_of
from reactor.archive_lines import why_no_head as _why_no_head
from reactor.errors import ReactorError

MOST_TEXT = 256 * 1024 * 1024  # bytes of one member: a few of GitHub's largest bodies; no bomb
MEMBER_BYTES = 262_144  # of text, after which another member begins
_MAGIC = b"\x1f\x8b\x08"
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that can't be read, or a stretch of the file that can't be unpacked."""

    line: int  # the first is 1; lines that can't be unpacked are not counted
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}"


class DamagedArchive(ReactorError):
    """A line of the archive can't be read."""

    def __init__(self, path: Path, damage: Damage) -> None:
        super().__init__(path, damage)
        self.path, self.damage = path, damage

    def __str__(self) -> str:
        return f"{self.path} is damaged at {self.damage}; `reactor archive import` takes the rest of it"


class NoArchive(ReactorError):
    """The file is none, or one of a version that this one does not read."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, why)
        self.path, self.why = path, why

    def __str__(self) -> str:
        return (
            f"{self.path} is no archive of version {VERSION} ({self.why});"
            " give a file that `reactor archive export` has written"
        )


def pack(lines: Iterable[bytes]) -> bytes:
    """Whole lines as one member; the same lines give the same bytes."""
    return gzip.compress(b"".join(lines), compresslevel=6, mtime=0)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a file, unpacked."""

    begin: int  # in the file
    end: int  # where the next one begins
    text: bytes  # whole lines


def members(
    file: BinaryIO, *, begin: int = 0, text_up_to: int = MOST_TEXT
) -> Iterator[Member | Damage]:
    """The members from there on, and each stretch between them that can't be unpacked.

    A last one that is not whole (yet) counts as such, and one of more than `text_up_to` bytes;
    `Damage.line` is 0 here.
    """
    ahead, is_damaged = _Ahead(file, begin), False
    while ahead.has_bytes():
        try:
            member = _unpacked(ahead, text_up_to)
        except (zlib.error, EOFError) as error:
            if not is_damaged:
                yield Damage(0, f"some bytes can't be unpacked ({error})")
            is_damaged = True
            ahead.skip()
        else:
            is_damaged = False
            yield member
            ahead.drop(member.end - member.begin)


class _Ahead:
    """What is read of a file, and not done with."""

    def __init__(self, file: BinaryIO, begin: int) -> None:
        file.seek(begin)
        self._file, self.offset, self.held = file, begin, b""

    def more(self) -> bool:
        """Read on; False at the end."""
        read = self._file.read(_READ)
        self.held += read
        return bool(read)

    def has_bytes(self) -> bool:
        return bool(self.held) or self.more()

    def drop(self, size: int) -> None:
        self.held, self.offset = self.held[size:], self.offset + size

    def skip(self) -> None:
        """On to what looks like a member, or to the end."""
        self.drop(1)
        while (found := self.held.find(_MAGIC)) < 0:
            self.drop(max(len(self.held) - len(_MAGIC) + 1, 0))
            if not self.more():
                self.drop(len(self.held))
                return
        self.drop(found)


def _unpacked(ahead: _Ahead, room: int) -> Member:
    unpacking, text, at = zlib.decompressobj(wbits=31), list[bytes](), 0
    while not unpacking.eof:
        if at == len(ahead.held) and not ahead.more():
            raise EOFError("it ends too early")
        text.append(unpacking.decompress(ahead.held[at:], room))
        room -= len(text[-1])
        if unpacking.unconsumed_tail or room <= 0:
            raise zlib.error("they would be too many")
        at = len(ahead.held)
    end = ahead.offset + at - len(unpacking.unused_data)
    return Member(ahead.offset, end, b"".join(text))


def read_archive(
    path: Path,
    *,
    damaged: Callable[[Damage], None] | None = None,
    fault_of: Callable[[Item], str] = lambda _: "",
) -> Iterator[Item]:
    """Deliveries and decision records, in the order of the file; few are held in memory.

    `damaged` hears of each line that can't be read, and the rest goes on; without it,
    `DamagedArchive` is raised.  `fault_of` tells what else counts as damage.  Raises `NoArchive`,
    `OSError`.
    """

    def tell(damage: Damage) -> None:
        if damaged is None:
            raise DamagedArchive(path, damage)
        damaged(damage)

    _check_head(path)
    with path.open("rb") as file:
        for line in _lines(file, tell):
            try:
                item = None if line.number == 1 else item_of(line.text)
            except UnreadableLine as error:
                tell(Damage(line.number, str(error)))
                continue
            if item is None:
                continue
            if fault := fault_of(item):
                tell(Damage(line.number, fault))
                continue
            yield item


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: bytes


def _lines(file: BinaryIO, tell: Callable[[Damage], None]) -> Iterator[_Line]:
    number = 0
    for member in members(file):
        if isinstance(member, Damage):
            tell(Damage(number + 1, member.why))
            continue
        for text in member.text.splitlines():
            number += 1
            yield _Line(number, text)


def _check_head(path: Path) -> None:
    """Raise `NoArchive` unless the first line is that of a file that we can read."""
    with path.open("rb") as file:
        first = next(members(file), None)
    if first is None:
        raise NoArchive(path, "it is empty")
    if isinstance(first, Damage):
        raise NoArchive(path, "its beginning can't be unpacked: it is no gzip, or was cut off")
    if why := _why_no_head(first.text.partition(b"\n")[0]):
        raise NoArchive(path, why)


class ArchiveFile:
    """A new archive, which is there under its name only when it is whole; a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises `OSError`."""
        self._path, self._beside = path, path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            self._file = self._beside.open("xb")
        except OSError as error:  # nobody has asked for the name beside it
            raise OSError(error.errno, error.strerror, str(path)) from None
        self._lines, self._size = [head_line()], 0
        self.items = 0

    def add(self, item: Item) -> None:
        """Write one more."""
        line = line_of(item)
        self._lines.append(line)
        self._size += len(line)
        self.items += 1
        if self._size >= MEMBER_BYTES:
            self._write()

    def __enter__(self) -> "ArchiveFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Durable and in its place, unless something was raised: then it is gone."""
        try:
            with self._file:
                if kind is None:
                    self._write()
                    self._file.flush()
                    os.fsync(self._file.fileno())
            if kind is None:
                self._beside.replace(self._path)
                sync_folder(self._path.parent)
        finally:
            with suppress(OSError):
                self._beside.unlink(missing_ok=True)

    def _write(self) -> None:
        if self._lines:
            self._file.write(pack(self._lines))
        self._lines, self._size = [], 0


def write_archive(path: Path, items: Iterable[Item]) -> int:
    """Write a file in one step; how many items it holds.  Raises `OSError`."""
    with ArchiveFile(path) as file:
        for item in items:
            file.add(item)
    return file.items


def sync_folder(folder: Path) -> None:
    """Make durable which names are in it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
