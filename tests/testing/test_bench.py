import pytest

from reactor.action import action, component
from reactor.agent import agent
from reactor.community import CommunityStore
from reactor.context import ActionContext
from reactor.github import AddLabels, Issue, IssueOpened, Push
from reactor.package import BadPlatform, Package
from reactor.testing import (
    Workbench,
    account,
    comment,
    context,
    delivery,
    effects,
    event,
    issue,
    pull_request,
    ran,
)


@component(name="labeller", effects=(AddLabels,))
class Labeller:
    """Labels every issue by the name of its process."""

    @action(value=0.5)
    async def label(self, issue: Issue, context: ActionContext) -> AddLabels:
        """Put on a label."""
        return AddLabels(labels=(context.process_id[:10],))


@agent("Labels issues, if it is asked to.", planner="utility")
class LabelAgent:
    """Runs by its name."""

    @action(value=0.5)
    async def look(self, issue: Issue) -> None:
        """Look at an issue."""


@component
class Greedy:
    """Wants what nobody provides."""

    def __init__(self, number: int) -> None:
        self.number = number


def test_an_event_is_read_as_the_gateway_would() -> None:
    opened = event("issues.opened", issue=issue("Brakes", number=3))

    assert isinstance(opened, IssueOpened)
    assert opened.subject_key == "github.com/1296269#3"
    assert opened.issue is not None
    assert opened.issue.title == "Brakes"


def test_none_leaves_a_field_of_the_body_out() -> None:
    push = event("push", ref="refs/heads/main", sender=None)

    assert isinstance(push, Push)
    assert push.sender is None
    assert "sender" not in delivery("push", sender=None).payload


def test_accounts_are_told_apart_by_login() -> None:
    assert account("octocat")["id"] == account("octocat")["id"] != account("hubot")["id"]


def test_parts_of_payloads_take_any_further_field() -> None:
    assert comment(path="a.py")["path"] == "a.py"
    assert pull_request(changed_files=None)["changed_files"] is None


async def test_a_bench_runs_a_process_to_its_end() -> None:
    process = await Workbench(Labeller).run(event("issues.opened", issue=issue()))

    assert ran(process) == ["labeller.label"]
    assert effects(process) == [AddLabels(labels=(process.id[:10],))]


async def test_a_bench_takes_whole_packages() -> None:
    bench = Workbench(Package(name="team", components=(Labeller,)))

    assert ran(await bench.run(event("issues.opened", issue=issue()))) == ["labeller.label"]


def test_a_bench_says_what_is_wrong_with_a_component() -> None:
    with pytest.raises(BadPlatform, match="number"):
        Workbench(Greedy)


async def test_an_action_can_be_called_directly() -> None:
    subject = Issue(id=1, number=1)

    label = await Labeller().label(subject, context(process="p-7"))

    assert label == AddLabels(labels=("p-7",))


async def test_the_store_of_a_bench_is_that_of_its_components() -> None:
    bench = Workbench(Labeller)

    assert bench.platform.services[CommunityStore] is bench.store


async def test_an_agent_runs_by_its_name_as_it_declares() -> None:
    bench = Workbench(Labeller, LabelAgent)

    process = await bench.run(event("issues.opened", issue=issue()), agent="label")

    assert ran(process) == ["label.look"]
    assert (process.head.agent, process.head.planner) == ("label", "utility")
