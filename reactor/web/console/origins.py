"""Whether a request comes from a page of our own: no other page may do anything in our name.

Two guards, each enough by itself in a browser of today.  The browser says where a request comes
from (`Sec-Fetch-Site`, `Origin`), which no page can forge; and each form of ours holds a word that
other pages can't read.
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import Request

from reactor.refusal import Refused


@dataclass(frozen=True, slots=True)
class Seal:
    """Makes the word that goes with forms, each visitor's own."""

    secret: bytes = field(repr=False)

    def word(self, visitor: str) -> str:
        """The word of one visitor; `visitor`: what tells him from others, as his session does."""
        message = b"form\x00" + visitor.encode("utf-8", "surrogatepass")
        return hmac.new(self.secret, message, hashlib.sha256).hexdigest()

    def check(self, visitor: str, given: str) -> None:
        """Raise `Refused` (403) unless it is that word."""
        fits = hmac.compare_digest(
            given.encode("utf-8", "surrogatepass"), self.word(visitor).encode()
        )
        if not fits:
            raise Refused(
                403,
                "csrf",
                "this form is not of a page that we gave you, or is out of date",
                where="field csrf",
                fix="load the page again, and send it from there",
            )


def check_origin(request: Request, *, public_url: str | None = None) -> None:
    """Raise `Refused` (403) unless a page of our own, at the same address, sends it.

    Browsers send `Origin` along with every POST, and those of today `Sec-Fetch-Site` too; what
    sends neither is no browser, and has a token to send.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site != "same-origin":
        raise _elsewhere("header Sec-Fetch-Site")
    if origin is not None and not _is_own(origin, request, public_url):
        raise _elsewhere("header Origin")
    if site is None and origin is None:
        raise _elsewhere("headers Origin and Sec-Fetch-Site")


def _is_own(origin: str, request: Request, public_url: str | None) -> bool:
    if public_url:
        return origin.lower() == public_url.lower()
    # what is in front of us may speak TLS: the scheme that we see need not be the browser's
    try:
        return urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower() != ""
    except ValueError:
        return False


def _elsewhere(where: str) -> Refused:
    return Refused(
        403,
        "origin",
        "this was sent from a page that is not ours",
        where=where,
        fix="send it from the console's own page, under one address (setting console.public_url"
        " if a proxy changes it); programs send `Authorization: Bearer`",
    )
