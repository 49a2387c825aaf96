"""Spans for OpenTelemetry, sent to a collector: OTLP over HTTP, in batches, from a thread.

Needs the extra `otel`.  Headers for the collector, and whatever else its exporter can be told,
come from OpenTelemetry's own names in the environment (OTEL_EXPORTER_OTLP_HEADERS, ...).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from reactor.tracing import Noted

_SEND_WITHIN_S = 2  # a collector that is away must not hold up the end of a process
_HEADER = "traceparent"


class OtelTracer:
    """Fits the port `Tracer`; close it, or its last spans are lost."""

    def __init__(self, endpoint: str, *, service: str, instance: str) -> None:
        """`endpoint`: of the collector, as "http://127.0.0.1:4318"."""
        exporter = OTLPSpanExporter(
            endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=_SEND_WITHIN_S
        )
        resource = Resource.create({"service.name": service, "service.instance.id": instance})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("reactor")
        self._contexts = TraceContextTextMapPropagator()

    @contextmanager
    def span(self, name: str, parent: str, noted: Mapping[str, Noted]) -> Iterator["OtelSpan"]:
        """A span for as long as the block lasts."""
        context = self._contexts.extract({_HEADER: parent}) if parent else None
        with self._tracer.start_as_current_span(
            name,
            context=context,
            attributes=noted,
            record_exception=False,  # its text may hold anything
            set_status_on_exception=False,
        ) as begun:
            try:
                yield OtelSpan(begun, self._contexts)
            except BaseException as error:
                begun.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
                raise

    def close(self) -> None:
        """Send what is left; takes some seconds where the collector is away."""
        self._provider.shutdown()


class OtelSpan:
    """Fits `Span`."""

    def __init__(self, span: trace.Span, contexts: TraceContextTextMapPropagator) -> None:
        self._span, self._contexts = span, contexts

    @property
    def traceparent(self) -> str:
        """Of this very span."""
        carrier: dict[str, str] = {}
        self._contexts.inject(carrier, trace.set_span_in_context(self._span))
        return carrier.get(_HEADER, "")

    def note(self, **noted: Noted) -> None:
        """Add attributes."""
        self._span.set_attributes(noted)
