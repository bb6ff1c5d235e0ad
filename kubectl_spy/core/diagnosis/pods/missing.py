"""Finds objects and keys that a Pod needs and that do not exist, in messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from kubectl_spy.core.diagnosis.finding import Fact, advised, fact
from kubectl_spy.core.diagnosis.makers import maker_of
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.remedy import Remedy

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


_HEAD = {"apiVersion", "kind", "metadata"}
"""The members of a Secret of which only the metadata was read."""


class Missing(NamedTuple):
    """What does not exist, and what to do."""

    fact: Fact  # ObjectMissing or KeyMissing
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
            key = found["key"]
            of = fact("KeyMissing", kind=kind, name=name, key=key)
            return _with_keys(pod, absent._replace(fact=of), kind, name, key)
    return absent


def _with_keys(
    pod: SeenPod, absent: Missing, kind: str, name: str, key: str
) -> Missing:
    entry = pod.seen.named("", kind, pod.entry.namespace, name)
    if entry is None or entry.document.keys() <= _HEAD:
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
        there = fact("", near=alike[near[0]])
    elif len(keys) <= _SHOWN:
        there = fact("", there=tuple(keys), empty=not keys)
    else:
        there = fact("", others=len(keys))
    return absent._replace(fact=Fact("KeyMissing", {**absent.fact.args, **there.args}))


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

    >>> missing('secret "tls" not found', "shop").fact.args
    {'kind': 'Secret', 'name': 'tls', 'namespace': 'shop'}
    """
    message = brief(message)
    if found := _OBJECT.search(message):
        kind, name = _KINDS[found[1].lower()], found["name"]
        return _missing("ObjectMissing", kind=kind, name=name, namespace=namespace)
    if found := _KEY.search(message):
        return _missing("KeyMissing", **found.groupdict(), namespace=namespace)
    if found := _MOUNTED_KEY.search(message):
        kind = "ConfigMap" if found["kind"] == "config" else "Secret"
        return _missing("KeyMissing", kind=kind, key=found["key"])
    return None


def _missing(code: str, **args: str) -> Missing:
    of = fact(code, **args)
    return Missing(of, advised(of))
