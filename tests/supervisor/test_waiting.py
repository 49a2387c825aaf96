"""A model that is away is waited for, as everything that can pass."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from reactor import Platform, ProcessOptions, Runner, Status
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.ai import Ai, Choices, ModelUnavailable, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from reactor.ai.scripted import ScriptedModels
from reactor.codec import Codec
from reactor.testing import FakeAi
from tests.supervisor.conftest import START

PlatformOf = Callable[..., Platform]

PATIENT = replace(START, options=ProcessOptions(max_wakes=3, terminate_when_stuck=True))


async def no_pause(_: float) -> None: ...


async def test_while_a_model_rests_its_process_is_stuck_and_goes_on_when_it_is_woken(
    platform_of: PlatformOf,
) -> None:
    clock = ManualClock()
    down = [ModelUnavailable("small", "down") for _ in range(5)]
    models = ScriptedModels([*down, FakeAi.calls("gather_market_data"),
                             FakeAi.calls(compile_report={"title": "Tea"})])  # fmt: skip
    caller = Caller(models=models, circuits=Circuits(clock.monotonic_s), pause=no_pause)
    ai = Ai(Runtime(caller=caller, choices=Choices(models={"small": ()})))
    platform = platform_of(ai)
    boards = MemoryBoards(Codec(platform.catalog), clock)

    with Runner(platform=platform, boards=boards, clock=clock, owner="worker") as runner:
        stuck = (await runner.run(PATIENT)).head
        clock.move(timedelta(seconds=10))
        too_early = (await runner.run(replace(PATIENT, wake=True))).head
        clock.move(timedelta(seconds=60))
        done = (await runner.run(replace(PATIENT, wake=True))).head

    assert (stuck.status, too_early.status) == (Status.STUCK, Status.STUCK)
    assert "ModelUnavailable: the model small did not answer" in stuck.failure
    assert done.status is Status.COMPLETED
    assert models.answers == []
