"""Labels by the files that a pull request changes."""

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError
from reactor_triage import TriageComponent, TriageSettings
from reactor_triage.paths import labels_for

from reactor.github import AddLabels
from reactor.testing import Workbench, effects, event, label, pull_request, ran, why_not

PATHS = {"docs": ("*.md", "docs/"), "tests": ("test_*.py",), "build": ("/pyproject.toml",)}


@pytest.mark.parametrize(
    ("changed", "labels"),
    [
        (["README.md"], ("docs",)),
        (["docs/images/logo.png", "src/test_a.py"], ("docs", "tests")),
        (["pyproject.toml"], ("build",)),
        (["components/triage/pyproject.toml"], ()),
        (["src/docs.py"], ()),
        ([], ()),
    ],
)
def test_a_label_is_put_on_for_any_file_that_any_of_its_patterns_takes(
    changed: list[str], labels: tuple[str, ...]
) -> None:
    assert labels_for(changed, PATHS) == labels


def test_what_is_taken_back_does_not_count() -> None:
    paths = {"docs": ("docs/*", "!docs/changelog.md")}

    assert labels_for(["docs/changelog.md"], paths) == ()
    assert labels_for(["docs/index.md"], paths) == ("docs",)


@pytest.mark.parametrize("patterns", [[], ["# a remark"], ["!docs/"]])
def test_a_label_that_no_file_could_get_is_refused(patterns: list[str]) -> None:
    with pytest.raises(ValidationError, match="'docs' has no pattern that takes a file"):
        TriageSettings.model_validate({"paths": {"docs": patterns}})


def bench(changed: Sequence[str] | None, **settings: Any) -> Workbench:
    made = Workbench(TriageComponent, settings={"paths": PATHS, "labels": {}} | settings)
    if changed is not None:
        made.files.put(1296269, pull_request()["number"], changed)
    return made


async def test_a_pull_request_gets_those_that_are_not_on_yet() -> None:
    opened = event("pull_request.opened", pull_request=pull_request(labels=[label("Docs")]))

    process = await bench(["README.md", "test_a.py"]).run(opened)

    assert AddLabels(labels=("tests",)) in effects(process)


async def test_what_is_pushed_later_is_looked_at_as_well() -> None:
    process = await bench(["README.md"]).run(event("pull_request.synchronize"))

    assert effects(process) == [AddLabels(labels=("docs",))]


@pytest.mark.parametrize(
    ("kind", "settings"), [("pull_request.labeled", {}), ("pull_request.opened", {"paths": {}})]
)
async def test_nobody_is_asked_where_it_makes_no_difference(
    kind: str, settings: dict[str, Any]
) -> None:
    process = await bench(["README.md"], **settings).run(event(kind))

    assert "triage.label_by_path" not in ran(process)


async def test_where_nobody_can_be_asked_the_rest_is_done_and_the_reason_is_told() -> None:
    process = await bench(None).run(event("pull_request.opened"))

    assert "triage.react_to_new_pull_request" in ran(process)
    assert "changed_files" in "\n".join(why_not(process, "triage.label_by_path"))
