"""The ledger has teeth: without it, what was done is done again by whoever reads the record again.

The worker is killed after it has made a change and before anybody knows; its delivery is read
again, and comes once more by a second hook.  Behind the ledger stands the look at what is there,
which only the ledger asks for: it alone knows that a try was cut off.
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.teeth.sender_process import Wall

pytestmark = [pytest.mark.redis, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[3]


class Installation:
    """Where workers live and die, one after the other."""

    def __init__(self, redis_url: str, redis_prefix: str, folder: Path, manner: str) -> None:
        self._words = (redis_url, redis_prefix, str(folder), manner)
        self.wall = Wall(folder)

    def worker(self, *, cause: str, delivery: str) -> int:
        """One that finds this delivery; its exit code."""
        command = [sys.executable, "-m", "tests.chaos.teeth.sender_process", *self._words]
        return subprocess.run([*command, cause, delivery], cwd=ROOT, check=False).returncode

    def comments_of_one_event(self) -> int:
        """Killed in the middle, read again, and once more by a second hook."""
        assert self.worker(cause="c-1", delivery="github.com/d-1") == -signal.SIGKILL
        assert self.worker(cause="c-1", delivery="github.com/d-1") == 0
        assert self.worker(cause="c-1", delivery="github.com/h-1") == 0
        return len(self.wall.comments)


def test_with_the_ledger_one_event_has_one_comment_and_a_later_one_its_own(
    redis_url: str, redis_prefix: str, tmp_path: Path
) -> None:
    guarded = Installation(redis_url, redis_prefix, tmp_path, "ledger")

    assert guarded.comments_of_one_event() == 1

    assert guarded.worker(cause="c-2", delivery="github.com/d-2") == 0
    assert len(guarded.wall.comments) == 2


def test_without_the_ledger_each_reading_has_a_comment(
    redis_url: str, redis_prefix: str, tmp_path: Path
) -> None:
    bare = Installation(redis_url, redis_prefix, tmp_path, "bare")

    assert bare.comments_of_one_event() == 3
