"""Write THIRD_PARTY: every work that is in the archive, and its licence in full.

Runs in the environment that the archive was built from: `licences.py BUILT TARGET`.
Every file has to be somebody's, and everybody has to have a licence; else it fails, and
there is no archive.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

LICENCE_NAMES = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
MICROSOFT = ("vcruntime", "msvcp", "ucrtbase", "api-ms-win")
"""Redistributables that come with Python; its own licence on Windows covers them."""


class Work(NamedTuple):
    """Something with a licence: a distribution, Python, or a library of the system."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]


def main(built: Path, target: Path) -> None:
    """Write the file *target* about all that is in the directory *built*."""
    owners = Owners()
    works, nobodys = set(), []
    for path in sorted(path for path in built.rglob("*") if path.is_file()):
        try:
            works.add(owners.of(path, path.relative_to(built)))
        except LookupError as error:
            nobodys.append(f"{path.relative_to(built)}: {error}")
    if nobodys:
        listed = "\n  ".join(nobodys)
        raise SystemExit(f"error: files of unknown origin or licence:\n  {listed}")
    works.discard(owners.ours)
    target.write_text(render(sorted(works)), encoding="utf-8")


class Owners:
    """Whose a file is."""

    def __init__(self) -> None:
        self._by_file = dict(_distribution_files())
        self.python = Work(
            "Python", sys.version.split()[0], "PSF-2.0", _python_licence()
        )
        self.pyinstaller = _work(metadata.distribution("pyinstaller"))
        self.ours = _work(metadata.distribution("kubectl-spy"))

    def of(self, path: Path, inside: Path) -> Work:
        """Return the work that the file at *path*, *inside* of what was built, is of.

        Raises:
            LookupError: nobody's, or somebody's without a licence.
        """
        if inside.parent == Path():
            return self.pyinstaller  # the bootloader
        name = Path(*inside.parts[1:]).as_posix()  # less _internal
        if work := self._by_file.get(
            name.removesuffix("c") if ".pyc" in name else name
        ):
            return work
        if self._is_pythons(name, path):
            return self.python
        return _system_library(path.name)

    def _is_pythons(self, name: str, path: Path) -> bool:
        lower = path.name.lower()
        if name == "base_library.zip" or "lib-dynload/" in name:
            return True
        if lower.startswith(("libpython", "python3", "python.framework", *MICROSOFT)):
            return True
        if path.name == "Python" or name.startswith("Python.framework/"):
            return True  # macOS
        source = Path(sysconfig.get_path("stdlib")) / name.removesuffix("c")
        if path.suffix == ".pyc" and source.is_file():
            return True
        home = Path(sys.base_prefix)
        return any((home / folder / path.name).is_file() for folder in ("", "DLLs"))


def _distribution_files() -> Iterator[tuple[str, Work]]:
    for distribution in metadata.distributions():
        work = _work(distribution)
        for file in distribution.files or ():
            yield file.as_posix(), work


def _work(distribution: metadata.Distribution) -> Work:
    fields = distribution.metadata
    classified = [
        text.rpartition(" :: ")[2]
        for text in fields.get_all("Classifier", [])
        if text.startswith("License :: ")
    ]
    free = fields.get("License") or ""
    named = fields.get("License-Expression") or ", ".join(classified)
    named = named or (free if free and len(free) < 80 and "\n" not in free else "")
    texts = sorted(
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if ".dist-info" in file.parts[0]
        and any(word in file.name.upper() for word in LICENCE_NAMES)
    )
    return Work(
        distribution.name, distribution.version, named or "see below", tuple(texts)
    )


def _python_licence() -> tuple[Path, ...]:
    for folder in (sysconfig.get_path("stdlib"), sys.base_prefix):
        for name in ("LICENSE.txt", "LICENSE"):
            if (path := Path(folder) / name).is_file():
                return (path,)
    # Distributions keep it with their package.
    return _system_library(sysconfig.get_config_var("INSTSONAME")).texts


def _system_library(name: str) -> Work:
    """Return the system's package that the shared library *name* comes from.

    Debian keeps each package's licence under /usr/share/doc, Red Hat's family knows
    which of its files are licences. Elsewhere Python brings its libraries along.
    """
    for command, texts in ((("dpkg", "-S", f"*/{name}"), _debian), ((), _red_hat)):
        if command:
            found = _lines(*command)
            if found:
                return texts(found[0].partition(":")[0])
        elif path := _loaded_from(name):
            return texts(path)
    if name.startswith(("libssl", "libcrypto")):
        # python.org's builds for macOS; the text is that of our own licence.
        ours = _work(metadata.distribution("kubectl-spy")).texts
        return Work("OpenSSL", "3", "Apache-2.0", ours)
    raise LookupError("no distribution, not Python's, and of no package")


def _debian(package: str) -> Work:
    text = Path("/usr/share/doc") / package / "copyright"
    if not text.is_file():
        raise LookupError(f"{text} is missing")
    # Debian's policy has it name the GPL's file instead of quoting it.
    named = re.findall(
        r"/usr/share/common-licenses/[\w.+-]*\w", text.read_text(encoding="utf-8")
    )
    common = (path for path in map(Path, sorted({*named})) if path.is_file())
    version = _lines("dpkg-query", "-W", "-f=${Version}\n", package)[0]
    texts = (text.resolve(), *dict.fromkeys(path.resolve() for path in common))
    return Work(package, version, "see below", texts)


def _loaded_from(name: str) -> str | None:
    for folder in ("/usr/lib64", "/lib64", "/usr/lib"):
        if (path := Path(folder) / name).exists():
            return str(path.resolve())
    return None


def _red_hat(path: str) -> Work:
    query = "%{NAME}\n%{VERSION}-%{RELEASE}\n%{LICENSE}\n"
    package = _lines("rpm", "-qf", "--qf", query, path)
    if len(package) < 3:
        raise LookupError(f"{path} is of no package")
    texts = _lines("rpm", "-q", "--licensefiles", package[0])
    if not texts:  # libstdc++ has the text with its sibling
        source = _lines("rpm", "-qf", "--qf", "%{SOURCERPM}\n", path)[0]
        siblings = _lines("rpm", "-qa", "--qf", "%{SOURCERPM} %{NAME}\n")
        for line in siblings:
            if line.startswith(f"{source} "):
                texts += _lines("rpm", "-q", "--licensefiles", line.split()[1])
    texts = [text for text in texts if Path(text).is_file()]
    if not texts:
        raise LookupError(f"package {package[0]} comes without its licence")
    return Work(package[0], package[1], package[2], tuple(map(Path, sorted(texts))))


def _lines(*command: str) -> list[str]:
    try:
        ended = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return ended.stdout.splitlines() if ended.returncode == 0 else []


def render(works: list[Work]) -> str:
    """Return the file's text: a list of all *works*, then each text once.

    Raises:
        SystemExit: one of them has no text.
    """
    missing = [work.name for work in works if not work.texts]
    if missing:
        raise SystemExit(f"error: without a licence's text: {', '.join(missing)}")
    names_by_text = defaultdict(list)
    for work in works:
        for path in work.texts:
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            names_by_text[text].append(work.name)
    lines = [
        "kubectl-spy comes with these works of others, each under its licence.",
        "",
    ]
    lines += [f"  {work.name} {work.version}: {work.licence}" for work in works]
    for text, names in names_by_text.items():
        lines += ["", "=" * 78, ", ".join(dict.fromkeys(names)), "=" * 78, "", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
