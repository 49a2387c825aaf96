"""Reading `.github/reactor.yml`: what may stand there, and where it is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.github.repository_file import ComponentPart, RepositoryFile
from reactor.github.repository_yaml import (
    MOST_BYTES,
    MOST_FAULTS,
    BadRepositoryFile,
    read_repository_file,
)


def faults(text: str) -> list[str]:
    with pytest.raises(BadRepositoryFile) as caught:
        read_repository_file(text)
    return [str(fault) for fault in caught.value.faults]


def read(text: str) -> RepositoryFile:
    return read_repository_file(text).rules


def test_all_that_may_be_said_is_read() -> None:
    found = read(
        """\
        _extends: base
        mode: approve
        allow: [AddLabels, PostComment]
        labels: [bug, area/*]
        components:
          Triage: {enabled: false}
          welcome:
            mode: observe
            labels: []
        commands: [/label, close]
        """
    )

    assert (found.extends, found.mode) == ("base", "approve")
    assert (found.allow, found.labels) == (("AddLabels", "PostComment"), ("bug", "area/*"))
    assert found.commands == ("label", "close")
    assert found.components == {
        "triage": ComponentPart(enabled=False),
        "welcome": ComponentPart(mode="observe", labels=()),
    }


@pytest.mark.parametrize("word", ["false", "off", "no"])
def test_commands_can_be_switched_off(word: str) -> None:
    assert read(f"commands: {word}").rules("here", version="").commands == frozenset()


@pytest.mark.parametrize("word", ["true", "on", "yes"])
def test_or_be_allowed_as_a_whole(word: str) -> None:
    assert read(f"commands: {word}").rules("here", version="").commands is None


def test_an_unknown_name_is_a_fault_that_names_the_nearest_one() -> None:
    assert faults("mode: live\nlable: [bug]\n") == [
        "line 2, column 1: there is no `lable` here; did you mean `labels`?"
    ]


def test_one_that_is_like_no_other_is_told_what_there_is() -> None:
    (fault,) = faults("components:\n  triage:\n    urgent_at: 0.8\n")

    assert fault == (
        "line 3, column 5: there is no `urgent_at` here; there are allow, enabled, labels, mode"
    )


def test_every_fault_is_told_in_the_order_of_the_file() -> None:
    assert faults("mode: life\nlabels:\n  - bug\n  - 3\nallow: AddLabels\n_extends: a/b/c\n") == [
        "line 1, column 7: it must be observe, approve or live",
        "line 4, column 5: it must be text; put quotes around it",
        "line 5, column 8: it must be a list, as [a, b]",
        "line 6, column 11: it must be the name of a repository, or OWNER/NAME",
    ]


@pytest.mark.parametrize("field", ["mode", "allow", "labels", "components", "commands", "_extends"])
def test_a_name_without_a_value_is_a_fault_and_allows_nothing_by_mistake(field: str) -> None:
    (fault,) = faults(f"{field}:\n")

    assert "there is no value" in fault


@pytest.mark.parametrize("text", ["", "# mode: live\n", "{}", "---\n"])
def test_a_file_that_says_nothing_is_a_fault(text: str) -> None:
    (fault,) = faults(text)

    assert "it says nothing" in fault


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("mode: live\nlabels: [bug\n", 3),
        ("mode: live\nmode: observe\n", 2),
        ("mode: live\n---\nmode: live\n", 2),
        ("- mode\n", 1),
        ("[" * 3000, 1),
        ("mode: \x00", 1),
        ("mode: live\nlabels: ['\ufffd']\n", 2),
        ("{1: 2}", 1),
        ("components: {Triage: {mode: live}, triage: {mode: live}}", 1),
        ("mode: !!python/object/apply:os.system [ls]", 1),
        ("labels: &all [bug, *all]", 1),
    ],
)
def test_what_is_no_mapping_of_rules_is_a_fault_with_its_line(text: str, line: int) -> None:
    assert faults(text)[0].startswith(f"line {line}, ")


def test_no_value_is_repeated() -> None:
    told = "\n".join(faults("mode: s3cret\nmode: s3cret\n") + faults("labels: {s3cret: 1}\n"))

    assert "s3cret" not in told


def test_a_file_that_is_too_long_is_not_read() -> None:
    assert faults("# " + "x" * MOST_BYTES) == ["line 1, column 1: it is longer than 32 KiB"]


def test_of_very_many_faults_the_first_ones_are_told() -> None:
    found = faults("labels:\n" + "- 1\n" * 500)

    assert len(found) == MOST_FAULTS
    assert found[0].startswith("line 2,")


@given(st.text(max_size=60) | st.text("mode: live\n-[]{}#&*!,\"'|>%@`", max_size=60))
def test_whatever_stands_there_is_read_or_told_of(text: str) -> None:
    try:
        found = read(text)
    except BadRepositoryFile as bad:
        assert bad.faults  # noqa: PT017 - either is right
        return
    assert found.said


@pytest.mark.parametrize("bracket", ["[", "{", "[{"])
def test_brackets_without_end_are_not_even_parsed(bracket: str) -> None:
    """The parser takes half a minute for them, and a worker waits."""
    found = faults(f"mode: live\nlabels: {bracket * 10_000}")

    assert found == ["line 2, column 1: there are more than 50 open brackets"]


def test_many_brackets_beside_each_other_are_read() -> None:
    labels = ", ".join(f'"kind [{number}]"' for number in range(100))

    assert len(read(f"labels: [{labels}]").labels or ()) == 100
