"""The pytest plug-in: the fixture `golden`, and the option that writes its files.

It is loaded in every run of pytest where Reactor is installed, so it imports nothing of it before
a test asks.
"""

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from reactor.testing import Golden

_OPTION = "--update-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("reactor", "decisions of Reactor's components")
    group.addoption(
        _OPTION, action="store_true", help="Write the files that `golden` compares with."
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> "Golden":
    """Compares what a process decided with a file beside the test."""
    from reactor.testing import Golden

    test = re.sub(r"[^\w.-]+", "_", request.node.name).strip("_")
    return Golden(request.path.parent, test, update=bool(request.config.getoption(_OPTION)))
