"""Change records for programs: JSON Lines, YAML documents, RFC 6902 arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.render.document import yaml_lines
from kubectl_spy.render.inert import inert

if TYPE_CHECKING:
    from kubectl_spy.core.objects import Selection
    from kubectl_spy.core.spans.span import Span
    from kubectl_spy.core.trace.picture import Picture


class JsonRenderer:
    """One JSON object a record, a line each."""

    def render_record(self, record: ChangeRecord) -> str:
        """Return the record as a line of JSON that is harmless to terminals."""
        return inert(dumps(record.as_json()).decode()) + "\n"

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return nothing: the objects of a list are records of their own."""
        return ""


def picture_line(picture: Picture) -> str:
    """Return a state of a trace as a line of JSON that is harmless to terminals."""
    return inert(dumps(picture.as_json()).decode()) + "\n"


def span_line(span: Span) -> str:
    """Return a span as a line of JSON that is harmless to terminals."""
    return inert(dumps(span.as_json()).decode()) + "\n"


class YamlRenderer:
    """One YAML document a record."""

    def render_record(self, record: ChangeRecord) -> str:
        """Return the record as a YAML document, its `---` first."""
        return "---\n" + "\n".join(yaml_lines(record.as_json())) + "\n"

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return nothing: the objects of a list are records of their own."""
        return ""


class JsonPatchRenderer:
    """One RFC 6902 array a record: applied in order to null, they give the object."""

    def render_record(self, record: ChangeRecord) -> str:
        """Return the record as a line that holds one JSON Patch, or "" for none."""
        if record.of_stream:
            return ""
        if record.type is ChangeType.ADDED:
            patch = [{"op": "add", "path": "", "value": record.document}]
        elif record.type in (ChangeType.DELETED, ChangeType.LEFT):
            patch = [{"op": "replace", "path": "", "value": None}]
        else:
            patch = [step.as_json() for step in record.patch]
        return inert(dumps(patch).decode()) + "\n"

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return nothing: the object's ADDED says it all."""
        return ""
