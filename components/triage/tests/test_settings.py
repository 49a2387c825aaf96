"""What an operator may write into the section, and what is refused."""

import pytest
from pydantic import ValidationError
from reactor_triage import TriageSettings


def test_everything_has_a_default() -> None:
    settings = TriageSettings()

    assert settings.urgent_at == 0.7
    assert "bug" in settings.labels


@pytest.mark.parametrize(
    "section",
    [
        {"urgent_at": 1.5},
        {"urgent_from": 0.5},
        {"labels": {"x" * 51: ["word"]}},
        {"labels": {"bug": [" *"]}},
        {"on_call": ["not a login"]},
        {"most_labels": -1},
    ],
)
def test_what_makes_no_sense_is_refused(section: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TriageSettings.model_validate(section)


def test_every_setting_says_what_it_is_for() -> None:
    silent = [name for name, field in TriageSettings.model_fields.items() if not field.description]

    assert silent == []
