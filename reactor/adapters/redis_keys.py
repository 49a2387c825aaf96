"""Every key that Reactor keeps in Redis: its type, its fields, and how long it lives.

    key                             type    lives                     holds
    PREFIX:{ID}:process             hash    while open: `keep_open`   a process and its lease:
                                            after its last commit;      owner, fence, lease_ms, until_ms
                                            then `keep_finished`        head, commits, last_commit
                                                                        journal_seq, sent_seq
                                                                        wish ("kill", "pause", ...)
                                                                        opens (by how many workers since
                                                                        anything was kept), opener
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
    PREFIX:latest:{SUBJECT}         zset    `keep_open` after the     ids of its processes, scored as
                                            last one came to rest       above; the newest 20
    PREFIX:claim:{DELIVERY}         hash    60 s, then `keep`         digest, token (of who claimed it),
                                                                        kept (1: durable, and not on
                                                                        the topic yet),
                                                                        topic, partition, offset
    PREFIX:body:DIGEST              string  `keep`                    the first delivery with this body
    PREFIX:outcome:{DELIVERY}       string  `keep`                    why nothing came of it
    PREFIX:storm:{SUBJECT}          zset    the window, after the     keys of deliveries by bots that
                                            last one was let in         were let in, scored by when:
                                                                        milliseconds since 1970
    PREFIX:dead                     hash    for ever, as letters do   id of a dead letter -> JSON: what was
                                                                        done about it, by whom, when
    PREFIX:first:{ENTITY}           hash    `keep`, or for ever       purpose -> id of the process
    PREFIX:large:NAME               string  as its topic, or for      a body too large for the broker
                                            ever
    PREFIX:context:{CONTEXT}        hash    `keep` after the last     name of a fact -> its type and JSON
                                            save, or for ever
    PREFIX:forms                    zset    `keep` after the last     ids of forms, scored by when they
                                            one was added               were asked; the newest 10,000
    PREFIX:{timers}:due             zset    for ever                  ids of timers, scored by when they
                                                                        are due: microseconds since 1970
    PREFIX:{timers}:told            hash    for ever                  id of a timer -> what it tells
    PREFIX:{timers}:leader          string  its lease, some seconds   the owner that fires timers
    PREFIX:{shelf}:order            zset    for ever; members until   names of records that the embedded
                                            they are settled            broker would forget, numbered
    PREFIX:{shelf}:items            hash    for ever, as above        name -> the record, packed
    PREFIX:{shelf}:last             string  for ever                  the last number that was given
    PREFIX:worker:{OWNER}           string  10 s                      its last heartbeat, as JSON
    PREFIX:workers                  zset    100 s after the last      owners with a heartbeat, scored by
                                            heartbeat of any            when: milliseconds since 1970
    PREFIX:troubles                 hash    a day after the last one  what workers had with components:
                                                                        "count KEY", "first KEY" and
                                                                        "last KEY", as JSON
    PREFIX:session:DIGEST           string  `console.session_hours`   who logged in to the console, and as
                                                                        what, as JSON
    PREFIX:{REPO}:effect:KEY        hash    while open for ever;      an effect: state, fence, attempts,
                                            then `keep`, or for ever  failures, unsure, due, reason,
                                            (cause "ever")            result, enrolled, changed, away,
                                                                        delayed_ms;
                                                                        whose it is: line, told, process,
                                                                        delivery, depth, ever; of one
                                                                        that was held: ruled (1: sent,
                                                                        0: refused), ruled_by, ruled_at
    PREFIX:{REPO}:queue:SUBJECT     list    while it holds any        keys of its effects, next one first
    PREFIX:{REPO}:turn:SUBJECT      hash    a day after the last try  who sends: owner, fence, until_ms,
                                                                        token and key of the try
    PREFIX:{REPO}:newest:SUBJECT    hash    an hour                   delivery and depth of the newest try
    PREFIX:{REPO}:prompts:SUBJECT   list    `keep` after the last     what the subject's last ten prompts
                                            prompt                      listed for approval, as JSON
    PREFIX:{REPO}:issues            hash    400 days after the last   number of an issue -> its title, its
                                            change of any               terms, ..., as JSON
    PREFIX:{REPO}:issues:order      zset    as above                  numbers of those issues, scored by
                                                                        when they were changed
    PREFIX:{REPO}:window:SUBJECT    zset    `window` of the caps      keys of effects, scored by when they
                                                                        were enrolled
    PREFIX:{REPO}:event:DELIVERY    string  `keep`                    how many effects it brought about
    PREFIX:{REPO}:day:DAY           string  two days                  how many effects it had on that day
    PREFIX:installation             string  for ever                  id, since, lost_at, as JSON: by it
                                                                        one sees that all this is gone
    PREFIX:installations:HOST       hash    for ever                  id of a repository -> id of the
                                                                        installation of our app there
    PREFIX:{REPO}:absent:PLACE      hash    `keep` after the last     word -> why nothing can be changed
                                            one was added               there, and since when, as JSON
    PREFIX:{REPO}:open              zset    `keep_open` after the     "SUBJECT ID" of processes that rest
                                            last one was added          and may go on, scored by when they
                                                                        came to rest
    PREFIX:role:HOST/ID:LOGIN       string  60 s                      what somebody may do in a repository
    PREFIX:file:HOST/NAME           hash    30 days after it was      a repository's .github/reactor.yml:
                                            looked at last              checked, seen, etag, sha, text,
                                                                        good_sha, good_text (the newest
                                                                        without faults); of changes that
                                                                        we were told of: told, commit
    PREFIX:file-told:HOST/NAME:SHA  string  30 days                   set: somebody was told of what is
                                                                        wrong with this blob of it
    PREFIX:{HOST:ACCOUNT}:pace      hash    125 min after the last    what we may still ask of GitHub as
                                            request                     one account: seen, stopped, strikes,
                                                                        limit, remaining, reset, reset_at,
                                                                        promised, ahead:BUCKET
    PREFIX:{HOST:ACCOUNT}:asked     zset    as above                  ids of requests under way, scored by
                                                                        when they are forgotten
    PREFIX:{spent}:day:DAY          hash    two days                  purse ("all", a REPO) -> US dollars
                                                                        that went on models on that day
    PREFIX:{spent}:once:CALL        string  a minute                  that this call was counted
    PREFIX:answer:DIGEST            string  `llm.keep_answers_s`      what a model answered to a request
                                                                        with this digest
    PREFIX:effects                  zset    for ever                  subjects with something to send,
                                                                        scored by when to look at them
    PREFIX:held                     zset    for ever                  "SUBJECT KEY" of effects that wait
                                                                        for a person, scored by since when
    PREFIX:given-up                 zset    `keep` after the last     "SUBJECT KEY" of effects that were
                                            one was given up            given up, scored by when

ID is a process id, CONTEXT one of a context, DELIVERY a `Delivery.key`, SUBJECT a `Subject.key`,
REPO its part before the #, PLACE either of them, HOST as "github.com", ACCOUNT as "installation 7", KEY an effect's key, DAY as 20260314.  Items of the lists are lines of `reactor.codec`.
The braces are part of the keys: what they enclose decides the slot of a cluster, so all of one
process lies on one server, where one script can change it in one atomic step.

`recent` is an index for people.  It lies in a slot of its own, so it is written in the same round
trip as a commit but not in the same step, and a commit does not fail with it: an id may be
missing, or lie where it lay before.  An id stays when its process has expired, until newer ones
push it out; who reads the index leaves out those that are gone.  `forms` and `latest` are such
indexes too.

All of a repository's effects lie in one slot: row, queue and caps change in one atomic step.
`effects` and `held` do not, and so are written once that is done; where they could not be, whoever
wanted the effects, or ruled on one, is told so and does it again.  Scores are microseconds since 1970.
`given-up` is written before the row is: an entry whose row is not given up is passed over by who
reads it, who has its subject looked at if it is to be sent, and takes it out if it never will be.
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


def session(prefix: str, key: str) -> str:
    """String: who logged in; `key`: `reactor.session.session_key`."""
    return f"{prefix}:session:{key}"


def timers(prefix: str) -> tuple[str, str]:
    """Sorted set and hash: what is due when, and what it tells."""
    return f"{prefix}:{{timers}}:due", f"{prefix}:{{timers}}:told"


def timers_leader(prefix: str) -> str:
    """String: who fires timers now."""
    return f"{prefix}:{{timers}}:leader"


def shelf(prefix: str) -> tuple[str, str, str]:
    """Sorted set, hash and string: records on the shelf in order, what they are, and a count."""
    key = f"{prefix}:{{shelf}}"
    return f"{key}:order", f"{key}:items", f"{key}:last"


def worker(prefix: str, owner: str) -> str:
    """String: the last heartbeat of a worker."""
    return f"{prefix}:worker:{{{owner}}}"


def workers(prefix: str) -> str:
    """Sorted set: the owners that had a heartbeat of late."""
    return f"{prefix}:workers"


def troubles(prefix: str) -> str:
    """Hash: what workers had with components of late."""
    return f"{prefix}:troubles"


def started(prefix: str, delivery: str) -> str:
    """Sorted set: the processes that a delivery started."""
    return f"{prefix}:started:{{{delivery}}}"


def recent(prefix: str) -> str:
    """Sorted set: the processes that changed last."""
    return f"{prefix}:recent"


def latest(prefix: str, subject: str) -> str:
    """Sorted set: the processes of a subject that came to rest last."""
    return f"{prefix}:latest:{{{subject}}}"


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


def dead(prefix: str) -> str:
    """Hash: what was done about dead letters."""
    return f"{prefix}:dead"


def first(prefix: str, entity: str) -> str:
    """Hash: who saw an entity first, by purpose."""
    return f"{prefix}:first:{{{entity}}}"


@dataclass(frozen=True, slots=True)
class LedgerKeys:
    """The keys of a subject's effects, all in the slot of its repository."""

    prefix: str
    subject: str

    def _key(self, part: str) -> str:
        return f"{self.prefix}:{{{self.subject.partition('#')[0]}}}:{part}"

    @property
    def queue(self) -> str:
        """List: the keys of its effects that are to be sent."""
        return self._key(f"queue:{self.subject}")

    @property
    def turn(self) -> str:
        """Hash: who sends now."""
        return self._key(f"turn:{self.subject}")

    @property
    def newest(self) -> str:
        """Hash: which delivery led to the newest effect."""
        return self._key(f"newest:{self.subject}")

    @property
    def prompts(self) -> str:
        """List: what was listed for people to approve."""
        return self._key(f"prompts:{self.subject}")

    @property
    def window(self) -> str:
        """Sorted set: its effects of late."""
        return self._key(f"window:{self.subject}")

    def event(self, delivery: str) -> str:
        """String: how many effects a delivery brought about."""
        return self._key(f"event:{delivery}")

    def day(self, day: str) -> str:
        """String: how many effects its repository had that day."""
        return self._key(f"day:{day}")

    def row(self, key: str) -> str:
        """Hash: one effect.  With "" as key it is what the keys of all rows begin with."""
        return self._key(f"effect:{key}")


