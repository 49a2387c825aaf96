"""The odd inputs of this folder as data: what is sent, and what is right.

For any test that has a gateway to send to: `for case in load_cases()`.
"""

import gzip
import json
import re
import runpy
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

SECRETS = ("It's a Secret to Everybody", "previous-webhook-secret")
HOSTS = ("github.com", "ghe.acme.example", "acme.ghe.com")
OWN_APP_ID = 4242
"""What the receiver must have configured: secrets of every host, hosts, and its own app."""

_CHUNK = 7  # bytes; what 16_chunked_no_length asks for


@dataclass(frozen=True, kw_only=True)
class OddRequest:
    """One request.  `headers` are what GitHub sent; without Content-Length."""

    headers: Mapping[str, str]  # values are latin-1 on the wire
    body: bytes = field(repr=False)
    chunked: bool = False  # send it without a length, as `chunks`

    @property
    def delivery_id(self) -> str:
        """As sent; "" where there is none."""
        return self.headers.get("X-GitHub-Delivery", "")

    def chunks(self) -> Iterator[bytes]:
        """The body in small pieces."""
        for start in range(0, len(self.body), _CHUNK):
            yield self.body[start : start + _CHUNK]


@dataclass(frozen=True, kw_only=True)
class OddCase:
    """One folder."""

    name: str
    requests: tuple[OddRequest, ...] = field(repr=False)
    statuses: tuple[int, ...]  # one per request, in order; () where only `counts` are told
    counts: Mapping[int, int]  # how often each status is right
    records: int  # on the topic of deliveries
    processes: int  # for one reaction on "*"
    expected: Mapping[str, Any]  # the whole block of expect.md


def names() -> list[str]:
    """Of all cases, in their order."""
    return sorted(path.parent.name for path in FOLDER.glob("*/expect.md"))


def load_cases() -> list[OddCase]:
    """All of them; 60 MB."""
    return [load_case(name) for name in names()]


def load_case(name: str) -> OddCase:
    """One of them, by the name of its folder."""
    folder = FOLDER / name
    block = re.search(r"```json\n(.*?)```", (folder / "expect.md").read_text(), re.DOTALL)
    assert block, f"{name}/expect.md has no json block"
    expected = json.loads(block[1])
    requests = tuple(_burst(folder) if "burst" in name else _single(folder))
    statuses, counts = _statuses(expected["http_status"], len(requests))
    return OddCase(
        name=name,
        requests=requests,
        statuses=statuses,
        counts=counts,
        records=expected["records_on_topic"],
        processes=expected["processes_started"],
        expected=expected,
    )


def _single(folder: Path) -> Iterator[OddRequest]:
    """Requests from headers.json, headers.2.json, ... and their bodies."""
    for number in ("", ".2", ".3", ".4"):
        path = folder / f"headers{number}.json"
        if path.exists():
            headers = json.loads(path.read_text())
            chunked = headers.pop("Transfer-Encoding", None) == "chunked"
            yield OddRequest(headers=headers, body=_body(folder, number), chunked=chunked)


def _body(folder: Path, number: str) -> bytes:
    if (script := folder / "make_body.py").exists():
        made: bytes = runpy.run_path(str(script))["make_body"]()
        return made
    (path,) = (path for path in folder.glob(f"body{number}.*") if _numbered(path) == number)
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _numbered(path: Path) -> str:
    found = re.match(r"body(\.\d+)?\.", path.name)
    return (found and found[1]) or ""


def _burst(folder: Path) -> Iterator[OddRequest]:
    for line in gzip.decompress((folder / "burst.jsonl.gz").read_bytes()).splitlines():
        sent = json.loads(line)
        yield OddRequest(headers=sent["headers"], body=sent["body_utf8"].encode())


def _statuses(told: Any, requests: int) -> tuple[tuple[int, ...], Mapping[int, int]]:
    """`202`, `[202, 400]`, or `"202 x 990, 401 x 10"`."""
    if isinstance(told, str):
        return (), {int(s): int(n) for s, n in re.findall(r"(\d+) x (\d+)", told)}
    statuses = tuple(map(int, told if isinstance(told, list) else [told] * requests))
    return statuses, Counter(statuses)
