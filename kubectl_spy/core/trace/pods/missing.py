"""What a Pod refers to and is not there, as the kubelet names it in its messages."""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice
from kubectl_spy.core.trace.wording import brief

_KINDS = {
    "configmap": "ConfigMap",
    "secret": "Secret",
    "serviceaccount": "ServiceAccount",
    "persistentvolumeclaim": "PersistentVolumeClaim",
    "resourceclaim": "ResourceClaim",
    "resourceclaimtemplate": "ResourceClaimTemplate",
}
_OBJECT = re.compile(
    r"\b(configmap|secret|serviceaccount|persistentvolumeclaim|resourceclaim"
    r"|resourceclaimtemplate)s?(?:\.resource\.k8s\.io)? "
    r'"(?P<name>[^"]+)" not found',
    re.IGNORECASE,
)
_KEY = re.compile(
    r"couldn't find key (?P<key>\S+) in (?P<kind>ConfigMap|Secret) "
    r"(?:[^/\s]+/)?(?P<name>[^\s/,]+)"
)
_MOUNTED_KEY = re.compile(
    r"references non-existent (?P<kind>config|secret) key: (?P<key>[^\s,]+)"
)


class Missing(NamedTuple):
    """What is not there, and what to do about it."""

    text: str
    remedy: Remedy


def missing(message: str, namespace: str) -> Missing | None:
    """Return what the kubelet's *message* says is missing, or None.

    >>> missing('secret "tls" not found', "shop").text
    'Secret tls does not exist'
    >>> missing("couldn't find key url in ConfigMap shop/app", "shop").remedy
    'add the key url to ConfigMap app in namespace shop'
    """
    message = brief(message)
    within = advice(" in namespace {}", namespace) if namespace else NO_REMEDY
    if found := _OBJECT.search(message):
        kind = _KINDS[found[1].lower()]
        name = f"{kind} {found['name']}"
        return Missing(
            f"{name} does not exist",
            advice("create {} {}{}", kind, found["name"], within),
        )
    if found := _KEY.search(message):
        name = f"{found['kind']} {found['name']}"
        key = found["key"]
        return Missing(
            f"{name} has no key {key}",
            advice(
                "add the key {} to {} {}{}", key, found["kind"], found["name"], within
            ),
        )
    if found := _MOUNTED_KEY.search(message):
        kind = "ConfigMap" if found["kind"] == "config" else "Secret"
        key = found["key"]
        return Missing(
            f"its {kind} has no key {key}",
            advice("add the key {}, or do not mount it", key),
        )
    return None
