"""What the tests of the engine share: platforms of a few components, and runs in memory."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from reactor.adapters.clock import ManualClock
from reactor.package import Package
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.process import Process

PlatformOf = Callable[..., Platform]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def platform_of(clock: ManualClock) -> PlatformOf:
    """A platform of one package, "team", that holds these components."""

    def make(
        *components: object,
        services: Mapping[type, object] | None = None,
        settings: Mapping[str, object] | None = None,
        **more: Any,
    ) -> Platform:
        goals = more.pop("goals", ())
        package = Package(name="team", components=components, settings=settings, goals=goals)
        return Platform(packages=[package], services={Clock: clock, **(services or {})}, **more)

    return make


@pytest.fixture
def ran() -> Callable[[Process], list[str]]:
    """The methods that a process has run, in order, without the component's name."""
    return lambda process: [run.action.partition(".")[2] for run in process.history]
