import pytest
from pydantic import ValidationError

from reactor.adapters.memory import MemoryFirsts
from reactor.catalog import TypeCatalog
from reactor.community import (
    CommunityStore,
    Entity,
    FirstResponse,
    IssueAssessment,
    NewEntity,
    PullRequestAssessment,
    person_entity,
    subject_entity,
)
from reactor.github import Account, Issue, PullRequest

ISSUE = Entity(kind="issue", key="github.com/1#7", name="#7 Brakes")
PERSON = Entity(kind="person", key="github.com/1/@5", name="octocat")


async def test_new_is_who_claimed_it_first_and_stays_so_for_them() -> None:
    store = CommunityStore(MemoryFirsts())

    mine = await store.claim_new([ISSUE, PERSON], purpose="p", process_id="p-1")
    theirs = await store.claim_new([ISSUE, PERSON], purpose="p", process_id="p-2")
    mine_again = await store.claim_new([ISSUE, PERSON], purpose="p", process_id="p-1")

    assert mine == mine_again == (ISSUE, PERSON)
    assert theirs == ()


async def test_claims_for_different_purposes_take_nothing_from_each_other() -> None:
    store = CommunityStore(MemoryFirsts())

    await store.claim_new([ISSUE], purpose="comment", process_id="p-1")

    assert await store.claim_new([ISSUE], purpose="first response", process_id="p-2") == (ISSUE,)


def test_entities_are_known_by_ids_that_never_change() -> None:
    octocat = Account(id=5, login="octocat")
    renamed = Account(id=5, login="hubot")

    one = person_entity(octocat, host="github.com", repository_id=1)

    assert one.key == person_entity(renamed, host="github.com", repository_id=1).key
    assert one.key != person_entity(octocat, host="ghe.example", repository_id=1).key
    assert one.key != person_entity(octocat, host="github.com", repository_id=2).key


def test_a_pull_request_is_an_entity_of_its_own_kind() -> None:
    assert subject_entity(PullRequest(id=1, number=7), key="k").kind == "pull_request"
    assert subject_entity(Issue(id=1, number=7), key="k").kind == "issue"


def test_a_new_entity_holds_at_least_one_thing() -> None:
    with pytest.raises(ValidationError):
        NewEntity(entities=())

    assert NewEntity(entities=(ISSUE,)).has("issue")
    assert not NewEntity(entities=(ISSUE,)).has("person")


@pytest.mark.parametrize("urgency", [-0.1, 1.1, float("nan")])
def test_an_assessment_stays_in_its_range(urgency: float) -> None:
    with pytest.raises(ValidationError):
        IssueAssessment(comment="", urgency=urgency, sentiment=0.5, quality=0.5)


def test_shared_facts_come_back_from_a_store_as_they_were() -> None:
    facts = (
        NewEntity(entities=(ISSUE, PERSON)),
        IssueAssessment(comment="c", urgency=0.1, sentiment=0.5, quality=0.3, missing=("x",)),
        PullRequestAssessment(comment="c", urgency=0, sentiment=1, changed_files=3),
        FirstResponse(by="triage"),
    )
    catalog = TypeCatalog([type(fact) for fact in facts])

    for fact in facts:
        catalog.check(fact)
