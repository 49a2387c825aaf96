"""Settings are typed, closed, and never repeat a value in an error."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from reactor.settings import BadSettings, Settings, load, read_value
from reactor.timer import Cron, Every


def written(folder: Path, text: str) -> Path:
    path = folder / "reactor.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    settings = load(written(tmp_path, ""), {})

    assert settings.kafka.bootstrap_servers is None
    assert [reaction.name for reaction in settings.reactions] == ["everything"]


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "gateway: {port: 1}\nredis: {url: 'redis://file'}")

    settings = load(path, {"PORT": "9000", "REDIS_URL": "redis://environment"})

    assert settings.gateway.port == 9000
    assert settings.redis.url is not None
    assert settings.redis.url.get_secret_value() == "redis://environment"


def test_what_is_said_in_their_place_wins_over_file_and_environment(tmp_path: Path) -> None:
    path = written(tmp_path, "components: {triage: {urgent_at: 0.5, labels: [bug]}}")

    instead = {"components.triage.urgent_at": read_value("0.6"), "gateway.port": 1}
    settings = load(path, {"PORT": "9000"}, instead)

    assert settings.components == {"triage": {"urgent_at": 0.6, "labels": ["bug"]}}
    assert settings.gateway.port == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.6", 0.6), ("[a, b]", ["a", "b"]), ("yes", "yes"), ("a: b: c", "a: b: c"), ("", None)],
)
def test_a_value_that_was_typed_means_what_it_would_in_the_file(text: str, value: object) -> None:
    assert read_value(text) == value


def test_several_secrets_are_split_at_commas_and_lines() -> None:
    settings = load(None, {"GITHUB_WEBHOOK_SECRET": "new one, old\nolder\n"})

    secrets = [secret.get_secret_value() for secret in settings.github.secrets]
    assert secrets == ["new one", "old", "older"]


def test_on_is_a_word_and_not_true(tmp_path: Path) -> None:
    path = written(tmp_path, "reactions:\n  - name: one\n    on: issues.opened\n")

    settings = load(path, {})

    assert settings.reactions[0].on == ("issues.opened",)


def test_every_fault_is_listed_with_its_place_and_without_its_value(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "gateway: {port: hunter2}\nredis: {urll: hunter2}\nreactions:\n  - {name: a, on: hunter-2}\n",
    )

    with pytest.raises(BadSettings) as caught:
        load(path, {})

    text = str(caught.value)
    assert "gateway.port" in text
    assert "redis.urll" in text
    assert "reactions.0.on" in text
    assert "hunter2" not in text
    assert str(path) in text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a: [1", "line 1: not YAML"),
        ("name: hunter2\nname: hunter2\n", "line 2: not YAML: a key for the second time"),
        ("- a", "must hold a mapping"),
    ],
)
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(BadSettings, match=what) as caught:
        load(written(tmp_path, text), {})

    assert "hunter2" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"nowhere\.yaml.*\n.*can't be read"):
        load(tmp_path / "nowhere.yaml", {})


def test_hosts_are_called_as_deliveries_call_them() -> None:
    listed = Settings.model_validate({"github": {"hosts": ["GHE.Example.com"]}})
    described = Settings.model_validate({"github": {"hosts": {"GHE.Example.com": {"app_id": 7}}}})

    assert listed.github.host_names == ("github.com", "ghe.example.com")
    assert described.github.hosts["ghe.example.com"].app_id == 7
    with pytest.raises(ValidationError, match="two hosts of one name"):
        Settings.model_validate({"github": {"hosts": ["ghe.example.com", "GHE.example.com"]}})


def test_two_reactions_of_one_name_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "reactions: [{name: a, on: issues}, {name: a, on: push}]")

    with pytest.raises(BadSettings, match="reactions of one name: a"):
        load(path, {})


def test_the_shipped_configuration_is_valid() -> None:
    shipped = Path(__file__).parents[1] / "config" / "reactor.yaml"

    settings = load(shipped, {})

    assert settings.reactions[0].on == ("*",)


def test_timers_are_read_with_their_schedules(tmp_path: Path) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text(
        "timers:\n"
        "  - {name: nightly, cron: 0 3 * * *, zone: Europe/Berlin}\n"
        "  - {name: sweep, every_s: 60, payload: {keep: [1]}}\n"
    )

    nightly, sweep = load(file, {}).timers

    assert nightly.schedule == Cron("0 3 * * *", "Europe/Berlin")
    assert (sweep.schedule, sweep.payload) == (Every(60), {"keep": [1]})


@pytest.mark.parametrize(
    ("timer", "fault"),
    [
        ("{name: a}", "either every_s or cron"),
        ("{name: a, every_s: 60, cron: 0 3 * * *}", "either every_s or cron"),
        ("{name: a, cron: 0 3 * *}", "it is no schedule"),
        ("{name: a, cron: 0 3 * * *, zone: Nowhere/Land}", "there is no such time zone"),
        ("{name: a.b, every_s: 60}", "name"),
    ],
)
def test_a_timer_that_can_not_be_kept_is_refused(tmp_path: Path, timer: str, fault: str) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text(f"timers: [{timer}]\n")

    with pytest.raises(BadSettings, match=fault):
        load(file, {})


def test_two_timers_of_one_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text("timers: [{name: a, every_s: 60}, {name: a, every_s: 90}]\n")

    with pytest.raises(BadSettings, match="timers of one name: a"):
        load(file, {})
