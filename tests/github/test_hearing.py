"""Commands are heard from whoever may give them; what can't be done is told, what is nobody's not."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import pytest

from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.command import (
    Command,
    Commands,
    FreeRequest,
    NotAllowed,
    Role,
    UnknownCommand,
    WrongWords,
)
from reactor.commanded import CalledCommand
from reactor.errors import InfrastructureError
from reactor.github.allowing import Allowing, Heard, NotLetIn
from reactor.github.commands import Call
from reactor.github.event import Event
from reactor.github.events import read_event
from reactor.github.hearing import Hearing, calls_of
from reactor.permissions import PermissionUnknown, RepositoryRef
from reactor.policy import Narrowing
from reactor.repository_rules import RepositoryRules, RulesOfRepositories
from tests.github.conftest import ACCOUNT, COMMENT, ISSUE, REPOSITORY, MakeDelivery

HELLO = RepositoryRef(host="github.com", id=1296269, name="octo/hello")
HELPER = {"id": 77, "login": "helper", "type": "User"}
BOT = {"id": 78, "login": "Renovate[bot]", "type": "Bot"}
CLOSE = Call(name="close")

MakeEvent = Callable[..., Event]
Hear = Callable[[Event], Awaitable[tuple[Heard, ...]]]


class LabelCommand(Command):
    """Put labels on it."""

    name: ClassVar[str] = "label"
    needs: ClassVar[Role] = Role.TRIAGE

    names: tuple[str, ...]


class CloseCommand(Command):
    """Close it."""

    name: ClassVar[str] = "close"
    needs: ClassVar[Role] = Role.TRIAGE
    author_may: ClassVar[bool] = True


class Counted(MemoryPermissions):
    """Counts questions, and may refuse to answer."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.is_silent = False

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        self.asked += 1
        if self.is_silent:
            raise PermissionUnknown(login, repository.name, "the app may not ask")
        return await super().role(repository, login)


@pytest.fixture
def permissions() -> Counted:
    permissions = Counted()
    permissions.grant(HELLO, "helper", Role.TRIAGE)
    return permissions


@pytest.fixture
def hearing(permissions: Counted) -> Hear:
    return heard_by(permissions)


def heard_by(permissions: Counted, rules: RulesOfRepositories | None = None) -> Hear:
    """`await hear(event)`: what is heard in it, and whether it may be done."""
    commands = Commands([LabelCommand, CloseCommand])
    hearing = Hearing(commands, us={"github.com": "the-bot[bot]"}, trusted_bots=["renovate[bot]"])
    allowing = Allowing(commands=commands, permissions=permissions, rules=rules)

    async def hear(event: Event) -> tuple[Heard, ...]:
        return (await allowing(called(await hearing(event)), event)).heard

    return hear


def called(calls: Sequence[Call]) -> list[CalledCommand]:
    return [CalledCommand.model_validate(asdict(call)) for call in calls]


@pytest.fixture
def event(make_delivery: MakeDelivery) -> MakeEvent:
    """`event("issues", action=..., ...)`: as a worker reads it."""
    return lambda *names, **payload: read_event(make_delivery(*names, **payload))


@pytest.fixture
def comment_by(event: MakeEvent) -> MakeEvent:
    """`comment_by(who, text)`: a new comment on somebody else's issue."""

    def make(who: dict[str, Any], text: str | None, **payload: Any) -> Event:
        comment = dict(COMMENT) | {"body": text, "user": who}
        usual = {"action": "created", "issue": dict(ISSUE), "comment": comment, "sender": who}
        return event("issue_comment", **{**usual, **payload})

    return make


def refusals(heard: tuple[Heard, ...]) -> list[type]:
    return [type(each.refusal) for each in heard]


# In other words ----------------------------------------------------------------------------


