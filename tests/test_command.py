"""Commands are declared as classes; words become fields, and mistakes are told with the way out."""

import pickle
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, StringConstraints

from reactor.command import (
    Asker,
    BadCommand,
    Command,
    Commands,
    NotAllowed,
    Role,
    UnknownCommand,
    WrongWords,
    bind,
    usage,
)


def not_monday(day: str) -> str:
    if day == "monday":
        raise ValueError("nobody works on that day")
    return day


class LabelCommand(Command):
    """Put labels on it.

    More is said here.
    """

    name: ClassVar[str] = "label"
    needs: ClassVar[Role] = Role.TRIAGE

    names: tuple[Annotated[str, StringConstraints(max_length=10)], ...]


class CloseCommand(Command):
    """Close it."""

    name: ClassVar[str] = "close"
    author_may: ClassVar[bool] = True


class RemindCommand(Command):
    """Say it again, in some | other words."""

    name: ClassVar[str] = "remind-me"

    days: int
    day_of_week: Annotated[str, AfterValidator(not_monday)] = "friday"
    what: tuple[str, ...] = ()


@pytest.fixture
def commands() -> Commands:
    return Commands([RemindCommand, LabelCommand, CloseCommand])


# Words -------------------------------------------------------------------------------------


def test_a_tuple_takes_all_words_that_are_left(commands: Commands) -> None:
    assert commands.bind("label", ["bug", "urgent"]) == LabelCommand(names=("bug", "urgent"))


def test_each_other_field_takes_one_word(commands: Commands) -> None:
    bound = commands.bind("remind-me", ["3", "sunday", "fix", "it"])

    assert bound == RemindCommand(days=3, day_of_week="sunday", what=("fix", "it"))


def test_what_has_a_default_may_be_left_out(commands: Commands) -> None:
    assert commands.bind("remind-me", ["3"]) == RemindCommand(days=3)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (["label"], "/label needs NAMES...; write: /label NAMES..."),
        (["close", "now"], '/close has no place for "now"; write: /close'),
        (
            ["label", "x" * 99],
            f'/label does not take "{"x" * 50}" as NAMES; write: /label NAMES...',
        ),
        (
            ["remind-me", "soon"],
            '/remind-me does not take "soon" as DAYS; '
            "write: /remind-me DAYS [DAY-OF-WEEK] [WHAT...]",
        ),
        (
            ["remind-me", "3", "monday"],
            "/remind-me does not take this DAY-OF-WEEK: nobody works on that day; "
            "write: /remind-me DAYS [DAY-OF-WEEK] [WHAT...]",
        ),
    ],
)
def test_wrong_words_are_told_with_the_usage(
    commands: Commands, call: list[str], told: str
) -> None:
    with pytest.raises(WrongWords) as raised:
        commands.bind(call[0], call[1:])

    assert str(raised.value) == told
    assert str(pickle.loads(pickle.dumps(raised.value))) == told


@given(st.lists(st.text(max_size=12), max_size=5))
def test_any_words_give_a_command_or_say_what_is_wrong(words: list[str]) -> None:
    for kind in (LabelCommand, CloseCommand, RemindCommand):
        try:
            assert isinstance(bind(kind, words), kind)
        except WrongWords as error:
            assert usage(kind) in str(error)  # noqa: PT017 - either outcome is right


# Names -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lable", "labl", "labels", "babel", "abel"])
def test_a_name_with_one_slip_is_one_of_ours(commands: Commands, name: str) -> None:
    with pytest.raises(UnknownCommand) as raised:
        commands.bind(name, [])

    assert raised.value.is_slip
    assert str(raised.value) == (
        f"there is no command /{name}; did you mean /label? /help lists them"
    )


@pytest.mark.parametrize("name", ["etc", "ladle", "labelled", "remind", "zzz", "l"])
def test_other_names_are_nobodys(commands: Commands, name: str) -> None:
    with pytest.raises(UnknownCommand) as raised:
        commands.bind(name, [])

    assert not raised.value.is_slip


def test_a_name_that_is_far_off_is_answered_without_a_guess(commands: Commands) -> None:
    with pytest.raises(UnknownCommand) as raised:
        commands.find("zzz")

    assert str(raised.value) == "there is no command /zzz; /help lists them"


