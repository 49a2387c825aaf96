"""What the pages show, and that the JSON beside each says the same."""

import re
from datetime import UTC, datetime

import pytest

from reactor.inventory import told_components
from reactor.package import Fault
from reactor.status import Status
from reactor.testing import delivery, issue
from reactor.web.console.pages import Pages
from tests.web.console.looked import Looked
from tests.web.console.site import Site

URGENT = issue("Data loss on crash: urgent", body="All data is lost, production is down.")


async def urgent(console: Site) -> str:
    """The id of a process in which several actions ran."""
    settled = await console.settle(delivery("issues.opened", id="guid-1", issue=URGENT))
    return settled.heads[0].id


# Processes


async def test_with_no_process_it_says_how_to_get_one(console: Site) -> None:
    page = await console.look("/processes")

    assert "No process yet" in page.text
    assert "reactor send" in page.text


async def test_recent_processes_are_listed_newest_first_and_lead_to_their_pages(
    console: Site,
) -> None:
    older = await console.put("github.com/a", event="star.created", subject_name="octo/older")
    newer = await console.put("github.com/b", Status.FAILED, failure="ValueError: no such label")

    page = await console.look("/processes")

    links = [link.attributes["href"] for link in page.all("a", class_="id")]
    assert links == [f"/processes/{newer}", f"/processes/{older}"]
    header, first, failure, second = page.rows
    assert header == "Status Subject Event Reaction Process Last change"
    assert first.startswith("failed octo/hello#7 issues.opened everything p")
    assert first.endswith("1 s ago")
    assert failure == "ValueError: no such label"
    assert second.startswith("completed octo/older star.created everything p")
    assert second.endswith("2 s ago")
    times = [time.attributes for time in page.all("time")]
    assert [time["title"] for time in times] == [
        "2026-01-01 00:00:01 UTC",
        "2026-01-01 00:00:00 UTC",
    ]


async def test_the_list_as_json(console: Site) -> None:
    name = await console.put("github.com/a", Status.STUCK)

    content = (await console.get("/api/processes")).json()

    assert content == {
        "processes": [
            {
                "id": name,
                "reaction": "everything",
                "status": "STUCK",
                "event": "issues.opened",
                "subject": "octo/hello#7",
                "delivery": "a",
                "host": "github.com",
                "attempt": 1,
                "created_at": "2026-01-01T00:00:00+00:00",
                "updated_at": "2026-01-01T00:00:00+00:00",
                "failure": "",
            }
        ],
        "next": None,
        "search": {"status": "", "event": "", "reaction": "", "subject": ""},
    }


async def test_fifty_are_on_a_page_and_the_link_leads_through_all_of_them(console: Site) -> None:
    made = [await console.put(f"github.com/d-{number}") for number in range(120)]

    path, seen, lengths = "/processes?subject=hello", list[str](), list[int]()
    while path:
        page = await console.look(path)
        links = [link.attributes["href"] for link in page.all("a", class_="id")]
        seen += links
        lengths.append(len(links))
        path = next((link.attributes["href"] for link in page.all("a", rel="next")), "")

    assert lengths == [50, 50, 20]
    assert seen == [f"/processes/{name}" for name in reversed(made)]


async def test_the_filter_keeps_what_was_typed(console: Site) -> None:
    await console.put("github.com/a", Status.FAILED)

    page = await console.look('/processes?status=failed&event=issues&subject="><b>')

    assert page.one("option", selected="").text == "failed"
    assert page.one("input", name="event").attributes["value"] == "issues"
    assert page.one("input", name="subject").attributes["value"] == '"><b>'
    assert "No process fits" in page.text


# One process


async def test_a_process_shows_each_decision_with_what_it_weighed(console: Site) -> None:
    page = await console.look(f"/processes/{await urgent(console)}")

    assert page.one("h1").text == "issues.opened on octo/hello#17"
    chosen = [row.text for row in page.all("tr", class_="chosen")]
    assert chosen[0] == "triage.save_new_issue chosen 0.90 \N{MINUS SIGN} 0.00 = 0.90"
    assert any(row.startswith("triage.heavy_hitter_issue chosen") for row in chosen)
    assert "community.meet_newcomer 0.70 \N{MINUS SIGN} 0.05 = 0.65" in page.rows
    ticks = [heading.text for heading in page.all("h3")]
    assert ticks[0] == "Tick 1 triage.save_new_issue"
    assert ticks[-1] == f"Tick {len(ticks)} nothing more to do"
    assert len(chosen) == len(ticks) - 1


