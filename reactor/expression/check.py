"""Check an expression against the names and types that are known, and note what it needs.

Walks the tree once.  For each part it finds the static type, so that a wrong field or a
comparison that can never hold is a fault at registration, and the `Need`, so that evaluation
hands over only what is looked at.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from reactor.expression import operators
from reactor.expression.functions import (
    CHARACTERS,
    FUNCTIONS,
    MACROS,
    METHODS,
    TYPE_NAMES,
    Signature,
)
from reactor.expression.known import Known
from reactor.expression.need import Need
from reactor.expression.static import (
    BOOL,
    FLOAT,
    INT,
    LIST,
    NULL,
    STR,
    UNKNOWN,
    Static,
    field_names,
    field_type,
    one_of,
)
from reactor.expression.syntax import Node
from reactor.expression.text import literal_text

MAX_NESTED_MACROS = 3


@dataclass(frozen=True, slots=True)
class Part:
    """What was found out about one part of an expression."""

    type: Static
    need: Need
    path: str = ""  # as written, where it is a path of names: "issue.user"
    scope: int = 0  # the macro whose element it is part of: 1 the outermost; 0 none

    def taken_whole(self) -> Static:
        """Note that all of the value is looked at; its type."""
        self.need.whole = True
        return self.type


@dataclass(frozen=True, slots=True)
class _Scope:
    """The inside of a macro."""

    name: str  # of the element
    element: Part
    chain: int


def _made(static: Static) -> Part:
    """A part that is computed, not looked up."""
    return Part(static, Need())


_LITERALS: Mapping[str, Static] = {
    "int": INT, "uint": Static("uint"), "float": FLOAT, "str": STR, "bytes": Static("bytes"),
    "bool": BOOL, "null": NULL,
}  # fmt: skip


@dataclass(slots=True)
class Check:
    """One walk over one expression.  Afterwards read `faults`, `needs` and the rest."""

    known: Known
    faults: list[str] = field(default_factory=list)
    needs: dict[str, Need] = field(default_factory=dict)  # name as written -> what is looked at
    functions: set[str] = field(default_factory=set)  # called, `CHARACTERS` among them
    sizes_of_text: list[int] = field(default_factory=list)  # where `size` must count characters
    patterns: list[str] = field(default_factory=list)  # the literals given to `matches`
    nested_macros: int = 0  # how many lists are gone over for each element of each other, at most
    _scopes: list["_Scope"] = field(default_factory=list)

    def run(self, root: Node) -> None:
        """Walk the whole tree; the whole must be true or false."""
        given = self._visit(root).taken_whole()
        if given.kind not in ("bool", "unknown"):
            self._fault(f"it gives {given}, not true or false")

    def _visit(self, node: Node) -> Part:
        rules: Mapping[str, Callable[[Node], Part]] = {
            "literal": lambda n: _made(_LITERALS[n.kind]),
            "name": self._name,
            "field": self._field,
            "method": self._method,
            "call": self._call,
            "index": self._index,
            "choose": self._choose,
            "list": self._list,
            "map": self._map,
            "struct": self._struct,
            "or": self._logic,
            "and": self._logic,
            "not": self._logic,
        }
        return rules.get(node.rule, self._operator)(node)

    def _fault(self, sentence: str) -> None:
        if sentence not in self.faults:
            self.faults.append(sentence)

    # Names and fields ----------------------------------------------------------------------

    def _name(self, node: Node) -> Part:
        name = node.text
        for scope in reversed(self._scopes):
            if name == scope.name:
                return scope.element
        fact = self.known.fact(name)
        if fact is not None:
            return Part(self.known.type_of(fact), self.needs.setdefault(name, Need()), name)
        if name not in TYPE_NAMES:
            self._fault(f"`{name}` is not a known name{_suggest(name, self.known.names)}")
        return _made(UNKNOWN)

    def _field(self, node: Node) -> Part:
        owner = self._visit(node.parts[0])
        return self._field_of(owner, node.text)

    def _field_of(self, owner: Part, name: str) -> Part:
        path = f"{owner.path}.{name}" if owner.path else ""
        where = f" (in `{path}`)" if path else ""
        if owner.type.kind not in ("object", "map", "unknown"):
            self._fault(f"{owner.path or 'what'} is {owner.type} and has no field `{name}`{where}")
            return _made(UNKNOWN)
        found = field_type(owner.type, name)
        if found is None:
            names = field_names(owner.type)
            self._fault(f"{owner.type} has no field `{name}`{where}{_suggest(name, names)}")
        return Part(found or UNKNOWN, owner.need.of_field(name), path, owner.scope)

    def _index(self, node: Node) -> Part:
        owner, key = self._visit(node.parts[0]), node.parts[1]
        if owner.type.kind == "object" and not _is_text(key):
            self._fault(f"{owner.type} has fields; index it by a name in quotes")
        if _is_text(key) and owner.type.kind != "list":
            return self._field_of(owner, literal_text(key.text))
        self._visit(key).taken_whole()
        if owner.type.kind == "list":
            return Part(owner.type.of_elements, owner.need.of_elements(), scope=owner.scope)
        owner.taken_whole()
        return _made(owner.type.of_elements)

    # Calls ---------------------------------------------------------------------------------

    def _method(self, node: Node) -> Part:
        target, arguments = node.parts[0], node.parts[1:]
        dotted = f"{target.text}.{node.text}"
        if target.rule == "name" and dotted in FUNCTIONS:
            return self._signature(dotted, FUNCTIONS[dotted], arguments)
        if node.text in MACROS and len(arguments) in (2, 3):
            return self._macro(node)
        if node.text not in METHODS:
            known = [*METHODS, *MACROS]
            self._fault(f"there is no method `{node.text}`{_suggest(node.text, known)}")
            return self._unknown_call(node.parts)
        if node.text == "size":
            return self._size(node, target)
        if node.text == "matches":
            self._pattern(arguments)
        return self._signature(node.text, METHODS[node.text], node.parts)

    def _call(self, node: Node) -> Part:
        if node.text not in FUNCTIONS:
            hint = _suggest(node.text, FUNCTIONS)
            if node.text in METHODS:
                hint = f"; it is a method: write `x.{node.text}(...)`"
            self._fault(f"there is no function `{node.text}`{hint}")
            return self._unknown_call(node.parts)
        if node.text == "is" and len(node.parts) == 2:
            return self._is(node)
        if node.text == "has" and node.parts:
            self._visit(node.parts[0])
            return _made(BOOL)
        if node.text == "size" and len(node.parts) == 1:
            return self._size(node, node.parts[0])
        return self._signature(node.text, FUNCTIONS[node.text], node.parts)

    def _unknown_call(self, parts: tuple[Node, ...]) -> Part:
        for part in parts:
            self._visit(part).taken_whole()
        return _made(UNKNOWN)

    def _signature(self, name: str, signature: Signature, parts: tuple[Node, ...]) -> Part:
        self.functions.add(name)
        given = [self._visit(part) for part in parts]
        for part in given:
            part.taken_whole()
        least, most = signature.arguments
        if not least <= len(parts) <= most:
            self._fault(f"`{name}` got {len(parts)} arguments, the object of a method included")
        elif signature.on and given[0].type.kind not in (*signature.on, "unknown"):
            hint = '; write `"x" in ...`' if name == "contains" else ""
            self._fault(f"`{name}` cannot be used on {_called(given[0])}{hint}")
        return _made(signature.gives)

    def _size(self, node: Node, of: Node) -> Part:
        part = self._visit(of)
        if part.type.kind in ("list", "map"):
            if part.type.kind == "map":
                part.taken_whole()
            return _made(INT)
        self.functions.add(CHARACTERS)
        self.sizes_of_text.append(node.start)
        part.taken_whole()
        if part.type.kind not in ("str", "bytes", "unknown"):
            self._fault(f"`size` cannot be used on {_called(part)}")
        return _made(INT)

    def _pattern(self, arguments: tuple[Node, ...]) -> None:
        if len(arguments) == 1 and _is_text(arguments[0]):
            self.patterns.append(arguments[0].text)
            return
        self._fault("`matches` takes one pattern, written out in quotes")

    def _is(self, node: Node) -> Part:
        self.functions.add("is")
        tested, name = self._visit(node.parts[0]), node.parts[1]
        if not _is_text(name):
            self._fault('`is` takes a class name in quotes, as in `is(x, "Issue")`')
            return _made(BOOL)
        wanted = literal_text(name.text)
        tested.need.class_names.add(wanted)
        classes = self.known.class_names
        if classes is not None and wanted not in classes:
            self._fault(f"no known type is called `{wanted}`{_suggest(wanted, classes)}")
        if tested.type.kind not in ("object", "unknown"):
            self._fault(f"`is` tests objects, and {_called(tested)}")
        return _made(BOOL)

    def _macro(self, node: Node) -> Part:
        source, variable, *bodies = node.parts
        over = self._visit(source)
        if over.type.kind not in ("list", "map", "unknown"):
            self._fault(f"`{node.text}` goes over a list, and {_called(over)}")
        name = variable.text if variable.rule == "name" else ""
        self._scopes.append(_Scope(name, self._element(over, name), self._chain(over)))
        self.nested_macros = max(self.nested_macros, len({each.chain for each in self._scopes}))
        if len(self._scopes) > MAX_NESTED_MACROS:
            self._fault(f"more than {MAX_NESTED_MACROS} macros go over lists within each other")
        results = [self._visit(body) for body in bodies]
        self._scopes.pop()
        if node.text == "map":
            return Part(Static("list", element=results[-1].taken_whole()), Need())
        self._truth(results[0])
        return over if node.text == "filter" else _made(BOOL)

    def _element(self, over: Part, name: str) -> Part:
        scope = len(self._scopes) + 1
        if over.type.kind == "map":
            over.taken_whole()
            return Part(UNKNOWN, Need(), name, scope)
        return Part(over.type.of_elements, over.need.of_elements(), name, scope)

    def _chain(self, over: Part) -> int:
        """The number of the chain of lists that a macro goes on with, or a new one.

        `commits.exists(c, c.files.exists(f, ...))` is one chain: in all, each file is visited
        once.  A list that is gone over again for every element of another begins a chain.
        """
        if over.scope:
            chain = self._scopes[over.scope - 1].chain
            if all(each.chain != chain for each in self._scopes[over.scope :]):
                return chain
        return len(self._scopes) + 1

    # Operators -----------------------------------------------------------------------------

    def _choose(self, node: Node) -> Part:
        condition, *branches = (self._visit(part) for part in node.parts)
        self._truth(condition)
        return _made(one_of(branch.taken_whole() for branch in branches))

    def _logic(self, node: Node) -> Part:
        for part in node.parts:
            self._truth(self._visit(part))
        return _made(BOOL)

    def _truth(self, part: Part) -> None:
        if part.taken_whole().kind not in ("bool", "unknown"):
            self._fault(f"{_called(part)}, where true or false is needed")

    def _list(self, node: Node) -> Part:
        elements = [self._visit(part).taken_whole() for part in node.parts]
        return _made(Static("list", element=one_of(elements)) if elements else LIST)

    def _map(self, node: Node) -> Part:
        for part in node.parts:
            self._visit(part).taken_whole()
        return _made(Static("map"))

    def _struct(self, node: Node) -> Part:
        self._fault("objects cannot be made in an expression")
        return _made(UNKNOWN)

    def _operator(self, node: Node) -> Part:
        parts = [self._visit(part) for part in node.parts]
        against_null = any(part.type is NULL for part in parts)
        for part in parts:
            if not against_null:
                part.taken_whole()
        fault = operators.fault_of(node.rule, tuple(part.type for part in parts))
        if fault:
            self._fault(fault + _in(parts))
        return _made(operators.result_of(node.rule, tuple(part.type for part in parts)))


def _is_text(node: Node) -> bool:
    return node.rule == "literal" and node.kind == "str"


def _called(part: Part) -> str:
    return f"`{part.path}` is {part.type}" if part.path else f"it is {part.type}"


def _in(parts: list[Part]) -> str:
    paths = [f"`{part.path}`" for part in parts if part.path]
    return f" (in {', '.join(paths)})" if paths else ""


def _suggest(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, sorted(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(f'`{match}`' for match in near)}?" if near else ""
