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


def reply_with(words: str) -> str:
    """A model's answer to an author, with what it is; begun by us, so that it begins with no command."""
    return f"Thank you! {words}\n\n*Written by a language model; people read this as well.*"


def summary(urgency: float, quality: float, reasons: Sequence[str]) -> str:
    """Why a text was judged as it was, in one sentence for the decision record."""
    found = ", ".join(reasons) or "no sign of hurry"
    return f"urgency {urgency:.2f} ({found}), quality {quality:.2f}"
