"""Which effects that were given up are meant, and in which order they are driven again."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.ledger import GivenUp, Intent, Outcome, Sending
from reactor.unsent import NotGivenUp, Selection, in_order, listed
from tests.contract.ledgers import PLENTY, SUBJECT, MemoryLedgerStore, at, intent


def given_up(key: str = "0a1b", *, after_s: float = 0) -> GivenUp:
    return GivenUp(intent=intent(key), at=at(after_s), attempts=3, reason="away")


@pytest.mark.parametrize(
    ("selection", "fits"),
    [
        (Selection(), True),
        (Selection(keys=("0a",)), True),
        (Selection(keys=("0b", "0a1b")), True),
        (Selection(keys=("a1b",)), False),
        (Selection(kind="AddLabels"), True),
        (Selection(kind="Comment"), False),
        (Selection(repo="octo/hello"), True),
        (Selection(repo="octo/hell"), False),
        (Selection(subject="octo/hello#7"), True),
        (Selection(subject=SUBJECT), True),
        (Selection(subject="octo/hello#8"), False),
        (Selection(delivery="d-1"), True),
        (Selection(delivery="github.com/d-1"), True),
        (Selection(delivery="d-2"), False),
        (Selection(since=at(0)), True),
        (Selection(since=at(1)), False),
        (Selection(until=at(1)), True),
        (Selection(until=at(0)), False),
        (Selection(kind="AddLabels", repo="octo/other"), False),
    ],
    ids=repr,
)
def test_all_that_is_said_has_to_fit(selection: Selection, fits: bool) -> None:
    assert selection.fits(given_up()) is fits


def test_only_a_selection_that_says_nothing_means_everything() -> None:
    assert Selection().is_open
    assert not Selection(keys=("0a",)).is_open


def test_they_are_driven_again_in_the_order_in_which_they_were_given_up() -> None:
    found = [given_up("c", after_s=9), given_up("b", after_s=4), given_up("a", after_s=7)]

    assert [each.intent.key for each in in_order(found)] == ["b", "a", "c"]


async def store_with(*intents: Intent) -> MemoryLedgerStore:
    store = MemoryLedgerStore.new()
    for number, each in enumerate(intents):
        await store.ledger.enrol([each], PLENTY, now=at(number))
        found = await store.ledger.begin(
            SUBJECT, owner="a", lease=timedelta(seconds=1), now=at(number)
        )
        assert isinstance(found, Sending)
        await store.ledger.finish(found, Outcome(state="given_up"), now=at(number))
    return store


async def test_those_that_are_meant_are_listed_newest_first() -> None:
    store = await store_with(intent("0a1b"), intent("0a2c", delivery="github.com/d-2"))

    everything = await listed(store.ledger, Selection())
    one = await listed(store.ledger, Selection(keys=("0a1",)))

    assert [each.intent.key for each in everything] == ["0a2c", "0a1b"]
    assert [each.intent.key for each in one] == ["0a1b"]


@pytest.mark.parametrize(("key", "said"), [("0a", "0a2c, 0a1b"), ("ff", "reactor effects list")])
async def test_a_key_that_is_of_none_or_of_several_is_told(key: str, said: str) -> None:
    store = await store_with(intent("0a1b"), intent("0a2c"))

    with pytest.raises(NotGivenUp, match=said):
        await listed(store.ledger, Selection(keys=(key,)))


def test_what_is_meant_by_its_key_is_not_meant_at_another_time() -> None:
    selection = replace(Selection(keys=("0a",)), since=at(5))

    assert not selection.fits(given_up())
