"""What people do on the console, put together: desk, dead letters, replays, settings."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reactor.censoring import Censor, known_secrets
from reactor.environment import names_that_count
from reactor.settings import Settings
from reactor.settings.told import told_settings
from reactor.web.console.asked import Asked
from reactor.web.console.effective import EffectiveSettings
from reactor.web.console.given_up import GivenUpPages
from reactor.web.console.replays import ReplayPages
from reactor.web.console.wishes import Wishes
from reactor.wiring.dead import open_dead
from reactor.wiring.desk import open_desk
from reactor.wiring.replay_children import ReplayStart, replay_children

if TYPE_CHECKING:
    from reactor.ports import Clock
    from reactor.web.console.areas import Area


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """Where a console runs, and who has started it."""

    user: str = ""  # as is recorded of what is done from this machine, where nobody logs in
    config: Path | None = None  # the file that the settings are from
    environ: Mapping[str, str] = field(default_factory=dict)


@asynccontextmanager
async def doing(
    settings: Settings, here: Here, clock: "Clock"
) -> AsyncIterator[tuple["Area", ...]]:
    """The areas, connected for as long as the context lasts.  Raises `NoServer`.

    Without a broker nothing can be told to a process, and no letter be read: what needs one is
    left out then, and is not in the menu.
    """
    known = told_settings(settings, names_that_count(here.environ))
    areas: list[Area] = [EffectiveSettings(known)]
    async with AsyncExitStack() as stack:
        if settings.kafka.bootstrap_servers is not None:
            desk = await stack.enter_async_context(open_desk(settings))
            dead = await stack.enter_async_context(open_dead(settings))
            ledger = desk.approvals.ledger
            areas += [Asked(desk), Wishes(desk), GivenUpPages(dead, ledger, clock)]
            if settings.data is not None:
                censor = Censor(known_secrets(settings))
                how = ReplayStart(environ=here.environ, config=here.config, censor=censor)
                children = replay_children(settings.data, clock, how)
                areas.append(ReplayPages(await stack.enter_async_context(children)))
        yield tuple(areas)
