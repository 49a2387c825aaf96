"""The fake GitHub answers as the real one describes itself: what it says fits the schemas."""

import pytest
from github import Auth, Github, GithubException, GithubIntegration

from tests.fixtures.github.fake import (
    APP_ID,
    HEAD,
    INSTALLATION,
    ISSUE,
    MAINTAINER,
    PULL,
    REPOSITORY,
    AppKey,
    FakeGitHub,
)
from tests.github_contract.watched import Watched

pytestmark = [pytest.mark.prism, pytest.mark.timeout(300)]


def connect(url: str, token: str) -> Github:
    return Github(
        auth=Auth.Token(token),
        base_url=url,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
    )


@pytest.fixture
def person(compared: Watched) -> Github:
    return connect(compared.url, MAINTAINER)


def test_issues_are_as_described(compared: Watched, fake: FakeGitHub, person: Github) -> None:
    repository = person.get_repo(REPOSITORY)

    made = repository.create_issue("A title", body="A text", labels=["bug"], assignees=["triager"])
    made.edit(milestone=repository.get_milestone(1))
    made.edit(state="closed", state_reason="not_planned")
    made.edit(state="open")
    for verb, names in (
        ("POST", ["new", "bug"]),
        ("PUT", ["question"]),
    ):  # PyGithub's is a bare list
        person.requester.requestJsonAndCheck(verb, f"{made.url}/labels", input={"labels": names})
    made.remove_from_labels("question")
    made.remove_from_assignees("triager")
    made.lock("too heated")
    made.unlock()
    seen = [list(made.get_events()), list(repository.get_issues(state="all"))]

    assert compared.violations == []
    assert fake.issue(made.number)["state"] == "open"
    assert all(seen)


def test_comments_and_reactions_are_as_described(compared: Watched, person: Github) -> None:
    issue = person.get_repo(REPOSITORY).get_issue(ISSUE)

    comment = issue.create_comment("First")
    comment.edit("Second")
    comment.create_reaction("eyes")
    issue.create_reaction("rocket")
    read = [
        list(issue.get_comments()),
        list(comment.get_reactions()),
        issue.get_comment(comment.id),
    ]
    comment.delete()

    assert compared.violations == []
    assert all(read)


def test_pull_requests_are_as_described(compared: Watched, person: Github) -> None:
    repository = person.get_repo(REPOSITORY)
    pull = repository.get_pull(PULL)

    pull.create_review_request(reviewers=["triager"], team_reviewers=["core"])
    said = pull.create_review_comment("So?", repository.get_commit(HEAD), "src/main.py", line=1)
    pull.create_review_comment_reply(said.id, "So.")
    said.create_reaction("+1")
    pull.create_review(body="Well.", event="COMMENT")
    read = [list(pull.get_review_comments()), list(pull.get_reviews()), list(pull.get_files())]

    assert compared.violations == []
    assert all(read)


def test_the_app_and_its_checks_are_as_described(compared: Watched, key: AppKey) -> None:
    app = GithubIntegration(auth=Auth.AppAuth(APP_ID, key.private_pem), base_url=compared.url)
    owner, _, name = REPOSITORY.partition("/")

    assert app.get_repo_installation(owner, name).id == INSTALLATION
    assert app.get_app_installation(INSTALLATION).account.login == owner
    token = app.get_access_token(INSTALLATION).token
    repository = connect(compared.url, token).get_repo(REPOSITORY)
    check = repository.create_check_run("triage", HEAD, external_id="a key")
    check.edit(status="completed", conclusion="success", output={"title": "A", "summary": "B"})
    found = list(repository.get_commit(HEAD).get_check_runs())

    assert [each.external_id for each in found] == ["a key"]
    assert compared.violations == []


def test_the_rest_is_as_described(compared: Watched, fake: FakeGitHub, person: Github) -> None:
    fake.repository().files["README.md"] = "# Hello\n"
    repository = person.get_repo(REPOSITORY)

    repository.create_repository_dispatch("an-event", {"a": "b"})
    repository.requester.requestJsonAndCheck(  # by its name: an id fits both types of the path
        "POST", f"{repository.url}/actions/workflows/ci.yml/dispatches", input={"ref": "main"}
    )
    file = repository.get_contents("README.md")
    role = repository.get_collaborator_permission("triager")
    read = [
        list(repository.get_labels()),
        list(repository.get_milestones()),
        person.get_user().login,
    ]

    assert not isinstance(file, list)
    assert file.decoded_content == b"# Hello\n"
    assert role == "read"
    assert all(read)
    assert person.get_rate_limit().rate.remaining > 0
    assert compared.violations == []


def test_its_refusals_are_as_described(compared: Watched, fake: FakeGitHub, person: Github) -> None:
    issue = person.get_repo(REPOSITORY).get_issue(ISSUE)
    fake.repository().issues[ISSUE].deleted = True

    with pytest.raises(GithubException) as gone:
        issue.create_comment("Is anybody there?")
    with pytest.raises(GithubException) as unknown:
        person.get_repo("octo/nothing")

    assert (gone.value.status, unknown.value.status) == (410, 404)
    assert compared.violations == []


def test_what_does_not_fit_is_noted(described: Watched) -> None:
    requester = connect(described.url, MAINTAINER).requester

    requester.requestJson("POST", f"/repos/{REPOSITORY}/dispatches", input={})
    requester.requestJson("GET", "/no/such/path")

    assert [said.partition(" ->")[0] for said in described.violations] == [
        f"POST /repos/{REPOSITORY}/dispatches",
        "GET /no/such/path",
    ]
