"""Who is welcomed, thanked and seen to."""

from typing import Any

import pytest
from pydantic import ValidationError
from reactor_community import CommunityComponent, CommunitySettings

from reactor.github import AddLabels, Dispatch, PostComment, RequestReview
from reactor.testing import (
    Workbench,
    account,
    effects,
    event,
    issue,
    pull_request,
    ran,
    repository,
)


@pytest.fixture
def bench() -> Workbench:
    return Workbench(CommunityComponent)


async def test_a_first_time_contributor_is_welcomed_once(bench: Workbench) -> None:
    first = await bench.run(event("issues.opened", id="d-1", issue=issue(number=1)))
    second = await bench.run(event("issues.opened", id="d-2", issue=issue(number=2)))

    assert effects(first) == [PostComment(body=CommunitySettings().welcome, cause="ever")]
    assert effects(second) == []


async def test_a_redelivered_opening_is_the_same_welcome(bench: Workbench) -> None:
    opened = event("issues.opened", issue=issue())

    first, again = await bench.run(opened), await bench.run(opened)

    assert [record.key for record in first.effects] == [record.key for record in again.effects]


async def test_who_is_known_in_one_repository_is_new_in_another(bench: Workbench) -> None:
    await bench.run(event("issues.opened", id="d-1", issue=issue()))
    elsewhere = repository("octo/other", id=2)

    process = await bench.run(event("issues.opened", id="d-2", issue=issue(), repository=elsewhere))

    assert "community.welcome_newcomer" in ran(process)


@pytest.mark.parametrize(
    "fields",
    [
        {"author_association": "MEMBER"},
        {"author_association": "CONTRIBUTOR"},
        {"user": account("helper", type="Bot")},
        {"user": None},
    ],
)
async def test_insiders_bots_and_ghosts_are_not_welcomed(
    bench: Workbench, fields: dict[str, Any]
) -> None:
    process = await bench.run(event("issues.opened", issue=issue(**fields)))

    assert effects(process) == []


async def test_an_issue_that_came_by_transfer_is_nobodys_first(bench: Workbench) -> None:
    moved = event("issues.opened", issue=issue(), changes={"old_issue": issue(number=3)})

    assert effects(await bench.run(moved)) == []


async def test_an_issue_whose_transfer_was_told_is_nobodys_first_though_it_does_not_say_so(
    bench: Workbench,
) -> None:
    there = repository("octo/other", id=2)
    changes = {"new_issue": issue(number=4), "new_repository": repository()}

    await bench.run(event("issues.transferred", issue=issue(), repository=there, changes=changes))
    moved = await bench.run(event("issues.opened", id="d-2", issue=issue(number=4)))
    next_one = await bench.run(event("issues.opened", id="d-3", issue=issue(number=5)))

    assert effects(moved) == []
    assert "community.welcome_newcomer" in ran(next_one)


async def test_a_transfer_that_does_not_say_where_to_changes_nothing(bench: Workbench) -> None:
    moved = await bench.run(event("issues.transferred", issue=issue(), changes={}))

    assert effects(moved) == []


async def test_only_what_was_just_opened_is_welcomed(bench: Workbench) -> None:
    process = await bench.run(event("issues.edited", issue=issue()))

    assert ran(process) == []


async def test_a_star_is_thanked_for_once_ever_for_each_person(bench: Workbench) -> None:
    first = await bench.run(event("star.created", starred_at="2026-03-01T10:00:00Z"))
    again = await bench.run(event("star.created", id="d-2", starred_at="2026-03-02T10:00:00Z"))
    other = await bench.run(event("star.created", id="d-3", sender=account("hubot")))

    assert effects(first) == [
        Dispatch(event_type="star_received", payload=(("login", "octocat"),), cause="ever")
    ]
    assert first.effects[0].key == again.effects[0].key != other.effects[0].key


@pytest.mark.parametrize("kind", ["star.deleted", "watch.started"])
async def test_a_star_taken_back_or_told_twice_is_no_star(bench: Workbench, kind: str) -> None:
    assert effects(await bench.run(event(kind))) == []


@pytest.mark.parametrize(("files", "is_large"), [(10, False), (11, True), (None, False)])
async def test_a_pull_request_is_large_above_ten_files(
    bench: Workbench, files: int | None, is_large: bool
) -> None:
    process = await bench.run(
        event("pull_request.synchronize", pull_request=pull_request(changed_files=files))
    )

    assert effects(process) == ([AddLabels(labels=("large",))] if is_large else [])


async def test_large_ones_go_to_their_reviewers_but_never_to_the_author() -> None:
    bench = Workbench(CommunityComponent, settings={"large_reviewers": ["Octocat", "hubot"]})

    process = await bench.run(
        event("pull_request.reopened", pull_request=pull_request(changed_files=99))
    )

    assert effects(process) == [AddLabels(labels=("large",)), RequestReview(reviewers=("hubot",))]


