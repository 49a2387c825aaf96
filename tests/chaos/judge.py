"""What is wrong with a run: a pure function of what was seen from outside.

    lost          a delivery was answered 202, and is not on its topic, or one of its reactions
                  has no finished process, or a wish was never heeded
    twice         more than one process of a reaction, an action that was completed twice, a
                  change of one wish that was to be seen more than once
    out of order  within a subject a later delivery began, or was heeded, before an earlier one
    dead          letters beside the planted poison, and poison without a letter

The order of a subject is that of its topic.  A second record of one delivery adds nothing, nor
does a second hook: it wishes for nothing new.

One thing can't be held against anybody: a try that was stopped after its last look at the ledger
and made its change when somebody else had gone on (`Call`s that came late).  No ledger can call
a request back that is under way; it is counted by itself, and see docs/operations.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.sink import Call
from tests.chaos.traffic import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """An execution began."""

    at: float
    reaction: str
    delivery: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A process, as the store has it at the end."""

    reaction: str
    delivery: str
    is_final: bool
    status: str
    completed: tuple[str, ...]  # the actions that were done, one entry for each run


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that was seen of a run.  Deliveries are named by their ids."""

    accepted: frozenset[str]
    wishes: Mapping[str, Wish]  # by delivery
    topic: Mapping[str, Sequence[str]]  # by subject: ids in order, as often as they lie there
    processes: Sequence[Ended]
    began: Sequence[Began]
    calls: Sequence[Call]
    letters: Sequence[str]  # what is dead, each once
    planted: frozenset[str]  # what should be
    reactions: tuple[str, ...]


@dataclass(slots=True)
class Verdict:
    """The faults, in words; and what was late."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    out_of_order: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    late: list[Call] = field(default_factory=list)
    finished: int = 0  # accepted deliveries with all of their processes

    @property
    def faults(self) -> list[str]:
        """All of them."""
        return [
            f"{kind}: {each}"
            for kind in ("lost", "twice", "out_of_order", "dead")
            for each in getattr(self, kind)
        ]


def judge(seen: Seen) -> Verdict:
    """Say what is wrong."""
    verdict = Verdict()
    _check_processes(seen, verdict)
    _check_beginnings(seen, verdict)
    in_time, verdict.late = _apart(seen.calls)
    _check_labels(seen, in_time, verdict)
    _check_comments(seen, in_time, verdict)
    letters = Counter(seen.letters)
    verdict.dead += [f"{letter} is dead" for letter in letters if letter not in seen.planted]
    verdict.dead += [f"{letter} has no letter" for letter in seen.planted - set(letters)]
    return verdict


def _check_processes(seen: Seen, verdict: Verdict) -> None:
    there = {delivery for ids in seen.topic.values() for delivery in ids}
    found: defaultdict[tuple[str, str], list[Ended]] = defaultdict(list)
    for process in seen.processes:
        found[process.delivery, process.reaction].append(process)
        for action, runs in Counter(process.completed).items():
            if runs > 1:
                verdict.twice.append(f"{process.delivery}: {action} was completed {runs} times")
    for delivery in sorted(seen.accepted):
        if delivery not in there:
            verdict.lost.append(f"{delivery} was accepted, and is on no topic")
        faults = list(_faults_of(delivery, seen.reactions, found))
        verdict.lost += [text for is_lost, text in faults if is_lost]
        verdict.twice += [text for is_lost, text in faults if not is_lost]
        verdict.finished += not faults


def _faults_of(
    delivery: str,
    reactions: Sequence[str],
    found: Mapping[tuple[str, str], Sequence[Ended]],
) -> Iterator[tuple[bool, str]]:
    for reaction in reactions:
        processes = found.get((delivery, reaction), ())
        if not processes:
            yield True, f"{delivery} has no process of {reaction}"
        for process in processes:
            if not process.is_final:
                yield True, f"{delivery}: {reaction} is {process.status}"
        if len(processes) > 1:
            yield False, f"{delivery} has {len(processes)} processes of {reaction}"


