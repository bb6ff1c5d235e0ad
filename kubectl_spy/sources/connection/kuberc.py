"""Checks credential plugins against the policy in the user's kuberc.

A kubeconfig can name any program to run. Since 1.35 kubectl lets the user forbid that:
https://kubernetes.io/docs/reference/kubectl/kuberc/#credential-plugin-policy
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.kubeconfig import home_directory, read_yaml


def check_plugin(command: str, environ: Mapping[str, str]) -> None:
    """Raise SpyError unless kuberc allows the credential plugin *command*."""
    named = environ.get("KUBERC")
    if named == "off" or environ.get("KUBECTL_KUBERC") == "false":
        return
    path = Path(named) if named else home_directory(environ) / ".kube" / "kuberc"
    document = read_yaml(path, missing_ok=not named)
    if document is None:
        return
    if not isinstance(document, dict):
        raise SpyError(f"{path} is no valid kuberc: it is not a mapping", "correct it")
    policy = document.get("credentialPluginPolicy") or "AllowAll"
    if policy == "AllowAll":
        return
    search = environ.get("PATH", os.defpath)
    if policy == "Allowlist":
        if _is_listed(command, document.get("credentialPluginAllowlist"), search):
            return
        why = "it is not in credentialPluginAllowlist"
    elif policy == "DenyAll":
        why = "credentialPluginPolicy is DenyAll"
    else:
        why = f"credentialPluginPolicy {str(policy)[:40]!r} is unknown"
    raise SpyError(
        f'{path} does not allow the credential plugin "{command}": {why}',
        "change the policy if you trust the plugin",
    )


def _is_listed(command: str, allowlist: Any, search: str) -> bool:
    """Compare the full paths of the programs, as kubectl does."""
    program = shutil.which(command, path=search)
    if program is None or not isinstance(allowlist, list):
        return False
    for entry in allowlist:
        # Kubernetes 1.35 calls the member "name", later versions "command".
        name = (
            entry.get("name") or entry.get("command")
            if isinstance(entry, dict)
            else None
        )
        if isinstance(name, str) and name:
            allowed = shutil.which(name, path=search)
            if allowed and _absolute(allowed) == _absolute(program):
                return True
    return False


def _absolute(program: str) -> str:
    """Return the absolute path of *program*: PATH may hold relative parts."""
    try:
        return str(Path(program).absolute())
    except FileNotFoundError:  # the current directory is gone
        return program
