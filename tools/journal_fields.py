"""The generated part of docs/journal.md: the fields of each kind of decision record.

They are read out of the source, where what they mean stands beside them.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import reactor.journal
from reactor.journal import VERSION, Kind
from reactor.journal_versions import DATA_OF

BEGIN = "<!-- fields: from reactor/journal.py (`make fix`) -->"
END = "<!-- end of fields -->"
_SOURCE = Path(reactor.journal.__file__)


def filled(page: str) -> str:
    """The page with its generated part written anew.  Raises `ValueError` where it has no place."""
    before, begun, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise ValueError(f"the page needs {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{_part()}\n{END}{after}"


def _part() -> str:
    shapes = _Shapes(_SOURCE.read_text(encoding="utf-8"))
    top = [f'"{kind}"' for kind in get_args(Kind)]
    told = [f"Version {VERSION}; kinds: {', '.join(top)}.\n"]
    shown = list[str]()
    for kind, data in DATA_OF.items():
        told.append(f'### "{kind}"\n\n{shapes.table(data.__name__)}')
        shown += shapes.inner(data.__name__)
    inner = dict.fromkeys(shown)  # each once
    told += [f"### {_shape_name(name)}\n\n{shapes.table(name)}" for name in inner]
    return "\n".join(told)


class _Shapes:
    """The TypedDicts of a module, as they are written."""

    def __init__(self, source: str) -> None:
        self._lines, tree = source.splitlines(), ast.parse(source)
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self._functional = dict(_functional(tree))
        self._docs = dict(_docs(tree))

    def table(self, name: str) -> str:
        """Its first sentence, and a row for each field."""
        rows = [
            f"| `{field}` | {_type(kind)} | {self._comment(kind)} |"
            for field, kind in self._fields(name)
        ]
        head = "| field | type | is |\n| --- | --- | --- |\n"
        return f"{self._docs[name]}\n\n{head}" + "\n".join(rows) + "\n"

    def inner(self, name: str) -> Iterator[str]:
        """The shapes within it, depth first."""
        for _, kind in self._fields(name):
            for node in ast.walk(kind):
                if isinstance(node, ast.Name) and node.id.endswith("Data"):
                    yield node.id
                    yield from self.inner(node.id)

    def _fields(self, name: str) -> Iterator[tuple[str, ast.expr]]:
        if name in self._functional:
            yield from self._functional[name].items()
            return
        node = self._classes[name]
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in self._classes:
                yield from self._fields(base.id)
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield field.target.id, field.annotation

    def _comment(self, kind: ast.expr) -> str:
        line = self._lines[(kind.end_lineno or kind.lineno) - 1]
        _, _, comment = line.partition("  # ")
        return comment.strip().replace("|", "\\|")


def _functional(tree: ast.Module) -> Iterator[tuple[str, Mapping[str, ast.expr]]]:
    """Those that are written as a call, with their fields."""
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict() as fields]),
            ):
                yield (
                    name,
                    {
                        key.value: value
                        for key, value in zip(fields.keys, fields.values, strict=True)
                        if isinstance(key, ast.Constant) and isinstance(key.value, str)
                    },
                )


def _docs(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The first sentence of each, and what it says further on one line."""
    before: ast.stmt | None = None
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, " ".join((ast.get_docstring(node) or "").split())
        if (
            isinstance(before, ast.Assign)
            and isinstance(before.targets[0], ast.Name)
            and isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
        ):
            yield before.targets[0].id, " ".join(str(node.value.value).split())
        before = node


def _type(kind: ast.expr) -> str:
    """As people say it."""
    match kind:
        case ast.Subscript(value=ast.Name(id="NotRequired"), slice=inner):
            return f"{_type(inner)}, may be absent"
        case ast.Subscript(value=ast.Name(id="list"), slice=inner):
            return f"list of {_type(inner)}"
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, inner])):
            return f"object of {_type(inner)}"
        case ast.BinOp(left=left, right=right):
            return f"{_type(left)} or {_type(right)}"
        case ast.Constant(value=None):
            return "null"
        case ast.Name(id=name):
            plain = {
                "str": "text",
                "int": "integer",
                "float": "number",
                "bool": "true or false",
                "object": "any JSON",
            }
            return plain.get(name) or _shape_name(name)
    return ast.unparse(kind)


def _shape_name(name: str) -> str:
    """What a shape is called: `UnmetData` is "unmet"."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in name.removesuffix("Data"))
    return words.strip()
