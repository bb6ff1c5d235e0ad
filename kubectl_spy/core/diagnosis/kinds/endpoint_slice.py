"""EndpointSlice: the addresses that it lists, as a Service's proxies read them."""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.services.slices import (
    Endpoint,
    SeenSlice,
    read_slice,
    service_of,
)
from kubectl_spy.core.diagnosis.wording import listed, one_line

_SHOWN = 6
"""Addresses that are written out of each kind."""


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return what the slice lists."""
    slice_ = read_slice(entry)
    ready = [each for each in slice_.endpoints if each.ready]
    others = [each for each in slice_.endpoints if not each.ready]
    if not slice_.endpoints:
        # Controllers keep one slice of each family, be there anything to list or not.
        return Diagnosis("Empty", Verdict.OK, one_line(slice_.family))
    parts = [", ".join([slice_.family, *map(str, slice_.ports)])]
    if ready:
        parts.append(f"ready: {_addresses(ready)}")
    waiting = [each for each in others if not each.terminating]
    if waiting:
        parts.append(f"not ready: {_addresses(waiting)}")
    leaving = [each for each in others if each.terminating]
    if leaving:
        parts.append(f"terminating: {_addresses(leaving)}")
    phase = "Ready" if ready else "NotReady"
    verdict = Verdict.OK if ready else Verdict.WAITING
    if unused := _unused(entry, slice_, seen):
        phase, verdict = "Unused", Verdict.WAITING
        parts.append(unused)
    return Diagnosis(phase, verdict, "; ".join(map(one_line, parts)))


def _unused(entry: Entry, slice_: SeenSlice, seen: Inventory) -> str:
    """Return why its Service, if that was seen, sends no traffic here; or ""."""
    found = seen.named("", "Service", entry.namespace, service_of(entry))
    service = None if found is None else SeenService(found, seen)
    if service is None or service.headless or not service.ports:
        return ""
    if any(service.leads(each, slice_) for each in service.ports):
        return ""
    return f"no port of Service {service.name} leads here"


def _addresses(endpoints: list[Endpoint]) -> str:
    more = [f"{len(endpoints) - _SHOWN} more"] if len(endpoints) > _SHOWN else []
    return listed([*(each.address for each in endpoints[:_SHOWN]), *more])
