"""Which steps must be tried in a state: a strong stubborn set.

Where steps don't meddle with each other, their order does not matter, and a search that tries
every order drowns in permutations.  It is enough to try a set that contains (1) a step of every
plan, here a cut; (2) for a step that can't run, everything that makes one of the things it
lacks; (3) for one that can, everything it meddles with.  Optimality stays, because every step
has a positive price (Wehrle and Helmert 2014, after Valmari 1989).
"""

from collections.abc import Iterable, Mapping

from reactor.plan.goap.task import Task, bits


def stubborn_set(
    task: Task, state: int, seed: Iterable[int], makers: Mapping[int, list[int]]
) -> list[int]:
    """The runnable steps that are enough to try in `state`; `seed`: one of them is in any plan."""
    todo, runnable = list(seed), []
    seen = set(todo)
    while todo:
        j = todo.pop()
        lacking = task.pre[j] & ~state
        if lacking:
            more = min([makers[literal] for literal in bits(lacking)], key=len)
        else:
            runnable.append(j)
            more = _meddled_with(task, j)
        todo += [k for k in more if k not in seen]
        seen.update(more)
    return runnable


def _meddled_with(task: Task, j: int) -> list[int]:
    """The steps that `j` may stop or undo, or that may stop or undo it."""
    found = set[int]()
    for literal in bits(task.drop[j]):
        found.update(task.users[literal], task.makers[literal])
    for literal in bits(task.pre[j] | task.add[j]):
        found.update(task.breakers[literal])
    return sorted(found)
