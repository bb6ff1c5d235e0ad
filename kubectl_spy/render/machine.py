"""Records, Events, spans and documents for programs: JSON, YAML, RFC 6902 arrays."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.headlines.headlines import NO_HEADLINE, Headline
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.render.inert import inert, unsafe

if TYPE_CHECKING:
    from kubectl_spy.core.changes.earlier import EarlierWrite
    from kubectl_spy.core.cluster.events import ClusterEvent
    from kubectl_spy.core.objects import Selection


class _Renderer:
    def render_earlier(self, write: EarlierWrite) -> str:
        """Return "": it is no version of an object."""
        return ""

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return "": the objects of a first list are records of their own."""
        return ""

    def render_rest(self) -> str:
        """Return "": every record was printed."""
        return ""


class JsonRenderer(_Renderer):
    """One JSON object a record, a line each."""

    def render_record(
        self, record: ChangeRecord, headline: Headline = NO_HEADLINE
    ) -> str:
        return json_line(record.as_json())

    def render_earlier(self, write: EarlierWrite) -> str:
        """Return the write as a line of JSON, as a recording has it."""
        return json_line(write.as_json())


class YamlRenderer(_Renderer):
    """One YAML document a record."""

    def render_record(
        self, record: ChangeRecord, headline: Headline = NO_HEADLINE
    ) -> str:
        return _yaml(record.as_json())

    def render_earlier(self, write: EarlierWrite) -> str:
        """Return the write as a YAML document, as a recording has it."""
        return _yaml(write.as_json())


class JsonPatchRenderer(_Renderer):
    """One RFC 6902 array a record: applied in order to null, they give the object."""

    def __init__(self) -> None:
        self._gone = False

    def render_record(
        self, record: ChangeRecord, headline: Headline = NO_HEADLINE
    ) -> str:
        """Return the record as a line with one JSON Patch; "" for a GAP of a stream."""
        if record.of_stream:
            return ""
        returned, self._gone = self._gone, record.gone
        if self._gone:
            patch = [{"op": "replace", "path": "", "value": None}]
        elif returned or record.type is ChangeType.ADDED:
            # An object may return to a selection, with a patch from before it left.
            patch = [{"op": "add", "path": "", "value": record.document}]
        else:
            patch = [step.as_json() for step in record.patch]
        return json_line(patch)


def _yaml(document: JSON) -> str:
    return "---\n" + "\n".join(yaml_lines(document)) + "\n"


def json_line(value: JSON) -> str:
    """Return *value* as a line of JSON that is harmless to terminals."""
    return inert(dumps(value).decode()) + "\n"


def event_type(event: ClusterEvent) -> str:
    """Return the type of an Event: any but Normal counts as a Warning."""
    return "Warning" if event.warning else "Normal"


def event_json(event: ClusterEvent) -> str:
    """Return an Event as a line of JSON, without members that are empty."""
    last = event.first if event.last is None else event.last
    about = {
        "kind": event.kind,
        "namespace": event.namespace,
        "name": event.name,
        "uid": event.about,
        "fieldPath": event.field,
    }
    line: dict[str, JSON] = {
        "time": None if last is None else rfc3339(last),
        "type": event_type(event),
        "reason": event.reason,
        "message": event.message,
        "count": event.times,
        "first": None if event.first is None else rfc3339(event.first),
        "component": event.component,
        "about": {name: value for name, value in about.items() if value},
        "uid": event.uid,
    }
    shown = {name: value for name, value in line.items() if value not in ("", None)}
    return json_line(shown)


def json_lines(document: JSON) -> list[str]:
    """Return *document* as lines of indented JSON; a very deep one as one line."""
    import json

    try:
        text = json.dumps(document, indent=2, ensure_ascii=False)
    except RecursionError:
        text = dumps(document).decode()
    return [inert(line) for line in text.split("\n")]


def yaml_lines(document: JSON) -> list[str]:
    """Return *document* as lines of YAML, its members in their order.

    A document that is too deep for the YAML library is written as JSON, which is YAML.
    """
    import yaml

    if isinstance(document, dict | list) and not document:
        return [dumps(document).decode()]
    try:
        text = _dump(document, _dumper(True), allow_unicode=True)
    except UnicodeEncodeError:  # a lone surrogate, which libyaml cannot write
        text = _dump(document, _dumper(False), allow_unicode=False)
    except (RecursionError, yaml.YAMLError):
        text = dumps(document).decode()
    lines = text.removesuffix("\n").split("\n")
    if lines[-1] == "...":  # the end mark of a scalar document
        lines.pop()
    return [inert(line) for line in lines]


def _dump(document: JSON, dumper: Any, *, allow_unicode: bool) -> str:
    import yaml

    text: str = yaml.dump(
        document,
        Dumper=dumper,
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=allow_unicode,
        width=1 << 30,
    )
    return text


@cache
def _dumper(fast: bool) -> Any:
    """Return a Dumper: libyaml's if *fast* and there is one, else Python's."""
    import yaml

    base = getattr(yaml, "CSafeDumper", yaml.SafeDumper) if fast else yaml.SafeDumper

    class Dumper(base):  # type: ignore[misc, valid-type]
        def ignore_aliases(self, data: object) -> bool:
            return True

    def string(dumper: Any, text: str) -> Any:
        style = None
        if unsafe(text):
            style = '"'  # the only style with escapes
        elif "\n" in text:
            style = "|"
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, string)
    return Dumper
