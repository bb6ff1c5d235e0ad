"""Finds, reads and merges kubeconfig files, by kubectl's rules.

The kubernetes package's merger is not used. Its *last* current-context wins, and it
resolves a user's relative certificate against the cluster's file
(https://github.com/kubernetes-client/python/issues/2180). The rules are at
https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_spy.sources.yaml_file import malformed, read_yaml

_SECTIONS = {"clusters": "cluster", "users": "user", "contexts": "context"}
_STRINGS = {
    "clusters": "server certificate-authority certificate-authority-data "
    "tls-server-name proxy-url",
    "users": "client-certificate client-certificate-data client-key client-key-data "
    "token tokenFile username password as as-uid",
    "contexts": "cluster user namespace",
}
_OTHERS: Mapping[str, Mapping[str, tuple[type, str]]] = {
    "clusters": {"insecure-skip-tls-verify": (bool, "true or false")},
    "users": {"as-groups": (list, "a list")}
    | dict.fromkeys(("as-user-extra", "exec", "auth-provider"), (dict, "a mapping")),
    "contexts": {},
}
"""The members that we read, and their types. kubectl refuses other types, too.

Ignoring a bad `as` would drop the impersonation, and a bad `exec` the credentials.
"""
_FILE_KEYS = {
    "clusters": ("certificate-authority",),
    "users": ("client-certificate", "client-key", "tokenFile"),
    "contexts": (),
}
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Kubeconfig(NamedTuple):
    """The merged files: named entries with absolute paths."""

    clusters: Mapping[str, Mapping[str, Any]]
    users: Mapping[str, Mapping[str, Any]]
    contexts: Mapping[str, Mapping[str, Any]]
    current_context: str = ""
    files: tuple[str, ...] = ()  # the files that exist, in order of precedence
    looked_in: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Kubeconfig(files={self.files!r})"  # entries hold secrets


def load_kubeconfig(
    explicit: str | None,
    environ: Mapping[str, str],
    *,
    service_account: Path = SERVICE_ACCOUNT,
) -> Kubeconfig:
    """Return the merged kubeconfig that kubectl would use.

    Without any file it is the service account of the Pod that this runs in, if any.
    Raises SpyError if a file is unreadable or malformed, or *explicit* does not exist.
    """
    explicit = explicit or None  # an empty flag is none, as for kubectl
    paths = _paths(explicit, environ)
    sections: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in _SECTIONS}
    current = ""
    files = []
    for path in paths:
        document = _read(path, missing_ok=explicit is None)
        if document is None:
            continue
        files.append(str(path))
        for section, entries in sections.items():
            for name, entry in _entries(document, section, path).items():
                entries.setdefault(name, entry)
        mine = document.get("current-context") or ""
        if not isinstance(mine, str):
            raise malformed(path, "current-context is not a string")
        current = current or mine
    if not any(sections.values()):
        in_cluster = _in_cluster(environ, service_account)
        if in_cluster is not None and explicit is None:
            return in_cluster
    return Kubeconfig(
        sections["clusters"],
        sections["users"],
        sections["contexts"],
        current,
        tuple(files),
        tuple(map(str, paths)),
    )


def home_directory(environ: Mapping[str, str]) -> Path:
    """Return the home directory. Users without one have the root directory."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home:
        return Path(home)
    try:
        return Path.home()
    except RuntimeError:  # no entry in the user database
        return Path("/")


def _paths(explicit: str | None, environ: Mapping[str, str]) -> list[Path]:
    if explicit is not None:
        return [_expand(explicit, environ)]
    listed = [part for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    if listed:
        return list(dict.fromkeys(_expand(part, environ) for part in listed))
    return [home_directory(environ) / ".kube" / "config"]


def _expand(path: str, environ: Mapping[str, str]) -> Path:
    if path == "~" or path.startswith("~/"):
        return home_directory(environ) / path[2:]
    return Path(path)


def _read(path: Path, *, missing_ok: bool) -> dict[str, Any] | None:
    document = read_yaml(path, missing_ok=missing_ok)
    if document is None:
        return {} if path.exists() else None
    if not isinstance(document, dict):
        raise malformed(path, "it is not a mapping")
    return document


def _entries(
    document: dict[str, Any], section: str, path: Path
) -> dict[str, dict[str, Any]]:
    listed = document.get(section) or []
    if not isinstance(listed, list):
        raise malformed(path, f"{section} is not a list")
    entries: dict[str, dict[str, Any]] = {}
    for item in listed:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise malformed(path, f"an entry of {section} has no name")
        name = item["name"]
        if name in entries:
            raise malformed(path, f'{section} has two entries named "{name}"')
        entry = item.get(_SECTIONS[section]) or {}
        if not isinstance(entry, dict):
            raise malformed(path, f'"{name}" in {section} is not a mapping')
        entries[name] = _absolute(_checked(entry, section, path), section, path)
    return entries


def _checked(entry: dict[str, Any], section: str, path: Path) -> dict[str, Any]:
    """Return *entry* without nulls, after a check of the types of its members."""
    strings = dict.fromkeys(_STRINGS[section].split(), (str, "a string"))
    for key, (type_, name) in (strings | dict(_OTHERS[section])).items():
        if not isinstance(entry.get(key), type_ | None):
            raise malformed(path, f"{key} is not {name}")
    groups, extra = entry.get("as-groups") or (), entry.get("as-user-extra") or {}
    if not all(isinstance(group, str) for group in groups):
        raise malformed(path, "as-groups is not a list of strings")
    for key, values in extra.items():
        texts = [key, *values] if isinstance(values, list) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise malformed(
                path, "as-user-extra has a value that is no list of strings"
            )
    return {key: value for key, value in entry.items() if value is not None}


def _absolute(entry: dict[str, Any], section: str, path: Path) -> dict[str, Any]:
    """Return *entry* with paths relative to *path* made absolute."""
    base = path.parent.absolute()
    result = dict(entry)
    for key in _FILE_KEYS[section]:
        if value := result.get(key):
            result[key] = str(base / value)
    plugin = result.get("exec", {})
    command = plugin.get("command")
    # A bare name is looked up on PATH, as in a shell.
    if isinstance(command, str) and Path(command).name != command:
        result["exec"] = {**plugin, "command": str(base / command)}
    return result


def _in_cluster(environ: Mapping[str, str], service_account: Path) -> Kubeconfig | None:
    """Return the service account of this Pod, which kubectl uses without any file."""
    host = environ.get("KUBERNETES_SERVICE_HOST")
    port = environ.get("KUBERNETES_SERVICE_PORT", "443")
    token = service_account / "token"
    if not host or not os.access(token, os.R_OK):
        return None
    context = {"cluster": "in-cluster", "user": "service-account"}
    with suppress(OSError, UnicodeDecodeError):
        named = (service_account / "namespace").read_text(encoding="utf-8")
        context["namespace"] = named.strip()
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    return Kubeconfig(
        {
            "in-cluster": {
                "server": server,
                "certificate-authority": str(service_account / "ca.crt"),
            }
        },
        {"service-account": {"tokenFile": str(token)}},
        {"in-cluster": context},
        "in-cluster",
        (str(token),),
    )
