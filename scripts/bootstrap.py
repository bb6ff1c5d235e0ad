"""Make the project's own virtual environment, once, with nothing but Python.

Standard library only: this runs before anything is installed. The environment is
`.venv` in the checkout, made anew when setup.cfg or the Python behind it changes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 10)


def environment_python(*extras: str) -> Path:
    """Return the environment's interpreter, the package and its *extras* installed."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"error: Python {'.'.join(map(str, OLDEST))} or later; this is {found}"
        )
    scripts = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    stamp = ENVIRONMENT / f"installed-{'-'.join(extras) or 'package'}"
    pins = hashlib.sha256((ROOT / "setup.cfg").read_bytes() + sys.version.encode())
    if python.exists() and stamp.exists() and stamp.read_text() == pins.hexdigest():
        return python
    print("installing into .venv (a minute, once)", file=sys.stderr, flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)])
    if made.returncode != 0:
        sys.exit(
            "error: Python cannot make a virtual environment; "
            "on Debian and Ubuntu: apt install python3-venv"
        )
    target = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    if subprocess.run([*pip, "-e", target]).returncode != 0:
        sys.exit("error: pip could not install the project; its lines above say why")
    stamp.write_text(pins.hexdigest())
    return python


def run(python: Path, *words: str) -> int:
    """Run *python* with *words* from the checkout; return its exit code."""
    os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    try:
        return subprocess.run([str(python), *words], cwd=ROOT).returncode
    except KeyboardInterrupt:
        return 130
