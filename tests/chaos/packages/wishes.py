"""A team's package: heeds wishes by putting labels on, or taking them off."""

import asyncio

from reactor import ActionContext, AlreadyDone, Attempt, Effect, action, component, executes
from reactor.github import Comment
from tests.chaos.packages.wish import Door, PlaceSettings, Wanted, note, read


class SetLabel(Effect):
    """A label on the subject, or off it.  The same wish later is another one: its cause differs."""

    label: str
    on: bool


@component(name="wishes", settings=PlaceSettings, effects=(SetLabel,))
class WishesComponent:
    """Two ticks, so that there is something between the first and the last commit."""

    def __init__(self, settings: PlaceSettings) -> None:
        self._settings, self._door = settings, Door(settings)

    @action(value=0.9)
    async def read_wish(self, comment: Comment, context: ActionContext) -> Wanted:
        """Read it, and think about it as long as it says."""
        wanted = read(comment.body or "")
        note(self._settings, wanted, reaction="wishes", delivery=context.process.delivery)
        await asyncio.sleep(wanted.takes_s)
        return wanted

    @action(value=0.5)
    async def heed(self, wanted: Wanted) -> SetLabel:
        """Wish for the label; a wish to break breaks."""
        if wanted.verb == "break":
            raise ValueError("a bug in a plug-in, planted")
        return SetLabel(label=wanted.label, on=wanted.verb == "put")

    @executes
    async def set_label(self, effect: SetLabel, attempt: Attempt) -> object:
        """Labels are a set: putting one on twice is seen by nobody, so there is nothing to look at.

        But for one that was on, and is off again by a later wish: the ledger sends in order.
        """
        was_there = await self._door.ask("put" if effect.on else "take", effect.label, attempt)
        if attempt.may_be_done and was_there is effect.on:
            return AlreadyDone(effect.label)
        return effect.label


COMPONENTS = (WishesComponent,)
