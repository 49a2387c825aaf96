"""Where a running `reactor up` is: a small file in its data folder, read by the other commands."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reactor.settings import Settings
    from reactor.wiring.servers import Place

_FILE = "up.json"
_CONFIG = "config"  # the file of its settings; not there where it was given none
_PID = "pid"  # of who told it: one that was killed could not take it back

Data = Annotated[
    Path, typer.Option("--data", help="Data folder of the `reactor up` to ask, if one runs.")
]
DEFAULT_DATA = Path("data")


def tell(place: "Place", *, config: Path | None = None) -> None:
    """Let other commands find what runs from this data folder, and by which settings."""
    told = {
        "gateway": place.gateway,
        "console": place.console or "",
        _PID: str(os.getpid()),
        **place.environ,
    }
    if config is not None:
        told[_CONFIG] = str(config.absolute())
    beside = place.data / f"{_FILE}.new"
    beside.write_text(json.dumps(told), encoding="utf-8")
    beside.replace(place.data / _FILE)  # in one step: others read it at any time


def forget(data: Path) -> None:
    """Nothing runs from it any more."""
    (data / _FILE).unlink(missing_ok=True)


def known_environ(data: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment, with the servers of the `reactor up` of `data` where none are set."""
    return {**_told(data), **environ}


def known_config(data: Path, config: Path | None) -> Path | None:
    """`config`, or the file that the `reactor up` of `data` was given."""
    if config is not None:
        return config
    told = _told(data).get(_CONFIG)
    return Path(told) if told else None


def asking_settings(config: Path | None, data: Path) -> "Settings":
    """The settings of a command that asks what runs from `data`; only errors are logged.

    Those that it runs by, unless `config` names others: else it would be told of other reactions.

    What is kept in the folder is there also when nothing runs.
    """
    from reactor import logs
    from reactor.censoring import known_secrets
    from reactor.settings import load

    settings = load(known_config(data, config), known_environ(data, os.environ))
    settings = in_folder(settings, data)
    logs.configure(level="error", style=settings.log_format, secrets=known_secrets(settings))
    return settings


def in_folder(settings: "Settings", data: Path) -> "Settings":
    """The settings with this data folder, unless they name one."""
    if settings.data is not None:
        return settings
    return settings.model_copy(update={"data": data.absolute()})


def gateway_of(data: Path) -> str | None:
    """The address of the gateway of the `reactor up` of `data`."""
    return _told(data).get("gateway")


def _told(data: Path) -> dict[str, str]:
    try:
        told = json.loads((data / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    known = {str(name): str(value) for name, value in told.items()}
    return known if _lives(known.pop(_PID, "")) else {}


def _lives(pid: str) -> bool:
    """Whether there is such a process; also where its number is not known."""
    if not pid.isascii() or not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True
