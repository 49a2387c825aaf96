"""The comment that tells which changes wait for approval, and how they are approved.  Pure."""

from collections.abc import Sequence

from reactor.github.effect_fields import Slot
from reactor.github.effects import StickyComment
from reactor.github.text import in_code
from reactor.prompt import Listed


class ApprovalPrompt(StickyComment):
    """Tell people what waits for approval: one comment, written anew each time.

    A kind of its own: `effects.prompt` allows it, and nothing else does.
    """

    slot: Slot = "approvals"

    def describe(self) -> str:
        """`tell what waits for approval`."""
        return "tell what waits for approval"


def write_prompt(listed: Sequence[Listed]) -> ApprovalPrompt:
    """Everything that repeats what others wrote is set as code."""
    several = "these changes wait" if len(listed) > 1 else "this change waits"
    lines = [
        f"In answer to what happened here, {several} for approval:",
        "",
        *(f"- `{each.id}`: {in_code(each.would)}, wanted by `{each.action}`" for each in listed),
        "",
        f"Who maintains this repository can write `/approve {listed[0].id}` to have one made, or"
        " `/approve` for all that are listed here; `/reject` has them dropped.",
    ]
    return ApprovalPrompt(body="\n".join(lines))
