"""The engine over any stores: in memory for one event, in Redis and on Kafka for a worker."""

from dataclasses import dataclass
from datetime import timedelta

from reactor.granting import Granting
from reactor.listening import ProcessListener
from reactor.ports import Boards, Clock
from reactor.runner import Runner, commit_every_tick, commit_when_it_matters
from reactor.settings import Settings
from reactor.topic import JournalLog
from reactor.wiring.commands import commands
from reactor.wiring.platform import Installed, listeners, reader
from reactor.worker import Worker


@dataclass(frozen=True, slots=True)
class Stores:
    """What a worker works with: in memory, or in Redis and on Kafka."""

    boards: Boards
    journal: JournalLog
    clock: Clock
    granting: Granting | None = None  # None: whatever a reaction asks for is allowed


def make_runner(
    settings: Settings,
    installed: Installed,
    stores: Stores,
    owner: str,
    listening: tuple[ProcessListener, ...] = (),
) -> Runner:
    """What runs processes; close it when they are done.  `listening`: to all of them."""
    worker = settings.worker
    return Runner(
        platform=installed.platform,
        boards=stores.boards,
        clock=stores.clock,
        owner=owner,
        lease=timedelta(seconds=worker.lease_s),
        must_commit=commit_every_tick if worker.commit_every_tick else commit_when_it_matters,
        listeners=listening,
        granting=stores.granting,
    )


def make_worker(settings: Settings, installed: Installed, stores: Stores, runner: Runner) -> Worker:
    """A worker of nothing but this: nothing comes later, nothing is sent.  Raises `BadReactions`."""
    return Worker(
        listeners=(
            *listeners(settings, installed.platform),
            *commands(settings, installed.platform),
        ),
        reader=reader(settings),
        runner=runner,
        boards=stores.boards,
        journal=stores.journal,
    )
