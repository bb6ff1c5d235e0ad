"""Through kubectl: it finds `kubectl-spy` on PATH, and gets out of the way."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE, PROMPT, Spy
from tests.extras.serve.api_server.server import Serve

pytestmark = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl is not installed"
)

SCRIPT = f"""#!{sys.executable}
from kubectl_spy.__main__ import main

main()
"""


@pytest.fixture
def kubectl(spy: Spy, tmp_path: Path) -> Spy:
    """`kubectl spy`, where the plugin is all that is on PATH besides."""
    script = tmp_path / "bin" / "kubectl-spy"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    script.chmod(0o755)
    spy.command = ("kubectl", "spy")
    spy.environ["PATH"] = os.pathsep.join([str(script.parent), spy.environ["PATH"]])
    return spy


def test_kubectl_lists_the_plugin(kubectl: Spy) -> None:
    kubectl.command = ("kubectl",)
    ended = kubectl.run("plugin", "list", "--name-only")
    assert "kubectl-spy" in ended.out.splitlines()


def test_help_calls_it_by_the_name_that_was_typed(kubectl: Spy) -> None:
    assert kubectl.run("--help").out.startswith("Usage: kubectl spy [OPTIONS] COMMAND")
    assert kubectl.run("help", "trace").out.startswith("Usage: kubectl spy trace [")
    assert kubectl.run("version").out.startswith("kubectl-spy ")
    typed = kubectl.run("-n", "shop", "statsu", "deploy/web")
    assert typed.err == 'error: there is no command "statsu"; did you mean status?\n'
    wrong = kubectl.run("changes", "--nosuch")
    assert wrong.code == 2
    assert 'try "kubectl spy changes --help"' in wrong.err


def test_under_another_name_help_calls_it_by_that(kubectl: Spy) -> None:
    """The central krew index has another plugin named spy."""
    script = shutil.which("kubectl-spy", path=kubectl.environ["PATH"])
    assert script is not None
    Path(script).rename(Path(script).with_name("kubectl-spy_changes"))
    kubectl.command = ("kubectl", "spy-changes")
    assert kubectl.run("--help").out.startswith("Usage: kubectl spy-changes [OPTIONS]")
    assert "Usage: kubectl spy-changes trace [" in kubectl.run("trace", "-h").out


def test_a_rollout_is_shown_and_ctrl_c_ends_it(kubectl: Spy, serve: Serve) -> None:
    server = serve("deploy-rollout")
    with kubectl.running("status", "deploy/nginx") as running:
        server.wait_until_played(PATIENCE)
        running.wait_until(lambda seen: seen.stdout.count(b"MODIFIED") > 20)
        ended = running.end(signal.SIGINT)
    # kubectl replaces itself by the plugin, so the signal and the code are ours.
    assert ended.code == 130
    assert ended.took < PROMPT
    assert "ready 2→3 of 3" in ended.out
    assert ended.err.startswith("watching deployment.apps/nginx in namespace deploy-")


def test_flags_behind_the_command_are_ours(kubectl: Spy, serve: Serve) -> None:
    server = serve("deploy-rollout", "recreate", watches_before_play=9)
    with kubectl.running("changes", "pods", "-n", "recreate", "-o", "json") as running:
        server.wait_for_watches(1, PATIENCE)
        server.play()
        running.wait_until(lambda seen: seen.stdout.count(b'"DELETED"') == 3)
        ended = running.end()
    assert '"namespace":"recreate"' in ended.out
    assert '"namespace":"deploy-rollout"' not in ended.out


def test_errors_come_through(kubectl: Spy, serve: Serve) -> None:
    serve()
    ended = kubectl.run("changes", "nosuch")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: the server has no resource type")