@given(st.sampled_from(["label", "remind-me"]), st.data())
def test_each_single_slip_is_seen(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 1))
    letter = data.draw(st.sampled_from("abz-"))
    slips = {
        name[:at] + name[at + 1 :],
        name[:at] + letter + name[at:],
        name[:at] + letter + name[at + 1 :],
        name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
    } - {name}
    commands = Commands([LabelCommand, RemindCommand])

    for slip in slips:
        with pytest.raises(UnknownCommand) as raised:
            commands.find(slip)
        assert (raised.value.nearest, raised.value.is_slip) == (name, True)


# Who may -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "may_label", "may_close"),
    [
        (Role.NONE, False, False),
        (Role.READ, False, False),
        (Role.TRIAGE, True, False),
        (Role.WRITE, True, True),
        (Role.ADMIN, True, True),
    ],
)
def test_a_higher_role_may_what_a_lower_one_may(
    role: Role,
    may_label: bool,
    may_close: bool,
) -> None:
    asker = Asker(login="octocat", role=role)

    assert (asker.may(LabelCommand), asker.may(CloseCommand)) == (may_label, may_close)


def test_an_author_may_what_is_granted_to_authors_only() -> None:
    author = Asker(login="octocat", role=Role.NONE, is_author=True)

    assert (author.may(LabelCommand), author.may(CloseCommand)) == (False, True)


def test_who_may_not_is_told_who_may() -> None:
    nobody = Asker(login="octocat", role=Role.NONE)
    reader = Asker(login="octocat", role=Role.READ)

    assert str(NotAllowed(CloseCommand, nobody)) == (
        "/close is for the role write and above or the author; "
        "octocat has no role in this repository"
    )
    assert str(NotAllowed(LabelCommand, reader)) == (
        "/label is for the role triage and above; octocat has the role read in this repository"
    )


def test_help_lists_what_one_may_use(commands: Commands) -> None:
    author = Asker(login="octocat", role=Role.TRIAGE, is_author=True)

    assert commands.help(author.may) == (
        "| Command | What it does | Who may |\n"
        "|---|---|---|\n"
        "| `/close` | Close it. | write, author |\n"
        "| `/label NAMES...` | Put labels on it. | triage |"
    )


def test_help_breaks_no_table(commands: Commands) -> None:
    rows = commands.help(lambda kind: kind is RemindCommand).splitlines()

    assert rows[2].count("|") == 4


def test_help_says_so_where_there_is_nothing(commands: Commands) -> None:
    assert commands.help(lambda _: False) == "There is no command that you may use here."


# Declarations ------------------------------------------------------------------------------


def declared(doc: str | None = "Do it.", /, name: str = "do", **fields: Any) -> type[Command]:
    space: dict[str, Any] = {"__module__": __name__, "name": name}
    space["__annotations__"] = {"name": ClassVar[str]}
    for field, annotation in fields.items():
        space["__annotations__"][field], *default = (
            annotation if isinstance(annotation, list) else [annotation]
        )
        if default:
            space[field] = default[0]
    if doc is not None:
        space["__doc__"] = doc
    return type("DoCommand", (Command,), space)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (declared(name=""), "its name is ''; set `name` to"),
        (declared(name="Do it"), "its name is 'Do it'; set `name` to"),
        (declared(name="d" * 41), "40 characters at most"),
        (declared(None), "write a docstring"),
        (declared(a=tuple[str, ...], b=str), "a takes all words that are left; put it last"),
        (declared(a=[str, "x"], b=str), "b must be given, so put it before"),
        (declared(a=list[str]), "a is one word; for several"),
        (declared(a=tuple[str, str]), "a is one word; for several"),
        (declared(a=[tuple[str, ...] | None, None]), "a is one word; for several"),
    ],
)
def test_a_declaration_that_cannot_work_is_refused(kind: type[Command], reason: str) -> None:
    with pytest.raises(BadCommand) as raised:
        Commands([kind])

    assert str(raised.value).startswith("DoCommand can't be a command: ")
    assert reason in str(raised.value)


def test_two_commands_of_one_name_are_refused() -> None:
    with pytest.raises(BadCommand, match="/label is LabelCommand; give one another name"):
        Commands([LabelCommand, declared(name="label")])


def test_the_same_command_twice_is_one() -> None:
    assert list(Commands([LabelCommand, LabelCommand])) == [LabelCommand]
