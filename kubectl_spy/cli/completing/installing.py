"""Writes completion scripts to where shells and kubectl look for them.

No file of the user is edited.

kubectl asks a program `kubectl_complete-PLUGIN` on PATH for completions of a plugin:
https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#adding-shell-completion-for-plugins
The wheel installs one. krew links only one program.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path

from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sources.connection.kubeconfig import home_directory

_MARK = "kubectl-spy"
_FOR_KUBECTL = "kubectl_complete-spy"
_POSIX = f'#!/bin/sh\n# kubectl runs this.\nexec {_MARK} __complete "$@"\n'
_WINDOWS = f"@{_MARK} __complete %*\r\n"

Say = Callable[[str], None]


def script_for(shell: str) -> str:
    """Return the script that makes *shell* complete `kubectl-spy`."""
    part = resources.files("kubectl_spy.cli.completing") / "scripts" / shell
    return part.read_text("utf-8")


def install(shell: str, environ: Mapping[str, str], say: Say) -> None:
    """Write the script for *shell* and the program that kubectl runs. Say what is left.

    Raises SpyError if a file cannot be written, or another program wrote it.
    """
    path = script_path(shell, environ)
    _write(path, script_for(shell), 0o644)
    say(f"wrote {path}")
    for line in _left_to_do(shell, path):
        say(line)
    _install_for_kubectl(environ, say)


def script_path(shell: str, environ: Mapping[str, str]) -> Path:
    """Return the path where *shell* looks for the script, or can be made to look."""
    home = home_directory(environ)
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    user_dir = environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion"
    return {
        "bash": Path(user_dir) / "completions" / "kubectl-spy",
        "zsh": data / "zsh" / "site-functions" / "_kubectl-spy",
        "fish": config / "fish" / "completions" / "kubectl-spy.fish",
        "powershell": config / "powershell" / "kubectl-spy-completion.ps1",
    }[shell]


def _left_to_do(shell: str, path: Path) -> list[str]:
    return {
        "bash": [
            "bash-completion 2 finds it in a new shell; without that package, put this "
            f"into ~/.bashrc: source {path}"
        ],
        "zsh": [
            "put this into ~/.zshrc, before compinit is called, unless it is there: "
            f"fpath=({path.parent} $fpath)"
        ],
        "fish": [],
        "powershell": [f"put this into the file that $PROFILE names: . {path}"],
    }[shell]


def _install_for_kubectl(environ: Mapping[str, str], say: Say) -> None:
    search = environ.get("PATH")
    if found := shutil.which(_FOR_KUBECTL, path=search):
        say(f"kubectl already uses {found}")
        return
    plugin = shutil.which(_MARK, path=search)
    if plugin is None:
        say(f"{_MARK} is not on PATH: shells and kubectl cannot find it")
        return
    path = Path(plugin).with_name(_FOR_KUBECTL)
    text = _POSIX
    if os.name == "nt":
        path, text = path.with_suffix(".cmd"), _WINDOWS
    if not os.access(path.parent, os.W_OK):
        say(f"{path.parent} is not writable; put {path.name} on PATH for kubectl:")
        for line in text.splitlines():
            say(line)
        return
    _write(path, text, 0o755)
    say(f"wrote {path} for kubectl, whose own completion must be set up, too")


def _write(path: Path, text: str, mode: int) -> None:
    try:
        if path.exists() and _MARK not in path.read_text("utf-8", "replace"):
            raise UsageError(f"{path} was not written by {_MARK}", "move it away first")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
        path.chmod(mode)
    except OSError as error:
        raise SpyError(f"cannot write {path}: {error.strerror or error}") from None