async def heard_with_free_text(event: Event) -> list[tuple[str, tuple[str, ...]]]:
    hearing = Hearing(Commands([LabelCommand, FreeRequest]), us={"github.com": "the-bot[bot]"})
    return [(call.name, call.words) for call in await hearing(event)]


async def test_free_text_to_us_is_a_request_where_there_are_requests(
    comment_by: MakeEvent,
) -> None:
    asked = await heard_with_free_text(comment_by(HELPER, "@the-bot what's this?\n/label bug"))

    assert asked == [("ask", ("what's this?",)), ("label", ("bug",))]


async def test_a_slip_of_a_command_is_still_answered_as_one(comment_by: MakeEvent) -> None:
    assert await heard_with_free_text(comment_by(HELPER, "@the-bot lable bug")) == [
        ("lable", ("bug",))
    ]


async def test_without_requests_free_text_is_answered_as_before(
    hearing: Hear, comment_by: MakeEvent
) -> None:
    assert await hearing(comment_by(HELPER, "@the-bot what's this?")) == ()
    assert refusals(await hearing(comment_by(HELPER, "@the-bot please help"))) == [UnknownCommand]


# Who may -----------------------------------------------------------------------------------


async def test_who_has_the_role_is_heard(hearing: Hear, comment_by: MakeEvent) -> None:
    heard = await hearing(comment_by(HELPER, "/label bug\n/close"))

    assert [each.command for each in heard] == [LabelCommand(names=("bug",)), CloseCommand()]
    assert refusals(heard) == [type(None)] * 2


async def test_who_lacks_it_is_refused(hearing: Hear, comment_by: MakeEvent) -> None:
    stranger = {"id": 79, "login": "stranger", "type": "User"}

    heard = await hearing(comment_by(stranger, "/label bug\n/close"))

    assert refusals(heard) == [NotAllowed, NotAllowed]
    assert [each.command for each in heard] == [None, None]


async def test_the_author_may_what_is_granted_to_authors(
    hearing: Hear, comment_by: MakeEvent
) -> None:
    heard = await hearing(comment_by(dict(ACCOUNT), "/label bug\n/close"))

    assert [each.command for each in heard] == [None, CloseCommand()]
    assert refusals(heard) == [NotAllowed, type(None)]


async def test_an_association_in_the_payload_grants_nothing(
    hearing: Hear, event: MakeEvent
) -> None:
    owner = {"id": 80, "login": "was-owner", "type": "User"}
    comment = dict(COMMENT) | {"body": "/close", "user": owner, "author_association": "OWNER"}

    heard = await hearing(
        event("issue_comment", action="created", issue=dict(ISSUE), comment=comment, sender=owner)
    )

    assert refusals(heard) == [NotAllowed]


async def test_a_role_elsewhere_is_none_here(
    hearing: Hear, comment_by: MakeEvent, permissions: Counted
) -> None:
    heard = await hearing(comment_by(HELPER, "/label bug", repository=dict(REPOSITORY) | {"id": 2}))

    assert refusals(heard) == [NotAllowed]


async def test_whoever_edits_another_persons_comment_asks_for_himself(
    hearing: Hear, comment_by: MakeEvent
) -> None:
    edited: dict[str, Any] = {"action": "edited", "changes": {"body": {"from": "Hm."}}}
    stranger = {"id": 79, "login": "stranger", "type": "User"}

    by_stranger = await hearing(comment_by(HELPER, "/label bug", **edited, sender=stranger))
    by_helper = await hearing(comment_by(stranger, "/label bug", **edited, sender=HELPER))

    assert refusals(by_stranger) == [NotAllowed]
    assert by_helper[0].command == LabelCommand(names=("bug",))


async def test_bots_are_not_heard_unless_they_are_trusted(
    hearing: Hear, comment_by: MakeEvent, permissions: Counted
) -> None:
    permissions.grant(HELLO, "renovate[bot]", Role.WRITE)
    permissions.grant(HELLO, "other[bot]", Role.WRITE)
    other = {"id": 81, "login": "other[bot]", "type": "Bot"}

    assert (await hearing(comment_by(BOT, "/close")))[0].command == CloseCommand()
    assert await hearing(comment_by(other, "/close")) == ()


