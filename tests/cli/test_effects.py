"""Effects that were given up, on the command line, over a Redis."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from typer.testing import Result

from reactor.adapters.redis_client import connect
from reactor.adapters.redis_ledger import RedisLedger
from reactor.codec import Codec
from reactor.ledger import Fate, Outcome, Sending
from reactor.unsent import NotGivenUp
from reactor.wiring.redis import NoServer
from tests.contract.ledgers import PLENTY, SUBJECT, intent
from tests.contract.samples import CATALOG, NOW

Run = Callable[..., Result]
KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
OTHER = "ffff2c3d4e5f60718293a4b5c6d7e8f9"


@pytest.mark.parametrize("words", [("list",), ("retry", "0a1b", "--yes")])
def test_without_servers_it_is_said_what_to_set(run: Run, words: tuple[str, ...]) -> None:
    result = run("effects", *words)

    assert isinstance(result.exception, NoServer)


def test_nothing_is_sent_again_that_nobody_has_named(run: Run) -> None:
    result = run("effects", "retry", "--yes")

    assert result.exit_code == 2
    assert "--every" in result.output


@pytest.fixture
def over_redis(run: Run, redis_url: str, redis_prefix: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run` in an installation in which two effects were given up."""
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setenv("REACTOR_REDIS_PREFIX", redis_prefix)

    async def give_up() -> None:
        client = connect(redis_url)
        ledger = RedisLedger(client, Codec(CATALOG), prefix=redis_prefix)
        for key, reason in ((KEY, "away\x1b[2J for a day"), (OTHER, "nothing sends it")):
            await ledger.enrol([intent(key)], PLENTY, now=NOW)
            found = await ledger.begin(SUBJECT, owner="a", lease=timedelta(seconds=1), now=NOW)
            assert isinstance(found, Sending)
            await ledger.finish(found, Outcome(state="given_up", reason=reason), now=NOW)
        await client.aclose()

    asyncio.run(give_up())
    return run


async def fates(redis_url: str, prefix: str) -> dict[str, Fate]:
    client = connect(redis_url)
    ledger = RedisLedger(client, Codec(CATALOG), prefix=prefix)
    found = dict(await ledger.fates(SUBJECT, [KEY, OTHER]))
    await client.aclose()
    return found


@pytest.mark.redis
def test_they_are_listed_with_what_they_are_and_why(over_redis: Run) -> None:
    result = over_redis("effects", "list")

    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if line.startswith(KEY[:12])]
    for word in ("2026-", "AddLabels", "octo/hello#7", "d-1", "away [2J for a day"):
        assert word in line


@pytest.mark.redis
def test_for_programs_they_are_one_document(over_redis: Run) -> None:
    told = json.loads(over_redis("effects", "list", "--limit", "1", "--json").stdout)

    assert told["found"] == 2
    (effect,) = told["effects"]
    assert (effect["effect"], effect["subject"], effect["tries"]) == (
        "AddLabels",
        "octo/hello#7",
        1,
    )


@pytest.mark.redis
def test_a_dry_run_only_tells_which_ones_it_would_be(
    over_redis: Run, redis_url: str, redis_prefix: str
) -> None:
    result = over_redis("effects", "retry", "--repo", "octo/hello", "--dry-run")

    assert result.stdout.splitlines()[-1] == "effects: would be retried: 2"
    found = asyncio.run(fates(redis_url, redis_prefix))
    assert {fate.state for fate in found.values()} == {"given_up"}


@pytest.mark.redis
def test_one_that_is_named_is_due_again_and_given_up_no_more(
    over_redis: Run, redis_url: str, redis_prefix: str
) -> None:
    result = over_redis("effects", "retry", KEY[:8], "--yes")

    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "effects: retried=1 skipped=0"
    found = asyncio.run(fates(redis_url, redis_prefix))
    assert (found[KEY].state, found[OTHER].state) == ("due", "given_up")
    again = over_redis("effects", "retry", KEY[:8], "--yes")
    assert isinstance(again.exception, NotGivenUp)


@pytest.mark.redis
def test_without_yes_it_is_asked_first(over_redis: Run, redis_url: str, redis_prefix: str) -> None:
    result = over_redis("effects", "retry", "--every", stdin=b"n\n")

    assert result.exit_code == 1
    found = asyncio.run(fates(redis_url, redis_prefix))
    assert {fate.state for fate in found.values()} == {"given_up"}


@pytest.mark.redis
def test_when_nothing_is_given_up_it_is_said(over_redis: Run) -> None:
    over_redis("effects", "retry", "--every", "--yes")

    assert over_redis("effects", "list").stdout.strip() == "no effect is given up"
    assert over_redis("effects", "retry", "--every").stdout.strip() == "no effect is meant"
