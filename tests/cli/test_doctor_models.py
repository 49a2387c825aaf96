"""`reactor doctor` says which language models may be asked, and asks none."""

import json
from pathlib import Path

import pytest

from reactor.cli.doctor import examine


async def told(tmp_path: Path, **llm: object) -> list[str]:
    config = tmp_path / "reactor.json"
    config.write_text(json.dumps({"llm": llm}), encoding="utf-8")
    return [str(finding) for finding in await examine(config, {}) if finding.what == "models"]


@pytest.fixture(autouse=True)
def no_model_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODEL", "API_BASE", "API_KEY", "API_KEY_FILE"):
        monkeypatch.delenv(f"REACTOR_LLM_{name}", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


async def test_without_models_rules_do_the_work(tmp_path: Path) -> None:
    (line,) = await told(tmp_path)

    assert line.startswith("ok")
    assert "rules do all the work" in line


async def test_models_are_named_with_what_limits_them(tmp_path: Path) -> None:
    models = {"small": {"model": "openai/gpt-4o-mini", "api_key": "s3cret"}}

    free = await told(tmp_path, models=models)
    limited = await told(tmp_path, models=models, budget={"per_day": 1})

    assert "small (openai/gpt-4o-mini)" in free[0]
    assert "llm.budget" in free[1]
    assert len(limited) == 1
    assert "s3cret" not in "".join(free)


async def test_a_model_that_nobody_has_given_a_key_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {
        "small": {"model": "openai/gpt-4o-mini"},
        "own": {"model": "openai/own", "api_base": "http://127.0.0.1:8000/v1"},
        "local": {"model": "ollama/llama3"},
    }

    without = await told(tmp_path, models=models, budget={"per_day": 1})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    with_key = await told(tmp_path, models=models, budget={"per_day": 1})

    assert without[1:] == ["note     models       no key for small: OPENAI_API_KEY, or its api_key"]
    assert with_key[1:] == []


async def test_a_folder_of_prompts_that_is_not_there_is_missing(tmp_path: Path) -> None:
    models = {"small": {"model": "openai/gpt-4o-mini", "api_key": "s3cret"}}

    lines = await told(
        tmp_path, models=models, budget={"per_day": 1}, prompts=str(tmp_path / "promts")
    )

    assert lines[1:] == [f"MISSING  models       llm.prompts is no folder: {tmp_path / 'promts'}"]
