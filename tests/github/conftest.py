"""Deliveries for the tests of this folder, made the way the gateway makes them."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reactor.delivery import Delivery, Subject, digest

MakeDelivery = Callable[..., Delivery]

ACCOUNT: Mapping[str, Any] = {"id": 583231, "login": "octocat", "type": "User"}
REPOSITORY: Mapping[str, Any] = {"id": 1296269, "full_name": "octo/hello", "name": "hello"}
ISSUE: Mapping[str, Any] = {
    "id": 5_000_000_017,
    "number": 17,
    "title": "Sled brakes do not engage",
    "body": "Steps: press the brake.",
    "user": ACCOUNT,
    "labels": [],
    "created_at": "2026-03-01T10:00:00Z",
    "updated_at": "2026-03-01T10:00:00Z",
}
COMMENT: Mapping[str, Any] = {
    "id": 6_000_000_001,
    "body": "It happens to me as well.",
    "user": ACCOUNT,
    "created_at": "2026-03-01T11:00:00Z",
    "updated_at": "2026-03-01T11:00:00Z",
}

_SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture
def make_delivery() -> MakeDelivery:
    """`make_delivery("issues", action="opened", issue={...})`: a delivery of that payload."""

    def make(
        event: str, delivery_id: str = "d-1", host: str = "github.com", /, **payload: Any
    ) -> Delivery:
        payload = {"repository": REPOSITORY, "sender": ACCOUNT} | payload
        body = json.dumps(payload).encode()
        return Delivery(
            id=delivery_id,
            event=event,
            action=payload.get("action"),
            host=host,
            subject=Subject(key=f"{host}/1296269#17", name="octo/hello#17"),
            body=body,
            media_type="application/json",
            payload=payload,
            received_at=datetime(2026, 3, 1, 12, tzinfo=UTC),
            digest=digest(body),
        )

    return make


@pytest.fixture
def issue() -> dict[str, Any]:
    """The payload of an issue, to be changed by the test."""
    return dict(ISSUE)


@pytest.fixture
def comment() -> dict[str, Any]:
    """The payload of a comment, to be changed by the test."""
    return dict(COMMENT)


@pytest.fixture
def octokit_examples() -> list[tuple[str, dict[str, Any]]]:
    """The published example payloads (event, payload), where they lie beside the repository."""
    path = _SHARED / "octokit" / "octokit_examples.jsonl"
    if not path.exists():
        pytest.skip(f"needs the example payloads of @octokit/webhooks-examples in {path}")
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(line["event"], line["payload"]) for line in lines]


@pytest.fixture
def odd_inputs() -> Path:
    """The folder of odd deliveries."""
    return Path(__file__).parents[1] / "odd_inputs"
