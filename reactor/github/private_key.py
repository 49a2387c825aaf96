"""The private key of a GitHub App, in whatever shape it comes through an environment.  Pure."""

import base64
import binascii

from reactor.errors import ReactorError

_BEGIN, _END = "-----BEGIN ", "-----END "


class BadPrivateKey(ReactorError):
    """What was given as the private key of the app is none.  Its text is never repeated."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(where, why)
        self.where, self.why = where, why

    def __str__(self) -> str:
        return (
            f"the private key of the GitHub App ({self.where}) can't be used: {self.why}; give the"
            " .pem file that GitHub made, its text, or its text in base64"
        )


def pem_of(text: str, where: str) -> str:
    r"""The key as PEM: given as such, with `\n` in place of line ends, quoted, or in base64.

    `where` it came from, for the error.  Raises `BadPrivateKey`.
    """
    key = text.strip().strip("\"'").replace("\\n", "\n").replace("\r\n", "\n").strip()
    if _BEGIN not in key:
        key = _decoded(key, where).replace("\r\n", "\n").strip()
    if not key.startswith(_BEGIN) or _END not in key:
        raise BadPrivateKey(where, "it has no BEGIN and END lines")
    if "PRIVATE KEY" not in key.partition("\n")[0]:
        raise BadPrivateKey(where, "it is something else than a private key")
    return key + "\n"


def _decoded(key: str, where: str) -> str:
    try:
        return base64.b64decode("".join(key.split()), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise BadPrivateKey(where, "it is neither PEM nor base64 of it") from None
