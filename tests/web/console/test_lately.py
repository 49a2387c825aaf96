"""Heads of lately: complete back to where it says so, and read once."""

from datetime import timedelta

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.ports import Commit, Place, Recent
from reactor.status import ProcessHead, Status
from reactor.web.console.lately import Lately

CLOCK = ManualClock()
BEGAN = CLOCK.now()


class CountedBoards(MemoryBoards):
    """Counts the heads that are read."""

    def __init__(self) -> None:
        super().__init__(Codec(TypeCatalog()), ManualClock())
        self.read_heads = 0
        self.is_empty = False

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        if self.is_empty:
            return []
        found = await super().recent(limit=limit, before=before)
        self.read_heads += len(found)
        return found

    async def put(self, number: int, at_s: float, status: Status = Status.COMPLETED) -> None:
        name, delivery = f"p{number:024x}", f"github.com/{number}"
        lease = timedelta(seconds=9)
        opened = await self.open(name, delivery=delivery, owner="w", lease=lease)
        at = BEGAN + timedelta(seconds=at_s)
        head = ProcessHead(
            id=name,
            delivery=delivery,
            reaction="everything",
            subject="github.com/9#7",
            agent="reactor",
            planner="utility",
            status=status,
            created_at=at,
            updated_at=at,
        )
        await self.commit(opened.lease, Commit(head=head))


async def test_all_of_a_window_is_there_and_read_no_further_than_that() -> None:
    boards = CountedBoards()
    for number in range(3000):
        await boards.put(number, number)

    heads, is_whole = await Lately(boards).since(BEGAN + timedelta(seconds=2500))

    assert len(heads) == 500
    assert is_whole
    assert boards.read_heads < 1500


async def test_a_second_look_reads_only_what_is_new() -> None:
    boards, moment = CountedBoards(), BEGAN
    lately = Lately(boards)
    for number in range(2000):
        await boards.put(number, number)
    await lately.since(moment)
    read_before = boards.read_heads
    await boards.put(2000, 2000)
    await boards.put(1999, 2001, Status.FAILED)  # one that changed again

    heads, is_whole = await lately.since(moment)

    assert len(heads) == 2001
    assert [head.status for head in heads].count(Status.FAILED) == 1
    assert is_whole
    assert boards.read_heads - read_before <= 200


async def test_a_longer_window_reads_on_from_where_it_was() -> None:
    boards = CountedBoards()
    lately = Lately(boards)
    for number in range(3000):
        await boards.put(number, number)
    await lately.since(BEGAN + timedelta(seconds=2900))

    heads, is_whole = await lately.since(BEGAN)

    assert len(heads) == 3000
    assert is_whole


async def test_there_is_an_end_to_what_is_kept_and_it_says_so() -> None:
    boards = CountedBoards()
    lately = Lately(boards, most=300)
    for number in range(1000):
        await boards.put(number, number)

    first, is_first_whole = await lately.since(BEGAN)
    for number in range(1000, 2000):
        await boards.put(number, number)
    second, is_second_whole = await lately.since(BEGAN)
    newest, is_whole = await lately.since(BEGAN + timedelta(seconds=1900))

    assert (len(first), is_first_whole) == (300, False)
    assert (len(second), is_second_whole) == (300, False)
    assert {int(head.id[1:], 16) for head in newest} == set(range(1900, 2000))
    assert is_whole


async def test_more_news_than_is_kept_leaves_no_gap() -> None:
    boards = CountedBoards()
    lately = Lately(boards, most=300)
    await boards.put(0, 0)
    await lately.since(BEGAN)
    for number in range(1, 1000):
        await boards.put(number, 1000 + number)

    heads, is_whole = await lately.since(BEGAN)

    numbers = sorted(int(head.id[1:], 16) for head in heads)
    assert numbers == list(range(700, 1000))
    assert not is_whole


async def test_a_store_that_was_emptied_leaves_nothing() -> None:
    boards = CountedBoards()
    lately = Lately(boards)
    await boards.put(1, 1)
    await lately.since(BEGAN)
    boards.is_empty = True

    assert await lately.since(BEGAN) == ([], True)
