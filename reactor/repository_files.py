"""Files in which repositories say what they want: who reads them, who keeps them; two ports."""

from dataclasses import dataclass
from typing import Literal, Protocol

from reactor.errors import ReactorError
from reactor.permissions import RepositoryRef

UNCHANGED: Literal["unchanged"] = "unchanged"
"""The host says so of what it told before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """What lies on the default branch."""

    sha: str  # of the blob
    text: str  # of one that is too long only the beginning, which is too long as well
    etag: str = ""  # as it came, with its quotes; "" where there was none


class FileUnknown(ReactorError):
    """Nobody can tell now whether there is a file, and what is in it."""

    def __init__(
        self,
        repository: str,
        reason: str,
        *,
        of_host: bool = False,
        is_ours: bool = False,
        can_pass: bool = False,
    ) -> None:
        """`of_host`: nothing else can be read there either; `is_ours`: it was not even asked.

        `can_pass`: it may be read soon, as it is with each of those.
        """
        super().__init__(repository, reason)
        self.repository, self.reason = repository, reason
        self.of_host, self.is_ours = of_host, is_ours
        self.can_pass = can_pass or of_host or is_ours

    def __str__(self) -> str:
        return f"the file of {self.repository} can't be read: {self.reason}"


class RepositoryFiles(Protocol):
    """Fitted by `reactor.adapters.github.files`."""

    async def read(
        self, asker: RepositoryRef, name: str, *, etag: str = ""
    ) -> FoundFile | Literal["unchanged"] | None:
        """The file of a repository by its full name, read as whoever we are in `asker`.

        So another repository tells nothing that those in `asker` could not see.  None: there is
        none.  With an `etag` that still counts: `UNCHANGED`.  Raises `FileUnknown`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """What was known last of a repository's file."""

    checked_at_s: float = 0.0  # when the host was asked, since 1970; 0: never
    etag: str = ""
    sha: str = ""  # "": there was no file
    text: str = ""
    good_sha: str = ""  # of the newest one without faults; "": there was none
    good_text: str = ""
    commit: str = ""  # that changed it, as far as we were told
    seen: int = 0  # how many changes we had been told of before the host was asked
    told: int = 0  # and how many by now

    @property
    def is_known(self) -> bool:
        """Whether the host was ever asked."""
        return self.checked_at_s > 0

    def is_fresh(self, now_s: float, *, for_s: float) -> bool:
        """Whether the host need not be asked."""
        return self.is_known and self.seen >= self.told and now_s - self.checked_at_s < for_s


class FileStore(Protocol):
    """Where they are kept for all workers.  Raises `InfrastructureError`.

    Names are full names of repositories, in any case; with `@OWNER` what others than its owner see.
    """

    async def read(self, host: str, name: str) -> KeptFile:
        """What is known; an empty one where nothing is."""
        ...

    async def keep(self, host: str, name: str, kept: KeptFile) -> None:
        """All but `told` and `commit`."""
        ...

    async def changed(self, host: str, name: str, *, commit: str = "") -> None:
        """It may be another one now; `commit`: of the push that told it."""
        ...

    async def tell_once(self, host: str, name: str, sha: str) -> bool:
        """Whether nobody was told yet what is wrong with this blob; from now on somebody was."""
        ...
