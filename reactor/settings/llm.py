"""Language models: which there are, what they are for, and what may be spent on them."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator

from reactor.settings.section import Section


class ModelSettings(Section):
    """One model, under a name of your own; that of `REACTOR_LLM_MODEL` is called `default`."""

    model: str = Field(
        description="The provider and its model, as LiteLLM writes it: openai/gpt-4o-mini."
    )
    api_base: str | None = Field(None, description="Where it is. None: the provider's own address.")
    api_key: SecretStr | None = Field(
        None, description="Its key. None: the provider's own name in the environment has it."
    )
    fallbacks: tuple[str, ...] = Field(
        (), description="Names of other models, asked one after the other where it fails."
    )
    schemas: Literal["auto", "always", "never"] = Field(
        "auto",
        description="Whether it is given schemas of answers; `auto`: if LiteLLM knows that it"
        " takes them. Otherwise it is told in words.",
    )
    usd_per_million_input: float | None = Field(
        None, ge=0, description="Price of a million tokens. None: as LiteLLM knows it."
    )
    usd_per_million_output: float | None = Field(None, ge=0, description="Likewise, of answers.")


class LlmBudgetSettings(Section):
    """What may be spent, in US dollars.  Where it is spent, no model is asked."""

    per_process: float | None = Field(None, ge=0, description="By one process.")
    per_repository_day: float | None = Field(
        None, ge=0, description="For one repository in a day (UTC)."
    )
    per_day: float | None = Field(None, ge=0, description="In all in a day (UTC).")


class LlmSettings(Section):
    """Language models, for the components that want one.  Without any, rules do the work."""

    models: dict[str, ModelSettings] = Field(
        default_factory=dict, description="The models that there are, by names of your own."
    )
    default: str | None = Field(
        None,
        description="Which of them is asked where a component does not say. None: the one called"
        " `default`, or the first.",
    )
    roles: dict[str, str] = Field(
        default_factory=dict, description="What components want one for, and which that is."
    )
    timeout_s: float = Field(60.0, gt=0, description="How long one call may take.")
    attempts: int = Field(
        4, ge=1, le=20, description="Most calls for one answer, whatever each failed with."
    )
    max_tokens: int | None = Field(
        None, ge=1, description="Longest answer. None: as long as the provider lets it be."
    )
    temperature: float | None = Field(None, ge=0, le=2, description="None: the provider's.")
    keep_answers_s: float = Field(
        86_400.0, ge=0, description="How long an answer is kept for the same question; 0: not."
    )
    prompts: Path | None = Field(
        None,
        description="Folder of prompts that take the place of components' own:"
        " PACKAGE/NAME.jinja in it.",
    )
    budget: LlmBudgetSettings = LlmBudgetSettings()

    @model_validator(mode="after")
    def _names_are_known(self) -> "LlmSettings":
        wanted: dict[str, tuple[str, ...]] = {"default": (self.default,) if self.default else ()}
        wanted |= {f"roles.{role}": (name,) for role, name in self.roles.items()}
        wanted |= {f"models.{name}.fallbacks": m.fallbacks for name, m in self.models.items()}
        unknown = [
            f"{place} names {name!r}"
            for place, names in wanted.items()
            for name in names
            if name not in self.models
        ]
        if unknown:
            there = ", ".join(self.models) or "none"
            raise ValueError(f"{'; '.join(unknown)}: there is no such model (there are: {there})")
        return self
