"""The journal: decision records, from which every decision can be explained.

A record is plain JSON data with a version.  Kinds and their fields are built here and nowhere
else, so that this file is the format's documentation.  Imports the planners' answer, nothing
that acts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal["seeded", "tick", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One thing that a process decided or that became of it."""

    process_id: str
    seq: int  # 1, 2, 3, ... per process; readers drop (process_id, seq) that they have seen
    kind: Kind
    at: datetime
    data: Mapping[str, object]  # JSON-ready; the fields of each kind are below
