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
from tests.fixtures.site import until

pytestmark = [pytest.mark.redis, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[3]


class Installation:
    """Where workers live and die, one after the other."""

    def __init__(self, redis_url: str, redis_prefix: str, folder: Path, manner: str) -> None:
        self._words = (redis_url, redis_prefix, str(folder), manner)
        self.wall = Wall(folder)

    def start(self, *, cause: str, delivery: str) -> subprocess.Popen[bytes]:
        """A worker that finds this delivery."""
        command = [sys.executable, "-m", "tests.chaos.teeth.sender_process", *self._words]
        return subprocess.Popen([*command, cause, delivery], cwd=ROOT)

    def worker(self, *, cause: str, delivery: str) -> int:
        """The same, to its end; its exit code."""
        with self.start(cause=cause, delivery=delivery) as process:
            return process.wait()

    def comments_of_one_event(self) -> int:
        """Killed in the middle, read again, and once more by a second hook."""
        (self.wall.folder / "kill").touch()
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


async def test_a_stop_between_the_look_and_the_change_is_the_limit_that_remains(
    redis_url: str, redis_prefix: str, tmp_path: Path
) -> None:
    guarded = Installation(redis_url, redis_prefix, tmp_path, "ledger")
    order = tmp_path / "stop"
    order.touch()

    with guarded.start(cause="c-1", delivery="github.com/d-1") as stopped:
        await until(lambda: not order.exists(), within_s=60)
        assert guarded.worker(cause="c-1", delivery="github.com/d-1") == 0  # has taken over
        assert len(guarded.wall.comments) == 1
        stopped.send_signal(signal.SIGCONT)
        assert stopped.wait() == 0

    assert len(guarded.wall.comments) == 2  # no lease calls back what is under way
    assert guarded.worker(cause="c-1", delivery="github.com/d-1") == 0
    assert len(guarded.wall.comments) == 2
