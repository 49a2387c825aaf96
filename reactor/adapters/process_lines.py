"""A process in writing: what a commit adds, and what a store gives back, as the codec's lines.

Shared by the adapters of the port `Boards`, so that all of them keep the same.
"""

from dataclasses import dataclass

from reactor.codec import Codec
from reactor.ports import Commit, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLines:
    """Lines of one commit, or of all commits of a process so far."""

    head: bytes
    changes: list[bytes]
    history: list[bytes]
    effects: list[bytes]
    journal: list[bytes]
    journal_seq: int  # of the last record; 0 where a commit adds none
    sent_seq: int = 0  # up to which they are known to be published
    commits: int = 1


def write(codec: Codec, commit: Commit) -> ProcessLines:
    """What the commit adds.  Raises `UnstorableValue` before anything was kept."""
    return ProcessLines(
        head=codec.encode_head(commit.head),
        changes=[codec.encode_change(change) for change in commit.changes],
        history=[codec.encode_run(run) for run in commit.history],
        effects=[codec.encode_effect(record) for record in commit.effects],
        journal=[codec.encode_record(record) for record in commit.journal],
        journal_seq=commit.journal[-1].seq if commit.journal else 0,
    )


def read(codec: Codec, lines: ProcessLines) -> Stored:
    """The process, but for its journal.  Raises `UnreadableLine`.

    Of several records of one effect the newest counts, in the place of the first.
    """
    effects = map(codec.decode_effect, lines.effects)
    return Stored(
        head=codec.decode_head(lines.head),
        changes=tuple(map(codec.decode_change, lines.changes)),
        history=tuple(map(codec.decode_run, lines.history)),
        effects=tuple({record.key: record for record in effects}.values()),
        journal_seq=lines.journal_seq,
        sent_seq=lines.sent_seq,
        commits=lines.commits,
    )
