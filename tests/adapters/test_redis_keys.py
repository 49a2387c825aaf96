"""The table of keys says all that there is: an operator can rely on it."""

from datetime import timedelta

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_bodies import RedisBodies
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_contexts import RedisContexts
from reactor.adapters.redis_dead import RedisHandlings
from reactor.adapters.redis_forms import RedisForms
from reactor.adapters.redis_heartbeats import RedisHeartbeats
from reactor.adapters.redis_installations import RedisInstallations
from reactor.adapters.redis_issues import RedisIssues
from reactor.adapters.redis_ledger import RedisLedger
from reactor.adapters.redis_mark import RedisMark
from reactor.adapters.redis_models import RedisAnswers, RedisPurses
from reactor.adapters.redis_outcomes import RedisOutcomes
from reactor.adapters.redis_pace import RedisPace
from reactor.adapters.redis_permissions import RedisPermissions
from reactor.adapters.redis_places import RedisAbsences, RedisOpenProcesses
from reactor.adapters.redis_prompts import RedisPrompts
from reactor.adapters.redis_rules import RedisFiles
from reactor.adapters.redis_sessions import RedisSessions
from reactor.adapters.redis_shelf import RedisShelf
from reactor.adapters.redis_storms import RedisBotEvents
from reactor.adapters.redis_timers import RedisTimers
from reactor.adapters.redis_troubles import RedisTroubles
from reactor.ai.exchange import Request
from reactor.codec import Codec
from reactor.dead import Handling
from reactor.encoded import Encoded
from reactor.heartbeat import KEEP, Heartbeat
from reactor.issue_index import IndexedIssue
from reactor.ledger import Outcome, Sending
from reactor.lifecycle import Absence
from reactor.pace import Ask, Rates
from reactor.permissions import RepositoryRef
from reactor.ports import Commit
from reactor.prompt import Listed, Prompt
from reactor.session import Session, session_key
from reactor.topic import Position
from reactor.troubles import KEEP as KEEP_TROUBLES
from reactor.troubles import Trouble
from tests.contract.ledgers import PLENTY, SUBJECT, intent
from tests.contract.samples import CATALOG, NOW, board, effect, head, record, run, timer
from tests.fixtures.documented_keys import keys_under, rows, undocumented


@pytest.mark.redis
async def test_every_key_is_in_the_table_with_its_type_and_life_and_every_row_is_in_use(
    redis_url: str, redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    claims = RedisClaims(redis_client, prefix=redis_prefix)
    lease = await boards.open("p1", delivery="h/d-1", owner="a", lease=timedelta(minutes=1))
    commit = Commit(
        head=head("p1"),
        changes=board().changes_since(0),
        history=[run()],
        effects=[effect("k1")],
        journal=[record("p1", 1)],
        is_last=True,
    )
    await boards.commit(lease.lease, commit)
    await boards.mark_sent({"p1": 1})
    await claims.claim("h/d-1", digest="aa")
    await claims.produced("h/d-1", Position("t", 0, 0), digest="aa")
    firsts = RedisFirsts(redis_client, prefix=redis_prefix)
    await firsts.claim_new("h/1#7", purpose="welcome", process_id="p1")
    bodies = RedisBodies(redis_client, prefix=redis_prefix, keep=timedelta(minutes=1))
    await bodies.put("d-1", b"large")
    await RedisForms(redis_client, prefix=redis_prefix).add("p1-1", asked_at=NOW)
    contexts = RedisContexts(redis_client, prefix=redis_prefix)
    await contexts.save("h/1", {"mood": Encoded("str", b'"calm"')})
    issue = IndexedIssue(number=7, title="no", is_open=True, terms={}, changed_at=NOW)
    await RedisIssues(redis_client, prefix=redis_prefix).put("h/1", issue)
    trouble = Trouble(component="triage", kind="failed", first_at=NOW, last_at=NOW, text="no")
    await RedisTroubles(redis_client, prefix=redis_prefix).note([trouble], keep=KEEP_TROUBLES)
    await RedisOutcomes(redis_client, prefix=redis_prefix).ignore("h/d-2", "no_reaction")
    bots = RedisBotEvents(redis_client, prefix=redis_prefix, limit=1, window=timedelta(minutes=1))
    await bots.count("h/1#7", "h/d-1")
    await RedisInstallations(redis_client, prefix=redis_prefix).write("github.com", 1, 42)
    gone = Absence(word="deleted", why="it was deleted", since=NOW, delivery="h/d-1")
    await RedisAbsences(redis_client, prefix=redis_prefix).begin("h/1#7", gone)
    rest = RedisOpenProcesses(redis_client, ManualClock(), prefix=redis_prefix)
    await rest.add("p1", subject="h/1#7")
    repository = RepositoryRef(host="github.com", id=1, name="octo/hello")
    permissions = RedisPermissions(MemoryPermissions(), redis_client, prefix=redis_prefix)
    await permissions.role(repository, "octocat")
    files = RedisFiles(redis_client, prefix=redis_prefix)
    await files.changed("github.com", "octo/hello", commit="c0ffee")
    await files.tell_once("github.com", "octo/hello", "1a")
    ask = Ask(id="a", host="github.com", account="installation 42", kind="write")
    await RedisPace(redis_client, Rates(), prefix=redis_prefix).turn(ask)
    ledger = RedisLedger(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await ledger.begin(SUBJECT, owner="a", lease=timedelta(minutes=1), now=NOW)
    await ledger.enrol([intent("k2", mode="approve")], PLENTY, now=NOW)
    await ledger.enrol([intent("k3", subject="h/1#8")], PLENTY, now=NOW)
    sending = await ledger.begin("h/1#8", owner="a", lease=timedelta(minutes=1), now=NOW)
    assert isinstance(sending, Sending)
    await ledger.finish(sending, Outcome(state="given_up"), now=NOW)
    listed = Listed(key="k2", id="k2", would="add label bug", action="triage.label")
    prompts = RedisPrompts(redis_client, prefix=redis_prefix)
    await prompts.add(SUBJECT, Prompt(key="k4", listed=(listed,)))
    timers = RedisTimers(redis_client, prefix=redis_prefix)
    await timers.put(timer())
    await timers.lead("a", lease=timedelta(minutes=1))
    await RedisShelf(redis_client, prefix=redis_prefix).put("t|h/d-1", b"record")
    handling = Handling(what="dropped", by="somebody", at=NOW)
    await RedisHandlings(redis_client, prefix=redis_prefix).note("0a1b", handling)
    heartbeats = RedisHeartbeats(redis_client, prefix=redis_prefix)
    beat = Heartbeat(owner="a/1/w", at=NOW, started_at=NOW, is_ready=True)
    await heartbeats.beat(beat, keep=KEEP)
    await RedisMark(redis_client, prefix=redis_prefix).ensure(now=NOW)
    await RedisPurses(redis_client, ManualClock(), prefix=redis_prefix).take(0.1, {"all": 1})
    asked = Request(model="small", messages=())
    await RedisAnswers(redis_client, prefix=redis_prefix, keep=KEEP).keep(asked, "So.")
    clock = ManualClock()
    visit = Session(name="ann", may_change=True, token="", until=clock.now() + KEEP)
    await RedisSessions(redis_client, clock, prefix=redis_prefix).begin(session_key("s"), visit)

    with BlockingRedis.from_url(redis_url) as client:
        assert undocumented(client, redis_prefix) == []
        found = list(keys_under(client, redis_prefix))
    assert [row for row in rows() if not any(row.fits(*key) for key in found)] == []
