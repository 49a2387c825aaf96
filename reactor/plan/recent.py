"""What was made of the objects seen last, found again by identity.

Planners are given the same tuple of steps tick after tick; comparing it would cost as much as
planning does.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Makes a `V` of a `K` and keeps the last `size` of them, for as long as the key is the same.

    The keys must not be changed after; so a list is made anew each time, and not kept.
    """

    def __init__(self, make: Callable[[K], V], *, size: int) -> None:
        self._make, self._size = make, size
        self._kept: OrderedDict[int, tuple[K, V]] = OrderedDict()  # by id; holding the key keeps it

    def __call__(self, key: K) -> V:
        """What was made of this very object."""
        kept = self._kept.get(id(key))
        if kept is not None:
            self._kept.move_to_end(id(key))
            return kept[1]
        made = self._make(key)
        if not isinstance(key, list):
            self._kept[id(key)] = key, made
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return made
