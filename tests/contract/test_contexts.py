"""Every adapter of `Contexts`: facts that outlive the process that saved them."""

import asyncio

from reactor.encoded import Encoded
from reactor.ports import Contexts
from tests.contract.samples import CATALOG, Account, Issue

REPOSITORY = "github.com/1296269"


async def test_nothing_is_known_where_nothing_was_saved(contexts: Contexts) -> None:
    assert await contexts.load(REPOSITORY) == {}


async def test_what_was_saved_comes_back_as_it_was(contexts: Contexts) -> None:
    account = Account(login="octo\nocto", id=2**40)
    facts = {"owner": CATALOG.encode(account), "seen": CATALOG.encode([1, "ä\n"])}

    await contexts.save(REPOSITORY, facts)

    loaded = await contexts.load(REPOSITORY)
    assert loaded == facts
    assert CATALOG.decode(*loaded["owner"]) == account


async def test_a_later_fact_of_one_name_replaces_it_and_the_others_stay(contexts: Contexts) -> None:
    first, second = (CATALOG.encode(Issue(number=n, title="x")) for n in (1, 2))
    other = CATALOG.encode("other")
    await contexts.save(REPOSITORY, {"issue": first, "other": other})

    await contexts.save(REPOSITORY, {"issue": second})

    assert await contexts.load(REPOSITORY) == {"issue": second, "other": other}


async def test_saving_nothing_changes_nothing(contexts: Contexts) -> None:
    await contexts.save(REPOSITORY, {})

    assert await contexts.load(REPOSITORY) == {}


async def test_contexts_are_kept_apart(contexts: Contexts) -> None:
    fact = Encoded("str", b'"calm"')
    await contexts.save(REPOSITORY, {"mood": fact})

    assert await contexts.load(REPOSITORY + "0") == {}


async def test_many_savers_at_once_lose_nothing_of_each_other(contexts: Contexts) -> None:
    fact = Encoded("int", b"1")

    await asyncio.gather(*(contexts.save(REPOSITORY, {f"n{n}": fact}) for n in range(20)))

    assert len(await contexts.load(REPOSITORY)) == 20
