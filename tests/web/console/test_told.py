"""What an operator finds in the log: who came in, what they did, and what was refused."""

from structlog.testing import capture_logs

from tests.web.console.browser import browsing
from tests.web.console.doing import TOKEN, Bell, guarded_site


async def test_logins_and_changes_are_told_with_who_it_was_and_never_with_a_token() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as browser:
        with capture_logs() as lines:
            await browser.log_in("a guess", name="eve")
            await browser.log_in(TOKEN)
            csrf = await browser.word("/components")
            await browser.post("/bell", {"csrf": csrf})
            await browser.post("/bell", {"csrf": "0" * 64})
            bearer = {"authorization": f"Bearer {TOKEN}"}
            await browser.client.post("/api/bell", json={"by": "cron"}, headers=bearer)

    told = [(line["event"], line.get("by"), line.get("reason")) for line in lines]
    assert told == [
        ("console_login_refused", "eve", "token"),
        ("console_login", "ann", None),
        ("console_change", "ann", None),
        ("console_refused", None, "csrf"),
        ("console_change", "cron", None),
    ]
    assert {line["address"] for line in lines} == {"10.0.0.9"}
    for secret in (TOKEN, "a guess", csrf):
        assert secret not in str(lines)
