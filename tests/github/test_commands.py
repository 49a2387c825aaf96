"""Commands are found where their author says them himself, and nowhere else."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reactor.github.commands import (
    Call,
    FreeText,
    commands_added,
    commands_in,
    may_hold_commands,
)
from reactor.github.text import COMMENT_LIMIT

US = ("the-bot[bot]",)

CLOSE = (Call(name="close"),)
FREE = FreeText("ask", lambda name: name in ("close", "label", "ask"))

texts = st.lists(
    st.sampled_from(
        [
            *("/close", "/label bug", "@the-bot close", "word", " ", "    ", "\t", "\n", "\n\n"),
            *("\r\n", "\r", "```", "~~~", "````", "`", "> ", "- ", "1. ", "# ", "<!--", "-->"),
            *("<!-->", "<pre>", "</pre>", "<code>", "</code>", "<div>", "\\", "[a](", ")", '"'),
            *("[a]: ", "---", "===", "|", "*", "_", "&#47;", "\x0b", "\x0c", "\x85", "\u2028"),
            *("\u00a0", "\x00", "\ud800", "\ufeff", "é"),
        ]
    )
    | st.text(max_size=5),
    max_size=30,
).map("".join)


def lines(text: str) -> list[str]:
    return re.split(r"\r\n?|\n", text)


def names(text: str) -> list[str]:
    return [call.name for call in commands_in(text, us=US)]


# Where they are ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "/close",
        "/Close",
        "   /close  ",
        "Thank you.\n/close",
        "Thank you.\r\n/close\r\n",
        "Thank you.\r/close\r",
        "> Is it done?\n\n/close",
        "```\nlog\n```\n/close",
        "- one\n- two\n/close",  # people mean it for itself
        "/close\n---\nOcto Cat, Ltd.",  # a heading for Markdown only
        "/close <!-- at last -->",
        "An `open\ncode` and\n/close",
        "<details>\n\nlog\n\n</details>\n\n/close",
        "<code>x</code>\n\n/close",
        "a hard break\\\n/close",
    ],
)
def test_a_command_begins_a_line(text: str) -> None:
    assert commands_in(text, us=US) == CLOSE


@pytest.mark.parametrize(
    "text",
    ["@the-bot close", "@The-Bot: /close", "@the-bot, close", "@the-bot[bot] close"],
)
def test_one_may_speak_to_us_by_name(text: str) -> None:
    assert commands_in(text, us=US) == (Call(name="close", is_addressed=True),)


def test_a_name_with_underscores_is_heard() -> None:
    found = commands_in("@my_own_bot label my_own_label", us=["my_own_bot"])

    assert found == (Call(name="label", words=("my_own_label",), is_addressed=True),)


def test_several_are_found_in_order() -> None:
    assert names("/label bug\nand\n/assign me\n\n/remove-label bug") == [
        "label",
        "assign",
        "remove-label",
    ]


def test_all_are_found_however_many() -> None:
    assert commands_in("/close\n" * 500) == CLOSE * 500


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("/close", True),
        ("Thanks.\r\n   /close", True),
        ("Thanks.\r@the-bot close", True),
        ("@The-Bot[bot], close", True),
        ("@octocat thanks!\n@other close", False),
        ("@the-bots close", False),
        ("see src/app.py, and and/or\n/ 2", False),
        ("", False),
    ],
)
def test_most_texts_need_not_be_read_to_tell_that_they_have_none(text: str, may: bool) -> None:
    assert may_hold_commands(text, us=US) is may
    assert may or commands_in(text, us=US, free=FREE) == ()


def test_a_name_may_be_escaped_behind_its_underscore() -> None:
    assert may_hold_commands("@my\\_own\\_bot close", us=["my_own_bot"])


# Where they are not ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "please /close",
        "/ close",
        "/close.",
        "//close",
        "/etc/passwd is open",
        "/close/",
        "/-close",
        "/2close",
        "\\/close",
        "&#47;close",
        "*/close*",
        "**\n/close**",
        "> /close",
        ">/close",
        "> is it done?\n/close",  # the quote goes on, as GitHub shows it
        "    /close",
        "\t/close",
        "text\n        /close",
        "`/close`",
        "see `log:\n/close\n` there",
        "``\n/close\n``",
        "```\n/close\n```",
        "```\n/close",
        "~~~ text\n/close\n~~~",
        "- ```\n  /close\n  ```",
        "- ```\n  x\n```\n/close\n```",  # the second fence opens another block
        "> ```\n> /close",
        "- /close",
        "- text\n  /close",
        "# /close",
        "/close | x\n--- | ---",
        "<!-- /close -->",
        "<!--\n/close\n-->",
        "text <!--\n/close\n-->",
        "<!--\n\n/close\n",
        "<pre>\n\n/close\n\n</pre>",
        "<code>\n\n/close\n\n</code>",
        "<pre><code></pre>\n\n/close",
        "<blockquote>\n\n/close\n\n</blockquote>",
        "<!--><code>\n\n/close",
        "<img alt='\n/close\n'>",
        "[x](\n/close\n)",
        "[x]:\n/close",
        "@another-bot close",
        "@the-bot",
        "@the-bot: 42",
        "me@the-bot close",
        "/" + "a" * 60,
        "/close\n" * (COMMENT_LIMIT // 7 + 1),
    ],
)
def test_what_is_quoted_shown_or_hidden_is_no_command(text: str | None) -> None:
    assert commands_in(text, us=US) == ()


@given(texts)
@example("![[" * 50 + "\n/close")
@example("> " * 200 + "/close")
@example("- " * 200 + "\n/close")
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    for call in commands_in(text, us=US):
        assert re.fullmatch(r"[a-z][a-z0-9-]*", call.name)
        assert all(word.strip() == word != "" for word in call.words)


@given(texts)
def test_nothing_is_found_in_a_quote(text: str) -> None:
    assert names("\n".join("> " + line for line in lines(text))) == []


@given(texts, st.sampled_from(["`", "~"]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_nothing_is_found_in_a_block_of_code(text: str, mark: str, newline: str) -> None:
    fence = mark * max(3, 1 + max(map(len, re.findall(f"{mark}+", text)), default=0))

    assert names(newline.join([fence, *lines(text), fence])) == []


@given(texts)
def test_nothing_is_found_in_indented_code(text: str) -> None:
    assert names("\n".join("    " + line for line in lines(text))) == []


@given(texts)
def test_nothing_is_found_in_code_within_a_line(text: str) -> None:
    # a blank line, or one that begins another block, would end the paragraph
    inside = [line if line.startswith(("/", "@")) else f"x{line}" for line in lines(text)]
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))

    assert names("\n".join([f"see {fence} log", *inside, f"end {fence}"])) == []


@given(texts)
def test_nothing_is_found_in_a_hidden_comment(text: str) -> None:
    hidden = text.replace("-->", "")

    assert names(f"<!--\n{hidden}\n-->") == []


@given(texts)
def test_a_command_before_anything_else_is_found(text: str) -> None:
    assert names(f"/close\n\n{text}")[:1] == ["close"]


# Words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/label bug urgent", ("bug", "urgent")),
        ("/label bug, urgent,new", ("bug", "urgent", "new")),
        ('/label "good first issue", bug', ("good first issue", "bug")),
        ("/label “good first issue” bug", ("good first issue", "bug")),
        ("/label 'good first issue'", ("good first issue",)),
        ("/label `good first issue` x", ("good first issue", "x")),
        ("/label don't x", ("don't", "x")),
        ('/label "open end', ('"open', "end")),
        ('/label ""', ()),
        ("/label a_b_c *d*", ("a_b_c", "*d*")),
        ("/label\ta", ("a",)),
        ("/assign @octocat #12", ("@octocat", "#12")),
        ("/label bug <!-- hidden words -->", ("bug",)),
    ],
)
def test_words_end_at_blanks_and_commas_unless_they_are_quoted(
    text: str, words: tuple[str, ...]
) -> None:
    assert [call.words for call in commands_in(text)] == [words]


# Edits -------------------------------------------------------------------------------------


def test_an_edit_runs_only_what_it_added() -> None:
    before = "/label bug\n/close"
    after = "Sorry, once more:\n/close\n/label  bug\n/reopen"

    assert [call.name for call in commands_added(after, before=before)] == ["reopen"]


def test_a_command_with_other_words_is_another() -> None:
    added = commands_added("/label bug, urgent", before="/label bug")

    assert added == (Call(name="label", words=("bug", "urgent")),)


def test_the_same_command_twice_is_one_more() -> None:
    assert commands_added("/close\n/close", before="/close") == CLOSE


def test_what_was_code_before_and_is_said_now_is_added() -> None:
    assert commands_added("/close", before="`/close`") == CLOSE


def test_an_edit_can_add_one_to_many() -> None:
    before = "/close\n" * 15

    assert commands_added(before + "/reopen", before=before) == (Call(name="reopen"),)


@given(texts)
def test_an_edit_that_changes_nothing_runs_nothing(text: str) -> None:
    assert commands_added(text, before=text, us=US) == ()


# Free text -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("@the-bot what's this, again?", "what's this, again?"),
        ("@The-Bot[bot]: könntest du helfen", "könntest du helfen"),
        ("@the-bot, please `rm -rf`  it\nand more", "please `rm -rf`  it"),
        ("@the-bot `rm` does what?", "`rm` does what?"),
        ("@the-bot 2 questions", "2 questions"),
        ("@the-bot " + "word-" * 20 + " is a long one", "word-" * 20 + " is a long one"),
        ("@the-bot ask: is it done?", "ask: is it done?"),
        ("@the-bot ask is it done, or not?", "is it done, or not?"),
        ("@the-bot /ask is it done?", "is it done?"),
    ],
)
def test_what_is_said_to_us_in_other_words_is_one_word_of_a_command(text: str, asked: str) -> None:
    found = commands_in(text, us=US, free=FREE)

    assert found == (Call(name="ask", words=(asked,), is_addressed=True),)


def test_its_command_can_be_written_as_any_other() -> None:
    assert commands_in('/ask "is" it, done?', us=US, free=FREE) == (
        Call(name="ask", words=('"is" it, done?',)),
    )
    assert commands_in("/ask", us=US, free=FREE) == (Call(name="ask"),)


@pytest.mark.parametrize(
    "text",
    [
        "@other-bot what's this?",
        "I wonder, @the-bot, what this is.",
        "> @the-bot what's this?",
        "    @the-bot what's this?",
        "```\n@the-bot what's this?\n```",
        "<!-- @the-bot what's this? -->",
        "@the-bot",
        "@the-bot?",
        "@the-bots what's this?",
        "/please help",
    ],
)
def test_what_is_not_said_to_us_is_no_free_text(text: str) -> None:
    assert "ask" not in [call.name for call in commands_in(text, us=US, free=FREE)]


@pytest.mark.parametrize("text", ["@the-bot close", "@the-bot /nothing of ours", "/close"])
def test_what_is_written_as_a_command_stays_one(text: str) -> None:
    assert commands_in(text, us=US, free=FREE) == commands_in(text, us=US)


def test_free_text_that_an_edit_left_alone_is_not_heard_again() -> None:
    before = "@the-bot what's this?\n@the-bot and that?"

    added = commands_added(f"{before}\n@the-bot and now?", before=before, us=US, free=FREE)

    assert added == (Call(name="ask", words=("and now?",), is_addressed=True),)


@given(texts)
def test_free_text_takes_no_command_away(text: str) -> None:
    free = commands_in(text, us=US, free=FREE)

    kept = [call for call in free if call.name != "ask"]
    plain = commands_in(text, us=US)
    known = [call for call in plain if FREE.is_command(call.name) or not call.is_addressed]
    assert kept == known
