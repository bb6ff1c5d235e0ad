"""EndpointSlice: the addresses that it lists, as a Service's proxies read them."""

from __future__ import annotations

from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.picture import Diagnosis, Verdict
from kubectl_spy.core.trace.services.slices import Endpoint, read_slice
from kubectl_spy.core.trace.wording import listed, one_line

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
    parts = [", ".join([slice_.family, *slice_.ports])]
    if ready:
        parts.append(f"ready: {_addresses(ready)}")
    waiting = [each for each in others if not each.terminating]
    if waiting:
        parts.append(f"not ready: {_addresses(waiting)}")
    leaving = [each for each in others if each.terminating]
    if leaving:
        parts.append(f"terminating: {_addresses(leaving)}")
    return Diagnosis(
        phase="Ready" if ready else "NotReady",
        verdict=Verdict.OK if ready else Verdict.WAITING,
        summary="; ".join(map(one_line, parts)),
    )


def _addresses(endpoints: list[Endpoint]) -> str:
    more = [f"{len(endpoints) - _SHOWN} more"] if len(endpoints) > _SHOWN else []
    return listed([*(each.address for each in endpoints[:_SHOWN]), *more])
