"""Runs a credential plugin, with limits on its output and its time.

The kubernetes package's own runner has no limits (kubernetes 37.0.2,
config/exec_provider.py).
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

_LARGEST = 1 << 20
"""Bytes that a plugin may print. A token or a certificate is a few KiB."""
_SECONDS = 60.0  # Seconds that a plugin may take. Some ask a slow server.
_SECONDS_INTERACTIVE = 900.0
"""Seconds that it may take if a person logs in. Device codes last 15 minutes."""
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
