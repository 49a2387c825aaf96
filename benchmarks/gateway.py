"""Requests a second of the gateway, beside what less would do.

    bare      a Starlette handler that verifies the signature and produces: nothing is kept in
              mind, so what comes twice is there twice
    strict    the same, the body parsed strictly and the id claimed in Redis before
    gateway   `reactor gateway`

All are served alike, each in a process of its own, and answer 202 after the broker's
acknowledgement.  They take turns; the median of the rounds counts.  CPU is that of the server's
process; a busy machine changes it least.  Over Apache Kafka where KAFKA_BOOTSTRAP_SERVERS says so
or Java and Maven are there; over the embedded broker too, where the gateway also puts each
delivery on the shelf in Redis, which the other two do not.

    benchmarks/gateway.py                  measure
    benchmarks/gateway.py serve NAME PORT  be one of the first two servers
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from http_load import connected, posted, request_of
from installation import SECRET, Site, apache_kafka, cpu_s, installed, reactor, serving, writing
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from throughput import servers

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_claims import RedisClaims
from reactor.children import free_port
from reactor.cli.serving import run_serving
from reactor.github.signature import verify
from reactor.payload import parse
from reactor.settings import Settings, load
from reactor.topic import Topics
from reactor.wiring.http import serve_http
from reactor.wiring.kafka import bootstrap_of
from reactor.wiring.redis import redis_parts
from streams.record import Outgoing
from streams.writer import KafkaWriter

ROUNDS = 2
REQUESTS = 1_000  # in each round, of each server
WARM_UP = 100
AT_ONCE = 32  # connections
SIZES = (2_000, 20_000)  # bytes of a delivery
SERVERS = ("bare", "strict", "gateway")

Handler = Callable[[Request], Awaitable[Response]]


def bare(writer: KafkaWriter, settings: Settings, claims: RedisClaims | None) -> Handler:
    """Verify and produce; with `claims`, parse and claim before."""
    secrets = tuple(each.get_secret_value().encode() for each in settings.github.secrets)
    topic = Topics(settings.kafka.prefix).deliveries

    async def handle(request: Request) -> Response:
        body = await request.body()
        verify(body, request.headers["x-hub-signature-256"], secrets)
        id = request.headers["x-github-delivery"]
        if claims is not None:
            parse(body)
            await claims.claim(id, digest=id)
        await writer.write(topic, Outgoing(key=id.encode(), value=body))
        return JSONResponse({"delivery": id, "status": "accepted"}, status_code=202)

    return handle


async def serve(name: str, port: int, environ: Mapping[str, str]) -> None:
    """Be one of the servers that do less."""
    settings = load(None, environ)
    writer = KafkaWriter(bootstrap_of(settings))
    await writer.start()
    async with redis_parts(settings) as redis:
        handler = bare(writer, settings, redis.claims if name == "strict" else None)
        app = Starlette(routes=[Route("/webhook", handler, methods=["POST"])])
        await serve_http(app, host="127.0.0.1", port=port)
    await writer.stop()


@dataclass(frozen=True)
class Figures:
    """What was measured of one server in one round."""

    rate: float  # requests a second
    cpu_ms: float  # per request


async def measure(site: Site) -> dict[str, list[Figures]]:
    """All servers, round by round."""
    found: dict[str, list[Figures]] = {name: [] for name in SERVERS}
    for _ in range(ROUNDS):
        for name in SERVERS:
            found[name].append(await of_server(name, site))
    return found


async def of_server(name: str, site: Site) -> Figures:
    """Start a server, and post to it."""
    port, clock = free_port(), SystemClock()
    own = [sys.executable, __file__, "serve", name, str(port)]
    argv = reactor("gateway", "--port", str(port)) if name == "gateway" else own
    several = site.deliveries(WARM_UP + REQUESTS)
    requests = [request_of(each, secret=SECRET) for each in several]
    async with (
        serving(site.folder, site.environ, argv, port) as process,
        connected(port, count=AT_ONCE) as connections,
    ):
        await posted(connections, requests[:WARM_UP])
        began_s, before = clock.monotonic_s(), cpu_s(process)
        await posted(connections, requests[WARM_UP:])
        rate = REQUESTS / (clock.monotonic_s() - began_s)
        return Figures(rate, (cpu_s(process) - before) / REQUESTS * 1000)


def print_table(size: int, found: Mapping[str, Sequence[Figures]]) -> None:
    """One line for each server; ratios are of medians."""
    rates = {name: median(each.rate for each in several) for name, several in found.items()}
    for name, several in found.items():
        of_bare, of_strict = rates[name] / rates["bare"], rates[name] / rates["strict"]
        cpu_ms = median(each.cpu_ms for each in several)
        print(
            f"{size:>7,} {name:<9}{rates[name]:>10,.0f}{of_bare:>9.2f}{of_strict:>11.2f}{cpu_ms:>8.2f}",
            flush=True,
        )


async def measure_over(broker: str, site: Site, sizes: Sequence[int]) -> None:
    """A table for one broker."""
    print(f"\n{broker}")
    print(f"{'body':>7} {'server':<9}{'a second':>10}{'of bare':>9}{'of strict':>11}{'CPU ms':>8}")
    for size in sizes:
        site = replace(site, size=size)
        async with writing(site):  # makes the topics
            print_table(size, await measure(site))


async def main(environ: Mapping[str, str]) -> None:
    """Print the tables."""
    given = environ.get("KAFKA_BOOTSTRAP_SERVERS")
    with TemporaryDirectory() as name:
        folder = Path(name)
        installed(folder)
        async with servers(environ) as (bootstrap, redis_url):
            site = Site(bootstrap, redis_url, folder, SIZES[0])
            if given:
                await measure_over("given broker", site, SIZES)
                return
            await measure_over("embedded broker", site, SIZES[:1])
            with apache_kafka(folder / "kafka") as found:
                if found is not None:
                    await measure_over("Apache Kafka", replace(site, bootstrap=found), SIZES)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        run_serving(serve(sys.argv[2], int(sys.argv[3]), os.environ))  # noqa: TID251 - see below
    else:
        asyncio.run(main(os.environ))  # noqa: TID251 - the one place where it is read
