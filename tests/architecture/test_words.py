"""What must not stand in any file that we keep."""

import subprocess
from pathlib import Path

# Where packages are downloaded from is the reader's choice; in halves, so as not to find itself.
PLACES = [
    first + second
    for first, second in (
        ("pypi.", "org"),
        ("python", "hosted.org"),
        ("registry.npm", "js.org"),
        ("repo.maven", ".apache.org"),
        ("repo1.", "maven.org"),
        ("crates", ".io"),
        ("proxy.go", "lang.org"),
    )
]
RECORDED = {".raw", ".jsonl", ".bin"}  # payloads as they were received: not our words


def test_no_file_says_where_packages_come_from(root: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    )
    kept = [root / name for name in listed.stdout.split("\0") if name]
    texts = {
        path: path.read_text(encoding="utf-8", errors="replace")
        for path in kept
        if path.is_file() and path.suffix not in RECORDED
    }

    assert len(texts) > 50
    assert [f"{p}: {w}" for p, text in texts.items() for w in PLACES if w in text] == []
