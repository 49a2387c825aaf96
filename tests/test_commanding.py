"""The reaction to commands: who is heard, in which process, in which order, and what waits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

import pytest

from reactor import (
    ActionContext,
    Asker,
    BadPlatform,
    Command,
    Confirmation,
    Effect,
    Package,
    Platform,
    Reminder,
    Reminders,
    Role,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.adapters.memory_timers import MemoryTimers
from reactor.codec import Codec
from reactor.command_desk import desk_package
from reactor.commanded import REACTION
from reactor.commanding import actions_of_commands, command_listener, without_commands
from reactor.delivery import Delivery
from reactor.firing import record_of
from reactor.github import (
    AddLabels,
    Issue,
    IssueCommentCreated,
    PostComment,
    React,
    Repository,
    snapshot_of,
)
from reactor.github.facts import FACT_TYPES
from reactor.github.hearing import Hearing
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.permissions import Permissions, RepositoryRef
from reactor.reaction import Reaction
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.start import Start
from reactor.status import ProcessHead, Status
from reactor.steering import resuming
from reactor.testing import account, comment, delivery, issue
from reactor.timed import TimedReader
from reactor.timer import TimerFired
from reactor.waiting import Answer
from reactor.worker import Listener, Settled, Worker

HELLO = RepositoryRef(host="github.com", id=1296269, name="octo/hello")
HELPER = account("helper")


class LabelCommand(Command):
    """Put labels on."""

    name: ClassVar[str] = "label"
    needs: ClassVar[Role] = Role.TRIAGE

    names: tuple[str, ...]


class WaveCommand(Command):
    """Wave."""

    name: ClassVar[str] = "wave"
    needs: ClassVar[Role] = Role.READ


class BreakCommand(Command):
    """Break down."""

    name: ClassVar[str] = "break"
    needs: ClassVar[Role] = Role.READ


class AskCommand(Command):
    """Ask back."""

    name: ClassVar[str] = "ask"
    needs: ClassVar[Role] = Role.READ


class Waved(Effect):
    to: str


@component(name="team", effects=(AddLabels, PostComment, Waved))
class Team:
    """Has commands, and an action for comments."""

    @action(trigger=LabelCommand, can_rerun=True, value=0.1)
    async def label(self, command: LabelCommand) -> AddLabels:
        """Put them on."""
        return AddLabels(labels=command.names)

    @action(trigger=WaveCommand, can_rerun=True, value=0.9)
    async def wave(self, command: WaveCommand, asker: Asker) -> Waved:
        """Wave back."""
        return Waved(to=asker.login)

    @action(trigger=BreakCommand, can_rerun=True, value=0.5)
    async def break_down(self, command: BreakCommand) -> Waved:
        """Fail for good."""
        raise ValueError("a bug")

    @action(trigger=AskCommand, can_rerun=True, value=0.5)
    async def ask(self, command: AskCommand) -> Confirmation:
        """Ask a person."""
        return wait_for.confirm(command, "Really?")

    @action(value=0.5)
    async def note(self, event: IssueCommentCreated) -> PostComment:
        """Answer every comment."""
        return PostComment(body="Noted.")


class Counted(MemoryPermissions):
    """Counts questions."""

    asked = 0

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        self.asked += 1
        return await super().role(repository, login)


class World:
    """A worker with two reactions to everything, and the one to commands."""

    def __init__(self, *components: type) -> None:
        clock = ManualClock()
        self.timers = MemoryTimers(clock)
        self.permissions = Counted()
        self.platform = Platform(
            packages=[Package(name="team", components=components or (Team,)), desk_package()],
            services={Permissions: self.permissions, Reminders: Reminders(self.timers)},
            types=(*FACT_TYPES, TimerFired),
        )
        self.permissions.grant(HELLO, "helper", Role.TRIAGE)
        hearing = Hearing(self.platform.commands, us={"github.com": "reactor[bot]"})
        commands = command_listener(self.platform, hearing, effects="live")
        assert commands is not None
        self.boards = MemoryBoards(Codec(self.platform.catalog), clock)
        self.worker = Worker(
            listeners=[
                *(
                    Listener(
                        reaction=Reaction(name=name, on=("*",)),
                        scope=without_commands(Scope.platform(), self.platform),
                        when=None,
                    )
                    for name in ("first", "second")
                ),
                commands,
            ],
            reader=TimedReader(GitHubReader(OwnIdentity(login="reactor[bot]"))),
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

    async def say(self, text: str, **fields: object) -> Settled:
        return await self.worker.settle(said(text, **fields))

    def start_of(self, head: ProcessHead) -> Start:
        """To go on with it."""
        (listener,) = [each for each in self.worker.listeners if each.reaction.name == REACTION]
        return listener.ready(resuming(head))

    async def effects(self, head: ProcessHead) -> list[Effect]:
        stored = await self.boards.read(head.id)
        assert stored is not None
        return [record.effect for record in stored.effects]


def said(text: str, **fields: object) -> Delivery:
    usual: Mapping[str, object] = {
        "issue": issue(),
        "comment": comment(text, user=HELPER),
        "sender": HELPER,
    }
    return delivery("issue_comment.created", **{**usual, **fields})  # type: ignore[arg-type]


def reactions(effects: Sequence[Effect]) -> list[str]:
    return [effect.content for effect in effects if isinstance(effect, React)]


@pytest.fixture
def world() -> World:
    return World()


def commands_of(settled: Settled) -> ProcessHead:
    (head,) = [head for head in settled.heads if head.reaction == REACTION]
    return head


# In which process ----------------------------------------------------------------------------


async def test_a_command_runs_once_however_many_reactions_listen(world: World) -> None:
    settled = await world.say("/wave")

    assert [head.reaction for head in settled.heads] == ["first", "second", REACTION]
    waved = [
        effect
        for head in settled.heads
        for effect in await world.effects(head)
        if isinstance(effect, Waved)
    ]
    assert waved == [Waved(to="helper")]


async def test_a_text_that_asks_for_nothing_starts_no_process_of_commands(world: World) -> None:
    settled = await world.say("Thank you, see\n/etc/hosts")

    assert [head.reaction for head in settled.heads] == ["first", "second"]
    assert world.permissions.asked == 0


async def test_our_own_comments_ask_for_nothing(world: World) -> None:
    bot = account("reactor[bot]")

    settled = await world.say("/wave", sender=bot, comment=comment("/wave", user=bot))

    assert settled.ignored == "own_event"


async def test_the_actions_of_commands_are_on_offer_to_no_other_reaction(world: World) -> None:
    names = actions_of_commands(world.platform.actions.values())
    elsewhere = world.platform.repertoire(without_commands(Scope.platform(), world.platform))

    assert set(elsewhere.actions) == {"team.note"}
    assert "team.note" not in names
    assert {"team.label", "team.wave", "command_desk.take_next"} <= names


# In which order ------------------------------------------------------------------------------


async def test_they_are_done_as_written_whatever_they_are_worth(world: World) -> None:
    settled = await world.say("/label a\n/wave\n/label b")

    effects = await world.effects(commands_of(settled))
    assert [each for each in effects if not isinstance(each, React)] == [
        AddLabels(labels=("a",)),
        Waved(to="helper"),
        AddLabels(labels=("b",)),
    ]
    assert reactions(effects) == ["eyes", "+1"]


async def test_nothing_follows_what_has_failed_and_it_is_not_called_done(world: World) -> None:
    settled = await world.say("/break\n/wave")

    head = commands_of(settled)
    assert (head.status, await world.effects(head)) == (
        Status.FAILED,
        [React(content="eyes", comment_id=6_000_000_001)],
    )


async def test_a_command_that_asks_a_person_is_done_when_it_is_answered(world: World) -> None:
    settled = await world.say("/ask\n/wave")
    head = commands_of(settled)
    assert head.status is Status.WAITING
    assert reactions(await world.effects(head)) == ["eyes"]

    (form,) = head.forms
    answer = Answer(id="a-1", form_id=form.id, approved=True, by="helper")
    head = await world.worker.run(replace(world.start_of(head), answer=answer))

    effects = await world.effects(head)
    assert Waved(to="helper") in effects
    assert reactions(effects) == ["eyes", "+1"]


# Who may, and what waits -----------------------------------------------------------------------


async def test_who_may_not_is_told_in_the_same_process(world: World) -> None:
    world.permissions.grant(HELLO, "helper", Role.READ)

    settled = await world.say("/label bug\n/wave")

    effects = await world.effects(commands_of(settled))
    assert Waved(to="helper") in effects
    assert not any(isinstance(effect, AddLabels) for effect in effects)
    assert reactions(effects) == ["eyes", "-1", "+1"]


async def test_while_nobody_can_tell_who_may_the_process_waits_and_holds_up_nothing(
    world: World,
) -> None:
    world.permissions.is_away = True
    settled = await world.say("/wave")
    head = commands_of(settled)
    assert (head.status, await world.effects(head)) == (Status.STUCK, [])

    world.permissions.is_away = False
    head = await world.worker.run(replace(world.start_of(head), wake=True))

    effects = await world.effects(head)
    assert Waved(to="helper") in effects
    assert reactions(effects) == ["eyes", "+1"]


async def test_what_was_heard_once_is_not_asked_about_again(world: World) -> None:
    first = await world.say("/wave\n/label a")
    world.permissions.grant(HELLO, "helper", Role.NONE)
    world.permissions.is_away = True

    again = await world.say("/wave\n/label a")

    assert again.heads == first.heads
    assert world.permissions.asked == 1


# What may be installed -------------------------------------------------------------------------


class OtherLabelCommand(Command):
    """Put one label on."""

    name: ClassVar[str] = "label"

    label: str


@component(name="other", effects=(AddLabels,))
class OtherTeam:
    @action(trigger=OtherLabelCommand, can_rerun=True)
    async def put(self, command: OtherLabelCommand) -> AddLabels:
        """Put it on."""
        return AddLabels(labels=(command.label,))


@component(name="third", effects=(AddLabels,))
class ThirdTeam:
    @action(trigger=LabelCommand, can_rerun=True)
    async def also(self, command: LabelCommand) -> AddLabels:
        """Do something beside what the other does."""
        return AddLabels(labels=("asked",))


def test_two_commands_of_one_name_are_a_fault_of_both_packages() -> None:
    team = Package(name="team", components=(Team,), distribution="reactor-team", version="1.0")
    other = Package(name="other", components=(OtherTeam,), distribution="reactor-o", version="2.0")

    with pytest.raises(BadPlatform) as bad:
        Platform(packages=[team, other], types=FACT_TYPES)

    assert bad.value.packages == {"team", "other"}
    assert "team.label is for /label, and so is other.put of other (reactor-o 2.0)" in str(
        bad.value
    )
    assert "other.put is for /label, and so is team.label of team (reactor-team 1.0)" in str(
        bad.value
    )


def test_several_packages_may_do_something_about_one_command() -> None:
    packages = [
        Package(name="team", components=(Team,)),
        Package(name="third", components=(ThirdTeam,)),
    ]

    platform = Platform(packages=packages, types=FACT_TYPES)

    assert [kind.name for kind in platform.commands] == ["ask", "break", "label", "wave"]


def test_where_there_are_no_commands_nothing_listens_to_any() -> None:
    platform = Platform(
        packages=[desk_package()],
        services={Permissions: MemoryPermissions()},
        types=FACT_TYPES,
    )
    hearing = Hearing(platform.commands, us={})

    assert command_listener(platform, hearing, effects="live") is None


# What a command has asked to be reminded of --------------------------------------------------


class RemindCommand(Command):
    """Say so again later."""

    name: ClassVar[str] = "remind"
    needs: ClassVar[Role] = Role.READ

    days: int


@component(effects=(PostComment,), events=("timer.remind",))
class Clerk:
    """Reminds people."""

    def __init__(self, reminders: Reminders) -> None:
        self._reminders = reminders

    @action(trigger=RemindCommand, can_rerun=True)
    async def note(
        self, command: RemindCommand, issue: Issue, repository: Repository, context: ActionContext
    ) -> None:
        """Ask to be reminded."""
        due = context.now() + timedelta(days=command.days)
        about = snapshot_of(issue, repository)
        await self._reminders.put(Reminder.of(context.process, "remind", at=due, about=about))

    @action
    async def remind(self, event: TimerFired, issue: Issue) -> PostComment:
        """Say so."""
        return PostComment(body=f"{issue.title}: as you wished.")


async def test_what_a_command_asked_for_comes_back_to_it_and_to_no_other_reaction() -> None:
    world = World(Clerk)
    await world.say("/remind 3")
    (timer,) = await world.timers.all()

    settled = await world.worker.settle(record_of(timer, at=timer.due_at))

    (head,) = settled.heads
    assert head.reaction == REACTION
    assert await world.effects(head) == [
        PostComment(body="Sled brakes do not engage: as you wished.")
    ]
