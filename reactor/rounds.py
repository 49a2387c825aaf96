"""What a supervisor's model has picked, as facts on the blackboard: one for each time it was asked.

Plain data.  A round is kept before anything in it runs, so a process that goes on after a crash
carries out what was picked, and asks nobody again.
"""

from dataclasses import dataclass

PICK = "supervisor.pick"  # the action that asks the model


@dataclass(frozen=True, slots=True)
class PickedCall:
    """An action that the model wants to run."""

    action: str  # "component.method"
    supplied: tuple[str, ...] = ()  # parameters whose values the model has made


@dataclass(frozen=True, slots=True)
class SupervisorRound:
    """What came of asking once.

    The values that the model has made are the entries right before this one, hidden from all but
    the calls that they were made for: in the order of `calls`, and of `supplied` within each.
    """

    number: int  # 1, 2, 3, ...
    calls: tuple[PickedCall, ...]
    said: str = ""  # by the model, beside its calls
    declined: tuple[str, ...] = ()  # further calls that it wanted, and what was wrong with them

    @property
    def values(self) -> int:
        """How many values the model has made."""
        return sum(len(call.supplied) for call in self.calls)
