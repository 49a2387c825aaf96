"""The permissions that are asked for are those that are needed: no less, and of writes no more."""

import pytest

from reactor import Effect, EffectGivenUp
from reactor.github.app_permissions import wanted
from tests.adapters.github.conftest import Desk
from tests.adapters.github.test_executor import after, each_kind, prepare
from tests.adapters.github.wishes import WISHES
from tests.fixtures.github.fake import INSTALLATION


def grant(desk: Desk, granted: dict[str, str]) -> None:
    """That, and nothing else, from the next token on."""
    desk.fake.world.installations[INSTALLATION].permissions = granted
    for token in desk.fake.world.tokens.values():
        if token.installation is not None:
            token.permissions = granted


@each_kind
async def test_an_effect_needs_no_more_than_its_row_says(desk: Desk, kind: type[Effect]) -> None:
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    grant(desk, dict(wanted([kind])))

    await desk.send(effect, issue=wish.number)

    assert after(desk, wish) == wish.expected


@each_kind
async def test_without_it_the_effect_waits_for_whoever_grants_it(
    desk: Desk, kind: type[Effect]
) -> None:
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    before = after(desk, wish)
    grant(desk, dict.fromkeys(wanted([kind]), "read"))

    with pytest.raises(EffectGivenUp, match=r"lacks a permission: .*=write"):
        await desk.send(effect, issue=wish.number)

    assert after(desk, wish) == before
