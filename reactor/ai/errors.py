"""What may go wrong with models: each class is one thing that an action or an operator can do."""

from typing import Literal

from reactor.errors import ReactorError
from reactor.failure import PassingLater

Refusal = Literal["key", "model", "too_long", "content", "request"]
_WHY = {
    "key": "the key is missing or was not accepted",
    "model": "the provider does not know it",
    "too_long": "the prompt is too long for it",
    "content": "the provider does not want to answer that",
    "request": "the request was not accepted",
}


class ModelUnavailable(PassingLater):
    """A model can't answer now: away, too busy, or too slow.

    `retry_in_s`: when the provider wants to be asked again, if it said so; `is_late`: it took too
    long, and has perhaps worked for its money all the same.
    """

    def __init__(
        self, model: str, why: str, retry_in_s: float | None = None, *, is_late: bool = False
    ) -> None:
        super().__init__(model, why, retry_in_s)
        self.model, self.why, self.retry_in_s = model, why, retry_in_s
        self.is_late = is_late

    def __str__(self) -> str:
        return f"the model {self.model} did not answer: {self.why}"


class ModelRefused(ReactorError):
    """A model will not answer this request, however often it is asked."""

    status = 400  # so that the action is not tried again in its process

    def __init__(self, model: str, refusal: Refusal, detail: str = "") -> None:
        super().__init__(model, refusal, detail)
        self.model, self.refusal, self.detail = model, refusal, detail

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"the model {self.model} refused: {_WHY[self.refusal]}{detail}"


class BadAnswer(ReactorError):
    """No answer of a model was fit for use, within all the attempts that there were."""

    def __init__(self, wanted: str, attempts: int, last_fault: str) -> None:
        super().__init__(wanted, attempts, last_fault)
        self.wanted, self.attempts, self.last_fault = wanted, attempts, last_fault

    def __str__(self) -> str:
        return (
            f"no answer of a model was a usable {self.wanted} in {self.attempts} attempts;"
            f" of the last one: {self.last_fault}"
        )


class UnknownModel(ReactorError):
    """Somebody asked for a model, or a role, that the settings do not have."""

    status = 400

    def __init__(self, what: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(what, name, known)
        self.what, self.name, self.known = what, name, known

    def __str__(self) -> str:
        there = ", ".join(self.known) or "none"
        return f"llm in the settings has no {self.what} {self.name!r}; it has: {there}"


class NoModels(ReactorError):
    """No model is set up at all."""

    status = 400

    def __str__(self) -> str:
        return "no model is set up; name one in the settings (llm.models) or as REACTOR_LLM_MODEL"


class BudgetSpent(ReactorError):
    """What may be spent on models is spent; rules go on without them."""

    status = 400

    def __init__(self, purse: str, limit_usd: float) -> None:
        super().__init__(purse, limit_usd)
        self.purse, self.limit_usd = purse, limit_usd

    def __str__(self) -> str:
        return f"the budget of {self.limit_usd:g} USD for models {self.purse} is spent"


class UnknownTemplate(ReactorError):
    """There is no prompt of that name, or it is not fit for use."""

    status = 400

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name, why)
        self.name, self.why = name, why

    def __str__(self) -> str:
        return f"the prompt {self.name}.jinja can't be used: {self.why}"
