"""Which installation of our app a repository belongs to.

Deliveries tell it: it is written down when it is new or another one, so not with each of them.
Executors read it in threads, while the store is one of the event loop.
"""

import asyncio
import threading
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from reactor.attempt import EffectDelayed
from reactor.errors import InfrastructureError

MOST_REMEMBERED = 10_000  # repositories; the store knows the others
_ANSWERED_WITHIN_S = 5.0
_AWAY_PAUSE_S = 5.0
_NONE_FOR_S = 60.0  # how long it is believed that the app isn't installed there
_BELIEVED_FOR_S = 60.0  # how long what another worker may know better is not asked for again
T = TypeVar("T")


class InstallationStore(Protocol):
    """Where it is written down.  Raises `InfrastructureError`."""

    async def read(self, host: str, repository_id: int) -> int | None:
        """The installation; None where nobody told."""
        ...

    async def write(self, host: str, repository_id: int, installation: int | None) -> None:
        """Keep it; None: it is no more."""
        ...

    async def repositories(self, host: str, installation: int) -> list[int]:
        """The ids of those that are written down for it, in no order."""
        ...

    async def forget(self, host: str, repository_ids: Collection[int]) -> None:
        """Nothing is written down for these any more."""
        ...


class MemoryInstallations:
    """Fits `InstallationStore`."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], int] = {}

    async def read(self, host: str, repository_id: int) -> int | None:
        """From memory."""
        return self._known.get((host, repository_id))

    async def write(self, host: str, repository_id: int, installation: int | None) -> None:
        """To memory."""
        if installation is None:
            self._known.pop((host, repository_id), None)
        else:
            self._known[host, repository_id] = installation

    async def repositories(self, host: str, installation: int) -> list[int]:
        """From memory."""
        return [each for (on, each), of in self._known.items() if (on, of) == (host, installation)]

    async def forget(self, host: str, repository_ids: Collection[int]) -> None:
        """From memory."""
        for repository_id in repository_ids:
            self._known.pop((host, repository_id), None)


class _Known(NamedTuple):
    installation: int
    until_s: float  # of the monotonic clock


class Installations:
    """What is known of them; make it on the event loop."""

    def __init__(self, store: InstallationStore, monotonic_s: Callable[[], float]) -> None:
        self._store, self._monotonic_s = store, monotonic_s
        self._loop = asyncio.get_running_loop()
        self._known: dict[tuple[str, int], _Known] = {}
        self._none_until_s: dict[tuple[str, int], float] = {}
        self._guard = threading.Lock()

    async def note(self, host: str, payload: Mapping[str, object]) -> None:
        """Read it out of a delivery.  Raises `InfrastructureError`."""
        told = _told(payload)
        if told is None or self.believes(host, payload):
            return
        repository_id, installation = told
        if await self._store.read(host, repository_id) != installation:
            await self._store.write(host, repository_id, installation)
        self._remember(host, repository_id, installation)

    def believes(self, host: str, payload: Mapping[str, object]) -> bool:
        """Whether a delivery tells of no other installation than is known here anyway."""
        told = _told(payload)
        return told is None or self._recall(host, told[0]) == told[1]

    async def repositories(self, host: str, installation: int) -> list[int]:
        """The ids of those that are known to belong to it.  Raises `InfrastructureError`."""
        return await self._store.repositories(host, installation)

    async def drop(self, host: str, repository_ids: Collection[int]) -> None:
        """Know nothing of these, until somebody tells or asks.  Raises `InfrastructureError`.

        Other workers believe what they know for some seconds more.
        """
        await self._store.forget(host, repository_ids)
        with self._guard:
            for repository_id in repository_ids:
                self._known.pop((host, repository_id), None)
                self._none_until_s.pop((host, repository_id), None)

    def find(self, host: str, repository_id: int, look_up: Callable[[], int | None]) -> int | None:
        """In a thread: as it was told, or as `look_up` says; None where there is none.

        Raises `EffectDelayed` while the store is away, and what `look_up` does.
        """
        known = self._recall(host, repository_id)
        if known is None:
            known = self._wait_for(self._store.read(host, repository_id))
        if known is None and not self._is_none(host, repository_id):
            known = look_up()
            if known is not None:
                self._wait_for(self._store.write(host, repository_id, known))
        if known is None:
            self._believe_in_none(host, repository_id)
        else:
            self._remember(host, repository_id, known)
        return known

    def forget(self, host: str, repository_id: int) -> None:
        """In a thread: the one that is known is no more."""
        with self._guard:
            self._known.pop((host, repository_id), None)
        self._wait_for(self._store.write(host, repository_id, None))

    def _recall(self, host: str, repository_id: int) -> int | None:
        with self._guard:
            known = self._known.get((host, repository_id))
        return known.installation if known and self._monotonic_s() < known.until_s else None

    def _remember(self, host: str, repository_id: int, installation: int) -> None:
        with self._guard:
            while len(self._known) >= MOST_REMEMBERED:
                del self._known[next(iter(self._known))]
            until_s = self._monotonic_s() + _BELIEVED_FOR_S
            self._known[host, repository_id] = _Known(installation, until_s)
            self._none_until_s.pop((host, repository_id), None)

    def _is_none(self, host: str, repository_id: int) -> bool:
        with self._guard:
            return self._none_until_s.get((host, repository_id), -1.0) > self._monotonic_s()

    def _believe_in_none(self, host: str, repository_id: int) -> None:
        with self._guard:
            if len(self._none_until_s) >= MOST_REMEMBERED:
                self._none_until_s.clear()
            now_s = self._monotonic_s()
            if self._none_until_s.get((host, repository_id), -1.0) <= now_s:
                self._none_until_s[host, repository_id] = now_s + _NONE_FOR_S

    def _wait_for(self, asked: Coroutine[Any, Any, T]) -> T:
        """Have it done on the loop, and wait in this thread."""
        try:
            answer = asyncio.run_coroutine_threadsafe(asked, self._loop)
        except RuntimeError:  # the loop has ended before this thread
            asked.close()
            ended = "its worker has ended meanwhile"
            raise EffectDelayed(ended, _AWAY_PAUSE_S, counts=False) from None
        try:
            return answer.result(_ANSWERED_WITHIN_S)
        except TimeoutError:
            answer.cancel()
        except InfrastructureError:
            pass
        why = "what we know of installations can't be read now"
        raise EffectDelayed(why, _AWAY_PAUSE_S, counts=False)


def _told(payload: Mapping[str, object]) -> tuple[int, int] | None:
    """Repository and installation."""
    repository_id = _id(payload.get("repository"))
    installation = _id(payload.get("installation"))
    return None if repository_id is None or installation is None else (repository_id, installation)


def _id(part: object) -> int | None:
    number = part.get("id") if isinstance(part, Mapping) else None
    return number if type(number) is int and 0 < number < 2**63 else None
