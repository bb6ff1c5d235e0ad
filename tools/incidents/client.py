"""Requests to the API server under many field managers."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any
from urllib.parse import urlencode

from tests.e2e.controlplane import ControlPlane
from tests.processes import PATIENCE

Record = dict[str, Any]
GROUPS = {
    "apps/v1": "deployments replicasets statefulsets daemonsets",
    "batch/v1": "jobs cronjobs",
    "autoscaling/v2": "horizontalpodautoscalers",
    "policy/v1": "poddisruptionbudgets",
    "networking.k8s.io/v1": "ingresses networkpolicies",
    "discovery.k8s.io/v1": "endpointslices",
    "scheduling.k8s.io/v1": "priorityclasses",
    "storage.k8s.io/v1": "storageclasses",
    "admissionregistration.k8s.io/v1": "validatingwebhookconfigurations",
    "apiextensions.k8s.io/v1": "customresourcedefinitions",
    "example.com/v1": "certificates",
}
CLUSTER_WIDE = [
    "nodes",
    "namespaces",
    "persistentvolumes",
    "priorityclasses",
    "storageclasses",
    "validatingwebhookconfigurations",
    "customresourcedefinitions",
]
SHORT = {
    "deploy": "deployments",
    "rs": "replicasets",
    "sts": "statefulsets",
    "ds": "daemonsets",
    "cj": "cronjobs",
    "po": "pods",
    "svc": "services",
    "ing": "ingresses",
    "cm": "configmaps",
    "pvc": "persistentvolumeclaims",
    "hpa": "horizontalpodautoscalers",
    "pdb": "poddisruptionbudgets",
    "quota": "resourcequotas",
    "limits": "limitranges",
    "sa": "serviceaccounts",
    "no": "nodes",
    "ns": "namespaces",
    "pc": "priorityclasses",
    "webhook": "validatingwebhookconfigurations",
}


def path_of(reference: str, namespace: str) -> str:
    """Return the path of `deploy/web`, or of a collection: `deploy`.

    >>> path_of("deploy/web", "shop")
    '/apis/apps/v1/namespaces/shop/deployments/web'
    """
    short, slash, name = reference.partition("/")
    plural = SHORT.get(short) or (short if short.endswith("s") else f"{short}s")
    version = next((each for each, of in GROUPS.items() if plural in of.split()), "")
    root = f"/apis/{version}" if version else "/api/v1"
    within = "" if plural in CLUSTER_WIDE else f"/namespaces/{namespace}"
    return f"{root}{within}/{plural}{slash}{name}"


def plural_of(kind: str) -> str:
    """Return the name of a kind's resource.

    >>> plural_of("PriorityClass")
    'priorityclasses'
    """
    name = kind.lower()
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return name + ("es" if name.endswith("s") else "s")


class Refused(Exception):
    """The API server answered with an error status."""


class Client:
    """Asks the API server; each thread has a connection of its own."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._context = plane.certificates.client("admin")
        self._local = threading.local()

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        manager: str = "",
        patch: str = "strategic-merge-patch",
    ) -> Any:
        """Return what the body of the answer decodes to."""
        query = f"?{urlencode({'fieldManager': manager})}" if manager else ""
        kind = patch if method == "PATCH" else ""
        headers = {"Content-Type": f"application/{kind}+json".replace("/+", "/")}
        payload = None if body is None else json.dumps(body)
        for attempt in (1, 2):
            connection = self._connection(anew=attempt == 2)
            try:
                connection.request(method, path + query, payload, headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (OSError, http.client.HTTPException):
                # The server closed a connection that stood idle.
                if attempt == 2:
                    raise
        if response.status >= 400:
            raise Refused(f"{method} {path}: {response.status} {text[:400]!r}")
        return json.loads(text)

    def items(self, reference: str, namespace: str) -> list[Record]:
        """Return the objects of a collection."""
        found: list[Record] = self.send("GET", path_of(reference, namespace))["items"]
        return found

    def open(self, path: str) -> http.client.HTTPResponse:
        """Return an answer to read from as it comes: a watch."""
        connection = self._new(timeout=None)
        connection.request("GET", path)
        return connection.getresponse()

    def _connection(self, *, anew: bool) -> http.client.HTTPSConnection:
        if anew or not hasattr(self._local, "connection"):
            self._local.connection = self._new(PATIENCE)
        connection: http.client.HTTPSConnection = self._local.connection
        return connection

    def _new(self, timeout: float | None) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "127.0.0.1", self._plane.port, timeout=timeout, context=self._context
        )
