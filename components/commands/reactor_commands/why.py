"""`/why`: what was decided here last, and why, folded into one comment."""

from collections.abc import Sequence
from html import escape
from typing import ClassVar

from reactor import (
    ActionContext,
    Command,
    Declined,
    Explanations,
    Recounted,
    Role,
    action,
    component,
)
from reactor.github import ConversationEvent, PostComment, in_code

MOST_LINES = 15  # of each part


class WhyCommand(Command):
    """Tell what was decided here last, and why."""

    name: ClassVar[str] = "why"
    needs: ClassVar[Role] = Role.TRIAGE


@component(name="why", effects=(PostComment,), events=("issue_comment", "issues", "pull_request"))
class WhyCommands:
    """Tells people where they are why something was done, or was not."""

    def __init__(self, explanations: Explanations) -> None:
        self._explanations = explanations

    @action(trigger=WhyCommand, can_rerun=True, value=0.5)
    async def explain(
        self, command: WhyCommand, event: ConversationEvent, context: ActionContext
    ) -> PostComment | Declined:
        """Post the explanation of what was done last; what people asked for needs none."""
        processes = await self._explanations.last(event.subject_key, asked_in=context.process)
        if not processes:
            return Declined(reason="nothing was decided here so far, or it is not kept any more")
        return PostComment(body=explanation(processes))


def explanation(processes: Sequence[Recounted]) -> str:
    """Markdown; whatever comes from elsewhere is set as code."""
    return "\n\n".join(_folded(process) for process in processes)


def _folded(process: Recounted) -> str:
    title = " ".join(process.title.split())  # a blank line would end the summary
    parts = [
        f"<details>\n<summary>What was decided on <code>{escape(title)}</code>,"
        f" {process.at:%Y-%m-%d %H:%M} UTC</summary>",
        _listed("What was done, step by step", process.steps),
        _listed("What was to be changed", process.changes),
        _listed("What could not run in the end", process.blocked),
        f"The whole of it: {in_code('reactor explain ' + process.delivery)}",
        "</details>",
    ]
    return "\n\n".join(parts)


def _listed(heading: str, lines: Sequence[str]) -> str:
    """A heading with a list below, as long as it may be."""
    shown = [f"- {in_code(line)}" for line in lines[:MOST_LINES]] or ["- nothing"]
    if len(lines) > MOST_LINES:
        shown.append(f"- and {len(lines) - MOST_LINES} more")
    return "\n".join((f"**{heading}**", "", *shown))
