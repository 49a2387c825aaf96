"""Settings as they might be: one value, one reaction, another scope."""

from pathlib import Path

import pytest

from reactor.settings import BadSettings
from reactor.wiring.what_if import BadWhatIf, settings_if

FILE = """
components: {triage: {urgent_at: 0.8, labels: [bug]}}
reactions:
  - {name: triage, on: [issues.opened], scope: [triage, hello]}
  - {name: agents, on: [issues], agent: reviewer}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "reactor.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_one_value_is_another_and_all_else_stays(config: Path) -> None:
    settings = settings_if(config, {}, sets=["components.triage.urgent_at=0.6"])

    assert settings.components["triage"] == {"urgent_at": 0.6, "labels": ["bug"]}


def test_a_reaction_can_be_changed_by_its_name(config: Path) -> None:
    settings = settings_if(config, {}, sets=['reactions.triage.when=issue.title == "a=b"'])

    assert [each.when for each in settings.reactions] == ['issue.title == "a=b"', None]


def test_scopes_are_of_all_reactions_or_of_one(config: Path) -> None:
    every = settings_if(config, {}, scopes=["triage,community"])
    one = settings_if(config, {}, scopes=["triage=hello"])

    assert [each.scope for each in every.reactions] == [("triage", "community")] * 2
    assert [each.agent for each in every.reactions] == [None, None]
    assert [each.scope for each in one.reactions] == [("hello",), ()]


@pytest.mark.parametrize(
    ("sets", "scopes", "why"),
    [
        (["components"], [], "is not NAME.NAME=VALUE"),
        (["reactions.nobody.when=true"], [], "no reaction 'nobody'; there are: triage, agents"),
        (["reactions.triage.whenn=true"], [], "whenn: Extra inputs"),
        ([], ["nobody=hello"], "no reaction 'nobody'"),
        (["foo.bar=1"], [], "--set foo.bar: foo: Extra inputs"),
        (["storms.per_subject=0"], [], "--set storms.per_subject: storms.per_subject: "),
    ],
)
def test_what_names_nothing_is_told(
    config: Path, sets: list[str], scopes: list[str], why: str
) -> None:
    with pytest.raises(BadWhatIf, match=why):
        settings_if(config, {}, sets=sets, scopes=scopes)


def test_a_value_that_can_not_be_is_a_fault_of_the_option(config: Path) -> None:
    with pytest.raises(BadWhatIf, match=r"--set gateway\.port: gateway\.port: "):
        settings_if(config, {}, sets=["gateway.port=everywhere"])


def test_what_is_wrong_in_the_file_itself_is_told_of_the_file(config: Path) -> None:
    config.write_text(FILE.replace("0.8", "0.8, allow: 7"), encoding="utf-8")

    with pytest.raises(BadSettings, match=r"reactor\.yaml"):
        settings_if(config, {}, sets=["components.triage.urgent_at=0.6"])
