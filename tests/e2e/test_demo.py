"""The demo ends by itself, and says what it did in its last line."""

import re
from dataclasses import replace

import pytest

from tests.fixtures.site import Site
from tests.fixtures.watched import Watch

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


async def test_the_demo_loses_nothing_and_shows_each_path(embedded_site: Site) -> None:
    watch = Watch(embedded_site.folder / "noted")
    watched = replace(embedded_site, environ={**embedded_site.environ, **watch.environ})

    demo = watched.start("demo", "demo")

    assert demo.wait(150) == 0, embedded_site.log("demo")
    *lines, last = embedded_site.log("demo").splitlines()
    counts = re.fullmatch(
        r"demo: accepted=(\d+) duplicates=(\d+) refused=(\d+) processes=(\d+) effects=(\d+)"
        r" lost=(\d+)",
        last,
    )
    assert counts, last
    accepted, duplicates, refused, processes, effects, lost = map(int, counts.groups())
    assert (accepted, duplicates, refused, processes, lost) == (7, 1, 1, 7, 0)
    assert effects >= 5
    nouns = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    for noun in ("delivery", "topic", "blackboard", "plan", "action", "effect"):
        assert nouns.count(noun) == accepted
    assert watch.imported == set()  # of models' clients, by any of its processes
    assert watch.went_out == []
