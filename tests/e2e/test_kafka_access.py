"""Gateway, worker and doctor on an Apache Kafka that lets in only a user, over TLS."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.guarded_kafka import PASSWORD, USER, Guarded
from tests.fixtures.site import SAMPLES, Site, answers, post, site_environ, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(400),
]


@pytest.fixture
def guarded_site(
    tmp_path: Path, guarded: Guarded, kafka_prefix: str, redis_url: str
) -> Iterator[Site]:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    made = Site(
        folder=tmp_path,
        environ=site_environ(
            KAFKA_BOOTSTRAP_SERVERS=f"127.0.0.1:{guarded.ports['SASL_SSL']}",
            KAFKA_SECURITY_PROTOCOL="SASL_SSL",
            KAFKA_SASL_MECHANISM="SCRAM-SHA-512",
            KAFKA_SASL_USERNAME=USER,
            KAFKA_SASL_PASSWORD_FILE=str(tmp_path / "password"),
            KAFKA_CA_FILE=str(guarded.ca),
            REDIS_URL=redis_url,
            REACTOR_KAFKA_PREFIX=kafka_prefix,
            REACTOR_KAFKA_GROUP=kafka_prefix,
            REACTOR_REDIS_PREFIX=kafka_prefix,
        ),
    )
    yield made
    made.stop()


async def test_a_delivery_is_settled_by_whom_the_broker_knows(guarded_site: Site) -> None:
    guarded_site.start_gateway()
    guarded_site.start_worker("worker")
    await until(lambda: answers(f"{guarded_site.url}/readyz"), within_s=90)

    async with guarded_site.client() as client:
        body = (SAMPLES / "issues.opened.json").read_bytes()
        assert (await post(client, "issues", body, "d-1")).status_code == 202

    await until(lambda: "delivery_settled" in guarded_site.log("worker"), within_s=90)
    assert PASSWORD not in guarded_site.log("worker") + guarded_site.log("gateway")


@pytest.mark.parametrize(("command", "code"), [("worker", 2), ("doctor", 1)])
def test_a_wrong_password_ends_the_start_with_what_to_correct(
    guarded_site: Site, command: str, code: int
) -> None:
    (guarded_site.folder / "password").write_text("hunter2")

    done = subprocess.run(
        [sys.executable, "-m", "reactor", command],
        env=dict(guarded_site.environ),
        cwd=guarded_site.folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    said = done.stdout + done.stderr
    assert done.returncode == code
    assert "correct kafka.security: its username, password and mechanism" in " ".join(said.split())
    assert "hunter2" not in said
