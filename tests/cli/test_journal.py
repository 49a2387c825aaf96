"""The journal and archives on the command line, where no server runs."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from reactor.adapters.sqlite_records import NoIndex
from reactor.archive import NoArchive, write_archive
from reactor.archive_lines import head_line, line_of
from reactor.journal_search import BadQuery
from tests.wiring.test_exporting import CAME, EVERY

Run = Callable[..., Result]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl.gz"
    write_archive(path, EVERY)
    return path


def test_what_was_imported_is_found_without_any_server(run: Run, archive: Path) -> None:
    imported = run("archive", "import", str(archive))
    found = run("journal", "--subject", "octo/hello#8")
    as_json = run("journal", "--delivery", "d-1", "--json")

    assert (imported.exit_code, found.exit_code) == (0, 0)
    assert imported.stdout == "3 deliveries, 6 decision records, 0 damaged lines\n"
    assert [line.split()[1] for line in found.stdout.splitlines()] == ["p-d-2/2", "p-d-2/1"]
    assert [each["seq"] for each in json.loads(as_json.stdout)["records"]] == [2, 1]
    assert json.loads(as_json.stdout)["records"][1]["data"]["delivery"] == CAME[0].key


def test_what_was_imported_is_exported_again(run: Run, archive: Path, tmp_path: Path) -> None:
    run("archive", "import", str(archive))

    exported = run("archive", "export", "out.jsonl.gz", "--repo", "octo/hello")

    assert exported.stdout == "out.jsonl.gz: 3 deliveries, 6 decision records\n"
    lines = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()
    assert len(lines) == 10


def test_damage_is_told_by_its_line_and_by_the_exit_code(run: Run, tmp_path: Path) -> None:
    lines = [head_line(), line_of(CAME[0]), b"{]\n"]
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))

    result = run("archive", "import", "in.jsonl.gz")

    assert result.exit_code == 1
    assert "in.jsonl.gz: line 3: it is no JSON" in result.stderr
    assert result.stdout == "1 deliveries, 0 decision records, 1 damaged lines\n"


def test_the_index_is_made_anew_from_an_archive(run: Run, archive: Path) -> None:
    rebuilt = run("journal", "rebuild", "--from", str(archive))
    found = run("journal", "--limit", "1")

    assert rebuilt.exit_code == 0
    assert rebuilt.stdout.endswith("9 decision records and deliveries are indexed\n")
    assert found.stdout.splitlines()[1].startswith("... and older ones: --until ")


def test_nothing_that_fits_is_said(run: Run, archive: Path) -> None:
    run("archive", "import", str(archive))

    assert run("journal", "--action", "nobody.does").stdout == "no decision record fits\n"


def test_what_can_not_be_done_says_what_to_do(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("no archive")

    assert isinstance(run("journal").exception, NoIndex)
    assert isinstance(run("archive", "import", "odd").exception, NoArchive)
    missing = run("archive", "import", "gone.gz")
    assert (missing.exit_code, missing.stderr) == (
        2,
        "reactor: gone.gz: No such file or directory\n",
    )
    run("journal", "rebuild")
    assert isinstance(run("journal", "--since", "yesterday").exception, BadQuery)
