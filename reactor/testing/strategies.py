"""Strategies of Hypothesis for what comes from GitHub: `pip install hypothesis`.

    @given(issues())
    async def test_no_title_breaks_it(payload: Payload) -> None:
        await Workbench(TriageComponent).run(event("issues.opened", issue=payload))

Texts are as people write them, and as nobody should: controls, marks that turn the direction of
writing, mentions, commands, very long lines.
"""

from typing import Any

from hypothesis import strategies as st

from reactor.github.event import Event
from reactor.github.events import TYPED
from reactor.testing.events import Payload, account, comment, event, issue, label, pull_request

_ODD = (
    "",
    " ",
    "@everyone /close",
    "<!-- -->",
    "```\n/label bug\n```",
    "\u202egnp.exe",
    "\x00\x1b[31m",
    "a" * 5_000,
    "{{ issue.title }} ${x} %s",
)


def texts() -> st.SearchStrategy[str]:
    """What somebody has written: any characters but lone surrogates, and known odd ones."""
    plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
    return st.one_of(plain, st.sampled_from(_ODD))


def logins() -> st.SearchStrategy[str]:
    """Names of accounts, as GitHub gives them."""
    return st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9]|-(?=[A-Za-z0-9])){0,20}", fullmatch=True)


def issues(**fixed: Any) -> st.SearchStrategy[Payload]:
    """Issues, as they stand in payloads; `fixed` are the same in all of them."""
    return _conversations().map(lambda fields: issue(**{**fields, **fixed}))


def pull_requests(**fixed: Any) -> st.SearchStrategy[Payload]:
    """Pull requests; `fixed` are the same in all of them."""
    sizes = st.fixed_dictionaries({"changed_files": st.integers(0, 3_000)})
    both = st.tuples(_conversations(), sizes)
    return both.map(lambda parts: pull_request(**{**parts[0], **parts[1], **fixed}))


def comments(**fixed: Any) -> st.SearchStrategy[Payload]:
    """Comments; `fixed` are the same in all of them."""
    written = st.fixed_dictionaries({"body": texts(), "user": logins().map(account)})
    return written.map(lambda fields: comment(**{**fields, **fixed}))


def events(*kinds: str) -> st.SearchStrategy[Event]:
    """Typed events of these kinds; none named: of all that have a class of their own.

    What is in them is drawn where it is an issue, a pull request or a comment.
    """
    return st.sampled_from(kinds or sorted(TYPED)).flatmap(_events)


def _events(kind: str) -> st.SearchStrategy[Event]:
    plain = event(kind)
    drawn: dict[str, st.SearchStrategy[Payload]] = {}
    if getattr(plain, "issue", None) is not None:
        drawn["issue"] = issues()
    if getattr(plain, "pull_request", None) is not None:
        drawn["pull_request"] = pull_requests()
    if getattr(plain, "comment", None) is not None:
        drawn["comment"] = comments()
    return st.fixed_dictionaries(drawn).map(lambda parts: _event(kind, parts))


def _event(kind: str, parts: Payload) -> Event:
    return event(kind, **parts)


def _conversations() -> st.SearchStrategy[Payload]:
    return st.fixed_dictionaries(
        {
            "title": texts(),
            "body": st.none() | texts(),
            "number": st.integers(1, 99_999),
            "user": st.none() | logins().map(account),
            "labels": st.lists(st.sampled_from(["bug", "new", "P1"]).map(label), max_size=3),
            "author_association": st.sampled_from(["NONE", "FIRST_TIMER", "MEMBER", "OWNER"]),
        }
    )
