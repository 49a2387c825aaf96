"""Requests as LiteLLM takes them, and what it answers, read back.  Pure; imports nothing of it."""

import re
from collections.abc import Mapping
from typing import Any

from reactor.ai.errors import ModelRefused, ModelUnavailable, Refusal
from reactor.ai.exchange import Finish, Message, Reply, Request, ToolCall, Usage

_LONGEST_DETAIL = 200  # characters of what a provider says is wrong
_REFUSALS: Mapping[str, Refusal] = {  # by the class of LiteLLM's error
    "ContextWindowExceededError": "too_long",
    "ContentPolicyViolationError": "content",
    "AuthenticationError": "key",
    "PermissionDeniedError": "key",
    "PaymentRequiredError": "key",
    "NotFoundError": "model",
    "LiteLLMUnknownProvider": "model",
    "UnsupportedParamsError": "request",
    "UnprocessableEntityError": "request",
    "InvalidRequestError": "request",
    "BadRequestError": "request",
}
_BY_STATUS: Mapping[int, Refusal] = {401: "key", 402: "key", 403: "key", 404: "model"}
_TOO_LONG = re.compile(r"context.length|maximum context|too many tokens|prompt is too long", re.I)
_NO_PROVIDER = "LLM Provider NOT provided"
_NO_KEY = "Missing credentials"  # by OpenAI's client, before it asks anybody


def arguments(request: Request, *, takes_schema: bool) -> dict[str, Any]:
    """The arguments of a completion, those of the model itself aside."""
    messages = [_message(message) for message in request.messages]
    given: dict[str, Any] = {}
    if request.answer is not None and takes_schema:
        schema = {"name": request.answer.name, "schema": dict(request.answer.schema)}
        given["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.answer is not None:
        _append(messages, request.answer.instructions)
    if request.tools:
        given["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in request.tools
        ]
    if request.temperature is not None:
        given["temperature"] = request.temperature
    if request.max_tokens is not None:
        given["max_tokens"] = request.max_tokens
    return {"messages": messages, **given}


def reply(response: Mapping[str, Any]) -> Reply:
    """What came back, as `ModelResponse.model_dump` gives it; what it cost is not in it."""
    choices = response.get("choices") or [{}]
    message = choices[0].get("message") or {}
    calls = tuple(_call(call) for call in message.get("tool_calls") or ())
    refused = not calls and _is_refusal(message)
    usage = response.get("usage") or {}
    return Reply(
        text=str(message.get("content") or ""),
        calls=calls,
        finish="refused" if refused else _finish(str(choices[0].get("finish_reason")), calls),
        usage=Usage(
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
        ),
    )


def error_of(model: str, error: Exception) -> ModelUnavailable | ModelRefused:
    """Our error for one of LiteLLM's; what nobody foresaw may pass."""
    names = [kind.__name__ for kind in type(error).__mro__]
    by_class = (_REFUSALS[name] for name in names if name in _REFUSALS)
    refusal = next(by_class, None) or _BY_STATUS.get(getattr(error, "status_code", 0))
    text = " ".join(str(error).split())
    if refusal is None and _NO_KEY in text:
        refusal = "key"
    if refusal is None:
        why = _why(text, names)
        return ModelUnavailable(model, why, _retry_in_s(error), is_late="Timeout" in names)
    if refusal == "request" and _TOO_LONG.search(text):
        refusal = "too_long"
    if refusal == "request" and _NO_PROVIDER in text:
        refusal = "model"
    # what is said of a key may repeat part of it
    return ModelRefused(model, refusal, "" if refusal == "key" else text[:_LONGEST_DETAIL])


def _message(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        told["content"] = message.text or None
        told["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    if message.role == "tool":
        told["tool_call_id"] = message.answers
    return told


def _append(messages: list[dict[str, Any]], instructions: str) -> None:
    """To the first message, whatever its role: not every provider takes two of the system."""
    first = messages[0]
    messages[0] = {**first, "content": f"{first['content']}\n\n{instructions}"}


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or {}
    return ToolCall(
        id=str(call.get("id") or ""),
        name=str(function.get("name") or ""),
        arguments=str(function.get("arguments") or ""),
    )


def _is_refusal(message: Mapping[str, Any]) -> bool:
    own = message.get("provider_specific_fields") or {}
    return bool(message.get("refusal") or own.get("refusal"))


def _finish(said: str, calls: tuple[ToolCall, ...]) -> Finish:
    if calls:
        return "tools"
    if said == "content_filter":
        return "refused"
    return "length" if said in ("length", "max_tokens") else "stop"


def _why(text: str, names: list[str]) -> str:
    if "Timeout" in names:
        return "it took too long"
    if "RateLimitError" in names:
        return "it is asked too often (429)"
    return text[:_LONGEST_DETAIL] or names[0]


def _retry_in_s(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    said = headers.get("retry-after", "")
    try:
        return max(0.0, float(said))
    except ValueError:  # a date, or nothing
        return None
