"""Pages that follow from the code are what the code would write now."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from tools.reference import pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_generated_page_is_up_to_date(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == pages()[page], "run `make fix`"


def test_the_schema_accepts_the_settings_that_we_ship(root: Path) -> None:
    schema = json.loads((root / "config" / "reactor.schema.json").read_text(encoding="utf-8"))
    check = Draft202012Validator(schema)

    for file in (root / "config").glob("*.yaml"):
        values = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
        assert [error.message for error in check.iter_errors(values)] == [], file
