"""Reactor: an event-driven reactor for GitHub-style webhooks.

If you are here to read the code, start with `delivery`, then `topic`, `blackboard`, `plan`,
`action` and `effect`: the path of every event.  `worker` tells it in one file; `process` is the
loop in its middle.

What is listed here is public; the rest may change.  Names are loaded when they are first used,
so that importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from reactor import wait_for
from reactor.action import (
    Named,
    Not,
    RetryPolicy,
    action,
    component,
    condition,
    estimate,
    executes,
    request_type,
)
from reactor.agent import achieves_goal, agent, state

if TYPE_CHECKING:
    from reactor.approving import ApprovalDesk, Spoken, Taken
    from reactor.attempt import (
        AlreadyDone,
        Attempt,
        EffectDelayed,
        EffectGivenUp,
        EffectRefused,
    )
    from reactor.autonomy import Autonomy, Cutoffs
    from reactor.blackboard import Blackboard
    from reactor.command import Asker, Command, Commands, FreeRequest, Role
    from reactor.commanded import Declined
    from reactor.context import ActionContext
    from reactor.delivery import Delivery, Subject
    from reactor.effect import Effect, EffectRecord
    from reactor.errors import InfrastructureError, ReactorError
    from reactor.failure import (
        PassingError,
        ReplanRequested,
        TerminateAction,
        TerminateProcess,
    )
    from reactor.goal import Goal
    from reactor.invocation import AgentInvocation, SupervisorInvocation, UtilityInvocation
    from reactor.listening import ProcessEvent, ProcessListener
    from reactor.options import (
        Deadline,
        MaxActions,
        MaxInARow,
        MaxUsage,
        ProcessOptions,
        Progress,
        TerminationPolicy,
    )
    from reactor.package import BadPlatform, Fault, Package
    from reactor.platform import Platform
    from reactor.process import Process
    from reactor.recounting import Explanations, Recounted
    from reactor.reminders import Reminder, Reminders
    from reactor.rescue import StuckHandler
    from reactor.restarting import Restart, Restarts, Retriaged
    from reactor.runner import Runner
    from reactor.scope import EmptyScope, Scope
    from reactor.start import Start
    from reactor.status import ProcessHead, Run, Status
    from reactor.subprocesses import Subprocess, SubprocessEnded
    from reactor.timer import TimerFired
    from reactor.waiting import Answer, AnswerRefused, Confirmation

__all__ = [  # noqa: RUF022 - grouped by who needs them
    # For components: marks on classes and methods
    "achieves_goal",
    "action",
    "agent",
    "component",
    "condition",
    "estimate",
    "executes",
    "request_type",
    "state",
    "Named",
    "Not",
    "RetryPolicy",
    # For components: what actions take, give and raise
    "ActionContext",
    "Blackboard",
    "Confirmation",
    "Effect",
    "PassingError",
    "Reminder",
    "Reminders",
    "ReplanRequested",
    "Retriaged",
    "Subprocess",
    "SubprocessEnded",
    "TerminateAction",
    "TerminateProcess",
    "TimerFired",
    "wait_for",
    # For components: what people can ask for in words
    "Asker",
    "Command",
    "Commands",
    "Declined",
    "FreeRequest",
    "Role",
    # For components: what commands ask of the platform
    "ApprovalDesk",
    "Explanations",
    "Recounted",
    "Restart",
    "Restarts",
    "Spoken",
    "Taken",
    # For components: what executors of effects take, give and raise
    "AlreadyDone",
    "Attempt",
    "EffectDelayed",
    "EffectGivenUp",
    "EffectRefused",
    # For those who install components
    "BadPlatform",
    "EmptyScope",
    "Fault",
    "Goal",
    "Package",
    "Platform",
    "Scope",
    # For those who run them
    "AgentInvocation",
    "Answer",
    "AnswerRefused",
    "Autonomy",
    "Cutoffs",
    "Deadline",
    "MaxActions",
    "MaxInARow",
    "MaxUsage",
    "ProcessEvent",
    "ProcessListener",
    "ProcessOptions",
    "Progress",
    "Runner",
    "Start",
    "StuckHandler",
    "SupervisorInvocation",
    "TerminationPolicy",
    "UtilityInvocation",
    # What comes and what comes of it
    "Delivery",
    "EffectRecord",
    "Process",
    "ProcessHead",
    "Run",
    "Status",
    "Subject",
    # Errors that anybody may meet
    "InfrastructureError",
    "ReactorError",
]

_HOMES = {
    "ActionContext": "context",
    "AgentInvocation": "invocation",
    "AlreadyDone": "attempt",
    "Answer": "waiting",
    "AnswerRefused": "waiting",
    "ApprovalDesk": "approving",
    "Asker": "command",
    "Attempt": "attempt",
    "Autonomy": "autonomy",
    "BadPlatform": "package",
    "Blackboard": "blackboard",
    "Command": "command",
    "Commands": "command",
    "Confirmation": "waiting",
    "Cutoffs": "autonomy",
    "Deadline": "options",
    "Declined": "commanded",
    "Delivery": "delivery",
    "Effect": "effect",
    "EffectDelayed": "attempt",
    "EffectGivenUp": "attempt",
    "EffectRecord": "effect",
    "EffectRefused": "attempt",
    "EmptyScope": "scope",
    "Explanations": "recounting",
    "Fault": "package",
    "FreeRequest": "command",
    "Goal": "goal",
    "InfrastructureError": "errors",
    "MaxActions": "options",
    "MaxInARow": "options",
    "MaxUsage": "options",
    "Package": "package",
    "PassingError": "failure",
    "Platform": "platform",
    "Process": "process",
    "ProcessEvent": "listening",
    "ProcessHead": "status",
    "ProcessListener": "listening",
    "ProcessOptions": "options",
    "Progress": "options",
    "ReactorError": "errors",
    "Recounted": "recounting",
    "Reminder": "reminders",
    "Reminders": "reminders",
    "ReplanRequested": "failure",
    "Restart": "restarting",
    "Restarts": "restarting",
    "Retriaged": "restarting",
    "Role": "command",
    "Run": "status",
    "Runner": "runner",
    "Scope": "scope",
    "Spoken": "approving",
    "Start": "start",
    "Status": "status",
    "StuckHandler": "rescue",
    "Subject": "delivery",
    "Subprocess": "subprocesses",
    "SubprocessEnded": "subprocesses",
    "SupervisorInvocation": "invocation",
    "Taken": "approving",
    "TerminateAction": "failure",
    "TerminateProcess": "failure",
    "TerminationPolicy": "options",
    "TimerFired": "timer",
    "UtilityInvocation": "invocation",
}
"""Where the names that are loaded late are defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
