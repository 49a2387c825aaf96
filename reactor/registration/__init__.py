"""From packages to a validated whole: every fault is found and told at once.

Read on in the order of the phases: `components` (one instance each), `methods` (their actions
and conditions), `states` (those of the states that they lead to), `executors` (who sends which
effect), `names` (what a precondition may speak of), `derive` (preconditions and effects of each
action), `goals` (what can be reached), all of them put together by `register`.
"""

from reactor.registration.register import Provided, Registered, register

__all__ = ["Provided", "Registered", "register"]
