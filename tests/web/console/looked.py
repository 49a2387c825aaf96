"""A page as a browser would take it: its elements with their attributes, and its text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "img"}
_WORDS = {"a", "bdi", "code", "span", "time"}  # what stands within a line


@dataclass
class Element:
    """One element; `text` is all text within it, without what is around it."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]  # tags around it, outermost first
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())


class _Looker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        inside = tuple(each.tag for each in self._open)
        element = Element(tag, attributes, inside)
        self._break(tag)
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag not in _WORDS:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.pieces.append(data)


@dataclass(frozen=True)
class Looked:
    """A page that was parsed; badly nested ones fail."""

    elements: list[Element]

    @classmethod
    def at(cls, html: str) -> "Looked":
        looker = _Looker()
        looker.feed(html)
        looker.close()
        return cls(looker.elements)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [
            each
            for each in self.elements
            if each.tag == tag and wanted.items() <= each.attributes.items()
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def text(self) -> str:
        return self.one("body").text

    @property
    def rows(self) -> list[str]:
        """The text of each row of a table."""
        return [row.text for row in self.all("tr")]
