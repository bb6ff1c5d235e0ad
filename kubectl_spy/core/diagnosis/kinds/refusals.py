"""Why nothing is created: the API server's answers to controllers.

Controllers report them in Events (FailedCreate) and in the condition ReplicaFailure.
The name of the refused Pod is left out: it is another one at each attempt.
https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Fact, Finding, advised, fact, finding
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import moment
from kubectl_spy.core.remedy import Remedy, advice, kubectl
from kubectl_spy.findings import code_of

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


_OF_WEBHOOK = re.compile(r'"https://(?P<name>[^."/]+)\.(?P<namespace>[^."/]+)\.svc[:/]')
"""The Service of a webhook, in the API server's message.
https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
"""
_ANSWERS = (
    (
        "QuotaNeedsResources",
        r"failed quota: (?P<quota>[^:]+): (?P<message>must specify .+)",
    ),
    ("ServiceAccountMissing", r'serviceaccount "(?P<name>[^"]+)" not found'),
    ("ObjectMissing", r"no (?P<kind>PriorityClass) with name (?P<name>\S+) was found"),
    ("ObjectMissing", r'(?P<kind>RuntimeClass) "?(?P<name>[^"\s]+)"? not found'),
    (
        "PodSecurityForbids",
        r'violates PodSecurity "(?P<level>[^"]+)": (?P<message>.+)',
    ),
    (
        "WebhookDenies",
        r'admission webhook "(?P<webhook>[^"]+)" denied the request:? ?(?P<message>.*)',
    ),
    (
        "WebhookUnreachable",
        r'failed calling webhook "(?P<webhook>[^"]+)": (?P<message>.+)',
    ),
)
_PATTERNS = tuple((code, re.compile(pattern)) for code, pattern in _ANSWERS)
_NAME_ANOTHER = "name another one in the Pod template, or create it"


class Refusal(NamedTuple):
    """Why a request to create something was refused."""

    fact: Fact
    remedy: Remedy

    def stated(
        self, code: str, about: str, what: str = "", since: float | None = None
    ) -> Finding:
        """Return the finding that *what* is refused."""
        return finding(
            code,
            about,
            what=what,
            why=self.fact,
            remedy=self.remedy,
            since=since,
            final=code_of(self.fact.code).final,
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
    return refusal.stated("CreationRefused", "creation", what, failed.first)


def read_refusal(message: str, namespace: str) -> Refusal:
    """Return the cause that the refusal *message* states, and its remedy.

    >>> read_refusal('pods "a-x" is forbidden: exceeded quota: q, requested: pods=1, '
    ...              'used: pods=2, limited: pods=2', "shop").fact.args["quota"]
    'q'
    """
    message = _PREFIX.sub("", brief(message))
    invalid = _INVALID.search(message)
    answer = " ".join(_INVALID.sub("", _FORBIDDEN.sub("", message)).split())
    if found := _EXCEEDED.search(answer):
        quota, *amounts = found.groups()
        remedy = kubectl("describe quota {}", quota, namespace=namespace)
        return Refusal(
            fact("QuotaExceeded", quota=quota, amounts=_amounts(*amounts)), remedy
        )
    for code, pattern in _PATTERNS:
        if found := pattern.search(answer):
            return _known(code, found, namespace)
    if invalid:
        return _advised("ObjectInvalid", message=answer)
    return _advised("RequestRefused", message=answer)


def _advised(code: str, **args: str) -> Refusal:
    of = fact(code, **args)
    return Refusal(of, advised(of))


def _known(code: str, found: re.Match[str], namespace: str) -> Refusal:
    args = dict(found.groupdict())
    if code == "ServiceAccountMissing":
        create = kubectl("create serviceaccount {}", args["name"], namespace=namespace)
        of = fact("ServiceAccountMissing", kind="ServiceAccount", **args)
        return Refusal(of, advice("name another one, or create it: {}", create))
    if code == "ObjectMissing":
        return Refusal(fact("ObjectMissing", **args), advice(_NAME_ANOTHER))
    if code == "WebhookUnreachable" and (of_ := _OF_WEBHOOK.search(args["message"])):
        args |= {"service": of_["name"], "namespace": of_["namespace"]}
    if args.get("message") == "without explanation":
        del args["message"]
    return _advised(code, **args)


def _amounts(requested: str, used: str, limited: str) -> tuple[Fact, ...]:
    """Return the amounts by resource, from lists such as `limits.cpu=1,pods=1`."""
    wanted, taken, limits = map(_by_resource, (requested, used, limited))
    return tuple(
        fact(
            "QuotaAmount",
            resource=resource,
            requested=amount,
            used=taken.get(resource, "?"),
            limit=limits.get(resource, "?"),
        )
        for resource, amount in wanted.items()
    )


def _by_resource(amounts: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in amounts.split(","))
    return {resource.strip(): amount.strip() for resource, _, amount in pairs}
