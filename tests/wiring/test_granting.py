"""What the settings grant, and what in that can't be meant."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import ValidationError

from reactor import Effect, Package, Platform, action, component
from reactor.effect import Mode
from reactor.github.effects import AddLabels, Close
from reactor.package import RESERVED
from reactor.permissions import RepositoryRef
from reactor.policy import Decision, Narrowing, Verdict
from reactor.repository_rules import RepositoryRules
from reactor.settings import BadSettings, ComponentGrant, Settings, load
from reactor.wiring.granting import (
    BadGrants,
    check_grants,
    make_granting,
    told_grants,
    ungranted,
    unknown_kinds,
)
from reactor.wiring.platform import listeners

BUG = AddLabels(labels=("bug",))


class RingBell(Effect): ...


@component(effects=(RingBell,))
class Bell:
    @action
    def ring(self) -> RingBell:
        return RingBell()


PLATFORM = Platform(packages=[Package(name="bell", components=(Bell,))])


@dataclass(frozen=True)
class OneFile:
    """Every repository has this one."""

    rules: RepositoryRules

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        return self.rules


async def verdict(
    settings: Settings,
    effect: Effect,
    subject: str = "github.com/1#7",
    name: str = "octo/hello#7",
    host: str = "github.com",
) -> Verdict:
    """What may be made of an effect that the package triage wants there."""
    allowed = await make_granting(settings).on(subject, name=name, host=host)
    return allowed.judge(effect, package="triage")


async def test_without_a_word_of_the_operator_everything_is_only_observed() -> None:
    found = await verdict(Settings(), BUG)

    assert found.decision == "observe"
    assert "octo/hello has no .github/reactor.yml" in found.reason


async def test_the_most_restrictive_pattern_that_fits_says_what_counts_without_a_file() -> None:
    settings = Settings.model_validate(
        {
            "repositories": {
                "*": {"without_file": "live"},
                "octo/*": {"without_file": "approve"},
                "other/*": {"without_file": "observe"},
            }
        }
    )

    found = await verdict(settings, BUG)

    assert found.decision == "hold"


async def test_a_repository_that_is_not_listed_gets_no_more_than_the_settings_say() -> None:
    settings = Settings.model_validate(
        {
            "repositories": {"octo/*": {"without_file": "live"}},
            "unlisted_repositories": "observe",
        }
    )
    file = RepositoryRules(whole=Narrowing(source=".github/reactor.yml"))

    listed = await verdict(settings, BUG)
    granting = make_granting(settings, OneFile(file))
    allowed = await granting.on("github.com/2#7", name="acme/x#7", host="github.com")

    assert listed.decision == "allow"
    assert allowed.judge(BUG, package="triage") == Verdict(
        "observe", "unlisted_repositories says observe"
    )


async def test_a_component_that_is_not_allowed_a_kind_is_refused_by_name() -> None:
    settings = Settings.model_validate(
        {
            "repositories": {"*": {"without_file": "live"}},
            "components": {"triage": {"allow": ["AddLabels"], "urgent_at": 0.5}},
        }
    )

    assert await verdict(settings, BUG) == Verdict("allow")
    assert await verdict(settings, Close()) == Verdict(
        "refuse", "components.triage does not allow Close"
    )


async def test_a_repository_grants_kinds_and_labels() -> None:
    grant = {"without_file": "live", "allow": ["AddLabels"], "labels": ["area/*"]}
    settings = Settings.model_validate({"repositories": {"octo/*": grant}})

    assert (await verdict(settings, AddLabels(labels=("Area/UI",)))).decision == "allow"
    assert (await verdict(settings, BUG)).reason == (
        "repositories.octo/* does not allow the label bug"
    )
    assert (await verdict(settings, Close())).reason == "repositories.octo/* does not allow Close"


@pytest.mark.parametrize(
    ("subject", "name"),
    [("github.com/@9919", "octo"), ("github.com", "github.com"), ("reactor/timer", "nightly")],
)
async def test_where_there_is_no_repository_only_the_component_counts(
    subject: str, name: str
) -> None:
    settings = Settings.model_validate(
        {
            "repositories": {"*": {"without_file": "observe", "mode": "observe"}},
            "components": {"triage": {"mode": "approve"}},
        }
    )

    found = await verdict(settings, RingBell(), subject, name)

    assert found == Verdict("hold", "components.triage says approve")


async def test_a_repository_whose_name_nobody_knows_is_only_observed() -> None:
    settings = Settings.model_validate({"repositories": {"*": {"without_file": "live"}}})

    found = await verdict(settings, BUG, "github.com/1#7", "github.com/1#7")

    assert found.decision == "observe"


GHE = "ghe.example.com"
HOSTS = {"hosts": [GHE]}


@pytest.mark.parametrize(
    ("pattern", "here", "elsewhere"),
    [
        (f"{GHE}/octo/*", "allow", "observe"),
        (f"{GHE.upper()}/Octo/Hello", "allow", "observe"),
        (f"{GHE}/*", "allow", "observe"),
        ("ghe.*/octo/*", "allow", "observe"),
        ("github.com/octo/*", "observe", "allow"),
        ("*/octo/*", "allow", "allow"),
        ("*", "allow", "allow"),
    ],
)
async def test_of_two_hosts_a_name_is_granted_nothing_on_the_one_that_is_not_named(
    pattern: str, here: Decision, elsewhere: Decision
) -> None:
    settings = Settings.model_validate(
        {"github": HOSTS, "repositories": {pattern: {"without_file": "live"}}}
    )

    on_ghe = await verdict(settings, BUG, f"{GHE}/1#7", host=GHE)
    on_github = await verdict(settings, BUG)

    assert (on_ghe.decision, on_github.decision) == (here, elsewhere)


@pytest.mark.parametrize("pattern", ["octo/*", "*/docs", "octo*", "ghe/octo/*", "*.org/octo/*"])
def test_where_there_are_two_hosts_a_pattern_says_on_which_it_is(pattern: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate({"github": HOSTS, "repositories": {pattern: {}}})

    (fault,) = caught.value.errors()
    assert fault["loc"] == ("repositories",)
    assert "github.com" in fault["msg"]
    assert GHE in fault["msg"]


async def test_where_there_is_one_host_a_pattern_need_not_name_it_and_names_no_other() -> None:
    grants = {"octo/*": {"without_file": "live"}, "github.com/octo/*": {}}

    with pytest.raises(ValidationError, match=r"github.com/octo/\* is the same as octo/\*"):
        Settings.model_validate({"repositories": grants})
    with pytest.raises(ValidationError, match="is on no host that may send"):
        Settings.model_validate({"repositories": {f"{GHE}/octo/*": {}}})
    named = Settings.model_validate(
        {"repositories": {"github.com/octo/*": {"without_file": "live"}}}
    )

    assert await verdict(named, BUG) == Verdict("allow")


def test_the_reserved_names_are_those_of_the_grant() -> None:
    assert frozenset(ComponentGrant.model_fields) == RESERVED


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("{mode: sometimes}", "triage.mode"),
        ("{disabled: maybe}", "triage.disabled"),
        ("{allow: AddLabels}", "triage.allow"),
    ],
)
def test_a_grant_that_is_none_is_a_fault_with_its_place(
    tmp_path: Path, section: str, fault: str
) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text(f"components: {{triage: {section}}}")

    with pytest.raises(BadSettings) as caught:
        load(file, {})

    assert f"components: Value error, {fault}" in str(caught.value)
    assert "sometimes" not in str(caught.value)


def test_a_kind_that_nobody_has_is_told_with_the_nearest_one() -> None:
    settings = Settings.model_validate(
        {
            "components": {"bell": {"allow": ["RingBel"]}},
            "repositories": {"octo/*": {"allow": ["AddLabels", "RingBell", "Xyzzy"]}},
        }
    )

    found = list(unknown_kinds(settings, PLATFORM))

    assert found == [
        "components.bell.allow: nobody has effects of the kind 'RingBel'; did you mean RingBell?",
        "repositories.octo/*.allow: nobody has effects of the kind 'Xyzzy'; check the packages"
        " installed",
    ]


def test_strict_settings_may_not_allow_a_kind_that_nobody_has() -> None:
    settings = Settings.model_validate(
        {"strict": True, "components": {"bell": {"allow": ["RingBel"]}}}
    )

    with pytest.raises(BadGrants, match="did you mean RingBell"):
        check_grants(settings, PLATFORM)


@pytest.mark.parametrize(
    ("without_file", "able", "found"),
    [(None, (), ["bells"]), ("observe", (), ["bells"]), ("approve", (), []), (None, ("h",), [])],
)
def test_a_live_reaction_that_can_only_observe_is_named(
    without_file: Mode | None, able: tuple[str, ...], found: list[str]
) -> None:
    settings = Settings.model_validate(
        {
            "reactions": [
                {"name": "bells", "on": "issues", "effects": "live"},
                {"name": "quiet", "on": "issues"},
            ],
            "repositories": {"octo/*": {"without_file": without_file}},
        }
    )

    assert list(ungranted(listeners(settings, PLATFORM), frozenset(able), settings)) == found


def test_what_is_granted_where_can_be_read() -> None:
    settings = Settings.model_validate(
        {
            "components": {"bell": {"mode": "approve", "allow": ["RingBell"]}, "hello": {}},
            "repositories": {"octo/*": {"without_file": "live", "labels": ["bug"]}},
            "unlisted_repositories": "observe",
        }
    )

    assert list(told_grants(settings)) == [
        "components.bell: approve at most; only RingBell",
        "octo/*: labels bug; live without a file",
        "unlisted_repositories: observe at most",
        "elsewhere, without .github/reactor.yml: observe only",
    ]
    assert list(told_grants(Settings())) == [
        "everywhere, without .github/reactor.yml: observe only"
    ]
