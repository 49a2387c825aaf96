import pytest
from pydantic import ValidationError

from reactor.catalog import TypeCatalog
from reactor.effect import Effect, effect_key
from reactor.github import (
    AddLabels,
    Assign,
    Close,
    CreateCheck,
    CreateIssue,
    Dispatch,
    DispatchWorkflow,
    Lock,
    PostComment,
    React,
    RemoveLabels,
    Reopen,
    RequestReview,
    ReviewComment,
    SetLabels,
    SetMilestone,
    StickyComment,
    Unassign,
    Unlock,
    UpdateCheck,
    UpdateComment,
)
from reactor.github.effects import EFFECT_TYPES
from reactor.github.repository_effects import CHECK_TEXT_LIMIT
from reactor.github.text import COMMENT_LIMIT

SHA = "1a2b3c4d" * 5

EVERY_KIND: list[tuple[Effect, str]] = [
    (AddLabels(labels=("urgent", "bug")), "add labels bug, urgent"),
    (RemoveLabels(labels=("stale",)), "remove label stale"),
    (Assign(logins=("octocat",)), "assign octocat"),
    (Unassign(logins=("octocat",)), "unassign octocat"),
    (PostComment(body="Thanks\nfor the report."), 'comment "Thanks for the report."'),
    (UpdateComment(comment_id=6, body="x" * 100), f'change comment 6 to "{"x" * 77}..."'),
    (React(content="eyes", comment_id=6), "react with eyes to comment 6"),
    (Close(reason="not_planned"), "close as not planned"),
    (Close(reason="duplicate", duplicate_of=7), "close as duplicate of #7"),
    (Reopen(), "reopen"),
    (SetMilestone(number=None), "clear milestone"),
    (
        RequestReview(reviewers=("octocat",), teams=("core",)),
        "request review by octocat, team core",
    ),
    (Dispatch(event_type="star", payload=(("login", "octocat"),)), "dispatch star (login octocat)"),
    (SetLabels(labels=("urgent", "bug")), "set labels bug, urgent"),
    (SetLabels(labels=()), "clear labels"),
    (StickyComment(slot="triage", body="Thanks."), 'keep comment triage: "Thanks."'),
    (
        ReviewComment(commit_id=SHA, path="a.py", line=3, body="Is this used?"),
        'comment on a.py:3 "Is this used?"',
    ),
    (ReviewComment(in_reply_to=5, body="Yes."), 'answer review comment 5 "Yes."'),
    (React(content="+1", comment_id=6, on="review_comment"), "react with +1 to review comment 6"),
    (Lock(reason="too heated"), "lock as too heated"),
    (Unlock(), "unlock"),
    (
        CreateCheck(name="triage", head_sha=SHA, conclusion="success"),
        "create check triage on 1a2b3c4: success",
    ),
    (
        UpdateCheck(name="triage", head_sha=SHA, status="in_progress"),
        "update check triage on 1a2b3c4: in_progress",
    ),
    (
        DispatchWorkflow(workflow="ci.yml", ref="main", inputs=(("level", "3"),)),
        "run workflow ci.yml on main (level 3)",
    ),
    (CreateIssue(title="Weekly report", body="Nothing."), 'open issue "Weekly report"'),
]


def test_no_kind_is_forgotten() -> None:
    assert {type(effect) for effect, _ in EVERY_KIND} == set(EFFECT_TYPES)


@pytest.mark.parametrize(("effect", "said"), EVERY_KIND)
def test_an_effect_is_said_in_one_line(effect: Effect, said: str) -> None:
    assert effect.describe() == said


@pytest.mark.parametrize("effect", [effect for effect, _ in EVERY_KIND])
def test_an_effect_comes_back_from_a_store_as_it_was(effect: Effect) -> None:
    TypeCatalog([type(effect)]).check(effect)


def test_the_same_labels_in_another_order_are_the_same_wish() -> None:
    one = AddLabels(labels=("bug", "urgent", "Bug"))
    other = AddLabels(labels=("urgent", "bug"))

    def key(effect: Effect) -> str:
        return effect_key(effect, host="github.com", subject="github.com/1#2", cause="c")

    assert one.labels == ("bug", "urgent")
    assert key(one) == key(other)


