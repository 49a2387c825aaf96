"""Secrets never reach a log line, wherever they are, and what is none stays readable."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from reactor.censoring import CENSORED, SHORTEST, Censor, known_secrets, looks_secret
from reactor.settings import Settings

KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq0+x\nq83nGz\n-----END RSA PRIVATE KEY-----"
)

SECRETS = st.text(min_size=SHORTEST, max_size=40).filter(lambda text: text.strip() == text)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=4)
    ),
    max_leaves=8,
)


@dataclass
class Thing:
    what: object


def leaves(value: object) -> list[str]:
    """Every text, key and number of plain data."""
    if isinstance(value, Mapping):
        return [leaf for pair in value.items() for each in pair for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [str(value)]


@given(
    secrets=st.lists(SECRETS, min_size=1, max_size=3),
    values=st.lists(VALUES, max_size=3),
    around=st.tuples(st.text(max_size=8), st.text(max_size=8)),
    where=st.integers(0, 7),
)
def test_no_known_secret_comes_out_whatever_it_lies_in(
    secrets: list[str], values: list[object], around: tuple[str, str], where: int
) -> None:
    assume(not any(secret in "what is" or secret in "***" for secret in secrets))
    texts = [around[0] + secret + around[1] for secret in secrets]
    hidden: list[object] = [
        texts,
        dict.fromkeys(texts, "what"),
        {"deep": {"deeper": [(text,) for text in texts]}},
        [Thing(text) for text in texts],
        [text.encode("utf-8", "surrogatepass") for text in texts],
        [ValueError(text, {"it": text}) for text in texts],
        [frozenset([text]) for text in texts],
        json.dumps(texts) + repr(texts),
    ]

    shown = Censor(secrets).mapping({"what": hidden[where], "is": values})

    assert not [leaf for leaf in leaves(shown) for secret in secrets if secret in leaf]
    json.dumps(shown)  # plain: a renderer finds no more in it


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_a_line_without_secrets_keeps_its_texts_and_numbers(line: dict[str, object]) -> None:
    assume(not any(looks_secret(name) for name in leaves(Censor().mapping(line))))

    shown = Censor(["no line of this test has that in it"]).mapping(line)

    for name, value in line.items():
        if isinstance(value, str | int):
            assert shown[name] == value


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "a1B2" * 9,
        "ghs_" + "a1B2" * 9,
        "github_pat_" + "11ABC_" * 10,
        "xoxb-" + "123456789012-" * 2 + "abcDEF",
        "AKIA" + "ABCD1234" * 2,
        "sk-" + "ant-api03-" + "abc123XYZ" * 5,
        "glpat-" + "a1B2-_" * 5,
        "Bearer abc.def-123456",
        "authorization: bearer abc.def-123456",
        "Basic dXNlcjpwYXNzd29yZA==",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJl",
        "sha256=" + "0f" * 32,
        KEY,
        KEY[:60],
    ],
)
def test_what_has_the_shape_of_a_secret_is_replaced_in_any_text(text: str) -> None:
    said = f"it said {text} and gave up"

    shown = Censor().mapping({"error": said, "deep": [{"er": said}]})

    told = [str(shown["error"]), *leaves(shown["deep"])]
    assert all(CENSORED in each for each in told if "it said" in each)
    assert text.split()[-1] not in " ".join(told)


@pytest.mark.timeout(20)  # it took minutes where each sign was a beginning and an end
@pytest.mark.parametrize(
    "text", ["://" + ":" * 50_000, "eyJ-" * 12_000, "sk-" * 16_000, "Bearer " * 7_000]
)
def test_a_long_text_that_only_begins_like_a_secret_is_read_in_one_go(text: str) -> None:
    assert Censor().text(text) == text


def test_of_a_url_only_who_and_the_password_are_replaced() -> None:
    shown = Censor().text("cannot reach redis://app:p4ss@redis.example:6379/0 now")

    assert shown == f"cannot reach redis://{CENSORED}@redis.example:6379/0 now"


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "github_token",
        "X-Hub-Signature-256",
        "webhookSecret",
        "secrets",
        "private_key",
        "Authorization",
        "apiKey",
        "API_KEY",
        "password",
        "redis-password",
        "session_cookie",
    ],
)
def test_the_name_of_a_value_gives_it_away(name: str) -> None:
    shown = Censor().mapping({name: "hush", "deep": [{name: ["hush", 7]}], "none": {name: None}})

    assert shown == {name: CENSORED, "deep": [{name: CENSORED}], "none": {name: None}}


@pytest.mark.parametrize(
    "name", ["delivery_id", "subject", "process_id", "key", "tokens", "author"]
)
def test_the_names_that_lines_are_made_of_give_nothing_away(name: str) -> None:
    assert not looks_secret(name)


def test_a_number_that_is_a_secret_is_replaced() -> None:
    assert Censor(["90210"]).mapping({"n": [90210, 9021]}) == {"n": [CENSORED, 9021]}


def test_a_line_of_a_private_key_is_replaced_too() -> None:
    shown = Censor([KEY]).text("bad base64: MIIEowIBAAKCAQEA7bq0+x")

    assert shown == f"bad base64: {CENSORED}"


def test_what_raises_when_it_is_shown_does_not_stop_the_line() -> None:
    class Sly:
        def __repr__(self) -> str:
            raise RuntimeError("hush")

    assert "can't be shown" in str(Censor(["hush"]).mapping({"it": Sly()})["it"])


class Odd(BaseModel):
    """Settings of a component, as the section of its package has them."""

    api_key: SecretStr


def test_every_secret_of_the_settings_is_known() -> None:
    settings = Settings.model_validate(
        {
            "github": {"secrets": ["one-secret"], "hosts": {"ghe.example": {"secrets": ["two"]}}},
            "gateway": {"token": "three-token"},
            "redis": {"url": "redis://app:four%2Bpass@redis.example/0"},
            "components": {"bell": {"api_key": "five-key", "deep": [{"passwords": 1}]}},
        }
    )

    found = known_secrets(settings) | known_secrets(Odd(api_key=SecretStr("six-key")))

    assert {"one-secret", "two", "three-token", "five-key", "six-key"} <= found
    shown = Censor(found).text("four+pass four%2Bpass six-key octo/hello#7")
    assert shown == f"{CENSORED} {CENSORED} {CENSORED} octo/hello#7"
