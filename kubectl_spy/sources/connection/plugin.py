"""Runs a credential plugin, if kuberc allows it, with limits on its output and time.

The kubernetes package's own runner has no limits (kubernetes 37.0.2,
config/exec_provider.py).
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.kubeconfig import home_directory
from kubectl_spy.sources.yaml_file import read_yaml

_LARGEST = 1 << 20  # bytes that a plugin may print; a token has a few KiB
_SECONDS = 60.0  # Seconds that a plugin may take. Some ask a slow server.
_SECONDS_INTERACTIVE = 900.0  # for a login; device codes last 15 minutes
_TELL_AFTER = 5.0

_EXTENSION = "client.authentication.k8s.io/exec"


class PluginFailed(Exception):
    """Why a plugin gave no credentials."""


def run_plugin(
    plugin: Mapping[str, Any],
    cluster: Mapping[str, Any],
    say: Callable[[str], None],
    *,
    seconds: float | None = None,
) -> Any:
    """Return the status of the ExecCredential that *plugin* prints.

    *plugin* is the `exec` of a kubeconfig's user. *say* gets a line if it takes long.
    After *seconds* it is killed. Raises PluginFailed if it failed, printed too much or
    no ExecCredential, or was killed; OSError if it cannot be run; AttributeError,
    KeyError, TypeError, ValueError if *plugin* is malformed.
    """
    version = plugin.get("apiVersion")
    if not version:
        raise PluginFailed("exec: malformed request. missing key 'apiVersion'")
    interactive = sys.stdout is not None and sys.stdout.isatty()
    spec: dict[str, Any] = {"interactive": interactive}
    if plugin.get("provideClusterInfo"):
        spec["cluster"] = dict(cluster)
        for extension in cluster.get("extensions") or ():
            if extension["name"] == _EXTENSION:
                spec["cluster"]["config"] = extension["extension"]
                break
    info = {"apiVersion": version, "kind": "ExecCredential", "spec": spec}
    given = {each["name"]: each["value"] for each in plugin.get("env") or ()}
    environ = {**os.environ, **given, "KUBERNETES_EXEC_INFO": json.dumps(info)}
    argv = [plugin["command"], *(plugin.get("args") or ())]
    if seconds is None:
        seconds = _SECONDS_INTERACTIVE if interactive else _SECONDS
    code, printed, errors = _ended(argv, environ, interactive, seconds, say)
    if code:
        said = errors.decode("utf-8", "replace").strip()
        raise PluginFailed(f"exec: process returned {code}" + f". {said}" * bool(said))
    return _status(printed, version)


def _status(printed: bytes, version: object) -> Any:
    try:
        credential = json.loads(printed)
    except ValueError as error:
        raise PluginFailed(f"exec: failed to decode process output: {error}") from None
    for key in ("apiVersion", "kind", "status"):
        if key not in credential:
            raise PluginFailed(f"exec: malformed response. missing key '{key}'")
    if credential["apiVersion"] != version:
        raise PluginFailed(
            f"exec: plugin api version {credential['apiVersion']} does not match "
            f"{version}"
        )
    return credential["status"]


def _ended(
    argv: list[str],
    environ: dict[str, str],
    interactive: bool,
    limit: float,
    say: Callable[[str], None],
) -> tuple[int, bytes, bytes]:
    """Run *argv*. Return its exit code, standard output and standard error.

    On a terminal the user sees standard error instead, and may be asked to log in.
    """
    process = subprocess.Popen(
        argv,
        stdin=sys.stdin if interactive else None,
        stdout=subprocess.PIPE,
        stderr=sys.stderr if interactive else subprocess.PIPE,
        env=environ,
        # https://github.com/kubernetes-client/python/pull/2289
        shell=sys.platform in ("win32", "cygwin"),
    )
    started = time.monotonic()
    arrived: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
    pending = {"stdout": process.stdout, "stderr": process.stderr}
    pending = {name: stream for name, stream in pending.items() if stream}
    for name, stream in pending.items():
        Thread(target=_read, args=(name, stream, arrived), daemon=True).start()
    printed = {"stdout": b"", "stderr": b""}
    wait = min(_TELL_AFTER, limit)
    try:
        while pending:
            try:
                left = max(started + wait - time.monotonic(), 0)
                name, printed[name] = arrived.get(timeout=left)
            except Empty:
                if wait == limit:
                    raise PluginFailed(f"no answer within {limit:g} s") from None
                say(f"no answer for {wait:g} s; still waiting")
                wait = limit
                continue
            if len(printed[name]) > _LARGEST:
                raise PluginFailed(f"it printed more than {_LARGEST >> 20} MiB")
            del pending[name]
        code = process.wait(max(started + limit - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        raise PluginFailed(f"it did not end within {limit:g} s") from None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return code, printed["stdout"], printed["stderr"]


def _read(
    name: str, stream: IO[bytes], arrived: SimpleQueue[tuple[str, bytes]]
) -> None:
    text = b""
    with suppress(OSError, ValueError), stream:
        text = stream.read(_LARGEST + 1)
    arrived.put((name, text))


def check_plugin(command: str, environ: Mapping[str, str]) -> None:
    """Raise SpyError unless kuberc allows the credential plugin *command*.

    A kubeconfig can name any program to run. Since 1.35 the user can forbid that:
    https://kubernetes.io/docs/reference/kubectl/kuberc/#credential-plugin-policy
    """
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
