"""How much of a value an expression looks at.

Handing a value over to CEL costs microseconds for every field and element, so only what is
looked at is handed over: of `issue.title != ""` the title, of an issue with sixty fields.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Need:
    """The parts of one value that are looked at.  With nothing set: whether it is null, its size.

    Filled while an expression is checked, never changed after that.
    """

    fields: dict[str, "Need"] = field(default_factory=dict)
    elements: "Need | None" = None  # of each element of a list
    class_names: set[str] = field(default_factory=set)  # asked for by `is(x, "Name")`
    whole: bool = (
        False  # all of it: it is compared, indexed by a computed key, handed to a function
    )

    def of_field(self, name: str) -> "Need":
        """The need for one field."""
        return self.fields.setdefault(name, Need())

    def of_elements(self) -> "Need":
        """The need for each element."""
        if self.elements is None:
            self.elements = Need()
        return self.elements
