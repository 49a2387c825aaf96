"""Where faults are collected while packages are read, so that all of them are told at once."""

from reactor.package import Fault, Package


class Faults:
    """The faults found so far."""

    def __init__(self) -> None:
        self._found: list[Fault] = []

    def add(self, package: Package | None, where: str, problem: str) -> None:
        """`where` begins the sentence and `problem` ends it."""
        name = package.name if package else ""
        origin = f"{package.distribution} {package.version}".strip() if package else ""
        fault = Fault(name, origin, where, problem)
        if fault not in self._found:
            self._found.append(fault)

    @property
    def all(self) -> tuple[Fault, ...]:
        """Sorted, so that the order in which packages were loaded does not show."""
        return tuple(sorted(self._found, key=lambda f: (f.package, f.where, f.problem)))
