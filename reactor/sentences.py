"""An explanation in words: six lines, one for each noun of the path, and why an action did not run.

Takes the documents of `explain`.  Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from reactor.approvals import approval_id
from reactor.explain import ToldDelivery, ToldProcess, ToldTick
from reactor.journal import AnsweredData, FactData, TickData
from reactor.preview import preview
from reactor.rounds import PICK

_MOST_OTHERS = 2  # candidates that are named beside the one that won
_MOST_OFFERED = 5  # that are named of what a model could pick


def six_lines(told: ToldDelivery) -> list[str]:
    """The path of one delivery, a line for each noun."""
    return [f"{noun:<11} {'; '.join(parts)}" for noun, parts in _path(told).items()]


def path_lines(told: ToldDelivery) -> list[str]:
    """The same with a line for each fact's process, planning, action and effect."""
    lines = []
    for noun, parts in _path(told).items():
        first, *others = parts
        lines.append(f"{noun:<11} {first}")
        lines += [f"{'':<11} {part}" for part in others]
    return lines


def _path(told: ToldDelivery) -> dict[str, list[str]]:
    processes = told["processes"]
    ticks = [tick for process in processes for tick in process["ticks"]]
    ran = [tick for tick in ticks if tick["chosen"]]
    effects = [effect for process in processes for effect in process["effects"]]
    return {
        "delivery": [f"{told['delivery']}  {told['event']}  {told['subject']}"],
        "topic": [topic_sentence(told["topic"])],
        "blackboard": list(_facts(processes)) or [told["ignored"] or "no process"],
        "plan": [_choice(tick) for tick in ran] or [_nothing(ticks)],
        "action": [_outcome(tick) for tick in ran] or ["none ran"],
        "effect": [effect_sentence(effect) for effect in effects] or ["none"],
    }


def topic_sentence(topic: str | None) -> str:
    """Where a delivery lies, for people."""
    if topic is None:
        return "not known: it is not settled yet, or is not kept so long"
    return topic or "none: read from a file, no server involved"


def unmet_sentence(unmet: Mapping[str, Any]) -> str:
    """One unmet condition, for people."""
    reason = f" ({unmet['reason']})" if unmet.get("reason") else ""
    return f"{unmet['condition']} is {unmet['is']}, needs {unmet['needs']}{reason}"


def plan_sentences(told: ToldProcess) -> list[str]:
    """What ran in a process and why that, step by step; or why nothing could."""
    ran = [tick for tick in told["ticks"] if tick["chosen"]]
    return [f"{_outcome(tick)} ({_choice(tick)})" for tick in ran] or [_nothing(told["ticks"])]


def spent_sentence(told: ToldProcess) -> str:
    """What was spent on models, for people; "" where none was asked."""
    used = told["usage"]
    calls = used.get("model_calls", 0)
    if not calls:
        return ""
    return (
        f"{calls:.0f} call{'s' * (calls != 1)} of models, {used.get('tokens', 0):,.0f} tokens,"
        f" {used.get('cost_usd', 0):.6f} USD"
    )


def answer_sentence(answered: AnsweredData) -> str:
    """Who answered what, for people."""
    who = "nobody in time" if answered["expired"] else answered["by"] or "somebody"
    gave = ", ".join(fact["type"] for fact in answered["outputs"])
    return f"{who} answered {answered['title']!r}{f' -> {gave}' if gave else ''}"


def _facts(processes: Sequence[ToldProcess]) -> Iterator[str]:
    for process in processes:
        said = known_facts(process)
        yield f"[{process['reaction']}] {said}" if len(processes) > 1 else said


def known_facts(told: ToldProcess) -> str:
    """What a process was begun with, for people."""
    return ", ".join(f["type"] if f["name"] == "it" else _bound(f) for f in told["facts"])


def _bound(fact: FactData) -> str:
    return f"{fact['name']}: {fact['type']}"


