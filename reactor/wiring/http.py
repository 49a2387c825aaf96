"""Serving an application over HTTP."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp


async def serve_http(app: "ASGIApp", *, host: str, port: int) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first."""
    import uvicorn

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    await uvicorn.Server(config).serve()
