"""Decision records: everything that explains a decision, as JSON, in bounded space."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, SecretStr

from reactor import (
    Effect,
    Platform,
    Process,
    Scope,
    Start,
    UtilityInvocation,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.execution import Executor
from reactor.journal import EndedData, SeededData, TickData
from reactor.preview import LONGEST, preview, preview_effect
from reactor.process import Engine

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Answer:
    text: str


class PostComment(Effect):
    text: str

    def describe(self) -> str:
        return f"say\n{self.text}"


async def run(platform: Platform, *facts: tuple[str, object]) -> Process:
    start = Start(
        process_id="p-1",
        delivery="github.com/d-1",
        reaction="triage",
        subject="github.com/1#7",
        subject_name="octo/hello#7",
        event="issues.opened",
        facts=facts,
        scope=Scope.from_packages("team"),
        host="github.com",
        cause="c-1",
        attempt=2,
    )
    with Executor() as executor:
        process = Process(Engine(platform, ManualClock(), executor), start)
        await process.run()
    return process


def data_of(process: Process, kind: str) -> list[dict[str, Any]]:
    return [dict(record.data) for record in process.journal if record.kind == kind]


@component(effects=(PostComment,))
class Team:
    @action(value=0.9, cost=0.1, output="reply")
    async def answer(self, issue: Issue) -> tuple[Answer, list[PostComment]]:
        return Answer("because"), [PostComment(text="because"), PostComment(text="because")]

    @action(value=0.1)
    async def other(self, issue: Issue) -> None: ...

    @action(pre=["reply.text == 'never'"])
    async def never(self) -> None: ...


async def test_a_process_begins_with_what_it_was_given(platform_of: PlatformOf) -> None:
    process = await run(platform_of(Team), ("event", Issue("why")))

    (seeded,) = data_of(process, "seeded")
    assert seeded == {
        "v": 2,
        "delivery": "github.com/d-1",
        "reaction": "triage",
        "event": "issues.opened",
        "subject": "github.com/1#7",
        "subject_name": "octo/hello#7",
        "agent": "reactor",
        "planner": "utility",
        "scope": "packages(team)",
        "attempt": 2,
        "actions": ["team.answer", "team.never", "team.other"],
        "facts": [{"seq": 1, "name": "event", "type": "Issue", "preview": "Issue(title='why')"}],
    }


async def test_a_tick_tells_what_was_weighed_what_ran_and_what_came_of_it(
    platform_of: PlatformOf,
) -> None:
    process = await run(platform_of(Team), ("event", Issue("why")))

    tick = data_of(process, "tick")[0]
    key = process.effects[0].key
    comment = {
        "kind": "PostComment",
        "key": key,
        "state": "observed",
        "preview": "say because",
        "repeated": False,
    }
    assert tick == {
        "v": 2,
        "tick": 1,
        "chosen": "team.answer",
        "goal": "nirvana",
        "plan": ["team.answer"],
        "net_value": 0.8,
        "looked_into": [],
        "candidates": [
            {"action": "team.answer", "net_value": 0.8, "cost": 0.1, "value": 0.9},
            {"action": "team.other", "net_value": 0.1, "cost": 0.0, "value": 0.1},
        ],
        "since": 0,
        "not_runnable": [
            {
                "action": "team.never",
                "unmet": [
                    {
                        "condition": "reply.text == 'never'",
                        "needs": "true",
                        "is": "false",
                        "reason": "reply is not on the blackboard",
                    }
                ],
            }
        ],
        "no_longer": [],
        "left_out": 0,
        "inputs": [{"parameter": "issue", "seq": 1, "name": "event", "type": "Issue"}],
        "outputs": [
            {"seq": 2, "name": "reply", "type": "Answer", "preview": "Answer(text='because')"}
        ],
        "effects": [comment, comment],
        "outcome": "done",
        "error": "",
        "attempts": 1,
        "started_at": "2026-01-01T00:00:00+00:00",
        "duration_s": 0.0,
    }
    assert len(process.effects) == 1


async def test_the_end_tells_why_nothing_more_could_run(platform_of: PlatformOf) -> None:
    process = await run(platform_of(Team), ("event", Issue("why")))

    (ended,) = data_of(process, "ended")
    unmet = {entry["action"]: entry["unmet"] for entry in ended.pop("not_runnable")}
    assert ended == {
        "v": 2,
        "status": "STUCK",
        "reason": "nothing is left to do",
        "goal": None,
        "failure": "",
        "ticks": 2,
        "usage": {},
        "candidates": [],
        "since": 3,
        "no_longer": [],
        "left_out": 0,
    }
    assert list(unmet) == ["team.other"]  # the others are as they were
    assert unmet["team.other"] == [{"condition": "ran(team.other)", "needs": "false", "is": "true"}]


async def test_records_are_json_numbered_in_order_and_hold_the_documented_fields(
    platform_of: PlatformOf,
) -> None:
    process = await run(platform_of(Team), ("event", Issue("why")))

    told_from_outside = {"calls", "answers", "chosen_by"}  # nobody was asked
    fields = {
        "seeded": set(get_type_hints(SeededData)) - told_from_outside - {"left_out"},
        "tick": set(get_type_hints(TickData)) - told_from_outside,
        "ended": set(get_type_hints(EndedData)) - told_from_outside,
    }
    assert [record.seq for record in process.journal] == [1, 2, 3, 4]
    assert {record.process_id for record in process.journal} == {"p-1"}
    for record in process.journal:
        assert json.loads(json.dumps(record.data)) == record.data
        assert set(record.data) == fields[record.kind]


async def test_a_record_lists_the_best_twenty_and_counts_the_rest(platform_of: PlatformOf) -> None:
    def act(self: object) -> None: ...

    marked = {f"a{number:02}": action(value=number / 100)(_copy(act)) for number in range(30)}
    crowd = component(name="crowd")(type("Crowd", (), marked))

    process = await UtilityInvocation.on(platform_of(crowd)).run_async()

    first = process.decisions[0]
    candidates: Any = first["candidates"]
    assert [c["action"] for c in candidates] == [f"crowd.a{n:02}" for n in range(29, 9, -1)]
    assert first["left_out"] == 10


def _copy(function: Callable[[object], None]) -> Callable[[object], None]:
    def copied(self: object) -> None: ...

    return copied


def test_a_preview_is_short_whatever_it_shows() -> None:
    class Person(BaseModel):
        name: str
        token: SecretStr = SecretStr("s3cret")
        friends: tuple["Person", ...] = ()
        email: str | None = None

    ann = Person(name="Ann", friends=(Person(name="Bob", friends=(Person(name="Cid"),)),))

    assert preview("x" * 1000) == repr("x" * 59 + "…")
    assert preview(b"12345") == "<5 bytes>"
    assert preview([3, 1]) == "[3, 1]"
    assert preview({"b", "a"}) == "['a', 'b']"
    assert preview(list(range(9))) == "[0, 1, 2, 3, 4, … 9 in all]"
    assert preview({"a": {"b": 1}}) == "{'a': <1 items>}"
    assert preview(Issue) == repr(Issue)
    assert preview(ann) == ("Person(name='Ann', token=<secret>, friends=[Person(…)])")
    assert len(preview([Issue("x" * 50)] * 5)) <= LONGEST
    assert "s3cret" not in preview(ann)


def test_a_value_that_can_not_be_shown_spoils_no_record() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    class Mute(Effect):
        text: str = "x"

        def describe(self) -> str:
            raise RuntimeError

    assert preview(Shy()) == "<Shy, which can't be shown>"
    assert preview_effect(Mute()) == "Mute(cause='event', text='x')"
    assert preview_effect(PostComment(text="x" * 999)).endswith("…")
