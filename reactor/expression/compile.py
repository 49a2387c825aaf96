"""From source text to an `Expression`: limits, syntax, names and types, in this order.

The fast package decides on syntax and evaluates; the grammar of the other one, slower and with
a tree to look at, is used for the checks.  Both are imported on first use: together they take
almost a second.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from reactor.expression.check import Check
from reactor.expression.errors import BadExpression
from reactor.expression.functions import CHARACTERS, implementations
from reactor.expression.known import Known
from reactor.expression.program import Expression, Variable, is_failure
from reactor.expression.syntax import NotUnderstood, parse
from reactor.expression.text import RESERVED_WORDS, limit_fault, mask_literals


def compile_expression(
    source: str, *, known: Mapping[str, Any], classes: Collection[str] | None = None
) -> Expression:
    """Compile `source`, which may speak of the names in `known`.

    `known` maps the name of every fact that may be on the board to its type, a class or any
    annotation (`list[Issue]`, `Issue | None`), or to None where the type is not known.  `classes`
    are the class names that `is` may test for; left out, they are those of the known types, their
    fields, bases and subclasses, and not checked at all where a type is not known.

    Raises `BadExpression` with everything that is wrong, and nothing else for any source.
    """
    fault = limit_fault(source)
    if fault:
        raise BadExpression(source, (fault,))
    _compiled(source, source, known)
    check = Check(Known(known, classes))
    try:
        check.run(parse(source))
    except NotUnderstood as error:
        raise BadExpression(source, (str(error),)) from None
    except RecursionError:  # the caller is deep in the stack already
        raise BadExpression(source, ("it is nested too deeply",)) from None
    faults = (*check.faults, *_bad_patterns(check.patterns))
    if faults:
        raise BadExpression(source, faults)
    return _expression(source, check)


def _expression(source: str, check: Check) -> Expression:
    from cel import Context

    variables = tuple(
        Variable(check.known.fact(name) or name, name, need)
        for name, need in sorted(check.needs.items())
    )
    return Expression(
        source=source,
        variables=frozenset(variable.fact for variable in variables),
        _variables=variables,
        _program=_compiled(_counting_characters(source, check.sizes_of_text), source),
        _context=Context,
        _functions=implementations(frozenset(check.functions)),
        _nested_macros=check.nested_macros,
    )


def _compiled(text: str, source: str, known: Collection[str] = ()) -> Any:
    """The program of the fast package.  Raises `BadExpression` about `source`."""
    import cel

    try:
        return cel.compile(text)
    except BaseException as error:
        if not is_failure(error):
            raise
        faults = (*_syntax_faults(str(error)), *_reserved(source, known))
        raise BadExpression(source, faults) from None


def _syntax_faults(message: str) -> tuple[str, ...]:
    found = re.findall(r"ERROR: <input>:(\d+):(\d+): (?:Syntax error: )?(.*)", message)
    faults = dict.fromkeys(
        f"line {line}, column {column}: {text.partition(' expecting ')[0]}"
        for line, column, text in found
    )
    return tuple(faults)[:3] or ("it cannot be read as an expression",)


def _reserved(source: str, known: Collection[str]) -> tuple[str, ...]:
    words = set(re.findall(r"(?<![.\w])[a-z]+\b", mask_literals(source)))
    return tuple(
        f"`{word}` is a word of the language; write `{word}_` for the fact of that name"
        for word in sorted(words & RESERVED_WORDS & set(known))
    )


def _counting_characters(source: str, positions: list[int]) -> str:
    """`source` with the calls of `size` at these positions turned into our own function."""
    for start in sorted(positions, reverse=True):
        source = source[:start] + CHARACTERS + source[start + len("size") :]
    return source


def _bad_patterns(literals: list[str]) -> list[str]:
    """Faults of the regular expressions among these string literals."""
    import cel

    faults = []
    for literal in literals:
        try:
            cel.compile(f'"".matches({literal})').execute()
        except BaseException as error:
            if not is_failure(error):
                raise
            reason = str(error).strip().splitlines()[-1].partition(". Check ")[0]
            faults.append(f"the pattern {literal} cannot be used: {reason}")
    return faults
