"""Pages that follow from the code are what the code would write now."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from reactor.github.repository_file import ComponentPart, RepositoryFile
from reactor.github.repository_yaml import read_repository_file
from tools.reference import pages

_YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_generated_page_is_up_to_date(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == pages()[page], "run `make fix`"


def test_the_schema_accepts_the_settings_that_we_ship(root: Path) -> None:
    schema = json.loads((root / "config" / "reactor.schema.json").read_text(encoding="utf-8"))
    check = Draft202012Validator(schema)

    for file in (root / "config").glob("*.yaml"):
        values = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
        assert [error.message for error in check.iter_errors(values)] == [], file


def test_owners_of_repositories_are_shown_files_that_can_be_used(root: Path) -> None:
    schema = json.loads((root / "config" / "repository.schema.json").read_text(encoding="utf-8"))
    check = Draft202012Validator(schema)
    shown = _YAML.findall((root / "docs" / "repositories.md").read_text(encoding="utf-8"))

    assert shown
    for text in shown:
        assert read_repository_file(text).rules.said
        values = YAML(typ="safe", pure=True).load(text)
        assert [error.message for error in check.iter_errors(values)] == []


def test_owners_of_repositories_are_told_of_every_name(root: Path) -> None:
    page = (root / "docs" / "repositories.md").read_text(encoding="utf-8")
    fields = RepositoryFile.model_fields | ComponentPart.model_fields

    assert [name for name, it in fields.items() if f"`{it.alias or name}" not in page] == []
