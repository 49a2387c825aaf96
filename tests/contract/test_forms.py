"""Every adapter of `OpenForms`: an index of what people are asked."""

from datetime import timedelta

from reactor.ports import OpenForms
from tests.contract.samples import NOW

MINUTE = timedelta(minutes=1)


async def test_what_was_asked_last_comes_first_up_to_the_limit(forms: OpenForms) -> None:
    for number in (2, 1, 3):
        await forms.add(f"p{number}-1", asked_at=NOW + number * MINUTE)

    assert await forms.newest(limit=2) == ["p3-1", "p2-1"]
    assert await forms.newest(limit=0) == []


async def test_adding_it_again_lists_it_once(forms: OpenForms) -> None:
    await forms.add("p1-1", asked_at=NOW)
    await forms.add("p1-1", asked_at=NOW)

    assert await forms.newest(limit=10) == ["p1-1"]


async def test_what_was_removed_is_gone_and_removing_it_again_does_no_harm(
    forms: OpenForms,
) -> None:
    await forms.add("p1-1", asked_at=NOW)
    await forms.add("p1-2", asked_at=NOW)

    await forms.remove("p1-1")
    await forms.remove("p1-1")

    assert await forms.newest(limit=10) == ["p1-2"]
