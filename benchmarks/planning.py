"""How long planners take: GOAP over families of problems, and one utility tick.

Beside GOAP runs a textbook A* on the same problem; beside the utility tick, a filter and a sort.
Times are medians of processor time, with the garbage collector off: what else runs on the machine
counts as little as can be.  "compile" happens once for a goal, "plan" once for a state, "again"
is the next look at a state that was met before.  Ratios are what counts all the same.
"""

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from random import Random  # noqa: TID251 - seeded: every run draws the same
from statistics import median

import planning_families as families
import planning_textbook as textbook

from reactor.plan import Decision, Problem, Step, Truth, make_planner
from reactor.plan.counters import Counters
from reactor.plan.goap.policy import Policy
from reactor.plan.goap.solver import Solver
from reactor.plan.goap.task import Domain
from reactor.plan.ranking import rank

State = dict[str, Truth]

GIVE_UP_S = 1.0  # for the textbook, on each problem
ENOUGH_S = 0.15  # of repetitions, for each figure

SAMPLES = (
    *(families.chain(n) for n in (5, 50, 500)),
    *(families.wide(n, n // 2) for n in (10, 50, 500)),
    families.wide(12, 6),
    families.wide(41, 6),
    *(families.decoys(n) for n in (10, 100, 1_000, 10_000)),
    *(families.triage(n) for n in (12, 41, 100, 300, 1_000, 3_000)),
    *(families.alternatives(n, 5) for n in (5, 20, 40)),
    *(families.tokens(n) for n in (4, 8, 12, 32)),
    *(families.locks(n) for n in (2, 4, 9, 16)),
    families.set_cover(24, 80),
    *(families.gripper(n) for n in (2, 4, 6)),
    families.unreachable(41),
    families.exclusive(41),
)


def seconds(measured: Callable[[], object]) -> float:
    """The median of as many repetitions as fit, at least one."""
    samples: list[float] = []
    until = time.process_time() + ENOUGH_S
    while not samples or (time.process_time() < until and len(samples) < 200):
        started = time.process_time()
        measured()
        samples.append(time.process_time() - started)
    return median(samples)


def many(measured: Callable[[], object], *, count: int = 1_000) -> float:
    """The time of one call that is too short to be timed alone."""

    def calls() -> None:
        for _ in range(count):
            measured()

    return seconds(calls) / count


def show_goap() -> None:
    """One line for each problem."""
    print(f"{'problem':<22}{'steps':>6}{'compile':>10}{'plan':>10}{'again':>8}{'nodes':>7}", end="")
    print(f"{'A* textbook':>14}{'ratio':>12}  its answer")
    for sample in SAMPLES:
        problem, aim = sample.problem, sample.problem.aims[0]
        domain = Domain(problem.steps)
        compiling = seconds(lambda d=domain, a=aim: Solver(d.compile(a, frozenset())))  # type: ignore[misc]
        task = domain.compile(aim, frozenset())
        state, solver, policy = task.state(problem.state, ()), Solver(task), Policy(aim, task)
        solution = solver.solve(state)
        planning = seconds(lambda s=solver, at=state: s.solve(at))  # type: ignore[misc]
        policy.answer(state)
        again = many(lambda p=policy, at=state: p.answer(at))  # type: ignore[misc]
        answer, told = against_textbook(problem)
        sign = ">" if answer.has_given_up else ""
        print(
            f"{sample.name:<22}{len(problem.steps):>6}{us(compiling):>10}{us(planning):>10}", end=""
        )
        print(f"{again * 1e6:>8.2f}{solution.expanded:>7}{sign + us(told):>14}", end="")
        print(f"{sign + f'{told / planning:,.0f}x':>12}  {judged(answer, problem)}", flush=True)


def against_textbook(problem: Problem) -> tuple[textbook.Answer, float]:
    """What the textbook answers, and how long it takes."""
    started = time.process_time()
    answer = textbook.plan(problem, give_up_s=GIVE_UP_S)
    return answer, time.process_time() - started


def judged(answer: textbook.Answer, problem: Problem) -> str:
    """The textbook's answer against the proved one."""
    best = make_planner("goap").decide(problem)
    if answer.has_given_up:
        return "none in time"
    if answer.plan is None:
        return "none, rightly" if best.plan is None else "none, wrongly"
    dearer = answer.cost - best.cost
    return "optimal" if dearer < 1e-9 else f"{dearer / best.cost:.0%} too dear"


def show_replanning() -> None:
    """Processes that plan after each action, in a world that surprises them."""
    print(f"\n{'planning after each action':<30}{'ticks':>8}{'afresh':>8}{'mean':>9}{'again':>9}")
    for count, surprises, processes in ((41, 0.1, 10_000), (300, 0.3, 1_000)):
        sample, source = families.triage(count), Random(count)
        aim = sample.problem.aims[0]
        task = Domain(sample.problem.steps).compile(aim, frozenset())
        start, guide, policy = (
            task.state(sample.problem.state, ()),
            Policy(aim, task),
            Policy(aim, task),
        )
        states = [s for _ in range(processes) for s in met(guide, start, source, surprises)]
        started = time.process_time()
        for state in states:
            policy.answer(state)
        average = (time.process_time() - started) / len(states)
        afresh = policy.answer.cache_info().misses / len(states)
        again = median(many(lambda p=policy, at=state: p.answer(at)) for state in states[:20])  # type: ignore[misc]
        name = f"triage {count}, {surprises:.0%} surprises"
        print(f"{name:<30}{len(states):>8}{afresh:>8.1%}", end="")
        print(f"{average * 1e6:>9.2f}{again * 1e6:>9.2f}", flush=True)


def met(policy: Policy, state: int, source: Random, surprises: float) -> Iterator[int]:
    """The states in which one process plans; a surprise turns a random condition round."""
    task = policy.task
    for _ in range(60):
        yield state
        steps = policy.answer(state).steps
        if not steps:
            return
        state = task.after(state, steps[0])
        if source.random() < surprises:
            state ^= 1 << source.randrange(len(task.literals))


def show_doubts() -> None:
    """Unknown conditions, of which only the decisive ones are looked into."""
    print(f"\n{'unknown conditions':<22}{'steps':>6}{'first':>10}{'again':>10}   looked into")
    for length, shortcuts in ((10, 1), (10, 5), (20, 10), (40, 40)):
        sample = families.doubts(length, shortcuts)
        problem = replace(sample.problem, resolve=sample.truth.__getitem__)
        first = seconds(lambda p=problem: make_planner("goap").decide(p))  # type: ignore[misc]
        planner = make_planner("goap")
        decision = planner.decide(problem)
        again = seconds(lambda d=planner.decide, p=problem: d(p))  # type: ignore[misc]
        print(f"{sample.name:<22}{len(problem.steps):>6}{us(first):>10}{us(again):>10}", end="")
        print(f"   {len(decision.evaluated)} of {len(sample.truth)}", flush=True)


def show_decisions() -> None:
    """The whole way from a problem to a decision, as the engine asks for it."""
    print(f"\n{'whole decisions, again':<22}{'goap':>10}{'utility':>10}{'hybrid':>10}")
    for count in (12, 41, 300, 1_000):
        sample = families.triage(count)
        times = []
        for name in ("goap", "utility", "hybrid"):
            planner = make_planner(name)
            planner.decide(sample.problem)
            times.append(seconds(lambda d=planner.decide, p=sample.problem: d(p)))  # type: ignore[misc]
        print(f"{sample.name:<22}" + "".join(f"{us(each):>10}" for each in times), flush=True)


def show_utility() -> None:
    """One tick: three conditions change, the best runnable action is picked."""
    print(
        f"\n{'utility tick, actions':<22}{'pick':>10}{'decide':>10}{'filter, sort':>14}{'ratio':>10}"
    )
    for count in (10, 100, 1_000, 10_000):
        tick = Tick(*offers(count))
        picking = many(tick.pick)
        deciding, sorting = seconds(tick.decide), seconds(tick.filter_and_sort)
        print(f"{count:<22}{picking * 1e6:>10.2f}{us(deciding):>10}{us(sorting):>14}", end="")
        print(f"{sorting / picking:>9,.0f}x", flush=True)


class Tick:
    """Three ways to choose among the same actions, in two states that take turns."""

    def __init__(self, steps: tuple[Step, ...], states: tuple[State, State]) -> None:
        self._steps, self._states = steps, cycle(states)
        self._changed = [c for c in states[0] if states[0][c] is not states[1][c]]
        self._counters, self._planner = Counters(rank(steps)), make_planner("utility")
        self._counters.follow(states[0])
        self.decide()  # ranks the steps, once

    def pick(self) -> int | None:
        """Tell what changed, and ask."""
        state = next(self._states)
        for condition in self._changed:
            self._counters.set(condition, state[condition])
        return self._counters.first()

    def decide(self) -> Decision:
        """Hand over a whole state, as the engine does."""
        return self._planner.decide(Problem(state=next(self._states), steps=self._steps))

    def filter_and_sort(self) -> Step | None:
        """The pick as it is written first: all runnable actions, sorted, the best one taken."""
        state = next(self._states)
        runnable = [
            step
            for step in self._steps
            if all(state.get(condition) is needs for condition, needs in step.pre.items())
        ]
        runnable.sort(key=lambda step: step.net_value, reverse=True)
        return runnable[0] if runnable else None


def offers(count: int) -> tuple[tuple[Step, ...], tuple[State, State]]:
    """Actions with three conditions each, half of which hold; and two states, three changes apart."""
    source = Random(count)
    names = [f"c{n}" for n in range(max(6, count))]
    steps = tuple(
        Step(
            name=f"offer{n}",
            pre=dict.fromkeys(source.sample(names, 3), Truth.TRUE),
            effects={f"took{n}": True},
            cost=source.randint(0, 100) / 100,
            value=source.randint(0, 100) / 100,
            can_rerun=True,
        )
        for n in range(count)
    )
    state = {name: Truth.of(source.random() < 0.5) for name in names}
    other = {name: Truth.of(state[name] is Truth.FALSE) for name in source.sample(names, 3)}
    return steps, (state, {**state, **other})


def us(time_s: float) -> str:
    """Microseconds, readable."""
    return f"{time_s * 1e6:,.0f}"


def main() -> None:
    """Measure everything; times are in microseconds."""
    gc.disable()
    table, mask = {n: n for n in range(1_000)}, (1 << 60) - 1
    floor = many(lambda: table[500] & mask)
    print(f"all times in us; the textbook gives up after {GIVE_UP_S} s")
    print(f"floor of this machine, now: a call with a look-up and an & takes {floor * 1e6:.2f}\n")
    show_goap()
    show_replanning()
    show_doubts()
    show_decisions()
    show_utility()


if __name__ == "__main__":
    main()
