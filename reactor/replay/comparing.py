"""Then and now: what is decided otherwise.

Compared are the actions in their order, how each ended, the effects by kind and key (so by their
content), what may be made of them, and how the process came to rest.  Values, costs, texts of
errors and durations are shown, and make no difference: nothing follows from them.

What may be made of an effect is compared where the same can have counted: the rules of its
repository are not in the journal, so one that was judged by them then is not judged anew.  Pure.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from reactor.replay.document import Decided, DecidedEffect, DecidedTick, Difference

_MOST = 200  # ticks that are lined up; beyond that the first difference is all that is looked for


def differences(then: Decided, now: Decided) -> list[Difference]:
    """All of them, in the order in which they would be noticed."""
    return [*_ticks(then, now), *_effects(then, now), *_end(then, now)]


def started_now(now: Decided) -> Difference:
    """A process that is started now, and was not then."""
    return Difference(what="process", tick=0, then="not started", now=_in_short(now))


def not_started(then: Decided) -> Difference:
    """A process that was started then, and is not now."""
    return Difference(what="process", tick=0, then=_in_short(then), now="not started")


def side_by_side(
    then: Sequence[DecidedTick], now: Sequence[DecidedTick]
) -> Iterator[tuple[DecidedTick | None, DecidedTick | None]]:
    """The ticks of both, those that are the same action beside each other."""
    ours, theirs = [tick["action"] for tick in then], [tick["action"] for tick in now]
    if max(len(ours), len(theirs)) > _MOST:
        yield from _one_by_one(then, now)
        return
    for _, left, left_end, right, right_end in SequenceMatcher(
        a=ours, b=theirs, autojunk=False
    ).get_opcodes():
        yield from _one_by_one(then[left:left_end], now[right:right_end])


def _one_by_one(
    then: Sequence[DecidedTick], now: Sequence[DecidedTick]
) -> Iterator[tuple[DecidedTick | None, DecidedTick | None]]:
    for at in range(max(len(then), len(now))):
        yield (then[at] if at < len(then) else None, now[at] if at < len(now) else None)


def _ticks(then: Decided, now: Decided) -> Iterator[Difference]:
    for before, after in side_by_side(then["ticks"], now["ticks"]):
        tick = (before or after or {"tick": 0})["tick"]
        was = before["action"] if before else ""
        does = after["action"] if after else ""
        if was != does:
            yield Difference(what="action", tick=tick, then=was, now=does)
        elif before and after and before["outcome"] != after["outcome"]:
            yield Difference(what="outcome", tick=tick, then=_outcome(before), now=_outcome(after))


def _effects(then: Decided, now: Decided) -> Iterator[Difference]:
    before = {effect["key"]: effect for effect in then["effects"]}
    after = {effect["key"]: effect for effect in now["effects"]}
    for key, effect in before.items():
        if key not in after:
            yield Difference(what="effect", tick=0, then=_wanted(effect), now="")
    for key, effect in after.items():
        if key not in before:
            yield Difference(what="effect", tick=0, then="", now=_wanted(effect))
    for key in (key for key in before if key in after):
        if _is_judged_otherwise(before[key], after[key]):
            yield Difference(
                what="policy", tick=0, then=_judged(before[key]), now=_judged(after[key])
            )


def _is_judged_otherwise(then: DecidedEffect, now: DecidedEffect) -> bool:
    return then["rules"] == now["rules"] and then["state"] != now["state"]


def _end(then: Decided, now: Decided) -> Iterator[Difference]:
    if (then["status"], then["goal"]) != (now["status"], now["goal"]):
        yield Difference(what="end", tick=0, then=_ended(then), now=_ended(now))


def _in_short(told: Decided) -> str:
    actions = ", ".join(tick["action"] for tick in told["ticks"]) or "no action"
    return f"{told['status']} after {actions}"


def _outcome(tick: DecidedTick) -> str:
    said = f" ({tick['error']})" if tick["error"] else ""
    return f"{tick['action']} {tick['outcome']}{said}"


def _wanted(effect: DecidedEffect) -> str:
    return effect["preview"] or f"{effect['kind']} {effect['key']}"


def _judged(effect: DecidedEffect) -> str:
    why = f" ({effect['reason']})" if effect["reason"] else ""
    return f"{_wanted(effect)}: {effect['state']}{why}"


def _ended(told: Decided) -> str:
    goal = f", goal {told['goal']}" if told["goal"] else ""
    return f"{told['status']}{goal}: {told['reason']}"
