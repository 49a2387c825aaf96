"""The tables of the journal's index: what is kept in which, and how a file of it is opened.

Moments are microseconds since 1970.  The file can be thrown away: all in it is made from topics
and archives (`reactor journal rebuild`), so another version simply begins a new one.
"""

import sqlite3
from pathlib import Path

VERSION = 2  # grows with every change below

SCHEMA = """
CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    delivery TEXT NOT NULL DEFAULT '',      -- key: host/id
    delivery_id TEXT NOT NULL DEFAULT '',
    reaction TEXT NOT NULL DEFAULT '',
    event TEXT NOT NULL DEFAULT '',
    subject TEXT NOT NULL DEFAULT '',
    subject_name TEXT NOT NULL DEFAULT '',
    folded TEXT NOT NULL DEFAULT '',        -- the name as names are compared
    attempt INTEGER NOT NULL DEFAULT 1,
    status TEXT NOT NULL DEFAULT '',        -- of its last record "ended"
    failure TEXT NOT NULL DEFAULT '',
    ended_seq INTEGER NOT NULL DEFAULT 0,   -- number of that one
    began_us INTEGER NOT NULL,
    changed_us INTEGER NOT NULL,
    keep_us INTEGER NOT NULL                -- from when its retention counts
) WITHOUT ROWID;
CREATE INDEX processes_delivery ON processes (delivery);
CREATE INDEX processes_delivery_id ON processes (delivery_id);
CREATE INDEX processes_subject ON processes (subject);
CREATE INDEX processes_folded ON processes (folded);
CREATE INDEX processes_began ON processes (began_us);
CREATE INDEX processes_changed ON processes (changed_us, status);
CREATE INDEX processes_status ON processes (status);
CREATE INDEX processes_keep ON processes (keep_us);

CREATE TABLE records (
    process TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    component TEXT NOT NULL,                -- of the action
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    data BLOB NOT NULL,                     -- JSON, deflated
    PRIMARY KEY (process, seq)
) WITHOUT ROWID;
-- each in the order in which records are told, so that the first page needs no look at the rest
CREATE INDEX records_at ON records (at_us, process, seq);
CREATE INDEX records_component ON records (component, at_us, process, seq) WHERE component != '';
CREATE INDEX records_action ON records (action, at_us, process, seq) WHERE action != '';
CREATE INDEX records_outcome ON records (outcome, at_us, process, seq) WHERE outcome != '';

CREATE TABLE effects (
    kind TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    process TEXT NOT NULL,
    seq INTEGER NOT NULL,                   -- of the record that asked for it
    PRIMARY KEY (kind, at_us, process, seq)
) WITHOUT ROWID;
CREATE INDEX effects_process ON effects (process);

CREATE TABLE deliveries (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    digest TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,              -- all three, for order
    event TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_name TEXT NOT NULL,
    folded TEXT NOT NULL,
    received_us INTEGER NOT NULL,
    source TEXT NOT NULL,
    causation TEXT NOT NULL,                -- JSON list
    topic TEXT NOT NULL DEFAULT '',         -- '' where it was not seen on one
    part INTEGER NOT NULL DEFAULT 0,
    offset INTEGER NOT NULL DEFAULT 0,
    bytes_at TEXT NOT NULL DEFAULT '',      -- where in the data folder what came is kept
    keep_us INTEGER NOT NULL,
    PRIMARY KEY (key, attempt, digest)
) WITHOUT ROWID;
CREATE INDEX deliveries_received ON deliveries (received_us, name);
CREATE INDEX deliveries_subject ON deliveries (subject, received_us);
CREATE INDEX deliveries_folded ON deliveries (folded);
CREATE INDEX deliveries_keep ON deliveries (keep_us);

CREATE TABLE places (
    source TEXT PRIMARY KEY,
    place TEXT NOT NULL
) WITHOUT ROWID;
"""


TABLES = frozenset({"processes", "records", "effects", "deliveries", "places"})


class AnotherSchema(Exception):
    """The file is of another version, or none of ours."""


def connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    """Open the file; who writes makes it where it is not there.

    Raises `sqlite3.Error` (also where the file is damaged), and `AnotherSchema`.
    """
    mode = "rwc" if writes else "ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=5.0, check_same_thread=False
    )
    try:
        connection.isolation_level = None  # transactions are begun by who writes
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if writes:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if version == 0 and not _tables(connection):
                _make(connection)
                version = VERSION
        if version != VERSION:
            raise AnotherSchema(f"version {version}, not {VERSION}")
        if missing := TABLES - _tables(connection):
            raise AnotherSchema(f"it lacks {', '.join(sorted(missing))}")
    except BaseException:
        connection.close()
        raise
    return connection


def _tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows}


def _make(connection: sqlite3.Connection) -> None:
    connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
