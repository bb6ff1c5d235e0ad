"""Ids that follow from what a span is about, and links to traces elsewhere."""

from __future__ import annotations

import hashlib
import re

from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON

_TRACE_DIGITS = 32
_SPAN_DIGITS = 16
_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)


def trace_id(uid: str, change: str) -> str:
    """Return the id of the trace of a *change* of the object whose uid that is.

    *change* is the generation of the object, where it has one: whoever watches the same
    change gets the same trace.

    >>> trace_id("b8c1", "2")
    'cdd5915689a70ff7a44f4315000d8962'
    """
    return _digest(_TRACE_DIGITS, "trace", uid, change)


def root_id(uid: str, change: str) -> str:
    """Return the id of the span at the top of that trace."""
    return _digest(_SPAN_DIGITS, "change", uid, change)


def object_id(root: str, uid: str) -> str:
    """Return the id of the span of an object, under the *root* with that id."""
    return _digest(_SPAN_DIGITS, "object", root, uid)


def phase_id(uid: str, name: str, start: str) -> str:
    """Return the id of the span of a phase of an object."""
    return _digest(_SPAN_DIGITS, "phase", uid, name, start)


def event_id(uid: str) -> str:
    """Return the id of the span of an Event, *uid* being its own."""
    return _digest(_SPAN_DIGITS, "event", uid)


def links(document: JSON) -> tuple[str, ...]:
    """Return the trace that an object says it is a part of, if it says so validly.

    The annotation is that of KEP-5915; its value is a W3C traceparent, which begins
    with its version: what a later one appends is not known here.
    https://www.w3.org/TR/trace-context/#traceparent-header

    >>> links({"metadata": {"annotations": {"tracing.k8s.io/traceparent": "00-1"}}})
    ()
    """
    parent = text(document, "metadata", "annotations", "tracing.k8s.io/traceparent")
    return (parent,) if _TRACEPARENT.fullmatch(parent) else ()


def _digest(digits: int, *parts: str) -> str:
    # The length stands before each part: no two lists of parts read alike.
    told = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
