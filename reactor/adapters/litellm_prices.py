"""Prices of models without LiteLLM: from the list that comes with it, read as data.

Planning needs them, and must neither wait for its import nor depend on whether it has happened.

Source: LiteLLM's model_prices_and_context_window, `input_cost_per_token`, `output_cost_per_token`,
`alias_of`.
"""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reactor.adapters.litellm_models import Provided
from reactor.ai.prices import Price

_LIST = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000


def prices_of(provided: Mapping[str, Provided]) -> Mapping[str, Price]:
    """By the names in the settings; those whose price nobody knows are left out.

    What the settings say of a model counts.  The list is read, in a tenth of a second, only where
    they leave one open.
    """
    listed = _listed() if any(_said(each) is None for each in provided.values()) else {}
    found = {name: _said(each) or _in_list(each.model, listed) for name, each in provided.items()}
    return {name: price for name, price in found.items() if price is not None}


def _said(provided: Provided) -> Price | None:
    of_input, of_output = provided.usd_per_million_input, provided.usd_per_million_output
    if of_input is None and of_output is None:
        return None
    return Price((of_input or 0.0) / _MILLION, (of_output or 0.0) / _MILLION)


def _in_list(model: str, listed: Mapping[str, Mapping[str, Any]]) -> Price | None:
    """As LiteLLM names it, with its provider or without."""
    for name in (model, model.partition("/")[2]):
        about = listed.get(name, {})
        about = listed.get(about.get("alias_of", ""), about)  # as "claude-sonnet-latest"
        if "input_cost_per_token" in about:
            prompt, answer = about["input_cost_per_token"], about.get("output_cost_per_token")
            return Price(float(prompt or 0.0), float(answer or 0.0))
    return None


def _listed() -> Mapping[str, Mapping[str, Any]]:
    """Empty without LiteLLM."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        listed = json.loads(Path(spec.origin).with_name(_LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: about for name, about in listed.items() if isinstance(about, dict)}
