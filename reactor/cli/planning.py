"""`reactor plan`: decide planning problems that are written down as data, and say why."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reactor.plan import Decision
    from reactor.plan.cases import Case

MOST_SHOWN = 10  # candidates, and actions that could not run; `--json` has them all


def register(app: typer.Typer) -> None:
    """Add `plan`."""

    @app.command()
    def plan(
        file: Annotated[
            Path, typer.Argument(help="YAML: one case, a list of cases, or a suite with `cases`.")
        ],
        as_json: Annotated[
            bool, typer.Option("--json", help="One JSON list, an object for each case.")
        ] = False,
    ) -> None:
        """Decide planning problems: the plan, its cost, what could run, and why the rest could not.

        What a file may say is in docs/planning.md.

        Example: `reactor plan refund.yaml`
        """
        from reactor.plan.cases import decide, read_cases, told_case

        cases = read_cases(file)
        if as_json:
            told = [told_case(case, decide(case)) for case in cases]
            typer.echo(json.dumps(told, ensure_ascii=False))
            return
        for number, case in enumerate(cases):
            if number:
                typer.echo()
            typer.echo("\n".join(lines_of(case, decide(case))))


def lines_of(case: "Case", decision: "Decision") -> Iterator[str]:
    """A decision in words."""
    yield f"{case.id}  {case.planner}  {decision.outcome}"
    if decision.plan is None:
        yield "  no plan"
    elif not decision.plan:
        yield f"  goal        {decision.goal} holds: nothing to do"
    else:
        yield f"  goal        {decision.goal}"
        yield f"  plan        {' -> '.join(decision.plan)}"
        yield f"  worth       {decision.net_value:+g} net, at a cost of {decision.cost:g}"
    if decision.bound is not None:
        yield f"  bound       the search was cut short; no plan costs less than {decision.bound:g}"
    if decision.evaluated:
        yield f"  looked into {', '.join(decision.evaluated)}"
    yield from _reasons(decision)


def _reasons(decision: "Decision") -> Iterator[str]:
    reasons = decision.reasons
    roots = dict(reasons.roots)
    for goal, unmet in reasons.unreachable:
        root = roots.get(goal)
        if root == unmet:
            because = ", which nothing brings about"
        else:
            because = f"; it hangs on this: {root}, which nothing brings about" if root else ""
        yield f"  unreachable {goal}: {unmet}{because}"
    could = [f"{found.action} {found.net_value:+g}" for found in reasons.candidates]
    yield f"  could run   {_listed(could, ', ') or 'nothing'}"
    could_not = [f"{n.action}: {'; '.join(map(str, n.unmet))}" for n in reasons.not_runnable]
    if could_not:
        yield f"  could not   {_listed(could_not, chr(10) + ' ' * 14)}"


def _listed(items: list[str], separator: str) -> str:
    more = len(items) - MOST_SHOWN
    shown = items[:MOST_SHOWN]
    return separator.join([*shown, f"and {more} more"] if more > 0 else shown)
