"""Writes the 26 MiB body.bin next to this file; headers.json already holds its signatures."""

from pathlib import Path

SIZE = 26 * 1024 * 1024
BEFORE, AFTER = b'{"action":"opened","pad":"', b'"}'


def make_body() -> bytes:
    return BEFORE + b"a" * (SIZE - len(BEFORE) - len(AFTER)) + AFTER


if __name__ == "__main__":
    (Path(__file__).parent / "body.bin").write_bytes(make_body())
