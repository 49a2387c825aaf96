"""The rules of repositories, from their files: fresh ones, or the last good ones, or to observe.

    repository -> its own file, else its owner's -> what it extends -> one file -> rules

A file is looked at again when a push changes it, and when it was not for a while.  Each one is
kept for all workers (`FileStore`), and what follows from them for some seconds in this process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

import structlog

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.github.file_changes import changes_in
from reactor.github.repository_file import OF_ALL, PATH, RepositoryFile, extended_by
from reactor.github.repository_yaml import (
    BadRepositoryFile,
    Fault,
    ReadFile,
    read_repository_file,
)
from reactor.permissions import RepositoryRef
from reactor.policy import Narrowing
from reactor.ports import Clock
from reactor.repository_files import (
    UNCHANGED,
    FileStore,
    FileUnknown,
    KeptFile,
    RepositoryFiles,
)
from reactor.repository_rules import RepositoryRules

FRESH_S = 15 * 60.0  # then the host is asked again, whether it has told of a change or not
REMEMBERED_S = 5.0  # in this process, so that a busy repository does not ask Redis each time
MOST_EXTENDED = 3  # files, one after the other
_PAUSE_S = 30.0  # after a host could not tell, before it is asked again
_SHORT_PAUSE_S = 10.0  # where that was about one file, and can pass
_MOST_REMEMBERED = 10_000  # repositories
_MOST_PARSED = 100  # files


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyFile:
    """A file with faults, of which somebody is to be told."""

    asker: RepositoryRef  # whose rules were wanted
    repository: str  # where it lies
    sha: str  # of the blob
    commit: str  # that changed it; "" where nobody told
    faults: tuple[Fault, ...]
    has_good_one: bool  # whether an older one goes on to count


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read."""

    without_file: Callable[[str], Narrowing]  # by the address of a repository
    tell: Callable[[FaultyFile], Awaitable[None]]
    owners: Collection[str] = ()  # whose files those of others may extend; "*": anybody's


@dataclass(frozen=True, slots=True)
class _Merged:
    """A file with all that it extends."""

    file: RepositoryFile
    shas: tuple[str, ...]


