"""What component authors may import is pinned: a name is taken back or added on purpose only.

public_names.txt holds one name a line, by module.  Who changes it changes the changelog too.
"""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

PUBLIC = ("reactor", "reactor.ai", "reactor.community", "reactor.github", "reactor.testing")

each_module = pytest.mark.parametrize(
    "module", [importlib.import_module(name) for name in PUBLIC], ids=PUBLIC
)


def offered(module: ModuleType) -> list[str]:
    """The names that a module offers: `__all__` of a package, what is defined in a module."""
    return sorted(getattr(module, "__all__", None) or defined(module))


def defined(module: ModuleType) -> set[str]:
    """Public names that are bound in a module, but those of other modules and submodules."""
    is_package = hasattr(module, "__path__")
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and name != "TYPE_CHECKING"
        and str(getattr(value, "__module__", "")).startswith(
            "reactor" if is_package else module.__name__
        )
    }


@each_module
def test_the_public_names_are_the_pinned_ones(module: ModuleType) -> None:
    page = Path(__file__).with_name("public_names.txt").read_text(encoding="utf-8")
    pinned = [line for line in page.splitlines() if line.rpartition(".")[0] == module.__name__]

    assert [f"{module.__name__}.{name}" for name in offered(module)] == pinned


@each_module
def test_every_public_name_is_there_once(module: ModuleType) -> None:
    names = offered(module)

    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


@each_module
def test_no_public_name_was_forgotten(module: ModuleType) -> None:
    assert sorted(defined(module) - set(offered(module))) == []
