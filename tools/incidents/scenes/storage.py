"""Claims and storage classes that are not there."""

from __future__ import annotations

from tools.incidents.objects import (
    claim,
    deployment,
    of_pod,
    plain,
    volume_of_claim,
    workload,
)
from tools.incidents.scenes.common import (
    API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    ROLL_API,
    SCALE_API,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    blame,
    create,
    delete,
    guilty,
    pause,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
UNSCHEDULABLE = until("Unschedulable", kinds="po")
VOLUME = plain(
    "v1",
    "PersistentVolume",
    "pvc-deleted-data",
    spec={
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/data"},
        "storageClassName": "by-hand",
    },
)

SCENES = (
    Scene(
        "claim-typo",
        "The Deployment names a claim that does not exist.",
        (claim("data", "by-hand"), deployment("web", 2), *API),
        (
            ROLL_API,
            blame(
                WEB,
                "kubectl-client-side-apply",
                "deploy/web",
                of_pod(volumes=[volume_of_claim("dta")]),
            ),
            LABEL_API,
            UNSCHEDULABLE,
        ),
    ),
    Scene(
        "pvc-deleted",
        "The claim of a Deployment is deleted while it is scaled to zero.",
        (
            VOLUME,
            claim("data", "by-hand"),
            deployment("web", 1, volumes=[volume_of_claim("data")]),
            *API,
        ),
        (
            pause(1),
            guilty(delete("pvc/data"), WEB),
            pause(10),
            EDIT_BANNER,
            scale("deploy/web", 1),
            UNSCHEDULABLE,
            LABEL_WEB,
        ),
        before=(scale("deploy/web", 0), settle(), pause(3)),
    ),
    Scene(
        "storage-class",
        "A new StatefulSet claims storage of a class that does not exist.",
        API,
        (
            SCALE_API,
            guilty(
                create(
                    workload(
                        "StatefulSet",
                        "db",
                        3,
                        top={"volumeClaimTemplates": [claim("data", "fast-ssd")]},
                    ),
                    "helm",
                ),
                "StatefulSet/db",
            ),
            pause(2),
            LABEL_API,
            UNSCHEDULABLE,
        ),
    ),
)