async def test_a_deleted_account_asks_for_nothing(hearing: Hear, event: MakeEvent) -> None:
    comment = dict(COMMENT) | {"body": "/close", "user": None}

    assert (
        await hearing(
            event(
                "issue_comment", action="created", issue=dict(ISSUE), comment=comment, sender=None
            )
        )
        == ()
    )


async def test_while_nobody_can_tell_who_may_it_waits(
    hearing: Hear, comment_by: MakeEvent, permissions: Counted
) -> None:
    permissions.is_away = True

    with pytest.raises(InfrastructureError):
        await hearing(comment_by(HELPER, "/label bug"))


async def test_where_it_will_never_be_told_all_are_refused(
    hearing: Hear, comment_by: MakeEvent, permissions: Counted
) -> None:
    permissions.is_silent = True

    heard = await hearing(comment_by(HELPER, "/label bug\n/lable x"))

    assert refusals(heard) == [PermissionUnknown, UnknownCommand]


async def test_one_event_asks_once_and_only_where_it_matters(
    hearing: Hear, comment_by: MakeEvent, permissions: Counted
) -> None:
    await hearing(comment_by(HELPER, "Thank you, see /etc/hosts\n/usr\n/lable"))
    before = permissions.asked
    await hearing(comment_by(HELPER, "/label a\n/label b\n/close"))

    assert (before, permissions.asked) == (0, 1)


# What the repository wants -----------------------------------------------------------------