def issues(prefix: str, repository: str) -> tuple[str, str]:
    """Hash and sorted set: the issues of a repository that others are compared with."""
    key = f"{prefix}:{{{repository}}}:issues"
    return key, f"{key}:order"


def absent(prefix: str, place: str) -> str:
    """Hash: why nothing can be changed in a place."""
    return f"{prefix}:{{{place.partition('#')[0]}}}:absent:{place}"


def open_processes(prefix: str, repository: str) -> str:
    """Sorted set: the processes that rest and may go on."""
    return f"{prefix}:{{{repository}}}:open"


def installation(prefix: str) -> str:
    """String: the mark of this installation's data."""
    return f"{prefix}:installation"


def installations(prefix: str, host: str) -> str:
    """Hash: the installations of our app, by repository."""
    return f"{prefix}:installations:{host}"


def role(prefix: str, host: str, repository_id: int, login: str) -> str:
    """String: the role of somebody in a repository; the login in lower case."""
    return f"{prefix}:role:{host}/{repository_id}:{login}"


def repository_file(prefix: str, host: str, name: str) -> str:
    """Hash: the file of a repository with its rules; its full name in lower case."""
    return f"{prefix}:file:{host}/{name}"


def file_told(prefix: str, host: str, name: str, sha: str) -> str:
    """String: somebody was told what is wrong with a blob of that file."""
    return f"{prefix}:file-told:{host}/{name}:{sha}"


def pace(prefix: str, host: str, account: str) -> tuple[str, str]:
    """Hash and sorted set: what is left to an account, and its requests under way."""
    key = f"{prefix}:{{{host}:{account}}}"
    return f"{key}:pace", f"{key}:asked"


def spent(prefix: str, day: str) -> str:
    """Hash: what went on models on a day, by purse."""
    return f"{prefix}:{{spent}}:day:{day}"


def spent_once(prefix: str, call: str) -> str:
    """String: a call of a model was counted."""
    return f"{prefix}:{{spent}}:once:{call}"


def answer(prefix: str, digest: str) -> str:
    """String: what a model answered."""
    return f"{prefix}:answer:{digest}"


def effects(prefix: str) -> str:
    """Sorted set: the subjects with something to send."""
    return f"{prefix}:effects"


def held(prefix: str) -> str:
    """Sorted set: the effects that wait for a person."""
    return f"{prefix}:held"


def given_up(prefix: str) -> str:
    """Sorted set: the effects that were given up."""
    return f"{prefix}:given-up"
