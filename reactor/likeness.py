"""How alike two texts are, by the words that they share and few others have.

Terms are weighted by how often they stand in a text and how rare they are among all that are
compared (tf-idf), and two texts are compared by the cosine of their terms; see Manning, Raghavan
and Schuetze, "Introduction to Information Retrieval", chapter 6.  Pure.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

MOST_TERMS = 60  # of a text that are kept, the heaviest
_LONGEST = 8_000  # characters of a text that are read
_IN_TITLE = 3  # so much more a word counts that stands in the title

_WORD = re.compile(r"[^\W_]{2,40}")
_CODE = re.compile(r"```.*?(?:```|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")  # kana, Han, Hangul

_COMMON = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "but",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "get",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "like",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "one",
        "or",
        "our",
        "out",
        "please",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "up",
        "use",
        "used",
        "using",
        "was",
        "we",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def terms_of(title: str, text: str) -> dict[str, int]:
    """The terms of a text with their weights, the heaviest `MOST_TERMS`; code does not count."""
    counted: Counter[str] = Counter()
    for part, weight in ((title, _IN_TITLE), (_CODE.sub(" ", text[:_LONGEST]), 1)):
        for term in _terms(part):
            counted[term] += weight
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:MOST_TERMS])


def likeness(terms: Mapping[str, int], others: Sequence[Mapping[str, int]]) -> list[float]:
    """How alike each of the others is, from 0 (no term is shared) to 1 (the same terms)."""
    known = Counter(term for each in (terms, *others) for term in each)
    rarity = {term: 1 + math.log((len(others) + 1) / there) for term, there in known.items()}
    here = _weighted(terms, rarity)
    size = _size(here)
    found: list[float] = []
    for each in others:
        there = _weighted(each, rarity)
        shared = sum(weight * there[term] for term, weight in here.items() if term in there)
        both = size * _size(there)
        found.append(min(shared / both, 1.0) if both else 0.0)
    return found


def _terms(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = []
    for word in _WORD.findall(plain):
        if _NO_SPACES.fullmatch(word):  # words are not set apart there: pairs of signs
            words += [word[at : at + 2] for at in range(len(word) - 1)]
        elif word not in _COMMON and not word.isdigit():
            words.append(word)
    return words


def _weighted(terms: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    return {term: (1 + math.log(count)) * rarity[term] for term, count in terms.items()}


def _size(weights: Mapping[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights.values()))
