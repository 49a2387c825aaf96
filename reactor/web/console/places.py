"""Where a page may send somebody on: to a path of our own, never elsewhere."""

import re

# A path begins with one slash: a second one, or a backslash, which browsers take for one, would
# begin the name of another host.  Whatever is not printable ASCII, browsers may leave out.
_OWN = re.compile(r"/(?![/\\])[!-\[\]-~]*")


def own_path(wanted: str) -> str:
    """`wanted`, if it is a path of this console, with its query; else its front page."""
    return wanted if len(wanted) <= 2_000 and _OWN.fullmatch(wanted) else "/"
