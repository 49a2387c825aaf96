"""Faults of packages as findings, each with its place in the source where that can be told."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from traceback import extract_tb
from types import ModuleType

from reactor.lint.finding import Finding, Spot
from reactor.lint.places import place_of, place_of_class
from reactor.marks import ActionMark, ComponentMark, Not, mark_of
from reactor.package import Fault, Package

_TOLD = 100  # characters of an expression that its fault repeats, at least
_PARAMETER = re.compile(r"\b(?:takes|wants) (\w+)\b")


def from_faults(
    faults: Iterable[Fault], packages: Sequence[Package], broken: Mapping[str, BaseException]
) -> Iterator[Finding]:
    """Each fault.  `packages`: those that could be imported; `broken`: why the others could not."""
    by_name = {package.name: package for package in packages}
    for fault in faults:
        package = by_name.get(fault.package)
        error = broken.get(fault.package)
        spot = _place(fault, package) if package else _raised(error) if error else None
        yield Finding(
            severity="error",
            rule="fault",
            package=fault.package,
            where=fault.where or "it",
            problem=fault.problem,
            spot=spot,
        )


def _raised(error: BaseException) -> Spot | None:
    """Where it was raised: the line that can't be read, or the last one that ran."""
    if isinstance(error, SyntaxError) and error.filename:
        return Spot(error.filename, error.lineno or 1)
    # the first frame is of who loaded it, and is no part of the package
    frames = [frame for frame in extract_tb(error.__traceback__)[1:] if frame.filename[:1] != "<"]
    ours = [frame for frame in frames if "importlib" not in frame.filename]
    if ours:
        return Spot(ours[-1].filename, ours[-1].lineno or 1)
    # its module could be imported, and does not have what the entry point names
    module = error.obj if isinstance(error, AttributeError) else None
    file = module.__file__ if isinstance(module, ModuleType) else None
    return Spot(file, 1) if file else None


def _place(fault: Fault, package: Package) -> Spot | None:
    component, _, rest = fault.where.partition(".")
    for given in package.components:
        cls = given if isinstance(given, type) else type(given)
        mark = mark_of(cls, ComponentMark)
        if component not in (mark.name if mark else "", cls.__name__):
            continue
        method = getattr(cls, rest.rpartition(".")[2], None) if rest else None
        if method is None:
            return place_of_class(cls)
        return place_of(method, *_hints(method, fault.problem)) or place_of_class(cls)
    return None


def _hints(method: object, problem: str) -> Iterator[str]:
    """The expression, or the parameter, that the problem speaks of."""
    mark = mark_of(method, ActionMark)
    texts = [*mark.pre, *mark.post] if mark else []
    for text in texts:
        said = text.condition if isinstance(text, Not) else text
        if said[:_TOLD] in problem or repr(said)[1:-1][:_TOLD] in problem:
            yield said
    if found := _PARAMETER.search(problem):
        yield found[1]
