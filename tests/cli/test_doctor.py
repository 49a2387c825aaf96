"""`reactor doctor`: what it looks at."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Run = Callable[..., Result]


def test_where_a_reactor_runs_it_is_its_servers_that_are_looked_at(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    told = {"pid": str(os.getpid()), "REDIS_URL": "redis://127.0.0.1:9/0"}
    (tmp_path / "there" / "up.json").write_text(json.dumps(told))

    here = run("doctor", "--data", "there").stdout
    elsewhere = run("doctor", "--data", "nowhere").stdout

    assert "127.0.0.1:9" in here
    assert "127.0.0.1:9" not in elsewhere
