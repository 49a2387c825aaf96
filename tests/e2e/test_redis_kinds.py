"""The whole path on a Redis Cluster, and as a Redis user with the documented rights alone."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from reactor.children import free_port
from tests.fixtures.redis_cluster import Cluster
from tests.fixtures.site import SAMPLES, Site, answers, post, site_environ, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(240),
]

DELIVERIES = 12


@dataclass(frozen=True)
class Kind:
    """A Redis of one kind: what leads to it."""

    environ: dict[str, str]


@pytest.fixture(params=["cluster", "least_rights"])
def kind(request: pytest.FixtureRequest) -> Kind:
    if request.param == "cluster":
        cluster: Cluster = request.getfixturevalue("redis_cluster")
        prefix = request.getfixturevalue("cluster_prefix")
        url, flag = cluster.url, "true"
    else:
        url = request.getfixturevalue("least_rights_url")
        prefix, flag = request.getfixturevalue("redis_prefix"), "false"
    return Kind({"REDIS_URL": url, "REACTOR_REDIS_CLUSTER": flag, "REACTOR_REDIS_PREFIX": prefix})


@pytest.fixture
def kind_site(
    tmp_path: Path, kafka_bootstrap: str, kafka_prefix: str, kind: Kind
) -> Iterator[Site]:
    made = Site(
        folder=tmp_path,
        environ=site_environ(
            KAFKA_BOOTSTRAP_SERVERS=kafka_bootstrap,
            REACTOR_KAFKA_PREFIX=kafka_prefix,
            REACTOR_KAFKA_GROUP=kafka_prefix,
            REACTOR_WORKER_HTTP_PORT=str(free_port()),
            **kind.environ,
        ),
    )
    yield made
    made.stop()


async def test_deliveries_are_decided_and_shown_and_no_right_is_missing(kind_site: Site) -> None:
    site = kind_site
    site.start_gateway()
    site.start_worker("worker")
    await until(lambda: answers(f"{site.url}/readyz"), within_s=90)

    async with site.client() as client:
        for number in range(DELIVERIES):
            sample = json.loads((SAMPLES / "issues.opened.urgent.json").read_text())
            sample["issue"] |= {"number": number, "id": number}
            body = json.dumps(sample).encode()
            assert (await post(client, "issues", body, f"d-{number}")).status_code == 202
        await until(lambda: site.log("worker").count("delivery_settled") >= DELIVERIES, within_s=90)

        again = await post(client, "issues", body, f"d-{DELIVERIES - 1}")
        shown = (await client.get("/api/deliveries/d-3")).json()
    assert again.json()["status"] == "duplicate"
    assert shown["processes"]
    for name in ("gateway", "worker"):
        said = [json.loads(line) for line in site.log(name).splitlines() if line.startswith("{")]
        trouble = [line for line in said if line["level"] in ("error", "critical")]
        assert [line for line in trouble if "redis" in str(line).lower()] == []
        assert "NoPermissionError" not in site.log(name)
