"""Policy: what may be made of an effect, given everything that narrows it.

    wish + narrowings -> verdict: allow, hold for a person, only observe, or refuse and why

Nothing here widens.  The reaction's mode, the operator's grants to a component and to a repository
and a repository's own file are all `Narrowing`s, and the most restrictive of them counts, in
whatever order they are given.

Pure; imports nothing of Reactor but effects.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reactor.effect import Effect, Mode

Decision = Literal["allow", "hold", "observe", "refuse"]

SEVERITY: Mapping[Decision, int] = {"allow": 0, "hold": 1, "observe": 2, "refuse": 3}
"""The higher one counts."""

_OVERWRITES_LABELS = "SetLabels"
_OF_MODE: Mapping[Mode, Decision] = {"live": "allow", "approve": "hold", "observe": "observe"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The most that one source lets through; what it leaves out it does not narrow.

    Names of kinds are class names.  Labels and components are compared without case, as GitHub
    compares labels; in a label `*` stands for any characters.
    """

    source: str  # where people find it: "components.triage", ".github/reactor.yml"
    mode: Mode = "live"
    kinds: frozenset[str] | None = None  # None: all
    labels: frozenset[str] | None = None  # that may be put on or taken off; None: all
    muted: frozenset[str] = frozenset()  # packages whose effects are refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """An effect, and who wants it where."""

    effect: Effect
    component: str  # name of the package
    number: int | None = None  # of the issue or pull request that it changes


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be made of a wish; `reason` says why it is not allowed as it is."""

    decision: Decision
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """What an operator says about components and repositories."""

    components: Mapping[str, Narrowing] = field(default_factory=dict)  # by name of the package
    repositories: Mapping[str, Narrowing] = field(default_factory=dict)
    """By a pattern of the address, as `github.com/octo/*`; each one that fits counts."""
    without_file: Mapping[str, Mode] = field(default_factory=dict)
    """What counts where a repository has no file of its own, by such patterns as well."""
    unlisted: Mode = "live"  # the most in repositories that no pattern of `repositories` fits

    def about(self, *, component: str, repository: str | None) -> Sequence[Narrowing]:
        """Those that count for a component's effects in a repository, by its address.

        None: what happened was in no repository, so only the component counts.
        """
        of_component = [self.components[component]] if component in self.components else []
        if repository is None:
            return of_component
        of_repository = [
            narrowing
            for pattern, narrowing in self.repositories.items()
            if fits(repository, pattern)
        ]
        if not of_repository and self.unlisted != "live":
            of_repository = [Narrowing(source="unlisted_repositories", mode=self.unlisted)]
        return (*of_component, *of_repository)

    def in_place_of_a_file(self, repository: str) -> Narrowing:
        """For a repository without one: the most restrictive that fits; if none does: observe."""
        fitting = [mode for pattern, mode in self.without_file.items() if fits(repository, pattern)]
        mode: Mode = max(fitting, key=lambda mode: SEVERITY[_OF_MODE[mode]], default="observe")
        why = f"{repository.partition('/')[2]} has no .github/reactor.yml"
        return Narrowing(source=f"repositories: without_file ({why})", mode=mode)


def judge(wish: Wish, narrowings: Iterable[Narrowing]) -> Verdict:
    """The most restrictive verdict; of several alike the one that was given first.

    Labels are those that the effect's fields `label` and `labels` name.  What `SetLabels` takes
    off it does not name, so only who lets all labels through lets that through.
    """
    verdicts = [*_in_itself(wish)]
    for narrowing in narrowings:
        verdicts.extend(_within(wish, narrowing))
    return max(verdicts, key=lambda it: SEVERITY[it.decision], default=Verdict("allow"))


def labels_of(effect: Effect) -> tuple[str, ...]:
    """The labels that an effect names, of whatever kind it is."""
    fields = dict(effect)
    named: list[str] = []
    for value in (fields.get("label"), fields.get("labels")):
        if isinstance(value, str):
            named.append(value)
        elif isinstance(value, Iterable):
            named.extend(map(str, value))
    return tuple(named)


def _in_itself(wish: Wish) -> Iterator[Verdict]:
    """What nobody can grant."""
    duplicate_of = dict(wish.effect).get("duplicate_of")
    if duplicate_of is not None and duplicate_of == wish.number:
        yield Verdict("refuse", f"#{duplicate_of} can't be a duplicate of itself")


def _within(wish: Wish, narrowing: Narrowing) -> Iterator[Verdict]:
    kind, source = wish.effect.kind, narrowing.source
    if wish.component.casefold() in {name.casefold() for name in narrowing.muted}:
        yield Verdict("refuse", f"{source} mutes {wish.component}")
    if narrowing.kinds is not None and kind not in narrowing.kinds:
        yield Verdict("refuse", f"{source} does not allow {kind}")
    if kind == _OVERWRITES_LABELS and not _allows_every_label(narrowing):
        yield Verdict("refuse", f"{source} allows some labels, and {kind} takes off all others")
    if beyond := _labels_beyond(wish.effect, narrowing.labels):
        several = "s" if len(beyond) > 1 else ""
        yield Verdict("refuse", f"{source} does not allow the label{several} {', '.join(beyond)}")
    decision = _OF_MODE[narrowing.mode]
    if decision != "allow":
        yield Verdict(decision, f"{source} says {narrowing.mode}")


def _allows_every_label(narrowing: Narrowing) -> bool:
    return narrowing.labels is None or "*" in narrowing.labels


def _labels_beyond(effect: Effect, allowed: frozenset[str] | None) -> Sequence[str]:
    if allowed is None:
        return ()
    return [label for label in labels_of(effect) if not any(fits(label, name) for name in allowed)]


def fits(name: str, pattern: str) -> bool:
    """Whether it does, in any case.  Only `*` is special: labels have brackets in them.

    Not by a regular expression: strangers write patterns, and many stars would take for ever.
    """
    first, *middle = _in_any_case(pattern).split("*")
    rest = _in_any_case(name)
    if not middle:
        return rest == first
    last = middle.pop()
    if len(rest) < len(first) + len(last) or not rest.startswith(first) or not rest.endswith(last):
        return False
    rest = rest[len(first) : len(rest) - len(last)]
    for part in middle:  # the first place where it fits leaves most to the others
        _, found, rest = rest.partition(part) if part else ("", "*", rest)
        if not found:
            return False
    return True


def _in_any_case(name: str) -> str:
    """In lower case; what only looks like another letter, as a long s, stays what it is."""
    return "".join(
        lower if (lower := letter.lower()).upper() == letter else letter for letter in name
    )
