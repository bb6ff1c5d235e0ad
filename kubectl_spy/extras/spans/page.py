"""Spans as one HTML page, which needs nothing but a browser.

The spans are JSON in an element that is not run, and the script only sets text.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import in_brief
from kubectl_spy.extras.report.html_page import escaped, filled, page_of
from kubectl_spy.render.findings import error_text
from kubectl_spy.render.inert import inert
from kubectl_spy.render.span_rows import by_cause, object_name

# A script element must not hold its own end, or the beginning of a comment.
# https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def page(
    spans: Sequence[Span], *, title: str, generated: float, until: float = 0.0
) -> str:
    """Return *spans* as a page, ordered by cause; *generated* is its own time.

    Unfinished spans go on *until* a time.
    """
    held = dumps(_document(spans, generated, until)).decode().translate(_ESCAPES)
    body = filled("spans.html", title=escaped(title), spans=held)
    return page_of("spans", title=title, body=body)


def subject(spans: Sequence[Span]) -> str:
    """Return which objects were changed: the first three, and how many more."""
    changed = [span for span in spans if span.kind is SpanKind.CHANGE]
    names = dict.fromkeys(
        f"{span.name.partition('.')[0]} {inert(object_name(span))}".strip()
        for span in changed
    )
    return in_brief(list(names))


def _document(spans: Sequence[Span], generated: float, until: float) -> JSON:
    """Return the data of the script; times are microseconds since the first start."""
    base = min((_microseconds(span.start) for span in spans), default=0)
    last = max(
        (
            _microseconds(time)
            for span in spans
            for time in (span.start, until if span.end is None else span.end)
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
                inert(object_name(span)),
                service,
                start - base,
                length,
                inert(error_text(span.error)),
                [[inert(name), _value(value)] for name, value in span.all_attributes],
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


def _value(value: JSON) -> str:
    return inert(value if isinstance(value, str) else dumps(value).decode())


def _microseconds(time: float) -> int:
    return round(time * 1_000_000)
