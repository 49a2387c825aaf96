"""What the comment says: the list of issues, whose titles strangers have written."""

from collections.abc import Iterable

from reactor.community import LikeIssue
from reactor.github import in_code
from reactor_duplicates.settings import DuplicatesSettings

_LONGEST_TITLE = 100


def advice(issues: Iterable[LikeIssue], settings: DuplicatesSettings) -> str:
    """The comment, as Markdown; titles stand as code, so that they mean and link nothing."""
    lines = [
        f"- #{issue.number} {in_code(issue.title, _LONGEST_TITLE)}"
        f"{'' if issue.is_open else ' (closed)'}"
        for issue in issues
    ]
    parts = (settings.before, "\n".join(lines), settings.after)
    return "\n\n".join(part for part in parts if part)
