"""Reference pages of component packages, in Markdown: what each takes, gives, needs and changes.

Made of what is installed, so that they are never out of date; one page for each package, and one
that lists them.  The same platform gives the same pages.  Pure.
"""

import html
import inspect
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from reactor.command import Command, summary, usage, who_may
from reactor.conditions import Asked
from reactor.effect import Effect
from reactor.installed import Action, Component, ConditionMethod, EffectExecutor, Worth
from reactor.package import Package
from reactor.plan.problem import Truth
from reactor.platform import Platform
from reactor.result import effects_of, facts_of
from reactor.signature import Input

INDEX = "index.md"
_LONGEST = 120  # characters of a default
_SECRETS = (SecretStr, SecretBytes)


def manual(platform: Platform) -> dict[str, str]:
    """The pages, by the name of their file."""
    pages = {f"{package.name}.md": _page(platform, package) for package in platform.packages}
    return {INDEX: _index(platform), **pages}


def _index(platform: Platform) -> str:
    rows = [
        (
            f"[{package.name}]({package.name}.md)",
            package.origin,
            str(sum(each.component.package is package for each in platform.actions.values())),
            _text(" ".join(_purposes(platform, package))),
        )
        for package in platform.packages
    ]
    head = "# Components\n\nWhat is installed. Written by `reactor components docs`.\n\n"
    return head + _table(("package", "distribution", "actions", "is for"), rows)


def _purposes(platform: Platform, package: Package) -> Iterator[str]:
    for component in platform.components:
        if component.package is package and component.mark.description:
            yield component.mark.description


def _page(platform: Platform, package: Package) -> str:
    team = f", by {_text(package.team)}" if package.team else ""
    parts = [f"# {package.name}\n", f"{_text(package.origin) or 'No distribution'}{team}.\n"]
    for component in platform.components:
        if component.package is package:
            parts += _component(platform, component)
    parts += _goals(platform, package)
    return "\n".join(parts).rstrip() + "\n"


def _component(platform: Platform, component: Component) -> Iterator[str]:
    mark = component.mark
    kind = f"Agent, planner {mark.planner}. " if mark.is_agent else ""
    yield f"## {component.name}\n"
    yield f"{kind}{_text(mark.description)}\n"
    said = {
        "Events": ", ".join(map(_code, mark.events)),
        "Flags": ", ".join(map(_code, mark.flags)),
        "Language models": "it may ask one" if mark.uses_llm else "",
    }
    told = [f"- {name}: {value}" for name, value in said.items() if value]
    if told:
        yield "\n".join(told) + "\n"
    yield from _settings(component)
    yield from _effects(mark.effects)
    mine = [each for each in platform.actions.values() if each.component is component]
    yield from _commands(mine)
    for action in mine:
        yield from _action(action)
    yield from _conditions(platform, component)
    yield from _executors(
        each for each in platform.executors.values() if each.action.component is component
    )


def _settings(component: Component) -> Iterator[str]:
    model = component.mark.settings
    if model is None or not model.model_fields:
        return
    yield f"### Settings of {component.name}\n"
    yield f"In the section `components.{component.package.name}`.\n"
    rows = [
        (_code(field.alias or name), _code(_type(field.annotation)), _default(field), _said(field))
        for name, field in model.model_fields.items()
    ]
    yield _table(("name", "type", "default", "says"), rows)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value: Any = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, _SECRETS):  # whatever it is
        return "a secret"
    if isinstance(value, BaseModel):
        return _code(type(value).__name__)
    if value is None or value is PydanticUndefined:
        return "none"
    said = repr(value)
    return _code(said if len(said) <= _LONGEST else f"{said[: _LONGEST - 2]} …")


def _said(field: FieldInfo) -> str:
    return _text(field.description or "")


def _effects(kinds: Sequence[type[Effect]]) -> Iterator[str]:
    if not kinds:
        return
    yield "### Effects\n"
    rows = [(_code(kind.__name__), _text(_first_line(kind))) for kind in kinds]
    yield _table(("kind", "changes"), sorted(rows))


def _commands(actions: Iterable[Action]) -> Iterator[str]:
    kinds = dict.fromkeys(each.trigger for each in actions)
    commands = [kind for kind in kinds if kind is not None and issubclass(kind, Command)]
    if not commands:
        return
    yield "### Commands\n"
    rows = [(_code(usage(kind)), _text(summary(kind)), who_may(kind)) for kind in commands]
    yield _table(("somebody writes", "and", "who may"), sorted(rows))


