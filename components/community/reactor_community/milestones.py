"""Round numbers of stars.  Pure."""

from collections.abc import Sequence

_LATE = 50  # stars may be counted two in a hundred late: deliveries that came together, or got lost


def milestone_at(stars: int, milestones: Sequence[int]) -> int | None:
    """The number that has just been reached; None where the last one was reached long ago.

    So a repository that is looked after from 4,000 stars on is not told of 1,000.
    """
    reached = max((each for each in milestones if each <= stars), default=None)
    if reached is None or stars - reached > reached // _LATE:
        return None
    return reached
