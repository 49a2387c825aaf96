"""Families of planning problems, each hard in its own way, in any size.

Costs are drawn from a seeded source, so every run measures the same problems.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random  # noqa: TID251 - seeded: every run draws the same

from reactor.plan import Aim, Problem, Step, Truth

Values = Mapping[str, bool]


@dataclass(frozen=True)
class Sample:
    """One problem, and what its unknown conditions would turn out to be."""

    name: str
    problem: Problem
    truth: Mapping[str, Truth]


class Draft:
    """A problem under construction; what is not said to hold at the start is false."""

    def __init__(self, name: str) -> None:
        self.name, self.steps = name, list[Step]()
        self._source = Random(name)

    def cost(self) -> float:
        """A random cost in steps of 0.01."""
        return self._source.randint(5, 100) / 100

    def pick(self, among: int, count: int) -> list[int]:
        """So many different numbers below `among`, in order."""
        return sorted(self._source.sample(range(among), count))

    def step(self, name: str, pre: Values, effects: Values, cost: float) -> None:
        """Add a step that may run again and again."""
        needs = {condition: Truth.of(value) for condition, value in pre.items()}
        self.steps.append(Step(name=name, pre=needs, effects=effects, cost=cost, can_rerun=True))

    def done(
        self, start: Values, goal: Values, unknown: Mapping[str, bool] | None = None
    ) -> Sample:
        """The finished problem."""
        conditions = {c for step in self.steps for c in (*step.pre, *step.effects)}
        state = dict.fromkeys(sorted(conditions | goal.keys()), Truth.FALSE)
        state |= {condition: Truth.of(value) for condition, value in start.items()}
        state |= dict.fromkeys(unknown or (), Truth.UNKNOWN)
        wanted = {condition: Truth.of(value) for condition, value in goal.items()}
        aims = (Aim(name="goal", pre=wanted),)
        truth = {condition: Truth.of(value) for condition, value in (unknown or {}).items()}
        return Sample(self.name, Problem(state=state, steps=tuple(self.steps), aims=aims), truth)


def chain(length: int) -> Sample:
    """Each step needs what the one before it gave."""
    draft = Draft(f"chain {length}")
    for n in range(length):
        draft.step(f"a{n}", {f"f{n}": True}, {f"f{n + 1}": True}, draft.cost())
    return draft.done({"f0": True}, {f"f{length}": True})


def wide(count: int, needed: int) -> Sample:
    """Independent facts, all within reach, of which a last step needs some."""
    draft = Draft(f"wide {needed} of {count}")
    for n in range(count):
        draft.step(f"p{n}", {"start": True}, {f"f{n}": True}, draft.cost() / 10)
    draft.step("join", {f"f{n}": True for n in draft.pick(count, needed)}, {"done": True}, 0.5)
    return draft.done({"start": True}, {"done": True})


def decoys(count: int) -> Sample:
    """A chain of six, and many steps that can run and lead nowhere."""
    draft = Draft(f"decoys {count}")
    for n in range(6):
        draft.step(f"a{n}", {f"f{n}": True}, {f"f{n + 1}": True}, draft.cost())
    for n in range(count):
        draft.step(f"d{n}", {"f0": True}, {f"junk{n}": True}, draft.cost())
    return draft.done({"f0": True}, {"f6": True})


def alternatives(length: int, ways: int) -> Sample:
    """A chain in which every link can be made in several ways, some of which need a side fact."""
    draft = Draft(f"alternatives {length}x{ways}")
    for n in range(length):
        for way in range(ways):
            pre = {f"f{n}": True}
            if way % 2:
                pre[f"side{n}_{way}"] = True
                draft.step(f"s{n}_{way}", {"f0": True}, {f"side{n}_{way}": True}, draft.cost())
            draft.step(f"p{n}_{way}", pre, {f"f{n + 1}": True}, draft.cost())
    return draft.done({"f0": True}, {f"f{length}": True})


def set_cover(facts: int, offers: int) -> Sample:
    """Offers that give three facts each: NP-hard with nothing else to it."""
    draft = Draft(f"set cover {facts}/{offers}")
    for n in range(offers):
        gives = {f"g{fact}": True for fact in draft.pick(facts, 3)}
        draft.step(f"c{n}", {}, gives, 0.2 + draft.cost() * 0.8)
    for fact in range(facts):
        draft.step(f"solo{fact}", {}, {f"g{fact}": True}, 0.9)
    return draft.done({}, {f"g{fact}": True for fact in range(facts)})


_TRIAGE: tuple[tuple[str, Values, Values, float], ...] = (
    ("fetch", {"event": True}, {".raw": True}, 0.05),
    ("parse", {".raw": True}, {".text": True}, 0.02),
    ("author", {".raw": True}, {".author": True}, 0.03),
    ("history", {".author": True}, {".history": True}, 0.10),
    ("classify_small", {".text": True}, {".label": True}, 0.20),
    ("classify_big", {".text": True, ".history": True}, {".label": True, ".sure": True}, 0.60),
    ("ask_person", {".label": True}, {".sure": True}, 0.80),
    ("draft_template", {".label": True, "template": True}, {".draft": True}, 0.05),
    ("draft_model", {".label": True, ".text": True}, {".draft": True}, 0.30),
    ("review", {".draft": True, ".sure": True}, {".approved": True}, 0.25),
    ("act", {".approved": True}, {".acted": True}, 0.10),
    ("record", {".acted": True}, {".done": True}, 0.01),
    ("enrich", {".text": True}, {".extra": True}, 0.15),
    ("notify", {"event": True}, {".notified": True}, 0.01),
)


def triage(count: int, *, without: str = "") -> Sample:
    """Event triage as installed packages offer it: each has a dozen steps from event to record.

    Every step may run once, and says so with a condition of its own.  Every seventh package can
    make the template that all drafts may use.
    """
    draft = Draft(f"triage {count}{' cut off' if without else ''}")
    for number in range(count):
        package, (name, pre, effects, cost) = number // len(_TRIAGE), _TRIAGE[number % len(_TRIAGE)]
        full = f"p{package}.{name}"
        gives = {_in(package, condition): value for condition, value in effects.items()}
        if name == "enrich" and package % 7 == 3:
            gives = {"template": True}
        needs = {_in(package, condition): value for condition, value in pre.items()}
        if full != without:
            draft.step(full, {**needs, f"ran {full}": False}, {**gives, f"ran {full}": True}, cost)
    return draft.done({"event": True}, {"p0.done": True})


def _in(package: int, condition: str) -> str:
    return f"p{package}{condition}" if condition.startswith(".") else condition


def locks(tasks: int) -> Sample:
    """One exclusive lock, taken and given back for each task."""
    draft = Draft(f"locks {tasks}")
    for n in range(tasks):
        draft.step(f"take{n}", {"free": True}, {"free": False, f"held{n}": True}, 0.05)
        draft.step(f"do{n}", {f"held{n}": True}, {f"done{n}": True}, draft.cost())
        draft.step(f"release{n}", {f"held{n}": True}, {"free": True, f"held{n}": False}, 0.05)
    return draft.done({"free": True}, {**{f"done{n}": True for n in range(tasks)}, "free": True})


def tokens(jobs: int) -> Sample:
    """A coin that each job may spend, and that must be minted anew, one at a time."""
    draft = Draft(f"tokens {jobs}")
    draft.step("mint", {}, {"coin": True}, 0.10)
    for n in range(jobs):
        draft.step(f"cheap{n}", {"coin": True}, {"coin": False, f"job{n}": True}, 0.10)
        draft.step(f"dear{n}", {}, {f"job{n}": True}, 0.15 if n % 2 else 0.30)
    return draft.done({"coin": True}, {f"job{n}": True for n in range(jobs)})


def gripper(balls: int) -> Sample:
    """Two hands carry balls to another room: no known bound sees how few trips it takes."""
    draft = Draft(f"gripper {balls}")
    draft.step("go", {"at_a": True}, {"at_a": False, "at_b": True}, 0.1)
    draft.step("back", {"at_b": True}, {"at_b": False, "at_a": True}, 0.1)
    for n in range(balls):
        for hand in "lr":
            held, free = f"held{n}{hand}", f"free_{hand}"
            takes = {f"a{n}": False, free: False, held: True}
            draft.step(f"pick{n}{hand}", {"at_a": True, f"a{n}": True, free: True}, takes, 0.1)
            gives = {held: False, free: True, f"b{n}": True}
            draft.step(f"drop{n}{hand}", {"at_b": True, held: True}, gives, 0.1)
    start = {"at_a": True, "free_l": True, "free_r": True, **{f"a{n}": True for n in range(balls)}}
    return draft.done(start, {f"b{n}": True for n in range(balls)})


def unreachable(count: int) -> Sample:
    """Triage without its first step."""
    return triage(count, without="p0.fetch")


def exclusive(count: int) -> Sample:
    """Triage with a goal whose parts exclude each other: only the deletes forbid it."""
    sample = triage(count)
    draft = Draft(f"triage {count} exclusive")
    draft.steps = list(sample.problem.steps)
    draft.step("flip", {"q": False}, {"q": True, "r": False}, 0.1)
    draft.step("flop", {"q": True}, {"q": False, "r": True}, 0.1)
    return draft.done({"event": True}, {"p0.done": True, "q": True, "r": True})


def doubts(length: int, shortcuts: int) -> Sample:
    """A chain with shortcuts that may be used only if something unknown turns out true."""
    draft = Draft(f"doubts {length}/{shortcuts}")
    for n in range(length):
        draft.step(f"a{n}", {f"f{n}": True}, {f"f{n + 1}": True}, 0.3)
    truth = {}
    for n in range(shortcuts):
        (begin,) = draft.pick(length - 2, 1)
        end = min(length, begin + 2 + n % 3)
        draft.step(f"short{n}", {f"f{begin}": True, f"u{n}": True}, {f"f{end}": True}, 0.2)
        truth[f"u{n}"] = draft.pick(2, 1) == [1]
    return draft.done({"f0": True}, {f"f{length}": True}, unknown=truth)
