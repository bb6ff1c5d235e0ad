"""Images that cannot be pulled or do not start."""

from __future__ import annotations

from tools.incidents.objects import (
    deployment,
    image,
    of_container,
    pull_secret,
    workload,
)
from tools.incidents.programs import REGISTRY, Fault, Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    NOTE_WEB,
    PATCH_SERVICE,
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
    evict,
    guilty,
    json_patch,
    pause,
    rollout_restart,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
BACK_OFF = until("ImagePullBackOff", kinds="po")
CRASHES = until("CrashLoopBackOff", kinds="po")
PRIVATE = {"web": Program(login="t0ken-1")}
LOGIN = pull_secret("regcred", "t0ken-1")
PULLS = deployment("web", imagePullSecrets=[{"name": "regcred"}])
ARM = Fault("exit", code=255)
DOWN = Fault(
    "pull",
    f'failed to pull and unpack image "{REGISTRY}/web:1.0": failed to resolve reference'
    f' "{REGISTRY}/web:1.0": failed to do request: Head'
    f' "https://{REGISTRY}/v2/web/manifests/1.0": dial tcp 203.0.113.7:443:'
    " i/o timeout",
)
SCENES = (
    Scene(
        "bad-tag-edit",
        "A person edits the image to a tag that is not in the registry.",
        (deployment("web", 3), *API),
        (
            LABEL_API,
            pause(3),
            blame(WEB, "kubectl-edit", "deploy/web", image("web", "1.O")),
            pause(1),
            EDIT_BANNER,
            BACK_OFF,
            NOTE_WEB,
        ),
    ),
    Scene(
        "bad-tag-helm",
        "A helm upgrade rolls out api and web; the tag of web does not exist.",
        (deployment("web", 3), *API),
        (
            EDIT_BANNER,
            pause(2),
            blame(WEB, "helm", "deploy/web", image("web", "1.3")),
            change("helm", "deploy/api", image("api", "1.2")),
            change("helm", "cm/banner", {"data": {"text": "Sale!"}}),
            pause(1),
            NOTE_WEB,
            BACK_OFF,
        ),
        owner="helm",
    ),
    Scene(
        "bad-repository",
        "kubectl set image names a repository that does not exist.",
        (deployment("web", 2), *API),
        (
            scale("deploy/web", 3),
            settle(),
            pause(4),
            blame(
                WEB,
                "kubectl-set",
                "deploy/web",
                of_container(image=f"{REGISTRY}/wbe:1.1"),
            ),
            PATCH_SERVICE,
            BACK_OFF,
            scale("deploy/web", 4),
        ),
    ),
    Scene(
        "new-bad-tag",
        "A new Deployment is created with a tag that does not exist.",
        API,
        (
            ROLL_API,
            settle(),
            guilty(
                create(deployment("worker", 2, tag="latest"), "kubectl-create"),
                "Deployment/worker",
            ),
            LABEL_API,
            BACK_OFF,
        ),
    ),
    Scene(
        "pull-secret-deleted",
        "The pull secret is deleted; a Pod that is evicted later cannot come back.",
        (LOGIN, PULLS, *API),
        (
            guilty(delete("secrets/regcred"), WEB),
            pause(12),
            LABEL_API,
            NOTE_WEB,
            pause(13),
            evict("web"),
            BACK_OFF,
        ),
        programs=PRIVATE,
    ),
    Scene(
        "pull-secret-rotated",
        "The pull secret gets a wrong token, and the Deployment is restarted later.",
        (LOGIN, PULLS, *API),
        (
            EDIT_BANNER,
            pause(3),
            blame(
                WEB,
                "Terraform",
                "secrets/regcred",
                {"data": pull_secret("regcred", "t0ken-2")["data"]},
            ),
            pause(25),
            SCALE_API,
            rollout_restart("deploy/web"),
            BACK_OFF,
        ),
        programs=PRIVATE,
    ),
    Scene(
        "pull-secret-unused",
        "A change by Terraform drops imagePullSecrets from the Deployment.",
        (LOGIN, PULLS, *API),
        (
            ARGO_API,
            settle(),
            guilty(
                json_patch(
                    "Terraform",
                    "deploy/web",
                    {"op": "remove", "path": "/spec/template/spec/imagePullSecrets"},
                ),
                WEB,
            ),
            pause(1),
            change(
                "kubectl-label", "secrets/regcred", {"metadata": {"labels": {"x": "y"}}}
            ),
            BACK_OFF,
        ),
        owner="Terraform",
        programs=PRIVATE,
    ),
    Scene(
        "arm-image",
        "The new image is for another architecture: the container exits with 255.",
        (deployment("web", 3), *API),
        (
            LABEL_API,
            pause(5),
            blame(WEB, "kubectl-client-side-apply", "deploy/web", image("web", "1.1")),
            pause(2),
            EDIT_BANNER,
            CRASHES,
            NOTE_WEB,
        ),
        programs={"web": Program(broken={"1.1": ARM})},
    ),
    Scene(
        "slow-crash",
        "The new image runs for 40 seconds before it crashes; others work meanwhile.",
        (deployment("web", 2), *API),
        (
            blame(WEB, "argocd-controller", "deploy/web", image("web", "1.2")),
            settle(),
            pause(6),
            ROLL_API,
            NOTE_WEB,
            pause(10),
            EDIT_BANNER,
            CRASHES,
        ),
        owner="argocd-controller",
        programs={"web": Program(broken={"1.2": Fault("exit", code=139, after=40)})},
    ),
    Scene(
        "statefulset-tag",
        "A StatefulSet gets a tag that does not exist and stops at its last Pod.",
        (workload("StatefulSet", "db", 3), *API),
        (
            SCALE_API,
            pause(2),
            blame("StatefulSet/db", "kubectl-set", "sts/db", image("db", "14.2")),
            pause(1),
            change("kubectl-label", "sts/db", {"metadata": {"labels": {"tier": "db"}}}),
            BACK_OFF,
        ),
    ),
    Scene(
        "daemonset-tag",
        "A DaemonSet gets a tag that does not exist.",
        (workload("DaemonSet", "agent", None), *API),
        (
            EDIT_BANNER,
            blame("DaemonSet/agent", "Mozilla", "ds/agent", image("agent", "1.10")),
            LABEL_API,
            BACK_OFF,
        ),
    ),
    Scene(
        "rolled-back",
        "A bad tag is rolled out, and rolled back half a minute later, which mends it.",
        (deployment("web", 3), *API),
        (
            LABEL_API,
            pause(2),
            blame(WEB, "kubectl-set", "deploy/web", image("web", "1.9")),
            BACK_OFF,
            EDIT_BANNER,
            pause(15),
            change("kubectl", "deploy/web", image("web", "1.0")),
            settle(),
        ),
    ),
    Scene(
        "registry-down",
        "The registry is down when an evicted Pod comes back: nobody changed a thing.",
        (deployment("web", 2), *API),
        (
            ROLL_API,
            settle(),
            NOTE_WEB,
            pause(4),
            behave("web", ill=DOWN),
            evict("web"),
            BACK_OFF,
        ),
        unexplained=(WEB,),
    ),
)