async def test_it_says_why_the_others_could_not_run(console: Site) -> None:
    page = await console.look(f"/processes/{await urgent(console)}")

    blocked = [row for row in page.rows if row.startswith("community.thank_for_star")]
    assert blocked[0] == "community.thank_for_star has(StarCreated) is false, needs true"
    assert any("issue_assessment is not on the blackboard" in row for row in page.rows)


async def test_it_shows_facts_effects_and_how_it_ended(console: Site) -> None:
    page = await console.look(f"/processes/{await urgent(console)}")

    assert any(row.startswith("\N{EN DASH} Issue Issue(id=") for row in page.rows)
    effects = [row for row in page.rows if row.startswith("observed would add label urgent")]
    assert len(effects) == 1
    assert effects[0].endswith("triage.heavy_hitter_issue")
    assert page.one("dl", class_="summary").text.startswith("Status terminated nothing is left")
    assert [link.text for link in page.all("a", href="/deliveries/guid-1")] == [
        "guid-1",
        "Show the delivery",
    ]


async def test_each_tick_shows_what_lay_on_the_blackboard_before_it(console: Site) -> None:
    page = await console.look(f"/processes/{await urgent(console)}")

    said = [each.text for each in page.all("summary") if each.text.startswith("Blackboard")]
    assert said[:3] == [
        "Blackboard before it: 4 facts, 4 new",
        "Blackboard before it: 6 facts, 2 new",
        "Blackboard before it: 7 facts, 1 new",
    ]
    assert any("IssueAssessment new" in row for row in page.rows)


async def test_bars_show_net_values_beside_each_other(console: Site) -> None:
    page = await console.look(f"/processes/{await urgent(console)}")

    widths = [bar.attributes["width"] for bar in page.all("rect", class_="filled")]
    assert widths[:3] == ["100.0", "72.2", "50.0"]  # 0.90, 0.65, 0.45


async def test_a_process_as_json_is_what_explain_tells(console: Site) -> None:
    name = await urgent(console)

    content = (await console.get(f"/api/processes/{name}")).json()

    assert content == await console.lookup.process(name)
    assert content["ticks"][0]["chosen"] == "triage.save_new_issue"


async def test_a_process_that_failed_says_of_what_and_misses_no_record(console: Site) -> None:
    name = await console.put("github.com/b", Status.FAILED, failure="ValueError: no such label")

    page = await console.look(f"/processes/{name}")

    assert "Failure ValueError: no such label" in page.text
    assert "None is recorded." in page.text


# A delivery


@pytest.mark.parametrize(("outcome", "says"), [("waiting", "Because"), ("failed", "Error")])
async def test_an_action_that_waits_has_said_so_and_one_that_failed_has_an_error(
    console: Site, outcome: str, says: str
) -> None:
    told = (await console.get(f"/api/processes/{await urgent(console)}")).json()
    told["ticks"][0] |= {"outcome": outcome, "error": "WaitRequested: waits for an answer"}

    page = Looked.at(Pages(console.clock).render("process.html", told))

    assert says in [each.text for each in page.all("dt")]
    assert bool(page.all("dd", class_="bad")) is (outcome == "failed")


async def test_a_delivery_shows_what_came_where_it_lies_and_what_it_started(
    console: Site,
) -> None:
    name = await urgent(console)

    page = await console.look("/deliveries/guid-1")

    assert page.one("h1").text == "issues.opened on octo/hello#17"
    assert "Lies at reactor.deliveries[0]@0" in page.text
    assert re.search(r"Body [\d,]+ bytes, SHA-256 [0-9a-f]{64}", page.text)
    assert '"title": "Data loss on crash: urgent"' in page.one("pre").text
    assert [a.attributes["href"] for a in page.all("a", class_="id")] == [f"/processes/{name}"]


async def test_a_delivery_that_started_nothing_says_why(console: Site) -> None:
    await console.settle(delivery("ping", id="guid-2"))

    page = await console.look("/deliveries/guid-2")

    assert page.one("h1").text.startswith("ping on")
    assert "no reaction listens to it" in page.text


