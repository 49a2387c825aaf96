"""Where in the source something is: a function, a parameter, a text in its decorators.

Reads source files, each once.  What has none (made by `exec`, or compiled) has no place.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reactor.lint.finding import Spot

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A source file, parsed."""

    file: str
    tree: ast.Module

    def function_at(self, line: int) -> AnyFunction | None:
        """The function that begins on that line, its decorators included."""
        for node in ast.walk(self.tree):
            if isinstance(node, AnyFunction):
                begins = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                if begins == line:
                    return node
        return None


@lru_cache(maxsize=256)
def source_of(file: str) -> Source | None:
    """The file, parsed; None where it can't be read."""
    try:
        return Source(file, ast.parse(Path(file).read_text(encoding="utf-8")))
    except (OSError, SyntaxError, ValueError):
        return None


def node_of(method: Callable[..., object]) -> tuple[Source, AnyFunction] | None:
    """A function or method in its source."""
    function = inspect.unwrap(getattr(method, "__func__", method))
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    source = source_of(code.co_filename)
    node = source.function_at(code.co_firstlineno) if source else None
    return (source, node) if source and node else None


def place_of(method: Callable[..., object], *hints: str) -> Spot | None:
    """The line of a function: that of the first hint that is there, else of its `def`.

    A hint is a text in its decorators (an expression), or the name of a parameter.
    """
    found = node_of(method)
    if found is None:
        return None
    source, node = found
    for hint in hints:
        for line in _lines_with(node, hint):
            return Spot(source.file, line)
    return Spot(source.file, node.lineno)


def place_of_class(kind: type) -> Spot | None:
    """The line of a class."""
    try:
        lines, line = inspect.getsourcelines(kind)
        file = inspect.getsourcefile(kind)
    except (OSError, TypeError):
        return None
    decorators = next((n for n, text in enumerate(lines) if text.lstrip().startswith("class ")), 0)
    return Spot(file, line + decorators) if file else None


def _lines_with(node: AnyFunction, hint: str) -> Iterator[int]:
    for decorator in node.decorator_list:
        for each in ast.walk(decorator):
            if isinstance(each, ast.Constant) and each.value == hint:
                yield each.lineno
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    yield from (each.lineno for each in arguments if each.arg == hint)
