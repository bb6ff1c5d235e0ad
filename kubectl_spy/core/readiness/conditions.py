"""The readiness of an object, and the conditions in its status.

https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.fields import generation, mapping, mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, Remedy
from kubectl_spy.core.wording import both_ends


class State(Enum):
    """The states of kstatus.

    https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
    """

    CURRENT = "current"  # it is what its spec asks for
    IN_PROGRESS = "in progress"
    FAILED = "failed"
    TERMINATING = "terminating"
    UNKNOWN = "unknown"  # its status has no known condition


class Readiness(NamedTuple):
    """A state, and why, in one short line.

    *final* says that nothing more will happen by itself. Without *judged* no rule says
    what the status of the object means, or whether it has one. The rest comes from an
    entry of `knowledge`.
    """

    state: State
    message: str
    final: bool = False
    judged: bool = True
    about: str = ""  # the part of the object that says it: `condition/Ready`
    remedy: Remedy = NO_REMEDY
    warns: bool = False  # whether somebody should look at it, although it is ready
    paused: bool = False
    grace: float | None = None  # seconds after which it is a failure, while it lasts
    condition: StatusCondition | None = None  # the one that *message* repeats


def current(message: str | StatusCondition, *, final: bool = False) -> Readiness:
    return _stated(State.CURRENT, message, final)


def in_progress(message: str | StatusCondition) -> Readiness:
    return _stated(State.IN_PROGRESS, message)


def failed(message: str | StatusCondition, *, final: bool = False) -> Readiness:
    return _stated(State.FAILED, message, final)


def _stated(
    state: State, said: str | StatusCondition, final: bool = False
) -> Readiness:
    condition = said if isinstance(said, StatusCondition) else None
    return Readiness(state, str(said), final, condition=condition)


def there(message: str) -> Readiness:
    """Return that an object exists, and that this is all that is known of it."""
    return Readiness(State.CURRENT, message, judged=False)


UNOBSERVED = -1  # the observedGeneration of an object without one
_LINE = 200  # the most characters of a line


class StatusCondition(NamedTuple):
    """An element of `status.conditions`."""

    type: str
    status: str
    reason: str
    message: str
    observed_generation: int = UNOBSERVED
    severity: str = ""
    since: str = ""  # its lastTransitionTime
    of: str = ""  # the part of the object that it is about: `listener https`

    @property
    def about(self) -> str:
        """The part of the object that a finding names: `condition/Ready`."""
        return (
            f"condition/{self.of}/{self.type}" if self.of else f"condition/{self.type}"
        )

    @property
    def true(self) -> bool:
        return self.status == "True"

    @property
    def said(self) -> str:
        """Its reason and its message, if any."""
        return self._said(_LINE)

    @property
    def explanation(self) -> str:
        """Its message, or else its reason, or else that it is true."""
        return both_ends(self.message or self.reason or str(self))

    @property
    def explained(self) -> str:
        """Its message in one line, twice as long as in its text."""
        return both_ends(self.message, 2 * _LINE)

    def __str__(self) -> str:
        return self._written(_LINE)

    def _written(self, width: int) -> str:
        of = f"{self.of}: " if self.of else ""
        state = both_ends(f"{of}{self.type} is {self.status or 'without a status'}")
        said = self._said(width)
        return f"{state} ({said})" if said else state

    def _said(self, width: int) -> str:
        return both_ends(": ".join(filter(None, (self.reason, self.message))), width)


def status_conditions(obj: JSON) -> Iterator[StatusCondition]:
    """Yield the conditions in the status of *obj* that have a type."""
    return conditions_of(mapping(obj, "status"), "")


_PARTS = {"parents": "parentRef", "listeners": "", "ancestors": "ancestorRef"}
"""Lists in a status whose elements have conditions, and where each has its name.

https://gateway-api.sigs.k8s.io/reference/spec/
"""
_NAME = 60  # the most characters of the name of a part


def conditions_of_parts(obj: JSON) -> Iterator[StatusCondition]:
    """Yield the conditions of the parts of *obj*, one level deeper in its status."""
    for parts, reference in _PARTS.items():
        for place, each in enumerate(mappings(obj, "status", parts)):
            named = mapping(each, reference) if reference else each
            name = text(named, "sectionName") or text(named, "name") or str(place)
            yield from conditions_of(each, both_ends(f"{parts[:-1]} {name}", _NAME))


def conditions_of(holder: JSON, of: str) -> Iterator[StatusCondition]:
    """Yield the conditions in a status or a part of it; *of* is the part's name."""
    for each in mappings(holder, "conditions"):
        status = text(each, "status")
        # In a list of earlier phases, as OLM keeps it, they have no status.
        if kind := text(each, "type") or (status and text(each, "phase")):
            yield StatusCondition(
                kind,
                status,
                text(each, "reason"),
                text(each, "message"),
                generation(each, "observedGeneration", default=UNOBSERVED),
                text(each, "severity"),
                text(each, "lastTransitionTime"),
                of,
            )


def believable(obj: JSON, condition: StatusCondition) -> bool:
    """Return whether *condition* is about the current spec of *obj*, as in kubectl.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/kubectl/pkg/cmd/wait/condition.go
    """
    observed = condition.observed_generation
    if observed == UNOBSERVED:
        observed = generation(obj, "status", "observedGeneration", default=UNOBSERVED)
    wanted = generation(obj, "metadata", "generation")
    return observed == UNOBSERVED or observed >= wanted


def believed(obj: JSON) -> dict[str, StatusCondition]:
    """Return the conditions about the current spec, by type."""
    found: dict[str, StatusCondition] = {}
    for each in status_conditions(obj):
        if believable(obj, each):
            found.setdefault(each.type, each)
    return found


def is_true(conditions: dict[str, StatusCondition], kind: str) -> bool:
    return kind in conditions and conditions[kind].true


def in_words(conditions: dict[str, StatusCondition], kind: str) -> str:
    """Return the text of the condition *kind*, or that it is not set yet."""
    return str(conditions[kind]) if kind in conditions else f"it is not {kind} yet"
