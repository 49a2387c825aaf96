"""What people write becomes a command with typed words, or is refused with a sentence."""

import pytest
from reactor_commands import COMPONENTS
from reactor_commands.words import CloseCommand, DuplicateOfCommand, LabelCommand

from reactor import Asker, Command, Package, ReactorError, Role
from reactor.testing import Workbench

commands = Workbench(Package(name="commands", components=COMPONENTS)).platform.commands


@pytest.mark.parametrize(
    ("name", "words", "command"),
    [
        ("label", ["bug", "good first issue"], LabelCommand(names=("bug", "good first issue"))),
        ("close", [], CloseCommand(reason="completed")),
        ("close", ["Not-Planned"], CloseCommand(reason="not_planned")),
        ("duplicate-of", ["#12"], DuplicateOfCommand(number=12)),
        ("duplicate-of", ["12"], DuplicateOfCommand(number=12)),
    ],
)
def test_words_become_what_they_mean(name: str, words: list[str], command: Command) -> None:
    assert commands.bind(name, words) == command


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("label", []),
        ("close", ["duplicate"]),
        ("duplicate-of", ["twelve"]),
        ("duplicate-of", ["#0"]),
        ("assign", ["not a login"]),
        ("help", ["me"]),
    ],
)
def test_wrong_words_are_refused_with_the_way_to_write_it(name: str, words: list[str]) -> None:
    with pytest.raises(ReactorError, match=f"write: /{name}"):
        commands.bind(name, words)


def test_the_author_may_close_and_get_help_and_no_more() -> None:
    author = Asker(login="octocat", role=Role.READ, is_author=True)

    assert {kind.name for kind in commands if author.may(kind)} >= {"close", "help"}
    assert not any(author.may(kind) for kind in commands if kind.name in ("label", "reopen"))
