"""How the command ends, and which stream says what. Signals: test_signals.py."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import processes
from tests.builders import config_map
from tests.cli.command import LOOK, PATIENCE, Ended, Spy
from tests.extras.serve.api_server.server import ApiServer, Serve


@pytest.fixture
def server(serve: Serve) -> ApiServer:
    """A server with one ConfigMap in the namespace of the context, shop."""
    server = serve(namespace="shop")
    server.put(config_map("web", color="red"))
    return server


def test_data_goes_to_stdout_messages_to_stderr(spy: Spy, server: ApiServer) -> None:
    ended = spy.run_in_time("changes", "cm/web", done=lambda it: "color: " in it.out)
    assert ended.code == 124
    first, *rest = ended.out.splitlines()
    assert first.endswith("  ADDED     configmap/web  already there")
    assert any(line.startswith("    color: ") for line in rest)
    assert ended.err.splitlines() == [
        "watching configmap/web in namespace shop (context demo); Ctrl-C ends",
        "the time given with --timeout is over",
    ]


def test_the_announced_scope_is_the_watched_one(spy: Spy, server: ApiServer) -> None:
    one, all_, none = spy.run_all(
        f"changes nodes,cm -n shop {LOOK}",
        f"changes nodes,cm -A {LOOK}",
        f"changes nodes {LOOK}",
    )
    assert one.err.startswith("watching nodes, configmaps in namespace shop (context")
    assert all_.err.startswith("watching nodes, configmaps in all namespaces (context")
    assert none.err.startswith("watching nodes (context")


@pytest.mark.parametrize("arguments", ["", "--help", "-h"])
def test_without_arguments_it_prints_its_help(spy: Spy, arguments: str) -> None:
    ended = spy.run(*arguments.split())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Usage: python -m kubectl_spy [OPTIONS] COMMAND")
    assert "\\u" not in ended.out


def test_the_version_is_one_line(spy: Spy) -> None:
    ended = spy.run("--version")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("kubectl-spy ") and ended.out.count("\n") == 1


def test_a_bad_selector_is_exit_1_with_the_answer(spy: Spy, server: ApiServer) -> None:
    said = {
        ("-l", "a=("): "unable to parse requirement",
        ("--field-selector", "phase"): "can't understand 'phase'",
    }
    for words, message in said.items():
        ended = spy.run("changes", "pods", *words)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.splitlines()[-1].startswith("error: ")
        assert message in ended.err


def test_jsonpatch_is_for_one_object(spy: Spy, server: ApiServer) -> None:
    ended = spy.run("changes", "cm", "-o", "jsonpatch")
    assert (ended.code, ended.out) == (2, "")
    assert "-o jsonpatch is for one object" in ended.err.splitlines()[-1]


def onto_a_full_disk(spy: Spy, *words: str) -> Ended:
    with Path("/dev/full").open("w") as full:
        return spy.run(*words, stdout=full.fileno())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_that_says_so(spy: Spy, server: ApiServer) -> None:
    ended = onto_a_full_disk(spy, "changes", "cm")
    assert ended.code == 1
    assert ended.err.splitlines()[1:] == [
        "error: cannot write to standard output: No space left on device; "
        "the output ends before this change"
    ]


@pytest.mark.parametrize(("redirection", "said"), [("2>&-", ""), ("<&-", "the time")])
def test_streams_that_are_closed_are_no_reason_to_fail(
    spy: Spy, server: ApiServer, redirection: str, said: str
) -> None:
    ended = in_a_shell(spy, f"changes cm {LOOK} {redirection}")
    assert ended.returncode == 124
    assert said in ended.stderr.decode()
    assert b"bug" not in ended.stderr


@pytest.mark.parametrize("line", ["changes cm", "--help", "version"])
def test_a_closed_standard_output_is_an_error_as_for_cat(
    spy: Spy, server: ApiServer, line: str
) -> None:
    ended = in_a_shell(spy, f"{line} >&-")
    assert ended.returncode == 1
    *_, last = ended.stderr.decode().splitlines()
    assert last.startswith("error: cannot write to standard output: Bad file")


def test_what_prints_nothing_needs_no_standard_output(
    spy: Spy, server: ApiServer
) -> None:
    for seconds in processes.limits(1):
        file = f"{spy.home}/{seconds}.spy"
        ended = in_a_shell(spy, f"record cm -f {file} --timeout {seconds}s >&-")
        if b"1 object" in ended.stderr:
            break
    assert ended.returncode == 124
    assert b"1 object" in ended.stderr


def in_a_shell(spy: Spy, line: str) -> subprocess.CompletedProcess[bytes]:
    command = " ".join([*spy.command, line])
    return processes.run(
        ["sh", "-c", command], env=spy.environ, capture_output=True, timeout=PATIENCE
    )


def test_flags_take_truth_values_as_kubectls_do(spy: Spy, server: ApiServer) -> None:
    true, false, neither = spy.run_all(
        f"changes cm -A=true --insecure-skip-tls-verify=true {LOOK}",
        f"changes cm/web --all-namespaces=false --watch-only=0 {LOOK}",
        f"changes cm -A=perhaps {LOOK}",
    )
    assert "watching configmaps in all namespaces" in true.err
    assert "ADDED     configmap/web" in false.out
    assert (true.code, false.code, neither.code) == (124, 124, 2)


@pytest.mark.parametrize(
    "line",
    [
        "-n shop changes nodes,cm",
        "--namespace=shop changes nodes,cm",
        "-nshop --color never changes nodes,cm",
        "-w --watch-only=true -n shop -A=false changes nodes,cm --all-namespaces=0",
    ],
)
def test_flags_may_come_before_the_command(spy: Spy, serve: Serve, line: str) -> None:
    serve(namespace="other")
    ended = spy.run(*line.split(), *LOOK.split())
    assert ended.code == 0
    assert ended.err.startswith("watching nodes, configmaps in namespace shop (context")


@pytest.mark.parametrize("command", ["trace", "events", "spans"])
@pytest.mark.parametrize("flags", [(), ("-o", "json")], ids=["text", "json"])
def test_an_absent_object_is_an_error_if_not_waited_for(
    spy: Spy, server: ApiServer, command: str, flags: tuple[str, ...]
) -> None:
    ended = spy.run(command, "deploy/nope", "--once", *flags)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[1:] == [
        "error: deployment.apps/nope is not there in namespace shop; "
        "leave out --once to wait for it"
    ]


def test_an_absent_object_fails_after_the_others(spy: Spy, server: ApiServer) -> None:
    ended = spy.run("trace", "cm/web", "cm/nope", "cm/none", "--once")
    assert ended.code == 1
    assert "configmap/web" in ended.out
    assert "error: configmap/nope, configmap/none are not there" in ended.err
    assert "waiting" not in ended.err
    both = spy.run("trace", "cm/web", "--once")
    assert (both.code, "error" in both.err) == (0, False)


@pytest.mark.parametrize("command", ["trace", "events", "spans"])
def test_an_empty_list_is_no_error(spy: Spy, server: ApiServer, command: str) -> None:
    ended = spy.run(command, "pods", "-l", "app=none", "--once")
    assert (ended.code, ended.out) == (0, "")
    assert "note: pods app=none: nothing there in namespace shop\n" in ended.err
    assert "waiting" not in ended.err


def test_with_for_and_once_the_condition_decides(spy: Spy, server: ApiServer) -> None:
    gone = spy.run("spans", "deploy/nope", "--once", "--for", "delete")
    assert (gone.code, "waiting" in gone.err) == (0, False)
    ready = spy.run("spans", "deploy/nope", "--once", "--for", "ready")
    assert (ready.code, "waiting" in ready.err) == (1, False)
    assert ready.err.splitlines()[-1].startswith("error: not ready: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize(
    "words", [("--help",), ("spans", "--help"), ("--version",), ("__complete", "")]
)
def test_help_on_a_full_disk_is_an_error(spy: Spy, words: tuple[str, ...]) -> None:
    ended = onto_a_full_disk(spy, *words)
    assert ended.code == 1
    (error,) = ended.err.splitlines()
    assert error.startswith("error: cannot write to standard output: No space left")
