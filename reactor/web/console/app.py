"""The console as one ASGI application: which path leads where, and who may take it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from reactor.inventory import ToldComponents
from reactor.lookup import Lookup
from reactor.refusal import Refused
from reactor.web.access import Access, Endpoint
from reactor.web.console.areas import Area, Change, Resource, Unfit
from reactor.web.console.guard import SafeHeaders, guarded
from reactor.web.console.pages import Pages
from reactor.web.console.resources import DELIVERY_ID, PROCESS_ID, Resources
from reactor.web.console.trouble import Trouble
from reactor.web.console.viewer import viewer_of
from reactor.web.probes import Check, Readiness, healthz


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleParts:
    """All that a console is made of."""

    lookup: Lookup
    components: ToldComponents
    access: Access
    checks: Mapping[str, Check] = field(default_factory=dict)  # by name, for /readyz
    check_timeout_s: float = 2.0
    areas: tuple[Area, ...] = ()  # more of it, in the order of their routes


def create_console(parts: ConsoleParts) -> ASGIApp:
    """The application; it owns nothing that has to be closed."""
    guard = partial(guarded, parts.access)
    looking = Resources(parts.lookup, parts.components)
    resources = [each for area in (looking, *parts.areas) for each in area.resources]
    changes = [each for area in (looking, *parts.areas) for each in area.changes]
    pages = Pages(paths={each.page for each in resources})
    app = Starlette(
        routes=[
            *(Route(each.page, guard(_as_page(each, pages))) for each in resources),
            *(Route(each.api, guard(_as_json(each))) for each in resources if each.api),
            *(Route(e.page, guard(_from_form(e, pages)), methods=["POST"]) for e in changes),
            *(Route(e.api, guard(_from_program(e)), methods=["POST"]) for e in changes if e.api),
            Route("/find", guard(_go_to)),
            Route("/healthz", healthz),
            Route("/readyz", Readiness(parts.checks, timeout_s=parts.check_timeout_s).endpoint),
            Mount("/static", StaticFiles(packages=[("reactor.web.console", "static")])),
        ],
        exception_handlers=Trouble(pages).handlers,
    )
    app.router.redirect_slashes = False
    return SafeHeaders(app)


def _as_page(resource: Resource, pages: Pages) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        told = await resource.read(request)
        return HTMLResponse(pages.render(resource.template, told, viewer_of(request)))

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
    """`/find?id=`: to the page of a process or of a delivery."""
    asked = request.query_params.get("id", "").strip()
    if PROCESS_ID.fullmatch(asked):
        return RedirectResponse(f"/processes/{asked}", 303)
    if DELIVERY_ID.fullmatch(asked):
        return RedirectResponse(f"/deliveries/{asked}", 303)
    raise Refused(
        400,
        "query",
        "this is the id of neither a process nor a delivery",
        where="query: id",
        fix="give an X-GitHub-Delivery, or an id that begins with p and has 24 hex digits more",
    )
