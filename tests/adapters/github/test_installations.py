"""Installations are written down when they are new, and not with each delivery."""

import asyncio
from collections.abc import Mapping

import pytest

from reactor import EffectDelayed, InfrastructureError
from reactor.adapters.github.installations import Installations, MemoryInstallations

HOST = "github.com"


class Counted(MemoryInstallations):
    """Counts, and can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = self.writes = 0
        self.is_away = False

    async def read(self, host: str, repository_id: int) -> int | None:
        self.reads += 1
        if self.is_away:
            raise InfrastructureError("Redis", "it is away")
        return await super().read(host, repository_id)

    async def write(self, host: str, repository_id: int, installation: int | None) -> None:
        self.writes += 1
        await super().write(host, repository_id, installation)


def told(installation: object, repository: object = 1) -> Mapping[str, object]:
    return {"repository": {"id": repository}, "installation": {"id": installation}}


async def test_many_deliveries_of_a_repository_cost_one_write() -> None:
    store = Counted()
    installations = Installations(store, lambda: 0.0)

    for _ in range(50):
        await installations.note(HOST, told(42))

    assert (store.reads, store.writes) == (1, 1)


async def test_another_process_does_not_write_what_is_written_already() -> None:
    store = Counted()
    await Installations(store, lambda: 0.0).note(HOST, told(42))

    await Installations(store, lambda: 0.0).note(HOST, told(42))

    assert store.writes == 1


async def test_another_installation_replaces_the_one_before() -> None:
    store = Counted()
    installations = Installations(store, lambda: 0.0)
    await installations.note(HOST, told(42))

    await installations.note(HOST, told(43))

    found = await asyncio.to_thread(installations.find, HOST, 1, lambda: None)
    assert found == 43


@pytest.mark.parametrize(
    "payload",
    [{}, told(None), told("42"), told(True), told(42, None), told(-1), {"installation": [1]}],
)
async def test_a_delivery_that_tells_of_none_changes_nothing(payload: Mapping[str, object]) -> None:
    store = Counted()

    await Installations(store, lambda: 0.0).note(HOST, payload)

    assert (store.reads, store.writes) == (0, 0)


async def test_while_the_store_is_away_an_effect_is_delayed() -> None:
    store = Counted()
    installations = Installations(store, lambda: 0.0)
    store.is_away = True

    with pytest.raises(EffectDelayed, match="can't be read now"):
        await asyncio.to_thread(installations.find, HOST, 1, lambda: 42)


async def test_what_is_known_here_is_believed_for_a_minute() -> None:
    now_s = [0.0]
    installations = Installations(Counted(), lambda: now_s[0])
    assert not installations.believes(HOST, told(42))
    await installations.note(HOST, told(42))

    assert installations.believes(HOST, told(42))
    assert not installations.believes(HOST, told(43))
    assert installations.believes(HOST, told(None))
    now_s[0] = 61.0
    assert not installations.believes(HOST, told(42))


async def test_what_is_dropped_is_asked_for_again() -> None:
    installations = Installations(Counted(), lambda: 0.0)
    await installations.note(HOST, told(42))
    assert await asyncio.to_thread(installations.find, HOST, 2, lambda: None) is None

    await installations.drop(HOST, [1, 2])

    assert await asyncio.to_thread(installations.find, HOST, 1, lambda: 43) == 43
    assert await asyncio.to_thread(installations.find, HOST, 2, lambda: 44) == 44


async def test_what_another_worker_has_learnt_counts_here_within_a_minute() -> None:
    store, now_s = Counted(), [0.0]
    here = Installations(store, lambda: now_s[0])
    await here.note(HOST, told(42))
    await Installations(store, lambda: 0.0).note(HOST, told(43))

    before = await asyncio.to_thread(here.find, HOST, 1, lambda: None)
    now_s[0] = 61.0
    after = await asyncio.to_thread(here.find, HOST, 1, lambda: None)

    assert (before, after) == (42, 43)
