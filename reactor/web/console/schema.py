"""The parts of a JSON schema that somebody can fill in one by one.

Takes schemas as pydantic writes them: references into `$defs`, `anyOf` with null for what may be
missing, objects within objects.  What is more than that is one part, as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]

_DEEPEST = 3  # objects within objects; deeper ones are one part
_MOST_REFERENCES = 20  # that lead on to each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part, and where it goes in the whole."""

    path: tuple[str, ...]
    titles: tuple[str, ...]  # of it, and of what is around it
    schema: Schema  # without references
    items: Schema  # of a list: the schema of what is in it
    is_required: bool
    is_nullable: bool

    def value_in(self, whole: object) -> object:
        """What stands there in a value, or else by default; None where nothing does."""
        found: object = whole
        for name in self.path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return self.schema.get("default") if found is None else found


def parts_of(schema: Schema) -> tuple[Part, ...]:
    """Every part, in order; of what is no object, one part without a path."""
    return tuple(_Reader(schema).parts(schema, (), (), is_required=True))


@dataclass(frozen=True, slots=True)
class _Reader:
    root: Schema

    def parts(
        self, schema: Schema, path: tuple[str, ...], titles: tuple[str, ...], *, is_required: bool
    ) -> Iterator[Part]:
        found, is_nullable = self._plain(schema)
        properties = found.get("properties")
        may_be_split = not is_nullable and len(path) < _DEEPEST and found.get("type") == "object"
        if may_be_split and isinstance(properties, Mapping):
            required = found.get("required", ())
            for name, inner in properties.items():
                title = self._plain(inner)[0].get("title") if isinstance(inner, Mapping) else None
                told = title if isinstance(title, str) else name.replace("_", " ").capitalize()
                yield from self.parts(
                    inner if isinstance(inner, Mapping) else {},
                    (*path, name),
                    (*titles, told),
                    is_required=is_required and name in required,
                )
            return
        items = found.get("items")
        yield Part(
            path=path,
            titles=titles,
            schema=found,
            items=self._plain(items)[0] if isinstance(items, Mapping) else {},
            is_required=is_required,
            is_nullable=is_nullable,
        )

    def _plain(self, schema: Schema) -> tuple[Schema, bool]:
        """The schema without references, and whether null will do as well."""
        is_nullable = False
        for _ in range(_MOST_REFERENCES):
            around = {k: v for k, v in schema.items() if k not in ("$ref", "anyOf", "allOf")}
            inner = self._inner(schema)
            if inner is None:
                return schema, is_nullable
            within, may_be_null = inner
            is_nullable = is_nullable or may_be_null
            schema = {**within, **around}
        return {}, is_nullable

    def _inner(self, schema: Schema) -> tuple[Schema, bool] | None:
        """What the schema leads to; None where it is what it is."""
        match schema:
            case {"$ref": str(reference)}:
                return self._found(reference), False
            case {"allOf": [dict(only)]}:
                return only, False
            case {"anyOf": [*options]}:
                others = [each for each in options if each != {"type": "null"}]
                if len(others) == 1 and isinstance(others[0], dict):
                    return others[0], len(others) < len(options)
        return None

    def _found(self, reference: str) -> Schema:
        found: object = self.root
        for name in reference.removeprefix("#/").split("/"):
            name = name.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}
