"""Make the project's own virtual environment, once, with nothing but Python.

It also answers --help for all scripts.

Standard library only: this runs before anything is installed. The environment is
`.venv` in the checkout, made anew when setup.cfg, scripts/packages or the Python behind
it changes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PACKAGES = ROOT / "scripts" / "packages"
OLDEST = (3, 10)


def explain(program: str | None) -> None:
    """Print the docstring of a *program* that was called with --help, and end it.

    Call it first: who asks for help wants nothing built.
    """
    if program and {"-h", "--help"} & set(sys.argv[1:]):
        print(program.strip())
        sys.exit()


def environment_python(*extras: str) -> Path:
    """Return the environment's interpreter, the package and its *extras* installed."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"error: Python {'.'.join(map(str, OLDEST))} or later; this is {found}"
        )
    python = python_of(ENVIRONMENT)
    stamp = ENVIRONMENT / f"installed-{'-'.join(extras) or 'package'}"
    versions = packages()
    given = [(ROOT / "setup.cfg").read_bytes(), sys.version.encode()]
    given += [versions.read_bytes() if versions else b"newest"]
    pins = hashlib.sha256(b"".join(given)).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == pins:
        return python
    of = f"kubectl-spy[{','.join(extras)}]" if extras else "kubectl-spy"
    print(
        f"installing {of} and what it needs into .venv only (a minute, once)",
        file=sys.stderr,
        flush=True,
    )
    made = subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)])
    if made.returncode != 0:
        sys.exit(
            "error: Python cannot make a virtual environment; "
            "on Debian and Ubuntu: apt install python3-venv"
        )
    for other in ENVIRONMENT.glob("installed-*"):
        if other.read_text() != pins:
            other.unlink()
    target = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    if not versions:
        pip += ["--upgrade", "--upgrade-strategy", "eager"]
    ended = subprocess.run([*pip, "-e", target], env=os.environ | constraints(versions))
    if ended.returncode != 0:
        sys.exit("error: pip could not install the project; its lines above say why")
    stamp.write_text(pins)
    return python


def python_of(environment: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    windows = os.name == "nt"
    return environment / ("Scripts/python.exe" if windows else "bin/python")


def packages() -> Path | None:
    """Return the file of the versions to install; None for the newest."""
    chosen = os.environ.get("KUBECTL_SPY_PACKAGES") or "locked"
    if chosen == "newest":
        return None
    path = PACKAGES / f"{chosen}.txt"
    if not path.exists():
        sys.exit("error: KUBECTL_SPY_PACKAGES is locked, oldest or newest")
    return path


def constraints(versions: Path | None) -> dict[str, str]:
    """Return the variables that let pip install *versions*, also of what builds."""
    if versions is None:
        return {}
    # pip 25.3 and later read the second one for what builds. Spaces part addresses.
    names = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT")
    return dict.fromkeys(names, versions.as_uri())


def run(python: Path, *words: str) -> int:
    """Run *python* with *words* from the checkout; return its exit code."""
    os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    try:
        return subprocess.run([str(python), *words], cwd=ROOT).returncode
    except KeyboardInterrupt:
        return 130
