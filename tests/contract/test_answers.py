"""Every adapter of `Answers`: the same question has the same answer, and no other has."""

from dataclasses import replace

from reactor.ai.answers import Answers
from reactor.ai.exchange import AnswerSchema, Message, Request, ToolSchema

QUESTION = Request(model="small", messages=(Message(role="user", text="Why?"),))
OTHERS = (
    replace(QUESTION, model="large"),
    replace(QUESTION, messages=(Message(role="user", text="Why not?"),)),
    replace(QUESTION, messages=(Message(role="system", text="Why?"),)),
    replace(QUESTION, behind=("openai/gpt-4o",)),
    replace(QUESTION, temperature=0.5),
    replace(QUESTION, max_tokens=5),
    replace(QUESTION, answer=AnswerSchema(name="A", schema={"type": "object"}, instructions="")),
    replace(QUESTION, tools=(ToolSchema(name="look", description="", parameters={}),)),
)


async def test_nothing_is_known_at_first(answers: Answers) -> None:
    assert await answers.find(QUESTION) is None


async def test_an_answer_is_found_again_by_what_was_asked(answers: Answers) -> None:
    await answers.keep(QUESTION, "Because ☕.")

    assert await answers.find(replace(QUESTION, timeout_s=1)) == "Because ☕."
    assert [await answers.find(other) for other in OTHERS] == [None] * len(OTHERS)


async def test_a_later_answer_takes_the_place_of_an_earlier_one(answers: Answers) -> None:
    await answers.keep(QUESTION, "Because.")
    await answers.keep(QUESTION, "Because of that.")

    assert await answers.find(QUESTION) == "Because of that."
