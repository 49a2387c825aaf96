"""Cut GitHub's description of its API down to what a bot for issues can ask for.

    python excerpt.py WHOLE.json EXCERPT.json

Prism reads a tenth of the paths in a tenth of the time.  What is left is left word for word; what
nothing left refers to any more is dropped.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_IN_A_REPOSITORY = (
    "actions/workflows|assignees|check-runs|check-suites|collaborators|comments|commits|contents"
    "|dispatches|installation|issues|labels|milestones|pulls"
)
KEPT = re.compile(
    r"/(app(/.*)?|installation/repositories|rate_limit|user|users/\{username\}"
    r"|(orgs/\{org\}|users/\{username\})/installation"
    rf"|repos/\{{owner\}}/\{{repo\}}(/({_IN_A_REPOSITORY})(/.*)?)?)"
)


def excerpt(whole: dict[str, Any]) -> dict[str, Any]:
    """The paths of `KEPT`, and the components that they lead to."""
    paths = {path: said for path, said in whole["paths"].items() if KEPT.fullmatch(path)}
    components: dict[str, dict[str, Any]] = {}
    todo = set(_references(paths))
    seen = set()
    while todo:
        reference = todo.pop()
        seen.add(reference)
        kind, name = reference.removeprefix("#/components/").split("/")
        components.setdefault(kind, {})[name] = part = whole["components"][kind][name]
        todo |= set(_references(part)) - seen
    head = {name: whole[name] for name in ("openapi", "info", "servers")}
    return {**head, "paths": paths, "components": components}


def _references(part: object) -> Iterator[str]:
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from _references(value)


if __name__ == "__main__":
    read, written = map(Path, sys.argv[1:])
    written.write_text(json.dumps(excerpt(json.loads(read.read_text("utf-8")))), "utf-8")
