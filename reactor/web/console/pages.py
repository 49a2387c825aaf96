"""Pages from templates, which are resources of this package."""

import json
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reactor.ports import Clock
from reactor.sentences import spent_sentence, unmet_sentence
from reactor.status import Status
from reactor.web.console import charts
from reactor.web.console.effective import by_section
from reactor.web.console.inventory import drawn
from reactor.web.console.moments import ago, clock_time, to_the_second
from reactor.web.console.notices import notice_of
from reactor.web.console.text import visible
from reactor.web.console.timeline import timeline
from reactor.web.console.viewer import NOBODY, Viewer

# The menu: path and name, in order.  A page whose path the console does not have is not in it.
MENU = (
    ("/", "Overview"),
    ("/processes", "Processes"),
    ("/components", "Components"),
    ("/journal", "Journal"),
    ("/forms", "Forms"),
    ("/dead", "Dead letters"),
    ("/replays", "Replays"),
    ("/settings", "Settings"),
)

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Pages:
    """Renders documents.  Reads every template when it is made, so that none is missing later."""

    def __init__(
        self, clock: Clock, *, paths: Container[str] = (), compiled: BytecodeCache | None = None
    ) -> None:
        """`paths`: of the pages that there are, for the menu; `compiled`: templates, kept."""
        environment = Environment(
            loader=PackageLoader("reactor.web.console"),
            autoescape=True,
            auto_reload=False,
            bytecode_cache=compiled,
            undefined=StrictUndefined,
            finalize=_shown,  # whatever a template prints goes through it
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {
            "ago": lambda written: ago(written, clock.now()),
            "amount": _amount,
            "by_section": by_section,
            "clock": clock_time,
            "counted": charts.count,
            "drawn": drawn,
            "inline": _inline,
            "moment": to_the_second,
            "notice": notice_of,
            "span": charts.span,
            "spent": spent_sentence,
            "timeline": timeline,
            "total": lambda counts: sum(counts.values()),
            "unmet": unmet_sentence,
        }
        environment.tests["startswith"] = str.startswith
        environment.globals |= {
            "menu": tuple(entry for entry in MENU if entry[0] in paths),
            "statuses": tuple(Status.__members__),
            "charts": charts,
            "paths": paths,
        }
        names = environment.list_templates(extensions=["html"])
        self._templates = {name: environment.get_template(name) for name in names}

    def render(
        self,
        template: str,
        document: Mapping[str, Any],
        viewer: Viewer = NOBODY,
        *,
        digest: str = "",
        asked: Mapping[str, str] = _NOTHING,
    ) -> str:
        """The page; a template knows the document as `told`, and who looks as `viewer`.

        `digest`: of the document, where the page may be live.  `asked`: the query.
        """
        return self._templates[template].render(
            told=document, viewer=viewer, digest=digest, asked=asked
        )


def _shown(value: object) -> object:
    """What is printed: markup of our own as it is, text without characters that act or hide."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _amount(value: float | None) -> str:
    """A value, a cost: records keep no infinities."""
    return "∞" if value is None else f"{value:.2f}"


def _inline(value: object) -> str:
    """A field of an effect on one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
