"""Which function diagnoses which kind. A new kind is one file, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.kinds import endpoint_slice, generic, ingress, service
from kubectl_spy.core.trace.picture import Diagnosis

Diagnose = Callable[[Entry, Inventory], Diagnosis]
"""Says what there is to say of an object, from it and from what else was seen.

It raises nothing, whatever the object holds, and reads no clock: "now" is
`Inventory.time`.
"""

_KINDS: dict[tuple[str, str], Diagnose] = {
    ("", "Service"): service.diagnose,
    ("discovery.k8s.io", "EndpointSlice"): endpoint_slice.diagnose,
    ("networking.k8s.io", "Ingress"): ingress.diagnose,
}
"""By group and kind, as in ("apps", "Deployment")."""


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return what its kind says of the object; of others, what all kinds share."""
    known = _KINDS.get((entry.gvk.group, entry.gvk.kind), generic.diagnose)
    return known(entry, seen)
