"""Compile the modules that take the time, where that is asked for.

The metadata is in setup.cfg. By default the package is pure Python. With
KUBECTL_SPY_COMPILED=1, mypyc compiles the modules below, from the same sources.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

MYPY = "mypy==2.4.1"

# A group becomes one library. Calls within it are the fastest. To load one takes time:
# `--help` needs only the first, `status` and `changes` the first two.
GROUPS = {
    "kubectl_spy.texts": "core/times.py core/wording.py render/inert.py",
    "kubectl_spy.changes": """
        core/*.py core/patch/*.py core/changes/*.py core/headlines/*.py
        core/cluster/scope.py core/readiness/conditions.py
        core/readiness/polarity.py
        render/columns.py render/inert.py render/moments.py render/operations.py
        render/outline.py render/palette.py render/text.py render/values.py
        render/wrapping.py
    """,
    "kubectl_spy.traces": """
        core/cluster/*.py core/readiness/*.py core/causes/*.py core/trace/*.py
        core/answer/*.py extras/spans/model/*.py core/summary/*.py
        extras/spans/drawing/slim_rows.py extras/spans/drawing/span_rows.py
        render/event_lines.py
        render/tracing/*.py
    """,
}
PURE = {
    "kubectl_spy/core/remedy.py",  # mypyc compiles no subclass of str
}


def groups() -> list[tuple[list[str], str]]:
    """Return the files of each group, and its name."""
    taken = set(PURE)
    found = []
    for name, patterns in GROUPS.items():
        files = {
            path.as_posix()
            for pattern in patterns.split()
            for path in Path("kubectl_spy").glob(pattern)
            if path.name != "__init__.py"
        }
        found.append((sorted(files - taken), name))
        taken |= files
    return found


compiled = os.environ.get("KUBECTL_SPY_COMPILED") == "1"
modules = []
# pip also asks for the requirements and the metadata. Those need no compiler.
if compiled and {"bdist_wheel", "build_ext"} & set(sys.argv):
    from mypyc.build import mypycify

    modules = mypycify(
        [
            # scripts/check checks the types, with all packages that are imported.
            # mypyc does without these, so it compiles the same everywhere.
            "--config-file=",
            "--ignore-missing-imports",
            "--no-site-packages",
            "--explicit-package-bases",
            *(path for files, _ in groups() for path in files),
        ],
        # Higher levels take twice as long, and what they make is no faster.
        opt_level="1",
        debug_level="0",
        separate=groups(),
    )

setup(
    ext_modules=modules,
    options={"build_ext": {"parallel": 2}},  # groups at once
    setup_requires=[MYPY] if compiled else [],
)