class FileRules:
    """Fits `RulesOfRepositories`; one for each process."""

    def __init__(
        self, files: RepositoryFiles, store: FileStore, clock: Clock, reading: Reading
    ) -> None:
        self._files, self._store, self._clock, self._reading = files, store, clock, reading
        self._owners = frozenset(owner.lower() for owner in reading.owners)
        self._known: dict[RepositoryRef, tuple[float, RepositoryRules]] = {}
        self._resting: dict[tuple[str, str], tuple[float, FileUnknown]] = {}
        self._parsed: dict[str, ReadFile | BadRepositoryFile] = {}
        self._locks: WeakValueDictionary[RepositoryRef, asyncio.Lock] = WeakValueDictionary()

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        """As they are, or were some seconds ago.

        Raises `InfrastructureError` without a store, and while it is ourselves who do not ask.
        """
        lock = self._locks.setdefault(repository, asyncio.Lock())
        async with lock:  # of many at once one asks
            until_s, known = self._known.get(repository, (0.0, None))
            if known is not None and self._clock.monotonic_s() < until_s:
                return known
            rules = await self._rules(repository)
            while len(self._known) >= _MOST_REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[repository] = self._clock.monotonic_s() + REMEMBERED_S, rules
            return rules

    async def hear(self, delivery: Delivery) -> None:
        """Look again at what a delivery may have changed.  Raises `InfrastructureError`."""
        changes = changes_in(delivery)
        for name in changes.names:
            await self._store.changed(delivery.host, name, commit=changes.commit)
        if changes.names:
            self._known.clear()
        if changes.pushed_to is not None:  # so that what is wrong with it is told at once
            await self.of(changes.pushed_to)

    async def _rules(self, repository: RepositoryRef) -> RepositoryRules:
        of_owner = f"{repository.name.partition('/')[0]}/{OF_ALL}"
        names = [repository.name]
        if of_owner.lower() != repository.name.lower():
            names.append(of_owner)
        try:
            for name in names:
                merged = await self._merged(repository, name, ())
                if merged is not None:
                    source = PATH if name == repository.name else f"{PATH} of {name}"
                    return merged.file.rules(source, version="+".join(merged.shas))
        except FileUnknown as unknown:
            why = f"{unknown.repository}: {unknown.reason}"
            rules = _observed(f"the default for a file that can't be read ({why})")
            return replace(rules, unknown=str(unknown)) if unknown.can_pass else rules
        except BadRepositoryFile as bad:
            return _observed(f"the default for a file with faults ({bad.where})")
        return RepositoryRules(whole=self._reading.without_file(repository.address))

    async def _merged(
        self, asker: RepositoryRef, name: str, above: tuple[str, ...]
    ) -> _Merged | None:
        """The file of a repository with what it extends; of a faulty one, the last good one.

        `above`: the files that extend it.  Raises `FileUnknown`, and `BadRepositoryFile` where
        there was no good one.
        """
        kept = await self._load(asker, name)
        if not kept.sha:
            return None
        try:
            merged = await self._read(asker, name, above, (kept.sha, kept.text))
        except BadRepositoryFile as bad:
            await self._tell(asker, name, kept, bad)
            if not kept.good_sha or kept.good_sha == kept.sha:
                raise
            return await self._read(asker, name, above, (kept.good_sha, kept.good_text))
        if kept.good_sha != kept.sha:
            good = replace(kept, good_sha=kept.sha, good_text=kept.text)
            await self._store.keep(asker.host, _kept_as(name, asker), good)
        return merged

    async def _read(
        self, asker: RepositoryRef, name: str, above: tuple[str, ...], blob: tuple[str, str]
    ) -> _Merged:
        """Raises `BadRepositoryFile` and `FileUnknown`."""
        sha, text = blob
        read = await self._parse(text)
        extended = extended_by(read.rules, name)
        if extended is None:
            return _Merged(read.rules, (sha,))
        line = (*above, name)
        wrong = self._wrong_with(extended, line)
        if not wrong:
            try:
                base = await self._merged(asker, extended, line)
            except BadRepositoryFile:
                wrong = f"the file of {extended} has faults of its own"
            else:
                if base is not None:
                    return _Merged(read.rules.over(base.file), (sha, *base.shas))
                wrong = f"{extended} has no {PATH} that can be seen from here"
        raise BadRepositoryFile([replace(read.extends_at, reason=wrong)], where=f"{PATH} of {name}")

    def _wrong_with(self, extended: str, line: tuple[str, ...]) -> str:
        """Why a file at the end of `line` can't extend that one; "" if it can."""
        owner = extended.partition("/")[0].lower()
        of_asker = line[0].partition("/")[0].lower()
        if owner != of_asker and not self._owners & {owner, "*"}:
            return f"files of {owner} are not extended by those of others here"
        if extended.lower() in {name.lower() for name in line}:
            return f"the file of {extended} extends this one"
        if len(line) > MOST_EXTENDED:
            return f"more than {MOST_EXTENDED} files extend each other"
        return ""

    async def _parse(self, text: str) -> ReadFile:
        found = self._parsed.get(text)
        if found is None:
            try:
                found = await asyncio.to_thread(read_repository_file, text)
            except BadRepositoryFile as bad:
                found = bad
            while len(self._parsed) >= _MOST_PARSED:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[text] = found
        if isinstance(found, BadRepositoryFile):
            raise BadRepositoryFile(found.faults)  # a new one: this one would grow its traceback
        return found

    async def _load(self, asker: RepositoryRef, name: str) -> KeptFile:
        """What lies there, or did when it could be read last.  Raises `FileUnknown`."""
        host, kept_as = asker.host, _kept_as(name, asker)
        kept = await self._store.read(host, kept_as)
        now_s = self._clock.now().timestamp()
        if kept.is_fresh(now_s, for_s=FRESH_S):
            return kept
        if (lately := self._lately(host, "") or self._lately(host, kept_as)) is not None:
            if kept.is_known:
                return kept
            raise FileUnknown(
                name,
                f"a moment ago {lately.reason}",
                of_host=lately.of_host,
                can_pass=lately.can_pass,
            )
        try:
            found = await self._files.read(asker, name, etag=kept.etag)
        except FileUnknown as unknown:
            return self._in_place_of(kept, host, kept_as, unknown)
        now = replace(kept, checked_at_s=now_s, seen=kept.told)
        if found is None:
            now = KeptFile(checked_at_s=now_s, seen=kept.told, told=kept.told)
        elif found != UNCHANGED:
            now = replace(now, sha=found.sha, text=found.text, etag=found.etag)
        await self._store.keep(host, kept_as, now)
        return now

    def _in_place_of(
        self, kept: KeptFile, host: str, kept_as: str, unknown: FileUnknown
    ) -> KeptFile:
        """The last one that is known.  Raises the error without one."""
        if unknown.is_ours and not kept.is_known:
            raise InfrastructureError(host, unknown.reason) from unknown  # soon it can be asked
        if not unknown.is_ours:
            self._rest(host, "" if unknown.of_host else kept_as, unknown)
        log = structlog.get_logger("reactor.rules")
        log.warning("repository_file_unknown", host=host, repository=kept_as, why=unknown.reason)
        if kept.is_known:
            return kept
        raise unknown

    def _lately(self, host: str, name: str) -> FileUnknown | None:
        """Why it could not be read a moment ago, so that it is not asked for again already."""
        until_s, why = self._resting.get((host, name.lower()), (0.0, None))
        return why if self._clock.monotonic_s() < until_s else None

    def _rest(self, host: str, name: str, why: FileUnknown) -> None:
        """`name`: of a repository; "": nothing of the host can be read."""
        if len(self._resting) >= _MOST_REMEMBERED:
            self._resting.clear()
        pause_s = _PAUSE_S if why.of_host or not why.can_pass else _SHORT_PAUSE_S
        self._resting[host, name.lower()] = self._clock.monotonic_s() + pause_s, why

    async def _tell(
        self, asker: RepositoryRef, name: str, kept: KeptFile, bad: BadRepositoryFile
    ) -> None:
        if await self._store.tell_once(asker.host, _kept_as(name, asker), kept.sha):
            faulty = FaultyFile(
                asker=asker,
                repository=name,
                sha=kept.sha,
                commit=kept.commit,
                faults=bad.faults,
                has_good_one=bool(kept.good_sha) and kept.good_sha != kept.sha,
            )
            await self._reading.tell(faulty)


def _kept_as(name: str, asker: RepositoryRef) -> str:
    """The name of what is kept: what others see of a file is not what its owner sees.

    Else who extends a private file would learn what is in it, or have it taken for missing.
    """
    owner, of_asker = name.partition("/")[0], asker.name.partition("/")[0]
    return name if owner.lower() == of_asker.lower() else f"{name}@{of_asker}"


def _observed(source: str) -> RepositoryRules:
    """Where nobody knows what is wanted, nothing is done."""
    return RepositoryRules(whole=Narrowing(source=source, mode="observe"), commands=frozenset())
