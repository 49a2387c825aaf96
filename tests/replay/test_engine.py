"""A delivery is replayed by the same engine, hears what it heard then, and is compared."""

from dataclasses import dataclass, replace
from datetime import timedelta

from reactor import ActionContext, PassingError, RetryPolicy, action, component, wait_for
from reactor.follow_up import waking
from reactor.github import AddLabels, Issue, PostComment
from reactor.reaction import Reaction
from reactor.replay.document import Replayed
from reactor.signal import Signal, answering, retrying
from reactor.testing import account
from reactor.waiting import Answer, expiry
from tests.replay.conftest import EVERY, Site


@dataclass(frozen=True)
class Urgency:
    level: int


@component(effects=(AddLabels,))
class Labels:
    """Labels each issue."""

    def __init__(self, name: str = "bug") -> None:
        self.name = name

    @action(value=0.5)
    async def label(self, issue: Issue) -> AddLabels:
        """Label it."""
        return AddLabels(labels=(self.name,))


@component(effects=(PostComment,))
class Greets:
    """Is new."""

    @action(value=0.4)
    async def greet(self, issue: Issue) -> PostComment:
        """Greet."""
        return PostComment(body="Hello.")


@component(effects=(AddLabels,))
class Asks:
    """Asks a person how urgent it is."""

    @action(value=0.9)
    async def ask(self, issue: Issue) -> Urgency:
        """Ask."""
        return wait_for.form(
            Urgency, title=issue.title, expires=timedelta(days=1), default=Urgency(0)
        )

    @action(value=0.5)
    async def label(self, urgency: Urgency) -> AddLabels:
        """Say so."""
        return AddLabels(labels=(f"urgency-{urgency.level}",))


