"""Expecting: assertions that tell what was decided instead, and why.

expect_ran(process, "triage.label_issue")
# AssertionError: triage.label_issue did not run
#   ran: community.meet_newcomer, hello.mark_as_new
#   in tick 1, +0.65 community.meet_newcomer was chosen; it could not run:
#     has(IssueAssessment) is false, needs true
"""

from collections.abc import Iterator
from typing import Any

from reactor.effect import Effect
from reactor.process import Process
from reactor.sentences import unmet_sentence
from reactor.testing.bench import effects, ran
from reactor.weighing import in_full


def expect_ran(process: Process, *actions: str) -> None:
    """Each of these actions has run, others may have.  Raises `AssertionError`, with reasons."""
    done = ran(process)
    for action in actions:
        if action not in done:
            raise AssertionError(f"{action} did not run\n{_reasons(process, action)}")


def expect_not_run(process: Process, *actions: str) -> None:
    """None of these actions has run.  Raises `AssertionError`."""
    done = ran(process)
    for action in actions:
        if action in done:
            tick = done.index(action) + 1
            raise AssertionError(f"{action} has run, in tick {tick} of: {', '.join(done)}")


def expect_effects(process: Process, *expected: Effect) -> None:
    """Exactly these effects were asked for, in any order.  Raises `AssertionError`."""
    left, missing = list(effects(process)), list[Effect]()
    for effect in expected:
        if effect in left:
            left.remove(effect)
        else:
            missing.append(effect)
    if not left and not missing:
        return
    lines = [f"  missing: {effect!r}" for effect in missing]
    lines += [f"  not expected: {effect!r}" for effect in left]
    lines.append(f"  ran: {', '.join(ran(process)) or 'nothing'}")
    failed = [f"  {run.action} failed: {run.error}" for run in process.history if run.error]
    raise AssertionError("\n".join(["other effects were asked for", *lines, *failed]))


def why_not(process: Process, action: str) -> list[str]:
    """Where the action stood in each planning of the process, a line or more for each.

    Empty where no planning has looked at it: it is not installed, or not in scope.
    """
    return list(_stood(process, action))


def _reasons(process: Process, action: str) -> str:
    stood = why_not(process, action) or ["no planning has looked at it: is it installed?"]
    lines = [f"ran: {', '.join(ran(process)) or 'nothing'}", *stood]
    return "\n".join(f"  {line}" for line in lines)


def _stood(process: Process, action: str) -> Iterator[str]:
    for record in in_full(process.journal):
        data: Any = record.data
        if record.kind not in ("tick", "ended"):
            continue
        when = f"in tick {data['tick']}" if record.kind == "tick" else "at the end"
        chosen = f"{data['chosen']} was chosen" if data.get("chosen") else "nothing was chosen"
        if data.get("chosen") == action:
            yield f"{when}, it was chosen: {data['outcome']} {data['error']}".rstrip()
            continue
        for found in data["candidates"]:
            if found["action"] == action:
                yield f"{when}, {chosen}; it could have run, at {found['net_value']:+.2f}"
        for found in data["not_runnable"]:
            if found["action"] == action:
                yield f"{when}, {chosen}; it could not run:"
                yield from (f"  {unmet_sentence(unmet)}" for unmet in found["unmet"])
