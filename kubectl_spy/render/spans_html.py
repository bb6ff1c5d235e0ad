"""Spans as one HTML page, which needs nothing but a browser.

What anyone in the cluster wrote is in it, and it is opened from a disk, where pages
can do more than elsewhere. So the page may run and load nothing but what is hashed in
its Content-Security-Policy, the spans are JSON in an element that is not run, and its
script only ever sets text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.core.times import rfc3339
from kubectl_spy.render.inert import inert

# The end of a script element must not be in it, nor what would begin a comment.
# https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def page(spans: Sequence[Span], *, title: str, generated: float) -> str:
    """Return *spans* as a page, ordered by cause; it was *generated* at that time.

    Those that are not over are drawn to the last moment that any of them tells of.
    """
    style, script = _part("page.css"), _part("page.js")
    contents = {
        "title": html.escape(inert(title)),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "spans": _embedded(_document(spans, generated)),
    }
    # In one pass: what is filled in is not looked at again.
    return re.sub(
        r"\{\{([a-z-]+)\}\}", lambda found: contents[found[1]], _part("page.html")
    )


def subject(spans: Sequence[Span]) -> str:
    """Return what *spans* are about: the objects that were changed, three by name."""
    changed = [span for span in spans if span.kind is SpanKind.CHANGE]
    names = dict.fromkeys(
        f"{span.name.partition('.')[0]} {_object(span)}".strip() for span in changed
    )
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(list(names)[:3]) + more


def by_cause(spans: Sequence[Span]) -> list[tuple[Span, int, int]]:
    """Return *spans* below what caused them: each, its parent's position, its depth.

    Without a parent among *spans* the position is -1. Siblings stand by their start.
    Spans that cause each other, which no honest exporter sends, stand at the top.
    """
    ids = {(span.trace_id, span.span_id) for span in spans}
    below: dict[tuple[str, str], list[Span]] = {}
    tops: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.span_id)):
        above = (span.trace_id, span.parent_id)
        if span.parent_id and above in ids:
            below.setdefault(above, []).append(span)
        else:
            tops.append(span)
    ordered: list[tuple[Span, int, int]] = []
    _descend(tops, below, ordered)
    while below:  # only what causes itself is left
        _descend([next(iter(below.values())).pop(0)], below, ordered)
        below = {above: rest for above, rest in below.items() if rest}
    return ordered


def _descend(
    tops: list[Span],
    below: dict[tuple[str, str], list[Span]],
    ordered: list[tuple[Span, int, int]],
) -> None:
    """Move *tops* and all *below* them to *ordered*."""
    waiting = [(span, -1, 0) for span in reversed(tops)]
    while waiting:
        span, parent, depth = waiting.pop()
        ordered.append((span, parent, depth))
        position = len(ordered) - 1
        under = below.pop((span.trace_id, span.span_id), [])
        waiting += [(child, position, depth + 1) for child in reversed(under)]


def _document(spans: Sequence[Span], generated: float) -> JSON:
    """Return what the script draws; times are microseconds since the first start."""
    base = min((_microseconds(span.start) for span in spans), default=0)
    last = max(
        (
            _microseconds(time)
            for span in spans
            for time in (span.start, span.end)
            if time is not None
        ),
        default=0,
    )
    services: dict[str, int] = {}
    rows: list[JSON] = []
    for span, parent, depth in by_cause(spans):
        start = _microseconds(span.start)
        length = -1 if span.end is None else max(0, _microseconds(span.end) - start)
        service = services.setdefault(inert(span.service), len(services))
        rows.append(
            [
                inert(span.span_id),
                inert(span.trace_id),
                parent,
                depth,
                span.kind.value,
                inert(span.name),
                _object(span),
                service,
                start - base,
                length,
                inert(span.error),
                [[inert(name), _value(value)] for name, value in span.attributes],
                [inert(link) for link in span.links],
            ]
        )
    return {
        "base": base,
        "length": last - base,
        "generated": rfc3339(generated),
        "services": list(services),
        "spans": rows,
    }


def _object(span: Span) -> str:
    """Return the name of the object that *span* is about: `Pod.create` tells none."""
    kind = span.name.partition(".")[0].lower()
    attributes = dict(span.attributes)
    # The conventions shorten one kind, and have no names for those they do not list.
    for name in (f"k8s.{kind}.name", "k8s.object.name", "k8s.hpa.name"):
        if isinstance(value := attributes.get(name), str):
            return inert(value)
    return ""


def _value(value: JSON) -> str:
    return inert(value if isinstance(value, str) else dumps(value).decode())


def _embedded(document: JSON) -> str:
    return dumps(document).decode().translate(_ESCAPES)


def _hash(text: str) -> str:
    """Return what allows *text* to run: https://www.w3.org/TR/CSP3/#source-lists"""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _part(name: str) -> str:
    part = resources.files("kubectl_spy.render") / "spans_page" / name
    return part.read_text(encoding="utf-8")


def _microseconds(time: float) -> int:
    return round(time * 1_000_000)
