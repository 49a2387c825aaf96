"""Text of events, made safe to look at: it is shown, and does nothing.

Escaping for HTML is the templates' affair (autoescape); this is about characters that act on the
text around them or that nobody sees.
"""

import re

# Controls but tab and newline; marks, embeddings, overrides and isolates of direction; separators
# of lines and paragraphs; invisible operators, annotations and tags; lone surrogates.  The joiners
# U+200C and U+200D stay: scripts and emoji need them.
_ACTS_OR_HIDES = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """`text` with each such character as its number, "[U+202E]"."""
    return _ACTS_OR_HIDES.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
