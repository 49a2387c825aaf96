"""Replays: begun with filters and what-ifs, watched while they run, read side by side.

Each runs as `reactor replay` in a process of its own, and keeps what it finds in its folder,
which is all that is read here.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Protocol

from starlette.requests import Request

from reactor.errors import ReactorError
from reactor.refusal import Refused
from reactor.replay.document import Replayed
from reactor.replay.folder import DamagedRun, Run, Runs, UnknownRun
from reactor.web.console.areas import Change, Done, Resource, Unfit
from reactor.web.console.sent import Sent, sent_of
from reactor.web.replay_page import rows

MOST_LISTED, PAGE = 50, 20  # runs; processes on one page
_READ_AT_WORK = 2_000  # results that are looked through each second while there come more
_KEPT = 16  # documents that are not made anew while nothing has changed
_LONGEST = 500  # characters of one option
_MOST_WORDS = 20  # of an option that may be repeated

# What decisions depend on, and nothing by which a replay would go elsewhere or learn a secret.
_MAY_BE_SET = ("components.", "reactions.", "commands.", "storms.", "repositories.")
_ONE = ("since", "until")
_SEVERAL = ("repo", "event", "delivery", "reaction", "set", "scope")
OPTIONS = (*_ONE, *_SEVERAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedReplay:
    """What somebody wants to see: the options of `reactor replay`, as typed."""

    one: Mapping[str, str] = field(default_factory=dict)  # "since" and "until"
    several: Mapping[str, Sequence[str]] = field(default_factory=dict)  # those that repeat


class NotBegun(ReactorError):
    """A replay could not begin, or go on."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return self.why


class Replays(Protocol):
    """Runs replays; `wiring.replay_children` fits."""

    @property
    def runs(self) -> Runs:
        """Their folders, whoever has begun them."""
        ...

    async def begin(self, asked: AskedReplay) -> str:
        """Begin one; its id.  Raises `NotBegun`."""
        ...

    async def go_on(self, run: str) -> None:
        """Go on with one that was stopped.  Raises `NotBegun`."""
        ...

    async def stop(self, run: str) -> bool:
        """Stop one that was begun here; False where it does not run, or not here."""
        ...


