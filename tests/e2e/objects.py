"""Objects that the end-to-end tests apply."""

from __future__ import annotations

from typing import Any

from tests.builders import manifest

Record = dict[str, Any]


def template(name: str, image: str, **spec: Any) -> Record:
    container = {"name": "main", "image": image, "ports": [{"containerPort": 80}]}
    return {
        "metadata": {"labels": {"app": name}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [container], **spec},
    }


def workload(kind: str, name: str, namespace: str, **spec: Any) -> Record:
    made = template(name, spec.pop("image", "example.com/nothing:1"))
    spec = {"selector": {"matchLabels": {"app": name}}, "template": made, **spec}
    return manifest(kind, name, namespace, spec=spec)


def job(name: str, namespace: str) -> Record:
    made = template(name, "example.com/nothing:1", restartPolicy="Never")
    return manifest("Job", name, namespace, spec={"template": made})


def service(name: str, namespace: str) -> Record:
    spec = {"selector": {"app": name}, "ports": [{"port": 80}]}
    return manifest("Service", name, namespace, spec=spec)


def config_map(name: str, namespace: str, **data: str) -> Record:
    return manifest("ConfigMap", name, namespace, data=data)


def widget_definition(group: str) -> Record:
    """Return a CustomResourceDefinition of Widgets with a status, in *group*."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {
                "plural": "widgets",
                "singular": "widget",
                "kind": "Widget",
                "shortNames": ["wd"],
                "categories": ["all"],
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": anything, "status": anything},
                        }
                    },
                }
            ],
        },
    }


def widget(name: str, namespace: str, group: str, **spec: Any) -> Record:
    return manifest("Widget", name, namespace, version=f"{group}/v1", spec=spec)
