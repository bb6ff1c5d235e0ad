"""What the archive starts: the person's environment put back, then the command line.

PyInstaller's bootloader points the dynamic linker at the archive's own libraries. That
is done by the time this runs, and whatever we start (credential plugins) must not find
them: https://pyinstaller.org/en/stable/common-issues-and-pitfalls.html
"""

from __future__ import annotations

import os
import sys


def restore_environment() -> None:
    """Undo what the bootloader did to the environment and to the search for DLLs."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetDllDirectoryW(None)
    elif sys.platform == "linux":
        os.environ.pop("LD_LIBRARY_PATH", None)
        if (original := os.environ.pop("LD_LIBRARY_PATH_ORIG", None)) is not None:
            os.environ["LD_LIBRARY_PATH"] = original
    for name in [name for name in os.environ if name.startswith("_PYI_")]:
        del os.environ[name]


if __name__ == "__main__":
    restore_environment()
    from kubectl_spy.__main__ import main

    main()
