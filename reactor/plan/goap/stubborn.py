"""Which steps must be tried in a state: a strong stubborn set.

Where steps don't meddle with each other, their order does not matter, and a search that tries
every order drowns in permutations.  It is enough to try a set that contains (1) a step of every
plan, here a cut; (2) for a step that can't run, everything that makes one of the things it
lacks; (3) for one that can, everything it meddles with.  Optimality stays, because every step
has a positive price (Wehrle and Helmert 2014, after Valmari 1989).
"""

from collections.abc import Iterable, Mapping

from reactor.plan.goap.task import Task, bits


class StubbornSets:
    """The stubborn sets of one task; `makers` leaves out steps that can never run."""

    def __init__(self, task: Task, makers: Mapping[int, list[int]]) -> None:
        self._task = task
        self._enablers = [  # of each step, by precondition, the fewest makers first
            sorted(((literal, makers[literal]) for literal in bits(pre)), key=_count)
            for pre in task.pre
        ]
        self._meddled: dict[int, list[int]] = {}

    def of(self, state: int, seed: Iterable[int]) -> list[int]:
        """The runnable steps that are enough to try; every plan contains one of `seed`."""
        pre, todo, runnable = self._task.pre, list(seed), []
        seen = set(todo)
        while todo:
            j = todo.pop()
            if pre[j] & ~state:
                more = next(m for literal, m in self._enablers[j] if not literal & state)
            else:
                runnable.append(j)
                more = self.meddled_with(j)
            todo += [k for k in more if k not in seen]
            seen.update(more)
        return runnable

    def meddled_with(self, j: int) -> list[int]:
        """The steps that `j` may stop or undo, or that may stop or undo it."""
        if j not in self._meddled:
            task, found = self._task, set[int]()
            for literal in bits(task.drop[j]):
                found.update(task.users[literal], task.makers[literal])
            for literal in bits(task.pre[j] | task.add[j]):
                found.update(task.breakers[literal])
            self._meddled[j] = sorted(found - {j})
        return self._meddled[j]


def _count(enablers: tuple[int, list[int]]) -> int:
    return len(enablers[1])
