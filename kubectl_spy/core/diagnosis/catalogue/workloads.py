"""Facts about what makes Pods: rollouts, refused creations, budgets."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING, UNKNOWN = Verdict.OK, Verdict.WAITING, Verdict.UNKNOWN
_DOCS = "https://kubernetes.io/docs/concepts/workloads/controllers/"
_DEPLOYMENT = f"{_DOCS}deployment/#deployment-status"
_STATEFUL_SET = f"{_DOCS}statefulset/#update-strategies"
_BUDGET = "https://kubernetes.io/docs/tasks/run-application/configure-pdb/"
_ADMISSION = (
    "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/"
)
_READY = "[ready for {seconds} s (minReadySeconds)|ready]"
_LIMITS = "(maxSurge {surge}, maxUnavailable {unavailable})"
_CREATED = ("FailedCreate",)

COMMON = (
    Code(
        "NotObserved",
        "[no controller has seen [generation {generation}|it]{late!}"
        "|the controller has not seen [generation {generation}|it] yet]",
        WAITING,
    ),
    Code(
        "PodsInCrashLoop",
        "{loops } of {pods Pod} [{loops#restarts|restart} again and again{again!}"
        "|{loops#was|were} restarted, and may end again]",
        WAITING,
        explains=("BackOff",),
    ),
    Code("PodsUnseen", "unknown: {why}, so its Pods are not shown", UNKNOWN),
    Code(
        "ReplicaSetsUnseen",
        "unknown: {why}, so its ReplicaSets and Pods are not shown",
        UNKNOWN,
    ),
    Code(
        "JobsUnseen",
        "unknown: {why}, so its Jobs and their Pods are not shown",
        UNKNOWN,
    ),
    Code(
        "PodsLost",
        "pod {pod} is gone: {why}[; {others other Pod} went before]",
        WAITING,
        blames="scheduling",
    ),
    Code(
        "PodsRejected",
        "{pods Pod} failed one after the other: {why}",
        blames="scheduling",
    ),
    Code(
        "PodsAwaited",
        "waits for {pods Pod} to be " + _READY,
        WAITING,
    ),
)

REFUSALS = (
    Code(
        "CreationRefused",
        "cannot create {what}: {why}",
        blames="creation",
        explains=_CREATED,
        page=_ADMISSION,
    ),
    Code(
        "DeletionRefused",
        "cannot delete Pods: {why}",
        blames="creation",
        page=_ADMISSION,
    ),
    Code(
        "QuotaExceeded",
        "quota {quota} is exceeded: {amounts,, }",
        blames="quota",
        explains=_CREATED,
        page="https://kubernetes.io/docs/concepts/policy/resource-quotas/",
    ),
    Code("QuotaAmount", "{resource} requested {requested}, used {used} of {limit}"),
    Code(
        "QuotaNeedsResources",
        "quota {quota}: the containers {message}",
        remedy="set the resources in the Pod template and apply it",
        final=True,
        fields=("resources",),
        blames="quota",
        explains=_CREATED,
    ),
    Code(
        "ServiceAccountMissing",
        "service account {name} does not exist",
        blames="serviceAccount",
        explains=_CREATED,
        page="https://kubernetes.io/docs/concepts/security/service-accounts/",
    ),
    Code(
        "PodSecurityForbids",
        "Pod Security {level} forbids it: {message}",
        remedy="fix the securityContext of the Pod template and apply it",
        final=True,
        fields=("security context",),
        blames="podSecurity",
        explains=_CREATED,
        page="https://kubernetes.io/docs/concepts/security/pod-security-admission/",
    ),
    Code(
        "WebhookDenies",
        "admission webhook {webhook} denies it[: {message}]",
        remedy="change what it objects to and apply it, or ask who runs the webhook",
        blames="creation",
        explains=_CREATED,
    ),
    Code(
        "WebhookUnreachable",
        "admission webhook {webhook} cannot be called: {message}",
        remedy="look at the Service and the Pods behind the webhook",
        blames="webhook",
        sure=False,
        explains=_CREATED,
    ),
    Code(
        "ObjectInvalid",
        "invalid: {message}",
        remedy="fix the spec and apply it",
        final=True,
    ),
    Code("RequestRefused", "[{message}|no reason is given]"),
)

DEPLOYMENTS = (
    Code("RolloutProgresses", "the rollout makes progress", OK, page=_DEPLOYMENT),
    Code("RolloutComplete", "the latest rollout is complete", OK, page=_DEPLOYMENT),
    Code(
        "NoProgress",
        "no progress for {seconds} s (progressDeadlineSeconds)",
        final=True,
        page=_DEPLOYMENT,
    ),
    Code(
        "RolloutBlocked",
        "the rollout cannot go on: [{message}|no reason is given]",
        page=_DEPLOYMENT,
    ),
    Code("PodsAvailable", "enough Pods are available", OK),
    Code(
        "PodsUnavailable",
        "fewer Pods are available than the minimum of {minimum} "
        "({desired} wanted, maxUnavailable {unavailable})",
        WAITING,
        fields=("template",),
    ),
    Code(
        "RolloutPaused",
        "paused: [changes of the Pod template are not rolled out{complete!}"
        "|the rollout stands still half way{half!}"
        "|the changed Pod template is not rolled out]",
        WAITING,
        page=f"{_DOCS}deployment/#pausing-and-resuming-a-deployment",
    ),
    Code(
        "ReplicaSetAwaited",
        "the ReplicaSet of the new revision is not created yet",
        WAITING,
    ),
    Code(
        "PodsCreating",
        "[{updated } of {desired new Pod is}{old!}|{updated } of {desired Pod is}] "
        "created"
        "[, {refused} refused|, {coming} on the way"
        "|; the next comes as soon as the controller gets to it{soon!}"
        "|; the next is created when an old Pod is deleted{deleting!}"
        "|; an old one makes room for the next{room!}"
        f"|; the next is created when one more is available {_LIMITS}]",
        WAITING,
    ),
    Code(
        "OldPodsLeft",
        "[the new Pod is created{one!}|all {desired new Pod} are created]; "
        "{old old Pod is} [being deleted{deleting!}|left to delete{room!}"
        f"|deleted when one more is available {_LIMITS}]",
        WAITING,
    ),
    Code("PodsTooMany", "{pods Pod is} too many and being deleted", WAITING),
    Code("PodsEnding", "{pods Pod is} still ending", WAITING),
    Code(
        "OldPodsFirst",
        "waits until {pods old Pod is} gone[ ({ending} ending)]; "
        "then the new ones are created (strategy Recreate)",
        WAITING,
    ),
    Code(
        "LabelsLacking",
        "[pod {pod} lacks {labels label} of the Pod template[; also {others other Pod}]"
        "|{pods Pod} {pods#lacks|lack} labels of the Pod template]",
        WAITING,
        page=f"{_DOCS}replicaset/#non-template-pod-acquisitions",
    ),
)

SETS = (
    Code(
        "ClaimOfOrdinalMissing",
        "PersistentVolumeClaim {claim} of ordinal {ordinal} does not exist",
        WAITING,
    ),
    Code(
        "GoverningServiceMissing",
        "{kind} {name} (serviceName) does not exist: its Pods have no DNS names",
        WAITING,
        remedy="create a headless Service {name} in namespace {namespace}",
        page=f"{_DOCS}statefulset/#stable-network-id",
    ),
    Code(
        "OrdinalDeleted",
        "ordinal {ordinal} is deleted: [too many{surplus!}|below ordinals.start]",
        WAITING,
    ),
    Code("OrdinalUpdatedNext", "ordinal {ordinal} is updated next", WAITING),
    Code(
        "OldRevisionKept",
        "{pods Pod} below ordinal {ordinal} {pods#keeps|keep} the old revision "
        "(partition {partition})",
        OK,
        page=_STATEFUL_SET,
    ),
    Code(
        "OldRevisionBlocks",
        "ordinal {ordinal} is not ready and still of an old revision: it is not "
        "updated before it is ready or deleted (OrderedReady)",
        page=f"{_DOCS}statefulset/#forced-rollback",
    ),
    Code("OrdinalCreatedNext", "ordinal {ordinal} is created next", WAITING),
    Code(
        "OrdinalReplaced",
        "ordinal {ordinal} is made anew[: its Pod has ended{ended!}"
        "| when its old Pod has ended]",
        WAITING,
    ),
    Code(
        "OrdinalWaits",
        "ordinal {ordinal} waits for ordinal {blocking} to be " + _READY,
        WAITING,
    ),
    Code(
        "OrdinalUpdateWaits",
        "ordinal {ordinal} is updated when ordinal {blocking} is " + _READY,
        WAITING,
    ),
    Code("OrdinalAwaited", "waits for ordinal {blocking} to be " + _READY, WAITING),
    Code(
        "UpdatesOnDelete",
        "[{pods Pod is} of an old revision: each|the old revision is on {nodes node}: "
        "a Pod] is updated when somebody deletes it (OnDelete)",
        WAITING,
        page=_STATEFUL_SET,
    ),
    Code(
        "NoNodeMatches",
        "no node matches its nodeSelector, node affinity and tolerations",
        OK,
    ),
    Code("NodesWithoutPod", "{nodes node is} still without a Pod", WAITING),
    Code(
        "NodesToUpdate",
        "still to update: {nodes node} ([{surge} at a time: maxSurge {surge}"
        "|{unavailable} at a time: maxUnavailable {unavailable}])",
        WAITING,
    ),
    Code("NodesAwaited", "waits until its Pod on {nodes node} is " + _READY, WAITING),
    Code(
        "Misscheduled",
        "a Pod runs on {nodes node} that should not have one; it is deleted, unless "
        "all that is against it is a taint NoSchedule",
        WAITING,
    ),
)

_NOTHING = "it protects nothing"
BUDGETS = (
    Code(
        "BudgetUncounted",
        "[no disruption controller has counted{late!}"
        "|the disruption controller has not counted yet]: {healthy Pod is} healthy, "
        "and the status says {counted}",
        WAITING,
    ),
    Code(
        "BudgetBlocks",
        "no healthy Pod may ever be evicted, and drains wait for good: "
        "[{rule}|its spec] leaves no room among {pods Pod}",
        UNKNOWN,
        remedy="lower minAvailable or raise maxUnavailable, or add replicas",
        page=_BUDGET,
    ),
    Code(
        "BudgetAtLimit",
        "no healthy Pod may be evicted now: {healthy } of {expected Pod is} healthy, "
        "and [{rule}|its spec] requires {desired}"
        "[; Pods that are not ready may be evicted{unready!}]",
        WAITING,
        page=_BUDGET,
    ),
    Code(
        "BudgetWithoutController",
        "no eviction is allowed: [{rule}|its spec] counts replicas, and its Pods have "
        "no controller",
        remedy="use minAvailable, with a number, and no maxUnavailable",
        page=f"{_BUDGET}#arbitrary-controllers-and-selectors",
    ),
    Code(
        "BudgetPodsUncounted",
        "no eviction is allowed now: its Pods are not counted[{late!}| yet]",
        WAITING,
    ),
    Code(
        "BudgetPodsUnseen",
        _NOTHING + ": which Pods it selects is unknown: {why}",
        UNKNOWN,
    ),
    Code("BudgetWithoutSelector", _NOTHING + ": it has no selector", page=_BUDGET),
    Code(
        "BudgetPodsEnded",
        _NOTHING + ": all its Pods are terminating or have ended"
        "[: {made}|; {differs}|: there are no Pods in the namespace{none!}]",
        WAITING,
    ),
    Code(
        "BudgetSelectsNothing",
        _NOTHING + ", its selector matches no Pod"
        "[: {made}|; {differs}|: there are no Pods in the namespace{none!}]",
        page=_BUDGET,
    ),
    Code(
        "BudgetsOverlap",
        "{budgets PodDisruptionBudget~3} {budgets#selects|select} {pods~3} as well: "
        "no Pod of two budgets can be evicted, and drains wait for good",
        page=_BUDGET,
    ),
)
