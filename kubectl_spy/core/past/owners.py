"""What an object itself tells of its past: who owns its fields, and what was applied.

https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import CONTROLLERS, Owner, owners_of
from kubectl_spy.core.changes.masking import HELM_RELEASE
from kubectl_spy.core.fields import mappings, moment, text
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation

MANAGED_FIELDS = "managedFields"
LAST_APPLIED = "last-applied"
_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
_APPLIES = "kubectl-client-side-apply"
_OTHERS = frozenset({"apiVersion", "kind", "metadata", "status"})
_MOST = 20  # fields of a manager that are named
_DEEPEST = 3  # members below which a field is named by what holds it


def of_managers(subject: Subject) -> Iterator[EarlierWrite]:
    """Yield when each manager but the controllers last wrote, and what it owns.

    What that write changed is not known. Nobody tells of removals, of /scale, and of
    managers whose fields others own now.
    """
    if text(subject.document, "type") == HELM_RELEASE:
        return  # Helm writes all of it, and only once
    for owner in owners_of(subject.document):
        time = owner.time
        if time is None or owner.subresource or owner.manager in CONTROLLERS:
            continue
        fields = tuple(_fields(owner.fields))
        if fields:
            yield subject.write(
                *(time, time, MANAGED_FIELDS, f"{MANAGED_FIELDS} of {owner.manager}"),
                managers=(owner.manager,),
                fields=fields,
                approximate=True,
            )


def of_last_applied(subject: Subject) -> Iterator[EarlierWrite]:
    """Yield what differs from the last `kubectl apply`, by who owns it since.

    The value before is true. It was changed after the apply, and not after the owner
    wrote last; that may have been several writes.
    """
    if not subject.settled:
        return
    document = subject.document
    kept = text(document, "metadata", "annotations", _ANNOTATION)
    try:
        applied = loads(kept.encode()) if kept else None
    except (UnreadableJSON, UnicodeEncodeError):
        return
    owners = owners_of(document)
    began = max(
        (it.time for it in owners if it.manager == _APPLIES and it.time is not None),
        default=None,
    )
    if began is None or not isinstance(applied, dict):
        return
    others = [each for each in owners if each.manager != _APPLIES]
    for tokens, before, now in _differing(_of_people(applied), _of_people(document)):
        owning = [each for each in others if each.owns(document, tokens)]
        if len(owning) != 1:
            continue
        (owner,) = owning
        until = subject.observed if owner.time is None else owner.time
        if until < began or owner.subresource == "status":
            continue
        step = PatchOperation("replace", pointer.join(tokens), now, before)
        yield subject.write(
            *(began, until, LAST_APPLIED, "last-applied-configuration"),
            managers=() if _is_atomic(owner, document, tokens) else (owner.manager,),
            patch=[step],
            approximate=True,
        )


def _is_atomic(owner: Owner, document: JSON, tokens: pointer.Tokens) -> bool:
    """Return whether *owner* owns the field because it wrote all that holds it.

    So it owns also what others changed: whoever adds to an atomic list owns the list.
    """
    return owner.owns(document, (*tokens[:-1], "\0"))


def _of_people(document: dict[str, JSON]) -> dict[str, JSON]:
    """Return what clients write in an object, other than its metadata."""
    return {name: each for name, each in document.items() if name not in _OTHERS}


def _differing(before: JSON, now: JSON) -> Iterator[tuple[pointer.Tokens, JSON, JSON]]:
    """Yield the scalars that both have, and that differ, with their paths in *now*.

    Elements of lists are found by their names, as those of containers.
    """
    pending: list[tuple[pointer.Tokens, JSON, JSON]] = [((), before, now)]
    while pending:
        at, old, new = pending.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            pending += [((*at, key), old[key], new[key]) for key in old if key in new]
        elif isinstance(old, list) and isinstance(new, list):
            places = _named(new)
            for name, (_, element) in _named(old).items():
                if name in places:
                    place, other = places[name]
                    pending.append(((*at, str(place)), element, other))
        elif type(old) is type(new) and old != new:
            yield at, old, new


def _named(elements: list[JSON]) -> dict[str, tuple[int, JSON]]:
    """Return the places and elements of a list by name; {} if any has none."""
    found = {
        each["name"]: (place, each)
        for place, each in enumerate(elements)
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    }
    return found if len(found) == len(elements) else {}


def _fields(fields: JSON) -> Iterator[str]:
    """Yield pointers to what an entry owns outside of the status, at most `_MOST`."""
    pending: list[tuple[pointer.Tokens, JSON]] = [((), fields)]
    found = 0
    while pending and found < _MOST:
        path, below = pending.pop(0)
        members = [
            ((*path, key[2:]), value)
            for key, value in (below.items() if isinstance(below, dict) else ())
            if key.startswith("f:") and (path or key != "f:status")
        ]
        if path and (not members or len(path) == _DEEPEST):
            found += 1
            yield pointer.join(path)
        else:
            pending += members


# What GitOps controllers list in the status of an object: what was applied when.

HISTORY = "status.history"
_ROWS = {
    # https://argo-cd.readthedocs.io/en/stable/user-guide/commands/argocd_app_history/
    ("argoproj.io", "Application"): ("deployedAt", "revision", "/status/sync/revision"),
    # https://fluxcd.io/flux/components/helm/helmreleases/#history
    ("helm.toolkit.fluxcd.io", "HelmRelease"): (
        *("lastDeployed", "chartVersion", "/status/history/0/chartVersion"),
    ),
    # https://fluxcd.io/flux/components/kustomize/kustomizations/#history
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): (
        *("firstReconciled", "metadata/revision", "/status/lastAppliedRevision"),
    ),
}
"""The members that say when, and which revision; and what then has that value."""


def of_history(subject: Subject) -> Iterator[EarlierWrite]:
    """Yield when *subject* began to apply another revision."""
    if (row := _ROWS.get(subject.kind)) is None:
        return
    when, what, path = row
    found = [
        (time, text(each, *what.split("/")))
        for each in mappings(subject.document, "status", "history")
        if (time := moment(each, when)) is not None
    ]
    found.sort()
    for (_, before), (time, now) in pairwise(found):
        if before and now and before != now:
            step = PatchOperation("replace", path, now, before)
            yield subject.write(time, time, HISTORY, HISTORY, patch=[step])
