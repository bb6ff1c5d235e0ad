"""What a release consists of: its version, its platforms, and what files are called."""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
REPOSITORY = "https://github.com/kubectl-spy/kubectl-spy"
UNKNOWN = "0" * 64
"""The checksum of an archive that is not built yet. krew refuses to install it."""


class Platform(NamedTuple):
    """An operating system and an architecture, by Go's names."""

    os: str
    arch: str

    @property
    def archive(self) -> str:
        """The archive's file name."""
        suffix = "zip" if self.os == "windows" else "tar.gz"
        return f"kubectl-spy_v{version()}_{self.os}_{self.arch}.{suffix}"

    @property
    def uri(self) -> str:
        """Where the archive is downloaded from."""
        return f"{REPOSITORY}/releases/download/v{version()}/{self.archive}"

    @property
    def program(self) -> str:
        """The path of the program in the archive: `bin` in the manifest."""
        return f"kubectl-spy/kubectl-spy{'.exe' if self.os == 'windows' else ''}"


PLATFORMS = tuple(
    Platform(os, arch)
    for os in ("linux", "darwin", "windows")
    for arch in ("amd64", "arm64")
)


def version() -> str:
    """Return the version, which stands in the package and nowhere else."""
    text = (ROOT / "kubectl_spy" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if not found:
        raise SystemExit("error: kubectl_spy/__init__.py has no __version__")
    return found[1]


def this_platform() -> Platform:
    """Return the platform that this Python runs on, and hence builds for.

    A 64-bit Python under emulation builds for what is emulated: it says so itself.
    """
    os = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform)
    machine = platform.machine().lower()
    arch = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    if os is None or machine not in arch:
        raise SystemExit(f"error: no archive for {sys.platform} on {machine}")
    return Platform(os, arch[machine])


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
