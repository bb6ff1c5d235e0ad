"""Real kubeconfig files, written for a test."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import yaml

JSON = dict[str, Any]
_VERSION = "client.authentication.k8s.io/v1"


def kubeconfig(
    cluster: JSON | None = None,
    user: JSON | None = None,
    *,
    name: str = "test",
    namespace: str | None = None,
    current: bool = True,
) -> JSON:
    """Return a kubeconfig with one cluster, user and context called *name*."""
    context = {"cluster": name, "user": name}
    if namespace:
        context["namespace"] = namespace
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name if current else "",
        "clusters": [{"name": name, "cluster": cluster or {"server": "http://x"}}],
        "users": [{"name": name, "user": user or {}}],
        "contexts": [{"name": name, "context": context}],
    }


def write(path: Path, document: object) -> Path:
    """Write *document* as YAML to *path*, making its directory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def in_home(home: Path, document: object) -> dict[str, str]:
    """Write *document* as ~/.kube/config; return the environment of that home."""
    write(home / ".kube" / "config", document)
    return {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def b64(content: bytes) -> str:
    """Return *content* as the `-data` members hold it."""
    return base64.b64encode(content).decode()


def program(path: Path, script: str) -> Path:
    """Write a shell script that can be run."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def credential(**status: str) -> str:
    """Return what a credential plugin prints."""
    kind = {"apiVersion": _VERSION, "kind": "ExecCredential"}
    return json.dumps({**kind, "status": status})


def exec_user(command: object, **more: object) -> JSON:
    """Return a kubeconfig's user with a credential plugin."""
    return {"exec": {"apiVersion": _VERSION, "command": str(command), **more}}
