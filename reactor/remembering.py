"""Facts that outlive a process: recalled when one begins, kept when an action says so.

A process with a `ProcessOptions.context_id` starts with all that was kept under it, before its
own facts, so that those are the newer ones.  Where contexts are kept is the platform's business:
the `Contexts` among its services.
"""

from dataclasses import replace
from typing import cast

from reactor.blackboard import snake_case
from reactor.calls import Heard, hearing
from reactor.errors import ReactorError
from reactor.platform import Platform
from reactor.ports import Contexts
from reactor.start import Start


class NoContext(ReactorError, LookupError):
    """An action wants to keep a fact, and its process has no context to keep it in."""

    def __init__(self, process_id: str, why: str) -> None:
        super().__init__(process_id, why)
        self.process_id, self.why = process_id, why

    def __str__(self) -> str:
        return f"process {self.process_id} has no context: {self.why}"


async def recalled(start: Start, platform: Platform) -> Start:
    """The same start, with what is kept under its context before its own facts.

    Raises `InfrastructureError`, and `NoContext` where contexts are kept nowhere.  One that
    inherits a board has them already: a sub-process, or the next attempt after a failed one.
    """
    context_id = start.options.context_id
    if context_id is None or start.parent_id is not None or start.inherited:
        return start
    with hearing(heard := Heard(process_id=start.process_id, tick=0)):
        kept = await _contexts(start, platform).load(context_id)
    facts = [(name, platform.catalog.decode(*kept[name])) for name in sorted(kept)]
    return replace(start, facts=[*facts, *start.facts], calls=(*start.calls, *heard.calls))


async def keep(start: Start, platform: Platform, value: object, *, name: str = "") -> None:
    """Keep a fact under the context of the process, instead of an earlier one of that name.

    Raises `NoContext`, `UnstorableValue` and `InfrastructureError`.
    """
    context_id = start.options.context_id
    if context_id is None:
        why = "set `context_id` in its options, or `context` in its reaction"
        raise NoContext(start.process_id, why)
    platform.catalog.check(value)
    fact = platform.catalog.encode(value)
    named = {name or snake_case(type(value).__name__): fact}
    await _contexts(start, platform).save(context_id, named)


def _contexts(start: Start, platform: Platform) -> Contexts:
    contexts = platform.services.get(Contexts)
    if contexts is None:
        raise NoContext(start.process_id, "the platform has no `Contexts` among its services")
    return cast("Contexts", contexts)
