"""`reactor doctor` says which language models may be asked, and asks none."""

import json
from pathlib import Path

import pytest

from reactor.cli.doctor import examine


async def told(tmp_path: Path, **llm: object) -> list[str]:
    config = tmp_path / "reactor.json"
    config.write_text(json.dumps({"llm": llm}), encoding="utf-8")
    return [str(finding) for finding in await examine(config) if finding.what == "models"]


@pytest.fixture(autouse=True)
def no_model_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODEL", "API_BASE", "API_KEY", "API_KEY_FILE"):
        monkeypatch.delenv(f"REACTOR_LLM_{name}", raising=False)


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
