"""Three-valued truth: of conditions, of expressions, of whatever may not be known."""

from enum import Enum


class Truth(Enum):
    """The value of a condition.  UNKNOWN satisfies neither TRUE nor FALSE."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    __hash__ = object.__hash__  # members are singletons; Enum's own runs in Python, and this is hot

    @classmethod
    def of(cls, value: bool | None, /) -> "Truth":  # noqa: FBT001 - it is the value
        """`True`, `False`, or `None` for unknown."""
        return cls.UNKNOWN if value is None else cls.TRUE if value else cls.FALSE
