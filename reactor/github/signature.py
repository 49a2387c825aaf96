"""Signatures: did somebody who knows the secret send exactly these bytes?

Texts of a refusal say what is likely wrong, for an operator who reads them in the hook's
settings under "Recent deliveries"; they never hold a secret or a right signature.  Pure.

Source: GitHub docs, "Validating webhook deliveries".
"""

import hmac
import re
from collections.abc import Mapping, Sequence

from reactor.refusal import Refused

HEADER = "x-hub-signature-256"
SHA1_HEADER = "x-hub-signature"

_SHAPE = re.compile(r"sha256=[0-9a-f]{64}")
# GitHub sends compact JSON.  These are traces of something that wrote the document again.
_REWRITTEN = re.compile(rb'\xef\xbb\xbf|\s|\{\s|\{"[^"]{0,64}"(?:\s|:\s)')


def sign(body: bytes, secret: str) -> str:
    """The value of the header that GitHub would send with `body`."""
    return "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()


def signature_in(headers: Mapping[str, str]) -> str:
    """The signature that came with a request.  Raises `Refused` (401) where there is none to use.

    The older SHA-1 signature is never used in its place.
    """
    signature = headers.get(HEADER)
    if signature is None and SHA1_HEADER in headers:
        raise _refused(
            "signature_sha1_only",
            "only the old SHA-1 signature came, which is not accepted",
            "GitHub sends both: look for a proxy or relay that drops X-Hub-Signature-256",
        )
    if signature is None:
        raise _refused(
            "signature_missing",
            "the request is not signed",
            "enter the webhook secret in the settings of the hook, the same as here",
        )
    if not _SHAPE.fullmatch(signature):
        raise _refused(
            "signature_malformed",
            "this is not `sha256=` and 64 lower-case hexadecimal digits",
            "send the header as GitHub does, once and unchanged",
        )
    return signature


def verify(body: bytes, signature: str, secrets: Sequence[bytes]) -> None:
    """Raise `Refused` (401) unless one of `secrets` signed `body`: the bytes as received.

    Takes the same time whichever secret fits, and wherever the first difference is.
    """
    given = signature.encode("latin-1", "replace")  # compare_digest takes no str beyond ASCII
    fits = False
    for secret in secrets:
        digest = b"sha256=" + hmac.digest(secret, body, "sha256").hex().encode()
        fits |= hmac.compare_digest(digest, given)
    if fits:
        return
    if _REWRITTEN.match(body) or body.endswith(b"\n"):
        raise _refused(
            "signature_mismatch",
            "the signature does not fit the body: it was made with another secret, or the body was "
            "written again on the way (GitHub does not write it like this)",
            "compare the secret with the one here; if they are the same, make proxies and relays "
            "pass the body on byte by byte, not parsed and re-serialised",
        )
    raise _refused(
        "signature_mismatch",
        "the signature does not fit the body: most likely it was made with another secret",
        "compare the secret in the settings of the hook with the one here (spaces and line ends "
        "count); if they are the same, a proxy changes the body on the way",
    )


def _refused(reason: str, what: str, fix: str) -> Refused:
    return Refused(401, reason, what, where="header X-Hub-Signature-256", fix=fix)