@pytest.mark.parametrize("labels", [(), ("",), ("x" * 51,), ("new\nline",), ("  ",)])
def test_labels_that_github_would_refuse_cannot_be_asked_for(labels: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError):
        AddLabels(labels=labels)


def test_a_comment_mentions_nobody_but_who_is_named() -> None:
    comment = PostComment(body="@acme/on-call, see @everyone", mentions=("acme/on-call",))

    assert comment.body == "@acme/on-call, see @\u200beveryone"


def test_a_comment_is_cut_to_what_github_takes() -> None:
    assert len(PostComment(body="x" * 100_000).body) < COMMENT_LIMIT


@pytest.mark.parametrize("body", ["", " \n"])
def test_a_comment_has_to_say_something(body: str) -> None:
    with pytest.raises(ValidationError, match="has to say something"):
        PostComment(body=body)


def test_closing_as_a_duplicate_names_the_other_one() -> None:
    with pytest.raises(ValidationError, match="duplicate_of"):
        Close(reason="duplicate")
    with pytest.raises(ValidationError, match="duplicate_of"):
        Close(reason="completed", duplicate_of=7)


def test_a_review_is_asked_of_somebody() -> None:
    with pytest.raises(ValidationError, match="at least one"):
        RequestReview()


@pytest.mark.parametrize("login", ["", "two words", "@octocat", "x" * 65])
def test_only_logins_can_be_assigned(login: str) -> None:
    with pytest.raises(ValidationError):
        Assign(logins=(login,))
    assert Assign(logins=("octocat_acme", "dependabot[bot]")).logins


def test_a_comment_on_a_diff_has_one_place() -> None:
    with pytest.raises(ValidationError, match="commit_id, path and line"):
        ReviewComment(path="a.py", line=3, body="Why?")
    with pytest.raises(ValidationError, match="stands where"):
        ReviewComment(in_reply_to=5, path="a.py", body="Why?")
    with pytest.raises(ValidationError, match="comes before"):
        ReviewComment(commit_id=SHA, path="a.py", line=3, start_line=3, body="Why?")


def test_a_check_has_a_conclusion_when_it_is_completed_and_only_then() -> None:
    with pytest.raises(ValidationError, match="conclusion"):
        CreateCheck(name="triage", head_sha=SHA)
    with pytest.raises(ValidationError, match="conclusion"):
        CreateCheck(name="triage", head_sha=SHA, status="queued", conclusion="success")
    with pytest.raises(ValidationError, match="title"):
        CreateCheck(name="triage", head_sha=SHA, conclusion="success", summary="All is well.")


def test_what_a_check_says_is_cut_and_mentions_nobody() -> None:
    check = CreateCheck(
        name="triage",
        head_sha=SHA,
        conclusion="neutral",
        title="t" * 300,
        summary="@octocat " + "s" * 70_000,
    )

    assert len(check.title) == 256
    assert len(check.summary) == CHECK_TEXT_LIMIT
    assert check.summary.startswith("@\u200boctocat")


def test_a_new_issue_has_a_title_that_fits_in_one_line() -> None:
    issue = CreateIssue(title="@octocat " + "x" * 300, body="Look.")

    assert len(issue.title) == 256
    assert issue.title.startswith("@\u200boctocat")
    with pytest.raises(ValidationError):
        CreateIssue(title="two\nlines", body="Look.")


@pytest.mark.parametrize("workflow", ["", "../../issues", "a/b.yml"])
def test_a_workflow_is_named_by_its_file_without_a_path(workflow: str) -> None:
    with pytest.raises(ValidationError):
        DispatchWorkflow(workflow=workflow, ref="main")


def test_a_set_of_labels_is_one_wish_in_any_order() -> None:
    assert SetLabels(labels=("b", "a", "B")) == SetLabels(labels=("a", "b"))
