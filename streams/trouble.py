"""What aiokafka raises, as what the rest of Reactor understands."""

from collections.abc import Iterator
from contextlib import contextmanager

from aiokafka.errors import KafkaError

from reactor.errors import InfrastructureError


@contextmanager
def as_infrastructure(doing: str) -> Iterator[None]:
    """Raise `InfrastructureError` for whatever says that the broker is away, slow or unwilling."""
    try:
        yield
    except (KafkaError, OSError, TimeoutError) as error:
        raise InfrastructureError("kafka", f"{doing}: {error or type(error).__name__}") from error
