"""The spool: what was acknowledged is there, in order, whatever happens to the process."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reactor.adapters.file_spool import (
    MIB,
    FileSpool,
    SpoolInUse,
    SpoolRefused,
    SpoolSize,
    SpoolUnreadable,
    SpoolUnusable,
    open_spool,
    size_of,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
async def spool(folder: Path) -> AsyncIterator[FileSpool]:
    async with open_spool(folder, size_up_to=MIB) as opened:
        yield opened


async def everything(spool: FileSpool) -> list[bytes]:
    """What waits, taken in the portions that the spool gives."""
    found: list[bytes] = []
    while items := await spool.head():
        found += items
        await spool.take(len(items))
    return found


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.items"))


async def test_items_are_given_in_order_and_stay_until_they_are_taken(spool: FileSpool) -> None:
    for item in (b"one", b"two", b"three"):
        await spool.append(item)

    assert await spool.head() == await spool.head() == [b"one", b"two", b"three"]

    await spool.take(2)

    assert await spool.head() == [b"three"]
    assert not spool.is_empty

    await spool.take(1)

    assert spool.is_empty
    assert await spool.head() == []


async def test_what_was_kept_and_not_taken_is_there_when_it_is_opened_again(folder: Path) -> None:
    async with open_spool(folder, size_up_to=MIB) as spool:
        for number in range(10):
            await spool.append(b"%d" % number)
        await spool.take(4)

    async with open_spool(folder, size_up_to=MIB) as spool:
        await spool.append(b"new")

        assert await everything(spool) == [b"%d" % number for number in range(4, 10)] + [b"new"]
        assert segments(folder) == []  # nothing is left of what was taken


async def test_appends_at_once_are_all_kept_and_share_their_way_to_the_disk(
    spool: FileSpool, folder: Path
) -> None:
    items = [b"%03d" % number for number in range(200)]

    await asyncio.gather(*map(spool.append, items))

    assert size_of(folder) == spool.size == SpoolSize(items=200, bytes=200 * 11)
    assert await everything(spool) == items


async def test_one_that_waits_no_more_takes_nothing_from_the_others(spool: FileSpool) -> None:
    appends = [asyncio.ensure_future(spool.append(item)) for item in (b"a", b"b", b"c")]
    await asyncio.sleep(0)
    appends[1].cancel()

    await asyncio.wait(appends)

    assert [each.cancelled() for each in appends] == [False, True, False]
    assert [item for item in await everything(spool) if item != b"b"] == [b"a", b"c"]


async def test_a_taking_whose_caller_waits_no_more_is_finished_before_the_folder_is_free(
    folder: Path,
) -> None:
    async with open_spool(folder, size_up_to=MIB) as spool:
        for item in (b"a", b"b"):
            await spool.append(item)
        taking = asyncio.ensure_future(spool.take(1))
        await asyncio.sleep(0)  # it has begun
        taking.cancel()
        await asyncio.wait([taking])

    async with open_spool(folder, size_up_to=MIB) as spool:
        assert await everything(spool) == [b"b"]


async def test_large_items_are_given_few_at_once(folder: Path) -> None:
    items = [bytes([number]) * 3 * MIB for number in range(4)]
    async with open_spool(folder, size_up_to=64 * MIB) as spool:
        for item in items:
            await spool.append(item)

        assert await spool.head(bytes_up_to=MIB) == items[:1]
        assert await spool.head(bytes_up_to=7 * MIB) == items[:2]


async def test_a_full_spool_says_so_and_takes_more_when_room_is_made(spool: FileSpool) -> None:
    item = b"x" * 100_000
    for _ in range(10):
        await spool.append(item)

    assert not spool.has_room
    with pytest.raises(SpoolRefused, match="it is full: 1 MB"):
        await spool.append(item)

    await spool.take(5)

    assert spool.has_room
    await spool.append(b"fits")
    assert await everything(spool) == [item] * 5 + [b"fits"]


@pytest.mark.parametrize("tail", [b"\0\0", b"\0\0\0\x05\0\0\0\0hel", b"\0" * 64, b"\xff" * 30])
async def test_what_was_written_halfway_is_cut_off(folder: Path, tail: bytes) -> None:
    async with open_spool(folder, size_up_to=MIB) as spool:
        await spool.append(b"whole")
    with segments(folder)[-1].open("ab") as file:
        file.write(tail)

    async with open_spool(folder, size_up_to=MIB) as spool:
        await spool.append(b"next")

        assert await everything(spool) == [b"whole", b"next"]


async def test_items_that_the_disk_has_spoilt_cost_no_others_and_are_kept_for_a_person(
    folder: Path,
) -> None:
    async with open_spool(folder, size_up_to=8 * 1024) as spool:  # segments of 1 kB
        for number in range(4):
            await spool.append(bytes([65 + number]) * 900)
    first = segments(folder)[0]
    spoilt = bytearray(first.read_bytes())
    spoilt[1000] ^= 1  # in the second item
    first.write_bytes(spoilt)

    async with open_spool(folder, size_up_to=8 * 1024) as spool:
        found = await everything(spool)

    assert [item[:1] for item in found] == [b"A", b"C", b"D"]
    assert (folder / "aside" / first.name).read_bytes() == spoilt


async def test_an_item_can_be_set_aside(spool: FileSpool) -> None:
    await spool.append(b"of no use")

    path = await spool.set_aside(b"of no use")
    await spool.take(1)

    assert path.read_bytes() == b"of no use"
    assert spool.is_empty


async def test_files_that_are_gone_are_told_and_nothing_is_added_to_nowhere(folder: Path) -> None:
    async with open_spool(folder, size_up_to=MIB) as spool:  # segments of 128 kB
        for number in range(3):
            await spool.append(b"%d" % number * 100_000)
        first, *others = segments(folder)
        first.rename(folder / "elsewhere")

        with pytest.raises(SpoolUnreadable, match="No such file"):
            await spool.head()
        with pytest.raises(SpoolUnreadable, match="bring its files back"):
            await spool.append(b"new")
        with pytest.raises(SpoolUnreadable):
            await spool.check()

        assert (spool.size.items, spool.is_readable, spool.has_room) == (3, False, False)
        assert others == segments(folder)

        (folder / "elsewhere").rename(first)  # the volume is back

        assert len(await spool.head()) == 3
        assert (spool.is_readable, spool.has_room) == (True, True)
        await spool.append(b"new")
        await spool.check()
        assert len(await everything(spool)) == 4


async def test_a_file_that_was_cut_short_is_not_given_as_if_it_were_whole(
    spool: FileSpool, folder: Path
) -> None:
    await spool.append(b"a" * 100)
    os.truncate(segments(folder)[0], 50)

    with pytest.raises(SpoolUnreadable, match="cut short"):
        await spool.head()
    with pytest.raises(SpoolUnreadable, match="cut short"):
        await spool.append(b"new")


def gone(folder: Path) -> None:
    shutil.rmtree(folder)


def replaced(folder: Path) -> None:
    """As it looks when a volume is no longer mounted there: the folder beneath it is seen."""
    folder.rename(folder.with_name("volume"))
    (folder / "aside").mkdir(parents=True)
    (folder / "lock").touch()


@pytest.mark.parametrize("breaks", [gone, replaced])
async def test_nothing_is_kept_in_a_folder_that_is_not_there_any_more(
    spool: FileSpool, folder: Path, breaks: Callable[[Path], None]
) -> None:
    await spool.check()
    await asyncio.to_thread(breaks, folder)

    with pytest.raises(SpoolUnreadable):
        await spool.append(b"one")
    with pytest.raises(SpoolUnreadable):
        await spool.check()

    assert spool.is_empty
    assert not spool.has_room
    assert segments(folder) == []


async def test_two_can_not_have_one_folder(spool: FileSpool, folder: Path) -> None:
    with pytest.raises(SpoolInUse, match="give each a folder of its own"):
        async with open_spool(folder, size_up_to=MIB):
            pass

    await spool.append(b"still ours")


async def test_a_folder_that_can_not_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SpoolUnusable, match=r"Not a directory\): mend that, or set another"):
        async with open_spool(tmp_path / "file" / "spool", size_up_to=MIB):
            pass


_FILLING = """
import asyncio, resource, sys
from pathlib import Path
from reactor.adapters.file_spool import SpoolRefused, open_spool

