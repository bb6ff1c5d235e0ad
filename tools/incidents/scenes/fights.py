"""Fields that two managers fight over."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    deployment,
    image,
    labels,
    replicas,
    service,
)
from tools.incidents.scenes.common import (
    API,
    EDIT_BANNER,
    LABEL_API,
    NOTE_WEB,
    ROLL_API,
    SCALED,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    Step,
    autoscale,
    blame,
    change,
    pause,
    repeat,
    scale,
    settle,
)


def fight(kind: str, name: str, pointer: str, *managers: str) -> dict[str, object]:
    return {"kind": kind, "name": name, "pointer": pointer, "managers": list(managers)}


def turns(times: int, *steps: Step) -> Step:
    """Return *steps* in turn, with four seconds between them."""
    return repeat(times, *(each for step in steps for each in (step, pause(4))))


SCENES = (
    Scene(
        "fight-replicas-person",
        "An autoscaler and a person set the replicas of a Deployment in turn.",
        (*SCALED, *API),
        (LABEL_API, turns(6, scale("deploy/web", 3), autoscale("web", 5)), settle()),
        before=(autoscale("web", 3),),
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/replicas",
                "kube-controller-manager",
                "kubectl",
            ),
        ),
    ),
    Scene(
        "fight-replicas-argo",
        "An autoscaler and Argo CD set the replicas of a Deployment in turn.",
        (*SCALED, *API),
        (
            EDIT_BANNER,
            turns(
                7,
                autoscale("web", 4),
                change("argocd-controller", "deploy/web", replicas(3)),
            ),
            NOTE_WEB,
            settle(),
        ),
        owner="argocd-controller",
        before=(autoscale("web", 3),),
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/replicas",
                "argocd-controller",
                "kube-controller-manager",
            ),
        ),
    ),
    Scene(
        "fight-label",
        "Two GitOps controllers set a label of a Service in turn.",
        (deployment("web", 2), service("web"), *API),
        (
            ROLL_API,
            turns(
                6,
                change("kustomize-controller", "svc/web", labels(team="blue")),
                change("Terraform", "svc/web", labels(team="green")),
            ),
        ),
        flaps=(
            fight(
                "Service",
                "web",
                "/metadata/labels/team",
                "kustomize-controller",
                "Terraform",
            ),
        ),
    ),
    Scene(
        "fight-image",
        "Argo CD and an image updater set the image of a Deployment in turn.",
        (deployment("web", 2), *API),
        (
            LABEL_API,
            turns(
                5,
                change("keel", "deploy/web", image("web", "1.1")),
                change("argocd-controller", "deploy/web", image("web", "1.0")),
            ),
            settle(),
        ),
        owner="argocd-controller",
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/template/spec/containers/0/image",
                "argocd-controller",
                "keel",
            ),
        ),
    ),
    Scene(
        "fight-map",
        "A person and Helm set a key of a ConfigMap in turn while a rollout fails.",
        (config_map("settings", LOG_LEVEL="info"), deployment("web", 2), *API),
        (
            turns(
                3,
                change("kubectl-edit", "cm/settings", {"data": {"LOG_LEVEL": "debug"}}),
                change("helm", "cm/settings", {"data": {"LOG_LEVEL": "info"}}),
            ),
            blame("Deployment/web", "kubectl-set", "deploy/web", image("web", "2.0")),
            turns(
                3,
                change("kubectl-edit", "cm/settings", {"data": {"LOG_LEVEL": "debug"}}),
                change("helm", "cm/settings", {"data": {"LOG_LEVEL": "info"}}),
            ),
        ),
        owner="helm",
        flaps=(
            fight("ConfigMap", "settings", "/data/LOG_LEVEL", "helm", "kubectl-edit"),
        ),
    ),
)
