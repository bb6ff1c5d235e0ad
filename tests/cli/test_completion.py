"""What Tab offers: asked for by kubectl's protocol, through kubectl, and by shells."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.cli.commands.completion import script
from tests import processes
from tests.cli.command import PATIENCE, Spy
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import ApiServer as DemoServer
from tests.sources.api_server import Answer, ApiServer, aggregated, as_json, serve
from tests.sources.connection.kubeconfigs import exec_user, program

SCRIPT = f"""#!{sys.executable}
from kubectl_spy.__main__ import {{0}}

{{0}}()
"""


def listing(*names: str) -> Answer:
    """Return what an API server answers who wants metadata only."""
    items = [{"metadata": {"name": name}} for name in names]
    return as_json({"kind": "PartialObjectMetadataList", "items": items})


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    """The command, and on PATH the programs that the wheel puts there."""
    scripts = {"kubectl-spy": "main", "kubectl_complete-spy": "complete"}
    for name, function in scripts.items():
        script = tmp_path / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(SCRIPT.format(function))
        script.chmod(0o755)
    spy = Spy(tmp_path)
    spy.environ["PATH"] = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
    return spy


@pytest.fixture
def api(spy: Spy) -> Iterator[ApiServer]:
    """A server with two Pods, three Deployments, and two namespaces."""
    answers = {
        "/api/v1/namespaces/shop/pods": listing("web-1", "web-2"),
        "/apis/apps/v1/namespaces/shop/deployments": listing("api", "web", "worker"),
        "/apis/apps/v1/namespaces/other/deployments": listing("elsewhere"),
        "/api/v1/nodes": listing("node-a"),
        "/api/v1/namespaces": listing("shop", "other"),
    }
    with serve(aggregated() | answers) as server:
        write_kubeconfig(spy, server.url)
        yield server


def write_kubeconfig(spy: Spy, url: str, **user: Any) -> None:
    """Write one with three contexts, in two namespaces."""
    names = {"prod": "shop", "staging": "shop", "dev": "mine"}
    config = {
        "current-context": "prod",
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [
            {"name": name, "context": {"cluster": "c", "user": "u", "namespace": where}}
            for name, where in names.items()
        ],
    }
    spy.kubeconfig.write_text(json.dumps(config))


def offered(spy: Spy, command: str, *words: str) -> tuple[list[str], str]:
    """Return the candidates without what is said of them, and the directive."""
    patient = ["--request-timeout", "2m"] if command in ("status", "changes") else []
    ended = spy.run("__complete", command, *patient, *words)
    assert (ended.code, ended.err) == (0, "")
    *lines, directive = ended.out.splitlines()
    return [line.partition("\t")[0] for line in lines], directive


def test_commands_and_options_are_offered_with_what_they_do(spy: Spy) -> None:
    ended = spy.run("__complete", "sta")
    assert ended.out == "status\tHow does the status of objects change?\n:4\n"
    assert offered(spy, "-n", "shop", "status", "-o", "j") == (
        ["json", "jsonpatch"],
        ":4",
    )
    assert offered(spy, "help", "sta") == (["status"], ":4")
    names, _ = offered(spy, "status", "--show")
    assert names == ["--show-secrets"]
    assert offered(spy, "status", "-o", "j") == (["json", "jsonpatch"], ":4")
    assert offered(spy, "status", "--output=y") == (["yaml"], ":4")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["deploym"], ["deployments"]),
        (["svc"], ["svc"]),
        (["pods,deploym"], ["pods,deployments"]),
        (["pods", "web"], ["web-1", "web-2"]),
        (["pods", "web-1", ""], ["web-2"]),
        (["deploy/w"], ["deploy/web", "deploy/worker"]),
        (["deploy/web", "deploy/w"], ["deploy/worker"]),
        (["deploy/web", "daem"], ["daemonsets/"]),
        (["po,deploy", "w"], ["web-1", "web-2", "web", "worker"]),
        (["-n", "other", "deploy", ""], ["elsewhere"]),
        (["--namespace=other", "deploy/"], ["deploy/elsewhere"]),
        (["node", ""], ["node-a"]),
        (["-A", "pods", ""], []),
        (["nosuch", ""], []),
        (["-n", "o"], ["other"]),
        (["--context", ""], ["dev", "prod", "staging"]),
        (["--for", "con"], ["condition="]),
    ],
)
def test_what_is_in_the_cluster_is_offered(
    spy: Spy, api: ApiServer, words: list[str], expected: list[str]
) -> None:
    names, directive = offered(spy, "status", *words)
    assert names == expected
    assert directive == (":6" if any(name[-1] in "/=" for name in names) else ":4")


def test_types_are_offered_from_the_cache(spy: Spy, api: ApiServer) -> None:
    first = offered(spy, "changes", "")
    asked = len(api.requests)
    assert "pods" in first[0] and "events.events.k8s.io" in first[0]
    assert offered(spy, "changes", "") == first
    assert len(api.requests) == asked


def test_names_take_one_request_for_metadata_only(spy: Spy, api: ApiServer) -> None:
    offered(spy, "changes", "")
    api.requests.clear()
    offered(spy, "changes", "pods", "")
    (request,) = api.requests
    assert request.query == {"limit": ["500"]}
    assert "as=PartialObjectMetadataList" in request.header("Accept")[0]


def test_every_type_offered_is_one_that_is_found(spy: Spy, api: ApiServer) -> None:
    """Two groups have `events`: the one that kubectl would not choose is told apart."""
    names, _ = offered(spy, "changes", "")
    assert len(names) == len(set(names)) > 20
    assert "componentstatuses" not in names  # cannot be watched


@pytest.mark.parametrize("words", [["pods", ""], ["-n", ""], [""]])
def test_a_silent_server_is_not_waited_for(spy: Spy, words: list[str]) -> None:
    slow = {path: Answer(delay=60) for path in ("/api", "/apis", "/api/v1/namespaces")}
    with serve(slow) as server:
        write_kubeconfig(spy, server.url)
        ended = spy.run("__complete", "status", *words)
    assert (ended.code, ended.out, ended.err) == (0, ":4\n", "")


def test_without_a_kubeconfig_nothing_is_offered(spy: Spy) -> None:
    assert offered(spy, "status", "po") == ([], ":4")
    assert offered(spy, "status", "--context", "") == ([], ":4")


def test_completion_runs_no_credential_plugin(spy: Spy, api: ApiServer) -> None:
    offered(spy, "status", "")
    mark = spy.home / "asked"
    login = program(spy.home / "login", f"touch '{mark}'; cat > /dev/null; exit 1")
    write_kubeconfig(spy, api.url, **exec_user(login, interactiveMode="IfAvailable"))
    assert offered(spy, "status", "deploym") == (["deployments"], ":4")
    assert not mark.exists()


def test_contexts_offer_namespaces_that_may_not_be_listed(
    spy: Spy, api: ApiServer
) -> None:
    del api.answers["/api/v1/namespaces"]
    assert offered(spy, "status", "-n", "") == (["mine", "shop"], ":4")


def test_names_with_shell_syntax_are_not_offered(spy: Spy, api: ApiServer) -> None:
    hostile = ("$(id)", "a b", "x\ny", "\x1b[2J", "`id`", "", "'", ":4", "-A")
    api.answers["/api/v1/namespaces/shop/pods"] = listing("fine", *hostile)
    assert offered(spy, "status", "pods", "") == (["fine"], ":4")


@pytest.fixture
def recording(spy: Spy, tmp_path: Path) -> str:
    """A recording of a rollout, beside a file that is none."""
    with DemoServer(["deploy-rollout"], speed=0) as server:
        server.write_kubeconfig(spy.kubeconfig)
        file = str(tmp_path / "rollout.spy")
        kinds = ("Deployment", "ReplicaSet", "Pod")
        command = ("changes", "deploy,rs,pods", "--record", file, "-o", "json")
        with spy.running(*command) as running:
            server.wait_until_played(PATIENCE)
            heads = [f'","kind":"{kind}","namespace"' for kind in kinds]
            running.wait_until(
                lambda seen: all(head.encode() in seen.stdout for head in heads)
            )
            running.end()
    (tmp_path / "notes.txt").write_text("no recording\n")
    spy.kubeconfig.unlink()
    return file


def test_recordings_and_their_objects_are_offered(spy: Spy, recording: str) -> None:
    folder = f"{spy.home}/"
    found = [f"{folder}.cache/", f"{folder}bin/", recording]
    names, directive = offered(spy, "changes", folder)
    assert names == [each for each in found if "/." not in each]
    assert directive == ":6"
    assert offered(spy, "status", "--from", f"{folder}roll") == ([recording], ":4")
    assert offered(spy, "changes", recording, "deploy/") == (["deploy/nginx"], ":4")
    assert offered(spy, "changes", recording, "-n", "") == (["deploy-rollout"], ":4")
    names, _ = offered(spy, "status", "--from", recording, "")
    assert {"deployments", "pods", "replicasets"} <= set(names)
    names, _ = offered(spy, "show", recording, "pods", "")
    assert names and all(name.startswith("nginx-") for name in names)
    names, _ = offered(spy, "diff", recording, "deploy/nginx", "")
    assert names == ["first", "last", "seq:", "rv:", "last-", "first+"]


def test_the_shell_offers_files_if_there_is_no_recording(spy: Spy) -> None:
    empty = spy.home / "empty"
    empty.mkdir()
    assert offered(spy, "changes", f"{empty}/") == ([], ":0")
    assert offered(spy, "status", "--kubeconfig", "") == ([], ":0")
    assert offered(spy, "status", "--cache-dir", "") == ([], ":16")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kubectl_asks_the_program_beside_the_plugin(spy: Spy, api: ApiServer) -> None:
    spy.command = ("kubectl",)
    ended = spy.run("__complete", "spy", "status", "--request-timeout=2m", "deploy/w")
    assert ended.out.splitlines() == ["deploy/web", "deploy/worker", ":4"]


def test_bash_completes_what_stands_before_the_cursor(spy: Spy, api: ApiServer) -> None:
    shutil.copy(spy.home / "bin/kubectl-spy", spy.home / "bin/kubectl-spy_changes")

    def reply(line: str) -> list[str]:
        name = line.partition(" ")[0]
        program = (
            f"source <({name} completion bash)\n"
            f"COMP_LINE={line!r} COMP_POINT={len(line)}\n"
            f'__{name.replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        )
        completed = processes.run(
            ["bash", "--norc", "-c", program],
            env=spy.environ,
            capture_output=True,
            text=True,
        )
        assert completed.stderr == ""
        words: list[str] = completed.stdout.split()
        return words

    assert reply("kubectl-spy statu") == ["status"]
    assert reply("kubectl-spy_changes statu") == ["status"]
    assert reply("kubectl-spy status --request-timeout=2m pods ") == ["web-1", "web-2"]
    assert reply("kubectl-spy status --context=st") == ["staging"]
    assert reply("kubectl-spy show x --at se") == ["seq:"]
    assert reply("kubectl-spy status --for condition=x") == []
    (spy.home / "a-file").touch()
    assert reply(f"kubectl-spy record -f {spy.home}/a-f") == [f"{spy.home}/a-file"]


SHELLS = {
    "bash": ["bash", "--norc", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
PREPARE = {
    "bash": "PS1='> '; source <(kubectl-spy completion bash)",
    "zsh": "PS1='> '; autoload -U compinit; compinit -u -D; "
    "source <(kubectl-spy completion zsh)",
    "fish": "function fish_prompt; echo '> '; end; "
    "kubectl-spy completion fish | source",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_in_a_real_shell(spy: Spy, api: ApiServer, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    spy.command = ("setsid", "--ctty", "--wait", *SHELLS[shell])
    with on_a_terminal(spy, columns=120) as (screen, process):
        screen.type(f"{PREPARE[shell]}; echo pre''pared\r")
        screen.wait_for(lambda seen: "prepared" in seen.lines)
        screen.type("clear; kubectl-spy stat\t")
        screen.wait_for_text("kubectl-spy status")
        screen.type("--request-timeout=2m deploym\t")
        screen.wait_for_text("kubectl-spy status --request-timeout=2m deployments")
        screen.type("wor\t")
        screen.wait_for_text("--request-timeout=2m deployments worker")
        screen.type("--context=sta\t")
        screen.wait_for_text("worker --context=staging")
        screen.type("\x15exit\r")
        process.wait(PATIENCE)


@pytest.mark.parametrize("plugin", ["spy", "spy_changes"])
def test_kubectl_asks_what_completion_kubectl_printed(spy: Spy, plugin: str) -> None:
    """As krew installs it, by either name. The printed lines are pasted as they are."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    links = spy.home / ".krew" / "bin"
    links.mkdir(parents=True)
    program = spy.home / "bin" / "kubectl-spy"
    (links / f"kubectl-{plugin}").write_text(program.read_text())
    (links / f"kubectl-{plugin}").chmod(0o755)
    spy.environ["PATH"] = os.pathsep.join([str(links), os.environ["PATH"]])
    spy.command = ("kubectl",)
    name = plugin.replace("_", "-")
    printed = spy.run(name, "completion", "kubectl").out
    pasted = [line[4:] for line in printed.splitlines() if line.startswith("#   ")]
    assert len(pasted) == 2
    for line in pasted:
        processes.run(["bash", "-c", line], env=spy.environ, check=True)
    assert (links / f"kubectl_complete-{plugin}").read_text() == printed
    assert spy.run("__complete", name, "stat").out.startswith("status\t")


def test_a_name_with_shell_syntax_does_not_get_into_a_script(spy: Spy) -> None:
    program = spy.home / "bin" / "kubectl-$(id)"
    shutil.copy(spy.home / "bin" / "kubectl-spy", program)
    expected = spy.run("completion", "bash").stdout
    spy.command = (str(program),)
    assert spy.run("completion", "bash").stdout == expected


@pytest.mark.parametrize("name", ["bash", "zsh", "fish", "powershell", "kubectl.cmd"])
def test_a_script_is_for_the_name_of_the_program(name: str) -> None:
    ours, theirs = (script(name, plugin) for plugin in ("spy", "spy_changes"))
    assert ours.isascii() and "kubectl-spy __complete" in ours
    assert (
        "kubectl-spy_changes __complete" in theirs and "kubectl spy-changes" in theirs
    )
    left = re.findall(
        r"kubectl(?:_complete)?-spy\b|_kubectl_spy\b|kubectl spy ", theirs
    )
    assert left == []
