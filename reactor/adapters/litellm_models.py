"""Models of all providers, through LiteLLM: the only way to a model.  Fits `reactor.ai` `Models`.

It is imported before the first call, and works in a thread of its own: importing it takes seconds,
and it counts tokens and writes logs in the loop that it is called from.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from reactor.adapters.litellm_shapes import arguments, error_of, reply
from reactor.adapters.loop_thread import LoopThread
from reactor.ai.errors import ModelRefused
from reactor.ai.exchange import Reply, Request

_ANY_KEY = "none"  # OpenAI's client insists on one; a server of one's own does not look at it
_NOT_INSTALLED = "LiteLLM is not installed; install webhook-reactor with its extra llm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provided:
    """One model, and where it is."""

    model: str  # as LiteLLM knows it: "openai/gpt-4o-mini"
    api_base: str | None = None  # None: the provider's own
    api_key: str | None = None  # None: as LiteLLM finds it in the environment
    schema: Literal["auto", "always", "never"] = "auto"  # whether it takes schemas of answers
    usd_per_million_input: float | None = None  # None: as LiteLLM's list has it
    usd_per_million_output: float | None = None


class LitellmModels:
    """`provided`: by their names in the settings.  Close it when no more is asked."""

    def __init__(self, provided: Mapping[str, Provided]) -> None:
        self._provided = dict(provided)
        self._thread = LoopThread("litellm", at_end=self._close_clients)

    async def complete(self, request: Request) -> Reply:
        """Ask once.  Raises `ModelUnavailable` and `ModelRefused`."""
        return await self._thread.run(lambda: self._complete(request))

    async def make_ready(self) -> None:
        """Import LiteLLM, which takes seconds."""
        if "_litellm" not in self.__dict__:
            await self._thread.run(self._import)

    def close(self) -> None:
        """End what it has begun."""
        self._thread.close()

    async def _complete(self, request: Request) -> Reply:
        known = self._provided[request.model]
        try:
            response = await self._litellm.acompletion(
                model=known.model,
                api_base=known.api_base,
                api_key=_key(known),
                timeout=request.timeout_s,
                num_retries=0,  # there is one cap on all attempts, and it is not here
                max_retries=0,
                drop_params=True,  # what a provider has no use for
                **arguments(request, takes_schema=self._takes_schema(known)),
            )
            return reply(response.model_dump(warnings=False))
        except ImportError:
            raise ModelRefused(request.model, "request", _NOT_INSTALLED) from None
        except Exception as error:  # noqa: BLE001 - whatever a provider's client raises
            raise error_of(request.model, error) from None

    async def _import(self) -> None:
        with suppress(ImportError):  # the call will say so
            _ = self._litellm

    def _takes_schema(self, known: Provided) -> bool:
        if known.schema != "auto":
            return known.schema == "always"
        try:
            return bool(self._litellm.supports_response_schema(model=known.model))
        except Exception:  # noqa: BLE001 - of a model that it does not know
            return False

    @cached_property
    def _litellm(self) -> Any:
        # its prices are then those that came with it: it fetches nothing
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251 - it reads it there
        litellm: Any = import_module("litellm")
        litellm.suppress_debug_info = True
        litellm.disable_aiohttp_transport = True  # it leaves connections open
        return litellm

    async def _close_clients(self) -> None:
        if "_litellm" in self.__dict__:
            worker = import_module("litellm.litellm_core_utils.logging_worker")
            await worker.GLOBAL_LOGGING_WORKER.stop(discard_pending=True)
            await self._litellm.close_litellm_async_clients()


def _key(known: Provided) -> str | None:
    """None: as LiteLLM finds it in the environment."""
    is_elsewhere = known.api_base is not None and known.model.startswith("openai/")
    if known.api_key or not is_elsewhere or os.environ.get("OPENAI_API_KEY"):  # noqa: TID251 - as it does
        return known.api_key
    return _ANY_KEY
