"""People write logins with an @ and numbers with a #."""

from typing import ClassVar

import pytest

from reactor.command import Command, WrongWords, bind
from reactor.github.command_words import Number, Person


class AskCommand(Command):
    """Ask somebody about an issue."""

    name: ClassVar[str] = "ask"

    who: Person
    about: Number


@pytest.mark.parametrize("words", [["@octo-cat", "#12"], ["octo-cat", "12"]])
def test_with_or_without_their_marks(words: list[str]) -> None:
    assert bind(AskCommand, words) == AskCommand(who="octo-cat", about=12)


@pytest.mark.parametrize(
    "words",
    [
        ["@", "1"],
        ["@@octocat", "1"],
        ["octo cat", "1"],
        ["octo/cat", "1"],
        ["octocat", "#"],
        ["octocat", "##1"],
        ["octocat", "0"],
        ["octocat", "-1"],
        ["octocat", "1.5"],
        ["octocat", "9" * 30],
    ],
)
def test_what_is_neither_is_refused(words: list[str]) -> None:
    with pytest.raises(WrongWords):
        bind(AskCommand, words)