@component(effects=(AddLabels,))
class Weather:
    """Fails as often as it is told."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.calls = 0

    @action(value=0.5, retry=RetryPolicy(attempts=1))
    async def label(self, issue: Issue) -> AddLabels:
        """Label it, if nothing is in the way."""
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return AddLabels(labels=("bug",))


@component
class TellsTheTime:
    """Decides by the clock."""

    @action(value=0.5)
    async def look(self, issue: Issue, context: ActionContext) -> Urgency:
        """Look at the clock."""
        return Urgency(int(context.now().timestamp()))


def verdicts(found: list[Replayed]) -> list[str]:
    return [each["verdict"] for each in found]


def told(found: list[Replayed]) -> list[tuple[str, str, str]]:
    return [(d["what"], d["then"], d["now"]) for each in found for d in each["differences"]]


# The same, and otherwise ---------------------------------------------------------------------


async def test_what_did_not_change_decides_the_same_under_the_same_ids(site: Site) -> None:
    live = site.open(Labels())
    heads = [(await live.hear("issues.opened")).heads[0] for _ in range(3)]

    found = await site.replay(Labels())

    assert verdicts(found) == ["same", "same", "same"]
    assert [each["process"] for each in found] == [head.id for head in heads]


async def test_another_content_is_another_effect(site: Site) -> None:
    await site.open(Labels()).hear("issues.opened")

    found = await site.replay(Labels("defect"))

    assert verdicts(found) == ["different"]
    assert told(found) == [("effect", "add label bug", ""), ("effect", "", "add label defect")]


async def test_an_action_more_is_told_with_its_effect(site: Site) -> None:
    await site.open(Labels()).hear("issues.opened")

    found = await site.replay(Labels(), Greets())

    assert told(found) == [
        ("action", "", "greets.greet"),
        ("effect", "", found[0]["differences"][1]["now"]),
    ]
    assert "Hello." in found[0]["differences"][1]["now"]


async def test_a_failure_that_is_none_any_more_is_a_difference_of_outcome_and_end(
    site: Site,
) -> None:
    weather = Weather()
    weather.failures = [ValueError("a bug")]
    await site.open(weather).hear("issues.opened")

    found = await site.replay(Weather())

    assert verdicts(found) == ["different"]
    assert [what for what, _, _ in told(found)] == ["outcome", "effect", "end"]


async def test_a_reaction_that_is_new_or_gone_is_told(site: Site) -> None:
    other = Reaction(name="other", on=("issues.opened",))
    await site.open(Labels()).hear("issues.opened")

    found = await site.replay(Labels(), reactions=[EVERY, other])
    gone = await site.replay(Labels(), reactions=[other])

    assert verdicts(found) == ["same", "different"]
    assert [(d["what"], d["then"]) for d in found[1]["differences"]] == [("process", "not started")]
    assert [(each["reaction"], each["verdict"]) for each in gone] == [
        ("all", "different"),
        ("other", "different"),
    ]
    assert gone[0]["now"] is None


async def test_only_the_reactions_that_are_meant_are_started_and_compared(site: Site) -> None:
    other = Reaction(name="other", on=("issues.opened",))
    await site.open(Labels(), reactions=[EVERY, other]).hear("issues.opened")

    found = await site.replay(Labels(), reactions=[EVERY, other], only="other")

    assert [(each["reaction"], each["verdict"]) for each in found] == [("other", "same")]


async def test_what_the_journal_has_nothing_of_is_new(site: Site) -> None:
    await site.open(Labels()).hear("issues.opened")
    site.journal = type(site.journal)()

    assert verdicts(await site.replay(Labels())) == ["new"]


async def test_what_has_not_come_to_its_end_yet_is_not_compared(site: Site) -> None:
    await site.open(Labels()).hear("issues.opened")
    records = site.journal.records[:-1]
    site.journal = type(site.journal)()
    await site.journal.publish(records)

    assert verdicts(await site.replay(Labels("defect"))) == ["new"]


async def test_what_started_nothing_then_starts_nothing_now(site: Site) -> None:
    bot = account("dependabot[bot]", type="Bot")
    live = site.open(Labels(), reactions=[Reaction(name="all", on=("issues",))])
    await live.hear("star.created", issue=None)
    await live.hear("issues.opened", sender=account("reactor[bot]", type="Bot"))
    for _ in range(4):
        await live.hear("issues.edited", sender=bot, issue={**issue_one(), "user": bot})

    found = await site.replay(Labels(), reactions=[Reaction(name="all", on=("issues",))])

    assert verdicts(found) == ["same", "same"]  # the others were held back as a storm


def issue_one() -> dict[str, object]:
    from reactor.testing import issue

    return issue("A bump", number=1)


# From outside --------------------------------------------------------------------------------


async def test_people_answer_as_they_did(site: Site) -> None:
    live = site.open(Asks())
    (head,) = (await live.hear("issues.opened")).heads
    answer = Answer(id="a-1", form_id=head.forms[0].id, by="ann", value={"level": 3})
    await live.tell(answering(answer))

    found = await site.replay(Asks())

    assert verdicts(found) == ["same"]
    assert found[0]["now"] is not None
    assert [effect["preview"] for effect in found[0]["now"]["effects"]] == ["add label urgency-3"]


async def test_nobody_answers_as_nobody_did(site: Site) -> None:
    live = site.open(Asks())
    await live.hear("issues.opened")
    (head,) = (await live.hear("issues.opened")).heads
    site.clock.move(timedelta(days=2))
    await live.tell(answering(expiry(head.forms[0])))

    found = await site.replay(Asks())

    assert verdicts(found) == ["same", "same"]
    assert [each["now"]["status"] for each in found if each["now"]] == ["WAITING", "TERMINATED"]


async def test_a_process_that_was_woken_is_woken(site: Site) -> None:
    weather, again = Weather(), Weather()
    weather.failures = [PassingError("down"), PassingError("down")]
    again.failures = list(weather.failures)
    live = site.open(weather)
    (head,) = (await live.hear("issues.opened")).heads
    (head,) = (await live.tell(waking(head))).heads
    await live.tell(waking(head))

    found = await site.replay(again)

    assert verdicts(found) == ["same"]
    assert again.calls == 3


async def test_what_was_killed_while_it_waited_is_killed(site: Site) -> None:
    live = site.open(Asks())
    (head,) = (await live.hear("issues.opened")).heads
    await live.tell(Signal(id="k-1", kind="kill", process_id=head.id, reason="nobody cares"))

    assert verdicts(await site.replay(Asks())) == ["same"]


async def test_further_attempts_are_made_as_then(site: Site) -> None:
    weather, again = Weather(), Weather()
    weather.failures = [ValueError("a bug")]
    again.failures = [ValueError("a bug")]
    live = site.open(weather)
    (head,) = (await live.hear("issues.opened")).heads
    await live.tell(retrying(head.id, attempt=2))

    found = await site.replay(again)
    mended = await site.replay(Weather())

    assert [(each["attempt"], each["verdict"]) for each in found] == [(1, "same"), (2, "same")]
    assert [(each["attempt"], each["verdict"]) for each in mended] == [
        (1, "different"),
        (2, "different"),
    ]
    assert mended[1]["now"] is None  # none was needed


async def test_it_is_as_late_as_it_was(site: Site) -> None:
    await site.open(TellsTheTime()).hear("issues.opened")

    (found,) = await site.replay(TellsTheTime())

    assert found["now"] is not None
    began = int(site.clock.now().timestamp())
    assert found["now"]["ticks"][0]["outputs"] == [f"Urgency: Urgency(level={began})"]


# Trouble -------------------------------------------------------------------------------------


async def test_what_can_not_be_replayed_is_told_and_harms_nothing_else(site: Site) -> None:
    live = site.open(Labels())
    await live.hear("issues.opened")
    await live.hear("issues.opened")
    poison = replace(site.deliveries[0], payload={"action": "opened", "issue": "no issue"})
    site.deliveries[0] = poison

    found = await site.replay(Labels())

    assert verdicts(found) == ["failed", "same"]
    assert found[0]["failure"]


async def test_a_reaction_that_can_not_begin_is_told_beside_those_that_can(site: Site) -> None:
    await site.open(Labels()).hear("issues.opened")
    aimless = Reaction(name="aimless", on=("*",), goal=("nobody.has_it",))

    found = await site.replay(Labels(), reactions=[EVERY, aimless])

    assert [(each["reaction"], each["verdict"]) for each in found] == [
        ("all", "same"),
        ("aimless", "failed"),
    ]
    assert "nobody.has_it" in found[1]["failure"]
