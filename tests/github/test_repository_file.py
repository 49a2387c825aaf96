"""The rules that follow from a file, and from one that extends another."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reactor.github.effects import AddLabels
from reactor.github.repository_file import PATH, RepositoryFile, extended_by
from reactor.policy import SEVERITY, Narrowing, Wish, judge
from tests.test_policy import EFFECTS, NAMES, NARROWINGS, SEVERAL, WISHES

MODES = st.sampled_from(["live", "approve", "observe"])
KINDS = st.lists(st.sampled_from(["AddLabels", "Close", "PostComment"]), max_size=3)
PART = {"mode": MODES, "allow": KINDS, "labels": st.lists(NAMES, max_size=3)}
COMPONENTS = st.dictionaries(
    st.sampled_from(["triage", "welcome"]),
    st.fixed_dictionaries({}, optional={**PART, "enabled": st.booleans()}),
    max_size=2,
)
COMMANDS = st.booleans() | st.lists(st.sampled_from(["label", "close"]), max_size=2)
SAID = st.fixed_dictionaries({}, optional={**PART, "components": COMPONENTS, "commands": COMMANDS})
FILES = st.builds(RepositoryFile.model_validate, SAID)


def severity(wish: Wish, narrowings: list[Narrowing]) -> int:
    return SEVERITY[judge(wish, narrowings).decision]


@given(WISHES, SEVERAL, st.lists(FILES, min_size=1, max_size=3))
def test_no_file_lets_through_what_the_operator_does_not(
    wish: Wish, granted: list[Narrowing], files: list[RepositoryFile]
) -> None:
    merged = files[0]
    for each in files[1:]:
        merged = each.over(merged)

    own = merged.rules(PATH, version="1").about(wish.component)

    assert severity(wish, [*granted, *own]) >= severity(wish, granted)


@given(FILES)
def test_one_that_extends_a_file_and_says_nothing_is_that_file(file: RepositoryFile) -> None:
    merged = RepositoryFile.model_validate({"_extends": "base"}).over(file)

    assert merged.rules(PATH, version="1") == file.rules(PATH, version="1")


@given(SAID, SAID)
def test_of_two_files_the_one_that_extends_counts_where_it_speaks(
    said: dict[str, Any], base: dict[str, Any]
) -> None:
    merged = RepositoryFile.model_validate(said).over(RepositoryFile.model_validate(base))

    expected = RepositoryFile.model_validate(
        {
            **base,
            **said,
            "components": {
                name: {
                    **base.get("components", {}).get(name, {}),
                    **said.get("components", {}).get(name, {}),
                }
                for name in {**base.get("components", {}), **said.get("components", {})}
            },
        }
    )
    assert merged.rules(PATH, version="") == expected.rules(PATH, version="")


@given(FILES, FILES, FILES)
def test_it_does_not_matter_which_two_of_three_are_merged_first(
    one: RepositoryFile, two: RepositoryFile, three: RepositoryFile
) -> None:
    left, right = one.over(two).over(three), one.over(two.over(three))

    assert left.rules(PATH, version="") == right.rules(PATH, version="")


@given(EFFECTS, NARROWINGS)
def test_rules_of_a_component_count_beside_those_of_the_whole(
    effect: Any, granted: Narrowing
) -> None:
    file = RepositoryFile.model_validate(
        {"mode": "approve", "components": {"triage": {"mode": "live"}}}
    )

    own = file.rules(PATH, version="").about("Triage")

    assert [each.mode for each in own] == ["approve", "live"]
    wish = Wish(effect=effect, component="Triage", number=None)
    assert severity(wish, [replace(granted, mode="live"), *own]) >= SEVERITY["hold"]


def test_a_component_that_is_not_enabled_is_refused_by_name() -> None:
    file = RepositoryFile.model_validate({"components": {"triage": {"enabled": False}}})
    rules = file.rules(PATH, version="")
    effect = AddLabels(labels=("bug",))

    verdict = judge(Wish(effect=effect, component="triage"), rules.about("triage"))

    assert (verdict.decision, verdict.reason) == ("refuse", f"{PATH} mutes triage")
    other = judge(Wish(effect=effect, component="welcome"), rules.about("welcome"))
    assert other.decision == "allow"


def test_what_it_extends_belongs_to_the_same_owner_unless_one_is_named() -> None:
    extends = [RepositoryFile.model_validate({"_extends": it}) for it in ("base", "acme/base")]

    assert [extended_by(it, "octo/hello") for it in extends] == ["octo/base", "acme/base"]
    assert extended_by(RepositoryFile(), "octo/hello") is None
