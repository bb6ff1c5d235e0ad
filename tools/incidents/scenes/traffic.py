"""Probes, ports, selectors, Services and Ingresses."""

from __future__ import annotations

from tools.incidents.objects import (
    deployment,
    env,
    image,
    ingress,
    of_container,
    plain,
    probe,
    service,
)
from tools.incidents.programs import BUSY, Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    RESTART_API,
    ROLL_API,
    SCALE_API,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    behave,
    blame,
    change,
    create,
    delete,
    guilty,
    json_patch,
    pause,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
PROBED = deployment("web", 3, readinessProbe=probe())
UNHEALTHY = until("probe failed", kinds="events")
CRASHES = until("CrashLoopBackOff", kinds="po")
SERVED = (deployment("web", 2), service("web"), ingress("shop", "web"))
EMPTY = pause(8)
"Long enough for the controllers to empty the EndpointSlices."
SCENES = (
    Scene(
        "readiness-path",
        "The readiness probe asks a path that the program does not serve.",
        (PROBED, service("web"), *API),
        (
            LABEL_API,
            pause(3),
            blame(
                WEB,
                "kubectl-edit",
                "deploy/web",
                of_container(readinessProbe=probe(path="/ready")),
            ),
            EDIT_BANNER,
            UNHEALTHY,
            NOTE_WEB,
            pause(6),
        ),
    ),
    Scene(
        "readiness-port",
        "A release moves the program to another port, but not its readiness probe.",
        (PROBED, service("web"), *API),
        (
            change("helm", "svc/web", {"metadata": {"labels": {"release": "7"}}}),
            blame(WEB, "helm", "deploy/web", env(PORT="9090")),
            change("helm", "deploy/api", image("api", "1.1")),
            UNHEALTHY,
            LABEL_WEB,
            pause(6),
        ),
        owner="helm",
    ),
    Scene(
        "liveness-path",
        "A liveness probe is added with a wrong path: the containers are restarted.",
        (deployment("web", 2), service("web"), *API),
        (
            RESTART_API,
            blame(
                WEB,
                "kubectl-client-side-apply",
                "deploy/web",
                of_container(livenessProbe=probe(path="/live")),
            ),
            pause(4),
            LABEL_WEB,
            CRASHES,
        ),
    ),
    Scene(
        "unready-image",
        "A new image never gets ready: it answers 503.",
        (PROBED, service("web"), *API),
        (
            EDIT_BANNER,
            pause(1),
            blame(WEB, "kustomize-controller", "deploy/web", image("web", "1.2")),
            pause(3),
            scale("deploy/web", 4),
            UNHEALTHY,
            ROLL_API,
            pause(5),
        ),
        owner="kustomize-controller",
        programs={"web": Program(broken={"1.2": BUSY})},
    ),
    Scene(
        "selector-edited",
        "The Service's selector gets a label that no Pod has.",
        (*SERVED, *API),
        (
            LABEL_API,
            NOTE_WEB,
            pause(2),
            blame(
                "Service/web",
                "kubectl-edit",
                "svc/web",
                {"spec": {"selector": {"tier": "web"}}},
            ),
            pause(4),
            SCALE_API,
            EMPTY,
        ),
    ),
    Scene(
        "pod-label-changed",
        "A rollout changes the label of the Pods that the Service selects.",
        (
            deployment("web", 2, labels={"track": "stable"}),
            {
                **service("web"),
                "spec": {
                    "selector": {"app": "web", "track": "stable"},
                    "ports": [{"name": "http", "port": 80, "targetPort": "http"}],
                },
            },
            *API,
        ),
        (
            EDIT_BANNER,
            blame(
                "Service/web",
                "argocd-controller",
                "deploy/web",
                {"spec": {"template": {"metadata": {"labels": {"track": "v2"}}}}},
            ),
            settle(),
            change(
                "kubectl-annotate", "svc/web", {"metadata": {"annotations": {"a": "b"}}}
            ),
            EMPTY,
        ),
        owner="argocd-controller",
    ),
    Scene(
        "target-port-renamed",
        "The Service's targetPort gets a name that no container port has.",
        (*SERVED, *API),
        (
            ARGO_API,
            blame(
                "Service/web",
                "kubectl-patch",
                "svc/web",
                {"spec": {"ports": [{"port": 80, "targetPort": "web"}]}},
            ),
            pause(3),
            LABEL_WEB,
            EMPTY,
        ),
    ),
    Scene(
        "container-port-renamed",
        "A rollout renames the container port that the Service's targetPort names.",
        (deployment("web", 2), service("web"), *API),
        (
            change("kubectl-label", "svc/web", {"metadata": {"labels": {"team": "x"}}}),
            pause(2),
            blame(
                "Service/web",
                "kubectl-edit",
                "deploy/web",
                of_container(ports=[{"name": "web", "containerPort": 8080}]),
            ),
            settle(),
            LABEL_API,
            EMPTY,
        ),
    ),
    Scene(
        "ingress-backend",
        "The Ingress is sent to a Service that does not exist.",
        (*SERVED, *API),
        (
            change("kubectl-label", "svc/web", {"metadata": {"labels": {"team": "x"}}}),
            pause(3),
            guilty(
                json_patch(
                    "kubectl-edit",
                    "ing/shop",
                    {
                        "op": "replace",
                        "path": "/spec/rules/0/http/paths/0/backend/service/name",
                        "value": "wbe",
                    },
                ),
                "Ingress/shop",
            ),
            LABEL_API,
            EMPTY,
            change(
                "kubectl-label", "ing/shop", {"metadata": {"labels": {"team": "x"}}}
            ),
        ),
    ),
    Scene(
        "service-deleted",
        "The Service behind an Ingress is deleted.",
        (*SERVED, *API),
        (
            ROLL_API,
            settle(),
            guilty(delete("svc/web"), "Ingress/shop"),
            NOTE_WEB,
            EMPTY,
        ),
    ),
    Scene(
        "service-port-renamed",
        "The port of a Service that an Ingress names is renamed.",
        (*SERVED, *API),
        (
            LABEL_WEB,
            blame(
                "Ingress/shop",
                "Terraform",
                "svc/web",
                {"spec": {"ports": [{"name": "web", "port": 80, "targetPort": 8080}]}},
            ),
            pause(2),
            EDIT_BANNER,
            EMPTY,
        ),
        owner="Terraform",
    ),
    Scene(
        "scaled-to-zero",
        "A person scales a Deployment to zero, and its Service has no endpoints.",
        (*SERVED, *API),
        (
            EDIT_BANNER,
            LABEL_API,
            pause(3),
            guilty(scale("deploy/web", 0), "Service/web"),
            pause(2),
            ROLL_API,
            EMPTY,
        ),
    ),
    Scene(
        "deployment-deleted",
        "A person deletes the Deployment behind a Service and its Ingress.",
        (*SERVED, *API),
        (
            LABEL_WEB,
            pause(2),
            guilty(delete("deploy/web"), "Service/web"),
            LABEL_API,
            EMPTY,
        ),
    ),
    Scene(
        "network-policy",
        "A NetworkPolicy cuts the Pods off from what they need; they turn unready.",
        (PROBED, service("web"), *API),
        (
            EDIT_BANNER,
            LABEL_API,
            guilty(
                create(
                    plain(
                        "networking.k8s.io/v1",
                        "NetworkPolicy",
                        "web-egress",
                        spec={
                            "podSelector": {"matchLabels": {"app": "web"}},
                            "policyTypes": ["Egress"],
                        },
                    ),
                    "kubectl-create",
                ),
                WEB,
            ),
            behave("web", ill=BUSY),
            UNHEALTHY,
            pause(8),
        ),
        more="networkpolicies",
    ),
    Scene(
        "cascade",
        "A bad release of api; web, which calls it, turns unready after it.",
        (PROBED, service("web"), *API),
        (
            NOTE_WEB,
            pause(3),
            blame(
                "Deployment/api", "argocd-controller", "deploy/api", image("api", "1.7")
            ),
            until("ImagePullBackOff", kinds="po"),
            behave("web", ill=BUSY),
            UNHEALTHY,
            pause(8),
        ),
        owner="argocd-controller",
    ),
)
