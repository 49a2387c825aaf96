"""`reactor replay`: what it prints, what it exits with, and what it refuses."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from reactor.cli.replaying import FileUnusable, NothingIsSent
from reactor.replay.folder import OtherRequest, UnknownRun
from reactor.wiring.redis import NoServer
from reactor.wiring.replaying import UnknownReactions
from reactor.wiring.what_if import BadWhatIf
from tests.fixtures.recorded import write_recorded

Run = Callable[..., Result]

SAME = "replay: deliveries=6 processes=6 same=6 different=0 failed=0 rate="
OTHER = "replay: deliveries=6 processes=6 same=4 different=2 failed=0 rate="
WHAT_IF = ("--set", "components.triage.urgent_at=1")


@pytest.fixture
def words(tmp_path: Path) -> tuple[str, ...]:
    """Of a replay of six recorded deliveries."""
    archive, config = tmp_path / "recorded.jsonl.gz", tmp_path / "reactor.yaml"
    asyncio.run(write_recorded(archive, 6))
    config.write_text("{}")
    place = ("--data", str(tmp_path / "data"), "--config", str(config))
    return ("replay", *place, "--archive", str(archive))


def last(result: Result) -> str:
    return result.stdout.splitlines()[-1]


def test_what_differs_stands_side_by_side_above_the_sum_of_all(
    run: Run, words: tuple[str, ...]
) -> None:
    same = run(*words, "--fail-on-diff")
    other = run(*words, *WHAT_IF, "--show", "1")

    assert (same.exit_code, same.stdout.count("\n")) == (0, 1)
    assert last(same).startswith(SAME)
    assert last(same).endswith("/s")
    assert other.exit_code == 0
    assert re.search(r"triage\.heavy_hitter_issue done +≠", other.stdout)
    assert "effect: add label urgent -> nothing" in other.stdout
    assert "1 more differ or failed" in other.stdout
    assert last(other).startswith(OTHER)


def test_differences_are_an_exit_code_where_that_is_wanted(
    run: Run, words: tuple[str, ...]
) -> None:
    assert run(*words, *WHAT_IF, "--fail-on-diff").exit_code == 1


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("components.triage.urgent_att=0.1", "urgent_att"),
        ("components.triage.urgent_at=banana", "urgent_at"),
        ("components.trage.urgent_at=0.1", "names no installed component package"),
    ],
    ids=["no such setting", "no such value", "no such package"],
)
def test_what_a_package_does_not_take_is_refused_and_not_told_as_differences(
    run: Run, words: tuple[str, ...], said: str, why: str
) -> None:
    result = run(*words, "--set", said)

    assert isinstance(result.exception, BadWhatIf)
    assert f"--set {said}: " in str(result.exception)
    assert why in str(result.exception)


def test_a_reaction_that_is_not_there_is_named_with_those_that_are(
    run: Run, words: tuple[str, ...]
) -> None:
    result = run(*words, "--reaction", "nosuch")

    assert isinstance(result.exception, UnknownReactions)
    assert not list(Path("data/replays").glob("*")), "what was refused leaves nothing"
    assert "no reaction is called nosuch; the settings have" in str(result.exception)


def test_where_no_delivery_fits_that_is_said(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, "--delivery", "nosuch")

    assert "no recorded delivery fits" in result.stdout
    assert last(result).startswith("replay: deliveries=0 ")


def test_json_is_a_line_a_process_and_the_last_line_is_the_sum(
    run: Run, words: tuple[str, ...], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"

    *lines, line = run(*words, *WHAT_IF, "--json", "--html", str(page)).stdout.splitlines()

    verdicts = [json.loads(each)["verdict"] for each in lines]
    assert verdicts == ["same", "same", "different"] * 2
    assert line.startswith(OTHER)
    assert "<dt>different</dt><dd>2</dd>" in page.read_text(encoding="utf-8")


def test_a_run_that_is_done_is_shown_again_and_not_begun_again(
    run: Run, words: tuple[str, ...], tmp_path: Path
) -> None:
    first = run(*words, "--since", "2000-01-01", "--id", "r-1")

    again = run(*words, "--since", "2000-01-01", "--id", "r-1")
    resumed = run("replay", "--data", str(tmp_path / "data"), "--resume", "r-1", "--json")

    assert last(first) == last(again) == last(resumed)
    assert resumed.stdout.count("\n") == 7


def test_nothing_is_ever_sent(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, "--effects", "live")

    assert isinstance(result.exception, NothingIsSent)


def test_another_request_under_the_same_name_is_refused(run: Run, words: tuple[str, ...]) -> None:
    run(*words, "--id", "r-1")

    by_option = run(*words, "--id", "r-1", "--repo", "octo/hello")
    by_setting = run(*words, "--id", "r-1", *WHAT_IF)

    assert isinstance(by_option.exception, OtherRequest)
    assert isinstance(by_setting.exception, OtherRequest)
    assert by_setting.exception.names == ("options", "settings")


def test_a_run_does_not_go_on_as_somebody_else(
    run: Run, words: tuple[str, ...], tmp_path: Path
) -> None:
    run(*words, "--id", "r-1")
    (tmp_path / "reactor.yaml").write_text("github: {bot_login: another-bot}")

    result = run(*words, "--id", "r-1")

    assert isinstance(result.exception, OtherRequest)
    assert result.exception.names == ("settings",)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--offset", "0-7"),
        ("--since", "yesterday"),
        ("--resume", "r-1", "--repo", "octo/hello"),
        ("--resume", "r-1", "--id", "r-2"),
        ("--effects", "maybe"),
    ],
)
def test_what_can_not_be_meant_is_told(run: Run, tmp_path: Path, wrong: tuple[str, ...]) -> None:
    assert run("replay", "--data", str(tmp_path), *wrong).exit_code == 2


def test_a_run_that_was_never_begun_does_not_go_on(run: Run, tmp_path: Path) -> None:
    result = run("replay", "--data", str(tmp_path), "--resume", "r-1")

    assert isinstance(result.exception, UnknownRun)


def test_where_nothing_runs_and_nothing_is_kept_a_server_is_asked_for(
    run: Run, tmp_path: Path
) -> None:
    result = run("replay", "--data", str(tmp_path))

    assert isinstance(result.exception, NoServer)


def test_a_file_that_cannot_be_read_or_written_is_named_with_what_to_do(
    run: Run, words: tuple[str, ...], tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere" / "page.html"

    unread = run(*words[:-1], str(tmp_path / "none.gz"), "--id", "unread").exception
    unwritten = run(*words, "--id", "unwritten", "--html", str(nowhere)).exception

    assert isinstance(unread, FileUnusable)
    assert unread.where == str(tmp_path / "none.gz")
    assert isinstance(unwritten, FileUnusable)
    assert str(nowhere.parent) in unwritten.where
    assert "reactor replay --resume unwritten" in str(unwritten)
