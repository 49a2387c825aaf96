"""Write and review: states, a loop, and a person in the middle of it who may take days.

A story is written; somebody is asked what they think; it is revised as often as they are not
content, and reviewed when they are.  What the loop needs travels in the states, for going round
clears the blackboard.  Between two rounds nothing runs anywhere: the process waits in the store,
and whichever worker gets the answer goes on with it.
"""

from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from reactor import (
    Answer,
    Package,
    Platform,
    ProcessHead,
    Runner,
    Scope,
    Start,
    Status,
    achieves_goal,
    action,
    agent,
    state,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.ports import Stored


@dataclass(frozen=True)
class UserInput:
    topic: str


class HumanFeedback(BaseModel):
    model_config = ConfigDict(frozen=True)

    acceptable: bool
    comment: str = ""


@dataclass(frozen=True)
class ReviewedStory:
    text: str
    rounds: int


@state
@dataclass(frozen=True)
class Stage:
    """How far the story has come."""

    story: str
    rounds: int


@dataclass(frozen=True)
class AssessStory(Stage):
    @action
    async def get_feedback(self) -> HumanFeedback:
        """Ask a person."""
        return wait_for.form(HumanFeedback, title=f"Round {self.rounds}", text=self.story)

    @action(clear_blackboard=True)
    async def assess(self, feedback: HumanFeedback) -> Stage:
        """On, or round again."""
        if feedback.acceptable:
            return Done(self.story, self.rounds)
        return ReviseStory(self.story, self.rounds, feedback.comment)


@dataclass(frozen=True)
class ReviseStory(Stage):
    comment: str

    @action(clear_blackboard=True)
    async def revise_story(self) -> AssessStory:
        """Do as they say."""
        return AssessStory(f"{self.story} ({self.comment})", self.rounds + 1)


@dataclass(frozen=True)
class Done(Stage):
    @achieves_goal("The story is fit to print.", value=0.9)
    @action
    async def review_story(self) -> ReviewedStory:
        """Sign it."""
        return ReviewedStory(self.story, self.rounds)


@agent("Writes stories with a person's help.", planner="utility")
class WriterAgent:
    @action
    async def craft_story(self, user_input: UserInput) -> AssessStory:
        """A first draft."""
        return AssessStory(f"Once there was a {user_input.topic}", 1)


PLATFORM = Platform(packages=[Package(name="writing", components=(WriterAgent,))])
START = Start(
    process_id="p-1",
    delivery="d-1",
    reaction="write",
    subject="s-1",
    facts=[("it", UserInput("lighthouse"))],
    scope=Scope.from_agents("writer"),
)


class House:
    """A store, and a new worker for whatever comes."""

    def __init__(self) -> None:
        self.boards = MemoryBoards(Codec(PLATFORM.catalog), ManualClock())
        self.workers = 0

    async def run(self, start: Start) -> ProcessHead:
        self.workers += 1
        owner = f"worker-{self.workers}"
        with Runner(
            platform=PLATFORM, boards=self.boards, clock=ManualClock(), owner=owner
        ) as runner:
            return (await runner.run(start)).head

    async def say(
        self, waiting: ProcessHead, *, acceptable: bool, comment: str = ""
    ) -> ProcessHead:
        (form,) = waiting.forms
        value = {"acceptable": acceptable, "comment": comment}
        answer = Answer(id=f"answer to {form.id}", form_id=form.id, by="ann", value=value)
        return await self.run(replace(START, answer=answer))

    async def stored(self) -> Stored:
        stored = await self.boards.read("p-1")
        assert stored is not None
        return stored


async def test_a_story_goes_round_until_its_reader_is_content() -> None:
    house = House()
    first = await house.run(START)
    assert first.status is Status.WAITING
    assert [form.text for form in first.forms] == ["Once there was a lighthouse"]

    second = await house.say(first, acceptable=False, comment="of stone")
    assert second.status is Status.WAITING
    assert [form.title for form in second.forms] == ["Round 2"]

    end = await house.say(second, acceptable=True)

    assert end.status is Status.COMPLETED
    assert end.goal == "writer.Done.review_story"
    stored = await house.stored()
    values = [change.entry.value for change in stored.changes if hasattr(change, "entry")]
    assert values[-1] == ReviewedStory("Once there was a lighthouse (of stone)", 2)
    assert house.workers == 3
    assert [run.action.rpartition(".")[2] for run in stored.history] == [
        "craft_story",
        *("get_feedback", "get_feedback", "assess", "revise_story"),
        *("get_feedback", "get_feedback", "assess"),
        "review_story",
    ]


async def test_an_answer_that_comes_twice_counts_once() -> None:
    house = House()
    first = await house.run(START)
    second = await house.say(first, acceptable=False, comment="of stone")

    again = await house.say(first, acceptable=False, comment="of stone")

    assert again == second
    assert [form.title for form in again.forms] == ["Round 2"]
