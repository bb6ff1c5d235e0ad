"""How to start this program again, as a process of its own."""

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
