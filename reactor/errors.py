"""The one family of errors: each class is one thing that a caller can do something about.

Data is in `args` (errors pickle, and tests read them); the sentence in `__str__` says what is
wrong, where, and what to do now.  Subsystems add their own classes beside the code that raises
them; every one of them is a `ReactorError`.
"""


class ReactorError(Exception):
    """Base of every error that Reactor raises on purpose."""


class InfrastructureError(ReactorError):
    """A server we need (broker, Redis) is away or slow: wait and try again, lose nothing.

    Never the fault of a delivery: what raises this is retried in place and never dead-lettered.
    """

    def __init__(self, server: str, detail: str) -> None:
        super().__init__(server, detail)
        self.server, self.detail = server, detail

    def __str__(self) -> str:
        return f"{self.server} did not answer ({self.detail}); it is tried again"
