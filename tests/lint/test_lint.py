"""What a lint finds in component packages, and on which line."""

from pathlib import Path

import pytest

from reactor.lint import Finding, Spot
from tests.lint.conftest import IMPORTS, Check


def line_of(source: str, text: str) -> int:
    """The line of the file on which the text stands."""
    return next(n for n, line in enumerate((IMPORTS + source).splitlines(), 1) if text in line)


def of_rule(findings: tuple[Finding, ...], rule: str) -> list[Finding]:
    return [each for each in findings if each.rule == rule]


def at(finding: Finding) -> tuple[str, int]:
    assert finding.spot is not None
    return Path(finding.spot.file).name, finding.spot.line


GOOD = """
@component(effects=(AddLabels,))
class Good:
    @action(value=0.5)
    async def label(self, issue: Issue) -> AddLabels:
        return AddLabels(labels=("good",))

COMPONENTS = (Good,)
"""


def test_a_package_without_fault_gives_no_finding(checked: Check) -> None:
    found = checked(good=GOOD)

    assert (found.findings, found.packages) == ((), 1)


def test_an_input_that_nobody_gives_is_found_at_its_parameter(checked: Check) -> None:
    source = """
class Verdict:
    pass

class Sentence:
    pass

@component
class Court:
    @action
    async def judge(
        self,
        verdict: Verdict,
    ) -> Sentence:
        return Sentence()

    @action
    async def carry_out(self, sentence: Sentence) -> None: ...

COMPONENTS = (Court,)
"""
    judge, carry_out = of_rule(checked(court=source).findings, "unproducible")

    assert "court.judge can never run: it needs has(Verdict), which no action gives" in str(judge)
    assert at(judge) == ("court.py", line_of(source, "verdict: Verdict,"))
    assert "which only court.judge could give, and that can't run either" in str(carry_out)


def test_what_an_action_may_put_there_by_hand_is_not_called_missing(checked: Check) -> None:
    source = """
class Reply:
    pass

@component
class Talker:
    @action
    async def think(self, issue: Issue, context: ActionContext) -> None:
        context.add(Reply())

    @action
    async def say(self, reply: Reply) -> None: ...

COMPONENTS = (Talker,)
"""

    assert of_rule(checked(talker=source).findings, "unproducible") == []


def test_a_goal_that_hangs_on_what_never_runs_is_out_of_reach(checked: Check) -> None:
    source = """
from reactor import achieves_goal

class Ghost:
    pass

@component
class Hunt:
    @achieves_goal("It is caught.")
    @action
    async def catch(self, ghost: Ghost) -> int:
        return 1

COMPONENTS = (Hunt,)
"""
    found = of_rule(checked(hunt=source).findings, "unreachable")

    assert {each.where for each in found} == {"goal hunt.catch"}
    assert any("ran(hunt.catch)" in each.problem for each in found)
    assert at(found[0]) == ("hunt.py", line_of(source, "async def catch"))


TIES = """
@component
class Pair:
    @action(value=0.6, cost=0.1)
    async def first(self, issue: Issue) -> None: ...

    @action(value=0.5)
    async def second(self, issue: Issue) -> None: ...

    @action(value=0.5)
    async def elsewhere(self, pull_request: PullRequest) -> None: ...

    @action(value=0.4)
    async def lower(self, issue: Issue) -> None: ...

COMPONENTS = (Pair,)
"""


def test_actions_of_equal_worth_that_may_meet_are_a_tie(checked: Check) -> None:
    (tie,) = of_rule(checked(pair=TIES).findings, "tie")

    assert (tie.severity, tie.where) == ("note", "pair.first")
    assert "is worth +0.50, as pair.second, and may be on offer beside them" in tie.problem


def test_one_that_waits_for_the_other_or_excludes_it_is_no_tie(checked: Check) -> None:
    source = """
class Draft:
    pass

@component
class Steps:
    @action(value=0.5)
    async def write(self, issue: Issue) -> Draft:
        return Draft()

    @action(value=0.5)
    async def send(self, draft: Draft) -> None: ...

COMPONENTS = (Steps,)
"""

    assert of_rule(checked(steps=source).findings, "tie") == []


BLOCKING = """
import asyncio
import time
import subprocess as sub
from time import sleep as nap

def fetch() -> None:
    sub.run(["true"])

@component
class Slow:
    @action
    async def direct(self, issue: Issue) -> None:
        time.sleep(1)

    @action
    async def renamed(self, issue: Issue) -> None:
        nap(1)

    @action
    async def through(self, issue: Issue) -> None:
        self._help()

    def _help(self) -> None:
        fetch()

    @action
    async def in_a_thread(self, issue: Issue) -> None:
        await asyncio.to_thread(time.sleep, 1)
        await asyncio.to_thread(lambda: time.sleep(2))

    @action(pre=["is_late"])
    def plain(self, issue: Issue) -> None:
        time.sleep(3)

    @condition
    def is_late(self, issue: Issue) -> bool:
        time.sleep(4)
        return True

COMPONENTS = (Slow,)
"""


