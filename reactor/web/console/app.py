"""The console as one ASGI application: which path leads where, and who may take it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlencode

from jinja2 import BytecodeCache
from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from reactor.chronicler import Chronicler
from reactor.inventory import ToldComponents
from reactor.lookup import Lookup
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.refusal import Refused
from reactor.troubles import Troubles
from reactor.web.access import Access, Endpoint
from reactor.web.console.areas import Area, Change, Resource, Unfit
from reactor.web.console.came import Came
from reactor.web.console.entrance import Entrance
from reactor.web.console.guard import Guard, SafeHeaders
from reactor.web.console.inventory import Inventory
from reactor.web.console.live import Live, digest_of
from reactor.web.console.login import Login
from reactor.web.console.overview import Installation, Overviews
from reactor.web.console.pages import Pages
from reactor.web.console.resources import DELIVERY_ID, PROCESS_ID, Resources
from reactor.web.console.subjects import Subjects
from reactor.web.console.trouble import Trouble
from reactor.web.console.viewer import viewer_of
from reactor.web.probes import Check, Readiness, healthz


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleParts:
    """All that a console is made of."""

    lookup: Lookup
    components: ToldComponents
    access: Access
    clock: Clock
    live: Live
    platform: Platform | None = None  # None: there is no graph of what feeds what
    grants: tuple[str, ...] = ()  # a line on each, as `told_grants` gives them
    troubles: Troubles | None = None  # that workers had with components
    chronicler: Chronicler | None = None  # None: one that asks `lookup` alone
    installation: Installation | None = None  # None: the overview shows processes only
    checks: Mapping[str, Check] = field(default_factory=dict)  # by name, for /readyz
    check_timeout_s: float = 2.0
    areas: tuple[Area, ...] = ()  # more of it, in the order of their routes
    entrance: Entrance | None = None  # None: nothing but `access`
    session_lasts: timedelta = timedelta(hours=12)
    compiled: BytecodeCache | None = None  # templates, for who makes many consoles


def create_console(parts: ConsoleParts) -> ASGIApp:
    """The application; it owns nothing that has to be closed."""
    entrance = parts.entrance or Entrance(access=parts.access)
    areas: tuple[Area, ...] = (
        Overviews(parts.lookup, parts.clock, parts.installation),
        Resources(parts.lookup),
        *((Came(parts.lookup.records),) if parts.lookup.records else ()),
        Subjects(parts.chronicler or Chronicler(lookup=parts.lookup)),
        Inventory(parts.components, parts.platform, parts.grants, parts.troubles),
        *parts.areas,
    )
    resources = [each for area in areas for each in area.resources]
    changes = [each for area in areas for each in area.changes]
    paths = {each.page for each in resources}
    pages = Pages(parts.clock, paths=paths, compiled=parts.compiled)
    guard = Guard(entrance, pages)
    app = Starlette(
        routes=[
            *(Route(each.page, guard.looking(_as_page(each, pages))) for each in resources),
            *(Route(each.api, guard.looking(_as_json(each))) for each in resources if each.api),
            *(_posted(e.page, guard.posting(_from_form(e, pages))) for e in changes),
            *(_posted(e.api, guard.programs(_from_program(e))) for e in changes if e.api),
            *_login_routes(parts, entrance, pages, guard),
            Route(
                "/live",
                guard.looking(parts.live.route([e for e in resources if e.is_live]).endpoint),
            ),
            Route("/find", guard.looking(_go_to)),
            Route("/healthz", healthz),
            Route("/readyz", Readiness(parts.checks, timeout_s=parts.check_timeout_s).endpoint),
            Mount("/static", StaticFiles(packages=[("reactor.web.console", "static")])),
        ],
        exception_handlers=Trouble(pages).handlers,
    )
    app.router.redirect_slashes = False
    return SafeHeaders(app)


def _posted(path: str, endpoint: Endpoint) -> Route:
    return Route(path, endpoint, methods=["POST"])


def _login_routes(
    parts: ConsoleParts, entrance: Entrance, pages: Pages, guard: Guard
) -> tuple[Route, ...]:
    if not entrance.can_log_in:
        return ()
    login = Login(entrance=entrance, pages=pages, clock=parts.clock, lasts=parts.session_lasts)
    return (
        Route("/login", login.page),
        _posted("/login", login.enter),
        _posted("/logout", guard.leaving(login.leave)),
    )


def _as_page(resource: Resource, pages: Pages) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        told = await resource.read(request)
        viewer = viewer_of(request)
        digest = digest_of(told) if resource.is_live else ""
        asked = request.query_params
        page = pages.render(resource.template, told, viewer, digest=digest, asked=asked)
        return HTMLResponse(page)

    return endpoint


def _as_json(resource: Resource) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return _json(await resource.read(request))

    return endpoint


def _from_form(change: Change, pages: Pages) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            done = await change.do(request)
        except Unfit as unfit:
            told = {**unfit.told, "unfit": unfit.faults}
            return HTMLResponse(pages.render(unfit.template, told, viewer_of(request)), 422)
        return RedirectResponse(done.then, 303)

    return endpoint


def _from_program(change: Change) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            done = await change.do(request)
        except Unfit as unfit:
            fix = "mend it and send it again"
            raise Refused(422, "unfit", str(unfit), where="body", fix=fix) from None
        return _json(done.told)

    return endpoint


def _json(told: Mapping[str, object]) -> Response:
    # effects may hold integers of any size, which not every encoder of JSON takes
    return Response(to_json(told, inf_nan_mode="null"), media_type="application/json")


async def _go_to(request: Request) -> Response:
    """`/find?id=`: to the page of a process, of a delivery, or of a subject."""
    asked = request.query_params.get("id", "").strip()
    if PROCESS_ID.fullmatch(asked):
        return RedirectResponse(f"/processes/{asked}", 303)
    if DELIVERY_ID.fullmatch(asked):
        return RedirectResponse(f"/deliveries/{asked}", 303)
    if "/" in asked:
        return RedirectResponse(f"/subjects?{urlencode({'name': asked})}", 303)
    raise Refused(
        400,
        "query",
        "this is neither a process nor a delivery nor a subject",
        where="query: id",
        fix="give an X-GitHub-Delivery, an id that begins with p and has 24 hex digits more,"
        " or a subject as owner/name#7",
    )
