"""What a component says it is for: in which processes it takes part, and what is said of the rest."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from reactor import BadPlatform, Platform, action, component
from reactor.briefly import brief
from reactor.cli.receiving import read_delivery
from reactor.explain import ToldDelivery
from reactor.github import Issue
from reactor.narrowing import Narrowing
from reactor.package import Package
from reactor.scope import Scope
from reactor.settings import Settings
from reactor.testing import Workbench, event, issue, ran
from reactor.why_not import why_not, why_not_lines
from reactor.wiring.memory import receive

SAMPLES = Path(__file__).parents[1] / "reactor" / "samples"


class Note(BaseModel):
    text: str


@component(events=("issues.opened",))
class Greeter:
    @action
    async def greet(self, issue: Issue) -> Note:
        return Note(text=issue.title)


class Record(BaseModel):
    title: str


@component(events=("issues", "timer.*"))
class Keeper:
    @action
    async def keep(self, issue: Issue) -> Record:
        return Record(title=issue.title)


@component
class Anybody:
    @action
    async def look(self, issue: Issue) -> Note:
        return Note(text=issue.title)


def platform(*components: type) -> Platform:
    return Platform(packages=[Package(name="teams", components=components)])


def actions_for(kind: str, *components: type) -> list[str]:
    made = platform(*components)
    scope = Narrowing(platform=made, scope=Scope.platform()).to(kind)
    return list(made.repertoire(scope).actions)


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        ("issues.opened", ["anybody.look", "greeter.greet", "keeper.keep"]),
        ("issues.closed", ["anybody.look", "keeper.keep"]),
        ("timer.nightly", ["anybody.look", "keeper.keep"]),
        ("push", ["anybody.look"]),
    ],
)
def test_a_component_takes_part_in_what_it_says_it_is_for(kind: str, actions: list[str]) -> None:
    assert actions_for(kind, Greeter, Keeper, Anybody) == actions


def test_where_nobody_is_for_it_there_is_nothing_to_do_and_no_error() -> None:
    assert actions_for("push", Greeter, Keeper) == []


def test_the_same_selection_is_one_scope_so_that_planners_remember() -> None:
    narrowing = Narrowing(platform=platform(Greeter, Anybody), scope=Scope.platform())

    assert narrowing.to("push") is narrowing.to("issues.closed")
    assert narrowing.to("issues.opened") is narrowing.scope


async def test_a_process_runs_only_who_is_for_its_event() -> None:
    bench = Workbench(Greeter, Keeper)

    assert sorted(ran(await bench.run(event("issues.opened", issue=issue())))) == [
        "greeter.greet",
        "keeper.keep",
    ]
    assert ran(await bench.run(event("issues.closed", issue=issue()))) == ["keeper.keep"]


async def test_a_process_for_which_nobody_is_ends_without_a_word() -> None:
    process = await Workbench(Greeter).run(event("issues.closed", issue=issue()))

    assert ran(process) == []
    assert process.head.failure == ""


@pytest.mark.parametrize("written", ["Issues.opened", "issues opened", "", "issues.*.*"])
def test_what_names_no_event_is_a_fault_that_shows_how_to_write_it(written: str) -> None:
    @component(events=("issues", written))
    class Odd:
        @action
        async def look(self, issue: Issue) -> Note:
            return Note(text=issue.title)

    with pytest.raises(BadPlatform) as caught:
        platform(Odd)

    assert f"odd is for {written!r}, which names no event; write it as issues.opened" in str(
        caught.value
    )


async def told_of_a_star(**reaction: object) -> ToldDelivery:
    """A star, for which `hello` is not, decided by the components of this repository."""
    settings = Settings.model_validate({"reactions": [{"name": "r", "on": "star", **reaction}]})
    delivery = read_delivery(SAMPLES / "star.created.json", "star", "d-1")
    told, _ = await receive(settings, delivery)
    return told


async def test_the_journal_names_who_was_left_out_and_why_not_says_it() -> None:
    told = await told_of_a_star()

    (process,) = told["processes"]
    assert "hello" in process["left_out"]
    assert not any(name.startswith("hello.") for name in process["actions"])
    assert why_not_lines(why_not(told, "hello.mark_as_new")) == [
        "[r] hello.mark_as_new: hello is not for star.created; it declares other events"
    ]


async def test_a_reaction_whose_components_are_all_for_other_events_has_a_process_that_says_so() -> (
    None
):
    told = await told_of_a_star(scope=["hello"])

    (process,) = told["processes"]
    assert (process["status"], process["left_out"], process["actions"]) == (
        "TERMINATED",
        ["hello"],
        [],
    )
    assert "not for this event\n  hello" in "\n".join(brief(told))
