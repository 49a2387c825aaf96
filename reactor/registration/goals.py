"""The goals of components and packages, and those that nobody can reach."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reactor.conditions import Condition, Flag, Ran, Vocabulary
from reactor.goal import Goal
from reactor.installed import Action, Component, InstalledGoal
from reactor.marks import GoalMark
from reactor.package import Package
from reactor.plan import PLANNER_NAMES
from reactor.plan.problem import Aim, Truth
from reactor.registration.faults import Faults
from reactor.registration.names import Names
from reactor.result import Together, facts_of, leaves

_TOWARDS_GOALS = frozenset({"goap", "supervisor"})  # planners that do nothing without one


def goals_of_actions(
    actions: Iterable[Action], vocabulary: Vocabulary, faults: Faults
) -> Iterator[InstalledGoal]:
    """The goals that actions are marked with: the action has run, and what it gives is there."""
    for action in actions:
        if action.goal is None:
            continue
        facts = facts_of(action.signature.result)
        if len(facts) > 1 and not isinstance(action.signature.result, Together):
            problem = "achieves a goal, but gives one of several types; give them one base class"
            faults.add(action.component.package, action.name, problem)
        pre = {vocabulary.has(kind, action.mark.output): Truth.TRUE for kind in facts}
        if not (action.mark.clear_blackboard and facts):  # clearing takes its own mark away
            pre[vocabulary.ran(action.name)] = Truth.TRUE
        yield InstalledGoal(
            aim=Aim(name=action.name, pre=pre, value=action.goal.value),
            package=action.component.package,
            component=action.component,
            gives=facts,
            mark=action.goal,
        )


def goals_of_packages(
    packages: Iterable[Package], vocabulary: Vocabulary, names: Names
) -> Iterator[InstalledGoal]:
    """The goals that packages bring as data."""
    for package in packages:
        for goal in package.goals:
            pre = {vocabulary.has(kind): Truth.TRUE for kind in goal.inputs}
            pre |= {vocabulary.ran(action): Truth.TRUE for action in goal.ran}
            for precondition in goal.pre:
                meaning = names.of_goal(precondition, package, f"goal {goal.name}")
                if meaning is not None:
                    pre[meaning[0]] = meaning[1]
            yield InstalledGoal(
                aim=Aim(name=goal.name, pre=pre, value=goal.value),
                package=package,
                component=None,
                gives=goal.inputs,
                mark=GoalMark(description=goal.description, value=goal.value),
            )


def by_name(goals: Iterable[InstalledGoal], faults: Faults) -> dict[str, InstalledGoal]:
    """The goals by name, sorted."""
    found: dict[str, InstalledGoal] = {}
    for goal in sorted(goals, key=lambda goal: (goal.name, goal.package.name)):
        other = found.setdefault(goal.name, goal)
        if other is not goal:
            there = "the same package" if other.package is goal.package else f"{other.package}"
            problem = f"is there twice, the other one in {there}; rename one of them"
            faults.add(goal.package, f"goal {goal.name}", problem)
    return found


def check_inputs(
    packages: Iterable[Package], actions: Sequence[Action], brought: Iterable[type], faults: Faults
) -> None:
    """Refuse goals that need what nobody gives.  `brought`: types that come from outside."""
    made = [kind for action in actions for kind in leaves(action.signature.result)]
    made += brought
    existing = {action.name for action in actions}
    for package in packages:
        for goal in package.goals:
            for missing in _missing(goal, made, existing):
                faults.add(package, f"goal {goal.name}", f"needs {missing}; nobody can reach it")


def _missing(goal: Goal, made: Sequence[type], existing: set[str]) -> Iterator[str]:
    for kind in goal.inputs:
        if not any(issubclass(kind, other) or issubclass(other, kind) for other in made):
            yield f"a {kind.__name__}, which no action gives"
    for action in goal.ran:
        if action not in existing:
            yield f"{action} to have run, which is not installed"


def check_agents(
    components: Iterable[Component], goals: Iterable[InstalledGoal], faults: Faults
) -> None:
    """Refuse agents that can't be planned for."""
    with_goals = {goal.component for goal in goals}
    for component in components:
        mark = component.mark
        if mark.is_agent and mark.planner not in PLANNER_NAMES:
            known = ", ".join(PLANNER_NAMES)
            problem = f"is an agent for a planner that there is not; choose one of {known}"
            faults.add(component.package, component.name, problem)
        if mark.is_agent and mark.planner in _TOWARDS_GOALS and component not in with_goals:
            problem = (
                f"is an agent for {mark.planner}, but no action of it achieves a goal; "
                "mark one with @achieves_goal"
            )
            faults.add(component.package, component.name, problem)


def check_reach(
    goals: Iterable[InstalledGoal],
    actions: Sequence[Action],
    conditions: Mapping[str, Condition],
    faults: Faults,
) -> None:
    """Refuse goals that hang on flags or runs which hang on each other.

    Only what happens inside a process is followed: any fact may be brought from outside, and an
    expression may come out either way.
    """
    missing = {
        key
        for key, condition in conditions.items()
        if isinstance(condition, (Flag, Ran)) and not _is_declared(condition, actions)
    }
    waiting = list(actions)
    while runnable := [action for action in waiting if not _held_up(action.pre, missing)]:
        waiting = [action for action in waiting if action not in runnable]
        for action in runnable:
            missing -= {key for key, to in action.effects.items() if to}
    for goal in goals:
        for key in sorted(_held_up(goal.aim.pre, missing)):
            problem = f"hangs on {key}, which nothing can bring about; nobody can reach it"
            faults.add(goal.package, f"goal {goal.name}", problem)


def _held_up(pre: Mapping[str, Truth], missing: set[str]) -> set[str]:
    return {key for key, wanted in pre.items() if wanted is Truth.TRUE and key in missing}


def _is_declared(condition: Flag | Ran, actions: Iterable[Action]) -> bool:
    """Whether a component says that it sets the flag, without saying when."""
    return isinstance(condition, Flag) and any(
        condition.name in action.component.mark.flags for action in actions
    )
