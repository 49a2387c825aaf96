"""Looking deliveries and processes up: what is told, and what is said where nothing was started."""

from dataclasses import replace

import pytest

from reactor.lookup import UnknownDelivery, UnknownProcess
from reactor.reaction import Reaction
from reactor.testing import delivery, issue
from reactor.topic import Position
from tests.web.console.site import Site


@pytest.fixture
def site() -> Site:
    return Site()


async def test_a_delivery_is_told_with_its_processes_and_without_asking_the_topic(
    site: Site,
) -> None:
    settled = await site.settle(delivery("issues.opened", id="guid-1", issue=issue("It crashes")))
    site.broker_is_down = True

    told = await site.lookup.delivery("guid-1")

    assert (told["event"], told["subject"]) == ("issues.opened", "octo/hello#17")
    assert told["topic"] == "reactor.deliveries[0]@0"
    assert [process["id"] for process in told["processes"]] == [settled.heads[0].id]
    assert "request" not in told


async def test_a_process_that_nobody_has_committed_yet_is_not_told(site: Site) -> None:
    await site.accept(delivery("issues.opened", id="guid-1", issue=issue("It crashes")))
    lease = site.clock.now() - site.clock.now()
    await site.boards.open("p1", delivery="github.com/guid-1", owner="w", lease=lease)

    told = await site.lookup.delivery("guid-1")

    assert told["processes"] == []
    assert (
        told["ignored"]
        == "not settled yet, given up (`reactor dead list`), or `when` did not hold, for everything"
    )


async def test_one_whose_position_is_not_known_is_told_by_its_processes(site: Site) -> None:
    name = await site.put("github.com/guid-1")

    told = await site.lookup.delivery("guid-1", with_request=True)

    assert told["topic"] is None
    assert told["request"] is None
    assert [process["id"] for process in told["processes"]] == [name]


async def test_one_that_waits_in_the_spool_is_told_as_that(site: Site) -> None:
    await site.claims.kept("github.com/guid-1", digest="aa")

    told = await site.lookup.delivery("guid-1", with_request=True)

    assert (told["topic"], told["processes"]) == (None, [])
    assert "waits for the broker in the gateway's spool" in told["ignored"]


async def test_what_came_is_told_where_it_is_asked_for(site: Site) -> None:
    came = delivery("issues.opened", id="guid-1", issue=issue("It crashes"))
    await site.settle(came)

    request = (await site.lookup.delivery("guid-1", with_request=True)).get("request")

    assert request is not None
    assert (request["size_bytes"], request["digest"]) == (len(came.body), came.digest)
    assert '"title": "It crashes"' in request["payload"]
    assert not request["is_cut"]


@pytest.mark.parametrize(
    ("kind", "reactions", "why"),
    [
        ("ping", ("*",), "no reaction listens to it: stored, nothing else"),
        (
            "issues.closed",
            ("issues",),
            "not settled yet, given up (`reactor dead list`), or `when` did not hold, for some",
        ),
    ],
)
async def test_one_that_started_nothing_says_why(
    site: Site, kind: str, reactions: tuple[str, ...], why: str
) -> None:
    await site.accept(delivery(kind, id="guid-1", issue=issue("It crashes")))
    lookup = replace(site.lookup, reactions=(Reaction(name="some", on=reactions),))

    told = await lookup.delivery("guid-1")

    assert told["ignored"] == why
    assert told["event"] == kind


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        ("storm", "held back, as its subject had too many events by bots lately"),
        ("too_deep", "held back, as it is the end of a chain of events"),
        ("own_event", "our own app's event: it starts nothing"),
        ("no_reaction", "`when` did not hold, for everything"),
    ],
)
async def test_one_that_was_ignored_says_so(site: Site, outcome: str, why: str) -> None:
    came = delivery("issues.opened", id="guid-1", issue=issue("It crashes"))
    await site.accept(came)
    await site.outcomes.ignore(came.key, outcome)

    told = await site.lookup.delivery("guid-1")

    assert told["ignored"].startswith(why)
    assert told["event"] == "issues.opened"


async def test_one_that_was_ignored_is_known_without_the_broker(site: Site) -> None:
    came = delivery("issues.opened", id="guid-1", issue=issue("It crashes"))
    await site.accept(came)
    await site.outcomes.ignore(came.key, "no_reaction")
    site.broker_is_down = True

    told = await site.lookup.delivery("guid-1")

    assert told["ignored"].startswith("no reaction wanted it, and why can't be said: ")


async def test_one_id_on_two_hosts_is_that_of_the_first(site: Site) -> None:
    await site.claims.produced(
        "ghe.acme.example/both", Position("reactor.deliveries", 0, 1), digest="aa"
    )
    await site.claims.produced("github.com/both", Position("reactor.deliveries", 0, 2), digest="aa")
    site.broker_is_down = True

    told = await site.lookup.delivery("both")
    other = await replace(site.lookup, hosts=("ghe.acme.example", "github.com")).delivery("both")

    assert told["topic"] == "reactor.deliveries[0]@2"
    assert other["topic"] == "reactor.deliveries[0]@1"


async def test_what_nobody_knows_is_an_error_that_helps(site: Site) -> None:
    with pytest.raises(UnknownDelivery, match="X-GitHub-Delivery"):
        await site.lookup.delivery("nobody")
    with pytest.raises(UnknownProcess, match="keep_finished_days"):
        await site.lookup.process("p1")