async def test_while_the_broker_is_away_a_delivery_shows_what_redis_knows(console: Site) -> None:
    await urgent(console)
    await console.accept(delivery("ping", id="guid-2"))
    console.broker_is_down = True

    with_process = await console.look("/deliveries/guid-1")
    without = await console.look("/deliveries/guid-2")

    assert with_process.one("h1").text == "issues.opened on octo/hello#17"
    assert "can't be read from its topic now" in with_process.text
    assert without.one("h1").text == "A delivery"
    assert "nothing was started so far, and why can't be said: kafka" in without.text


async def test_a_delivery_as_json(console: Site) -> None:
    name = await urgent(console)

    content = (await console.get("/api/deliveries/guid-1")).json()

    assert content["topic"] == "reactor.deliveries[0]@0"
    assert content["processes"] == [await console.lookup.process(name)]
    assert content["request"]["host"] == "github.com"
    assert datetime.fromisoformat(content["request"]["received_at"]).tzinfo is UTC


async def test_a_large_payload_is_shown_by_its_beginning(console: Site) -> None:
    large = delivery("issues.opened", id="guid-1", issue=issue("t", body="x" * 1_000_000))
    await console.accept(large)

    page = await console.look("/deliveries/guid-1")

    assert "Payload, its first 16,000 characters" in page.text
    assert len(page.one("pre").text) <= 16_000


# Components


async def test_components_are_shown_with_origin_actions_and_needs(console: Site) -> None:
    page = await console.look("/components")

    packages = [h2.text for h2 in page.all("h2") if h2.attributes["id"].startswith("package-")]
    assert [name.split()[:2] for name in packages] == [
        ["commands", "reactor-commands"],
        ["community", "reactor-community"],
        ["duplicates", "reactor-duplicates"],
        ["hello", "reactor-hello"],
        ["reactor-commanding", "webhook-reactor"],
        ["triage", "reactor-triage"],
    ]
    actions = [each.attributes["id"] for each in page.all("article") if "id" in each.attributes]
    assert sorted(actions) == sorted(console.installed.platform.actions)
    assert "Put labels on. (triage)" in [told.text for told in page.all("dd")]
    assert "has(StarCreated) = true" in [item.text for item in page.all("li", class_="code")]


async def test_a_drawing_shows_what_feeds_what_and_leads_to_each_action(console: Site) -> None:
    page = await console.look("/components?package=hello")
    told = (await console.get("/api/components?package=hello")).json()

    assert [node["label"] for node in told["graph"]["nodes"] if node["kind"] == "action"] == [
        "hello.mark_as_new"
    ]
    drawn = [a.attributes["href"] for a in page.all("a") if "svg" in a.inside]
    assert drawn == ["#hello.mark_as_new"]
    assert page.one("div", role="region").attributes["tabindex"] == "0"  # the keyboard moves it
    assert (await console.get("/components?package=nobody")).status_code == 404


async def test_what_the_operator_grants_stands_beside_the_package(console: Site) -> None:
    console.with_parts(grants=("components.triage: observe at most", "github.com/octo/*: live"))

    page = await console.look("/components")

    assert any(r.startswith("triage ") and r.endswith("observe at most") for r in page.rows)
    assert "github.com/octo/*: live" in [item.text for item in page.all("li")]


async def test_a_broken_package_is_named_with_its_fault(console: Site) -> None:
    fault = Fault("labels", "reactor-labels 0.3", "labels.tag", "takes <what nobody gives>")
    console.with_parts(components=told_components(console.installed.platform, [fault]))

    page = await console.look("/components")
    content = (await console.get("/api/components")).json()

    said = "package labels (reactor-labels 0.3): labels.tag takes <what nobody gives>"
    assert page.one("li", class_="bad").text == said
    assert content["faults"] == [said]
    assert [package["name"] for package in content["packages"]] == [
        "commands",
        "community",
        "duplicates",
        "hello",
        "reactor-commanding",
        "triage",
    ]


async def test_what_a_process_has_spent_on_models_is_on_its_page(console: Site) -> None:
    usage = {"model_calls": 2.0, "tokens": 4200.0, "cost_usd": 0.0123}
    asking = await console.put("github.com/a", usage=usage)
    ruled = await console.put("github.com/b")

    page, other = (
        await console.look(f"/processes/{asking}"),
        await console.look(f"/processes/{ruled}"),
    )

    assert "2 calls of models, 4,200 tokens, 0.012300 USD" in page.text
    assert "calls of models" not in other.text
