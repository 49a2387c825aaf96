"""LiteLLM, over HTTP to a provider that says its script: requests, answers, errors."""

import json
import subprocess
import sys
from contextlib import closing

import pytest

from reactor.adapters.litellm_models import LitellmModels, Provided
from reactor.ai.errors import ModelRefused, ModelUnavailable
from reactor.ai.exchange import AnswerSchema, Message, Request, ToolCall, ToolSchema
from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing it takes long on a busy machine

SCHEMA = AnswerSchema(name="Colour", schema={"type": "object"}, instructions="Answer with JSON.")
TOOL = ToolSchema(name="look", description="Look.", parameters={"type": "object", "properties": {}})


def request(model: str = "small", **more: object) -> Request:
    messages = (Message(role="system", text="Be brief."), Message(role="user", text="Hello"))
    return Request(**{"model": model, "messages": messages, "timeout_s": 20.0} | more)  # type: ignore[arg-type]


async def test_a_question_goes_to_the_model_with_its_key_and_the_answer_comes_back(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    stub_models.script(answers.text("Hello yourself"))

    reply = await litellm_models.complete(request(temperature=0.5, max_tokens=9))

    (asked,) = stub_models.requests
    assert asked["model"] == "gpt-4o-mini"
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
    ]
    assert asked["temperature"] == 0.5
    assert 9 in (asked.get("max_tokens"), asked.get("max_completion_tokens"))
    assert stub_models.keys == ["sk-of-the-test"]
    assert (reply.text, reply.finish) == ("Hello yourself", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 20)


async def test_a_schema_is_given_to_models_that_take_one_and_told_to_others_in_words(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    stub_models.script(*[answers.value({})] * 3)

    for model in ("small", "other", "plain"):
        await litellm_models.complete(request(model, answer=SCHEMA))

    small, other, plain = stub_models.requests
    for asked in (small, other):
        assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}
        assert asked["messages"][0]["content"] == "Be brief."
    assert "response_format" not in plain
    assert plain["messages"][0]["content"] == "Be brief.\n\nAnswer with JSON."


async def test_tools_are_offered_and_the_calls_of_a_model_come_back(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    stub_models.script(answers.tool_call("look", {"at": 1}), answers.text("done"))

    reply = await litellm_models.complete(request(tools=(TOOL,)))
    turns = (
        Message(role="user", text="Hello"),
        Message(role="assistant", text="", calls=reply.calls),
        Message(role="tool", text="seen", answers="call-1"),
    )
    await litellm_models.complete(request(tools=(TOOL,), messages=turns))

    first, second = stub_models.requests
    assert first["tools"][0]["function"]["name"] == "look"
    assert reply.finish == "tools"
    assert reply.calls == (ToolCall(id="call-1", name="look", arguments='{"at": 1}'),)
    assert second["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"at": 1}'
    assert second["messages"][2] == {"role": "tool", "content": "seen", "tool_call_id": "call-1"}


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (answers.refusal(), "refused"),
        (answers.text("", finish="content_filter"), "refused"),
        (answers.cut_off({"a": "b"}), "length"),
        (answers.empty(), "stop"),
    ],
)
async def test_how_an_answer_ended_is_told(
    stub_models: StubModels, litellm_models: LitellmModels, answer: Answer, finish: str
) -> None:
    stub_models.script(answer)

    assert (await litellm_models.complete(request())).finish == finish


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (answers.failure(429), "429"),
        (answers.failure(500, "of mine"), "of mine"),
        (answers.failure(502, "of mine"), "of mine"),
        (answers.failure(503, "of mine"), "of mine"),
        (answers.dropped({}), "did not answer"),
        (Answer("no JSON at all"), "did not answer"),
    ],
)
async def test_what_can_pass_is_unavailable_and_asked_once(
    stub_models: StubModels, litellm_models: LitellmModels, answer: Answer, why: str
) -> None:
    stub_models.script(answer)

    with pytest.raises(ModelUnavailable, match=why):
        await litellm_models.complete(request())

    assert len(stub_models.requests) == 1


async def test_how_long_a_provider_wants_to_be_left_alone_is_told(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    stub_models.script(answers.failure(429, retry_after="7"))

    with pytest.raises(ModelUnavailable) as unavailable:
        await litellm_models.complete(request())

    assert unavailable.value.retry_in_s == 7


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (answers.failure(401, "Incorrect API key provided: sk-of-the-test"), "key"),
        (answers.failure(403), "key"),
        (answers.failure(404), "model"),
        (answers.failure(400, "This model's maximum context length is 10 tokens"), "too_long"),
        (answers.failure(400), "request"),
        (answers.failure(422), "request"),
    ],
)
async def test_what_will_not_pass_is_a_refusal_without_the_key_in_it(
    stub_models: StubModels, litellm_models: LitellmModels, answer: Answer, refusal: str
) -> None:
    stub_models.script(answer)

    with pytest.raises(ModelRefused) as refused:
        await litellm_models.complete(request())

    assert refused.value.refusal == refusal
    assert "sk-of-the-test" not in str(refused.value)


async def test_a_provider_that_is_too_slow_or_not_there_is_unavailable(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    stub_models.script(answers.slow(answers.value({}), 30))

    with pytest.raises(ModelUnavailable, match="too long"):
        await litellm_models.complete(request(timeout_s=0.2))
    with pytest.raises(ModelUnavailable, match="Connection error"):
        await litellm_models.complete(request("nowhere"))


async def test_a_provider_that_there_is_not_is_a_refusal(litellm_models: LitellmModels) -> None:
    with pytest.raises(ModelRefused) as refused:
        await litellm_models.complete(request("nobody"))

    assert refused.value.refusal == "model"


PROBE = """
import asyncio, json, socket, sys
from reactor.adapters.litellm_models import LitellmModels, Provided

asked = []
real = socket.getaddrinfo
def noted(host, *rest, **more):
    asked.append(str(host))
    return real("127.0.0.1", *rest, **more)
socket.getaddrinfo = noted

async def main():
    before = "litellm" in sys.modules
    models = LitellmModels({"a": Provided(model="openai/gpt-4o-mini")})
    made = "litellm" in sys.modules
    await models.make_ready()
    models.close()
    print(json.dumps([before, made, "litellm" in sys.modules, asked]))

asyncio.run(main())
"""


@pytest.mark.long  # importing it takes seconds, on a busy machine many
def test_it_is_imported_by_the_first_question_and_fetches_nothing() -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)

    assert json.loads(run.stdout.splitlines()[-1]) == [False, False, True, []]


async def test_a_server_of_ones_own_needs_no_key(
    stub_models: StubModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub_models.script(answers.text("Hello yourself"))
    own = Provided(model="openai/own", api_base=stub_models.url)

    with closing(LitellmModels({"own": own})) as models:
        reply = await models.complete(request("own"))

    assert reply.text == "Hello yourself"


async def test_where_a_key_is_missing_it_is_the_key_that_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    keyless = LitellmModels({"small": Provided(model="openai/gpt-4o-mini")})
    with closing(keyless) as models, pytest.raises(ModelRefused) as refused:
        await models.complete(request())

    assert refused.value.refusal == "key"