def _choice(tick: ToldTick) -> str:
    """Which action won, and over what: value minus cost decides, or whoever picks it."""
    if picker := tick.get("chosen_by"):
        return f"picked by the {picker}"
    worth = {each["action"]: each["net_value"] for each in tick["candidates"]}
    chosen = str(tick["chosen"])
    if chosen == PICK:
        return f"offered: {', '.join(list(worth)[:_MOST_OFFERED])}"
    others = [name for name in worth if name != chosen]
    over = ", ".join(f"{name} {worth[name]:+.2f}" for name in others[:_MOST_OTHERS])
    more = f" and {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else ""
    won = f"{chosen} {worth[chosen]:+.2f}" if chosen in worth else chosen
    return f"{won} over {over}{more}" if over else won


def over_others(tick: ToldTick) -> str:
    """The best that was passed over for what ran, or who picked it; "" where it was alone."""
    if picker := tick.get("chosen_by"):
        return f"picked by the {picker}"
    if tick["chosen"] == PICK:
        return f"offered: {', '.join([e['action'] for e in tick['candidates']][:_MOST_OFFERED])}"
    best = [each for each in tick["candidates"] if each["action"] != tick["chosen"]][:1]
    return "".join(f"over {each['action']} {each['net_value']:+.2f}" for each in best)


def _nothing(ticks: Sequence[ToldTick]) -> str:
    """That nothing could run, with what came closest to it: the fewest unmet conditions."""
    blocked = [found for tick in ticks for found in tick["not_runnable"]]
    if not blocked:
        return "nothing could run"
    closest = min(blocked, key=lambda found: (len(found["unmet"]), found["action"]))
    why = "; ".join(map(unmet_sentence, closest["unmet"]))
    others = f"; {len(blocked) - 1} others neither" if len(blocked) > 1 else ""
    return f"nothing could run: {closest['action']}: {why}{others}"


def _outcome(tick: ToldTick) -> str:
    ran = cast("TickData", tick)
    if ran["outcome"] != "done":
        return f"{ran['chosen']} ({what_came_of(tick)})"
    given = _given(ran)
    return f"{ran['chosen']} -> {given}" if given else ran["chosen"]


def what_came_of(tick: ToldTick) -> str:
    """The outcome of what ran, for people: types of facts and kinds of effects, or an error."""
    ran = cast("TickData", tick)
    if ran["outcome"] != "done":
        return f"{ran['outcome']}{': ' + ran['error'] if ran['error'] else ''}"
    return f"-> {_given(ran)}" if _given(ran) else "done"


def _given(ran: TickData) -> str:
    return ", ".join(
        [f["type"] for f in ran["outputs"]] + [each["kind"] for each in ran["effects"]]
    )


def fate_notes(effect: Mapping[str, Any]) -> str:
    """What is known of an effect's fate, for people: tries, result or reason; "" for nothing."""
    fate = effect.get("fate") or {"reason": effect.get("reason", "")}
    ruled_by = fate.get("ruled_by", "")
    if effect["state"] == "given_up":
        again = f"`reactor effects retry {effect['key']}` sends it again"
        tries = "1 try" if fate["attempts"] == 1 else f"{fate['attempts']} tries"
        return f"given up after {tries}: {fate['reason']}; {again}"
    notes = [
        f"again at {fate['due_at']}" if effect["state"] == "due" else "",
        f"{fate['attempts']} tries" if fate.get("attempts", 0) > 1 else "",
        preview(fate["result"]) if fate.get("result") is not None else "",
        fate.get("reason", "") or _why_held(effect),
        f"`reactor approve {approval_id(effect['key'])}`" if effect["state"] == "held" else "",
        f"approved by {ruled_by}" if ruled_by and effect["state"] != "refused" else "",
    ]
    return "; ".join(note for note in notes if note)


def _why_held(effect: Mapping[str, Any]) -> str:
    """Who wants it approved, where that is not its reaction."""
    return str(effect.get("reason", "")) if effect["state"] == "held" else ""


def effect_sentence(effect: Mapping[str, Any]) -> str:
    """What an effect would change, or has, and what the ledger says of it."""
    does = "would" if effect["state"] == "observed" else effect["state"]
    notes = fate_notes(effect)
    if does == "given_up":
        return f"{effect['would']}: {notes}"
    return f"{does} {effect['would']}{f' ({notes})' if notes else ''}"
