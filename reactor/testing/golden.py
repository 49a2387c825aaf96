"""Golden decisions: what was decided, in a file beside the test, so that a change of it is seen.

The file holds what people would ask about: what ran, what it was chosen over, what came of it, and
the effects.  Times, ids and keys are not in it.
"""

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactor.process import Process
from reactor.weighing import in_full

_FOLDER = "golden"


def decisions(process: Process) -> dict[str, Any]:
    """What a process decided, as JSON-ready data that is the same in every run."""
    ticks: list[Any] = [r.data for r in in_full(process.journal) if r.kind == "tick"]
    return {
        "status": str(process.status),
        "steps": [
            {
                "action": tick["chosen"],
                "net_value": round(tick["net_value"], 6),
                "over": {
                    each["action"]: round(each["net_value"], 6)
                    for each in tick["candidates"]
                    if each["action"] != tick["chosen"]
                },
                "outcome": tick["outcome"],
                **({"error": tick["error"]} if tick["error"] else {}),
            }
            for tick in ticks
        ],
        "effects": [
            {
                "by": record.action,
                "kind": record.effect.kind,
                **record.effect.model_dump(mode="json", exclude_defaults=True),
            }
            for record in process.effects
        ],
    }


@dataclass(frozen=True, slots=True)
class Golden:
    """Compares with the files of one test module, or writes them.

    `golden(process)` is compared with `golden/TEST.json` in the folder of the module; a test that
    compares several names them: `golden(process, "reopened")`.
    """

    folder: Path
    test: str
    update: bool = False

    def __call__(self, process: Process, name: str = "") -> None:
        """Raises `AssertionError` with what has changed, and how to accept it."""
        path = self.folder / _FOLDER / f"{self.test}{f'.{name}' if name else ''}.json"
        now = json.dumps(decisions(process), indent=2, ensure_ascii=False) + "\n"
        if self.update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(now, encoding="utf-8")
            return
        if not path.exists():
            raise AssertionError(f"{path} is not there yet: pytest --update-golden writes it")
        then = path.read_text(encoding="utf-8")
        if now != then:
            lines = difflib.unified_diff(
                then.splitlines(), now.splitlines(), "golden", "now", lineterm=""
            )
            changed = "\n".join(lines)
            raise AssertionError(
                f"decided otherwise than {path.name} says; where that is meant, pytest"
                f" --update-golden writes it anew:\n{changed}"
            )
