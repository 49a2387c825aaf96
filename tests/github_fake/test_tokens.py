"""The app signs itself in, and gets tokens for an hour; what is wrong with one is said."""

from datetime import timedelta
from time import time as now_s  # noqa: TID251 - claims of a token are in the machine's time

import jwt
import pytest
from github import Auth, GithubException, GithubIntegration

from tests.fixtures.github.fake import (
    APP_ID,
    BOT,
    HEAD,
    INSTALLATION,
    ISSUE,
    REPOSITORY,
    AppKey,
    FakeGitHub,
    new_key,
)
from tests.github_fake.conftest import Connect


@pytest.fixture
def app(fake_github: FakeGitHub, app_key: AppKey) -> GithubIntegration:
    return GithubIntegration(
        auth=Auth.AppAuth(APP_ID, app_key.private_pem), base_url=fake_github.url, retry=None
    )


def claims(**changed: object) -> dict[str, object]:
    usual: dict[str, object] = {"iss": str(APP_ID), "iat": int(now_s()) - 60}
    return usual | {"exp": int(now_s()) + 300} | changed


def test_an_installation_writes_as_the_bot(
    app: GithubIntegration, connect: Connect, fake_github: FakeGitHub
) -> None:
    found = app.get_repo_installation("octo", "hello")

    token = app.get_access_token(found.id).token
    connect(token).get_repo(REPOSITORY).get_issue(ISSUE).create_comment("Hello.")

    assert found.id == INSTALLATION
    assert [each["user"] for each in fake_github.issue()["comments"]] == [BOT]


def test_a_token_ends_after_an_hour(
    app: GithubIntegration, connect: Connect, fake_github: FakeGitHub
) -> None:
    token = app.get_access_token(INSTALLATION).token

    fake_github.go_ahead(timedelta(minutes=61))

    with pytest.raises(GithubException) as refused:
        connect(token).get_repo(REPOSITORY)
    assert (refused.value.status, refused.value.data["message"]) == (401, "Bad credentials")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"iat": int(now_s()) + 3600}, "'Issued at' claim"),
        ({"exp": int(now_s()) - 10}, "must be a numeric value representing the future"),
        ({"exp": int(now_s()) + 3600}, "too far in the future"),
        ({"iss": "1"}, "Integration not found"),
    ],
)
def test_what_the_app_claims_has_to_be_right(
    connect: Connect, app_key: AppKey, changed: dict[str, object], said: str
) -> None:
    signed = jwt.encode(claims(**changed), app_key.private_pem, algorithm="RS256")

    _, _, body = connect(signed).requester.requestJson("GET", "/app")

    assert said in body


def test_a_signature_of_another_key_is_none(connect: Connect) -> None:
    forged = jwt.encode(claims(), new_key().private_pem, algorithm="RS256")

    status, _, body = connect(forged).requester.requestJson("GET", "/app")

    assert status == 401
    assert "could not be decoded" in body


def test_an_installation_can_do_what_it_was_granted_and_is_told_what_it_lacks(
    app: GithubIntegration, connect: Connect, fake_github: FakeGitHub
) -> None:
    fake_github.world.installations[INSTALLATION].permissions = {"issues": "write"}
    repository = connect(app.get_access_token(INSTALLATION).token).get_repo(REPOSITORY)

    repository.get_issue(ISSUE).create_comment("This it may.")
    with pytest.raises(GithubException) as refused:
        repository.create_check_run("triage", HEAD)

    assert refused.value.status == 403
    assert (refused.value.headers or {})["x-accepted-github-permissions"] == "checks=write"


def test_an_installation_that_is_suspended_gets_no_token_and_one_that_is_gone_is_unknown(
    app: GithubIntegration, fake_github: FakeGitHub
) -> None:
    fake_github.world.installations[INSTALLATION].is_suspended = True
    with pytest.raises(GithubException) as suspended:
        app.get_access_token(INSTALLATION)

    del fake_github.world.installations[INSTALLATION]
    with pytest.raises(GithubException) as gone:
        app.get_access_token(INSTALLATION)

    assert (suspended.value.status, gone.value.status) == (403, 404)
