"""What the tests of the web share."""

import pytest

from tests.web.site import Site


@pytest.fixture
def site() -> Site:
    return Site()
