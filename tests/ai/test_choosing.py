"""A model says how candidates suit a wish; which one is taken, if any, is decided by its numbers."""

import pickle
from dataclasses import dataclass

import pytest

from reactor.ai import BadAnswer
from reactor.ai.choosing import NothingSuits, Ranked, Ranking, rank
from reactor.testing import FakeAi
from reactor.untrusted import fence

WISH = fence("Sum this up.")


@dataclass(frozen=True)
class Offer:
    name: str
    description: str = "Does something."
    examples: tuple[str, ...] = ()


CANDIDATES = (Offer("sorter"), Offer("reporter", "Writes\nreports.", ("sum this up",)))


def answer(**confidence: float) -> dict[str, object]:
    return {"ranked": [{"name": name, "confidence": c} for name, c in confidence.items()]}


def ranking(**confidence: float) -> Ranking:
    ranked = (Ranked(name=name, confidence=c) for name, c in confidence.items())
    return Ranking(ranked=tuple(ranked))


# Asking ------------------------------------------------------------------------------------


async def test_the_most_fitting_is_first_whatever_the_order_of_the_answer() -> None:
    ai = FakeAi(answer(sorter=0.2, reporter=0.9))

    found = await rank(ai, WISH, CANDIDATES)

    assert [(each.name, each.confidence) for each in found.ranked] == [
        ("reporter", 0.9),
        ("sorter", 0.2),
    ]


async def test_equals_are_taken_by_name() -> None:
    ai = FakeAi(answer(sorter=0.7, reporter=0.7))

    found = await rank(ai, WISH, CANDIDATES)

    assert found.best(cutoff=0.5).name == "reporter"


async def test_the_model_reads_what_each_is_for_and_the_wish_within_its_fence() -> None:
    ai = FakeAi(answer())

    await rank(ai, WISH, CANDIDATES)

    (prompt,) = ai.prompts
    assert '- reporter: Writes reports.\n  Asked for as: "sum this up"\n- sorter: Does' in prompt
    assert prompt.endswith(WISH)


async def test_the_order_of_candidates_makes_no_other_prompt() -> None:
    ai = FakeAi(answer(), answer())

    await rank(ai, WISH, CANDIDATES)
    await rank(ai, WISH, tuple(reversed(CANDIDATES)))

    first, second = ai.prompts
    assert first == second


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (answer(deployer=1.0), "ranked.0.name: Input should be 'reporter' or 'sorter'"),
        (answer(reporter=1.5), "ranked.0.confidence: Input should be less than or equal to 1"),
        (answer(reporter=-1), "ranked.0.confidence: Input should be greater than or equal to 0"),
        (
            {"ranked": [{"name": "sorter", "confidence": c} for c in (0.1, 0.9)]},
            "name each once; twice there: sorter",
        ),
    ],
)
async def test_what_can_not_be_meant_is_told_to_the_model(
    bad: dict[str, object], told: str
) -> None:
    ai = FakeAi(bad, answer(reporter=0.9))

    found = await rank(ai, WISH, CANDIDATES)

    assert found.ranked[0].name == "reporter"
    assert told in ai.prompts[1]


async def test_a_model_that_insists_on_a_name_of_its_own_is_not_believed() -> None:
    ai = FakeAi(*[answer(deployer=1.0)] * 4)

    with pytest.raises(BadAnswer):
        await rank(ai, WISH, CANDIDATES)


async def test_one_that_is_left_out_does_not_suit_at_all() -> None:
    found = await rank(FakeAi(answer(sorter=0.4)), WISH, CANDIDATES)

    assert {each.name: each.confidence for each in found.ranked} == {"sorter": 0.4, "reporter": 0}


async def test_what_a_model_says_of_one_is_kept_short() -> None:
    said = {"ranked": [{"name": "sorter", "confidence": 1, "why": "because " * 100}]}

    found = await rank(FakeAi(said), WISH, CANDIDATES)

    assert len(found.ranked[0].why) == 200


async def test_nobody_is_asked_where_there_is_nothing_to_choose_from() -> None:
    ai = FakeAi()

    assert await rank(ai, WISH, ()) == Ranking()
    assert ai.prompts == ()


# Taking one ----------------------------------------------------------------------------------


def test_as_confident_as_wanted_is_enough() -> None:
    assert ranking(a=0.6, b=0.1).best(cutoff=0.6).name == "a"


def test_below_that_nothing_suits_and_the_ranking_is_told() -> None:
    with pytest.raises(NothingSuits) as nothing:
        ranking(a=0.59, b=0.3, c=0.2, d=0.1).best(cutoff=0.6)

    assert nothing.value.ranking.ranked[3].name == "d"
    assert str(nothing.value) == (
        "nothing that is on offer suits what is asked (confidence: a 0.59, b 0.30, c 0.20;"
        " 0.60 is wanted); say it in other words"
    )
    assert str(pickle.loads(pickle.dumps(nothing.value))) == str(nothing.value)


def test_nothing_suits_where_nothing_is_on_offer() -> None:
    with pytest.raises(NothingSuits, match="nothing is on offer"):
        ranking().best(cutoff=0.0)