def _check_beginnings(seen: Seen, verdict: Verdict) -> None:
    first: dict[tuple[str, str], float] = {}
    for began in seen.began:
        key = began.delivery, began.reaction
        first[key] = min(first.get(key, began.at), began.at)
    for subject, ids in seen.topic.items():
        for reaction in seen.reactions:
            before = ""
            for delivery in dict.fromkeys(ids):
                at = first.get((delivery, reaction))
                if at is None:
                    continue
                if before and at < first[before, reaction]:
                    text = f"{subject}: {reaction} of {delivery} began before that of {before}"
                    verdict.out_of_order.append(text)
                before = delivery


def _apart(calls: Sequence[Call]) -> tuple[list[Call], list[Call]]:
    """Changes that came in time, and those by a try after which another one had already acted.

    "Acted" is any request: the later try looked, or made the change, while the earlier one, cut
    off from the ledger, was still on its way.
    """
    newest: dict[str, int] = {}
    in_time: list[Call] = []
    late: list[Call] = []
    for call in calls:
        known = newest.get(call.key, 0)
        newest[call.key] = max(known, call.attempt)
        is_late = call.attempt < known and call.operation != "look"
        (late if is_late else in_time).append(call)
    return in_time, late


def _wish_order(seen: Seen, subject: str) -> list[Wish]:
    """The wishes of a subject, each once, in the order of the topic."""
    ids = seen.topic.get(subject, ())
    wishes = (seen.wishes[each] for each in ids if each in seen.wishes)
    return list({wish.number: wish for wish in wishes}.values())


def _check_labels(seen: Seen, calls: Sequence[Call], verdict: Verdict) -> None:
    """Each wish is seen as often as it changes something in its turn: once, or never."""
    changes: defaultdict[str, list[int]] = defaultdict(list)
    heeded: defaultdict[str, list[int]] = defaultdict(list)
    there: defaultdict[str, set[str]] = defaultdict(set)
    for call in calls:
        wish = seen.wishes.get(call.delivery)
        if call.operation not in ("put", "take") or wish is None:
            continue
        is_put, labels = call.operation == "put", there[call.subject]
        heeded[call.subject].append(wish.number)
        if is_put != (call.name in labels):
            labels ^= {call.name}
            changes[call.subject].append(wish.number)
    for subject in seen.topic:
        wishes = [wish for wish in _wish_order(seen, subject) if not wish.explodes]
        _compare(f"{subject}: a label", _to_be_seen(wishes), changes[subject], verdict)
        unheeded = {wish.number for wish in wishes} - set(heeded[subject])
        verdict.lost += [f"{subject}: wish {number} never reached the sink" for number in unheeded]


def _to_be_seen(wishes: Sequence[Wish]) -> list[int]:
    labels: set[str] = set()
    seen: list[int] = []
    for wish in wishes:
        if wish.on != (wish.label in labels):
            labels ^= {wish.label}
            seen.append(wish.number)
    return seen


def _check_comments(seen: Seen, calls: Sequence[Call], verdict: Verdict) -> None:
    posted: defaultdict[str, list[int]] = defaultdict(list)
    for call in calls:
        wish = seen.wishes.get(call.delivery)
        if call.operation == "comment" and wish is not None:
            posted[call.subject].append(wish.number)
    for subject in seen.topic:
        wished = [wish.number for wish in _wish_order(seen, subject)]
        _compare(f"{subject}: a comment", wished, posted[subject], verdict)


def _compare(what: str, wished: list[int], found: list[int], verdict: Verdict) -> None:
    counts = Counter(found)
    verdict.lost += [f"{what} for wish {n} is missing" for n in wished if n not in counts]
    for number, times in counts.items():
        if times > 1 or number not in wished:
            verdict.twice.append(f"{what} for wish {number} was seen {times} times too often")
    order = [number for number in dict.fromkeys(found) if number in wished]
    if order != [number for number in wished if number in counts]:
        verdict.out_of_order.append(f"{what}: wished {wished}, seen {order}")
