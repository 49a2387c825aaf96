"""Words of commands as people write them on GitHub: `@octocat`, `#12`.

Fields of a command; labels and teams have their types in `reactor.github.effect_fields`.
"""

from typing import Annotated

from pydantic import BeforeValidator, Field

from reactor.github.effect_fields import Login


def _without(mark: str) -> BeforeValidator:
    return BeforeValidator(
        lambda word: word.removeprefix(mark) if isinstance(word, str) else word,
        json_schema_input_type=str,
    )


Person = Annotated[Login, _without("@")]
"""A login, with or without its @."""

Number = Annotated[int, Field(gt=0, lt=2**63), _without("#")]
"""Of an issue, pull request or discussion of the same repository, with or without its #."""
