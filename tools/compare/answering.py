"""Be one checkout: run commands, each in a fork of this process, and say what came.

This runs by its path, with PYTHONPATH set to the checkout, and imports nothing of the
checkout that it stands in. A line of standard input is a list of words; the answer is a
line with the exit code, standard output and standard error.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import sys
import tempfile
from importlib import import_module
from typing import Any

import kubectl_spy


def main() -> None:
    """Answer until standard input ends."""
    for module in pkgutil.walk_packages(kubectl_spy.__path__, "kubectl_spy."):
        import_module(module.name)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


def answer(words: list[str]) -> dict[str, Any]:
    """Run `kubectl-spy` with *words*; return its `code`, `out` and `err`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if not pid:
            become(words, out.fileno(), err.fileno())
        status = os.waitpid(pid, 0)[1]
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "backslashreplace"))
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "out": texts[0], "err": texts[1]}


def become(words: list[str], out: int, err: int) -> None:
    """Be `kubectl-spy` with *words*, to the end of the process."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate((nothing, out, err)):
        os.dup2(stream, number)
    sys.stdin = os.fdopen(0)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace")
    from kubectl_spy import __main__ as program

    sys.argv = ["kubectl-spy", *words]
    code: Any = 1
    try:
        program.main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    main()
