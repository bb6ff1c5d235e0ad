"""Why nothing is created: the API server's answers to controllers.

Controllers report them in Events (FailedCreate) and in the condition ReplicaFailure.
The name of the refused Pod is left out: it is another one at each attempt.
https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
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


class Refusal(NamedTuple):
    """Why a request to create something was refused."""

    text: str
    remedy: Remedy = NO_REMEDY
    final: bool = False  # the same request is refused until somebody acts


class _Answer(NamedTuple):
    pattern: re.Pattern[str]
    text: str  # takes the groups of the pattern
    advice: str = ""
    command: str = ""  # for kubectl; takes the first group
    final: bool = False


_ANSWERS = (
    _Answer(
        re.compile(r"failed quota: ([^:]+): (must specify .+)"),
        "quota {}: the containers {}",
        advice="set the resources in the Pod template and apply it",
        final=True,
    ),
    _Answer(
        re.compile(r"serviceaccount \"([^\"]+)\" not found"),
        "service account {} does not exist",
        command="create serviceaccount {}",
    ),
    _Answer(
        re.compile(r"violates PodSecurity \"([^\"]+)\": (.+)"),
        "Pod Security {} forbids it: {}",
        advice="fix the securityContext of the Pod template and apply it",
        final=True,
    ),
    _Answer(
        re.compile(r"admission webhook \"([^\"]+)\" denied the request:? ?(.*)"),
        "admission webhook {} denies it: {}",
        advice="change what it objects to and apply it, or ask who runs the webhook",
    ),
    _Answer(
        re.compile(r"failed calling webhook \"([^\"]+)\": (.+)"),
        "admission webhook {} cannot be called: {}",
        advice="look at the Service and the Pods behind the webhook",
    ),
)


def refused_creation(entry: Entry, inventory: Inventory, what: str) -> Finding | None:
    """Return why *what* (`Pods`) cannot be created for the object, if so.

    A FailedCreate counts until a SuccessfulCreate or a newer owned object. The latter
    matters because the Event recorder drops Events after a burst of 25 per object.
    """
    attempts = [
        each
        for each in inventory.events(entry.uid)
        if each.reason in ("FailedCreate", "SuccessfulCreate")
    ]
    if not attempts or attempts[-1].reason != "FailedCreate":
        return None
    failed = attempts[-1]
    for owned in inventory.owned(entry.uid):
        created = moment(owned.document, "metadata", "creationTimestamp")
        if created is not None and created > (failed.last or created):
            return None
    refusal = read_refusal(failed.said, entry.namespace or "")
    return said(
        "creation",
        Verdict.FAILING,
        f"cannot create {what}: {refusal.text}",
        remedy=refusal.remedy,
        since=failed.first,
        final=refusal.final,
    )


def read_refusal(message: str, namespace: str) -> Refusal:
    """Return the cause that the refusal *message* states, and its remedy.

    >>> read_refusal('pods "a-x" is forbidden: exceeded quota: q, requested: pods=1, '
    ...              'used: pods=2, limited: pods=2', "shop").text
    'quota q is exceeded: pods requested 1, used 2 of 2'
    """
    message = _PREFIX.sub("", brief(message))
    invalid = _INVALID.search(message)
    answer = " ".join(_INVALID.sub("", _FORBIDDEN.sub("", message)).split())
    if found := _EXCEEDED.search(answer):
        quota, *amounts = found.groups()
        return Refusal(
            f"quota {quota} is exceeded: {_amounts(*amounts)}",
            kubectl("describe quota {}", quota, namespace=namespace),
        )
    for known in _ANSWERS:
        if found := known.pattern.search(answer):
            text = known.text.format(*found.groups()).removesuffix(": ")
            remedy = advice(known.advice)
            if known.command:
                remedy = kubectl(known.command, found[1], namespace=namespace)
            return Refusal(text, remedy, known.final)
    if invalid:
        remedy = advice("fix the spec and apply it")
        return Refusal(f"invalid: {answer}", remedy, final=True)
    return Refusal(answer or "no reason is given")


def _amounts(requested: str, used: str, limited: str) -> str:
    """Return the amounts by resource, from lists such as `limits.cpu=1,pods=1`."""
    wanted, taken, limits = map(_by_resource, (requested, used, limited))
    return ", ".join(
        f"{resource} requested {amount}, used {taken.get(resource, '?')}"
        f" of {limits.get(resource, '?')}"
        for resource, amount in wanted.items()
    )


def _by_resource(amounts: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in amounts.split(","))
    return {resource.strip(): amount.strip() for resource, _, amount in pairs}
