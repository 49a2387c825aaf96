"""The folder of a new component package, written from the templates beside this module."""

import importlib.resources
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from reactor.errors import ReactorError
from reactor.scaffold.names import ComponentName

_TEMPLATES = "template"
_SUFFIX = ".jinja"
_TITLE = "Crash when the lamp is lit"  # what the rule of the template is about


@dataclass(frozen=True, slots=True)
class Created:
    """What was written."""

    folder: Path
    files: tuple[Path, ...]  # relative to the folder, in order
    in_workspace: bool  # whether `make install` finds it by its folder


def place_of(into: Path | None, current: Path) -> tuple[Path, bool]:
    """Where a new package goes, and whether that is a workspace of Reactor's.

    In a checkout it is the folder whose members are installed with it, elsewhere the current one,
    unless `into` names another.
    """
    members = current / "components"
    parent = into or (members if _is_workspace(members) else current)
    return parent, _is_workspace(parent)


def _is_workspace(parent: Path) -> bool:
    root = parent.resolve().parent
    return parent.resolve() == root / "components" and (root / "reactor" / "scaffold").is_dir()


def create(name: ComponentName, parent: Path, *, in_workspace: bool) -> Created:
    """Write the package into `parent/NAME`.  Raises `FolderTaken` and `OSError`."""
    folder = parent / name.name
    try:
        folder.mkdir(parents=True)
    except (FileExistsError, NotADirectoryError):
        raise FolderTaken(folder) from None
    files = dict(_filled(name, in_workspace=in_workspace))
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return Created(folder, tuple(sorted(files)), in_workspace)


class FolderTaken(ReactorError):
    """There is something already, which is not overwritten."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder

    def __str__(self) -> str:
        return f"{self.folder} is there already, and stays as it is; choose another name or --into"


def _filled(name: ComponentName, *, in_workspace: bool) -> Iterator[tuple[Path, str]]:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        variable_start_string="[[",  # of what is written, so that its own templates stay whole
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
    )
    known = {"name": name, "in_workspace": in_workspace}
    for path, source in _sources(importlib.resources.files("reactor.scaffold") / _TEMPLATES):
        yield _renamed(path, name), environment.from_string(source).render(known)
    yield Path("samples/issues.opened.json"), _sample()


def _sources(top: Traversable, under: Path = Path()) -> Iterator[tuple[Path, str]]:
    for each in sorted(top.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _sources(each, under / each.name)
        elif each.name.endswith(_SUFFIX):
            path = under / each.name.removesuffix(_SUFFIX)
            yield path, each.read_text(encoding="utf-8")


def _renamed(path: Path, name: ComponentName) -> Path:
    parts = [name.package if part == "package" else part for part in path.parts]
    parts[-1] = parts[-1].replace("NAME", name.component)
    return Path(*parts)


def _sample() -> str:
    """A payload that the rule of the template is about, for `reactor receive`."""
    sample = importlib.resources.files("reactor") / "samples" / "issues.opened.json"
    payload = json.loads(sample.read_text(encoding="utf-8"))
    payload["issue"]["title"] = _TITLE
    return json.dumps(payload, indent=2, ensure_ascii=False) + "\n"
