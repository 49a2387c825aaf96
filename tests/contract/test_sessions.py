"""Every adapter of `Sessions`: who logged in stays so until his time is over, or he leaves."""

from datetime import timedelta

from reactor.adapters.clock import ManualClock
from reactor.session import Session, Sessions, session_key

HOUR = timedelta(hours=1)
KEY = session_key("a secret")


def session(clock: ManualClock, **changed: object) -> Session:
    fields: dict[str, object] = {
        "name": "Änn \N{CAT FACE}",
        "may_change": True,
        "token": "0" * 64,
        "until": clock.now() + HOUR,
    }
    return Session(**{**fields, **changed})  # type: ignore[arg-type]


async def test_a_session_comes_back_as_it_was_by_its_key_alone(
    sessions: Sessions, session_clock: ManualClock
) -> None:
    begun = session(session_clock)
    await sessions.begin(KEY, begun)

    assert await sessions.find(KEY) == begun
    assert await sessions.find("a secret") is None
    assert await sessions.find(session_key("another")) is None


async def test_one_that_may_only_look_stays_one(
    sessions: Sessions, session_clock: ManualClock
) -> None:
    await sessions.begin(KEY, session(session_clock, may_change=False))

    found = await sessions.find(KEY)

    assert found is not None
    assert found.may_change is False


async def test_it_is_over_when_its_time_is(sessions: Sessions, session_clock: ManualClock) -> None:
    await sessions.begin(KEY, session(session_clock))
    session_clock.move(HOUR)

    assert await sessions.find(KEY) is None


async def test_one_that_is_over_already_never_begins(
    sessions: Sessions, session_clock: ManualClock
) -> None:
    await sessions.begin(KEY, session(session_clock, until=session_clock.now()))

    assert await sessions.find(KEY) is None


async def test_one_that_was_ended_counts_no_more_and_ending_it_again_does_no_harm(
    sessions: Sessions, session_clock: ManualClock
) -> None:
    await sessions.begin(KEY, session(session_clock))

    await sessions.end(KEY)
    await sessions.end(KEY)

    assert await sessions.find(KEY) is None
