"""Deliveries as a gateway would make them, without one."""

import json
from datetime import UTC, datetime

from reactor.delivery import Delivery, Subject, digest


def delivery(id: str, *, number: int = 7) -> Delivery:
    """An issue that was opened; those of one number are of one subject."""
    document = {"action": "opened", "issue": {"number": number}, "repository": {"id": 1296269}}
    body = json.dumps(document).encode()
    return Delivery(
        id=id,
        event="issues",
        action="opened",
        host="github.com",
        subject=Subject(key=f"github.com/1296269#{number}", name=f"octo/hello#{number}"),
        body=body,
        media_type="application/json",
        payload=document,
        received_at=datetime(2026, 1, 1, tzinfo=UTC),
        digest=digest(body),
    )
