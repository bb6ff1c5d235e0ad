"""A custom resource of which nothing is known, and objects of it."""

from __future__ import annotations

from typing import Any


def definition(**more: Any) -> dict[str, Any]:
    phase = {"type": "string", "enum": ["Spinning", "Jammed", "Off", 3, "x" * 90]}
    disk = {"type": "object", "properties": {"state": {"type": "string"}}}
    schema = {"properties": {"phase": phase, "disk": disk, "conditions": {}}}
    columns = [
        {"name": "Mood", "type": "string", "jsonPath": ".status.mood"},
        {"name": "Size", "type": "integer", "jsonPath": ".status.size"},
        {"name": "First", "type": "string", "jsonPath": ".status.list[0].name"},
        {"name": "Host", "type": "string", "jsonPath": ".spec.host"},
    ]
    version = {
        "name": "v1",
        "schema": {"openAPIV3Schema": {"properties": {"status": schema}}},
        "additionalPrinterColumns": columns,
    }
    old = {"name": "v1alpha1", "additionalPrinterColumns": [{"jsonPath": ".status.x"}]}
    return {"spec": {"versions": [old, version | more]}}


def widget(*conditions: dict[str, str], **status: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "w", "annotations": {"token": "hunter2"}},
        "spec": {"password": "hunter2", "host": "db.example.org"},
        "status": {"conditions": list(conditions), **status},
    }


def condition(kind: str, status: str, reason: str) -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": "hunter2"}


WIDGETS = [
    widget(condition("Ready", "False", "Jam"), phase="Jammed", mood="quite sad"),
    widget(condition("Ready", "True", "Fine"), phase="Spinning", disk={"state": "Ok"}),
    widget(condition("Ready", "False", "Jam"), phase="Jammed", mood="hunter2"),
]
