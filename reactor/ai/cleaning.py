"""Finding the JSON in what a model wrote: alone, in a fence, or with prose around it.

Pure.  Gives candidates, likeliest first; whoever knows the wanted type takes the first that fits.
"""

import json
import re
from collections.abc import Iterator

_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_MOST_STARTS = 200  # brackets that are tried as a beginning
_LONGEST = 400_000  # characters that are looked at
_DECODER = json.JSONDecoder(strict=False)  # a line break within a string is no reason to ask again


def json_values(text: str) -> Iterator[object]:
    """The values that the text may mean, likeliest first; each decoded.

    First the text as a whole, then what its fences hold, then objects and lists anywhere in it,
    longest first.  Nothing where there is none.
    """
    said = _without_thinking(text[:_LONGEST]).strip().lstrip("\ufeff")
    for whole in (said, *(match[1].strip() for match in _FENCE.finditer(said))):
        try:
            yield _decoded(whole)
        except ValueError:
            continue
    yield from _embedded(said)


def _without_thinking(text: str) -> str:
    """What it has said to itself is no answer; what it never ended is looked at like the rest."""
    kept, at = list[str](), 0
    while (opening := _THINKING.search(text, at)) is not None:
        closing = re.compile(f"</{opening[1]}>", re.IGNORECASE).search(text, opening.end())
        if closing is None:
            break
        kept.append(text[at : opening.start()])
        at = closing.end()
    return "".join((*kept, text[at:]))


def _embedded(text: str) -> Iterator[object]:
    found: list[tuple[int, object]] = []
    at = tried = 0
    while tried < _MOST_STARTS and (start := _next_start(text, at)) >= 0:
        tried += 1
        value, end = _value_at(text, start)
        at = end
        if end > start + 1:
            found.append((end - start, value))
    yield from (value for _, value in sorted(found, key=lambda pair: -pair[0]))


def _next_start(text: str, at: int) -> int:
    starts = [start for start in (text.find("{", at), text.find("[", at)) if start >= 0]
    return min(starts, default=-1)


def _value_at(text: str, start: int) -> tuple[object, int]:
    """The value that begins there, and where it ends; one further where there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        mended = _TRAILING_COMMA.sub("", text[start:])
    try:
        value, length = _DECODER.raw_decode(mended)
    except (ValueError, RecursionError):
        return None, start + 1
    return value, start + length


def _decoded(text: str) -> object:
    """Raises `ValueError`."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:
        return _DECODER.decode(_TRAILING_COMMA.sub("", text))
