"""What containers need before they are created: volumes and the sandbox."""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Finding,
    Verdict,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds import persistent_volume_claim
from kubectl_spy.core.diagnosis.pods.containers import starting
from kubectl_spy.core.diagnosis.pods.missing import explained
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.remedy import advice, kubectl

_CLAIM = "PersistentVolumeClaim"
_VOLUME = re.compile(
    r"^(?:\w+\.?\w* failed|Multi-Attach error) for volume "
    r'"(?P<volume>[^"]+)"[ :]*(?P<why>.*)$',
    re.S,
)
_ATTACHED = re.compile(
    r'^AttachVolume\.Attach succeeded for volume "(?P<volume>[^"]+)"'
)
_TIMED_OUT = re.compile(r"unmounted volumes=\[(?P<volumes>[^]]*)\]")
_STILL_COMING = ("failed to sync", "not registered")
"""Messages if the kubelet has not read the object yet. It tries again at once."""
_NO_DRIVER = re.compile(
    r"driver name (?P<driver>\S+) not found in the list of register"
)
"""Its node plugin registers a driver with the kubelet.

https://kubernetes-csi.github.io/docs/node-driver-registrar.html
"""
_SANDBOX = re.compile(
    r"^Failed to create pod sandbox: |^rpc error: code = \w+ desc = "
    r"|^failed to setup network for sandbox \S+: "
)


def findings(pod: SeenPod) -> list[Finding]:
    """Return why the containers of a Pod with a node are not created."""
    if not _preparing(pod):
        return []
    return [*_claims(pod), *_mounts(pod), *_sandbox(pod)]


def preparing(pod: SeenPod) -> bool:
    """Whether the Pod has a node, and its containers wait for what they need."""
    return bool(pod.node) and _preparing(pod)


def children(pod: SeenPod) -> tuple[Child, ...]:
    """Return the claims that the Pod waits for, as children."""
    if pod.ended:
        return ()
    return tuple(
        Child(claim.uid, f"volume {volume}")
        for volume, _, claim in claimed(pod)
        if claim is not None and text(claim.document, "status", "phase") != "Bound"
    )


def _preparing(pod: SeenPod) -> bool:
    if pod.deleting or pod.phase not in ("", "Pending"):
        return False
    if pod.condition("PodReadyToStartContainers").get("status") == "True":
        return False  # volumes come before the sandbox, and the sandbox is there
    return all(starting(each) for each in pod.containers) and not any(
        each.field.startswith("spec.") for each in pod.events
    )


def claimed(pod: SeenPod) -> list[tuple[str, str, Entry | None]]:
    """Return the volumes with claims: volume, claim name, and claim if known."""
    found = []
    for each in mappings(pod.document, "spec", "volumes"):
        volume = text(each, "name")
        claim = text(each, "persistentVolumeClaim", "claimName")
        if mapping(each, "ephemeral"):
            # https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/
            claim = f"{pod.name}-{volume}"
        if claim:
            entry = pod.seen.named("", _CLAIM, pod.entry.namespace, claim)
            found.append((volume, claim, entry))
    return found


def _claims(pod: SeenPod) -> list[Finding]:
    found = []
    for volume, name, claim in claimed(pod):
        if claim is None:
            continue  # it may be there all the same: the scheduler says if it is not
        about = f"volume/{volume}"
        phase = text(claim.document, "status", "phase")
        if phase != "Bound":
            why = persistent_volume_claim.binding(claim, pod.seen)
            found.append(
                finding(
                    "ClaimNotBound",
                    about,
                    claim=name,
                    phase=phase or "new",
                    why=why.fact,
                    verdict=why.verdict,
                    remedy=why.remedy,
                    since=why.since,
                    final=why.final,
                )
            )
    return found


def _mounts(pod: SeenPod) -> list[Finding]:
    found: dict[str, Finding] = {}
    timed_out: ClusterEvent | None = None
    for event in pod.events:
        if attached := _ATTACHED.search(brief(event.said)):
            found.pop(_own_name(pod, attached["volume"]), None)
        if event.reason not in ("FailedMount", "FailedAttachVolume", "FailedMapVolume"):
            continue
        named = _VOLUME.match(brief(event.said))
        if named is None:
            timed_out = event
            continue
        volume = _own_name(pod, named["volume"])
        found[volume] = _mount(pod, volume, event, named["why"])
    if timed_out is not None and not found:
        # This Event is less specific: the kubelet stopped waiting for others.
        which = _TIMED_OUT.search(brief(timed_out.said))
        names = tuple(which["volumes"].split()) if which else ()
        message = "" if names else message_line(timed_out.said)
        remedy = pod.describe()
        return [
            finding(
                "MountTimedOut",
                "volumes",
                volumes=names,
                message=message,
                remedy=remedy,
            )
        ]
    return list(found.values())


def _mount(pod: SeenPod, volume: str, event: ClusterEvent, why: str) -> Finding:
    about = f"volume/{volume}"
    if absent := explained(pod, why, volume):
        return stating(absent.fact, about, remedy=absent.remedy)
    message = message_line(why)
    if event.said.startswith("Multi-Attach error"):
        return finding("VolumeInUse", about, message=message)
    if found := _NO_DRIVER.search(why):
        there = "get pods -A -o wide --field-selector=spec.nodeName={}"
        remedy = advice("look for its node plugin: {}", kubectl(there, pod.node))
        driver = message_line(found["driver"])
        return finding(
            "CSIDriverMissing", about, driver=driver, node=pod.node, remedy=remedy
        )
    attach = event.reason == "FailedAttachVolume"
    coming = any(each in why for each in _STILL_COMING)
    return finding(
        "AttachFailed" if attach else "MountFailed",
        about,
        message=message,
        verdict=Verdict.WAITING if coming else Verdict.FAILING,
        remedy=pod.describe(),
    )


def _own_name(pod: SeenPod, volume: str) -> str:
    """Return the Pod's name for *volume*, which may be a PersistentVolume's name."""
    for own, _, claim in claimed(pod):
        if claim is not None and text(claim.document, "spec", "volumeName") == volume:
            return own
    return volume


def _sandbox(pod: SeenPod) -> list[Finding]:
    """Return why the Pod has no sandbox: its network and what containers share."""
    for event in reversed(pod.events):
        if event.reason not in ("FailedCreatePodSandBox", "NetworkNotReady"):
            continue
        why = brief(event.said)
        while (shorter := _SANDBOX.sub("", why)) != why:
            why = shorter
        # `… NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not …`
        why = why.rpartition(" message:")[2]
        code, remedy = "SandboxFailed", pod.describe()
        if event.reason == "NetworkNotReady" or "network" in event.said.lower():
            code = "NetworkMissing"
            there = kubectl(
                "get pods -A -o wide --field-selector=spec.nodeName={}", pod.node
            )
            remedy = advice("look at the Pods of the network plugin: {}", there)
        return [finding(code, "sandbox", message=message_line(why), remedy=remedy)]
    return []
