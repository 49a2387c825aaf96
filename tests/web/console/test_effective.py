"""The settings page: what counts, where it is from, and no secret."""

from pathlib import Path

import pytest

from reactor.environment import names_that_count
from reactor.settings import Settings, load
from reactor.settings.told import told_settings
from reactor.web.console.effective import EffectiveSettings
from tests.web.console.browser import browsing
from tests.web.console.site import Site

HERE = "http://127.0.0.1:8081"
SECRETS = {
    "GITHUB_WEBHOOK_SECRET": "whsec-first, whsec-second",
    "GITHUB_TOKEN": "a-github-token",
    "REDIS_URL": "redis://user:redis-password@redis.acme.example:6379/0",
    "REACTOR_TOKEN": "the-token",
    "REACTOR_READ_TOKEN": "the-read-token",
    "REACTOR_LLM_API_KEY": "the-llm-key",
    "REACTOR_LLM_MODEL": "some/model",
    "KAFKA_BOOTSTRAP_SERVERS": "kafka:9092",
    "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
    "KAFKA_SASL_USERNAME": "reactor",
    "KAFKA_SASL_PASSWORD": "kafka-password",
}
HIDDEN = (
    "whsec-first",
    "whsec-second",
    "a-github-token",
    "redis-password",
    "the-token",
    "the-read-token",
    "the-llm-key",
    "kafka-password",
)


def site(settings: Settings, environ: dict[str, str]) -> Site:
    known = told_settings(settings, names_that_count(environ))
    return Site().with_parts(areas=(EffectiveSettings(known),))


async def test_each_setting_is_shown_with_its_value_and_where_it_is_from(
    tmp_path: Path,
) -> None:
    environ = {"REACTOR_KAFKA_PREFIX": "acme", "PORT": "9000"}
    file = tmp_path / "reactor.yaml"
    file.write_text("{name: harbour}")
    made = site(load(file, environ), environ)
    async with browsing(made.app(), HERE) as browser:
        told = (await browser.client.get("/api/settings")).json()["settings"]
        rows = (await browser.look("/settings?given=yes")).rows

    by_name = {each["name"]: each for each in told}
    assert by_name["kafka.prefix"]["value"] == "acme"
    assert by_name["kafka.prefix"]["source"] == "REACTOR_KAFKA_PREFIX"
    assert by_name["kafka.partitions"]["source"] == "default"
    assert [row.split()[:3] for row in rows if not row.startswith("Name")] == [
        ["name", "harbour", "file"],
        ["port", "9000", "PORT"],
        ["prefix", "acme", "REACTOR_KAFKA_PREFIX"],
    ]


async def test_no_secret_is_on_the_page_or_in_its_json() -> None:
    settings = load(None, SECRETS)
    given = {
        "components": {"notify": {"api_key": "component-key", "url": "https://u:p4ss@x.example"}},
        "github": settings.github.model_dump() | {"private_key": "-----BEGIN KEY-----"},
    }
    settings = Settings.model_validate({**settings.model_dump(), **given})
    made = site(settings, SECRETS)
    async with browsing(made.app(), HERE) as browser:
        page = (await browser.visit("/settings")).text
        told = (await browser.client.get("/api/settings")).text

    for secret in (*HIDDEN, "component-key", "p4ss", "BEGIN KEY"):
        assert secret not in page
        assert secret not in told
    assert "REACTOR_TOKEN" in page
    assert '"name":"gateway.token","value":"[censored]"' in told


@pytest.mark.parametrize("name", ["gateway.token", "console.read_token", "github.token"])
async def test_a_secret_that_is_not_set_is_told_so(name: str) -> None:
    (told,) = [each for each in told_settings(Settings(), {}) if each["name"] == name]

    assert (told["value"], told["source"]) == (None, "default")


async def test_nothing_can_be_set_there() -> None:
    async with browsing(site(Settings(), {}).app(), HERE) as browser:
        answer = await browser.post("/settings", {"csrf": "x", "kafka.prefix": "x"})

    assert answer.status_code == 405
