"""Which model is wanted, and how it is to be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reactor.ai.errors import NoModels, UnknownModel


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """What a component wants of a model; what it leaves open the operator's settings say.

    At most one of `model`, `role` and `auto`; without any, the default model is asked.
    """

    model: str = ""  # a name in the settings
    role: str = ""  # what it is for, as "cheap" or "reviewer": the settings say which model that is
    auto: bool = False  # whichever of all models can answer now, in the order of the settings
    temperature: float | None = None
    max_tokens: int | None = None  # of an answer
    timeout_s: float | None = None  # of one call
    attempts: int | None = None  # calls for one answer, whatever each failed with
    tool_rounds: int = 8  # calls that end in the use of tools, for one answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The models of the settings, by name."""

    models: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # with fallbacks, in order
    default: str = ""  # "": the first of all
    roles: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    """What answers by each name: provider, model, address and the like, as a text of any form.  Where
    it changes, answers that were kept are those of another one."""

    def candidates(self, options: LlmOptions) -> tuple[str, ...]:
        """The models to ask, one after the other.  Raises `UnknownModel` and `NoModels`."""
        if not self.models:
            raise NoModels
        if options.auto:
            return tuple(self.models)
        first = (
            options.model or self._of_role(options.role) or self.default or next(iter(self.models))
        )
        if first not in self.models:
            raise UnknownModel("model", first, tuple(self.models))
        return tuple(dict.fromkeys((first, *self.models[first])))

    def _of_role(self, role: str) -> str:
        """Its model; the default one where the settings give the role to none."""
        return self.roles.get(role, "")
