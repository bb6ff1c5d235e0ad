"""Why nothing is created: what the API server answers to a controller's request.

Controllers tell it in Events (FailedCreate) and in the condition ReplicaFailure. The
answer names a Pod that was never there, another one at each try: that is left out.
https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import moment
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

# "Error creating: ", "create Pod db-0 in StatefulSet db failed error: ", since 1.36
# "Create Pod …".
_PREFIX = re.compile(
    r"^(?:Error creating(?: job)?:|[Cc]reate .{0,600}? failed error:) "
)
_FORBIDDEN = re.compile(r"^\S{1,300} \"[^\"]{0,300}\" is forbidden: ")
_INVALID = re.compile(r"^\S{1,300} \"[^\"]{0,300}\" is invalid: ")
_EXCEEDED = re.compile(
    r"exceeded quota: ([^,]+), requested: (.+?), used: (.+?), limited: (.+)"
)
_UNSPECIFIED = re.compile(r"failed quota: ([^:]+): (must specify .+)")
_ACCOUNT = re.compile(r"serviceaccount \"([^\"]+)\" not found")
_SECURITY = re.compile(r"violates PodSecurity \"([^\"]+)\": (.+)")
_DENIED = re.compile(r"admission webhook \"([^\"]+)\" denied the request:? ?(.*)")
_UNREACHED = re.compile(r"failed calling webhook \"([^\"]+)\": (.+)")

_TRIED = ("FailedCreate", "SuccessfulCreate")


class Refusal(NamedTuple):
    """Why a request to create something was refused."""

    text: str
    remedy: Remedy = NO_REMEDY
    final: bool = False
    """The same request will be refused until somebody changes something."""


def refused_creation(entry: Entry, seen: Inventory, what: str) -> Finding | None:
    """Return why *what* (`Pods`) cannot be created for the object, if so.

    That is a FailedCreate with no SuccessfulCreate after it, nor anything that was
    created after it: controllers report 25 times about an object, and then less often.
    """
    tried = [each for each in seen.events(entry.uid) if each.reason in _TRIED]
    if not tried or tried[-1].reason != _TRIED[0]:
        return None
    failed = tried[-1]
    for owned in seen.owned(entry.uid):
        created = moment(owned.document, "metadata", "creationTimestamp")
        if created is not None and created > (failed.last or created):
            return None
    refusal = read_refusal(failed.said, entry.namespace or "")
    return Finding(
        "creation",
        Verdict.FAILING,
        f"cannot create {what}: {refusal.text}",
        remedy=refusal.remedy,
        since=failed.first,
        final=refusal.final,
    )


def read_refusal(message: str, namespace: str) -> Refusal:
    """Return what the refusal *message* says, and what helps.

    >>> read_refusal('pods "a-x" is forbidden: exceeded quota: q, requested: pods=1, '
    ...              'used: pods=2, limited: pods=2', "shop").text
    'quota q is exceeded: pods requested 1, used 2 of 2'
    """
    message = brief(message)
    invalid = _INVALID.search(_PREFIX.sub("", message))
    answer = _INVALID.sub("", _FORBIDDEN.sub("", _PREFIX.sub("", message)))
    answer = " ".join(answer.split())
    if found := _EXCEEDED.search(answer):
        quota, *amounts = found.groups()
        return Refusal(
            f"quota {quota} is exceeded: {_amounts(*amounts)}",
            kubectl("describe quota {}", quota, namespace=namespace),
        )
    if found := _UNSPECIFIED.search(answer):
        return Refusal(
            f"quota {found[1]}: the containers {found[2]}",
            advice("set the resources in the Pod template and apply it"),
            final=True,
        )
    if found := _ACCOUNT.search(answer):
        return Refusal(
            f"service account {found[1]} does not exist",
            kubectl("create serviceaccount {}", found[1], namespace=namespace),
        )
    if found := _SECURITY.search(answer):
        return Refusal(
            f"Pod Security {found[1]} forbids it: {found[2]}",
            advice("fix the securityContext of the Pod template and apply it"),
            final=True,
        )
    if found := _DENIED.search(answer):
        why = f": {found[2]}" if found[2] else ""
        return Refusal(
            f"admission webhook {found[1]} denies it{why}",
            advice(
                "change what it objects to and apply it, or ask who runs the webhook"
            ),
        )
    if found := _UNREACHED.search(answer):
        return Refusal(
            f"admission webhook {found[1]} cannot be called: {found[2]}",
            advice("look at the Service and the Pods behind the webhook"),
        )
    if invalid:
        return Refusal(
            f"invalid: {answer}", advice("fix the spec and apply it"), final=True
        )
    return Refusal(answer or "no reason is given")


def _amounts(requested: str, used: str, limited: str) -> str:
    """Return amounts by resource: each is a list, as in `limits.cpu=1,pods=1`."""
    wanted, taken, limits = map(_by_resource, (requested, used, limited))
    return ", ".join(
        f"{resource} requested {amount}, used {taken.get(resource, '?')}"
        f" of {limits.get(resource, '?')}"
        for resource, amount in wanted.items()
    )


def _by_resource(amounts: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in amounts.split(","))
    return {resource.strip(): amount.strip() for resource, _, amount in pairs}
