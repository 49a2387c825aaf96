"""Every adapter of `Outcomes`: why nothing came of a delivery."""

from reactor.ports import Outcomes


async def test_what_nothing_came_of_is_told_with_its_word(outcomes: Outcomes) -> None:
    await outcomes.ignore("github.com/d-1", "no_reaction")

    assert await outcomes.ignored("github.com/d-1") == "no_reaction"


async def test_of_others_nothing_is_known(outcomes: Outcomes) -> None:
    await outcomes.ignore("github.com/d-1", "no_reaction")

    assert await outcomes.ignored("github.com/d-2") == ""
    assert await outcomes.ignored("ghe.acme.example/d-1") == ""


async def test_the_newest_word_counts(outcomes: Outcomes) -> None:
    await outcomes.ignore("github.com/d-1", "no_reaction")
    await outcomes.ignore("github.com/d-1", "storm")

    assert await outcomes.ignored("github.com/d-1") == "storm"
