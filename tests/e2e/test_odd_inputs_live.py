"""The odd inputs with effects live, on three hosts at once: what is changed there, and what not.

Each case is taken in by a gateway in memory, and worked at by a worker as it is put together for
production, over real servers and fake GitHubs.
"""

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reactor.delivery import Delivery
from reactor.github.dialect import GitHubDialect
from reactor.ports import Stored
from reactor.settings import load
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.sending import make_ledger
from reactor.wiring.worker import processor
from tests.fixtures.github.fake import AppKey, FakeGitHub, running
from tests.fixtures.ledger import outside
from tests.fixtures.live_github import texts, without_marker, writes
from tests.fixtures.plugins import install_package
from tests.fixtures.site import Site, site_environ, until
from tests.odd_inputs.cases import HOSTS, OWN_APP_ID, SECRETS, OddCase, load_case, names
from tests.odd_inputs.test_statuses import send
from tests.web.site import Site as Gateway

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]

HOME, SERVER, TENANT = HOSTS
SLED, LAB = "acme-robotics/rocket-sled", "acme-robotics/brake-lab"
TOKENS = {SERVER: "ghp_of-the-server", TENANT: "ghp_of-the-tenant"}
SLUG = "triage-reactor"
WITHIN_S = 120
IN_TURN = 5  # deliveries of a case at most: of different subjects, too, in the order of the case
PLENTY = 1_000_000
LIMITS = ("an_hour", "points_a_minute", "content_a_minute", "content_an_hour")
BURST = range(1000, 1200)  # the issues of the one large case

Changed = tuple[list[str], int]  # labels, and how many comments
ASKED: Changed = (["needs-information", "new"], 1)
CHANGED: Mapping[str, Mapping[str, Changed]] = {
    "01_form_encoded": {f"{HOME} {SLED}#17": ASKED},
    "03_json_charset_param": {f"{HOME} {SLED}#17": ASKED},
    "09_unicode_raw_bytes": {f"{HOME} {SLED}#18": ASKED},
    "11_utf8_bom": {f"{HOME} {SLED}#17": ASKED},
    "13_charset_latin1_param": {f"{HOME} {SLED}#17": ASKED},
    "16_chunked_no_length": {f"{HOME} {SLED}#17": ASKED},
    "18_payload_over_1_MiB": {},
    "20_duplicate_guid": {f"{HOME} {SLED}#17": ASKED},
    "23_push_epoch_timestamps": {},
    "25_star_and_watch": {},
    "26_create_tag_no_action": {},
    "28_null_user_null_body": {f"{HOME} {SLED}#17": (["new"], 0)},  # there is nobody to ask
    "29_pr_as_issue_comment": {},
    # it calls a command as well, which its author may not: told in a second comment
    "30_transferred": {f"{HOME} {LAB}#4": (["needs-information", "new"], 2)},
    "33_own_bot_comment": {},
    "34_no_installation": {f"{HOME} {SLED}#17": ASKED},
    "36_comment_before_opened": {f"{HOME} {SLED}#41": ASKED},
    "38_enterprise_hosts": {f"{SERVER} {SLED}#17": ASKED, f"{TENANT} {SLED}#17": ASKED},
    "39_unknown_event": {},
    "40_unknown_action": {},
    "48_prompt_injection": {f"{HOME} {SLED}#17": (["bug", "performance", "new"], 0)},
    "53_burst_1000": {f"{HOME} {SLED}#{number}": ASKED for number in BURST},
}
"""What is there of each issue in the end, in all cases that are taken in."""

PARROT = """
    from reactor import action, component
    from reactor.github import AddLabels, Close, Issue, PostComment

    @component(effects=(AddLabels, Close, PostComment))
    class Parrot:
        @action(value=0.9)
        async def repeat(self, issue: Issue) -> tuple[PostComment, AddLabels, AddLabels, Close]:
            "Believes whatever an issue says."
            asked = AddLabels(labels=("approved", "security-ok"))
            return PostComment(body=issue.body), asked, AddLabels(labels=("bug",)), Close()

    COMPONENTS = (Parrot,)
"""


