"""Facts about nodes and namespaces, and those that any kind may have."""

from __future__ import annotations

from math import inf

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING, UNKNOWN = Verdict.OK, Verdict.WAITING, Verdict.UNKNOWN
_TAINTS = (
    "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
)

NODES = (
    Code("LeaseExpired", "its kubelet does not renew its Lease any more"),
    Code("NodeCordoned", "cordoned: no new Pod comes here before kubectl uncordon", OK),
    Code(
        "NodeTainted",
        "taint {taint}: [no new Pod comes here without a toleration{schedules!}"
        "|new Pods go to other nodes if they can{prefers!}"
        "|Pods without a toleration are evicted{executes!}"
        "|its effect is not known]",
        OK,
        page=_TAINTS,
    ),
)

NAMESPACES = (
    Code(
        "NamespaceFinalizer",
        "waits until {finalizer} is removed from spec.finalizers",
        WAITING,
        grace=60.0,
    ),
    Code(
        "APIGroupsSilent",
        "API groups do not answer, and may hold objects: {message}",
        remedy="repair or delete what is not Available: kubectl get apiservices",
    ),
    Code("NamespaceDeletionFailed", "{message}"),
    Code(
        "NamespaceHolds", "[it still holds {resources}|{message}]", WAITING, grace=60.0
    ),
    Code("NamespaceHeld", "[waits for {finalizers}|{message}]", WAITING, grace=60.0),
    Code("FinalizerOf", "finalizer {finalizer} of {objects object}", WAITING),
    Code(
        "NamespaceContentUnknown",
        "being deleted: what is left is not reported yet; Pods go first",
        WAITING,
        grace=60.0,
    ),
)

_DELETED = "being deleted: "
_FINALIZERS = (
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/"
)
ANY_KIND = (
    Code(
        "Reported",
        "[{part}: ][{type} is [{status}|without a status]"
        "[ ({reason}: {message})| ({reason})| ({message})]|{message}]",
        Verdict.UNJUDGED,
        page="https://github.com/kubernetes/community/blob/master/contributors/devel/"
        "sig-architecture/api-conventions.md#typical-status-properties",
        grace=inf,
    ),
    Code("Failed", "[{phase} ]{summary}"),
    Code("NotAskedFor", "{kind} objects were not asked for", UNKNOWN),
    Code("OnlySomeAskedFor", "only some {resource} were asked for", UNKNOWN),
    Code("NotListedYet", "{resource} are not listed yet", UNKNOWN),
    Code(
        "ListForbidden",
        "may not list {resource}[ in namespace {namespace}]",
        UNKNOWN,
        page="https://kubernetes.io/docs/reference/access-authn-authz/rbac/",
    ),
    Code("ListRefused", "{message}", UNKNOWN),
    Code(
        "ReferenceMissing",
        "{path}: {missing}[ in namespace {namespace}]",
        WAITING,
        explains=("Failed",),
    ),
    Code(
        "OwnerElsewhere",
        "it will be deleted: its owner is not in its namespace: {owners,, }",
        Verdict.WARNING,
        remedy="remove the ownerReference, or move it to the owner's namespace",
        explains=("OwnerRefInvalidNamespace",),
        page="https://kubernetes.io/docs/concepts/architecture/garbage-collection/",
    ),
    Code(
        "FinalizerHolds",
        "[deleted, but held by {finalizers finalizer}"
        f"|{_DELETED}waits until finalizer {{finalizer}} is removed]",
        WAITING,
        remedy="[look at the controller that set {finalizer}: it has to remove it"
        "|whoever set the finalizer must remove it]",
        page=_FINALIZERS,
        grace=60.0,
    ),
    Code(
        "OwnedFirst",
        _DELETED + "first [{left, and }|what it owns] must be gone",
        WAITING,
        page="https://kubernetes.io/docs/concepts/architecture/garbage-collection/"
        "#foreground-deletion",
    ),
    Code(
        "OrphanDeletion",
        _DELETED + "what it owns is left behind without an owner",
        WAITING,
    ),
    Code(
        "VolumeInUseByClaim",
        _DELETED + "waits until PersistentVolumeClaim {claim} is gone",
        WAITING,
    ),
    Code(
        "InstancesLeft",
        _DELETED + "waits until its objects are gone, and their finalizers: {name}",
        WAITING,
        remedy="kubectl get {name} -A",
        grace=60.0,
    ),
)

CAUSES = (
    Code("FailedFromTheBeginning", "it failed from the beginning", UNKNOWN),
    Code("GapBefore", "a gap lies before it, and may hide the change", UNKNOWN),
    Code(
        "NoChangeExplains",
        "no change before it explains this"
        "[; {unwatched, and } objects were not watched]",
        UNKNOWN,
    ),
)
