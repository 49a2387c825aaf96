"""Replays as processes of the console's own: begun, stopped, and ended with it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from reactor.adapters.clock import SystemClock
from reactor.censoring import CENSORED, Censor
from reactor.replay.folder import UnknownRun
from reactor.web.console.replays import AskedReplay, NotBegun
from reactor.wiring.replay_children import MOST, ReplayChildren, ReplayStart, replay_children

EVERYTHING = AskedReplay()

STAND_IN = '''
"""As `reactor replay`: has its run for itself, and goes on until it is ended."""
import sys, time
from pathlib import Path
from reactor.replay.folder import Runs

said = dict(word.removeprefix("--").split("=", 1) for word in sys.argv[1:])
run = Runs(Path(said["data"])).run(said.get("id") or said["resume"])
with run.alone():
    run.begin({"options": {"said": "once"}})
    time.sleep(600)
'''


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    return [sys.executable, str(script)]


@pytest.fixture
async def children(tmp_path: Path, command: list[str]) -> AsyncIterator[ReplayChildren]:
    """Of a command that never ends by itself."""
    children = ReplayChildren(tmp_path, SystemClock(), ReplayStart(command=command))
    yield children
    await children.close()


async def until_at_rest(children: ReplayChildren, run: str) -> None:
    async with asyncio.timeout(30):
        while children.runs.run(run).is_at_work:  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.05)


async def test_one_that_was_begun_runs_until_it_is_stopped(children: ReplayChildren) -> None:
    run = await children.begin(EVERYTHING)
    was_at_work = children.runs.run(run).is_at_work

    stopped, again = await children.stop(run), await children.stop(run)

    await until_at_rest(children, run)
    assert was_at_work
    assert (stopped, again) == (True, False)


async def test_one_that_was_stopped_goes_on_and_runs_once(children: ReplayChildren) -> None:
    run = await children.begin(EVERYTHING)
    await children.stop(run)
    await until_at_rest(children, run)

    await children.go_on(run)
    with pytest.raises(NotBegun, match="running already"):
        await children.go_on(run)

    assert children.runs.run(run).is_at_work


async def test_no_more_run_at_once_than_leave_a_processor_for_the_rest(
    children: ReplayChildren,
) -> None:
    runs = [await children.begin(EVERYTHING) for _ in range(MOST)]

    with pytest.raises(NotBegun, match="wait until one is done"):
        await children.begin(EVERYTHING)

    await children.stop(runs[0])
    await children.begin(EVERYTHING)


async def test_all_are_ended_with_the_console(children: ReplayChildren) -> None:
    runs = [await children.begin(EVERYTHING) for _ in range(MOST)]

    await children.close()

    for run in runs:
        await until_at_rest(children, run)


async def test_what_was_never_begun_can_not_go_on(children: ReplayChildren) -> None:
    for name in ("never", "..", "a/b"):
        with pytest.raises(UnknownRun):
            await children.go_on(name)


ODD: Mapping[str, str] = {
    "a moment that is none": "last week",
    "an option in its place": "--html=page.html",
    "a word in its place": "-c /etc/passwd",
}


@pytest.mark.parametrize("since", ODD.values(), ids=ODD)
async def test_what_the_command_says_is_wrong_is_told_and_leaves_nothing_behind(
    tmp_path: Path, since: str
) -> None:
    asked = AskedReplay(one={"since": since})
    async with replay_children(tmp_path, SystemClock(), ReplayStart()) as children:
        with pytest.raises(NotBegun, match="say 90m, 2h or 3d") as refused:
            await children.begin(asked)

        assert "│" not in str(refused.value)
        assert children.runs.newest() == []
    assert not (tmp_path / "page.html").exists()


async def test_a_secret_of_ours_in_the_last_words_of_a_command_is_told_to_nobody(
    tmp_path: Path,
) -> None:
    script = tmp_path / "fails.py"
    script.write_text("raise SystemExit('the key is plain-words-only')")
    command = (sys.executable, str(script))
    how = ReplayStart(command=command, censor=Censor({"plain-words-only"}))
    async with replay_children(tmp_path, SystemClock(), how) as children:
        with pytest.raises(NotBegun) as refused:
            await children.begin(EVERYTHING)

    assert str(refused.value) == f"the key is {CENSORED}"