class ReplayPages:
    """The pages."""

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._made: OrderedDict[object, Mapping[str, Any]] = OrderedDict()

    @property
    def resources(self) -> tuple[Resource, ...]:
        """To look at."""
        return (
            Resource("/replays", "/api/replays", "replays.html", self._all),
            Resource("/replays/{id}", "/api/replays/{id}", "replay.html", self._one),
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """To do."""
        return (
            Change("/replays", "/api/replays", self._begin),
            Change("/replays/{id}", "/api/replays/{id}", self._steer),
        )

    async def _all(self, _: Request) -> Mapping[str, Any]:
        return {"replays": await asyncio.to_thread(self._listed), "asked": {}}

    def _listed(self) -> list[Mapping[str, Any]]:
        found = list[Mapping[str, Any]]()
        for run in self._replays.runs.newest()[:MOST_LISTED]:
            try:
                found.append(told_run(run))
            except DamagedRun as damaged:
                found.append({"id": run.id, "state": "damaged", "why": str(damaged)})
        return found

    async def _one(self, request: Request) -> Mapping[str, Any]:
        show, start = _which(request)
        return await asyncio.to_thread(self._told, request.path_params["id"], show, start)

    def _told(self, name: str, show: str, start: int) -> Mapping[str, Any]:
        """One run with a page of what was found."""
        try:
            run = self._replays.runs.run(name)
            told = told_run(run)
        except (UnknownRun, DamagedRun) as error:
            status = 404 if isinstance(error, UnknownRun) else 500
            what, _, fix = str(error).partition("; ")
            raise Refused(
                status, "replay", what, where="path", fix=fix or "see /replays"
            ) from error
        key = (name, show, start, told["progress"]["results_bytes"], told["state"])
        if key not in self._made:
            self._made[key] = _found(run, show, start, is_at_work=told["state"] == "running")
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        return {**told, **self._made[key], "show": show, "start": start}

    async def _begin(self, request: Request) -> Done:
        sent = sent_of(request)
        sent.check_names(*OPTIONS, "by")
        asked, faults = _asked(sent)
        if not faults:
            try:
                run = await self._replays.begin(asked)
            except NotBegun as error:
                faults = {"": str(error)}
        if faults:
            told = dict(await self._all(request))
            typed = {name: "\n".join(words) for name, words in asked.several.items()}
            raise Unfit("replays.html", {**told, "asked": {**asked.one, **typed}}, faults)
        return Done({"id": run, "status": "begun"}, f"/replays/{run}?said=begun")

    async def _steer(self, request: Request) -> Done:
        sent, run = sent_of(request), request.path_params["id"]
        sent.check_names("do", "by")
        match sent.text("do"):
            case "stop":
                stopped = await self._replays.stop(run)
                if not stopped:
                    raise Refused(409, "replay", "it does not run here", where="path",
                                  fix="one that was begun on a command line is stopped there")  # fmt: skip
                return Done({"id": run, "status": "stopped"}, f"/replays/{run}?said=stopped")
            case "resume":
                try:
                    await self._replays.go_on(run)
                except UnknownRun as error:
                    raise Refused(404, "replay", "there is no such replay", where="path",
                                  fix="see /replays") from error  # fmt: skip
                except NotBegun as error:
                    raise Refused(409, "replay", "it can't go on", where="path",
                                  fix=str(error)) from error  # fmt: skip
                return Done({"id": run, "status": "begun"}, f"/replays/{run}?said=begun")
        raise Refused(400, "body", "`do` is stop or resume", where="body", fix="say which")


def told_run(run: Run) -> dict[str, Any]:
    """How far a run is.  Raises `UnknownRun`, `DamagedRun`; blocks."""
    request, progress = run.request, run.progress
    state = "done" if run.is_done else "running" if run.is_at_work else "stopped"
    options = request.get("options", {})
    return {
        "id": run.id,
        "state": state,
        "options": {name: value for name, value in options.items() if value and name != "config"},
        "since": request.get("since"),
        "until": request.get("until"),
        "progress": asdict(progress),
        "rate": round(progress.rate, 1),
        "left_s": progress.left_s if state == "running" else None,
        "percent": 100 if state == "done" else _percent(progress.read, progress.total),
    }


def _percent(read: int, total: int) -> int | None:
    """None where nobody knows how much there is."""
    return min(99, read * 100 // total) if total else None


def _found(run: Run, show: str, start: int, *, is_at_work: bool) -> dict[str, Any]:
    results = islice(run.results(), _READ_AT_WORK) if is_at_work else run.results()
    meant = (each for each in results if _is_meant(each, show))
    page = list(islice(meant, start, start + PAGE + 1))
    return {
        "results": [_beside(each) for each in page[:PAGE]],
        "next": start + PAGE if len(page) > PAGE else None,
    }


def _is_meant(told: Replayed, show: str) -> bool:
    if show == "all":
        return True
    return told["verdict"] in ("different", "failed") if show == "" else told["verdict"] == show


def _beside(told: Replayed) -> dict[str, Any]:
    """With then and now line by line."""
    lines = [] if told["verdict"] == "failed" else list(rows(told))
    beside = [{"then": row.then, "now": row.now, "same": row.is_same} for row in lines]
    return {**told, "rows": beside}


def _which(request: Request) -> tuple[str, int]:
    show, start = request.query_params.get("show", ""), request.query_params.get("start", "0")
    if show not in ("", "all", "same", "different", "failed", "new") or not (
        start.isdecimal() and len(start) < 9
    ):
        raise Refused(400, "query", "the query can't be understood", where="query",
                      fix="leave it out")  # fmt: skip
    return show, int(start)


def _asked(sent: Sent) -> tuple[AskedReplay, dict[str, str]]:
    """What was typed, and what is wrong with it by option."""
    one = {name: sent.text(name, longest=_LONGEST) for name in _ONE}
    several = {name: _words(sent, name) for name in _SEVERAL}
    faults = dict[str, str]()
    for name, words in [*((name, [word]) for name, word in one.items()), *several.items()]:
        if len(words) > _MOST_WORDS or any(len(word) > _LONGEST for word in words):
            faults[name] = f"at most {_MOST_WORDS} lines of {_LONGEST} characters"
        elif not all(word.isprintable() for word in words):
            faults[name] = "there are characters in it that nobody can see"
    if any(not word.startswith(_MAY_BE_SET) for word in several["set"]):
        faults["set"] = f"only {', '.join(f'{each}...' for each in _MAY_BE_SET)} can be tried here"
    return AskedReplay(one=one, several=several), faults


def _words(sent: Sent, name: str) -> list[str]:
    """Of a form one on each line; of JSON a list, or one text."""
    told: object = sent.text(name, longest=10_000) if sent.is_form else sent.document.get(name, [])
    if isinstance(told, str):
        return [line.strip() for line in told.splitlines() if line.strip()]
    if isinstance(told, list) and all(isinstance(each, str) for each in told):
        return told
    raise Refused(400, "body", f"{name!r} is a list of texts", where="body", fix="mend it")