class Listed:
    """Every repository wants these commands."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        return RepositoryRules(whole=Narrowing(source="reactor.yml"), commands=self._names)


async def test_a_command_that_the_repository_does_not_list_is_refused(
    permissions: Counted, comment_by: MakeEvent
) -> None:
    hear = heard_by(permissions, Listed("close"))

    heard = await hear(comment_by(HELPER, "/label bug\n/close"))

    assert refusals(heard) == [NotLetIn, type(None)]
    assert str(heard[0].refusal) == "/label is not in use in octo/hello; /help lists what is"


async def test_where_commands_are_off_only_what_is_said_to_us_is_answered(
    permissions: Counted, comment_by: MakeEvent
) -> None:
    hear = heard_by(permissions, Listed())

    assert await hear(comment_by(HELPER, "/label bug\n/lable bug")) == ()
    assert refusals(await hear(comment_by(HELPER, "@the-bot label bug"))) == [NotLetIn]
    assert permissions.asked == 0


async def test_help_offers_what_the_repository_lists(
    permissions: Counted, comment_by: MakeEvent
) -> None:
    commands = Commands([LabelCommand, CloseCommand])
    allowing = Allowing(commands=commands, permissions=permissions, rules=Listed("close"))

    overheard = await allowing([CalledCommand(name="close")], comment_by(HELPER, "/close"))

    assert overheard.asker is not None
    assert [kind.name for kind in commands if overheard.asker.may(kind)] == ["close"]


# What is answered --------------------------------------------------------------------------


async def test_what_is_nobodys_command_is_passed_over(hearing: Hear, comment_by: MakeEvent) -> None:
    assert await hearing(comment_by(HELPER, "/etc/passwd\n/home\n/merge please")) == ()


async def test_what_is_said_to_us_by_name_is_answered(hearing: Hear, comment_by: MakeEvent) -> None:
    heard = await hearing(comment_by(HELPER, "@the-bot merge\n@other-bot merge"))

    assert [each.call.name for each in heard] == ["merge"]
    assert refusals(heard) == [UnknownCommand]


async def test_a_slip_is_answered(hearing: Hear, comment_by: MakeEvent) -> None:
    (heard,) = await hearing(comment_by(HELPER, "/lable bug"))

    assert str(heard.refusal) == (
        "there is no command /lable; did you mean /label? /help lists them"
    )


async def test_wrong_words_are_answered_to_those_who_may(
    hearing: Hear, comment_by: MakeEvent
) -> None:
    stranger = {"id": 79, "login": "stranger", "type": "User"}

    assert refusals(await hearing(comment_by(HELPER, "/label"))) == [WrongWords]
    assert refusals(await hearing(comment_by(stranger, "/label"))) == [NotAllowed]


# Which texts count -------------------------------------------------------------------------


def said(payload: dict[str, Any], **more: Any) -> dict[str, Any]:
    return payload | {"body": "/close"} | more


PULL = dict(ISSUE) | {"number": 17}
REVIEW = {"id": 9, "state": "commented", "user": ACCOUNT}
FROM = {"changes": {"body": {"from": "Hm."}}}


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("issues", {"action": "opened", "issue": said(dict(ISSUE))}),
        ("issues", {"action": "edited", "issue": said(dict(ISSUE)), **FROM}),
        ("issues", {"action": "edited", "issue": said(dict(ISSUE)),
                    "changes": {"body": {"from": None}}}),
        ("pull_request", {"action": "opened", "pull_request": said(PULL)}),
        ("pull_request", {"action": "edited", "pull_request": said(PULL), **FROM}),
        ("issue_comment", {"action": "created", "issue": ISSUE, "comment": said(dict(COMMENT))}),
        ("issue_comment", {"action": "edited", "issue": ISSUE, "comment": said(dict(COMMENT)),
                           **FROM}),
        ("issue_comment", {"action": "created", "issue": dict(ISSUE) | {"pull_request": {}},
                           "comment": said(dict(COMMENT))}),
        ("pull_request_review_comment", {"action": "created", "pull_request": PULL,
                                         "comment": said(dict(COMMENT))}),
        ("pull_request_review", {"action": "submitted", "pull_request": PULL,
                                 "review": said(REVIEW)}),
        ("pull_request_review", {"action": "edited", "pull_request": PULL,
                                 "review": said(REVIEW), **FROM}),
    ],
)  # fmt: skip
def test_new_texts_are_read(event: MakeEvent, name: str, payload: dict[str, Any]) -> None:
    assert calls_of(event(name, **payload)) == (CLOSE,)


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("issues", {"action": "labeled", "issue": said(dict(ISSUE))}),
        ("issues", {"action": "closed", "issue": said(dict(ISSUE))}),
        ("issues", {"action": "edited", "issue": said(dict(ISSUE)),
                    "changes": {"title": {"from": "Hm."}}}),
        ("issues", {"action": "edited", "issue": said(dict(ISSUE))}),
        ("issues", {"action": "edited", "issue": said(dict(ISSUE)),
                    "changes": {"body": {"from": "/close"}}}),
        ("issues", {"action": "edited", "issue": said(dict(ISSUE)),
                    "changes": {"body": {"from": ["Hm."]}}}),
        ("issues", {"action": "opened", "issue": said(dict(ISSUE)),
                    "changes": {"old_issue": ISSUE, "old_repository": REPOSITORY}}),
        ("issues", {"action": "opened", "issue": dict(ISSUE) | {"body": None}}),
        ("pull_request", {"action": "synchronize", "pull_request": said(PULL)}),
        ("pull_request_review", {"action": "dismissed", "pull_request": PULL,
                                 "review": said(REVIEW)}),
        ("issue_comment", {"action": "deleted", "issue": ISSUE, "comment": said(dict(COMMENT))}),
        ("issue_comment", {"action": "created", "issue": said(dict(ISSUE)), "comment": COMMENT}),
        ("star", {"action": "created"}),
    ],
)  # fmt: skip
def test_what_was_said_before_is_not_said_again(
    event: MakeEvent, name: str, payload: dict[str, Any]
) -> None:
    assert calls_of(event(name, **payload)) == ()
