"""Large modules grow by themselves; nobody splits them unless something says so."""

from statistics import median, quantiles

from tests.architecture.repository import Module

LARGEST = 400  # lines, as an editor counts them
MEDIAN = 120
NINETIETH = 250  # what nine of ten modules stay under


def test_no_module_is_longer_than_can_be_read_at_once(shipped: list[Module]) -> None:
    too_long = {str(module): module.lines for module in shipped if module.lines > LARGEST}

    assert too_long == {}


def test_most_modules_hold_one_idea(shipped: list[Module]) -> None:
    # Packages' fronts only export, so they would flatter the figures.
    sizes = [module.lines for module in shipped if module.path.name != "__init__.py"]

    assert median(sizes) < MEDIAN
    assert quantiles(sizes, n=10)[-1] < NINETIETH
