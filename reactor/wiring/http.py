"""Serving an application over HTTP."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from reactor.wiring.prompt_protocol import PromptProtocol

MOST_CONNECTIONS = 900  # below the 1,024 files that a process may have open by default
_GRACE_S = 5  # for requests under way, at the end


async def serve_http(
    app: "ASGIApp", *, host: str, port: int, stopping: Callable[[], None] | None = None
) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first.

    `stopping` is called as soon as it is to end, for what would else go on for ever.

    Returns then, so that whoever called can put away what the application used; left to itself,
    uvicorn would end the process on the spot by raising the signal again.
    """
    server, loop = _server(app, host=host, port=port), asyncio.get_running_loop()
    server.capture_signals = nullcontext  # type: ignore[assignment, method-assign]

    def stop() -> None:
        server.should_exit = True
        if stopping is not None:
            stopping()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        await server.serve()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


@asynccontextmanager
async def serving_beside(
    app: "ASGIApp", listening: socket.socket, *, http: "type[PromptProtocol] | None" = None
) -> AsyncIterator[None]:
    """Serve beside what else runs in this loop, whose business signals are, until the block ends.

    `http`: another protocol than the usual one.
    """
    server = _server(app, http=http)
    server.capture_signals = nullcontext  # type: ignore[assignment, method-assign]
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve(sockets=[listening]))
        try:
            yield
        finally:
            server.should_exit = True


def _server(
    app: "ASGIApp",
    *,
    host: str = "",
    port: int = 0,
    http: "type[PromptProtocol] | None" = None,
) -> "uvicorn.Server":
    import uvicorn

    from reactor.wiring.prompt_protocol import PromptProtocol

    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            http=http or PromptProtocol,
            ws="none",
            lifespan="off",
            # else whoever is on this machine could say in a header to come from elsewhere
            proxy_headers=False,
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE_S,
        )
    )
