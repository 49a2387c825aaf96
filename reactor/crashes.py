"""A process that ends its worker, again and again, must not do so for ever.

A store counts the workers that have opened a process since anything of it was kept
(`Opened.opens`).  One that is killed, or dies of a native library, leaves the count of all that it
had open one higher.  So what is opened by a third worker runs alone among such suspects: from then
on only the one that does it is counted on, and the others clear themselves with their next commit.
"""

ALONE_AFTER = 2  # workers without a commit; then it runs with no other suspect beside it
MOST_OPENS = 5  # then it is given up


def is_suspect(opens: int) -> bool:
    """Whether it should run with no other suspect beside it."""
    return opens > ALONE_AFTER


def is_given_up(opens: int) -> bool:
    """Whether it had its chances."""
    return opens > MOST_OPENS


def failure_of(opens: int) -> str:
    """Why it was given up, for people."""
    return (
        f"its worker ended {opens - 1} times while it ran, each time before anything of it was"
        " kept: an action blocks the worker or crashes it; the worker's log names the place"
        " (loop_blocked, or the stack of every thread)"
    )
