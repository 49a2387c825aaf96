"""What may lie where: names that say something, packages that say what they are for."""

import ast
from pathlib import Path

from tests.architecture.repository import Module

SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}


def test_every_file_is_named_by_what_is_in_it(written: list[Module]) -> None:
    nameless = [str(m) for m in written if SAYS_NOTHING & {*m.path.parts, m.path.stem}]

    assert nameless == []


def test_every_shipped_module_says_what_it_is_for(shipped: list[Module]) -> None:
    silent = [str(module) for module in shipped if not ast.get_docstring(module.tree)]

    assert silent == []


def test_every_folder_of_modules_is_a_package(shipped: list[Module]) -> None:
    folders = {module.path.parent for module in shipped}

    assert [str(f) for f in sorted(folders) if not (f / "__init__.py").exists()] == []


def test_folders_that_are_no_packages_cannot_be_imported_as_such(
    root: Path, members: list[Path]
) -> None:
    # The root is on sys.path in a checkout: with an __init__.py these would shadow real packages.
    folders = [root / "components", root / "config", root / "docs", root / "tools", *members]
    starts = [folder / "__init__.py" for folder in folders]
    starts += [*root.glob("tests/**/__init__.py"), *root.glob("components/*/tests/**/__init__.py")]

    assert [str(start) for start in starts if start.exists()] == []


def test_the_front_of_a_package_only_exports(shipped: list[Module]) -> None:
    fronts = [module for module in shipped if module.path.name == "__init__.py"]
    busy = {str(m): faults for m in fronts if (faults := [*map(_shown, _work(m.tree))])}

    assert busy == {}


def _work(tree: ast.Module) -> list[ast.stmt]:
    """Statements that are neither the docstring, imports, exports nor their laziness."""
    return [node for node in tree.body if not _exports(node)]


def _exports(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef(name="__getattr__" | "__dir__"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body):
            return all(map(_exports, body))
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.isupper() or name in {"__all__", "__version__"} or name.startswith("_")
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name.isupper() or name.startswith("_")
    return False


def _shown(node: ast.stmt) -> str:
    return f"line {node.lineno}: {ast.unparse(node).splitlines()[0]}"
