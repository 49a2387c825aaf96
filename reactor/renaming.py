"""Renaming: what was stored of a process by the former names of actions, by those of today.

Nothing is written anew: a process that goes on adds to what it has, under the new names.
"""

from collections.abc import Mapping
from dataclasses import replace

from reactor.ports import Stored


def renamed(stored: Stored, names: Mapping[str, str]) -> Stored:
    """The same, its runs and the forms it waits for by today's names; `names`: former -> today's."""
    head, history = stored.head, stored.history
    if any(form.action in names for form in head.forms):
        forms = (replace(form, action=names.get(form.action, form.action)) for form in head.forms)
        head = head.but(forms=tuple(forms))
    if any(run.action in names for run in history):
        history = tuple(replace(run, action=names.get(run.action, run.action)) for run in history)
    if head is stored.head and history is stored.history:
        return stored
    return replace(stored, head=head, history=history)
