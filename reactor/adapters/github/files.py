"""Reads `.github/reactor.yml` on default branches, and writes what is wrong with one beside it.

A file that has not changed costs nothing of the limits: it is asked for with the `ETag` that came
with it, and answered 304.

Source: GitHub docs, "Get repository content", "Best practices for using the REST API".
"""

import asyncio
import base64
import binascii
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.answers import Answer, GitHubTrouble
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.attempt import EffectDelayed, EffectRefused
from reactor.errors import ReactorError
from reactor.github.repository_file import PATH
from reactor.github.repository_reading import FaultyFile
from reactor.github.repository_yaml import MOST_BYTES
from reactor.permissions import RepositoryRef
from reactor.repository_files import UNCHANGED, FileUnknown, FoundFile

MOST_AT_ONCE = 4  # questions
CHECK = "reactor.yml"  # what people see beside the commit
_NAME = re.compile(r"[A-Za-z0-9_-]+/(?!\.{1,2}$)[A-Za-z0-9._-]+")
_NOBODY_ELSE = -1  # no repository has this id: nothing is read where a name leads elsewhere
_IN_PATH = quote(PATH, safe="")  # GitHub takes either; its description knows one part only
_ANSWERED_WITHIN_S = 15.0  # meanwhile a process waits
_MOST_TRIES = 3  # where GitHub is in trouble, which mostly passes at once
T = TypeVar("T")


class GitHubFiles:
    """Fits the port `RepositoryFiles`; closed by whoever made it, its accounts by theirs."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: we, by host."""
        self._accounts = dict(accounts)
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="files")

    async def read(
        self, asker: RepositoryRef, name: str, *, etag: str = ""
    ) -> FoundFile | Literal["unchanged"] | None:
        """Asked in a thread.  Where we are nobody there is no file either, and nothing to send."""
        home = asker.id if name == asker.name else _NOBODY_ELSE

        def look(connection: Connection) -> FoundFile | Literal["unchanged"] | None:
            # before what nobody waits for: it decides about all of that
            ours = connection.at_home(home).unless_same(etag).with_priority(1)
            answer = ours.try_("GET", f"/repos/{name}/contents/{_IN_PATH}")
            if answer.status == 304:
                return UNCHANGED
            if answer.status in (404, 410):
                return None
            connection.check(answer, f"GET the file of {name}")
            return _found(answer, name)

        if not _NAME.fullmatch(name):
            raise FileUnknown(name, "no repository is called so")
        account = self._accounts.get(asker.host)
        if account is None or not account.login.is_anybody:
            return None
        return await self._ask(account, asker, look)

    async def tell(self, faulty: FaultyFile) -> None:
        """A failed check run on the commit that brought the faults.  Raises `FileUnknown`."""
        account = self._accounts.get(faulty.asker.host)
        if account is None or not account.login.is_app or not faulty.commit:
            raise FileUnknown(faulty.repository, "only an app can write beside a known commit")

        def write(connection: Connection) -> None:
            path = f"/repos/{faulty.repository}/check-runs"
            connection.at_home(_NOBODY_ELSE).ask("POST", path, check_of(faulty))

        await self._ask(account, faulty.asker, write)

    def close(self) -> None:
        """Take no more questions; those under way end by their own time limit."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(
        self, account: Account, asker: RepositoryRef, do: Callable[[Connection], T]
    ) -> T:
        target = Target(repository=asker.name, repository_id=asker.id, number=None)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_ANSWERED_WITHIN_S):
                async for attempt in _tries():
                    with attempt:
                        call = partial(account.call, target, do)
                        found: Any = await loop.run_in_executor(self._threads, call)
        except EffectRefused as error:
            raise FileUnknown(asker.name, error.reason) from None
        except FileUnknown:
            raise
        except TimeoutError:
            raise FileUnknown(asker.name, "no answer in time", of_host=True) from None
        except EffectDelayed as error:
            is_ours = not error.counts
            raise FileUnknown(asker.name, error.reason, of_host=True, is_ours=is_ours) from None
        except GitHubTrouble as error:  # perhaps with this repository alone
            raise FileUnknown(asker.name, str(error), can_pass=True) from None
        except ReactorError as error:  # our key is none
            raise FileUnknown(asker.name, str(error), of_host=True) from None
        answer: T = found
        return answer


def _tries() -> AsyncRetrying:
    return AsyncRetrying(
        retry=retry_if_exception_type(GitHubTrouble),
        stop=stop_after_attempt(_MOST_TRIES),
        wait=wait_exponential(multiplier=0.5, max=2),
        reraise=True,
    )


def check_of(faulty: FaultyFile) -> dict[str, Any]:
    """The body of the check run."""
    good = "The last one without faults goes on to count." if faulty.has_good_one else ""
    return {
        "name": CHECK,
        "head_sha": faulty.commit,
        "status": "completed",
        "conclusion": "failure",
        "output": {
            "title": f"{PATH} can't be used",
            "summary": good or "Until it is mended, nothing is changed here.",
            "annotations": [
                {
                    "path": PATH,
                    "start_line": fault.line,
                    "end_line": fault.line,
                    "start_column": fault.column,
                    "end_column": fault.column,
                    "annotation_level": "failure",
                    "message": fault.reason,
                }
                for fault in faulty.faults
            ],
        },
    }


def _found(answer: Answer, name: str) -> FoundFile:
    data = answer.data
    if not isinstance(data, dict) or data.get("type") != "file" or not data.get("sha"):
        raise FileUnknown(name, f"{PATH} is no plain file there")
    text = " " * (MOST_BYTES + 1)
    if not isinstance(data.get("size"), int) or data["size"] <= MOST_BYTES:
        text = _text(data, name)
    etag = answer.headers.get("etag", "")
    return FoundFile(sha=str(data["sha"]), text=text, etag=etag)


def _text(data: Mapping[str, Any], name: str) -> str:
    try:
        body = base64.b64decode(str(data.get("content") or ""))
    except (binascii.Error, ValueError):
        raise FileUnknown(name, "what was answered is no file") from None
    return body[: MOST_BYTES + 1].decode("utf-8-sig", "replace")
