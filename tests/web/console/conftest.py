"""What the tests of the console share."""

import pytest

from tests.web.console.site import Site


@pytest.fixture
def console() -> Site:
    return Site()
