"""Components that have something open: begun and ended with their worker, in isolation."""

import asyncio
from typing import Self

import pytest

from reactor import Package, Platform, action, component
from reactor.adapters.clock import ManualClock
from reactor.breakers import Breakers, reasons_of
from reactor.noticing import Noticing
from reactor.wiring.starting import Starting, started
from tests.test_breakers import head


@component(name="opens")
class Opens:
    """Keeps something open; tests say how well that goes."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.fails = 0  # so many times
        self.hangs = False
        self.fails_at_the_end = False

    async def __aenter__(self) -> Self:
        self.did.append("start")
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails:
            self.fails -= 1
            raise ConnectionError("nobody is there")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.did.append("end")
        if self.fails_at_the_end:
            raise RuntimeError("not now")

    @action
    async def use(self) -> None:
        """Use it."""


@component
class Plain:
    @action
    async def act(self) -> None:
        """Needs nothing."""


class Site:
    """A platform with such a component, and what its worker has for it."""

    def __init__(self) -> None:
        self.opens, clock = Opens(), ManualClock()
        package = Package(name="rooms", components=(self.opens, Plain))
        self.platform = Platform(packages=[package])
        self.breakers, self.noticing = Breakers(clock), Noticing(clock.now)
        self.paused: list[float] = []
        self.may_go_on = asyncio.Event()

    def starting(self, **bounds: float) -> Starting:
        async def pause(seconds: float) -> None:
            self.paused.append(seconds)
            await self.may_go_on.wait()

        return Starting(breakers=self.breakers, noticing=self.noticing, pause=pause, **bounds)

    async def left_out(self) -> str:
        told = reasons_of(await self.breakers.why_away(head("p-1")))
        assert set(told) <= {"opens"}, "nobody else is left out with it"
        return told.get("opens", "")


@pytest.fixture
def site() -> Site:
    return Site()


async def test_it_is_entered_before_work_begins_and_left_after_it(site: Site) -> None:
    async with started(site.platform, site.starting()):
        assert site.opens.did == ["start"]
        assert await site.left_out() == ""

    assert site.opens.did == ["start", "end"]


async def test_one_that_fails_is_left_out_told_and_tried_again(site: Site) -> None:
    site.opens.fails = 2

    async with started(site.platform, site.starting()):
        assert "could not be started: ConnectionError: nobody is there" in await site.left_out()
        site.may_go_on.set()
        async with asyncio.timeout(10):
            while await site.left_out():  # noqa: ASYNC110 - told by nobody
                await asyncio.sleep(0)

    assert site.paused == [1.0, 2.0]
    assert site.opens.did == ["start", "start", "start", "end"]
    troubles = site.noticing.taken(site.platform)
    assert [(each.component, each.kind) for each in troubles] == [("opens", "failed")] * 2


async def test_one_that_hangs_keeps_nobody_from_working(site: Site) -> None:
    site.opens.hangs = True

    async with started(site.platform, site.starting(start_s=0.01)):
        assert "it took longer than 0.01 s" in await site.left_out()

    assert site.opens.did == ["start"]


async def test_one_that_fails_at_the_end_harms_nobody(site: Site) -> None:
    site.opens.fails_at_the_end = True

    async with started(site.platform, site.starting()):
        pass

    assert site.opens.did == ["start", "end"]


async def test_it_is_left_also_where_work_ends_with_an_error(site: Site) -> None:
    with pytest.raises(ExceptionGroup):
        async with started(site.platform, site.starting()):
            raise ValueError("the worker")

    assert site.opens.did == ["start", "end"]
