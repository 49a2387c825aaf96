"""`make bench` runs what lies in benchmarks/, and the page there describes it."""

import re
from pathlib import Path

from benchmarks.run import BENCHMARKS


def test_every_benchmark_is_run_and_described(root: Path) -> None:
    listed = set(BENCHMARKS)
    runnable = {
        path.stem
        for path in (root / "benchmarks").glob("*.py")
        if path.stem != "run" and "__main__" in path.read_text(encoding="utf-8")
    }
    page = (root / "benchmarks" / "README.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)\.py`", page, re.MULTILINE))

    assert runnable == listed
    assert described == listed
