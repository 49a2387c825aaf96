"""Why one action did not run: what it comes to, and where it stood in each planning.

Takes the documents of `explain`, and what is installed where an action was not there at all.  Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypedDict

from reactor.errors import ReactorError
from reactor.explain import ToldDelivery, ToldProcess, ToldTick
from reactor.journal import UnmetData
from reactor.rounds import PICK
from reactor.sentences import effect_sentence, what_came_of
from reactor.shortfall import Stood, actions_of, spans, stood


class UnknownAction(ReactorError):
    """No planning looked at an action of this name, and none of this name is installed."""

    def __init__(self, name: str, known: tuple[str, ...], disabled: tuple[str, ...] = ()) -> None:
        super().__init__(name, known, disabled)
        self.name, self.known, self.disabled = name, known, disabled

    def __str__(self) -> str:
        near = ", ".join(get_close_matches(self.name, self.known, cutoff=0.4) or self.known)
        asleep = f"; disabled in the settings: {', '.join(self.disabled)}" if self.disabled else ""
        return (
            f"no action {self.name!r} was weighed here; did you mean one of: {near or 'none'}"
            f"{asleep}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What is installed, as far as an action can be missed."""

    actions: Mapping[str, str] = field(default_factory=dict)  # by name, what brings each
    commands: Mapping[str, str] = field(default_factory=dict)  # of those, what each is asked by
    faults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by package
    disabled: tuple[str, ...] = ()  # packages, in the settings
    unstarted: Mapping[str, str] = field(default_factory=dict)  # by reaction, why it began nothing


class ToldWhyNot(TypedDict):
    """Why an action did not run, by the processes of one delivery."""

    delivery: str
    action: str
    processes: list[dict[str, Any]]  # "id", "reaction", the fields of `Stood`, and what it "says"
    elsewhere: list[str]  # what there is to say beside that


def weighed_action(told: ToldDelivery, name: str) -> str:
    """The full name of an action that was weighed or in scope; `name` may leave out its component.

    Raises `UnknownAction`, also where several components have an action of that name.
    """
    return _one_of({each for process in told["processes"] for each in actions_of(process)}, name)


def named_action(told: ToldDelivery, name: str, offer: Offer) -> str:
    """The same where it may be installed only; or of a package that is left out or disabled.

    Raises `UnknownAction`.
    """
    weighed = {each for process in told["processes"] for each in actions_of(process)}
    if _left_out(name, offer):
        return name
    try:
        return _one_of(weighed | offer.actions.keys(), name)
    except UnknownAction as error:
        raise UnknownAction(error.name, error.known, offer.disabled) from None


def _one_of(known: set[str], name: str) -> str:
    fitting = sorted(each for each in known if name in (each, each.partition(".")[2]))
    if len(fitting) != 1:
        raise UnknownAction(name, tuple(fitting or sorted(known)))
    return fitting[0]


def why_not(told: ToldDelivery, action: str, offer: Offer | None = None) -> ToldWhyNot:
    """All that can be said; `offer` where it was not in the scope of any process."""
    return ToldWhyNot(
        delivery=told["delivery"],
        action=action,
        processes=[_in_process(process, action) for process in told["processes"]],
        elsewhere=_elsewhere(told, action, offer) if offer else [],
    )


def why_not_lines(told: ToldWhyNot) -> list[str]:
    """The same in words."""
    lines = list[str]()
    for process in told["processes"]:
        first, *others = process["says"]
        lines += [f"[{process['reaction']}] {first}", *(f"  {other}" for other in others)]
    return [*lines, *told["elsewhere"]]


def _in_process(told: ToldProcess, action: str) -> dict[str, Any]:
    found = stood(told["ticks"], action)
    lack = found.lack and {"facts": list(found.lack.facts), "conditions": [*found.lack.conditions]}
    return {
        "id": told["id"],
        "reaction": told["reaction"],
        "ran": list(found.ran),
        "outdone": list(found.outdone),
        "unchosen": list(found.unchosen),
        "lacking": list(found.lacking),
        "lack": lack,
        "says": why_not_here(told, action),
    }


