"""The commands of all components: those that trigger an action, each name once."""

from collections.abc import Iterable

from reactor.command import BadCommand, Command, Commands
from reactor.installed import Action
from reactor.registration.faults import Faults


def command_of(action: Action) -> type[Command] | None:
    """The command that triggers the action, if one does."""
    kind = action.trigger
    return kind if kind is not None and issubclass(kind, Command) else None


def read_commands(actions: Iterable[Action], faults: Faults) -> Commands:
    """The commands that something is done for; several actions may share one.

    Two of one name are a fault of both packages, since nobody can tell which one is meant.
    """
    by_name: dict[str, tuple[type[Command], Action]] = {}
    for action in sorted(actions, key=lambda action: action.name):
        kind = command_of(action)
        if kind is None:
            continue
        if action.component.mark.is_agent:
            problem = "is triggered by a command, and an agent hears none; make it a component's"
            faults.add(action.component.package, action.name, problem)
            continue
        try:
            Commands([kind])
        except BadCommand as bad:
            faults.add(action.component.package, action.name, f"has a bad trigger: {bad}")
            continue
        known, other = by_name.setdefault(kind.name, (kind, action))
        if known is not kind:
            _tell_of_both(action, other, kind.name, faults)
    return Commands(kind for kind, _ in by_name.values())


def _tell_of_both(one: Action, other: Action, name: str, faults: Faults) -> None:
    for this, that in ((one, other), (other, one)):
        problem = (
            f"is for /{name}, and so is {that.name} of {that.component.package}, with other words;"
            " give one of the commands another name"
        )
        faults.add(this.component.package, this.name, problem)
