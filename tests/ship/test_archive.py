"""The archive's program does what the wheel's does, wherever it runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from krew.archive import write_archive
from krew.release import ROOT
from tests import processes
from tests.cli.command import Spy
from tests.extras.otel.receiver import receiving
from tests.extras.serve.api_server.server import ApiServer
from tests.recordings import record_stream

ALL_READY = "jsonpath={.status.readyReplicas}=5"
Serve = Callable[..., ApiServer]


def ask_a_plugin(spy: Spy) -> Path:
    """Have the kubeconfig's user run a program; return where that says what it saw."""
    seen = spy.home / "seen"
    program = spy.home / "login"
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "t"},
    }
    # dash and env are linked against the system's libraries, as Python would be.
    program.write_text(f"#!/bin/sh\nenv > {seen}\necho '{json.dumps(credential)}'\n")
    program.chmod(0o755)
    config = yaml.safe_load(spy.kubeconfig.read_text())
    version = "client.authentication.k8s.io/v1"
    plugin = {"apiVersion": version, "command": str(program)}
    config["users"] = [{"name": "plugged", "user": {"exec": plugin}}]
    config["contexts"][0]["context"]["user"] = "plugged"
    spy.kubeconfig.write_text(yaml.safe_dump(config))
    return seen


@pytest.mark.parametrize("ours", [{}, {"LD_LIBRARY_PATH": "/opt/mine/lib"}])
def test_a_credential_plugin_gets_the_environment_that_we_got(
    spy: Spy, serve: Serve, ours: dict[str, str]
) -> None:
    """And none of the archive's libraries: aws and gcloud bring their own Python."""
    serve("deploy-rollout")
    seen = ask_a_plugin(spy)
    shown = "  ready 2→3 of 3"
    with spy.running("status", "deploy/nginx", environ=ours) as running:
        running.wait_until(lambda it: shown.encode() in it.stdout)
        running.end()
    got = dict(line.partition("=")[::2] for line in seen.read_text().splitlines())
    expected = {**spy.environ, **ours}
    shells = {"PWD", "OLDPWD", "SHLVL", "_"}
    added = {"KUBERNETES_EXEC_INFO"}
    assert {name for name in got if name not in expected} - shells <= added
    assert {name: got.get(name) for name in expected if name not in shells} == {
        name: value for name, value in expected.items() if name not in shells
    }


def test_what_was_recorded_can_be_seen_in_every_way(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    serve("deploy-rollout", watches_before_play=6)  # the Deployment's, and of its own
    file = str(tmp_path / "rollout.spy")
    page = tmp_path / "page.html"
    recorded = spy.run("spans", "deploy/nginx", "--record", file, "--for", ALL_READY)
    assert recorded.code == 0, recorded.err
    with receiving() as collector:
        ways = {
            "verify": ("ls", file, "--verify"),
            "at once": ("changes", file),
            "show": ("show", file, "deploy/nginx", "--at", "last"),
            "diff": ("diff", file, "deploy/nginx", "first", "last", "-o", "semantic"),
            "trace": ("trace", "--from", file),
            "events": ("events", "--from", file),
            "status": ("status", "--from", file, "--for", ALL_READY),
            "changes": ("changes", "--from", file, "-o", "yaml"),
            "spans": ("spans", "--from", file, "--otlp", collector.url),
            "page": ("spans", "--from", file, "-o", "html", "-f", str(page)),
        }
        ended = {name: spy.run(*words) for name, words in ways.items()}
        assert {name: each.err for name, each in ended.items() if each.code} == {}
        # Events come by a watch of their own, maybe after the one that ended it all.
        silent = {name for name, each in ended.items() if not each.stdout}
        assert silent <= {"events"}
        assert collector.spans()
    assert "<script" in page.read_text()


def test_a_recording_can_be_reviewed(spy: Spy, tmp_path: Path) -> None:
    screens = pytest.importorskip("tests.cli.screen", reason="terminals are POSIX's")
    file = tmp_path / "rollout.spy"
    record_stream("deploy-rollout", file)
    with screens.on_a_terminal(spy, "review", str(file)) as (screen, process):
        screen.wait_for_text("? keys")
        screen.type("/deploy\r")
        screen.wait_for_text("1 object · ")
        screen.type("]")
        screen.wait_for_text("MODIFIED")
        screen.type("?")
        screen.wait_for_text("move in a list")
        screen.type("q")
        screen.wait_for_text("MODIFIED")
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0


def test_it_writes_utf_8_in_the_c_locale(spy: Spy) -> None:
    ended = spy.run("demo", "--speed", "0", environ={"LANG": "C", "LC_ALL": "C"})
    assert ended.code == 0, ended.err
    assert "→" in ended.out


def test_the_help_of_every_command_can_be_read(spy: Spy) -> None:
    names = [line.split()[0] for line in commands(spy.run("--help").out)]
    assert "status" in names and "demo" in names
    ended = spy.run_all(*(f"{name} --help" for name in names))
    assert {each.code for each in ended} == {0}


def commands(text: str) -> list[str]:
    """Return the lines about commands in the help *text*."""
    lines = text.partition("Watch a cluster")[2].partition("\nAlso:")[0]
    return [line for line in lines.splitlines() if line.startswith("  ")]


def test_an_error_is_one_line(spy: Spy) -> None:
    ended = spy.run("status", "deploy/nginx")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: ") and ended.err.count("\n") == 1


def test_check_finds_nothing_wrong(archive: Path, manifests: Path) -> None:
    check = [
        sys.executable,
        str(ROOT / "krew" / "check"),
        "--manifests",
        str(manifests),
    ]
    ended = processes.run(check, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert f"{archive.name}: runs" in ended.stdout


def test_check_wants_all_six_for_a_release(archive: Path, manifests: Path) -> None:
    check = [
        sys.executable,
        str(ROOT / "krew" / "check"),
        "--manifests",
        str(manifests),
    ]
    ended = processes.run([*check, "--released"], capture_output=True, text=True)
    assert ended.returncode != 0
    assert "is missing" in ended.stderr


def test_the_licence_of_everything_in_it_is_in_it(unpacked: Path) -> None:
    text = (unpacked.parent.parent / "THIRD_PARTY").read_text()
    for word in ("Python 3.", "kubernetes 37", "pyinstaller ", "PSF", "OpenSSL"):
        assert word in text


def test_a_file_of_nobody_stops_the_build(archive: Path, tmp_path: Path) -> None:
    """Its licence would be missing."""
    pythons = sorted((ROOT / "build" / "krew").glob("*/bin/python"))
    stranger = tmp_path / "built" / "_internal" / "stranger" / "libstranger.so.1"
    stranger.parent.mkdir(parents=True)
    stranger.touch()
    licences = [str(pythons[0]), str(ROOT / "krew" / "licences.py")]
    ended = processes.run(
        [*licences, str(tmp_path / "built"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
    )
    assert ended.returncode != 0
    assert "_internal/stranger/libstranger.so.1" in ended.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
def test_the_same_files_make_the_same_archive(tmp_path: Path, name: str) -> None:
    written = []
    for attempt in ("one", "two"):
        root = tmp_path / attempt
        (root / "sub").mkdir(parents=True)
        (root / "sub" / "data.txt").write_text("x")
        (root / "program").write_text("#!/bin/sh\n")
        (root / "program").chmod(0o755 if attempt == "one" else 0o700)
        os.utime(root / "program", (1, len(attempt)))
        target = tmp_path / f"{attempt}-{name}"
        write_archive(target, root, epoch=1_700_000_000)
        written.append(target.read_bytes())
    assert written[0] == written[1]
