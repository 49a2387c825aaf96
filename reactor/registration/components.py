"""The first phase: one instance of each component, with its settings and what it needs."""

import typing
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from inspect import Parameter, signature
from types import NoneType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reactor.event_patterns import malformed
from reactor.failure import in_one_line
from reactor.installed import Component
from reactor.marks import API_VERSION, ComponentMark, mark_of
from reactor.package import RESERVED, Package
from reactor.registration.faults import Faults

Services = Mapping[type, object]


class _Unmakable(Exception):
    """A component can't be made; the message ends a sentence that begins with its name."""


def make_components(
    packages: Sequence[Package], services: Services, faults: Faults
) -> list[Component]:
    """The components of all packages, by name."""
    made: dict[str, Component] = {}
    seen: dict[str, Package] = {}
    for package in sorted(packages, key=lambda p: (p.name, p.distribution, p.version)):
        other = seen.setdefault(package.name, package)
        if other is not package:
            there = f", of {other.origin}" if other.origin else ""
            faults.add(
                package, "its name", f"is taken by another package{there}; rename one of them"
            )
        for component in _of_package(package, services, faults):
            _settle(component, made, faults)
    return [made[name] for name in sorted(made)]


def _settle(component: Component, made: dict[str, Component], faults: Faults) -> None:
    """Let a name belong to the package that is called so, or else to the first that has it.

    Else a package could take another one's place by a name that comes earlier in the alphabet.
    """
    namesake = made.setdefault(component.name, component)
    if namesake is component:
        return
    if _is_called_so(component) and not _is_called_so(namesake):
        made[component.name], component, namesake = component, namesake, component
    there = "its own package" if namesake.package is component.package else f"{namesake.package}"
    why = f"has the same name as a component of {there}; rename one of them"
    faults.add(component.package, component.name, why)


def _is_called_so(component: Component) -> bool:
    return component.package.name.replace("-", "_") == component.name


def _of_package(package: Package, services: Services, faults: Faults) -> Iterator[Component]:
    marks = [mark_of(_class_of(given), ComponentMark) for given in package.components]
    with_settings = [mark for mark in marks if mark and mark.settings]
    for given, mark in zip(package.components, marks, strict=True):
        cls = _class_of(given)
        if mark is None:
            faults.add(package, cls.__name__, "is no component; mark its class with @component")
            continue
        try:
            section = _section(package, mark, alone=len(with_settings) < 2)
            yield _make(package, given, mark, section, services)
        except _Unmakable as error:
            faults.add(package, mark.name, str(error))


def _class_of(given: object) -> type:
    return given if isinstance(given, type) else type(given)


def _section(package: Package, mark: ComponentMark, *, alone: bool) -> object:
    settings = package.settings or {}
    return settings if alone else settings.get(mark.name, {})


def _make(
    package: Package, given: object, mark: ComponentMark, section: object, services: Services
) -> Component:
    if not mark.name.isidentifier():
        raise _Unmakable("has a name that is no identifier; give @component(name=...) another")
    if mark.api != API_VERSION:
        raise _Unmakable(
            f"was written for version {mark.api} of the component interface, this is version "
            f"{API_VERSION}; install a release of it that fits"
        )
    if bad := malformed(mark.events):
        raise _Unmakable(
            f"is for {', '.join(map(repr, bad))}, which names no event; write it as issues.opened,"
            " issues or *"
        )
    if mark.settings and (taken := sorted(RESERVED & _names_of(mark.settings))):
        raise _Unmakable(
            f"has a setting called {', '.join(taken)}, which is the operator's with every package"
            f" ({', '.join(sorted(RESERVED))}); rename it"
        )
    if not isinstance(given, type):
        settings = getattr(given, "settings", None)
        if mark.settings and not isinstance(settings, mark.settings):
            settings = _read_settings(mark, section)
        return Component(mark=mark, package=package, instance=given, settings=settings)
    settings = _read_settings(mark, section)
    arguments = dict(_constructor_arguments(given, settings, services))
    try:
        instance = given(**arguments)
    except Exception as error:
        raise _Unmakable(f"can't be made: {in_one_line(error)}") from error
    return Component(mark=mark, package=package, instance=instance, settings=settings)


def _names_of(settings: type[BaseModel]) -> set[str]:
    fields = settings.model_fields
    return {*fields, *(field.alias for field in fields.values() if field.alias)}


def _read_settings(mark: ComponentMark, section: object) -> BaseModel | None:
    if mark.settings is None:
        return None
    try:
        return mark.settings.model_validate(section)
    except ValidationError as error:  # without the values: one of them may be a secret
        found = error.errors(include_url=False, include_input=False, include_context=False)
        lines = (_of_setting(fault, mark.settings) for fault in found)
        raise _Unmakable(f"has wrong settings: {'; '.join(lines)}") from None


def _of_setting(fault: ErrorDetails, settings: type[BaseModel]) -> str:
    """What is wrong with one; for a name that nobody knows, the names that there are."""
    where = ".".join(map(str, fault["loc"])) or "all"
    if fault["type"] != "extra_forbidden" or len(fault["loc"]) > 1:
        return f"{where}: {fault['msg']}"
    names = sorted(_names_of(settings))
    near = get_close_matches(where, names, n=1)
    meant = (
        f"; did you mean `{near[0]}`?" if near else f" (there are: {', '.join(names) or 'none'})"
    )
    return f"{where}: there is no such setting{meant}"


def _constructor_arguments(
    cls: type, settings: BaseModel | None, services: Services
) -> Iterator[tuple[str, object]]:
    """What the constructor takes, by parameter.  A service that is not there may have a default."""
    try:
        hints = typing.get_type_hints(cls.__init__)  # type: ignore[misc]  # to be read, not called
    except Exception as error:
        raise _Unmakable(f"has a constructor that can't be read: {in_one_line(error)}") from error
    for name, parameter in signature(cls).parameters.items():
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        wanted = _without_none(hints.get(name))
        if settings is not None and wanted is type(settings):
            yield name, settings
        elif isinstance(wanted, type) and wanted in services:
            yield name, services[wanted]
        elif parameter.default is Parameter.empty:
            what = getattr(wanted, "__name__", wanted)
            raise _Unmakable(
                f"wants {name}: {what} in its constructor, which is neither its settings model "
                "nor provided; provide it in `services`"
            )


def _without_none(hint: object) -> object:
    options = [option for option in typing.get_args(hint) if option is not NoneType]
    return options[0] if len(options) == 1 and NoneType in typing.get_args(hint) else hint