async def test_a_large_one_is_noticed_once(bench: Workbench) -> None:
    labelled = pull_request(changed_files=99, labels=[{"name": "Large"}])

    assert effects(await bench.run(event("pull_request.synchronize", pull_request=labelled))) == []


async def test_closing_a_large_one_needs_no_label(bench: Workbench) -> None:
    closed = event("pull_request.closed", pull_request=pull_request(changed_files=99))

    assert ran(await bench.run(closed)) == []


def test_a_setting_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValidationError):
        CommunitySettings.model_validate({"large_above": 5})


def starred(stars: int | None, id: str = "d-1") -> Any:
    return event("star.created", id=id, repository=repository(stargazers_count=stars))


def milestones(process: Any) -> list[Any]:
    return [
        int(dict(effect.payload)["stars"])
        for effect in effects(process)
        if isinstance(effect, Dispatch) and effect.event_type == "star_milestone"
    ]


async def test_a_round_number_of_stars_is_told_once_ever(bench: Workbench) -> None:
    reached = await bench.run(starred(100, "d-1"))
    lost_and_reached_again = await bench.run(starred(100, "d-2"))
    one_more = await bench.run(starred(101, "d-3"))

    assert milestones(reached) == [100]
    assert milestones(lost_and_reached_again) == milestones(one_more) == []


@pytest.mark.parametrize(
    ("stars", "told"),
    [(9, []), (10, [10]), (11, []), (102, [100]), (103, []), (1_020, [1_000]), (4_000, [])],
)
async def test_one_that_was_passed_long_ago_is_no_news(
    bench: Workbench, stars: int, told: list[int]
) -> None:
    assert milestones(await bench.run(starred(stars))) == told


async def test_each_repository_has_its_own_numbers(bench: Workbench) -> None:
    await bench.run(starred(10, "d-1"))

    elsewhere = repository("octo/other", id=2, stargazers_count=10)
    process = await bench.run(event("star.created", id="d-2", repository=elsewhere))

    assert milestones(process) == [10]


@pytest.mark.parametrize(
    ("stars", "settings"), [(None, {}), (10, {"star_milestones": []}), (0, {})]
)
async def test_where_nobody_counts_nothing_is_told(
    stars: int | None, settings: dict[str, Any]
) -> None:
    bench = Workbench(CommunityComponent, settings=settings)

    assert milestones(await bench.run(starred(stars))) == []


def merged(id: str, number: int = 1, **fields: Any) -> Any:
    told: dict[str, Any] = {"merged": True, "state": "closed", "number": number, **fields}
    return event("pull_request.closed", id=id, pull_request=pull_request(**told))


THANKS = [PostComment(body=str(CommunitySettings().first_merge), cause="ever")]


async def test_the_first_merge_of_a_person_is_thanked_for_and_no_other(bench: Workbench) -> None:
    first = await bench.run(merged("d-1", 1, author_association="FIRST_TIME_CONTRIBUTOR"))
    second = await bench.run(merged("d-2", 2, author_association="CONTRIBUTOR"))

    assert effects(first) == THANKS
    assert effects(second) == []


async def test_who_was_met_as_a_newcomer_is_thanked_also_once_they_are_called_contributor(
    bench: Workbench,
) -> None:
    await bench.run(event("issues.opened", id="d-1", issue=issue()))

    process = await bench.run(merged("d-2", author_association="CONTRIBUTOR"))

    assert effects(process) == THANKS


async def test_who_contributed_long_before_is_not_called_new(bench: Workbench) -> None:
    first = await bench.run(merged("d-1", 1, author_association="CONTRIBUTOR"))
    second = await bench.run(merged("d-2", 2, author_association="CONTRIBUTOR"))

    assert effects(first) == effects(second) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"merged": False},
        {"author_association": "MEMBER"},
        {"user": account("renovate", type="Bot")},
        {"user": None},
    ],
)
async def test_others_are_not_thanked(bench: Workbench, fields: dict[str, Any]) -> None:
    assert effects(await bench.run(merged("d-1", **fields))) == []


async def test_an_operator_may_leave_the_thanks_out() -> None:
    bench = Workbench(CommunityComponent, settings={"first_merge": None})

    assert effects(await bench.run(merged("d-1"))) == []


async def test_who_was_thanked_is_not_welcomed_afterwards(bench: Workbench) -> None:
    await bench.run(merged("d-1", author_association="FIRST_TIMER"))

    process = await bench.run(event("issues.opened", id="d-2", issue=issue()))

    assert "community.welcome_newcomer" not in ran(process)
