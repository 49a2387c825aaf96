"""Every adapter of `Boards`: what is wished of a process reaches who runs it."""

from datetime import timedelta

from reactor.ports import Boards, Commit, Opened
from tests.contract.samples import head

D1 = "github.com/d-1"


async def opened(boards: Boards, owner: str = "a") -> Opened:
    return await boards.open("p1", delivery=D1, owner=owner, lease=timedelta(minutes=5))


async def test_nothing_can_be_wished_of_a_process_that_is_not_there(boards: Boards) -> None:
    assert not await boards.wish("p1", "kill")
    assert (await opened(boards)).wish is None


async def test_who_holds_the_process_sees_a_wish_with_the_next_commit(boards: Boards) -> None:
    lease = (await opened(boards)).lease
    assert await boards.commit(lease, Commit(head=head("p1"))) is None

    assert await boards.wish("p1", "pause")

    assert await boards.commit(lease, Commit(head=head("p1"))) == "pause"


async def test_who_opens_the_process_sees_the_newest_wish(boards: Boards) -> None:
    lease = (await opened(boards)).lease
    await boards.commit(lease, Commit(head=head("p1"), is_last=True))

    await boards.wish("p1", "pause")
    await boards.wish("p1", "resume")

    assert (await opened(boards, "b")).wish == "resume"
    assert (await opened(boards, "b")).wish == "resume"


async def test_a_process_that_was_never_committed_can_be_wished_something(boards: Boards) -> None:
    await opened(boards)

    assert await boards.wish("p1", "kill")

    assert (await opened(boards)).wish == "kill"
