"""The generated part of docs/github.md: what an app has to be allowed to, and where it is made."""

from collections.abc import Iterator
from urllib.parse import urlencode

from reactor.github.app_permissions import EVENTS, NEEDS, READS, Need, shown, wanted
from reactor.github.effects import EFFECT_TYPES

BEGIN = "<!-- From reactor/github/app_permissions.py (`make fix`); change it there. -->"
END = "<!-- To here. -->"


def filled(page: str) -> str:
    """The page with its generated part written anew."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{''.join(_lines())}\n{END}{after}"


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


def _lines() -> Iterator[str]:
    yield f"```text\n{registration()}\n```\n\n"
    yield "| event | what for |\n| --- | --- |\n"
    yield from (f"| `{event}` | {why} |\n" for event, why in EVENTS.items())
    yield "\n| reads | what for |\n| --- | --- |\n"
    yield from (f"| {shown(name)}: read | {why} |\n" for name, why in READS.items())
    yield "\n| effect | on an issue | on a pull request | |\n| --- | --- | --- | --- |\n"
    for kind in EFFECT_TYPES:
        need = NEEDS[kind]
        places = " | ".join(_place(name) for name in (need.on_issue, need.on_pull))
        yield f"| `{kind.__name__}` | {places} |{_notes(need)} |\n"


def _place(name: str | None) -> str:
    return f"{shown(name)}: write" if name else "never"


def _notes(need: Need) -> str:
    return f" {'only an app can' if need.is_for_apps_only else need.note}".rstrip()
