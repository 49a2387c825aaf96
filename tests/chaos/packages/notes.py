"""Another team's package: answers every wish with a comment, found again by a hidden marker."""

import asyncio

from reactor import ActionContext, AlreadyDone, Attempt, Effect, action, component, executes
from reactor.github import Comment
from tests.chaos.packages.wish import Door, PlaceSettings, note, read


class Note(Effect):
    """A comment that says that the wish was heard."""

    text: str = "heard"


@component(name="notes", settings=PlaceSettings, effects=(Note,))
class NotesComponent:
    """One tick."""

    def __init__(self, settings: PlaceSettings) -> None:
        self._settings, self._door = settings, Door(settings)

    @action(value=0.9)
    async def hear(self, comment: Comment, context: ActionContext) -> Note:
        """Answer it."""
        wanted = read(comment.body or "")
        note(self._settings, wanted, reaction="notes", delivery=context.process.delivery)
        await asyncio.sleep(wanted.takes_s)
        return Note()

    @executes
    async def post(self, effect: Note, attempt: Attempt) -> object:
        """Look first where an earlier try may have got through; a comment can't be taken back."""
        if attempt.may_be_done and await self._door.ask("look", attempt.key, attempt):
            return AlreadyDone(attempt.key)
        await self._door.ask("comment", attempt.key, attempt)
        return effect.text


COMPONENTS = (NotesComponent,)
