"""Keeping secrets out of what is logged: known ones, those that a name gives away, known shapes.

Takes a mapping of any depth and gives one of plain values in which no secret is left; imports
nothing of Reactor.  Three rules, each enough by itself:

- the value of a key that looks secret (`token`, `x-hub-signature-256`, `privateKey`) is replaced;
- a known secret is replaced wherever it occurs in a text, also quoted for JSON, Python or a URL;
- what has the shape of a secret is replaced: tokens of GitHub and other providers, JSON web tokens,
  signatures, private keys in PEM, `Bearer ...`, and the password of a URL.

A line without any of that, which is nearly every line, costs some microseconds: all its texts are
looked through at once for a few marks, and only where one is found is anything rewritten.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from urllib.parse import quote, quote_plus, unquote, urlsplit

from pydantic import BaseModel, SecretStr

CENSORED = "[censored]"

SHORTEST = 4
"""Characters below which a secret is not looked for: it would be found in every other word."""

_DEEPEST = 20  # nesting beyond which nothing is shown

_WORDS = frozenset(
    {
        "token",
        "secret",
        "secrets",
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "authorization",
        "signature",
        "signatures",
        "cookie",
        "credential",
        "credentials",
        "apikey",
    }
)
_PAIRS = frozenset({("private", "key"), ("api", "key"), ("access", "key"), ("signing", "key")})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")

# Repeats are possessive, and nothing is begun within a row of letters: linear, whoever wrote the text.
_KEY = (
    r"-----BEGIN[A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
    r".*?(?:-----END[A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
_TOKEN = (
    r"gh[a-z]_[A-Za-z0-9]{16,}+|github_pat_[A-Za-z0-9_]{16,}+"
    r"|glpat-[\w-]{20,}+"  # GitLab
    r"|xox[a-z](?:\.[a-z]++)?-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"  # Slack
    r"|A[KS]IA[0-9A-Z]{16}\b"  # AWS
    r"|AIza[\w-]{35}"  # Google
    r"|(?<!-)sk-(?=[\w-]*\d)[\w-]{32,}+"  # OpenAI, Anthropic
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+"  # Stripe
    r"|npm_[A-Za-z0-9]{36}\b|pypi-AgE[\w-]{50,}+"
    r"|(?<!-)eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?"  # JSON web tokens
)
_PASSWORD = r"(?<=://)[^\s/@\"':]*+:[^\s/@\"']*+(?=@)"
_SIGNED = (
    r"sha(?:1|256)=[0-9a-fA-F]{40,64}"
    r"|(?i:bearer|basic)\s++(?=[^\s\"',;]*[0-9=._~+/-])[^\s\"',;]{8,}+"
)
_PROVEN = (  # in prose "basic" and a digest are words as any other
    r"(?i:(?<=bearer )(?=[^\s\"',;]*\d)[\w.~+/-]{16,}+=*+"
    r"|(?<=authorization: basic )[\w+/-]{8,}+=*+)"
)
_SHAPES = re.compile(rf"{_KEY}|\b(?:{_TOKEN}|{_SIGNED})|{_PASSWORD}", re.DOTALL)
_PASTED = re.compile(rf"{_KEY}|\b(?:{_TOKEN}|{_PROVEN})|{_PASSWORD}", re.DOTALL)
_MARKS = (
    "PRIVATE KEY",
    "gh",
    "github_pat_",
    "glpat-",
    "xox",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "sk-",
    "k_live_",
    "k_test_",
    "npm_",
    "pypi-",
    "eyJ",
    "sha1=",
    "sha256=",
    "://",
    "earer",
    "EARER",
    "asic",
    "ASIC",
)
"""One of these is in every text that has one of the shapes."""


def without_tokens(text: str) -> str:
    """The text without keys, tokens and passwords that somebody pasted: by their form alone."""
    return _PASTED.sub(CENSORED, text)


class Censor:
    """Replaces secrets; made once, with the secrets that are known."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._marks = (*longest_first, *_MARKS)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        self._numbers = frozenset(form for form in forms if form.strip("+-.0123456789e") == "")
        self._in_place = "***" if any(form in CENSORED for form in forms) else CENSORED

    def text(self, text: str) -> str:
        """The text without secrets."""
        if not any(mark in text for mark in self._marks):
            return text
        if self._known:
            text = self._known.sub(self._in_place, text)
        return _SHAPES.sub(self._in_place, text)

    def mapping(self, values: Mapping[str, object]) -> dict[str, object]:
        """Plain values (texts, numbers, lists, mappings) without secrets.

        What is none of these is shown as its `repr`, so that no renderer finds more in it.
        """
        texts: list[str] = []
        plain = self._plain_mapping(values, texts, 0)
        joined = "\0".join(texts)
        if not any(mark in joined for mark in self._marks):
            return plain
        return {self.text(name): self._rewritten(value) for name, value in plain.items()}

    def _plain_mapping(
        self, values: Mapping[object, object] | Mapping[str, object], texts: list[str], depth: int
    ) -> dict[str, object]:
        """Plain data, nothing of what its name gives away; `texts` gets every text in it."""
        plain: dict[str, object] = {}
        for key, value in values.items():
            name = key if isinstance(key, str) else _shown(key)
            texts.append(name)
            is_hidden = looks_secret(name) and value is not None and not isinstance(value, bool)
            plain[name] = self._in_place if is_hidden else self._plain(value, texts, depth)
        return plain

    def _plain(self, value: object, texts: list[str], depth: int) -> object:
        if type(value) is str:  # nearly always
            texts.append(value)
            return value
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return self._in_place if self._numbers and str(value) in self._numbers else value
        if depth >= _DEEPEST:
            return "..."
        if isinstance(value, Mapping):
            return self._plain_mapping(value, texts, depth + 1)
        if isinstance(value, list | tuple | set | frozenset):
            return [self._plain(each, texts, depth + 1) for each in value]
        text = str(value) if isinstance(value, str) else _shown(value)
        texts.append(text)
        return text

    def _rewritten(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._rewritten(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._rewritten(each) for each in value]
        return value


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001 - it may raise anything
        return f"<{type(value).__name__} that can't be shown: {type(error).__name__}>"


@lru_cache(maxsize=2048)  # names are constant words in a program, but headers are a sender's
def looks_secret(name: str) -> bool:
    """Whether the name of a value says that it is secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not _WORDS.isdisjoint(words) or any(pair in _PAIRS for pair in pairwise(words))


def _forms(secret: str) -> Iterator[str]:
    """How a secret may look within other texts."""
    parts = [secret, *_of_url(secret)]
    if "\n" in secret:  # a key: an error may show one line of it
        parts += [line for line in map(str.strip, secret.splitlines()) if len(line) >= 16]
    for part in parts:
        for form in (
            part,
            part.strip(),
            repr(part)[1:-1],
            repr(part.encode("utf-8", "surrogatepass"))[2:-1],
            json.dumps(part)[1:-1],
            json.dumps(part, ensure_ascii=False)[1:-1],
            quote(part.encode("utf-8", "surrogatepass"), safe=""),
            quote_plus(part.encode("utf-8", "surrogatepass")),
        ):
            if len(form) >= SHORTEST:
                yield form


def _of_url(secret: str) -> Iterator[str]:
    """The password in it, if it is a URL, as it stands there and as it is sent."""
    try:
        password = urlsplit(secret).password if "://" in secret else None
    except ValueError:
        return
    if password:
        yield password
        yield unquote(password)


def known_secrets(settings: BaseModel) -> frozenset[str]:
    """Every secret in settings: what is declared so, and what a name in free data gives away."""
    return frozenset(_secrets(settings, is_secret=False))


def _secrets(value: object, *, is_secret: bool) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel | Mapping):
        for name, each in dict(value).items():
            yield from _secrets(each, is_secret=is_secret or looks_secret(str(name)))
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _secrets(each, is_secret=is_secret)
    elif is_secret and isinstance(value, str):
        yield value