def why_not_here(told: ToldProcess, action: str) -> list[str]:
    """In one process: what it comes to, then each planning, those alike together."""
    if (component := action.partition(".")[0]) in told["left_out"]:
        return [f"{action}: {component} is not for {told['event']}; it declares other events"]
    if action not in actions_of(told):
        scope = f" ({told['scope']})" if told["scope"] else ""
        return [f"{action} is not in the scope of this reaction{scope}"]
    found = stood(told["ticks"], action)
    if not found.is_told:
        return [f"{action} was in scope, and no planning tells of it"]
    wanted = [effect_sentence(each) for each in told["effects"] if each["action"] == action]
    said = [_said(tick, action) for tick in told["ticks"]]
    ticks = [
        f"{spans([n for n, other in enumerate(said, start=1) if other == each])}: {each}"
        for each in dict.fromkeys(said)
        if each
    ]
    return [_verdict(told, found), *wanted, *ticks]


def _verdict(told: ToldProcess, found: Stood) -> str:
    if found.ran:
        return f"{found.action} ran, in {spans(found.ran)}"
    if found.lack is None:
        why = told["failure"] or told["reason"] or told["status"]
        if not found.outdone:
            return f"{found.action} could have run, but nothing was chosen: {why}"
        return f"{found.action} could have run, but others went first, and then: {why}"
    if found.is_near:
        return f"{found.action} would have run, if {wishes(found)}"
    return f"{found.action} had nothing to work on: {missing(found.lack.facts)}"


def _said(tick: ToldTick, action: str) -> str:
    """What one tick says of an action; "" where it is not told."""
    chosen, by = tick["chosen"], tick.get("chosen_by")
    if chosen == action:
        return f"it ran: {what_came_of(tick)}"
    worth = next((c["net_value"] for c in tick["candidates"] if c["action"] == action), None)
    if worth is not None:
        return _passed_over(chosen, by, worth)
    unmet = next((n["unmet"] for n in tick["not_runnable"] if n["action"] == action), [])
    component = action.partition(".")[0]
    needs = "; ".join(wish(each, component) for each in unmet)
    return f"it could not run: it needs {needs}" if needs else ""


def _passed_over(chosen: str | None, by: str | None, worth: float) -> str:
    if chosen is None:
        return f"it was worth {worth:+.2f}, and nothing was chosen"
    if chosen == PICK:
        return "it was offered to the model"
    if by:
        return f"it was on offer, but {chosen} was picked by the {by}"
    return f"it could run, for {worth:+.2f}, but {chosen} was worth more"


def _elsewhere(told: ToldDelivery, action: str, offer: Offer) -> list[str]:
    lines = _left_out(action, offer)
    if not told["processes"]:
        lines.append(f"no process: {told['ignored'] or 'nothing has come of it so far'}")
    lines += [f"[{name}] was not started: {why}" for name, why in offer.unstarted.items()]
    if action in offer.commands:
        lines.append(f"{action} does what a comment asks for: {offer.commands[action]}")
    elif action in offer.actions:
        lines.append(f"{action} is installed, by {offer.actions[action]}")
    return lines


def _left_out(action: str, offer: Offer) -> list[str]:
    """What is said of its package, where that is not there, or not all of it is."""
    package = action.partition(".")[0]
    lines = [f"left out: {fault}" for fault in offer.faults.get(package, ())]
    if package in offer.disabled:
        lines.append(
            f"the package {package} is disabled in the settings (components.{package}.disabled)"
        )
    return lines


def wishes(found: Stood) -> str:
    """What would have let an action run that had all it speaks of, and when."""
    component = found.action.partition(".")[0]
    conditions = found.lack.conditions if found.lack else ()
    said = " and ".join(wish(unmet, component) for unmet in conditions)
    return f"{said}, in {spans(found.lacking)}"


def wish(unmet: UnmetData, component: str = "") -> str:
    """What should have been, and what was, for people: `issue.title != "" (false)`."""
    condition = unmet["condition"].removeprefix(f"{component}: ")
    was = f"{unmet['is']}: {unmet['reason']}" if unmet.get("reason") else unmet["is"]
    if unmet["needs"] == "true":
        return f"{condition} ({was})"
    return f"{condition} to be {unmet['needs']} ({was})"


def missing(facts: Sequence[str]) -> str:
    """`no Issue, no IssueAssessment`."""
    return f"no {', no '.join(facts)}"
