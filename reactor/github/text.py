"""Text that we write on GitHub: made safe to post, and short enough to be taken.

Pure functions on strings.
"""

import re

COMMENT_LIMIT = 65_536  # characters; GitHub refuses longer bodies
MARKER_ROOM = 512  # characters kept free for the hidden marker that the executor adds
LONGEST_CODE = 400  # characters of a line that is set as code
CUT_NOTE = "\n\n*(The rest was cut: a comment can't be longer.)*"

_ZERO_WIDTH_SPACE = "\u200b"

# GitHub finds mentions in the rendered text, so an @ written as an entity counts as well.  What
# follows a letter or digit is an address, not a mention.
_MENTION = re.compile(
    r"(?<![A-Za-z0-9_])(?P<at>@|&#0*64;|&#[xX]0*40;|&commat;)(?P<name>[A-Za-z0-9][\w/-]*|(?=&|_))"
)
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def neutralise_mentions(text: str, *, allowed: tuple[str, ...] = ()) -> str:
    """Nobody is notified by `text`, except who is `allowed`: logins, or teams as `org/team`.

    A zero-width space goes behind the @, so that it reads as before.  Doing it twice changes
    nothing more.
    """
    spared = {name.lower() for name in allowed}

    def mend(match: re.Match[str]) -> str:
        if match["at"] == "@" and match["name"].rstrip("-/").lower() in spared:
            return match[0]
        return match["at"] + _ZERO_WIDTH_SPACE + match["name"]

    return _MENTION.sub(mend, text)


def in_code(text: str, limit: int = LONGEST_CODE) -> str:
    """One line, set as code: in it nothing is a link, an image, a mention or a reference."""
    line = " ".join(text.split())
    line = line if len(line) <= limit else line[: limit - 1] + "…"
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def cut(text: str, limit: int = COMMENT_LIMIT - MARKER_ROOM, note: str = CUT_NOTE) -> str:
    """At most `limit` characters; what was cut ends with the note."""
    return text if len(text) <= limit else text[: limit - len(note)] + note


def readable(text: str) -> str:
    """What a person sees of a text: without HTML comments and characters that show nothing.

    For rules that weigh words: instructions hidden in an issue must not count.
    """
    return _UNSEEN.sub("", _HTML_COMMENT.sub("", text))
