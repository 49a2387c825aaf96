"""What the guards caught is counted right, also what one of them can't say itself."""

import json
from pathlib import Path

from tests.chaos.caught import Settled, count, saved_by_order


def settled(at: int, life: str, offset: int) -> Settled:
    return Settled(at=f"2026-01-01T00:00:{at:02}Z", life=life, partition="t[0]", offset=offset)


def test_a_record_settled_after_a_later_one_of_another_life_was_saved() -> None:
    first_life = [settled(1, "a", 0), settled(2, "a", 2), settled(3, "a", 3)]
    second_life = [settled(5, "b", 1), settled(6, "b", 2), settled(7, "b", 3)]

    assert saved_by_order([*first_life, *second_life]) == 1


def test_records_that_one_life_settles_out_of_order_were_in_no_danger() -> None:
    assert saved_by_order([settled(1, "a", 1), settled(2, "a", 0), settled(3, "b", 2)]) == 0


def test_lines_of_guards_are_counted_over_all_logs_and_torn_lines_are_passed_over(
    tmp_path: Path,
) -> None:
    logs = [tmp_path / "worker.001.log", tmp_path / "worker.002.log"]
    line = json.dumps({"event": "guard_caught", "guard": "claim"})
    logs[0].write_text(f"{line}\n{line}\nno json\n{line[:20]}")
    logs[1].write_text(json.dumps({"event": "guard_caught", "guard": "ledger"}) + "\n")

    assert count(logs) == {"claim": 2, "lease": 0, "ledger": 1, "order": 0}
