"""`GET /api/deliveries/{guid}`, and who may ask."""

from datetime import timedelta

import pytest

from reactor.github.dialect import GitHubDialect
from reactor.ports import Commit
from reactor.status import ProcessHead, Status, process_id
from reactor.topic import Position
from reactor.web.access import Access
from tests.web.site import Site, headers, told

MISSING = "no-such-delivery"


async def start(site: Site, delivery: str, reaction: str, status: Status) -> str:
    """A process of the delivery, committed as a worker does."""
    name = process_id(delivery=delivery, reaction=reaction)
    lease = timedelta(seconds=30)
    opened = await site.boards.open(name, delivery=delivery, owner="worker-1", lease=lease)
    head = ProcessHead(
        id=name,
        delivery=delivery,
        reaction=reaction,
        subject="github.com/9#7",
        agent="reactor",
        planner="utility",
        status=status,
        created_at=site.clock.now(),
        updated_at=site.clock.now(),
    )
    await site.boards.commit(opened.lease, Commit(head=head))
    return name


async def ask(site: Site, path: str, **sent: str) -> tuple[int, dict[str, object]]:
    async with site.client() as client:
        answer = await client.get(path, headers=sent)
    return answer.status_code, answer.json()


async def test_an_accepted_delivery_is_shown_with_its_place_on_the_topic(site: Site) -> None:
    await site.post()

    assert await ask(site, "/api/deliveries/guid-1") == (
        200,
        {
            "delivery": "guid-1",
            "status": "accepted",
            "ignored": None,
            "topic": "reactor.deliveries",
            "partition": 0,
            "offset": 0,
            "processes": [],
        },
    )


async def test_one_that_waits_in_the_spool_is_shown_without_a_place(site: Site) -> None:
    await site.claims.kept("github.com/guid-1", digest="aa")

    status, told = await ask(site, "/api/deliveries/guid-1")

    assert (status, told["status"], told["topic"]) == (200, "accepted", None)


@pytest.mark.parametrize(
    ("statuses", "shown"),
    [
        ([Status.RUNNING, Status.COMPLETED], "pending"),
        ([Status.COMPLETED, Status.STUCK, Status.WAITING, Status.FAILED], "settled"),
    ],
)
async def test_it_is_settled_when_each_of_its_processes_is(
    site: Site, statuses: list[Status], shown: str
) -> None:
    await site.post()
    ids = [
        await start(site, "github.com/guid-1", f"reaction-{number}", status)
        for number, status in enumerate(statuses)
    ]

    _, content = await ask(site, "/api/deliveries/guid-1")

    assert content["status"] == shown
    assert content["processes"] == [
        {"id": each, "reaction": f"reaction-{number}", "status": status.value, "attempt": 1}
        for number, (each, status) in enumerate(zip(ids, statuses, strict=True))
    ]


async def test_one_that_nothing_came_of_is_shown_with_the_reason(site: Site) -> None:
    await site.post()
    await site.outcomes.ignore("github.com/guid-1", "storm")

    _, content = await ask(site, "/api/deliveries/guid-1")

    assert (content["status"], content["ignored"], content["processes"]) == ("ignored", "storm", [])
    assert content["topic"] == "reactor.deliveries"


async def test_what_was_ignored_once_and_started_later_is_shown_by_its_processes(
    site: Site,
) -> None:
    await site.post()
    await site.outcomes.ignore("github.com/guid-1", "no_reaction")
    await start(site, "github.com/guid-1", "everything", Status.COMPLETED)

    _, content = await ask(site, "/api/deliveries/guid-1")

    assert (content["status"], content["ignored"]) == ("settled", None)


async def test_one_that_was_never_claimed_is_shown_by_its_processes(site: Site) -> None:
    await start(site, "github.com/guid-1", "everything", Status.COMPLETED)

    status, content = await ask(site, "/api/deliveries/guid-1")

    assert (status, content["status"], content["topic"]) == (200, "settled", None)


@pytest.mark.parametrize("delivery", [MISSING, "a_b", "a" * 65])
async def test_one_that_nobody_knows_is_not_found(site: Site, delivery: str) -> None:
    status, content = await ask(site, f"/api/deliveries/{delivery}")

    assert (status, content["reason"]) == (404, "unknown_delivery")


async def test_one_id_on_two_hosts_is_told_apart_by_the_host(site: Site) -> None:
    hosts = {"ghe.acme.example": ("a",), "github.com": ("b",)}
    site.with_parts(dialect=GitHubDialect(hosts, allow_unsigned=False))
    await site.claims.produced("ghe.acme.example/both", Position("t", 0, 1), digest="aa")
    await site.claims.produced("github.com/both", Position("t", 0, 2), digest="aa")
    await site.claims.produced("ghe.acme.example/one", Position("t", 0, 3), digest="aa")

    async def offset(path: str) -> object:
        return (await ask(site, f"/api/deliveries/{path}"))[1].get("offset")

    assert await offset("both") == 2
    assert await offset("both?host=GHE.acme.example") == 1
    assert await offset("one") == 3
    assert await offset("one?host=github.com") is None
    assert await offset("one?host=elsewhere.example") is None


async def test_while_redis_is_away_nobody_is_told_that_it_is_unknown(site: Site) -> None:
    await site.post()
    site.claims.is_down = True

    status, content = await ask(site, "/api/deliveries/guid-1")

    assert (status, content["reason"]) == (503, "server_away")


# Access


@pytest.mark.parametrize("path", [f"/api/deliveries/{MISSING}", "/metrics"])
async def test_beyond_loopback_only_the_token_opens_what_is_not_public(
    site: Site, path: str
) -> None:
    site.with_parts(access=Access(loopback=False, token="abcé"))

    async def status(authorization: str | None) -> int:
        sent = {} if authorization is None else {b"authorization": authorization.encode()}
        async with site.client() as client:
            answer = await client.get(path, headers=sent)
        if answer.status_code == 401:
            assert answer.headers["www-authenticate"] == "Bearer"
        return answer.status_code

    refused = [None, "", "Bearer", "Bearer ab", "Basic abcé", "abcé", "Bearer abc\N{EURO SIGN}"]
    assert [await status(each) for each in refused] == [401] * len(refused)
    assert await status("Bearer abcé") != 401
    assert await status("bearer  abcé ") != 401


async def test_without_a_token_nothing_but_the_door_is_open_beyond_loopback(site: Site) -> None:
    site.with_parts(access=Access(loopback=False))

    status, content = await ask(site, f"/api/deliveries/{MISSING}", authorization="Bearer ")

    assert (status, content["reason"]) == (401, "token")
    assert "REACTOR_TOKEN" in str(content["fix"])
    assert told(await site.post()) == (202, "accepted")
    for path in ("/healthz", "/readyz"):
        assert (await ask(site, path))[0] == 200


async def test_a_token_that_is_set_is_asked_for_on_loopback_as_well(site: Site) -> None:
    site.with_parts(access=Access(loopback=True, token="abc"))

    assert (await ask(site, f"/api/deliveries/{MISSING}"))[0] == 401


async def test_the_api_is_read_only(site: Site) -> None:
    async with site.client() as client:
        answer = await client.post("/api/deliveries/guid-1", headers=headers())

    assert told(answer) == (405, "method")
    assert "GET" in answer.headers["allow"]
