"""`make bench`: run every benchmark, one after the other, each in a fresh interpreter.

benchmarks/run.py            all of them
benchmarks/run.py planning   only those named
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Cheap and quiet ones first: what starts servers warms the machine for what follows.
BENCHMARKS = (
    "import_time",
    "planning",
    "engine",
    "answers",
    "models",
    "throughput",
    "stages",
    "path",
    "gateway",
    "replay",
    "live",
)


def main(names: list[str]) -> int:
    """Run them; the exit code is 1 if one failed, after all have run."""
    if unknown := set(names) - set(BENCHMARKS):
        print(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
        return 2
    failed = [name for name in names or BENCHMARKS if not _succeeds(name)]
    print(f"\nbench: FAILED: {', '.join(failed)}" if failed else "\nbench: all done")
    return 1 if failed else 0


def _succeeds(name: str) -> bool:
    print(f"\n== {name}", flush=True)
    started = time.perf_counter()
    run = subprocess.run([sys.executable, HERE / f"{name}.py"], check=False)
    print(f"== {name}: {time.perf_counter() - started:.0f} s", flush=True)
    return run.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
