"""`reactor doctor` says as whom we write on GitHub, and asks there when told to."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.fixtures.github.fake import APP_ID, SLUG, TOKEN, AppKey, FakeGitHub

Run = Callable[..., Result]


@pytest.fixture
def configured(fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> FakeGitHub:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("GITHUB_API_URL", fake_github.url)
    return fake_github


def test_nothing_is_asked_of_github_unless_wanted(run: Run, configured: FakeGitHub) -> None:
    result = run("doctor")

    assert result.exit_code == 0, result.output
    assert f"github.com at {configured.url}: a token; --github asks it" in result.stdout
    assert TOKEN not in result.output
    assert configured.requests() == []


def test_github_says_who_we_are(run: Run, configured: FakeGitHub) -> None:
    result = run("doctor", "--github")

    assert result.exit_code == 0, result.output
    assert f"github.com at {configured.url}: token of the-bot" in result.stdout


def test_a_token_that_is_not_taken_is_a_fault(
    run: Run, configured: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_wrong")

    result = run("doctor", "--github")

    assert result.exit_code == 1
    assert "MISSING  github       github.com does not take our token" in result.stdout
    assert "ghp_wrong" not in result.output
    assert "tried again" not in result.output


def test_without_credentials_their_names_are_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_APP_ID", "APP_ID"):
        monkeypatch.delenv(name, raising=False)

    result = run("doctor")

    assert "note     github       no credentials for github.com: set GITHUB_APP_ID" in result.stdout


def test_a_private_key_that_is_none_is_a_fault(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_APP_ID", "1")
    monkeypatch.setenv("GITHUB_PRIVATE_KEY", "no-key-at-all")

    result = run("doctor")

    assert result.exit_code == 1
    assert "MISSING  github       the private key of the GitHub App" in result.stdout
    assert "no-key-at-all" not in result.output


def test_what_an_app_was_not_granted_is_told_where_something_is_to_be_sent(
    run: Run,
    fake_github: FakeGitHub,
    app_key: AppKey,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_APP_ID", str(APP_ID))
    monkeypatch.setenv("GITHUB_PRIVATE_KEY", app_key.private_pem)
    monkeypatch.setenv("GITHUB_API_URL", fake_github.url)
    config = tmp_path / "reactor.yaml"
    reaction = "{name: triage, on: issues.opened, scope: triage, effects: EFFECTS}"

    config.write_text(f"reactions: [{reaction.replace('EFFECTS', 'observe')}]")
    observing = run("doctor", "--github", "--config", str(config))
    config.write_text(f"reactions: [{reaction.replace('EFFECTS', 'live')}]")
    live = run("doctor", "--github", "--config", str(config))

    assert f"app {SLUG} (id {APP_ID})" in observing.stdout
    assert "lacks" not in observing.stdout
    assert live.exit_code == 0, live.output
    assert f"app {SLUG} (id {APP_ID}) lacks Pull requests: write (for AddLabels," in live.stdout
    assert "is not told of issue_comment," in live.stdout
    assert "Issues: write" not in live.stdout
