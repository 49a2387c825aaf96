"""Compiled problems in few words, and the families of problems that are hard in their own way."""

from reactor.plan import Problem
from reactor.plan.goap.task import Domain, Task
from tests.plan.worlds import aim, problem, step


def compiled(world: Problem) -> tuple[Task, int]:
    """The task of the first goal, and the state at the start."""
    task = Domain(world.steps).compile(world.aims[0], world.excluded)
    return task, task.state(world.state, world.ran)


def names(task: Task, steps: "list[int] | tuple[int, ...] | None") -> list[str] | None:
    return None if steps is None else [task.steps[j].name for j in steps]


def chain(length: int) -> Problem:
    steps = [step(f"a{n}", {f"f{n}": True}, {f"f{n + 1}": True}, cost=0.1) for n in range(length)]
    return problem({"f0": True}, *steps, aims=(aim({f"f{length}": True}),))


def choices(count: int) -> Problem:
    """So many independent things to do, each in a cheap way and in a dear one."""
    steps = []
    for n in range(count):
        steps.append(step(f"cheap{n}", {}, {f"done{n}": True}, cost=0.1))
        steps.append(step(f"dear{n}", {}, {f"done{n}": True}, cost=0.3))
    return problem({}, *steps, aims=(aim({f"done{n}": True for n in range(count)}),))


def coins(jobs: int) -> Problem:
    """One coin; a job spends it, or is done dearly without; coins can be minted one at a time."""
    steps = [step("mint", {}, {"coin": True}, cost=0.1)]
    for n in range(jobs):
        steps.append(step(f"pay{n}", {"coin": True}, {"coin": False, f"job{n}": True}, cost=0.1))
        steps.append(step(f"toil{n}", {}, {f"job{n}": True}, cost=0.15 if n % 2 else 0.3))
    return problem({"coin": True}, *steps, aims=(aim({f"job{n}": True for n in range(jobs)}),))


def gripper(balls: int) -> Problem:
    """Two hands carry balls from one room to another: hard for every planner there is."""
    steps = [
        step("go", {"here": True}, {"here": False, "there": True}, cost=0.1),
        step("back", {"there": True}, {"there": False, "here": True}, cost=0.1),
    ]
    start = {"here": True, "left": True, "right": True}
    for n in range(balls):
        start[f"ball{n}"] = True
        for hand in ("left", "right"):
            held = f"{hand}{n}"
            steps.append(
                step(
                    f"pick_{held}",
                    {"here": True, hand: True, f"ball{n}": True},
                    {hand: False, f"ball{n}": False, held: True},
                    cost=0.1,
                )
            )
            steps.append(
                step(
                    f"drop_{held}",
                    {"there": True, held: True},
                    {held: False, hand: True, f"over{n}": True},
                    cost=0.1,
                )
            )
    return problem(start, *steps, aims=(aim({f"over{n}": True for n in range(balls)}),))
