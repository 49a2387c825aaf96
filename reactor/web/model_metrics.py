"""Counts of calls to language models, for Prometheus; the models are those of the settings."""

from prometheus_client import CollectorRegistry, Counter

from reactor.ai.calling import Called


class ModelMetrics:
    """What was asked of models.  Called with each call that has ended."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter(
            "reactor_model_calls",
            "Calls of language models, by how they ended.",
            ("model", "outcome"),
            registry=registry,
        )
        self._tokens = Counter(
            "reactor_model_tokens",
            "Tokens of prompts and of answers.",
            ("model", "kind"),
            registry=registry,
        )
        self._cost = Counter(
            "reactor_model_cost_usd",
            "What calls of language models cost, in US dollars.",
            ("model",),
            registry=registry,
        )

    def __call__(self, called: Called, /) -> None:
        """Count it."""
        self._calls.labels(called.model, called.outcome).inc()
        self._tokens.labels(called.model, "prompt").inc(called.usage.prompt_tokens)
        self._tokens.labels(called.model, "answer").inc(called.usage.completion_tokens)
        self._cost.labels(called.model).inc(called.usage.cost_usd)
