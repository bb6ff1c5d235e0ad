"""Objects that scenes begin with, and patches of them, in few words."""

from __future__ import annotations

import base64
import json
from typing import Any

from tools.incidents.programs import REGISTRY

Record = dict[str, Any]


def _meta(name: str, **labels: str) -> Record:
    return {"name": name, "labels": {"app": name, **labels}}


def pod_template(app: str, tag: str = "1.0", **fields: Any) -> Record:
    """Return a Pod template; *fields* are of the container, or else of the Pod."""
    container = {
        "name": "app",
        "image": f"{REGISTRY}/{app}:{tag}",
        "ports": [{"name": "http", "containerPort": 8080}],
    }
    of_container = [
        "image",
        "args",
        "command",
        "env",
        "envFrom",
        "resources",
        "ports",
        "volumeMounts",
        "livenessProbe",
        "readinessProbe",
        "lifecycle",
        "securityContext",
        "terminationMessagePolicy",
    ]
    container.update({key: fields.pop(key) for key in of_container if key in fields})
    labels = {"app": app, **fields.pop("labels", {})}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 5, **fields}
    return {"metadata": {"labels": labels}, "spec": spec}


def workload(
    kind: str,
    name: str,
    replicas: int | None = 2,
    *,
    top: Record | None = None,
    **pod: Any,
) -> Record:
    """Return a Deployment, StatefulSet or DaemonSet; *top* is merged into its spec."""
    spec: Record = {
        "selector": {"matchLabels": {"app": name}},
        "template": pod_template(name, **pod),
        **(top or {}),
    }
    if replicas is not None:
        spec["replicas"] = replicas
    if kind == "StatefulSet":
        spec = {"serviceName": name, **spec}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": _meta(name),
        "spec": spec,
    }


def deployment(name: str, replicas: int = 2, **pod: Any) -> Record:
    return workload("Deployment", name, replicas, **pod)


def job(name: str, *, top: Record | None = None, **pod: Any) -> Record:
    template = pod_template(name, restartPolicy="Never", **pod)
    spec = {"template": template, "backoffLimit": 1, **(top or {})}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": _meta(name),
        "spec": spec,
    }


def cron_job(name: str, **pod: Any) -> Record:
    spec = {"schedule": "* * * * *", "jobTemplate": {"spec": job(name, **pod)["spec"]}}
    top = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": _meta(name)}
    return {**top, "spec": spec}


def service(name: str, port: int | str = "http", app: str = "") -> Record:
    ports = [{"name": "http", "port": 80, "targetPort": port}]
    spec = {"selector": {"app": app or name}, "ports": ports}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _meta(name),
        "spec": spec,
    }


def ingress(name: str, backend: str, port: str = "http") -> Record:
    to = {"service": {"name": backend, "port": {"name": port}}}
    paths = [{"path": "/", "pathType": "Prefix", "backend": to}]
    rules = [{"host": f"{name}.example.com", "http": {"paths": paths}}]
    top = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress"}
    return {**top, "metadata": _meta(name), "spec": {"rules": rules}}


def config_map(name: str, **data: str) -> Record:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _meta(name),
        "data": data,
    }


def secret(name: str, **data: str) -> Record:
    encoded = {
        key: base64.b64encode(each.encode()).decode() for key, each in data.items()
    }
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _meta(name),
        "data": encoded,
    }


def pull_secret(name: str, token: str) -> Record:
    login = {"auths": {REGISTRY: {"username": "ci", "password": token}}}
    made = secret(name, **{".dockerconfigjson": json.dumps(login)})
    return {**made, "type": "kubernetes.io/dockerconfigjson"}


def claim(name: str, storage_class: str = "") -> Record:
    spec: Record = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    if storage_class:
        spec["storageClassName"] = storage_class
    top = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    return {**top, "metadata": _meta(name), "spec": spec}


def plain(api_version: str, kind: str, name: str, **fields: Any) -> Record:
    """Return an object of any kind."""
    return {"apiVersion": api_version, "kind": kind, "metadata": _meta(name), **fields}


def quota(name: str, **hard: str) -> Record:
    limits = {key.replace("_", "."): value for key, value in hard.items()}
    return plain("v1", "ResourceQuota", name, spec={"hard": limits})


def autoscaler(name: str, low: int, high: int) -> Record:
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
        "minReplicas": low,
        "maxReplicas": high,
    }
    return plain("autoscaling/v2", "HorizontalPodAutoscaler", name, spec=spec)


# Patches


def of_pod(**fields: Any) -> Record:
    """Return a patch of a Pod template's spec."""
    return {"spec": {"template": {"spec": fields}}}


def of_container(**fields: Any) -> Record:
    return of_pod(containers=[{"name": "app", **fields}])


def image(app: str, tag: str) -> Record:
    return of_container(image=f"{REGISTRY}/{app}:{tag}")


def env(**values: str) -> Record:
    return of_container(
        env=[{"name": key, "value": each} for key, each in values.items()]
    )


def replicas(number: int) -> Record:
    return {"spec": {"replicas": number}}


def labels(**values: str | None) -> Record:
    return {"metadata": {"labels": values}}


def notes(**values: str) -> Record:
    named = {f"example.com/{key}": value for key, value in values.items()}
    return {"metadata": {"annotations": named}}


def restart(moment: str) -> Record:
    """Return what `kubectl rollout restart` patches."""
    stamp = {"kubectl.kubernetes.io/restartedAt": moment}
    return {"spec": {"template": {"metadata": {"annotations": stamp}}}}


def probe(port: int = 8080, path: str = "/healthz") -> Record:
    return {"httpGet": {"path": path, "port": port}, "periodSeconds": 2}


def from_map(name: str, *keys: str, kind: str = "configMap") -> list[Record]:
    """Return variables, each with the value of its key in a ConfigMap or Secret."""
    return [
        {"name": key, "valueFrom": {f"{kind}KeyRef": {"name": name, "key": key}}}
        for key in keys
    ]


def volume(name: str, *keys: str, kind: str = "configMap") -> Record:
    """Return a volume named like its ConfigMap or Secret."""
    source: Record = {"name" if kind == "configMap" else "secretName": name}
    if keys:
        source["items"] = [{"key": key, "path": key} for key in keys]
    return {"name": name, kind: source}


def volume_of_claim(name: str) -> Record:
    return {"name": "data", "persistentVolumeClaim": {"claimName": name}}


def webhook(name: str, namespace: str) -> Record:
    """Return a webhook for the Pods of *namespace* that nobody serves."""
    rules = [
        {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["pods"],
        }
    ]
    hook = {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "timeoutSeconds": 2,
        "clientConfig": {"url": "https://127.0.0.1:9/validate"},
        "rules": rules,
        "namespaceSelector": {
            "matchLabels": {"kubernetes.io/metadata.name": namespace}
        },
    }
    top = plain(
        "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", name
    )
    return {**top, "webhooks": [hook]}