async def main(folder):
    async with open_spool(folder, size_up_to=1 << 20) as spool:
        await spool.append(b"before" * 100)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
        several = [spool.append(bytes([65 + n]) * 900) for n in range(4)]
        told = await asyncio.gather(*several, return_exceptions=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        await spool.append(b"after" * 100)
        print("room", spool.has_room)
    for each in told:
        print(isinstance(each, SpoolRefused), each)

asyncio.run(main(Path(sys.argv[1])))
"""


async def test_a_disk_that_takes_no_more_is_a_clear_error_and_keeps_what_it_has(
    folder: Path,
) -> None:
    """The limit of a process on the size of its files stands for a full disk."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", _FILLING, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    told = [line for line in done.stdout.splitlines() if line.startswith(("True", "False"))]
    assert len(told) == 4  # those that were written together are refused together
    assert all(line.startswith("True") and "keeps nothing more" in line for line in told)
    assert "room False" in done.stdout  # for a while it is not relied upon
    async with open_spool(folder, size_up_to=MIB) as spool:
        assert await everything(spool) == [b"before" * 100, b"after" * 100]


_TAKING = """
import asyncio, resource, sys
from pathlib import Path
from reactor.adapters.file_spool import SpoolRefused, open_spool

async def main(folder):
    async with open_spool(folder, size_up_to=8 << 10) as spool:  # segments of 1 kB
        for number in range(4):
            await spool.append(bytes([65 + number]) * 900)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        try:
            await spool.take(3)
        except SpoolRefused as error:
            print(error)
        print((await spool.head())[0][:1])

asyncio.run(main(Path(sys.argv[1])))
"""


async def test_taking_makes_room_on_a_disk_that_takes_nothing(folder: Path) -> None:
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", _TAKING, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert "keeps nothing more" in done.stdout
    assert done.stdout.endswith("b'D'\n")
    assert len(segments(folder)) < 4
    async with open_spool(folder, size_up_to=MIB) as spool:
        assert (await everything(spool))[-1] == b"D" * 900


_APPENDING = """
import asyncio, sys
from pathlib import Path
from reactor.adapters.file_spool import open_spool

async def main(folder):
    async with open_spool(folder, size_up_to=1 << 26) as spool:
        async def keep(lane):
            for number in range(100_000):
                await spool.append(b"%d-%d" % (lane, number))
                print(lane, number, flush=True)
        await asyncio.gather(*map(keep, range(4)))

asyncio.run(main(Path(sys.argv[1])))
"""


async def test_what_was_acknowledged_outlives_kill_9(folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _APPENDING, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    lines = [await process.stdout.readline() for _ in range(400)]
    process.kill()
    lines += (await process.stdout.read()).splitlines(keepends=True)
    await process.wait()

    acknowledged = [line.split() for line in lines if line.endswith(b"\n")]
    async with open_spool(folder, size_up_to=64 * MIB) as spool:
        found = await everything(spool)
    for lane in range(4):
        kept = [item for item in found if item.startswith(b"%d-" % lane)]
        assert kept == [b"%d-%d" % (lane, number) for number in range(len(kept))]  # none twice
        known = sum(told[0] == b"%d" % lane for told in acknowledged)
        assert known <= len(kept) <= known + 1  # the last one may not have been told any more


class SpoolMachine(RuleBasedStateMachine):
    """Appends, takings and crashes in any order, against a plain list."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self._made = tempfile.TemporaryDirectory()
        self.folder = Path(self._made.name)
        self.runner = asyncio.Runner()
        self.model: list[bytes] = []
        self.open()

    def open(self) -> None:
        self.context = open_spool(self.folder, size_up_to=64 * 1024)  # segments of 8 kB
        self.spool = self.runner.run(self.context.__aenter__())

    def close(self) -> None:
        self.runner.run(self.context.__aexit__(None, None, None))

    @rule(sizes=st.lists(st.integers(min_value=0, max_value=3_000), min_size=1, max_size=8))
    def append_at_once(self, sizes: list[int]) -> None:
        items = [os.urandom(size) for size in sizes]

        async def appends() -> list[object]:
            return await asyncio.gather(*map(self.spool.append, items), return_exceptions=True)

        told = self.runner.run(appends())
        self.model += [item for item, error in zip(items, told, strict=True) if error is None]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def take(self, data: st.DataObject) -> None:
        items = self.runner.run(self.spool.head(bytes_up_to=6_000))
        assert items == self.model[: len(items)]
        count = data.draw(st.integers(min_value=0, max_value=len(items)))
        self.runner.run(self.spool.take(count))
        self.model = self.model[count:]

    @rule()
    def restart(self) -> None:
        self.close()
        self.open()

    @rule(tail=st.binary(min_size=1, max_size=40))
    def crash_in_the_middle_of_an_append(self, tail: bytes) -> None:
        self.close()
        if segments(self.folder):
            with segments(self.folder)[-1].open("ab") as file:
                file.write(b"\0\0\0\x64" + tail)  # an item of 100 bytes, cut short
        self.open()

    @rule()
    def power_cut_that_forgets_what_was_taken(self) -> None:
        """Items may come again, those that are known to be there must not be missing."""
        self.close()
        (self.folder / "taken").unlink(missing_ok=True)
        self.open()
        found = self.all_items()
        assert found[len(found) - len(self.model) :] == self.model
        self.model = found

    @invariant()
    def everything_that_was_acknowledged_is_there_in_order(self) -> None:
        assert self.all_items() == self.model
        assert self.spool.size.items == len(self.model)
        assert self.spool.is_empty is (not self.model)
        assert size_of(self.folder) == self.spool.size

    def all_items(self) -> list[bytes]:
        from reactor.adapters import spool_segments

        return spool_segments.read(list(spool_segments.waiting(self.folder)))

    def teardown(self) -> None:
        self.close()
        self.runner.close()
        self._made.cleanup()


TestSpoolMachine = SpoolMachine.TestCase
TestSpoolMachine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
