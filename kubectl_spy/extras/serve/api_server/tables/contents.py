"""The cells of Events, of volumes, and of what holds data."""

from __future__ import annotations

from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables.cells import (
    UNKNOWN,
    human_duration,
)

Object = dict[str, JSON]

_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_DEFAULTS = ("storageclass", "storageclass.beta")
_CLASS = "volume.beta.kubernetes.io/storage-class"


def last_seen(event: Object, now: float) -> JSON:
    if "series" in event:
        return _age(event, now, ("series", "lastObservedTime"))
    return _age(event, now, ("lastTimestamp",), ("firstTimestamp",), ("eventTime",))


def first_seen(event: Object, now: float) -> JSON:
    return _age(event, now, ("firstTimestamp",), ("eventTime",))


def _age(event: Object, now: float, *paths: tuple[str, ...]) -> str:
    for path in paths:
        if (since := moment(event, *path)) is not None:
            return human_duration(now - since)
    return UNKNOWN


def event_count(event: Object, now: float) -> JSON:
    if "series" in event:
        return number(event, "series", "count")
    return number(event, "count") or 1


def event_object(event: Object, now: float) -> JSON:
    about = mapping(event, "involvedObject") or mapping(event, "regarding")
    kind, name = text(about, "kind").lower(), text(about, "name")
    return f"{kind}/{name}" if name else kind


def event_subobject(event: Object, now: float) -> JSON:
    about = mapping(event, "involvedObject") or mapping(event, "regarding")
    return text(about, "fieldPath")


def event_source(event: Object, now: float) -> JSON:
    source = mapping(event, "source") or mapping(event, "deprecatedSource")
    reporter = text(event, "reportingComponent") or text(event, "reportingController")
    component = text(source, "component") or reporter
    host = text(source, "host") or text(event, "reportingInstance")
    return f"{component}, {host}" if host else component


def event_message(event: Object, now: float) -> JSON:
    return (text(event, "message") or text(event, "note")).strip()


def data(config_map: Object, now: float) -> JSON:
    held = (mapping(config_map, name) for name in ("data", "binaryData"))
    return sum(map(len, held))


def claim(volume: Object, now: float) -> JSON:
    reference = mapping(volume, "spec", "claimRef")
    named = f"{text(reference, 'namespace')}/{text(reference, 'name')}"
    return named if reference else ""


def volume_phase(volume: Object, now: float) -> JSON:
    return "Terminating" if _is_deleted(volume) else text(volume, "status", "phase")


def volume_modes(volume: Object, now: float) -> JSON:
    return _modes(mapping(volume, "spec").get("accessModes"))


def claim_modes(item: Object, now: float) -> JSON:
    bound = text(item, "spec", "volumeName")
    return _modes(mapping(item, "status").get("accessModes")) if bound else ""


def claim_capacity(item: Object, now: float) -> JSON:
    bound = text(item, "spec", "volumeName")
    return (text(item, "status", "capacity", "storage") or "0") if bound else ""


def storage_class(item: Object, now: float) -> JSON:
    annotated = mapping(item, "metadata", "annotations").get(_CLASS)
    return annotated or text(item, "spec", "storageClassName")


def _modes(modes: JSON) -> str:
    given = modes if isinstance(modes, list) else []
    return ",".join(short for mode, short in _MODES.items() if mode in given)


def role(binding: Object, now: float) -> JSON:
    reference = mapping(binding, "roleRef")
    return f"{text(reference, 'kind')}/{text(reference, 'name')}"


def is_default(item: Object, now: float) -> JSON:
    """Return the name of a class, and whether it is the default one."""
    notes = mapping(item, "metadata", "annotations")
    named = (f"{kind}.kubernetes.io/is-default-class" for kind in _DEFAULTS)
    mark = " (default)" if any(notes.get(each) == "true" for each in named) else ""
    return text(item, "metadata", "name") + mark


def _is_deleted(item: Object) -> bool:
    return bool(text(item, "metadata", "deletionTimestamp"))
