"""A whole conversation, from the report to the end of it, in a repository in memory."""

from reactor_triage import TriageComponent

from reactor.testing import FakeRepository, Workbench

VAGUE = "it does not work"
COMPLETE = """Steps: start version 2.3.1 on Linux and open a file. I expected it to be shown;
instead nothing happens at all, and the log holds no line about it, on each of our machines."""


class Site:
    """A repository, looked after by triage."""

    def __init__(self, **settings: object) -> None:
        self.repository = FakeRepository()
        self.bench = Workbench(TriageComponent, settings=settings)

    async def opened(self) -> None:
        event = self.repository.open_issue(VAGUE, by="ann")
        self.repository.apply(await self.bench.run(event))

    async def days_pass(self) -> None:
        self.repository.apply(await self.bench.run_reminder())


async def test_a_report_is_asked_about_and_answered() -> None:
    site = Site()
    await site.opened()
    asked = list(site.repository[1].labels)

    edited = site.repository.edit(1, body=COMPLETE)
    site.repository.apply(await site.bench.run(edited))

    assert asked == ["bug", "needs-information"]
    assert site.repository[1].labels == ["bug"]
    assert len(site.repository[1].said) == 1


async def test_a_report_whose_author_is_silent_ends_closed_with_three_comments() -> None:
    site = Site(remind_after_days=14, close_after_days=30)
    await site.opened()

    await site.days_pass()
    await site.days_pass()

    issue = site.repository[1]
    assert (issue.state, issue.state_reason) == ("closed", "not_planned")
    assert [said.partition(" ")[0] for said in issue.said] == ["Welcome,", "Just", "We"]
