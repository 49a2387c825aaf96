"""The generated parts of docs/github.md: where an app is made, and what it has to be allowed to."""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlencode

from reactor.github.app_permissions import EVENTS, NEEDS, READS, Need, shown, wanted
from reactor.github.effects import EFFECT_TYPES


def filled(page: str) -> str:
    """The page with its generated parts written anew, each between two comments."""
    for name, part in _parts().items():
        begin = f"<!-- {name}: from reactor/github/app_permissions.py (`make fix`) -->"
        end = f"<!-- end of {name} -->"
        before, begun, rest = page.partition(begin)
        _, ended, after = rest.partition(end)
        if not begun or not ended:
            raise ValueError(f"the page needs {begin} and {end}")
        page = f"{before}{begin}\n\n{part}\n{end}{after}"
    return page


def registration() -> str:
    """Where an app is registered, everything filled in that Reactor knows."""
    fields = [
        ("public", "false"),
        ("webhook_active", "true"),
        ("webhook_url", "https://YOUR-HOST/webhook"),
        *wanted(EFFECT_TYPES).items(),
        *(("events[]", event) for event in EVENTS),
    ]
    return f"https://github.com/settings/apps/new?{urlencode(fields, safe=':/[]')}"


def _parts() -> Mapping[str, str]:
    return {
        "registration": f"```text\n{registration()}\n```\n",
        "events": _table("event", ((f"`{event}`", why) for event, why in EVENTS.items())),
        "reads": _table(
            "permission", ((f"{shown(name)}: read", why) for name, why in READS.items())
        ),
        "permissions": "".join(_effects()),
    }


def _table(what: str, rows: Iterable[tuple[str, str]]) -> str:
    head = f"| {what} | what for |\n| --- | --- |\n"
    return head + "".join(f"| {name} | {why} |\n" for name, why in rows)


def _effects() -> Iterator[str]:
    yield "| effect | on an issue | on a pull request | |\n| --- | --- | --- | --- |\n"
    for kind in EFFECT_TYPES:
        need = NEEDS[kind]
        places = " | ".join(_place(name) for name in (need.on_issue, need.on_pull))
        yield f"| `{kind.__name__}` | {places} |{_note(need)} |\n"


def _place(name: str | None) -> str:
    return f"{shown(name)}: write" if name else "never"


def _note(need: Need) -> str:
    return f" {'only an app can' if need.is_for_apps_only else need.note}".rstrip()
