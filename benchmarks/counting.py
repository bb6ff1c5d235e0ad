"""Run kubectl-spy, and write how many bytecodes it took to a file.

python -m benchmarks.counting FILE ARGUMENT…

Bytecodes of kubectl-spy count, and of the standard library where it calls it. What
other packages do is not ours; which of them are imported is.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

_OTHERS = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
_STANDARD = (sysconfig.get_path("stdlib"), "<")


def bytecodes(run: Callable[[], object]) -> int:
    """Return how many bytecodes *run* takes, in all its threads."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if event == "opcode":
            count += 1
            return trace
        if not _is_ours(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return trace

    threading.settrace(trace)
    sys.settrace(trace)
    try:
        run()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.settrace(None)
        threading.settrace(None)
    return count


def _is_ours(frame: FrameType | None) -> bool:
    """Return whether kubectl-spy is what calls *frame*, not counting the library."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_OTHERS):
            return False
        if not name.startswith(_STANDARD):
            return True
        frame = frame.f_back
    return True


def main() -> None:
    """Run the command, and write the count."""
    file, *words = sys.argv[1:]
    before = set(sys.modules)
    sys.argv[1:] = words

    def run() -> None:
        from kubectl_spy.__main__ import main

        main()

    count = bytecodes(run)
    known = before | set(sys.stdlib_module_names) | {"kubectl_spy"}
    imported = {name for name in sys.modules if hasattr(sys.modules[name], "__path__")}
    packages = {name for name in imported if "." not in name} - known
    held = {"bytecodes": count, "packages": sorted(packages)}
    Path(file).write_text(json.dumps(held))


if __name__ == "__main__":
    main()
