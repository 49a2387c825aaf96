"""Expressions: conditions in CEL over what is on the blackboard.

An expression is compiled and checked once, when a component is registered, and evaluated often.
If you read on, start with `compile` (what happens at registration), then `program` (what happens
at each evaluation).  Nothing here runs source text as Python.
"""

from reactor.expression.compile import compile_expression
from reactor.expression.errors import BadExpression
from reactor.expression.program import Evaluated, Expression
from reactor.expression.text import RESERVED_WORDS

__all__ = ["RESERVED_WORDS", "BadExpression", "Evaluated", "Expression", "compile_expression"]
