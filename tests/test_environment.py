"""Names in the environment, and secrets that lie in files."""

from pathlib import Path

import pytest

from reactor.environment import environment_names
from reactor.settings import BadSettings, load


def test_a_secret_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("redis://:s3cret@redis:6379/0\n")

    settings = load(None, {"REDIS_URL_FILE": str(tmp_path / "url")})

    assert settings.redis.url is not None
    assert settings.redis.url.get_secret_value() == "redis://:s3cret@redis:6379/0"


def test_the_name_itself_wins_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from a file")

    settings = load(None, {"REACTOR_TOKEN": "said", "REACTOR_TOKEN_FILE": str(tmp_path / "token")})

    assert settings.gateway.token is not None
    assert settings.gateway.token.get_secret_value() == "said"


def test_a_file_that_is_not_there_is_a_fault_that_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"REACTOR_TOKEN_FILE.*No such file"):
        load(None, {"REACTOR_TOKEN_FILE": str(tmp_path / "nothing")})


def test_only_secrets_come_in_files() -> None:
    names = {name for several in environment_names().values() for name in several}

    assert {name for name in names if name.endswith("_FILE")} == {
        "GITHUB_WEBHOOK_SECRET_FILE",
        "WEBHOOK_SECRET_FILE",
        "GITHUB_PRIVATE_KEY_FILE",
        "PRIVATE_KEY_FILE",
        "GITHUB_TOKEN_FILE",
        "GH_TOKEN_FILE",
        "REDIS_URL_FILE",
        "REACTOR_TOKEN_FILE",
        "REACTOR_LLM_API_KEY_FILE",
        "REACTOR_READ_TOKEN_FILE",
        "KAFKA_SASL_PASSWORD_FILE",
        "KAFKA_CA_FILE",  # certificates, no secret: these settings are files themselves
        "REACTOR_REDIS_CA_FILE",
    }


def test_a_broker_with_sasl_needs_a_user() -> None:
    with pytest.raises(BadSettings, match=r"kafka.security.*needs username and password"):
        load(None, {"KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_USERNAME": "reactor"})


@pytest.mark.parametrize(
    ("environ", "fault"),
    [
        ({"KAFKA_SECURITY_PROTOCOL": "SSL"}, r"set bootstrap_servers too"),
        ({"REACTOR_REDIS_CLUSTER": "true"}, r"set url too"),
    ],
)
def test_what_the_embedded_servers_do_not_have_is_not_asked_of_them(
    environ: dict[str, str], fault: str
) -> None:
    with pytest.raises(BadSettings, match=fault):
        load(None, environ)
