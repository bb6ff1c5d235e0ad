"""What looks like a failure, and is meant to be so or passes by itself."""

from __future__ import annotations

from tools.incidents.objects import (
    autoscaler,
    deployment,
    image,
    job,
    plain,
    probe,
    service,
    workload,
)
from tools.incidents.programs import CRASH, Fault, Program
from tools.incidents.scenes.common import (
    API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    ROLL_API,
)
from tools.incidents.scenes.fights import fight, turns
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    Step,
    behave,
    change,
    create,
    delete_pod,
    pause,
    scale,
    settle,
    until,
)

STARTING = Fault(
    "unready",
    'Get "http://{ip}:8080/healthz": dial tcp {ip}:8080: connect: connection refused',
)
UNHEALTHY = until("probe failed", kinds="events")
HOOK = {"preStop": {"sleep": {"seconds": 20}}}
REVISION = "hello-00001"
ORIGINAL = "downscaler/original-replicas"


KEDA = {
    **autoscaler("web", 1, 5),
    "metadata": {
        "name": "keda-hpa-web",
        "labels": {
            "app.kubernetes.io/managed-by": "keda-operator",
            "scaledobject.keda.sh/name": "web",
        },
    },
}
DISABLED = {
    "status": {
        "currentReplicas": 0,
        "desiredReplicas": 0,
        "conditions": [
            {
                "type": "ScalingActive",
                "status": "False",
                "reason": "ScalingDisabled",
                "message": "scaling is disabled since the replica count of the target"
                " is zero",
            }
        ],
    }
}


def revision() -> dict[str, object]:
    """Return the Deployment of a revision, as Knative Serving makes it."""
    made = deployment(REVISION, 1)
    made["metadata"]["labels"] |= {
        "serving.knative.dev/service": "hello",
        "serving.knative.dev/revision": REVISION,
    }
    return made


def asleep(reference: str, number: int) -> Step:
    """Suspend a workload of *number* replicas as kube-downscaler does."""
    notes = {ORIGINAL: str(number)}
    patch = {"metadata": {"annotations": notes}, "spec": {"replicas": 0}}
    return change("kube-downscaler", reference, patch)


def private() -> dict[str, object]:
    """Return the Service that leads to the Pods of a revision, if it has any."""
    made = service(f"{REVISION}-private", app=REVISION)
    kind = {"networking.internal.knative.dev/serviceType": "Private"}
    made["metadata"]["labels"] |= kind
    return made


SCENES = (
    Scene(
        "well-downscaled",
        "kube-downscaler suspends a Deployment for the night, under a Service.",
        (deployment("web", 2), service("web"), *API),
        (
            EDIT_BANNER,
            pause(2),
            asleep("deploy/web", 2),
            LABEL_API,
            pause(25),
        ),
    ),
    Scene(
        "well-asleep",
        "kube-downscaler suspends a StatefulSet and a Deployment under Services.",
        (
            deployment("web", 2),
            service("web"),
            workload("StatefulSet", "db", 1),
            service("db"),
            *API,
        ),
        (
            LABEL_API,
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            pause(1),
            settle(),
            asleep("deploy/web", 2),
            asleep("sts/db", 1),
            EDIT_BANNER,
            pause(30),
        ),
    ),
    Scene(
        "well-keda",
        "KEDA scales an idle Deployment to zero, under a Service.",
        (deployment("web", 1), service("web"), KEDA, *API),
        (
            LABEL_WEB,
            pause(2),
            scale("deploy/web", 0, "keda"),
            change(
                "kube-controller-manager",
                "hpa/keda-hpa-web",
                DISABLED,
                subresource="/status",
            ),
            ROLL_API,
            pause(25),
        ),
        owner="keda",
    ),
    Scene(
        "well-knative",
        "Knative scales an idle revision to zero, under its private Service.",
        (revision(), private(), *API),
        (
            LABEL_API,
            pause(2),
            change("autoscaler", f"deploy/{REVISION}", {"spec": {"replicas": 0}}),
            EDIT_BANNER,
            pause(25),
        ),
        owner="controller",
    ),
    Scene(
        "fight-night",
        "kube-downscaler suspends a Deployment, and Flux brings it back, in turn.",
        (deployment("web", 2), service("web"), *API),
        (
            LABEL_API,
            turns(
                5,
                asleep("deploy/web", 2),
                change(
                    "kustomize-controller",
                    "deploy/web",
                    {"spec": {"replicas": 2}},
                ),
            ),
            EDIT_BANNER,
            settle(),
        ),
        owner="kustomize-controller",
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/replicas",
                "kube-downscaler",
                "kustomize-controller",
            ),
        ),
    ),
    Scene(
        "well-prestop",
        "A Pod is deleted, and its preStop hook takes twenty seconds.",
        (
            deployment("web", 2, lifecycle=HOOK, terminationGracePeriodSeconds=40),
            service("web"),
            *API,
        ),
        (
            LABEL_API,
            pause(2),
            delete_pod("web"),
            EDIT_BANNER,
            pause(26),
            settle(),
        ),
    ),
    Scene(
        "well-slow-start",
        "A new Deployment needs half a minute to start; its probes fail until then.",
        API,
        (
            EDIT_BANNER,
            create(deployment("web", 2, readinessProbe=probe()), "helm"),
            create(service("web"), "helm"),
            UNHEALTHY,
            pause(25),
            behave("web", ill=None),
            settle(),
            LABEL_API,
            pause(4),
        ),
        owner="helm",
        programs={"web": Program(ill=STARTING)},
    ),
    Scene(
        "well-recreated",
        "A rollout replaces all Pods at once; for a while, none of them is ready.",
        (
            plain(
                "apps/v1",
                "Deployment",
                "web",
                spec={
                    **deployment("web", 2, readinessProbe=probe())["spec"],
                    "strategy": {"type": "Recreate"},
                },
            ),
            service("web"),
            *API,
        ),
        (
            LABEL_WEB,
            behave("web", ill=STARTING),
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            UNHEALTHY,
            pause(14),
            behave("web", ill=None),
            settle(),
            EDIT_BANNER,
            pause(4),
        ),
    ),
    Scene(
        "well-job-retry",
        "The first Pod of a Job fails, and its second one completes.",
        (deployment("web", 2), *API),
        (
            create(job("migrate", top={"backoffLimit": 3}), "kubectl-create"),
            LABEL_API,
            until("Error", kinds="po"),
            behave("migrate", ill=None),
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            until("CompletionsReached", kinds="jobs"),
            settle(),
        ),
        programs={"migrate": Program(ends=4, ill=CRASH)},
    ),
)
