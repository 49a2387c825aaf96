"""Models in the settings: in a file, or one of them in the environment."""

from pathlib import Path

import pytest

from reactor.settings import BadSettings, load


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "reactor.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_settings_there_is_no_model() -> None:
    assert load(None, {}).llm.models == {}


def test_one_model_comes_from_the_environment_with_its_key_and_place() -> None:
    settings = load(
        None,
        {
            "REACTOR_LLM_MODEL": "openai/gpt-4o-mini",
            "REACTOR_LLM_API_KEY": "s3cret",
            "REACTOR_LLM_API_BASE": "http://127.0.0.1:1/v1",
        },
    )

    model = settings.llm.models["default"]
    assert model.model == "openai/gpt-4o-mini"
    assert model.api_base == "http://127.0.0.1:1/v1"
    assert model.api_key is not None
    assert model.api_key.get_secret_value() == "s3cret"
    assert "s3cret" not in repr(settings)


def test_models_of_a_file_stay_beside_that_of_the_environment(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
llm:
  models:
    small: {model: openai/gpt-4o-mini, fallbacks: [large]}
    large: {model: anthropic/claude}
  roles: {reviewer: large}
  budget: {per_day: 5}
""",
    )

    llm = load(path, {"REACTOR_LLM_MODEL": "ollama/llama3"}).llm

    assert set(llm.models) == {"small", "large", "default"}
    assert llm.budget.per_day == 5


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("llm: {default: small}", r"default names 'small'.*there are: none"),
        ("llm: {roles: {reviewer: small}}", r"roles\.reviewer names 'small'"),
        (
            "llm: {models: {small: {model: a/b, fallbacks: [large]}}}",
            r"models\.small\.fallbacks names 'large'.*there are: small",
        ),
        ("llm: {models: {small: {}}}", r"llm\.models\.small\.model: Field required"),
        ("llm: {budget: {per_year: 5}}", r"llm\.budget\.per_year"),
    ],
)
def test_what_names_no_model_is_a_fault(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(BadSettings, match=fault):
        load(written(tmp_path, text), {})
