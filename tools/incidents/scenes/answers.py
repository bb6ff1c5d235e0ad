"""Programs that say why they end, and changes that follow each other at once."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    deployment,
    env,
    from_map,
    image,
    of_container,
    probe,
    replicas,
    secret,
    service,
)
from tools.incidents.programs import CRASH, REGISTRY, Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    ROLL_API,
    SCALE_API,
    SCALED,
)
from tools.incidents.scenes.fights import fight, turns
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    autoscale,
    behave,
    blame,
    change,
    create,
    guilty,
    pause,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
CRASHES = until("CrashLoopBackOff", kinds="po")
UNHEALTHY = until("probe failed", kinds="events")
ARGUMENTS = ["--port=8080", "--log-level=info"]
PASSWORD = secret("db", password="s3cret")
LISTENS = """\
level=info msg="starting" version=1.1
"""

SCENES = (
    Scene(
        "argument-typo",
        "An argument gets a typo; the program names it and ends.",
        (deployment("web", 2, args=ARGUMENTS), config_map("settings", A="1"), *API),
        (
            change("helm", "cm/settings", {"data": {"A": "2"}}),
            LABEL_API,
            blame(
                WEB,
                "kubectl-edit",
                "deploy/web",
                of_container(args=["--prot=8080", "--log-level=info"]),
            ),
            EDIT_BANNER,
            CRASHES,
            NOTE_WEB,
        ),
        programs={
            "web": Program(
                flags=r"--port=\d+ --log-level=\w+",
                log=LISTENS + "Error: unknown flag: --prot\n",
            )
        },
        logs=True,
    ),
    Scene(
        "password-then-release",
        "A Secret gets a wrong password; the Pods of a good release then read it.",
        (
            PASSWORD,
            deployment(
                "web",
                2,
                env=from_map("db", "password", kind="secret"),
                terminationMessagePolicy="FallbackToLogsOnError",
            ),
            *API,
        ),
        (
            LABEL_WEB,
            pause(2),
            blame(
                WEB, "kubectl-edit", "secrets/db", secret("db", password="s3cret-old")
            ),
            pause(8),
            change("argocd-controller", "deploy/web", image("web", "1.1")),
            LABEL_API,
            CRASHES,
            EDIT_BANNER,
        ),
        owner="argocd-controller",
        programs={
            "web": Program(
                env={"password": "s3cret"},
                log=LISTENS
                + 'FATAL: password authentication failed for user "shop"'
                + " (SQLSTATE 28P01)\n",
            )
        },
        logs=True,
    ),
    Scene(
        "read-only",
        "A root file system is made read-only, and the program has to write to it.",
        (deployment("web", 2), *API),
        (
            change("argocd-controller", "deploy/web", image("web", "1.1")),
            pause(1),
            settle(),
            blame(
                WEB,
                "kubectl-patch",
                "deploy/web",
                of_container(securityContext={"readOnlyRootFilesystem": True}),
            ),
            LABEL_WEB,
            CRASHES,
            ARGO_API,
        ),
        owner="argocd-controller",
        programs={
            "web": Program(
                writes=True,
                log=LISTENS + "open /var/cache/app/index.tmp: read-only file system\n",
            )
        },
        logs=True,
    ),
    Scene(
        "service-scaled-away",
        "A Deployment is scaled to zero, without a field manager, under a Service.",
        (deployment("web", 3), service("front", app="web"), *API),
        (
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            pause(1),
            settle(),
            EDIT_BANNER,
            guilty(scale("deploy/web", 0, by=""), "Service/front"),
            pause(2),
            LABEL_API,
            ROLL_API,
            pause(10),
        ),
    ),
    Scene(
        "fight-replicas-load",
        "An autoscaler and Flux set the replicas in turn, until the fewer cannot cope.",
        (*SCALED, *API),
        (
            LABEL_API,
            turns(
                5,
                autoscale("web", 5),
                change("kustomize-controller", "deploy/web", replicas(3)),
            ),
            autoscale("web", 5),
            settle(),
            behave("web", least=4),
            pause(3),
            blame(WEB, "kustomize-controller", "deploy/web", replicas(3)),
            UNHEALTHY,
            EDIT_BANNER,
            pause(12),
        ),
        owner="kustomize-controller",
        before=(autoscale("web", 3),),
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/replicas",
                "kube-controller-manager",
                "kustomize-controller",
            ),
        ),
    ),
    Scene(
        "new-probe-port",
        "A new Deployment gets a probe of a port that nothing listens on, at once.",
        API,
        (
            LABEL_API,
            create(deployment("web", 2, readinessProbe=probe()), "helm"),
            pause(0.4),
            blame(
                WEB,
                "kubectl-patch",
                "deploy/web",
                of_container(readinessProbe=probe(port=9090)),
            ),
            UNHEALTHY,
            EDIT_BANNER,
            pause(20),
        ),
        owner="helm",
    ),
    Scene(
        "new-then-set",
        "A new Deployment gets another image at once, which does not exist.",
        API,
        (
            EDIT_BANNER,
            create(deployment("a", 2, tag="1"), "kubectl-create"),
            pause(0.3),
            blame("Deployment/a", "kubectl-set", "deploy/a", image("a", "2")),
            LABEL_API,
            until("ImagePullBackOff", kinds="po"),
            pause(5),
        ),
        programs={"a": Program(tags=("1",))},
    ),
    Scene(
        "unsigned-image",
        "A client without a field manager sets an image that does not exist.",
        (deployment("web", 3), *API),
        (
            change("helm", "deploy/web", env(LOG="debug")),
            pause(1),
            settle(),
            blame(WEB, "", "deploy/web", image("web", "9.9")),
            EDIT_BANNER,
            until("ImagePullBackOff", kinds="po"),
            LABEL_WEB,
        ),
        owner="helm",
    ),
    Scene(
        "two-faults",
        "A selector gets a typo, and another Deployment an image that crashes.",
        (deployment("web", 2), service("web"), *API),
        (
            NOTE_WEB,
            blame(
                "Service/api",
                "kubectl-edit",
                "svc/api",
                {"spec": {"selector": {"app": "ap"}}},
            ),
            pause(1),
            blame(WEB, "argocd-controller", "deploy/web", image("web", "1.1")),
            LABEL_API,
            CRASHES,
            SCALE_API,
        ),
        owner="argocd-controller",
        programs={"web": Program(broken={"1.1": CRASH})},
    ),
    Scene(
        "good-then-bad",
        "A good image and a good value, and a second later too small a memory limit.",
        (
            config_map("settings", MODE="rw"),
            deployment("web", 2, envFrom=[{"configMapRef": {"name": "settings"}}]),
            *API,
        ),
        (
            LABEL_API,
            change("flux", "cm/settings", {"data": {"MODE": "ro"}}),
            change("flux", "deploy/web", image("web", "1.1")),
            pause(1),
            blame(
                WEB,
                "kubectl-set",
                "deploy/web",
                of_container(
                    image=f"{REGISTRY}/web:1.1",
                    resources={"limits": {"memory": "32Mi"}},
                ),
            ),
            EDIT_BANNER,
            CRASHES,
        ),
        owner="flux",
        programs={"web": Program(env={"MODE": "rw|ro"})},
    ),
)