def seed_of(host: str, app_key: AppKey) -> dict[str, Any]:
    """The places of the cases; the ids are equal on all hosts."""
    numbers = (4, 17, 18, 41, *BURST)
    issues = [{"number": number, "title": "Brakes"} for number in numbers]
    pull = {"number": 31, "title": "Add brakes", "pull": {}}
    seed: dict[str, Any] = {
        "repositories": [
            {"full_name": SLED, "id": 900_000_001, "issues": [*issues, pull]},
            {"full_name": LAB, "id": 900_000_002, "issues": issues[:1]},
        ]
    }
    if host in TOKENS:
        for repository in seed["repositories"]:
            repository["roles"] = {f"bot-of-{host}": "write"}
        return {**seed, "tokens": {TOKENS[host]: f"bot-of-{host}"}}
    app = {"id": OWN_APP_ID, "slug": SLUG, "public_key": app_key.public_pem}
    return {**seed, "app": app, "installations": [{"id": 31337, "account": "acme-robotics"}]}


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What came of a case."""

    case: OddCase
    statuses: list[int]
    processes: list[Stored]  # of the reaction that listens to everything
    fates: list[str]  # where each of all the effects stands
    dead: int


@pytest.fixture
def github(app_key: AppKey) -> Iterator[Mapping[str, FakeGitHub]]:
    """One of each host, without limits: how they are kept is seen elsewhere."""
    with ExitStack() as stack:
        found = {host: stack.enter_context(running(seed_of(host, app_key))) for host in HOSTS}
        for each in found.values():
            each.limit(**dict.fromkeys(LIMITS, PLENTY))
        yield found


@pytest.fixture
def settings(github: Mapping[str, FakeGitHub], app_key: AppKey) -> dict[str, Any]:
    """Everything that is shipped, live."""
    return {
        "reactions": [{"name": "all", "on": "*", "effects": "live"}],
        "components": {"duplicates": {"disabled": True}},  # of a burst each is like the one before
        "repositories": {"*": {"without_file": "live"}},
        "effects": {"per_day": PLENTY},
        "github": {
            "app_id": OWN_APP_ID,
            "private_key": app_key.private_pem,
            "api_url": github[HOME].url,
            "pace": {"factor": 1000},
            "hosts": {
                SERVER: {"api_url": github[SERVER].enterprise_url, "token": TOKENS[SERVER]},
                TENANT: {"api_url": github[TENANT].url, "token": TOKENS[TENANT]},
            },
        },
    }


@pytest.fixture
def site(tmp_path: Path, kafka_bootstrap: str, redis_url: str) -> Site:
    """Servers; nothing is started in it."""
    prefix = f"odd-{secrets.token_hex(6)}"
    return Site(
        folder=tmp_path,
        environ=site_environ(
            KAFKA_BOOTSTRAP_SERVERS=kafka_bootstrap,
            REDIS_URL=redis_url,
            REACTOR_KAFKA_PREFIX=prefix,
            REACTOR_KAFKA_GROUP=prefix,
            REACTOR_REDIS_PREFIX=prefix,
        ),
    )


async def taken_in(case: OddCase) -> tuple[list[int], list[Delivery]]:
    """What a gateway answers, and what it accepts."""
    signed = dict.fromkeys(HOSTS, SECRETS)
    gateway = Gateway().with_parts(dialect=GitHubDialect(signed, allow_unsigned=False))
    async with gateway.client() as client:
        statuses = [await send(client, odd) for odd in case.requests]
    return statuses, gateway.log.deliveries


async def ended(
    name: str, site: Site, settings: Mapping[str, Any], *, is_reversed: bool = False
) -> Ended:
    """A case, when nothing more is to be done about it; of few deliveries, one after the other."""
    case = load_case(name)
    statuses, deliveries = await taken_in(case)
    if is_reversed:
        deliveries.reverse()
    # a busy machine may take longer than the gateway would wait
    patient = {**settings, "gateway": {"produce_timeout_s": 60}}
    (site.folder / "reactor.yaml").write_text(json.dumps(patient))
    loaded = load(site.folder / "reactor.yaml", site.environ)
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(loaded))
        kafka = await stack.enter_async_context(kafka_parts(loaded, large_bodies(loaded, redis)))
        seen = await stack.enter_async_context(outside(site))
        worker = await stack.enter_async_context(processor(loaded, owner="odd"))
        await worker.start()
        stack.push_async_callback(worker.stop)
        for number, each in enumerate(deliveries, 1):
            await kafka.deliveries.append(each)
            if len(deliveries) <= IN_TURN or number == len(deliveries):
                await until(lambda n=number: worker.health().pump.settled >= n, within_s=WITHIN_S)  # type: ignore[misc]
        processes = [stored for each in deliveries for stored in await seen.processes(each.key)]
        ledger = make_ledger(loaded, redis, seen.platform)
        fates: dict[str, str] = {}

        async def all_ended() -> bool:
            for stored in processes:
                keys = [each.key for each in stored.effects]
                found = await ledger.fates(stored.head.subject, keys)
                fates.update({key: fate.state for key, fate in found.items()})
            return set(fates.values()) <= {"done", "refused", "given_up"}

        await until(all_ended, within_s=WITHIN_S, every_s=0.2)
        dead = await seen.records(seen.topics.dead)
    of_all = [stored for stored in processes if stored.head.reaction == "all"]
    return Ended(
        case=case,
        statuses=statuses,
        processes=of_all,
        fates=list(fates.values()),
        dead=len(dead),
    )


def changed(github: Mapping[str, FakeGitHub]) -> dict[str, Changed]:
    """By host and number, what is there of each issue."""
    return {
        f"{host} {name}#{number}": (issue["labels"], len(issue["comments"]))
        for host, fake in github.items()
        for name in (SLED, LAB)
        for number, issue in fake.state(name)["issues"].items()
        if issue["labels"] or issue["comments"]
    }


def said(github: Mapping[str, FakeGitHub]) -> list[str]:
    """What we wrote, anywhere."""
    return [
        text
        for fake in github.values()
        for name in (SLED, LAB)
        for issue in fake.state(name)["issues"].values()
        for text in texts(issue["comments"])
    ]


def repeated(fake: FakeGitHub) -> list[str]:
    """What was asked for twice, word for word."""
    asked = Counter(
        f"{each.method} {each.path} {without_marker(json.dumps(each.body))}"
        for each in fake.writes()
    )
    return [write for write, times in asked.items() if times > 1]


def test_no_case_that_is_taken_in_is_forgotten() -> None:
    assert set(CHANGED) == {name for name in names() if load_case(name).records}


@pytest.mark.parametrize("name", CHANGED)
async def test_what_is_changed_is_what_is_right(
    name: str, site: Site, settings: dict[str, Any], github: Mapping[str, FakeGitHub]
) -> None:
    found = await ended(name, site, settings)

    assert Counter(found.statuses) == found.case.counts
    assert len(found.processes) == found.case.processes
    assert all(stored.head.status.is_final for stored in found.processes)
    assert found.dead == 0
    assert set(found.fates) <= {"done"}
    assert changed(github) == CHANGED[name]
    assert [write for fake in github.values() for write in repeated(fake)] == []
    assert not any(re.search(r"@\w", text) for text in said(github))


async def test_what_we_wrote_ourselves_starts_nothing(
    site: Site, settings: dict[str, Any], github: Mapping[str, FakeGitHub]
) -> None:
    found = await ended("33_own_bot_comment", site, settings)

    assert (found.processes, found.fates) == ([], [])
    assert [writes(fake) for fake in github.values()] == [[], [], []]


async def test_an_issue_whose_transfer_is_known_is_not_welcomed(
    site: Site, settings: dict[str, Any], github: Mapping[str, FakeGitHub]
) -> None:
    found = await ended("30_transferred", site, settings, is_reversed=True)

    assert set(found.fates) <= {"done"}
    issue = github[HOME].issue(4, LAB)
    assert issue["labels"] == ["new"]
    assert not any("Welcome" in text or "Thank" in text for text in texts(issue["comments"]))


async def test_where_a_delivery_names_no_installation_it_is_looked_up(
    site: Site, settings: dict[str, Any], github: Mapping[str, FakeGitHub]
) -> None:
    found = await ended("34_no_installation", site, settings)

    assert set(found.fates) == {"done"}
    asked = {each.path for each in github[HOME].requests("GET")}
    assert f"/repos/{SLED}/installation" in asked


async def test_each_host_hears_only_of_its_own_and_from_its_own_account(
    site: Site, settings: dict[str, Any], github: Mapping[str, FakeGitHub]
) -> None:
    await ended("38_enterprise_hosts", site, settings)

    assert writes(github[HOME]) == []
    for host, token in TOKENS.items():
        assert {each.token for each in github[host].requests()} == {token}
        assert len(writes(github[host])) == 3


async def test_a_component_that_is_talked_into_it_does_no_more_than_it_is_granted(
    site: Site,
    settings: dict[str, Any],
    github: Mapping[str, FakeGitHub],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install_package(site.folder, "parrot", PARROT)
    monkeypatch.syspath_prepend(str(site.folder))
    settings["reactions"] = [{"name": "all", "on": "*", "scope": ["parrot"], "effects": "live"}]
    settings["repositories"] = {"*": {"without_file": "live", "labels": ["bug"]}}
    settings["components"] = {"parrot": {"allow": ["AddLabels", "PostComment"]}}

    found = await ended("48_prompt_injection", site, settings)

    (stored,) = found.processes
    assert sorted(each.effect.kind for each in stored.effects) == [
        "AddLabels",
        "AddLabels",
        "Close",
        "PostComment",
    ]
    assert changed(github) == {f"{HOME} {SLED}#17": (["bug"], 1)}
    assert github[HOME].issue(17, SLED)["state"] == "open"
    (text,) = said(github)
    assert "acme-robotics/everyone" in text
    assert not re.search(r"@\w", text)
