"""Children are started in order, restarted, and never left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from reactor.children import Child, ChildFailed, Children, Restarts

PYTHON = sys.executable


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


async def until(true: object, timeout_s: float = 10) -> None:
    assert callable(true)
    async with asyncio.timeout(timeout_s):
        while not true():  # noqa: ASYNC110 - the condition lies in another process
            await asyncio.sleep(0.02)


def sleeper(folder: Path, name: str, **more: object) -> Child:
    """A child that writes its pid into a file and then sleeps."""
    mark = folder / name
    code = f"import os,time,pathlib; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(60)"

    async def is_ready() -> bool:
        return mark.exists() and bool(mark.read_text())

    return Child(name=name, argv=[PYTHON, "-c", code], is_ready=is_ready, **more)  # type: ignore[arg-type]


async def test_stopping_ends_every_child(tmp_path: Path) -> None:
    children = Children(os.environ)  # noqa: TID251 - a test hands over its own environment
    await children.start(sleeper(tmp_path, "first"))
    await children.start(sleeper(tmp_path, "second"))
    pids = [int((tmp_path / name).read_text()) for name in ("first", "second")]
    assert all(map(is_alive, pids))

    await children.stop()

    assert not any(map(is_alive, pids))


@pytest.mark.skipif(sys.platform != "linux", reason="others let a child outlive its guardian")
async def test_a_child_ends_with_its_guardian_even_if_that_is_killed(tmp_path: Path) -> None:
    children = Children(os.environ)  # noqa: TID251 - as above
    running = await children.start(sleeper(tmp_path, "only"))
    pid = int((tmp_path / "only").read_text())

    running.process.kill()

    await until(lambda: not is_alive(pid))


async def test_a_child_that_ends_at_once_is_reported_with_its_log(tmp_path: Path) -> None:
    async def never() -> bool:
        return False

    log = tmp_path / "broken.log"
    broken = Child(
        name="broken", argv=[PYTHON, "-c", "raise SystemExit(3)"], is_ready=never, log=log
    )

    with pytest.raises(ChildFailed, match=r"broken process ended at once \(exit 3\).*broken\.log"):
        await Children(os.environ).start(broken)  # noqa: TID251


async def test_a_killed_child_is_started_again_with_those_that_depend_on_it(tmp_path: Path) -> None:
    children = Children(os.environ)  # noqa: TID251
    await children.start(sleeper(tmp_path, "server"))
    await children.start(sleeper(tmp_path, "client", restart_with=frozenset({"server"})))
    await children.start(sleeper(tmp_path, "other"))
    before = {name: (tmp_path / name).read_text() for name in ("server", "client", "other")}
    watching = asyncio.create_task(children.watch())

    os.kill(int(before["server"]), signal.SIGKILL)

    try:
        for name in ("server", "client"):
            await until(lambda name=name: (tmp_path / name).read_text() not in ("", before[name]))
        assert (tmp_path / "other").read_text() == before["other"]
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await children.stop()


async def test_of_several_that_start_at_once_none_is_left_where_one_fails(tmp_path: Path) -> None:
    async def never() -> bool:
        return False

    broken = Child(name="broken", argv=[PYTHON, "-c", "raise SystemExit(3)"], is_ready=never)
    children = Children(os.environ)  # noqa: TID251

    with pytest.raises(ChildFailed, match="broken"):
        await children.start_all([sleeper(tmp_path, "fine"), broken])

    mark = tmp_path / "fine"
    await until(
        lambda: not (mark.exists() and mark.read_text() and is_alive(int(mark.read_text())))
    )
    await children.stop()


@pytest.mark.parametrize("turns", range(6))  # of the loop, between ready and cut off
async def test_who_is_cut_off_just_when_all_are_ready_leaves_none(
    tmp_path: Path, turns: int
) -> None:
    loop = asyncio.get_running_loop()

    def cut_off(turns: int) -> None:
        if turns:
            loop.call_soon(cut_off, turns - 1)
        else:
            starting.cancel()

    def on_event(_name: str, _what: str) -> None:
        cut_off(turns)

    children = Children(os.environ, on_event=on_event)  # noqa: TID251
    starting = asyncio.create_task(children.start_all([sleeper(tmp_path, "one")]))
    await asyncio.wait({starting})
    await children.stop()

    assert not is_alive(int((tmp_path / "one").read_text()))


async def test_kill_9_of_the_parent_leaves_no_child(tmp_path: Path) -> None:
    mark = tmp_path / "child.pid"
    parent_code = textwrap.dedent(f"""
        import asyncio, os, pathlib, sys
        from reactor.children import Child, Children
        mark = pathlib.Path({str(mark)!r})
        code = "import os,time,pathlib; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(60)"
        async def ready(): return mark.exists() and bool(mark.read_text())
        async def main():
            await Children(os.environ).start(Child(name="c", argv=[sys.executable, "-c", code], is_ready=ready))
            print("started", flush=True)
            await asyncio.sleep(60)
        asyncio.run(main())
    """)
    with subprocess.Popen([PYTHON, "-c", parent_code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        assert await asyncio.to_thread(parent.stdout.readline) == b"started\n"
        child = int(mark.read_text())
        assert is_alive(child)

        parent.kill()

        await until(lambda: not is_alive(child))


async def test_one_that_gets_ready_only_when_another_is_back_does_not_keep_that_one_away(
    tmp_path: Path,
) -> None:
    told: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    children = Children(
        os.environ,  # noqa: TID251
        on_event=lambda name, what: told.put_nowait((name, what)),
    )
    store, server = sleeper(tmp_path, "store"), sleeper(tmp_path, "server")
    gone = set[str]()  # what the store said before it was killed

    async def is_ready() -> bool:
        return await server.is_ready() and (tmp_path / "store").read_text() not in {"", *gone}

    await children.start(store)
    await children.start(replace(server, is_ready=is_ready, ready_file=tmp_path / "server"))
    before = {name: (tmp_path / name).read_text() for name in ("store", "server")}
    gone.add(before["store"])
    watching = asyncio.create_task(children.watch())

    try:
        async with asyncio.timeout(20):
            os.kill(int(before["server"]), signal.SIGKILL)
            while await told.get() != ("server", "ended (exit 137)"):
                pass
            os.kill(int(before["store"]), signal.SIGKILL)
            while await told.get() != ("server", "ready"):
                pass
        for name, pid in before.items():
            assert (tmp_path / name).read_text() != pid
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await children.stop()


async def test_one_that_is_being_started_again_begins_anew_when_what_it_depends_on_ends(
    tmp_path: Path,
) -> None:
    children = Children(os.environ)  # noqa: TID251
    may_be_ready = asyncio.Event()
    may_be_ready.set()
    client = sleeper(tmp_path, "client", restart_with=frozenset({"server"}))

    async def is_ready() -> bool:
        return await client.is_ready() and may_be_ready.is_set()

    await children.start(sleeper(tmp_path, "server"))
    await children.start(replace(client, is_ready=is_ready))
    pids = [(tmp_path / name).read_text() for name in ("server", "client")]
    watching = asyncio.create_task(children.watch())

    may_be_ready.clear()
    os.kill(int(pids[1]), signal.SIGKILL)
    try:
        await until(lambda: (tmp_path / "client").read_text() not in ("", pids[1]))
        begun = (tmp_path / "client").read_text()
        os.kill(int(pids[0]), signal.SIGKILL)
        await until(lambda: (tmp_path / "client").read_text() not in ("", begun))
        may_be_ready.set()

        assert not is_alive(int(begun))
        assert is_alive(int((tmp_path / "server").read_text()))
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await children.stop()
    assert not is_alive(int((tmp_path / "client").read_text()))


async def test_what_a_killed_child_said_of_being_ready_does_not_speak_for_the_next(
    tmp_path: Path,
) -> None:
    mark = tmp_path / "only"
    at_ready: asyncio.Queue[str] = asyncio.Queue()

    def tell(_name: str, what: str) -> None:
        if what == "ready":
            at_ready.put_nowait(mark.read_text())

    children = Children(os.environ, on_event=tell)  # noqa: TID251
    await children.start(replace(sleeper(tmp_path, "only"), ready_file=mark))
    first = await at_ready.get()
    watching = asyncio.create_task(children.watch())

    os.kill(int(first), signal.SIGKILL)

    try:
        async with asyncio.timeout(20):
            assert await at_ready.get() != first
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await children.stop()


async def test_a_restart_that_fails_is_tried_again_and_too_many_are_an_error(
    tmp_path: Path,
) -> None:
    children = Children(
        os.environ,  # noqa: TID251
        restarts=Restarts(most=3, first_wait_s=0.01),
    )
    mark, allowed = tmp_path / "pid", tmp_path / "allowed"
    allowed.touch()
    code = (
        "import os, time, pathlib, sys\n"
        f"pathlib.Path({str(allowed)!r}).exists() or sys.exit(4)\n"
        f"pathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(60)"
    )

    async def is_ready() -> bool:
        return mark.exists() and bool(mark.read_text())

    await children.start(Child(name="frail", argv=[PYTHON, "-c", code], is_ready=is_ready))
    pid = int(mark.read_text())
    mark.unlink()
    allowed.unlink()

    os.kill(pid, signal.SIGKILL)

    try:
        with pytest.raises(ChildFailed, match="frail process ended 4 times in 600 s"):
            await children.watch()
    finally:
        await children.stop()


def test_waits_between_restarts_double_up_to_a_limit() -> None:
    restarts = Restarts(first_wait_s=0.5, longest_wait_s=3.0)

    assert [restarts.wait_s(n) for n in range(5)] == [0.0, 0.5, 1.0, 2.0, 3.0]


async def test_what_ends_while_others_start_that_go_with_it_is_started_first_and_they_anew(
    tmp_path: Path,
) -> None:
    children = Children(os.environ)  # noqa: TID251
    client = sleeper(tmp_path, "client", restart_with=frozenset({"server"}))
    said = tmp_path / "client"
    first = asyncio.Event()  # the first client has begun; it never gets ready
    begun: list[str] = []

    async def is_ready() -> bool:
        if await client.is_ready() and said.read_text() and not begun:
            begun.append(said.read_text())
            first.set()
        return bool(begun) and said.read_text() not in {"", begun[0]}

    await children.start(sleeper(tmp_path, "server"))
    server = (tmp_path / "server").read_text()
    starting = asyncio.create_task(children.start_all([replace(client, is_ready=is_ready)]))

    try:
        async with asyncio.timeout(20):
            await first.wait()
            os.kill(int(server), signal.SIGKILL)
            await starting
        # its mark is there from the first one, so it counts as ready before it has written anew
        await until(lambda: (tmp_path / "server").read_text() not in {"", server})
    finally:
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        await children.stop()