def test_calls_that_block_are_found_where_they_are_made_on_the_loop(checked: Check) -> None:
    found = of_rule(checked(slow=BLOCKING).findings, "blocking")

    assert {(each.where, at(each)[1]) for each in found} == {
        ("slow.direct", line_of(BLOCKING, "time.sleep(1)")),
        ("slow.renamed", line_of(BLOCKING, "nap(1)")),
        ("slow.through", line_of(BLOCKING, "sub.run")),
        ("slow.is_late", line_of(BLOCKING, "time.sleep(4)")),
    }
    (through,) = (each for each in found if each.where == "slow.through")
    assert "calls subprocess.run on the event loop (through fetch)" in through.problem
    assert "asyncio.sleep" in str(found)


FAULTS = {
    "unknown": (
        """
@component
class Unknown:
    @action(
        value=0.5,
        pre=["isue.title != ''"],
    )
    async def go(self, issue: Issue) -> None: ...

COMPONENTS = (Unknown,)
""",
        "isue.title",
        "did you mean `issue`",
    ),
    "undeclared": (
        """
@component
class Undeclared:
    @action
    async def go(self, issue: Issue) -> AddLabels:
        return AddLabels(labels=("x",))

COMPONENTS = (Undeclared,)
""",
        "async def go",
        "AddLabels",
    ),
    "untyped": (
        """
@component
class Untyped:
    @action
    async def go(
        self,
        issue,
    ) -> None: ...

COMPONENTS = (Untyped,)
""",
        "issue,",
        "without a type",
    ),
    "raising": ("raise RuntimeError('boom')\n", "raise RuntimeError", "boom"),
    "unreadable": ("x = = 1\n", "x = = 1", "SyntaxError"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_the_line_that_is_to_be_mended(checked: Check, name: str) -> None:
    source, text, says = FAULTS[name]

    found = checked(good=GOOD, **{name: source})

    (fault,) = found.findings
    assert (fault.severity, fault.package, found.count("error")) == ("error", name, 1)
    assert says in fault.problem
    assert at(fault) == (f"{name}.py", line_of(source, text))


def test_only_the_packages_that_are_asked_for_are_told(checked: Check) -> None:
    found = checked("good", good=GOOD, slow=BLOCKING)

    assert (found.findings, found.packages) == ((), 1)


def test_a_finding_reads_as_compilers_write_them() -> None:
    finding = Finding(
        severity="warning",
        rule="tie",
        package="triage",
        where="triage.label",
        problem="is worth as much as another",
        spot=Spot("component.py", 12),
    )

    assert str(finding) == (
        "component.py:12: warning [tie] triage: triage.label is worth as much as another"
    )


DEPRECATED = """
@component
class Old:
    @action(deprecated="use new.label")
    async def label(self, issue: Issue) -> None: ...

COMPONENTS = (Old,)
"""


def test_an_action_that_is_deprecated_is_told_with_what_to_use_instead(checked: Check) -> None:
    (finding,) = of_rule(checked(old=DEPRECATED).findings, "deprecated")

    assert finding.severity == "note"
    assert str(finding).endswith("old.label is deprecated: use new.label")
    assert at(finding) == ("old.py", line_of(DEPRECATED, "async def label"))


MISSPELT = """
@component(events=("issues", "issue.opened", "issues.open", "issues.pinned", "timer.nigthly"))
class Keen:
    @action
    async def look(self, issue: Issue) -> None: ...

COMPONENTS = (Keen,)
"""


def test_an_event_that_is_misspelt_is_told_with_what_was_meant(checked: Check) -> None:
    found = of_rule(checked(keen=MISSPELT).findings, "event")

    assert [(each.severity, each.problem) for each in found] == [
        ("warning", f"is for {wrong!r}, and no such event is known; did you mean {right!r}?")
        for wrong, right in [("issue.opened", "issues.opened"), ("issues.open", "issues.opened")]
    ]
    assert at(found[0]) == ("keen.py", line_of(MISSPELT, "class Keen"))


def test_a_package_without_what_its_entry_point_names_is_told_at_its_module(
    checked: Check,
) -> None:
    found = of_rule(checked(renamed="COMPONENT = ()").findings, "fault")

    assert [each.package for each in found] == ["renamed"]
    assert "has no attribute 'COMPONENTS'" in found[0].problem
    assert at(found[0]) == ("renamed.py", 1)
