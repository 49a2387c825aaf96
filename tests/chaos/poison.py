"""Records that nobody's gateway wrote: each is to be given up once, and nothing else is.

Each kind once; told apart at the end by their keys.
"""

from collections.abc import Mapping

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from reactor.delivery import digest

Headers = Mapping[str, str]

_GOOD: Headers = {
    "schema": "1",
    "host": "github.com",
    "event": "issue_comment",
    "action": "created",
    "delivery": "poison",
    "digest": digest(b"{}"),
    "received": "2026-01-01T00:00:00.000000+00:00",
    "media-type": "application/json",
    "subject": "poison",
    "source": "webhook",
}

RECORDS: Mapping[str, tuple[bytes, Headers]] = {
    "no_headers": (b"not json", {}),
    "not_json": (b"not json", {**_GOOD, "digest": digest(b"not json")}),
    "other_schema": (b"{}", {**_GOOD, "schema": "99"}),
    "unknown_source": (b"{}", {**_GOOD, "source": "pigeon"}),
    "no_time": (b"{}", {**_GOOD, "received": "yesterday"}),
    "other_digest": (b"{ }", _GOOD),
    "unknown_packing": (b"{}", {**_GOOD, "packing": "origami"}),
}
"""By kind, which is the record's key."""


async def is_planted(bootstrap: str, topic: str, kind: str) -> bool:
    """Write one onto the topic; False where the broker did not say that it has it."""
    value, headers = RECORDS[kind]
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, request_timeout_ms=10_000)
    try:
        await producer.start()
        await producer.send_and_wait(
            topic,
            value,
            key=kind.encode(),
            headers=[(name, text.encode()) for name, text in headers.items()],
        )
    except KafkaError:
        return False
    finally:
        await producer.stop()
    return True
