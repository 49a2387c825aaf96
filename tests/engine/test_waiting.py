"""Actions ask people: the process waits, and the answer is the action's result."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from pydantic import BaseModel, ConfigDict, Field

from reactor import (
    ActionContext,
    Goal,
    Platform,
    Process,
    ProcessOptions,
    RetryPolicy,
    Status,
    UtilityInvocation,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.waiting import Answer, AnswerRefused, Confirmation, expiry, process_of

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]


@dataclass(frozen=True)
class Draft:
    text: str


@dataclass(frozen=True)
class Published:
    text: str


class Feedback(BaseModel):
    model_config = ConfigDict(frozen=True)

    comment: str
    stars: int = Field(ge=1, le=5)


@component
class Writer:
    @action(value=0.9)
    async def get_feedback(self, draft: Draft) -> Feedback:
        return wait_for.form(Feedback, title="How is it?", text=draft.text)

    @action(value=0.5)
    async def publish(self, draft: Draft, feedback: Feedback) -> Published:
        return Published(f"{draft.text} ({feedback.comment})")

    @action(value=0.1)
    async def tidy(self) -> None: ...


@component
class Refunds:
    @action(output="refund_confirmed")
    async def ask(self, draft: Draft) -> Confirmation:
        return wait_for.confirm(draft, "Refund this?\nIt is a lot.")

    @action(pre=["refund_confirmed.approved"])
    async def refund(self) -> Published:
        return Published("refunded")

    @action(pre=["!refund_confirmed.approved"])
    async def refuse(self) -> Published:
        return Published("refused")


async def started(platform: Platform, *facts: object) -> Process:
    return await UtilityInvocation.on(platform).run_async(*facts or (Draft("a story"),))


def answer(process: Process, value: object, *, id: str = "a-1") -> Answer:
    return Answer(id=id, form_id=process.head.forms[0].id, by="ann", value=value)


async def test_an_action_that_asks_makes_its_process_wait(
    platform_of: PlatformOf, ran: Ran
) -> None:
    process = await started(platform_of(Writer))

    (form,) = process.head.forms
    assert process.status is Status.WAITING
    assert ran(process) == ["get_feedback"]
    assert process.history[0].outcome == "waiting"
    assert (form.title, form.text, form.action) == (
        "How is it?",
        "a story",
        "writer.get_feedback",
    )
    assert process_of(form.id) == process.id
    assert form.schema == Feedback.model_json_schema()


async def test_the_answer_is_the_result_of_the_action_which_does_not_run_again(
    platform_of: PlatformOf, ran: Ran
) -> None:
    process = await started(platform_of(Writer))

    process.answer(answer(process, {"comment": "fine", "stars": 4}))
    await process.run()

    assert process.board.last(Published) == Published("a story (fine)")
    assert ran(process) == ["get_feedback", "get_feedback", "publish", "tidy"]
    assert [run.outcome for run in process.history][:2] == ["waiting", "answered"]
    assert process.status is Status.STUCK
    assert process.head.forms == ()
    (record,) = [record for record in process.journal if record.kind == "answered"]
    assert (record.data["by"], record.data["action"]) == ("ann", "writer.get_feedback")


async def test_an_answer_that_was_heard_changes_nothing(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Writer))
    given = answer(process, {"comment": "fine", "stars": 4})
    process.answer(given)
    await process.run()
    before = process.head, process.board.version

    process.answer(given)

    assert (process.head, process.board.version) == before


async def test_a_second_answer_to_one_form_is_refused(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Writer))
    first, second = (answer(process, {"comment": c, "stars": 4}, id=c) for c in ("yes", "no"))
    process.answer(first)

    with pytest.raises(AnswerRefused, match="answered before") as refused:
        process.answer(second)

    assert not refused.value.is_open
    assert process.board.all(Feedback) == [Feedback(comment="yes", stars=4)]


async def test_a_wrong_answer_is_refused_with_all_its_faults(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Writer))
    before = process.head, process.board.version

    with pytest.raises(AnswerRefused) as refused:
        process.answer(answer(process, {"stars": 9}))

    assert refused.value.is_open
    assert [problem.partition(":")[0] for problem in refused.value.problems] == ["comment", "stars"]
    assert (process.head, process.board.version) == before


async def test_a_yes_is_a_fact(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Refunds))
    (form,) = process.head.forms

    process.answer(Answer(id="a-1", form_id=form.id, by="ann", approved=True))
    await process.run()

    assert process.board.last(Confirmation) == Confirmation(approved=True, by="ann")
    assert process.board.last(Published) == Published("refunded")
    assert (form.title, form.payload) == ("Refund this?", '{"text":"a story"}')


async def test_a_no_is_a_fact_as_well(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Refunds))

    process.answer(Answer(id="a-1", form_id=process.head.forms[0].id, by="ann", approved=False))
    await process.run()

    assert process.board.last(Confirmation) == Confirmation(approved=False, by="ann")
    assert process.board.last(Published) == Published("refused")


async def test_a_confirmation_needs_a_yes_or_a_no(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Refunds))

    with pytest.raises(AnswerRefused, match="true or false"):
        process.answer(answer(process, {"approved": True}))


@component
class Impatient:
    @action
    async def with_default(self, draft: Draft) -> Feedback:
        return wait_for.form(
            Feedback,
            title="Quick!",
            expires=timedelta(hours=1),
            default=Feedback(comment="none", stars=3),
        )


@component
class Hopeful:
    @action
    async def without_default(self, draft: Draft) -> Feedback:
        return wait_for.form(Feedback, title="Quick!", expires=timedelta(hours=1))


async def test_the_default_counts_where_nobody_answered_in_time(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    process = await started(platform_of(Impatient))
    (form,) = process.head.forms
    clock.move(timedelta(hours=1))

    process.answer(expiry(form))
    await process.run()

    assert process.board.last(Feedback) == Feedback(comment="none", stars=3)
    assert process.head.forms == ()


async def test_without_a_default_nothing_came_of_it(
    platform_of: PlatformOf, clock: ManualClock, ran: Ran
) -> None:
    process = await started(platform_of(Hopeful))
    (form,) = process.head.forms
    clock.move(timedelta(hours=1))

    process.answer(expiry(form))
    await process.run()

    assert not process.board.has(Feedback)
    assert ran(process) == ["without_default", "without_default"]
    assert process.status is Status.STUCK


async def test_nobody_can_say_that_a_form_has_expired_before_it_has(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    process = await started(platform_of(Impatient))
    clock.move(timedelta(minutes=59))

    with pytest.raises(AnswerRefused, match="has not expired"):
        process.answer(expiry(process.head.forms[0]))


async def test_an_action_may_only_ask_for_what_it_declares(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def ask(self) -> Draft:
            wait_for.form(Feedback, title="How is it?")
            return Draft("")

    process = await started(platform_of(Team), Published("x"))

    assert process.status is Status.FAILED
    assert "waits for a Feedback, which it does not declare" in process.head.failure


async def test_asking_is_no_failure_that_is_tried_again(platform_of: PlatformOf) -> None:
    calls: list[int] = []

    @component
    class Team:
        @action(retry=RetryPolicy(attempts=3, first_delay_s=0.0, on=(Exception,)))
        def ask(self) -> Feedback:
            calls.append(1)
            return wait_for.form(Feedback, title="How is it?")

    process = await started(platform_of(Team))

    assert process.status is Status.WAITING
    assert calls == [1]


async def test_what_was_written_before_asking_stays(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def ask(self, context: ActionContext) -> Feedback:
            context.add(Draft("written"))
            return wait_for.form(Feedback, title="How is it?")

    process = await started(platform_of(Team, types=(Draft,)), Draft("a story"))

    assert process.board.last(Draft) == Draft("written")
    assert process.status is Status.WAITING


async def test_an_answer_clears_the_board_where_its_action_does(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(clear_blackboard=True)
        async def ask(self, draft: Draft) -> Feedback:
            return wait_for.form(Feedback, title="How is it?")

    process = await started(platform_of(Team))
    assert process.board.last(Draft) == Draft("a story")

    process.answer(answer(process, {"comment": "fine", "stars": 4}))
    await process.run()

    assert not process.board.has(Draft)
    assert process.board.has(Feedback)


async def test_a_process_that_is_over_waits_for_nothing(platform_of: PlatformOf) -> None:
    process = await started(platform_of(Writer))
    given = answer(process, {"comment": "fine", "stars": 4})
    process.kill("enough")

    with pytest.raises(AnswerRefused, match="its process is KILLED"):
        process.answer(given)

    assert process.head.forms == ()


async def test_a_form_completes_a_goal(platform_of: PlatformOf) -> None:
    goal = Goal(name="published", inputs=(Published,))
    platform = platform_of(Writer, goals=(goal,))
    invocation = UtilityInvocation.on(platform).with_planner("hybrid")
    process = await invocation.run_async(Draft("a story"))

    process.answer(answer(process, {"comment": "fine", "stars": 4}))
    await process.run()

    assert process.status is Status.COMPLETED


async def test_what_can_be_done_after_one_of_two_answers_is_done_before_the_other(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(read_only=True)
        async def ask_one(self, draft: Draft) -> Feedback:
            return wait_for.form(Feedback, title="One")

        @action(read_only=True)
        async def ask_two(self, draft: Draft) -> Confirmation:
            return wait_for.confirm(draft, "Two")

        @action
        async def use_one(self, feedback: Feedback) -> Published:
            return Published(feedback.comment)

    options = ProcessOptions(concurrent=True)
    invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)
    process = await invocation.run_async(Draft("a story"))
    one, two = process.head.forms

    process.answer(Answer(id="1", form_id=one.id, value={"comment": "ok", "stars": 1}))
    await process.run()

    assert process.board.last(Published) == Published("ok")
    assert (process.status, process.head.forms) == (Status.WAITING, (two,))
    process.answer(Answer(id="2", form_id=two.id, approved=False))
    await process.run()
    assert (process.status, process.head.forms) == (Status.STUCK, ())
    assert ran(process) == ["ask_one", "ask_two", "ask_one", "use_one", "ask_two"]


async def test_an_answer_is_no_action_of_its_own_for_a_limit(platform_of: PlatformOf) -> None:
    options = ProcessOptions(max_actions=2)
    invocation = UtilityInvocation.on(platform_of(Writer)).with_process_options(options)
    process = await invocation.run_async(Draft("a story"))

    process.answer(answer(process, {"comment": "fine", "stars": 4}))
    await process.run()

    assert process.board.has(Published)
    assert process.status is Status.TERMINATED
