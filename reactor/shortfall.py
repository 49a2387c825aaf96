"""What kept each action of a process from running, told once: where it stood, and what it lacked.

    the plannings of a process -> by action: ran, could have run, or what it was nearest to

A planning tells every condition that did not hold.  Most of them follow from one that is missing:
an expression over a fact that nobody has given is false because of that.  Here only what is at
the bottom of it is left.  Takes the documents of `explain`.  Pure.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reactor.blackboard import snake_case
from reactor.explain import ToldProcess, ToldTick
from reactor.journal import UnmetData

_FACT = re.compile(r"has\((?:(\w+): )?((?:\w+\.)*[A-Z]\w*)(?: but no [\w.]+)*\)")
_NEW = re.compile(r"new\(((?:\w+\.)*\w+)\) for .+")
_NOT_THERE = re.compile(r"(\w+(?: and \w+)*) (?:is|are) not on the blackboard")


@dataclass(frozen=True, slots=True)
class Lack:
    """What an action lacked, where it lacked the least."""

    facts: tuple[str, ...]  # types that nobody had given, or names of facts; sorted
    conditions: tuple[UnmetData, ...]  # that were looked at, and did not hold

    @property
    def size(self) -> tuple[int, int]:
        """The less, the nearer: a fact that is not there counts before all conditions."""
        return len(self.facts), len(self.conditions)


@dataclass(frozen=True, slots=True)
class Stood:
    """Where an action stood in the plannings of a process, which are counted from 1."""

    action: str
    ran: tuple[int, ...] = ()
    outdone: tuple[int, ...] = ()  # where it could have run, and another one was chosen
    unchosen: tuple[int, ...] = ()  # where it could have run, and nothing was chosen
    lacking: tuple[int, ...] = ()  # where it lacked just `lack`
    lack: Lack | None = None  # None where it could run at some time
    is_told: bool = True  # False: it was in scope, and no planning tells of it

    @property
    def could(self) -> tuple[int, ...]:
        """Where it could have run, and did not."""
        return tuple(sorted((*self.outdone, *self.unchosen)))

    @property
    def is_near(self) -> bool:
        """Whether all that it speaks of was there, and only conditions did not hold."""
        return self.lack is not None and not self.lack.facts


def standings(told: ToldProcess) -> list[Stood]:
    """Every action of the process, by name."""
    ticks = told["ticks"]
    return [stood(ticks, action) for action in actions_of(told)]


def actions_of(told: ToldProcess) -> list[str]:
    """The names of all its actions: those in scope, and those that its plannings tell of."""
    names = set(told["actions"])
    for tick in told["ticks"]:
        names.update(each["action"] for each in (*tick["candidates"], *tick["not_runnable"]))
        if tick["chosen"]:
            names.add(tick["chosen"])
    return sorted(names)


def stood(ticks: Sequence[ToldTick], action: str) -> Stood:
    """Where one action stood."""
    ran, outdone, unchosen, lacks = list[int](), list[int](), list[int](), dict[int, Lack]()
    for number, tick in enumerate(ticks, start=1):
        if tick["chosen"] == action:
            ran.append(number)
        elif any(each["action"] == action for each in tick["candidates"]):
            (outdone if tick["chosen"] else unchosen).append(number)
        else:
            unmet = (each["unmet"] for each in tick["not_runnable"] if each["action"] == action)
            if found := next(unmet, None):
                lacks[number] = lack_of(found)
    if ran or outdone or unchosen:
        return Stood(action, tuple(ran), tuple(outdone), tuple(unchosen))
    if not lacks:
        return Stood(action, is_told=False)
    nearest = min(lacks.values(), key=lambda lack: lack.size)
    where = tuple(number for number, lack in lacks.items() if lack == nearest)
    return Stood(action, lacking=where, lack=nearest)


def lack_of(unmet: Iterable[UnmetData]) -> Lack:
    """What is at the bottom of it."""
    listed = list(unmet)
    facts = {kind for each in listed if (kind := missing_fact(each))}
    spoken_of = {name for kind in facts for name in _names(kind)}
    conditions = list[UnmetData]()
    for each in listed:
        if missing_fact(each):
            continue
        found = _NOT_THERE.fullmatch(each.get("reason", ""))
        if found is None:
            conditions.append(each)
        else:  # it follows from what is missing
            facts.update(name for name in found[1].split(" and ") if name not in spoken_of)
    return Lack(tuple(sorted(facts)), tuple(conditions))


def missing_fact(unmet: UnmetData) -> str:
    """The type of which there was nothing (new), "name: Type" where it has a name; or ""."""
    if unmet["needs"] != "true":
        return ""
    if found := _FACT.fullmatch(unmet["condition"]):
        name, kind = found.groups()
        return f"{name}: {kind}" if name else kind
    found = _NEW.fullmatch(unmet["condition"])
    return f"new {found[1]}" if found else ""


def _names(fact: str) -> tuple[str, ...]:
    """By which names expressions speak of it."""
    name, _, kind = fact.rpartition(": ")
    kind = kind.removeprefix("new ").rpartition(".")[2]
    return (name,) if name else (snake_case(kind),)


def spans(numbers: Sequence[int]) -> str:
    """`tick 2`, `ticks 3 to 7`, `ticks 1, 3 and 5 to 7`: numbers for people."""
    runs = list[tuple[int, int]]()
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    *first, last = [f"{a}" if a == b else f"{a} to {b}" for a, b in runs]
    said = f"{', '.join(first)} and {last}" if first else last
    return f"tick{'s' * (len(numbers) > 1)} {said}"
