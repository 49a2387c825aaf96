"""What `import reactor` costs, as a ratio to `import pydantic`.

Every component's test run pays it.  Each sample is a fresh interpreter, which measures the import
alone; the modules take turns, so that a busy moment of the machine hits all of them; the median of
the samples counts.
"""

import subprocess
import sys
from statistics import median

ROUNDS = 11
FLOOR = "pydantic"  # what any typed component loads anyway
MODULES = (FLOOR, "reactor", "reactor.github", "reactor.cli")

PROBE = """
import time
started = time.perf_counter()
import {module}
print(time.perf_counter() - started)
"""


def seconds(module: str) -> float:
    """One import in a fresh interpreter."""
    probe = [sys.executable, "-c", PROBE.format(module=module)]
    return float(subprocess.run(probe, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Measure and print one line for each module."""
    for module in MODULES:  # the first import after an installation compiles
        seconds(module)
    rounds = [{module: seconds(module) for module in MODULES} for _ in range(ROUNDS)]
    middle = {module: median(sample[module] for sample in rounds) for module in MODULES}
    print(f"{'import':<16}{'median':>10}{'ratio':>8}   ({ROUNDS} fresh interpreters each)")
    for module in MODULES:
        ratio = middle[module] / middle[FLOOR]
        print(f"{module:<16}{middle[module] * 1000:>7.0f} ms{ratio:>8.2f}")


if __name__ == "__main__":
    main()
