"""What this program is called, and how to start it again as a process of its own."""

from __future__ import annotations

import os
import sys

# The modules are those of this process: -m would also look in the current directory.
_PROGRAM = """\
import os, sys
sys.path[:] = sys.argv[1].split(os.pathsep)
sys.argv[:] = sys.argv[2:]
from kubectl_spy.__main__ import main
main()
"""


def this_program() -> list[str]:
    """Return the beginning of a command line; our own arguments follow it."""
    if getattr(sys, "frozen", False):  # the archive for krew
        return [sys.executable]
    path = os.pathsep.join(sys.path)
    return [sys.executable, "-c", _PROGRAM, path, sys.argv[0]]


def plugin_name() -> str | None:
    """Return PLUGIN if kubectl can find this program: its file is `kubectl-PLUGIN`.

    kubectl finds the plugin `spy-changes` by the file name `kubectl-spy_changes`.
    https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#names-with-dashes-and-underscores
    """
    file = sys.argv[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    before, _, plugin = file.partition("-")
    return plugin if before in ("kubectl", "kubectl_complete") else None
