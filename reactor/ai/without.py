"""An `Ai` without any model: components that take one are installed, and nothing is planned of it."""

from reactor.ai.ai import Ai, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from reactor.ai.errors import ModelUnavailable
from reactor.ai.exchange import Reply, Request
from reactor.ai.options import Choices


def without_models() -> Ai:
    """The condition `llm` is false with it, and whoever asks all the same gets `NoModels`."""
    caller = Caller(models=_Nobody(), circuits=Circuits(lambda: 0.0))
    return Ai(Runtime(caller=caller, choices=Choices()))


class _Nobody:
    """Fits the port `Models`."""

    async def complete(self, request: Request) -> Reply:
        """Raises `ModelUnavailable`."""
        raise ModelUnavailable(request.model, "no model is set up")

    async def make_ready(self) -> None:
        """It is."""
