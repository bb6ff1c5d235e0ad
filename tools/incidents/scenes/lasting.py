"""What hangs: custom resources that are not ready, and finalizers."""

from __future__ import annotations

from tools.incidents.objects import deployment, plain
from tools.incidents.scenes.common import API, LABEL_API
from tools.incidents.stage import Scene
from tools.incidents.steps import Step, change, create, delete, guilty, pause

WEB = "Deployment/web"


def status(ready: str, reason: str, message: str) -> dict[str, object]:
    condition = {
        "type": "Ready",
        "status": ready,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-23T12:00:00Z",
    }
    return {"status": {"conditions": [condition]}}


def certificate(by: str, patch: dict[str, object], subresource: str = "") -> Step:
    """Change the custom resource."""
    of = "certificates/shop"
    return change(by, of, patch, subresource=subresource, patch_type="merge-patch")


NAMES = {
    "plural": "certificates",
    "singular": "certificate",
    "kind": "Certificate",
}
SCHEMA = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
VERSION = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": SCHEMA},
    "subresources": {"status": {}},
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "certificates.example.com"},
    "spec": {
        "group": "example.com",
        "names": NAMES,
        "scope": "Namespaced",
        "versions": [VERSION],
    },
}
SHOP = plain(
    "example.com/v1", "Certificate", "shop", spec={"dnsNames": ["a.example.com"]}
)
SCENES = (
    Scene(
        "finalizer",
        "A Deployment is deleted, and a finalizer that nobody removes keeps it.",
        (
            {
                **deployment("web", 2),
                "metadata": {"name": "web", "finalizers": ["example.com/cleanup"]},
            },
            *API,
        ),
        (LABEL_API, guilty(delete("deploy/web"), WEB), pause(70)),
    ),
    Scene(
        "cr-ready-false",
        "A custom resource gets a wrong name, and its controller cannot work with it.",
        (DEFINITION, *API),
        (
            guilty(
                certificate("kubectl-edit", {"spec": {"dnsNames": ["a..example.com"]}}),
                "Certificate/shop",
            ),
            pause(2),
            certificate("flux", {"metadata": {"labels": {"team": "blue"}}}),
            pause(1),
            certificate(
                "cert-manager",
                status("False", "Invalid", "a..example.com is not a valid domain"),
                "/status",
            ),
            LABEL_API,
            pause(25),
        ),
        before=(
            pause(4),
            create(SHOP),
            certificate("cert-manager", status("True", "Issued", ""), "/status"),
        ),
        more="certificates.example.com",
    ),
)
