"""Any kind: the conditions that it shows, and all that it owns."""

from __future__ import annotations

from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.picture import Diagnosis, Verdict


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how the object is by the rules that all kinds share."""
    return Diagnosis(phase="Present", verdict=Verdict.UNKNOWN)
