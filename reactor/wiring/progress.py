"""Progress of processes, told to the pump, so that a long process is not taken for a hanging one."""

from reactor.listening import ActionFinished, ProcessEvent
from streams.progress import progressed


def tell_progress(event: ProcessEvent) -> None:
    """A listener of all processes of a runner: every action that ended is a step."""
    if isinstance(event, ActionFinished):
        progressed()
