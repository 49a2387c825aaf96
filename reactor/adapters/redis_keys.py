"""Every key that Reactor keeps in Redis: its type, its fields, and how long it lives.

    key                             type    lives                     holds
    PREFIX:{ID}:process             hash    while open: `keep_open`   a process and its lease:
                                            after its last commit;      owner, fence, lease_ms, until_ms
                                            then `keep_finished`        head, commits, last_commit
                                                                        journal_seq, sent_seq
                                                                        wish ("kill", "pause", ...)
    PREFIX:{ID}:changes             list    as the process            changes of the blackboard
    PREFIX:{ID}:history             list    as the process            runs of actions
    PREFIX:{ID}:effects             list    as the process            effects; the newest of a key counts
    PREFIX:{ID}:journal             list    as the process            decision records; those after
                                                                        sent_seq wait to be published
    PREFIX:started:{DELIVERY}       zset    `keep_open`               ids of the processes it started,
                                                                        scored 0, 1, 2, ...
    PREFIX:recent                   zset    `keep_open` after the     ids of processes, scored by their
                                            last commit of any        last change: microseconds since
                                                                        1970; the newest 10,000
    PREFIX:claim:{DELIVERY}         hash    60 s, then `keep`         digest, token (of who claimed it),
                                                                        kept (1: durable, and not on
                                                                        the topic yet),
                                                                        topic, partition, offset
    PREFIX:body:DIGEST              string  `keep`                    the first delivery with this body
    PREFIX:outcome:{DELIVERY}       string  `keep`                    why nothing came of it
    PREFIX:storm:{SUBJECT}          zset    the window, after the     keys of deliveries by bots that
                                            last one was let in         were let in, scored by when:
                                                                        milliseconds since 1970
    PREFIX:first:{ENTITY}           hash    `keep`, or for ever       purpose -> id of the process
    PREFIX:large:NAME               string  as its topic              a body too large for the broker
    PREFIX:context:{CONTEXT}        hash    `keep` after the last     name of a fact -> its type and JSON
                                            save, or for ever
    PREFIX:forms                    zset    `keep` after the last     ids of forms, scored by when they
                                            one was added               were asked; the newest 10,000
    PREFIX:{timers}:due             zset    for ever                  ids of timers, scored by when they
                                                                        are due: microseconds since 1970
    PREFIX:{timers}:told            hash    for ever                  id of a timer -> what it tells
    PREFIX:{timers}:leader          string  its lease, some seconds   the owner that fires timers

ID is a process id, CONTEXT one of a context, DELIVERY a `Delivery.key`, SUBJECT a `Subject.key`.  Items of the lists are lines of `reactor.codec`.
The braces are part of the keys: what they enclose decides the slot of a cluster, so all of one
process lies on one server, where one script can change it in one atomic step.

`recent` is an index for people.  It lies in a slot of its own, so it is written in the same round
trip as a commit but not in the same step, and a commit does not fail with it: an id may be
missing, or lie where it lay before.  An id stays when its process has expired, until newer ones
push it out; who reads the index leaves out those that are gone.  `forms` is such an index too.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProcessKeys:
    """The keys of one process, all in one slot."""

    prefix: str
    process_id: str

    def _key(self, part: str) -> str:
        return f"{self.prefix}:{{{self.process_id}}}:{part}"

    @property
    def process(self) -> str:
        """Hash: lease, head and counters."""
        return self._key("process")

    @property
    def journal(self) -> str:
        """List: decision records."""
        return self._key("journal")

    @property
    def board(self) -> tuple[str, str, str, str]:
        """What is read to resume: the hash, and the lists of changes, history and effects."""
        return self.process, self._key("changes"), self._key("history"), self._key("effects")


def context(prefix: str, context_id: str) -> str:
    """Hash: facts that outlive processes, by name."""
    return f"{prefix}:context:{{{context_id}}}"


def forms(prefix: str) -> str:
    """Sorted set: the forms that somebody may answer."""
    return f"{prefix}:forms"


def timers(prefix: str) -> tuple[str, str]:
    """Sorted set and hash: what is due when, and what it tells."""
    return f"{prefix}:{{timers}}:due", f"{prefix}:{{timers}}:told"


def timers_leader(prefix: str) -> str:
    """String: who fires timers now."""
    return f"{prefix}:{{timers}}:leader"


def started(prefix: str, delivery: str) -> str:
    """Sorted set: the processes that a delivery started."""
    return f"{prefix}:started:{{{delivery}}}"


def recent(prefix: str) -> str:
    """Sorted set: the processes that changed last."""
    return f"{prefix}:recent"


def claim(prefix: str, delivery: str) -> str:
    """Hash: the claim of a delivery id."""
    return f"{prefix}:claim:{{{delivery}}}"


def body(prefix: str, digest: str) -> str:
    """String: the delivery that first had this body."""
    return f"{prefix}:body:{digest}"


def outcome(prefix: str, delivery: str) -> str:
    """String: why nothing came of a delivery."""
    return f"{prefix}:outcome:{{{delivery}}}"


def storm(prefix: str, subject: str) -> str:
    """Sorted set: the deliveries by bots that a subject had lately."""
    return f"{prefix}:storm:{{{subject}}}"


def first(prefix: str, entity: str) -> str:
    """Hash: who saw an entity first, by purpose."""
    return f"{prefix}:first:{{{entity}}}"
