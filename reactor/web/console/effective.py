"""The settings as they count here, where each comes from, and no secret."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from starlette.requests import Request

from reactor.web.console.areas import Change, Resource


class EffectiveSettings:
    """One page."""

    def __init__(self, settings: Sequence[Mapping[str, Any]]) -> None:
        """`settings`: each with `name`, `value`, `source` and `description`; no secret in them."""
        self._settings = settings

    @property
    def resources(self) -> tuple[Resource, ...]:
        """To look at; they stay what they are as long as we run."""
        return (Resource("/settings", "/api/settings", "settings.html", self._all, is_live=False),)

    @property
    def changes(self) -> tuple[Change, ...]:
        """None: settings are changed where they are kept, and count from the next start."""
        return ()

    async def _all(self, request: Request) -> Mapping[str, Any]:
        is_changed_only = request.query_params.get("given", "") == "yes"
        wanted = [e for e in self._settings if not is_changed_only or e["source"] != "default"]
        return {"settings": wanted, "given": is_changed_only}


def by_section(settings: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """As a page shows them: sections in their order; "" is what stands at the top."""
    return [
        (section, list(of_it))
        for section, of_it in groupby(settings, key=lambda each: _section(str(each["name"])))
    ]


def _section(name: str) -> str:
    return name.rpartition(".")[0]
