"""Finds objects and keys that a Pod needs and that do not exist, in messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from kubectl_spy.core.diagnosis.makers import maker_of
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import brief, listed, message_line
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice

_SEARCHED = 1000  # the most keys of one object to look at
_SHOWN = 5  # the most keys to name
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
    """What does not exist, and what to do."""

    text: str
    remedy: Remedy


def explained(pod: SeenPod, message: str, volume: str = "") -> Missing | None:
    """Return what is missing, and which keys exist, if that is known.

    For a key of a *volume* the kubelet does not name the object that lacks it.
    """
    message = brief(message)
    absent = missing(message, pod.namespace)
    if absent is None:
        return None
    if found := _OBJECT.search(message):
        kind, space = _KINDS[found[1].lower()], pod.entry.namespace
        made = maker_of("", kind, space, found["name"], pod.seen)
        return absent._replace(remedy=made) if made else absent
    if found := _KEY.search(message):
        return _with_keys(pod, absent, found["kind"], found["name"], found["key"])
    if found := _MOUNTED_KEY.search(message):
        kind = "ConfigMap" if found["kind"] == "config" else "Secret"
        for name in _mounted(pod, volume, kind):
            told = f"{kind} {name} has no key {found['key']}"
            named = absent._replace(text=told)
            return _with_keys(pod, named, kind, name, found["key"])
    return absent


def _with_keys(
    pod: SeenPod, absent: Missing, kind: str, name: str, key: str
) -> Missing:
    entry = pod.seen.named("", kind, pod.entry.namespace, name)
    if entry is None:
        return absent
    keys = [
        each
        for member in ("data", "binaryData")
        for each in mapping(entry.document, member)
    ][:_SEARCHED]
    if key in keys:
        return absent  # it was added since
    alike = {_letters(each): each for each in keys}
    near = get_close_matches(_letters(key), alike, n=1, cutoff=0.6)
    if near:
        there = f"it has {alike[near[0]]}"
    elif len(keys) <= _SHOWN:
        there = f"it has {listed(keys)}" if keys else "it is empty"
    else:
        there = f"it has {len(keys)} others"
    return absent._replace(text=message_line(f"{absent.text}; {there}"))


def _letters(key: str) -> str:
    """Return *key* without case and separators, where most typos are."""
    return re.sub(r"[-_.]", "", key).lower()


def _mounted(pod: SeenPod, volume: str, kind: str) -> Iterator[str]:
    member = "configMap" if kind == "ConfigMap" else "secret"
    for each in mappings(pod.document, "spec", "volumes"):
        if text(each, "name") != volume:
            continue
        whole = mapping(each, member)
        if found := text(whole, "name") or text(whole, "secretName"):
            yield found
        sources = mappings(each, "projected", "sources")
        parts = [text(part, member, "name") for part in sources if part.get(member)]
        if len(parts) == 1:
            yield parts[0]


def missing(message: str, namespace: str) -> Missing | None:
    """Return what is missing by the kubelet's *message*, or None.

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
