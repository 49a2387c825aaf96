"""The folder of one run: what was asked for, what was found, and how far it has come.

    request.json    what was asked for: another request can't go on with it
    results.jsonl   a `Replayed` a line, in the order of the deliveries
    stores.jsonl    what the run's own stores were told, so that they can be filled again
    progress.json   a `Progress`, replaced in one step: what lies beyond its sizes does not count
    done            the same, once all of it is done

Whoever is killed goes on from `progress.json`.  Methods block: they write or read small files.
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from reactor.errors import ReactorError
from reactor.replay.document import Replayed, Summary

REPLAYS = "replays"  # the folder of all runs, within the data folder
_REQUEST, _RESULTS, _STORES = "request.json", "results.jsonl", "stores.jsonl"
_PROGRESS, _DONE = "progress.json", "done"

Cursor = Mapping[str, int | str]  # JSON-ready; what is in it is the source's affair
_LONGEST_ID = 64  # characters: a name of more than 255 bytes is none to a file system
_TRIES, _PAUSE_S = 10, 0.05  # who only looks whether somebody is at it has the lock for a moment


class OtherRequest(ReactorError):
    """A run of this id was asked for something else."""

    def __init__(self, run: str, names: tuple[str, ...]) -> None:
        super().__init__(run, names)
        self.run, self.names = run, names

    def __str__(self) -> str:
        return (
            f"replay {self.run} was begun with other options ({', '.join(self.names)}); repeat the"
            " command as it was, or leave out --id to begin another one"
        )


class RunInUse(ReactorError):
    """Somebody else is at this run."""

    def __init__(self, run: str) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        return f"replay {self.run} is running already; wait for it, or begin another --id"


class UnknownRun(ReactorError):
    """There is no run of this id."""

    def __init__(self, run: str, folder: Path) -> None:
        super().__init__(run, folder)
        self.run, self.folder = run, folder

    def __str__(self) -> str:
        return f"no replay {self.run} was begun in {self.folder}; check the id and --data"


class DamagedRun(ReactorError):
    """Files of a run can't be read."""

    def __init__(self, run: str, file: str) -> None:
        super().__init__(run, file)
        self.run, self.file = run, file

    def __str__(self) -> str:
        return f"{self.file} of replay {self.run} can't be read: remove its folder, and begin anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run has come."""

    summary: Summary = field(default_factory=Summary)
    total: int = 0  # deliveries that are read, those that are not meant included; 0: not known
    read: int = 0  # of these, so far
    cursor: Cursor = field(default_factory=dict)  # where its source goes on
    elapsed_s: float = 0.0  # all parts together
    results_bytes: int = 0  # how much of the results counts
    stores_bytes: int = 0

    @property
    def rate(self) -> float:
        """Deliveries a second, those that were meant."""
        return self.summary.deliveries / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go, as it went so far; None where nobody can say."""
        if not self.read or not self.total:
            return None
        return self.elapsed_s / self.read * max(self.total - self.read, 0)


class Runs:
    """All runs of a data folder."""

    def __init__(self, data: Path) -> None:
        self._folder = data / REPLAYS

    def run(self, run: str) -> "Run":
        """One, whether it was begun or not.  Raises `UnknownRun` where that can be no id."""
        is_short = len(run) <= _LONGEST_ID and run.isascii() and run.strip(".") != ""
        if not is_short or not all(c.isalnum() or c in "-_." for c in run):
            raise UnknownRun(run, self._folder)
        return Run(self._folder / run)

    def newest(self) -> list["Run"]:
        """Those that were begun, the newest first."""
        folders = self._folder.iterdir() if self._folder.is_dir() else ()
        begun = [folder for folder in folders if (folder / _REQUEST).is_file()]
        begun.sort(key=lambda folder: (folder / _REQUEST).stat().st_mtime, reverse=True)
        return [Run(folder) for folder in begun]


class Run:
    """One run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def id(self) -> str:
        """Its name."""
        return self.folder.name

    @property
    def is_begun(self) -> bool:
        """Whether it was ever asked for."""
        return (self.folder / _REQUEST).is_file()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return (self.folder / _DONE).is_file()

    @property
    def is_at_work(self) -> bool:
        """Whether somebody is at it now."""
        if not (self.folder / "lock").is_file():
            return False
        with (self.folder / "lock").open("r") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    @property
    def request(self) -> Mapping[str, Any]:
        """What was asked for.  Raises `UnknownRun`, `DamagedRun`."""
        if not self.is_begun:
            raise UnknownRun(self.id, self.folder.parent)
        return cast("Mapping[str, Any]", self._document(_REQUEST))

    @property
    def progress(self) -> Progress:
        """How far it is.  Raises `DamagedRun`."""
        if not (self.folder / _PROGRESS).is_file():
            return Progress()
        told = self._document(_PROGRESS)
        try:
            return Progress(**{**told, "summary": Summary(**told["summary"])})
        except (KeyError, TypeError):
            raise DamagedRun(self.id, _PROGRESS) from None

    def begin(self, request: Mapping[str, object]) -> Progress:
        """Begin, or go on where it was left: what was not counted yet is forgotten.

        Raises `OtherRequest` where it was begun otherwise, `DamagedRun`.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        asked = json.loads(json.dumps(request))
        if self.is_begun:
            before = self.request
            if before != asked:
                keys = sorted(before.keys() | asked.keys())
                names = [key for key in keys if before.get(key) != asked.get(key)]
                raise OtherRequest(self.id, tuple(names))
        else:
            self._replace(_REQUEST, asked)
        progress = self.progress
        for name, size in ((_RESULTS, progress.results_bytes), (_STORES, progress.stores_bytes)):
            with (self.folder / name).open("ab") as file:
                if file.tell() < size:
                    raise DamagedRun(self.id, name)
                file.truncate(size)
        return progress

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have it for ourselves.  Raises `RunInUse`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            for is_last in (*[False] * _TRIES, True):
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    if is_last:
                        raise RunInUse(self.id) from None
                    time.sleep(_PAUSE_S)
            yield

    def forget(self) -> None:
        """Leave nothing of it; for one that was refused before anything came of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def results(self) -> Iterator[Replayed]:
        """What was found so far, as far as it counts.  Raises `DamagedRun`."""
        yield from cast("Iterator[Replayed]", self._lines(_RESULTS, self.progress.results_bytes))

    def told(self) -> Iterator[list[Any]]:
        """What the stores were told, as far as it counts.  Raises `DamagedRun`."""
        yield from self._lines(_STORES, self.progress.stores_bytes)

    def append(self, *, results: Iterable[str], stores: Iterable[str]) -> tuple[int, int]:
        """Add lines, durably; the sizes from then on.  They count once the progress says so."""
        return self._append(_RESULTS, results), self._append(_STORES, stores)

    def note(self, progress: Progress, *, is_done: bool = False) -> None:
        """How far it is now."""
        self._replace(_PROGRESS, asdict(progress))
        if is_done:
            self._replace(_DONE, asdict(progress))

    def _append(self, name: str, lines: Iterable[str]) -> int:
        with (self.folder / name).open("ab") as file:
            file.writelines(line.encode("utf-8", "backslashreplace") + b"\n" for line in lines)
            _make_durable(file)
            return file.tell()

    def _replace(self, name: str, document: object) -> None:
        beside = self.folder / f"{name}.new"
        with beside.open("wb") as file:
            file.write(json.dumps(document).encode())
            _make_durable(file)
        beside.replace(self.folder / name)

    def _lines(self, name: str, size: int) -> Iterator[Any]:
        try:
            with (self.folder / name).open("rb") as file:
                while file.tell() < size:
                    yield json.loads(file.readline())
        except FileNotFoundError:
            return
        except ValueError:
            raise DamagedRun(self.id, name) from None

    def _document(self, name: str) -> Any:
        try:
            return json.loads((self.folder / name).read_bytes())
        except (OSError, ValueError):
            raise DamagedRun(self.id, name) from None


def _make_durable(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
