"""Whether a claim has its volume, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from tests.builders import a_claim, a_pod, a_volume, obj, reported
from tests.tracing import diagnosis, found

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING
CLAIM = "claim-uid"


def claim_with(*messages: tuple[str, str], **spec: Any) -> Diagnosis:
    events = [reported(reason, told, about=CLAIM) for reason, told in messages]
    return diagnosis(a_claim(spec=spec), *events)


PROVISIONING = (
    "Provisioning",
    'External provisioner is provisioning volume for claim "shop/data"',
)


@pytest.mark.parametrize(
    ("messages", "verdict", "text"),
    [
        ((), WAITING, "waits for a volume"),
        (
            (
                (
                    "WaitForFirstConsumer",
                    "waiting for first consumer to be created before binding",
                ),
            ),
            WAITING,
            "it gets a volume when a Pod that uses it is scheduled",
        ),
        (
            (("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found'),),
            FAILING,
            "StorageClass fast does not exist",
        ),
        (
            (
                (
                    "FailedBinding",
                    "no persistent volumes available for this claim and no storage "
                    "class is set",
                ),
            ),
            FAILING,
            "no persistent volumes available for this claim and no storage class "
            "is set",
        ),
        (
            (
                (
                    "ExternalProvisioning",
                    "Waiting for a volume to be created either by the external "
                    'provisioner "csi.example.com" or manually by the system '
                    "administrator.",
                ),
            ),
            WAITING,
            "Waiting for a volume to be created either by the external provisioner "
            '"csi.example.com" or manually by the system administrator.',
        ),
        (
            (("ProvisioningFailed", "quota exceeded"), PROVISIONING),
            FAILING,
            "quota exceeded",
        ),
        ((PROVISIONING,), WAITING, PROVISIONING[1]),
    ],
)
def test_a_claim_that_is_pending_says_what_for(
    messages: tuple[tuple[str, str], ...], verdict: Verdict, text: str
) -> None:
    result = claim_with(*messages)
    assert (result.phase, result.verdict) == ("Pending", verdict)
    assert found(result, "binding") == (verdict, text)
    assert result.summary == "10Gi, class fast"


def test_a_claim_that_is_pending_is_unknown_where_events_may_not_be_read() -> None:
    result = diagnosis(a_claim(), unseen={"Event": "may not list events"})
    assert result.verdict is Verdict.UNKNOWN
    assert found(result, "binding")[1] == "unknown why: may not list events"


def test_a_bound_claim_is_well_and_names_its_volume() -> None:
    spec = {"volumeName": "pvc-1"}
    result = diagnosis(a_claim("Bound", spec=spec, capacity={"storage": "20Gi"}))
    assert (result.verdict, result.findings) == (OK, ())
    assert result.summary == "20Gi, wants 10Gi, class fast, volume pvc-1"


def test_a_lost_claim_is_final() -> None:
    result = diagnosis(a_claim("Lost", spec={"volumeName": "pvc-1"}))
    assert (result.verdict, result.final) == (FAILING, True)
    assert found(result, "binding") == (
        FAILING,
        "its volume pvc-1 is gone, and what was on it",
    )


@pytest.mark.parametrize(
    ("kind", "verdict", "text"),
    [
        ("Resizing", OK, "its volume is being made larger"),
        (
            "FileSystemResizePending",
            OK,
            "its volume is larger, the file system follows when a node mounts it",
        ),
        ("ControllerResizeError", FAILING, "its volume cannot be made larger: m"),
    ],
)
def test_resizes_of_claims_are_reported(kind: str, verdict: Verdict, text: str) -> None:
    condition = {"type": kind, "status": "True", "message": "m"}
    result = diagnosis(a_claim("Bound", conditions=[condition]))
    assert result.verdict is verdict
    assert found(result, f"condition/{kind}")[1] == text


def test_a_resize_that_is_impossible_is_final() -> None:
    infeasible = {"storage": "ControllerResizeInfeasible"}
    result = diagnosis(a_claim("Bound", allocatedResourceStatuses=infeasible))
    assert result.verdict is FAILING
    assert [each.final for each in result.findings] == [True]


def test_a_claim_that_is_deleted_names_the_pods_that_hold_it() -> None:
    metadata = {
        "deletionTimestamp": "2026-11-21T15:05:00Z",
        "finalizers": ["kubernetes.io/pvc-protection"],
    }
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    claim = a_claim("Bound", metadata=metadata)
    result = diagnosis(claim, a_pod(spec={"volumes": volumes}))
    assert (result.phase, result.verdict) == ("Terminating", WAITING)
    assert found(result, "deletion")[1] == "being deleted, still in use by Pod web-0"
    assert found(diagnosis(claim), "deletion")[1].endswith("in use by a Pod")
    other = a_claim("Bound", metadata=metadata | {"finalizers": ["example.com/x"]})
    assert found(diagnosis(other), "deletion")[1] == (
        "being deleted, held by finalizer example.com/x"
    )
    free = a_claim("Bound", metadata=metadata | {"finalizers": None})
    assert found(diagnosis(free), "deletion")[1] == "being deleted"


OTHER = {"namespace": "shop", "name": "other", "uid": "u"}
EARLIER = {"namespace": "shop", "name": "data", "uid": "earlier"}
NO_CLASS = 'storageclass.storage.k8s.io "fast" not found'


def claimed(*volumes: dict[str, Any], **spec: Any) -> Diagnosis:
    """Return the diagnosis of a claim of a class for which only *volumes* are there."""
    claim = a_claim(spec={"accessModes": ["ReadWriteOnce"], **spec})
    failed = reported("ProvisioningFailed", NO_CLASS, about=CLAIM)
    return diagnosis(claim, failed, *volumes)


@pytest.mark.parametrize(
    ("volume", "why"),
    [
        (a_volume(capacity={"storage": "10G"}), "has 10G, not 10Gi"),
        (a_volume(accessModes=["ReadOnlyMany"]), "does not allow ReadWriteOnce"),
        (a_volume(volumeMode="Block"), "has volumeMode Block"),
        (a_volume(claimRef=OTHER), "belongs to shop/other"),
        (
            a_volume(phase="Released", claimRef=EARLIER),
            "belonged to shop/data, which is gone",
        ),
        (a_volume(phase="Failed"), "is Failed"),
        (a_volume(metadata={"deletionTimestamp": "x"}), "is being deleted"),
        (
            a_volume(volumeAttributesClassName="gold"),
            "has volumeAttributesClassName gold",
        ),
        (
            a_volume(metadata={"labels": {"disk": "hdd"}}),
            "does not match the claim's selector",
        ),
    ],
)
def test_unsuitable_volumes_are_explained(volume: dict[str, Any], why: str) -> None:
    selector = {"matchLabels": {"disk": "ssd"}}
    asks = {"selector": selector} if "selector" in why else {}
    of = claimed(volume, a_volume("slow", storageClassName="slow"), **asks)
    told = f"no PersistentVolume of class fast fits: pv-1 {why}"
    assert found(of, "binding") == (FAILING, told)
    assert of.findings[0].remedy == (
        "add one that fits, or change the claim: kubectl get pv"
    )


def test_a_volume_that_does_not_fit_says_so_of_all_that_is_asked_for() -> None:
    volume = a_volume(capacity={"storage": "1Gi"}, accessModes=[], volumeMode="Block")
    told = found(claimed(volume), "binding")[1]
    why = "has 1Gi, not 10Gi, does not allow ReadWriteOnce and has volumeMode Block"
    assert told.endswith(f"pv-1 {why}")


def test_those_that_are_free_come_first_and_others_are_counted() -> None:
    taken = [a_volume(f"a-{each}", claimRef=OTHER) for each in range(9)]
    of = claimed(*taken, a_volume("small", capacity={"storage": "1Gi"}))
    text = found(of, "binding")[1]
    assert "fits: small has 1Gi, not 10Gi; a-" in text
    assert text.endswith("; and 6 more")


def test_a_volume_that_fits_is_about_to_be_bound() -> None:
    prebound = {"namespace": "shop", "name": "data"}
    for volume in (a_volume(), a_volume(phase="Pending", claimRef=prebound)):
        assert found(claimed(volume), "binding") == (
            WAITING,
            "PersistentVolume pv-1 fits, and is not bound yet",
        )


def test_only_a_class_without_volumes_has_to_exist() -> None:
    slow = a_volume(storageClassName="slow")
    assert found(claimed(slow), "binding")[1] == "StorageClass fast does not exist"
    none = reported(
        "FailedBinding",
        "no persistent volumes available for this claim and no storage class is set",
        about=CLAIM,
    )
    claim = a_claim(spec={"storageClassName": ""})
    small = a_volume(storageClassName="", capacity={"storage": "1Gi"})
    assert found(diagnosis(claim, none, small), "binding") == (
        FAILING,
        "no PersistentVolume without a class fits: pv-1 has 1Gi, not 10Gi",
    )


def test_without_volumes_in_sight_no_other_class_is_advised() -> None:
    missing = reported("ProvisioningFailed", NO_CLASS, about=CLAIM)
    why = "persistentvolumes are forbidden"
    of = diagnosis(a_claim(), missing, unseen={"PersistentVolume": why})
    assert found(of, "binding") == (
        FAILING,
        "StorageClass fast does not exist; whether a PersistentVolume fits is unknown: "
        f"{why}",
    )
    assert of.findings[0].remedy == (
        "look for a volume of that class: kubectl get storageclass,pv"
    )


def test_an_unsuitable_local_volume_is_named() -> None:
    first = reported("WaitForFirstConsumer", "waiting for first consumer", about=CLAIM)
    told = "it gets a volume when a Pod that uses it is scheduled"
    small = a_volume(capacity={"storage": "1Gi"})
    assert found(diagnosis(a_claim(), first, small), "binding") == (
        WAITING,
        f"{told}; no PersistentVolume there is fits: pv-1 has 1Gi, not 10Gi",
    )
    for others in ((a_volume(claimRef=OTHER),), (small, a_volume("pv-2"))):
        assert found(diagnosis(a_claim(), first, *others), "binding")[1] == told


LOCAL = obj("StorageClass", "fast", None, provisioner="kubernetes.io/no-provisioner")
NO_PLUGIN = reported(
    "ProvisioningFailed",
    "no volume plugin matched name: kubernetes.io/no-provisioner",
    about=CLAIM,
)
FIRST = reported("WaitForFirstConsumer", "waiting for first consumer", about=CLAIM)
SOON = "it gets a volume when a Pod that uses it is scheduled; "


@pytest.mark.parametrize(
    ("others", "verdict", "before"),
    [
        ((NO_PLUGIN,), FAILING, ""),
        ((NO_PLUGIN, LOCAL), FAILING, ""),
        ((FIRST, LOCAL), WAITING, SOON),
    ],
)
def test_a_class_that_makes_no_volumes_says_what_to_create(
    others: tuple[dict[str, Any], ...], verdict: Verdict, before: str
) -> None:
    claim = a_claim(spec={"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]})
    told = f"{before}StorageClass fast makes no volumes"
    for volumes, why in (
        (
            (a_volume(storageClassName="slow"),),
            ", and no PersistentVolume of it is there",
        ),
        (
            (a_volume(capacity={"storage": "1Gi"}),),
            ", and no PersistentVolume of it fits: pv-1 has 1Gi, not 10Gi and does not"
            " allow ReadOnlyMany",
        ),
    ):
        of = diagnosis(claim, *others, *volumes)
        assert found(of, "binding") == (verdict, told + why)
        assert of.findings[0].remedy == (
            "create a PersistentVolume of class fast with 10Gi and access mode "
            "ReadWriteOnce,ReadOnlyMany"
        )
    hidden = {"PersistentVolume": "persistentvolumes are forbidden"}
    assert found(diagnosis(claim, *others, unseen=hidden), "binding")[1] == (
        f"{told}; whether a PersistentVolume fits is unknown: "
        "persistentvolumes are forbidden"
    )
    fits = a_volume(accessModes=["ReadWriteOnce", "ReadOnlyMany"])
    assert "makes no" not in found(diagnosis(claim, *others, fits), "binding")[1]


def test_a_claim_that_names_its_volume_says_what_is_wrong_with_it() -> None:
    claim = a_claim(spec={"volumeName": "pv-1"})
    waits = "waits for volume pv-1"
    for volumes, why in (
        ((), ", which does not exist"),
        ((a_volume(claimRef=OTHER),), ", which belongs to shop/other"),
        ((a_volume(),), ""),
    ):
        assert found(diagnosis(claim, *volumes), "binding")[1] == waits + why
    unseen = {"PersistentVolume": "persistentvolumes are forbidden"}
    assert found(diagnosis(claim, unseen=unseen), "binding")[1] == waits


def test_the_class_may_be_in_the_annotation_of_old() -> None:
    old = {"annotations": {"volume.beta.kubernetes.io/storage-class": "slow"}}
    claim = a_claim(metadata=old, spec={"storageClassName": None})
    assert diagnosis(claim).summary == "10Gi, class slow"
    assert diagnosis(a_claim(spec={"storageClassName": ""})).summary == (
        "10Gi, no storage class"
    )
