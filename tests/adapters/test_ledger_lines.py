"""What the ledger gives to be sent has passed the checks of its kind, however it was made."""

from dataclasses import replace

from reactor.adapters.ledger_lines import LedgerLines
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.github.effect_fields import WithText
from reactor.github.effects import EFFECT_TYPES, PostComment
from reactor.ledger import Intent
from tests.contract.ledgers import intent


class Greet(WithText):
    """A team's own kind."""

    name: str = ""


LINES = LedgerLines(Codec(TypeCatalog((*EFFECT_TYPES, Greet))))


def wanting(effect: WithText) -> Intent:
    made = intent()
    return replace(made, record=replace(made.record, effect=effect))


def read_back(effect: WithText) -> WithText:
    sent = LINES.read(LINES.write(wanting(effect))).record.effect
    assert isinstance(sent, type(effect))
    return sent


def test_a_text_that_went_around_the_checks_mentions_nobody_when_it_is_sent() -> None:
    unchecked = PostComment.model_construct(mentions=(), body="@octo/everyone look")

    assert "@octo" not in read_back(unchecked).body


def test_a_text_that_was_changed_afterwards_is_cut_when_it_is_sent() -> None:
    grown = PostComment(body="short").model_copy(update={"body": "x" * 70_000})

    assert len(read_back(grown).body) <= 65_536


def test_a_teams_own_kind_of_text_is_held_to_the_same() -> None:
    unchecked = Greet.model_construct(mentions=(), body="@everyone welcome")

    assert "@everyone" not in read_back(unchecked).body
