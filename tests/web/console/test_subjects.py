"""What happened to one subject, from its first delivery on."""

from reactor.status import Status
from reactor.testing import delivery, issue
from tests.web.console.site import Site

HOSTILE = "<script>alert(1)</script> \u202egnp.exe"


async def test_all_that_happened_is_told_in_order(console: Site) -> None:
    await console.settle(delivery("issues.opened", id="guid-1", issue=issue("A crash", number=9)))

    page = await console.look("/subjects?name=octo/hello%239")

    what = [e.text for e in page.all("span") if e.attributes.get("class", "").startswith("badge")]
    assert what[:3] == ["delivery", "began", "tick"]
    assert what[-1] == "ended"
    assert "effect" in what
    assert page.one("h1").text == "octo/hello#9"
    assert page.one("a", href="/deliveries/guid-1").text == "the delivery"


async def test_it_is_the_same_as_json(console: Site) -> None:
    await console.settle(delivery("issues.opened", id="guid-1", issue=issue("A crash", number=9)))

    told = (await console.get("/api/subjects?name=octo/hello%239")).json()

    assert told["names"] == ["octo/hello#9"]
    assert told["moments"][0]["what"] == "delivery"


async def test_a_process_leads_to_its_subject(console: Site) -> None:
    name = await console.put("github.com/a")

    page = await console.look(f"/processes/{name}")

    assert page.one("a", href="/subjects?name=octo%2Fhello%237").text


async def test_what_is_not_known_is_said_with_what_to_do(console: Site) -> None:
    unknown = await console.get("/subjects?name=octo/nobody")
    empty = await console.get("/subjects")
    endless = await console.get(f"/subjects?name={'x' * 301}")

    assert unknown.status_code == 404
    assert "octo/hello#7" in unknown.text
    assert (empty.status_code, endless.status_code) == (400, 400)


async def test_what_strangers_wrote_does_nothing(console: Site) -> None:
    await console.put("github.com/a", Status.FAILED, subject_name=HOSTILE, failure=HOSTILE)

    page = await console.get("/subjects?name=github.com/9%237")
    asked = await console.get(f"/subjects?name={HOSTILE}")

    assert page.status_code == 200
    for text in (page.text, asked.text):
        assert "<script>alert" not in text
        assert "\u202e" not in text
