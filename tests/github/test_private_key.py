import base64

import pytest

from reactor.github.private_key import BadPrivateKey, pem_of

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "given",
    [
        PEM,
        f"  {PEM}  ",
        PEM.replace("\n", "\\n"),
        '"' + PEM.strip().replace("\n", "\\n") + '"',
        PEM.replace("\n", "\r\n"),
        base64.b64encode(PEM.encode()).decode(),
        base64.encodebytes(PEM.encode()).decode(),
    ],
    ids=["pem", "spaces", "escaped", "quoted", "crlf", "base64", "base64 in lines"],
)
def test_a_key_is_read_in_whatever_shape_it_comes(given: str) -> None:
    assert pem_of(given, "GITHUB_PRIVATE_KEY") == PEM


@pytest.mark.parametrize(
    "given",
    ["", "secret", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----", PEM[:40], "ß"],
)
def test_what_is_no_key_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(BadPrivateKey, match="GITHUB_PRIVATE_KEY") as caught:
        pem_of(given, "GITHUB_PRIVATE_KEY")

    assert "MIIE" not in str(caught.value)
    assert "secret" not in str(caught.value)
