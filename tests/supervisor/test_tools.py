"""An action as a tool: what is asked of a model, and how its arguments are read."""

import re
from dataclasses import dataclass

import pytest

from reactor import Package, Platform, action, component, request_type
from reactor.supervisor.supplies import requests_of
from reactor.supervisor.tools import ActionTool, BadArguments, tool_names


@request_type
@dataclass(frozen=True)
class Wish:
    text: str
    copies: int = 1


@dataclass(frozen=True)
class Urgent(Wish):
    """A subclass of a request type is one."""


@dataclass(frozen=True)
class Reply:
    text: str


@component(name="desk")
class Desk:
    @action(description="Answer a wish.")
    async def answer(self, schema: Wish, reply: Reply | None) -> Reply:
        return Reply(schema.text)

    @action
    async def hurry(self, wish: Urgent, other: Wish | None) -> None: ...


@component(name="office")
class Office:
    @action
    async def answer(self, wish: Wish) -> Reply:
        return Reply(wish.text)


PLATFORM = Platform(packages=[Package(name="team", components=(Desk, Office))])


def tool(name: str) -> ActionTool:
    found = PLATFORM.actions[name]
    return ActionTool(found.name.rpartition(".")[2], found, requests_of(found))


def test_only_what_a_model_may_make_is_asked_for() -> None:
    schema = tool("desk.answer").schema

    assert list(schema.parameters["properties"]) == ["schema"]  # type: ignore[call-overload]
    assert schema.parameters["required"] == ["schema"]
    assert schema.description == "Answer a wish. Gives Reply."


def test_what_is_optional_need_not_be_supplied() -> None:
    hurry = tool("desk.hurry")

    assert hurry.schema.parameters["required"] == ["wish"]
    assert hurry.read('{"wish": {"text": "now"}}') == {"wish": Urgent("now")}


@pytest.mark.parametrize(
    "written",
    [
        '{"schema": {"text": "tea", "copies": 2}}',
        '{"text": "tea", "copies": 2}',
        '```json\n{"schema": {"text": "tea", "copies": 2}, "more": 1}\n```',
    ],
)
def test_a_value_is_read_however_it_is_wrapped(written: str) -> None:
    assert tool("desk.answer").read(written) == {"schema": Wish("tea", 2)}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "schema: Field required"),
        ("tea, please", "no JSON object"),
        ("[1]", "no JSON object"),
        ('{"schema": {"text": "tea", "copies": "many"}}', "copies"),
        ('{"copies": 2}', "text"),
    ],
)
def test_a_model_is_told_what_is_wrong_with_its_arguments(written: str, told: str) -> None:
    with pytest.raises(BadArguments, match=told):
        tool("desk.answer").read(written)


def test_a_tool_with_nothing_to_supply_is_ready_whatever_is_written() -> None:
    found = PLATFORM.actions["office.answer"]
    ready = ActionTool("answer", found)

    assert ready.schema.description.startswith("READY")
    assert ready.read("nonsense") == {}
    assert ready.read('{"wish": {"text": "mine"}}') == {}


def test_every_action_has_a_name_of_its_own_that_providers_take() -> None:
    long = "a_method_whose_name_is_as_long_as_no_name_should_ever_be_and_longer"
    methods = {
        "a": ("run", "run_3", "z_run", "gr\u00f6\u00dfe", long),
        "b": (long,),
        "c": (long,),
        "z": ("run",),
    }
    components = tuple(_component(name, *each) for name, each in methods.items())
    made = Platform(packages=[Package(name="team", components=components)])

    names = tool_names(made.actions.values())

    assert set(names) == set(made.actions)
    assert len(set(names.values())) == len(names) == 8
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())


def test_two_actions_of_one_name_are_told_apart() -> None:
    assert tool_names(PLATFORM.actions.values()) == {
        "desk.answer": "answer",
        "desk.hurry": "hurry",
        "office.answer": "office_answer",
    }


def _component(name: str, *methods: str) -> type:
    """A component with actions that are called so."""

    def named(method: str) -> object:
        async def run(self: object, wish: Wish) -> Reply:
            return Reply(wish.text)

        run.__name__ = method
        return action(run)

    return component(name=name)(type("Made", (), {method: named(method) for method in methods}))
