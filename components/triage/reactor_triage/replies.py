"""What the triage component writes.  Nothing that a stranger wrote is repeated in it."""

from collections.abc import Sequence


def request_for(missing: Sequence[str], *, is_newcomer: bool) -> str:
    """A friendly request for what a report lacks."""
    greeting = (
        "Welcome, and thank you for your first report!"
        if is_newcomer
        else "Thank you for the report!"
    )
    items = "\n".join(f"- {what}" for what in missing)
    return (
        f"{greeting} To look into it we need a bit more. Please add to this issue:\n\n{items}\n\n"
        "Editing the text above or answering below is both fine."
    )


REPRODUCTION = (
    "To find out what goes wrong we have to see it happen. Please add the smallest example that"
    " shows it, as code or as a link to a repository, with the steps to run it.\n\n"
    "Editing the text above or answering below is both fine."
)

UNANSWERED = (
    "We have not heard back, and cannot look into it as it is, so this is closed for now."
    " Please add what was asked for whenever you can, and somebody can open it again."
)

STALE_CLOSED = (
    "Nothing has happened here since the last notice, so this is closed for now. If it still"
    " matters, say so below, and somebody can open it again."
)


def reminding_words(closes_in: float | None) -> str:
    """What an author is reminded with; `closes_in`: days, where it is closed after that."""
    follows = (
        f" Without it, this will be closed in {days_in_words(closes_in)}."
        if closes_in is not None
        else ""
    )
    return (
        "Just a reminder: we still need what was asked for above to go on with this."
        f"{follows} An answer below is enough."
    )


def stale_words(closes_in: float | None) -> str:
    """What is said of what nobody has touched; `closes_in`: days, where it is closed after that."""
    follows = (
        f" It will be closed in {days_in_words(closes_in)} if nothing happens."
        if closes_in is not None
        else ""
    )
    return f"Nothing has happened here for a while. Does it still matter?{follows}"


def days_in_words(days: float) -> str:
    """`a day`, `14 days`, `less than a day`."""
    if days < 1:
        return "less than a day"
    return "a day" if days < 2 else f"{int(days)} days"


def reply_with(words: str) -> str:
    """A model's answer to an author, with what it is; begun by us, so that it begins with no command."""
    return f"Thank you! {words}\n\n*Written by a language model; people read this as well.*"


def summary(urgency: float, quality: float, reasons: Sequence[str]) -> str:
    """Why a text was judged as it was, in one sentence for the decision record."""
    found = ", ".join(reasons) or "no sign of hurry"
    return f"urgency {urgency:.2f} ({found}), quality {quality:.2f}"
