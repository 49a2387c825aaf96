"""A compiled expression, and what comes of evaluating it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reactor.expression.need import Need
from reactor.expression.reason import why_unknown
from reactor.expression.values import LEFT_OUT, Reading
from reactor.truth import Truth

MAX_STEPS = 100_000  # elements that macros within each other may visit: some 0.1 s


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The truth of an expression, and why."""

    truth: Truth
    reason: str = ""  # for FALSE because a fact is absent, and for UNKNOWN; "" otherwise


@dataclass(frozen=True, slots=True)
class Variable:
    """A fact that an expression names."""

    fact: str  # its name on the blackboard
    written: str  # its name in the expression: the same, or with `_` behind a reserved word
    need: Need


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expression:
    """A condition over facts, compiled and checked.  May be shared by threads."""

    source: str
    variables: frozenset[str]  # names of the facts that it looks at
    _variables: tuple[Variable, ...]
    _program: Any  # cel.Program
    _context: Any  # the class cel.Context, kept so that evaluating imports nothing
    _functions: Mapping[str, Callable[..., object]]
    _nested_macros: int

    def evaluate(self, values: Mapping[str, object]) -> Evaluated:
        """Whether the condition holds for these facts; never raises for what a fact holds.

        FALSE if a fact that it names is absent; UNKNOWN if it fails, or gives neither true nor
        false.
        """
        absent = [v.fact for v in self._variables if v.fact not in values]
        if absent:
            verb = "is" if len(absent) == 1 else "are"
            return Evaluated(Truth.FALSE, f"{' and '.join(absent)} {verb} not on the blackboard")
        reading = Reading()
        given = self._read(values, reading)
        if reading.longest_list**self._nested_macros > max(MAX_STEPS, reading.longest_list):
            return Evaluated(
                Truth.UNKNOWN,
                f"{self._nested_macros} macros within each other over a list of "
                f"{reading.longest_list:,} would take too long",
            )
        return self._execute(given, reading)

    def _read(self, values: Mapping[str, object], reading: Reading) -> dict[str, object]:
        read = {v.written: reading.read(values[v.fact], v.need, v.written) for v in self._variables}
        return {name: value for name, value in read.items() if value is not LEFT_OUT}

    def _execute(self, given: dict[str, object], reading: Reading) -> Evaluated:
        try:
            result = self._program.execute(self._context(given, self._functions))
        except BaseException as error:
            if not is_failure(error):
                raise
            return Evaluated(Truth.UNKNOWN, why_unknown(error, given, reading.notes, self._needs()))
        if isinstance(result, bool):
            return Evaluated(Truth.of(result))
        return Evaluated(Truth.UNKNOWN, f"it gave a {type(result).__name__}, not true or false")

    def _needs(self) -> dict[str, Need]:
        return {v.written: v.need for v in self._variables}


def is_failure(error: BaseException) -> bool:
    """Whether this is the evaluator's failure, and not somebody's wish to stop.

    A panic of its Rust side arrives as a class of its own that is no `Exception`.
    """
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
