"""Coming to rest: what becomes of a process that has nothing to do now."""

from reactor.deciding import Choice
from reactor.options import ProcessOptions
from reactor.standing import Standing
from reactor.status import Status


def rest(standing: Standing, choice: Choice, options: ProcessOptions) -> None:
    """Let it rest, or end, as the last planning says.  One that was killed meanwhile has ended."""
    decision, weighed, head = choice.decision, choice.weighed, standing.head
    if head.status.is_final:
        return
    if decision.plan is not None:
        standing.achieve(decision.goal, weighed)
    elif head.forms:
        standing.ask(weighed=weighed)
    elif choice.can_pass and head.wakes < options.max_wakes:
        reason = "no plan is left until a failure has passed"
        standing.rest(Status.STUCK, reason, failure=choice.failure, weighed=weighed)
    elif choice.failure:
        reason = "no plan is left, and a failure is the reason"
        standing.rest(Status.FAILED, reason, failure=choice.failure, weighed=weighed)
    else:
        to = Status.TERMINATED if options.terminate_when_stuck else Status.STUCK
        standing.rest(to, choice.why_no_plan, weighed=weighed)