def _action(action: Action) -> Iterator[str]:
    mark, result = action.mark, action.signature.result
    yield f"### {action.name}\n"
    yield f"{_text(mark.description or _first_line(action.call))}\n"
    takes = ", ".join(map(_input, action.signature.inputs))
    asks = ", ".join(_code(kind.__name__) for kind in action.signature.injected.values())
    gives = ", ".join(_code(kind.__name__) for kind in facts_of(result))
    wants = ", ".join(_code(kind.__name__) for kind in effects_of(result))
    worth = f"value {_worth(action.value)}, cost {_worth(action.cost)}"
    said = {
        "Takes": takes,
        "Is given": asks,
        "Gives": f"{gives} as {_code(mark.output)}" if gives and mark.output else gives,
        "Wants": wants,
        "Worth": worth,
        "Reaches the goal": _text(action.goal.description) if action.goal else "",
        "Runs": _runs(action),
    }
    yield "\n".join(f"- {name}: {value}" for name, value in said.items() if value) + "\n"
    if action.pre:
        yield "Runs only where\n"
        yield "\n".join(_condition(key, to) for key, to in sorted(action.pre.items())) + "\n"


def _input(taken: Input) -> str:
    kind = f"all {taken.kind.__name__}" if taken.many else taken.kind.__name__
    named = f"{taken.parameter}: " if taken.named else ""
    return _code(f"{named}{kind}") + (" if there is one" if taken.optional else "")


def _runs(action: Action) -> str:
    mark = action.mark
    tries = action.retry.attempts
    notes = [
        f"for each new {_code(action.trigger.__name__)}" if action.trigger else "",
        "more than once" if mark.can_rerun else "",
        "beside others" if mark.read_only else "",
        f"for {mark.timeout_s:g} s at most",
        f"{tries} tries" if tries > 1 else "one try",
    ]
    return ", ".join(note for note in notes if note)


def _condition(key: str, to: Truth) -> str:
    return f"- {_code(key)} is {to.value}"


def _conditions(platform: Platform, component: Component) -> Iterator[str]:
    asked: list[ConditionMethod] = [
        condition.method
        for condition in platform.conditions.values()
        if isinstance(condition, Asked) and condition.method.component is component
    ]
    if asked:
        yield f"### Conditions of {component.name}\n"
        rows = [(_code(each.name), _text(each.mark.description)) for each in asked]
        yield _table(("name", "holds where"), sorted(rows))


def _executors(executors: Iterable[EffectExecutor]) -> Iterator[str]:
    rows = [
        (_code(each.kind.__name__), _code(each.name), _text(each.action.mark.description))
        for each in executors
    ]
    if rows:
        yield "### Sends\n"
        yield _table(("effect", "by", "says"), sorted(rows))


def _goals(platform: Platform, package: Package) -> Iterator[str]:
    goals = [goal for goal in platform.goals.values() if goal.package is package]
    if not goals:
        return
    yield "## Goals\n"
    for goal in goals:
        yield f"### goal {goal.name}\n"
        yield f"{_text(goal.mark.description)}\n"
        yield f"Value {goal.aim.value:g}. It is met where\n"
        yield "\n".join(_condition(key, to) for key, to in sorted(goal.aim.pre.items())) + "\n"


# Markdown -------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _text(said: str) -> str:
    """One line that is nothing but text, in a table as well; what is in backticks stays code."""
    parts = " ".join(said.split()).split("`")
    if len(parts) % 2 == 0:  # one is alone
        parts = ["&#96;".join(parts)]
    plain = [_plain(part) if n % 2 == 0 else _code(part) for n, part in enumerate(parts)]
    return "".join(plain)


def _plain(part: str) -> str:
    for sign in ("\\", "[", "]", "*", "_"):
        part = part.replace(sign, f"\\{sign}")
    return part.replace("<", "&lt;").replace("|", "&#124;")


def _code(said: str) -> str:
    """The same as code, whatever signs are in it."""
    line = " ".join(said.split())
    if not line:
        return ""
    if "|" in line or "`" in line:  # in backticks these would end a cell, or the code
        return f"<code>{html.escape(line).replace('|', '&#124;').replace('`', '&#96;')}</code>"
    return f"`{line}`"


def _type(annotation: object) -> str:
    """A type in few words: without modules, and without what else it must fit."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type(arguments[0])
    if origin is typing.Literal:
        return f"one of {', '.join(map(repr, arguments))}"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(_type, arguments))
    if annotation is Ellipsis:
        return "..."
    if annotation is type(None):
        return "None"
    name = getattr(origin or annotation, "__name__", None) or str(annotation)
    return f"{name}[{', '.join(map(_type, arguments))}]" if arguments else name


def _worth(worth: Worth) -> str:
    return f"{worth.amount:g}" if worth.call is None else f"about {worth.amount:g}"


def _first_line(target: object) -> str:
    return inspect.cleandoc(getattr(target, "__doc__", None) or "").partition("\n")[0]
