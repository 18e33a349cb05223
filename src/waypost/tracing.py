"""Spans of OpenTelemetry, made by hand. While spans are off, `TRACER` is None and nothing is imported.

    with span("waypost.decision", action="payment") as made:
        made.note(allowed=False)

An attribute is recorded only if `_ATTRIBUTES` has the name and the value fits the form there: no address, path, query,
host, key or text of a caller, a page or an exception stands in any span. Automatic instrumentation records query
strings and exceptions, so there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, Literal, Self

from waypost.errors import WaypostError, install_command

TRACER: Any = None
"""Tracer of OpenTelemetry; None while spans are off."""
_SAMPLED: ContextVar[bool] = ContextVar("waypost.sampled", default=True)
"""Whether the current request is sampled. True outside of requests, where each span asks the sampler."""
_REQUEST = "waypost.request"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_ATTRIBUTES: dict[str, tuple[str, re.Pattern[str] | type]] = {
    "method": ("http.request.method", re.compile(r"[A-Z]{3,7}|other")),
    "route": ("http.route", re.compile(r"\(site\)|(?:/[a-z0-9_.{}-]*)+")),
    "status": ("http.response.status_code", int),
    "request_id": ("waypost.request_id", _ID),
    "problem": ("waypost.problem", re.compile(r"[a-z][a-z0-9-]{0,63}")),
    "decision_id": ("waypost.decision_id", _ID),
    "action": ("waypost.action", _WORD),
    "allowed": ("waypost.action_allowed", bool),
    "relationship": ("waypost.relationship_status", _WORD),
    "risk": ("waypost.risk_status", _WORD),
    "confidence": ("waypost.confidence_class", _WORD),
    "outcome": ("waypost.outcome", _WORD),
    "work": ("waypost.work", _WORD),
    "error": ("error.type", _WORD),
}
"""Argument of `span` and `note` -> name of the attribute, form of its value."""
_PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")


class TracingUnavailable(WaypostError):
    """Spans are on and the extra `otel` is not installed."""

    code = "tracing-unavailable"


class _Nothing:
    """Span while spans are off."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __bool__(self) -> Literal[False]:
        return False

    def note(self, **_: Any) -> None:
        """Record nothing."""


_NOTHING = _Nothing()


class Span:
    """Current span while entered. Of an exception the name of the class is recorded."""

    def __init__(self, name: str, context: Any = None, **values: Any) -> None:
        self._span = TRACER.start_span(name, context=context, record_exception=False, set_status_on_exception=False)
        self._values = values

    def __enter__(self) -> Self:
        from opentelemetry import context, trace

        self._token = context.attach(trace.set_span_in_context(self._span))
        self.note(**self._values)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, at: object) -> None:
        from opentelemetry import context

        # The class alone: the text of an exception may repeat what was requested.
        if kind is not None:
            self.note(error=kind.__name__)
        context.detach(self._token)
        self._span.end()

    def note(self, **values: Any) -> None:
        """Record attributes listed in `_ATTRIBUTES`."""
        note(self._span, **values)

    @property
    def traceparent(self) -> str:
        """Header with the span as the parent (W3C Trace Context)."""
        context = self._span.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"


def span(name: str, **values: Any) -> Span | _Nothing:
    """Span with attributes; nothing while spans are off, and in a request that is not sampled."""
    if TRACER is None or not _SAMPLED.get():
        return _NOTHING
    return Span(name, **values)


def note(target: Any, **values: Any) -> None:
    """Record attributes in a span of OpenTelemetry."""
    for key, value in values.items():
        name, form = _ATTRIBUTES[key]
        if isinstance(form, type):
            admitted = type(value) is form
        else:
            admitted = isinstance(value, str) and form.fullmatch(value) is not None
        if admitted:
            target.set_attribute(name, value)


def note_current(**values: Any) -> None:
    """Record attributes in the current span, if spans are on and the request is sampled."""
    if TRACER is not None and _SAMPLED.get():
        from opentelemetry import trace

        note(trace.get_current_span(), **values)


class Traced:
    """ASGI application in a span for each request, a child of the span in `traceparent`, sampled like the parent.

    The header of a sampled request is replaced by the request's span; the log then has the id of the same trace.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self.state = app.state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parent, trace_id = _parent(scope["headers"])
        # The sampler is queried before the SDK is, which would make a span even so, and another for each part of the
        # request: with 1 % sampled the other 99 requests would cost more than the one.
        if not TRACER.sampler.should_sample(parent, trace_id, _REQUEST).decision.is_recording():
            token = _SAMPLED.set(False)
            try:
                await self._app(scope, receive, send)
            finally:
                _SAMPLED.reset(token)
            return
        TRACER.id_generator.next_trace_id.set(trace_id)
        with Span(_REQUEST, parent) as made:
            headers = [(name, value) for name, value in scope["headers"] if name != b"traceparent"]
            scope["headers"] = [*headers, (b"traceparent", made.traceparent.encode())]
            await self._app(scope, receive, send)


def _parent(headers: Iterable[tuple[bytes, bytes]]) -> tuple[Any, int]:
    """(context of the caller's span, id of the trace); without a single well-formed `traceparent` a new trace."""
    given = [value for name, value in headers if name == b"traceparent"]
    found = _PARENT.fullmatch(given[0].decode("latin-1")) if len(given) == 1 else None
    if found is None or not int(found[1], 16) or not int(found[2], 16):
        import random

        return TRACER.id_generator.no_context, random.getrandbits(128) or 1
    from opentelemetry import context, trace

    trace_id, flags = int(found[1], 16), trace.TraceFlags(int(found[3], 16) & 1)
    remote = trace.SpanContext(trace_id, int(found[2], 16), is_remote=True, trace_flags=flags)
    return trace.set_span_in_context(trace.NonRecordingSpan(remote), context.Context()), trace_id


def _id_generator() -> Any:
    """Generator of the SDK's ids that takes the trace's id from `next_trace_id`, by which the sampler has decided."""
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class Generator(RandomIdGenerator):
        next_trace_id: ContextVar[int] = ContextVar("waypost.next_trace_id", default=0)
        no_context = Context()

        def generate_trace_id(self) -> int:
            chosen = self.next_trace_id.get()
            self.next_trace_id.set(0)
            return chosen or int(super().generate_trace_id())

    return Generator()


def switch_on(exporter: Any = None) -> Any:
    """Provider of spans, exported in the background; by OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT by default.

    OTEL_TRACES_SAMPLER decides about sampling: all by default, and always as the parent. Raises TracingUnavailable.
    """
    global TRACER  # noqa: PLW0603 - one switch for the process
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
    except ImportError:
        raise TracingUnavailable(f"otel needs the extra otel: {install_command('otel')}") from None
    provider = TracerProvider(resource=Resource({"service.name": "waypost"}), id_generator=_id_generator())
    provider.add_span_processor(BatchSpanProcessor(exporter))
    TRACER = provider.get_tracer("waypost")
    return provider


def switch_off() -> None:
    """Make no further spans."""
    global TRACER  # noqa: PLW0603
    TRACER = None
