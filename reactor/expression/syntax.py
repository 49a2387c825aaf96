"""From the text of an expression to a small tree that the checks can walk.

The grammar is cel-python's, which knows names, macro scopes and fields; its deep tree is folded
here into a `Node` per thing that was written.  Imported only when an expression is compiled,
because that package takes a third of a second to load.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactor.expression.text import mask_literals

MAX_DEPTH = 200  # of the grammar's tree: 17 brackets in each other, or a chain of 90 additions


@dataclass(frozen=True, slots=True)
class Node:
    """One construct.  `parts` are its operands, in the order in which they were written.

    rule      text          parts
    literal   as written    none; the kind of literal is in `kind`
    name      the name      none
    field     field name    the object
    method    method name   the object, then the arguments
    call      function      the arguments
    index     ""            the list or map, the index
    choose    ""            condition, if true, if false
    list map struct  ""     the elements (keys and values by turns)
    and or not neg == != < <= > >= in + - * / %   ""   the operands
    """

    rule: str
    text: str = ""
    parts: tuple["Node", ...] = ()
    kind: str = ""  # of a literal: int uint float str bytes bool null
    start: int = 0  # of `text` in the source, in characters


class NotUnderstood(Exception):
    """The text is beyond the grammar, or nested deeper than we follow; args: one sentence."""


def parse(source: str) -> Node:
    """The tree of `source`, which the evaluator has already accepted.  Raises `NotUnderstood`."""
    from celpy.celparser import CELParseError, CELParser

    try:
        tree = CELParser().parse(mask_literals(source))
    except CELParseError as error:
        where = f"line {error.line}, column {error.column}: " if error.line else ""
        raise NotUnderstood(f"{where}this cannot be checked; write it more plainly") from None
    if _depth(tree) > MAX_DEPTH:
        raise NotUnderstood("it is nested too deeply; put the rule into a @condition method")
    return _Folder(source).fold(tree)


def _depth(tree: Any) -> int:
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [c for node in level for c in getattr(node, "children", ())]
    return depth


_WORDS = {
    "relation_lt": "<", "relation_le": "<=", "relation_gt": ">", "relation_ge": ">=",
    "relation_eq": "==", "relation_ne": "!=", "relation_in": "in",
    "addition_add": "+", "addition_sub": "-",
    "multiplication_mul": "*", "multiplication_div": "/", "multiplication_mod": "%",
    "unary_not": "not", "unary_neg": "neg",
}  # fmt: skip

_LITERALS = {
    "INT_LIT": "int", "UINT_LIT": "uint", "FLOAT_LIT": "float", "STRING_LIT": "str",
    "MLSTRING_LIT": "str", "BYTES_LIT": "bytes", "BOOL_LIT": "bool", "NULL_LIT": "null",
}  # fmt: skip


class _Folder:
    """Folds the grammar's tree; needs the source because strings were masked in it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._rules: dict[str, Callable[[Any], Node]] = {
            "expr": lambda c: Node("choose", parts=self._all(c)),
            "conditionalor": lambda c: Node("or", parts=self._chain("conditionalor", c)),
            "conditionaland": lambda c: Node("and", parts=self._chain("conditionaland", c)),
            "relation": self._binary,
            "addition": self._binary,
            "multiplication": self._binary,
            "unary": lambda c: Node(_WORDS[c[0].data], parts=(self.fold(c[1]),)),
            "member_dot": lambda c: self._named("field", c[1], (self.fold(c[0]),)),
            "member_dot_arg": lambda c: self._named(
                "method", c[1], (self.fold(c[0]), *self._listed(c[2:]))
            ),
            "member_index": lambda c: Node("index", parts=self._all(c)),
            "member_object": lambda c: Node("struct"),
            "ident_arg": lambda c: self._named("call", c[0], self._listed(c[1:])),
            "dot_ident_arg": lambda c: self._named("call", c[0], self._listed(c[1:])),
            "ident": lambda c: self._named("name", c[0], ()),
            "dot_ident": lambda c: self._named("name", c[0], ()),
            "list_lit": lambda c: Node("list", parts=self._listed(c)),
            "map_lit": lambda c: Node("map", parts=self._listed(c)),
            "literal": self._literal,
        }

    def fold(self, tree: Any) -> Node:
        while _only_passes_on(tree):
            tree = tree.children[0]
        return self._rules[tree.data](tree.children)

    def _all(self, children: list[Any]) -> tuple[Node, ...]:
        return tuple(self.fold(child) for child in children)

    def _chain(self, rule: str, children: list[Any]) -> tuple[Node, ...]:
        """The operands of `a && b && c`, which the grammar nests leftwards."""
        operands: list[Node] = []
        while True:
            left, right = children
            operands.append(self.fold(right))
            while _only_passes_on(left):
                left = left.children[0]
            if left.data != rule:
                return (self.fold(left), *reversed(operands))
            children = left.children

    def _listed(self, children: list[Any]) -> tuple[Node, ...]:
        return self._all(children[0].children) if children else ()

    def _binary(self, children: list[Any]) -> Node:
        operator, right = children
        return Node(
            _WORDS[operator.data], parts=(self.fold(operator.children[0]), self.fold(right))
        )

    def _named(self, rule: str, token: Any, parts: tuple[Node, ...]) -> Node:
        return Node(rule, text=str(token), parts=parts, start=token.start_pos)

    def _literal(self, children: list[Any]) -> Node:
        token = children[0]
        kind = _LITERALS[token.type]
        text = self._source[token.start_pos : token.end_pos] if kind == "str" else str(token)
        return Node("literal", text=text, kind=kind)


def _only_passes_on(tree: Any) -> bool:
    """Whether the node means nothing but its one child, as most levels of precedence do."""
    if tree.data in ("list_lit", "map_lit", "member_object"):
        return False
    return len(tree.children) == 1 and hasattr(tree.children[0], "data")
