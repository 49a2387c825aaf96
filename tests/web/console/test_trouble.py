"""What is answered when something is not there, or does not answer itself."""

import pytest

from reactor.errors import InfrastructureError
from tests.web.console.looked import Looked
from tests.web.console.site import Site, faulty

ABSENT = "p" + "0" * 24


@pytest.mark.parametrize(
    ("path", "status", "reason"),
    [
        (f"/api/processes/{ABSENT}", 404, "unknown"),
        ("/api/processes/..%2f..%2fetc", 404, "path"),
        ("/api/processes/x", 404, "unknown"),
        ("/api/deliveries/nobody", 404, "unknown"),
        ("/api/deliveries/a_b", 404, "unknown"),
        ("/api/nothing", 404, "path"),
        ("/api/processes/", 404, "path"),
        ("/api/processes?status=cheerful", 400, "query"),
        ("/api/processes?before=yesterday", 400, "query"),
        (f"/api/processes?before={'9' * 30}.p1", 400, "query"),
    ],
)
async def test_programs_get_a_problem(console: Site, path: str, status: int, reason: str) -> None:
    answer = await console.get(path)

    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["reason"]) == (status, reason)
    assert answer.json()["fix"]


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        (f"/processes/{ABSENT}", 404, "redis.keep_finished_days"),
        ("/deliveries/nobody", 404, "X-GitHub-Delivery"),
        ("/nowhere", 404, "start from /"),
        ("/static/nothing.css", 404, "nothing at this path"),
        ("/processes?status=cheerful", 400, "COMPLETED"),
    ],
)
async def test_people_get_a_page_that_says_what_to_do(
    console: Site, path: str, status: int, says: str
) -> None:
    answer = await console.get(path)

    page = Looked.at(answer.text)
    assert answer.status_code == status
    assert says in page.text
    assert page.all("a", href="/components")  # the menu is there


async def test_while_redis_is_away_it_says_so(console: Site) -> None:
    console.claims.is_down = True

    page = await console.get("/deliveries/guid-1")
    problem = await console.get("/api/deliveries/guid-1")

    assert page.status_code == 503
    assert "redis does not answer" in Looked.at(page.text).text
    assert problem.json()["reason"] == "server_away"
    assert problem.headers["retry-after"]


async def test_it_is_ready_when_redis_answers(console: Site) -> None:
    async def away() -> None:
        raise InfrastructureError("redis", "it is switched off")

    ready = await console.get("/readyz")
    console.with_parts(checks={"redis": away})
    unready = await console.get("/readyz")

    assert ready.status_code == 200
    assert (unready.status_code, unready.json()["failing"]) == (503, ["redis"])
    assert (await console.get("/healthz")).status_code == 200


async def test_a_fault_of_ours_tells_nothing_of_itself(console: Site) -> None:
    console.with_parts(lookup=faulty(console.lookup, "the password is hunter2"))

    page = await console.get("/processes")

    assert page.status_code == 500
    assert "its log has the reason" in page.text
    assert "hunter2" not in page.text
