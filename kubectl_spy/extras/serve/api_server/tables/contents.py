"""The cells of Events, of volumes, and of what holds data."""

from __future__ import annotations

from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables.cells import Object, is_deleted

_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_DEFAULTS = ("storageclass", "storageclass.beta")


def event_object(event: Object, now: float) -> JSON:
    about = mapping(event, "involvedObject") or mapping(event, "regarding")
    kind, name = text(about, "kind").lower(), text(about, "name")
    return f"{kind}/{name}" if name else kind


def event_source(event: Object, now: float) -> JSON:
    source = mapping(event, "source") or mapping(event, "deprecatedSource")
    reporter = text(event, "reportingComponent") or text(event, "reportingController")
    component = text(source, "component") or reporter
    host = text(source, "host") or text(event, "reportingInstance")
    return f"{component}, {host}" if host else component


def event_message(event: Object, now: float) -> JSON:
    return (text(event, "message") or text(event, "note")).strip()


def volume_phase(volume: Object, now: float) -> JSON:
    return "Terminating" if is_deleted(volume) else text(volume, "status", "phase")


def volume_modes(volume: Object, now: float) -> JSON:
    return _modes(mapping(volume, "spec").get("accessModes"))


def claim_modes(item: Object, now: float) -> JSON:
    bound = text(item, "spec", "volumeName")
    return _modes(mapping(item, "status").get("accessModes")) if bound else ""


def claim_capacity(item: Object, now: float) -> JSON:
    bound = text(item, "spec", "volumeName")
    return (text(item, "status", "capacity", "storage") or "0") if bound else ""


def _modes(modes: JSON) -> str:
    given = modes if isinstance(modes, list) else []
    return ",".join(short for mode, short in _MODES.items() if mode in given)


def is_default(item: Object, now: float) -> JSON:
    """Return the name of a class, and whether it is the default one."""
    notes = mapping(item, "metadata", "annotations")
    named = (f"{kind}.kubernetes.io/is-default-class" for kind in _DEFAULTS)
    mark = " (default)" if any(notes.get(each) == "true" for each in named) else ""
    return text(item, "metadata", "name") + mark
