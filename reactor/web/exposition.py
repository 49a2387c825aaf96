"""`/metrics`: a registry in Prometheus's text format."""

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response

from reactor.web.access import Endpoint


def exposed(registry: CollectorRegistry) -> Endpoint:
    """The endpoint that shows the registry as it is now."""

    async def endpoint(_: Request) -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return endpoint
