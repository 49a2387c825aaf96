"""What people ask for in their own words is run by the agent that is meant, if they may have it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import pytest

from reactor import (
    Asker,
    Command,
    Effect,
    Package,
    Platform,
    Role,
    Status,
    achieves_goal,
    action,
    agent,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.ai import Ai, ModelUnavailable
from reactor.codec import Codec
from reactor.command import FreeRequest
from reactor.command_desk import desk_package
from reactor.commanded import REACTION
from reactor.commanding import command_listener
from reactor.effect import Mode
from reactor.github import AddLabels, Close, Issue, PostComment, React
from reactor.github.facts import FACT_TYPES
from reactor.github.hearing import Hearing
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.permissions import Permissions, RepositoryRef
from reactor.request_desk import Choice, may_be_asked, request_package
from reactor.runner import Runner
from reactor.status import ProcessHead
from reactor.testing import FakeAi, account, comment, delivery, issue
from reactor.worker import Worker

HELLO = RepositoryRef(host="github.com", id=1296269, name="octo/hello")
HELPER, STRANGER, AUTHOR = account("helper"), account("stranger"), account("author")


@dataclass(frozen=True)
class Reported:
    text: str


@agent("Reports on an issue.", effects=(PostComment, Close))
class ReporterAgent:
    @achieves_goal("A report was written", examples=("sum this up",), export=True)
    @action
    async def report(
        self, wish: FreeRequest, asker: Asker, issue: Issue
    ) -> tuple[Reported, PostComment]:
        """Write it."""
        body = f"{issue.title} ({wish.text}, {asker.login})"
        return Reported(text=body), PostComment(body=body)

    @achieves_goal("The issue is closed for good")
    @action
    async def end(self, issue: Issue) -> Close:
        """Not for people."""
        return Close()


@agent("Breaks down.")
class BrokenAgent:
    @achieves_goal("Something is broken", export=True)
    @action
    async def break_down(self, wish: FreeRequest) -> Reported:
        """Fail for good."""
        raise ValueError("a secret of the house")


@dataclass(frozen=True)
class Oracle:
    says: str


@agent("Tells the future.")
class OracleAgent:
    @achieves_goal("The future is told", export=True)
    @action
    async def tell(self, oracle: Oracle) -> Reported:
        """What nobody can."""
        return Reported(text=oracle.says)


@agent("Closes issues, and nobody may ask for it.", effects=(Close,))
class CloserAgent:
    @achieves_goal("An issue is closed")
    @action
    async def close(self, issue: Issue) -> Close:
        """Close it."""
        return Close()


class LabelCommand(Command):
    """Put labels on."""

    name: ClassVar[str] = "label"

    names: tuple[str, ...]


@component(name="team", effects=(AddLabels,))
class Team:
    @action(trigger=LabelCommand, can_rerun=True)
    async def label(self, command: LabelCommand) -> AddLabels:
        """Put them on."""
        return AddLabels(labels=command.names)


TEAM = Package(name="team", components=(Team, ReporterAgent, BrokenAgent, OracleAgent, CloserAgent))


class World:
    """A worker that hears commands."""

    def __init__(self, ai: Ai, effects: Mode = "live") -> None:
        clock = ManualClock()
        permissions = MemoryPermissions()
        permissions.grant(HELLO, "helper", Role.WRITE)
        self.platform = Platform(
            packages=[TEAM, desk_package(), request_package()],
            services={Permissions: permissions, Ai: ai},
            types=FACT_TYPES,
        )
        hearing = Hearing(self.platform.commands, us={"github.com": "reactor[bot]"})
        commands = command_listener(self.platform, hearing, effects=effects)
        assert commands is not None
        self.boards = MemoryBoards(Codec(self.platform.catalog), clock)
        self.worker = Worker(
            listeners=[commands],
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=Runner(
                platform=self.platform,
                boards=self.boards,
                clock=clock,
                owner="w",
                lease=timedelta(seconds=30),
            ),
            boards=self.boards,
            journal=MemoryJournalLog(),
        )

    async def say(self, text: str, by: dict[str, object] = HELPER) -> ProcessHead:
        settled = await self.worker.settle(
            delivery(
                "issue_comment.created",
                issue=issue("Brakes", user=AUTHOR),
                comment=comment(text, user=by),
                sender=by,
            )
        )
        (head,) = [head for head in settled.heads if head.reaction == REACTION]
        return head

    async def effects(self, head: ProcessHead) -> list[Effect]:
        """Its own, and those of its sub-processes."""
        found: list[Effect] = []
        for each in (head.id, *head.children):
            stored = await self.boards.read(each)
            assert stored is not None
            found += [record.effect for record in stored.effects]
        return found

    async def facts(self, head: ProcessHead, kind: type) -> list[object]:
        stored = await self.boards.read(head.id)
        assert stored is not None
        found = (getattr(change, "entry", None) for change in stored.changes)
        return [each.value for each in found if each and isinstance(each.value, kind)]


def answer(**confidence: float) -> dict[str, object]:
    return {"ranked": [{"name": name, "confidence": c} for name, c in confidence.items()]}


def reactions(effects: Sequence[Effect]) -> list[str]:
    return [effect.content for effect in effects if isinstance(effect, React)]


def comments(effects: Sequence[Effect]) -> list[str]:
    return [effect.body for effect in effects if isinstance(effect, PostComment)]


# What is run ---------------------------------------------------------------------------------


async def test_the_agent_that_is_meant_is_run_and_it_is_told_that_it_is_done() -> None:
    world = World(FakeAi(answer(reporter=0.9, broken=0.1)))

    head = await world.say("@reactor what's the matter here, in short?")

    effects = await world.effects(head)
    assert comments(effects) == ["Brakes (what's the matter here, in short?, helper)"]
    assert reactions(effects) == ["eyes", "+1"]


async def test_a_goal_that_is_not_exported_is_nobodys_to_ask_for() -> None:
    ai = FakeAi(answer(reporter=0.9))
    world = World(ai)

    head = await world.say("@reactor close this for good")

    assert not any(isinstance(effect, Close) for effect in await world.effects(head))
    assert "for good\n" not in ai.prompts[0].partition("This is asked")[0]


async def test_an_agent_without_exported_goals_is_not_on_offer() -> None:
    ai = FakeAi(answer(closer=1.0), answer(reporter=0.0))
    world = World(ai)

    head = await world.say("@reactor get rid of it")

    assert "closer" not in ai.prompts[0]
    assert "ranked.0.name: Input should be" in ai.prompts[1]
    assert not any(isinstance(effect, Close) for effect in await world.effects(head))


async def test_the_model_reads_who_asks_and_how_far_they_are_trusted() -> None:
    ai = FakeAi(answer(), answer())

    await World(ai).say("@reactor sum this up")
    await World(ai).say("@reactor sum this up", by=AUTHOR)

    assert "request, by helper, trust=maintainer>" in ai.prompts[0]
    assert "request, by author, trust=anyone>" in ai.prompts[1]


async def test_it_is_one_command_among_others_and_they_are_done_in_turn() -> None:
    world = World(FakeAi(answer(reporter=0.9), answer(reporter=0.8)))

    head = await world.say("@reactor sum it up\n/label bug\n@reactor and once more")

    effects = await world.effects(head)
    assert comments(effects) == ["Brakes (sum it up, helper)", "Brakes (and once more, helper)"]
    assert AddLabels(labels=("bug",)) in effects
    assert reactions(effects) == ["eyes", "+1"]


async def test_what_was_chosen_once_is_not_chosen_again() -> None:
    ai = FakeAi(answer(reporter=0.9))
    world = World(ai)

    first = await world.say("@reactor sum it up")
    again = await world.say("@reactor sum it up")

    assert again == first
    assert len(ai.prompts) == 1


# Who may -------------------------------------------------------------------------------------


async def test_the_author_of_an_issue_may_ask() -> None:
    world = World(FakeAi(answer(reporter=0.9)))

    head = await world.say("@reactor sum it up", by=AUTHOR)

    assert comments(await world.effects(head)) == ["Brakes (sum it up, author)"]


async def test_for_others_no_model_is_asked() -> None:
    ai = FakeAi(answer(reporter=0.9))
    world = World(ai)

    head = await world.say("@reactor sum it up", by=STRANGER)

    effects = await world.effects(head)
    assert ai.prompts == ()
    assert reactions(effects) == ["-1"]
    assert "/ask is for the role triage and above or the author" in comments(effects)[0]


# What is not run -----------------------------------------------------------------------------


async def test_where_nothing_suits_that_is_told_with_the_ranking() -> None:
    world = World(FakeAi(answer(reporter=0.5, broken=0.1)))

    head = await world.say("@reactor thank you!")

    effects = await world.effects(head)
    assert head.status is Status.TERMINATED  # there is nothing left to do
    assert head.children == ()
    assert reactions(effects) == ["eyes", "confused"]
    assert "nothing that is on offer suits what is asked (confidence: reporter 0.50" in str(effects)
    (choice,) = await world.facts(head, Choice)
    assert isinstance(choice, Choice)
    assert [each.name for each in choice.ranking.ranked] == ["reporter", "broken", "oracle"]


async def test_while_no_model_can_be_asked_that_is_told() -> None:
    world = World(FakeAi())

    head = await world.say("@reactor sum it up\n/label bug")

    effects = await world.effects(head)
    assert "no model can be asked now" in comments(effects)[0]
    assert AddLabels(labels=("bug",)) in effects
    assert reactions(effects) == ["eyes", "+1", "confused"]


async def test_a_spent_budget_takes_nothing_back_that_was_done() -> None:
    world = World(FakeAi(answer(reporter=0.9)))  # one answer: from then on there is no model

    head = await world.say("@reactor sum it up")

    assert reactions(await world.effects(head)) == ["eyes", "+1"]


async def test_a_model_that_gives_nothing_of_use_is_told_without_what_it_said() -> None:
    world = World(FakeAi(*["no JSON, but <img src=x>"] * 4))

    head = await world.say("@reactor sum it up")

    (told,) = comments(await world.effects(head))
    assert told == "- `no model could tell what is asked for; say it in other words`"


async def test_a_model_that_is_away_is_waited_for() -> None:
    away = ModelUnavailable("fake", "down")
    world = World(FakeAi(*[away] * 50))

    head = await world.say("@reactor sum it up")

    assert head.status is Status.STUCK
    assert reactions(await world.effects(head)) == ["eyes"]


async def test_an_agent_that_can_not_do_it_says_so() -> None:
    world = World(FakeAi(answer(oracle=0.9)))

    head = await world.say("@reactor what will become of this?")

    effects = await world.effects(head)
    assert comments(effects) == ["- `the agent oracle could not do it (STUCK)`"]
    assert reactions(effects) == ["eyes", "confused"]


async def test_an_agent_that_fails_is_a_failure_and_nothing_that_follows_is_run() -> None:
    world = World(FakeAi(answer(broken=0.9)))

    head = await world.say("@reactor break it\n/label bug")

    effects = await world.effects(head)
    assert head.status is Status.FAILED
    assert reactions(effects) == ["eyes"]
    assert comments(effects) == []
    assert not any(isinstance(effect, AddLabels) for effect in effects)


async def test_what_waits_for_approval_is_not_called_done() -> None:
    world = World(FakeAi(answer(reporter=0.9)), effects="approve")

    head = await world.say("@reactor sum it up")

    effects = await world.effects(head)
    told = [each for each in comments(effects) if "waits for approval" in each]
    assert told == ["- `PostComment: waits for approval`"]  # and nothing of what a model wrote
    assert "+1" not in reactions(effects)


# Where it is installed -----------------------------------------------------------------------


class OtherAskCommand(Command):
    """Ask something else."""

    name: ClassVar[str] = "ask"


@component(name="other", effects=(AddLabels,))
class Other:
    @action(trigger=OtherAskCommand)
    async def ask(self, command: OtherAskCommand) -> AddLabels:
        """Ask."""
        return AddLabels(labels=("question",))


@pytest.mark.parametrize(
    ("components", "may"),
    [
        ((Team, ReporterAgent), True),
        ((Team, CloserAgent), False),
        ((Team,), False),
        ((Other, ReporterAgent), False),
    ],
)
def test_it_has_a_place_where_agents_export_goals_and_nobody_else_is_asked(
    components: tuple[type, ...], may: bool
) -> None:
    package = Package(name="team", components=components)

    assert may_be_asked(Platform(packages=[package], types=FACT_TYPES)) is may
