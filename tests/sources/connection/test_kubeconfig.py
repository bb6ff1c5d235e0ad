"""Finding and merging kubeconfig files by client-go's rules."""

from __future__ import annotations

import os
import pwd
import sys
from pathlib import Path

import pytest

from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig
from tests import processes
from tests.sources.connection.kubeconfigs import in_home, kubeconfig, write

ALIASES = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)
)


def test_the_flag_wins_over_environment_and_home(tmp_path: Path) -> None:
    environ = in_home(tmp_path, kubeconfig(name="home"))
    environ["KUBECONFIG"] = str(write(tmp_path / "env", kubeconfig(name="env")))
    flag = write(tmp_path / "flag", kubeconfig(name="flag"))
    assert load_kubeconfig(str(flag), environ).current_context == "flag"
    assert load_kubeconfig(None, environ).current_context == "env"
    del environ["KUBECONFIG"]
    assert load_kubeconfig(None, environ).current_context == "home"


def test_in_a_list_the_first_file_wins_for_context_and_entries(tmp_path: Path) -> None:
    first = kubeconfig({"server": "http://one"}, name="a", current=False)
    second = kubeconfig({"server": "http://two"}, name="a")
    third = kubeconfig({"server": "http://three"}, name="b")
    paths = [
        write(tmp_path / str(number), document)
        for number, document in enumerate((first, second, third))
    ]
    paths.insert(1, tmp_path / "missing")
    environ = {"KUBECONFIG": os.pathsep.join(["", *map(str, paths)])}
    config = load_kubeconfig(None, environ)
    assert config.current_context == "a"
    assert config.clusters["a"]["server"] == "http://one"
    assert config.clusters["b"]["server"] == "http://three"
    assert config.files == tuple(map(str, (paths[0], paths[2], paths[3])))


def test_paths_are_relative_to_their_kubeconfig(tmp_path: Path) -> None:
    one = kubeconfig({"server": "https://x", "certificate-authority": "ca.pem"})
    two = kubeconfig(
        user={
            "client-certificate": "certs/c.pem",
            "client-key": "/abs/key.pem",
            "exec": {"command": "./bin/login"},
        },
        name="other",
    )
    paths = (write(tmp_path / "one" / "c", one), write(tmp_path / "two" / "c", two))
    environ = {"KUBECONFIG": os.pathsep.join(map(str, paths))}
    config = load_kubeconfig(None, environ)
    assert config.clusters["test"]["certificate-authority"] == str(
        tmp_path / "one" / "ca.pem"
    )
    user = config.users["other"]
    assert user["client-certificate"] == str(tmp_path / "two" / "certs" / "c.pem")
    assert user["client-key"] == "/abs/key.pem"
    assert user["exec"]["command"] == str(tmp_path / "two" / "bin" / "login")


def test_a_plugin_without_a_slash_is_left_to_the_path(tmp_path: Path) -> None:
    environ = in_home(tmp_path, kubeconfig(user={"exec": {"command": "aws"}}))
    assert load_kubeconfig(None, environ).users["test"]["exec"]["command"] == "aws"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "it is not YAML, line 2"),
        ("a: b: c", "it is not YAML, line 1"),
        ("a: *b", "its anchors and aliases do not fit, line 1"),
        ("- a", "it is not a mapping"),
        ("clusters: 5", "clusters is not a list"),
        ("users: [5]", "an entry of users has no name"),
        ("contexts: [{name: a, context: 5}]", '"a" in contexts is not a mapping'),
        ("users: [{name: a}, {name: a}]", 'users has two entries named "a"'),
        ("current-context: [a]", "current-context is not a string"),
        ("\x00", "it is not YAML"),
        ("!!python/object:os.system {}", "it has a tag or a key that is not allowed"),
        ("a: !hunter2 b", "it has a tag or a key that is not allowed, line 1"),
        ("[a]: b", "it has a tag or a key that is not allowed, line 1"),
        ("[" * 5000, "nested too deeply"),
        ("a:\n- b\n- " + "{a: " * 5000, "nested too deeply"),
        ("- " * 50_000, "nested too deeply"),
        ("? " * 50_000, "nested too deeply"),
        (ALIASES, "too many aliases"),
        ("users: [{name: a, user: {tokenFile: 5}}]", "tokenFile is not a string"),
    ],
)
def test_malformed_files_are_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "config"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpyError, match=why) as caught:
        load_kubeconfig(str(path), {})
    assert str(path) in caught.value.message
    assert "\n" not in str(caught.value)


def test_an_empty_file_is_an_empty_config(tmp_path: Path) -> None:
    (tmp_path / "config").touch()
    config = load_kubeconfig(str(tmp_path / "config"), {})
    assert (config.files, config.contexts) == ((str(tmp_path / "config"),), {})


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "config"
    with path.open("wb") as file:
        file.truncate(9 << 20)
    with pytest.raises(SpyError, match="larger than 8 MiB"):
        load_kubeconfig(str(path), {})


def test_a_missing_explicit_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SpyError, match="does not exist"):
        load_kubeconfig(str(tmp_path / "none"), {})


def test_a_directory_is_no_kubeconfig(tmp_path: Path) -> None:
    with pytest.raises(SpyError, match="cannot read"):
        load_kubeconfig(str(tmp_path), {})


def test_in_a_pod_without_files_its_service_account_is_used(tmp_path: Path) -> None:
    account = tmp_path / "serviceaccount"
    account.mkdir()
    (account / "token").write_text("t0ken")
    (account / "namespace").write_text("shop\n")
    environ = {
        "HOME": str(tmp_path),
        "KUBERNETES_SERVICE_HOST": "fd00::1",
        "KUBERNETES_SERVICE_PORT": "443",
    }
    config = load_kubeconfig(None, environ, service_account=account)
    assert config.clusters["in-cluster"]["server"] == "https://[fd00::1]:443"
    assert config.contexts[config.current_context]["namespace"] == "shop"
    assert config.users["service-account"] == {"tokenFile": str(account / "token")}
    del environ["KUBERNETES_SERVICE_HOST"]
    assert not load_kubeconfig(None, environ, service_account=account).contexts


def test_a_kubeconfig_never_shows_its_secrets(tmp_path: Path) -> None:
    environ = in_home(tmp_path, kubeconfig(user={"token": "hunter2"}))
    assert "hunter2" not in repr(load_kubeconfig(None, environ))


def test_an_empty_flag_is_none(tmp_path: Path) -> None:
    environ = in_home(tmp_path, kubeconfig(name="home"))
    assert load_kubeconfig("", environ).current_context == "home"


def run_alone(script: str, environ: dict[str, str]) -> str:
    """Return what *script* prints in a process with *environ* and nothing else."""
    ended = processes.run(
        [sys.executable, "-c", script],
        env={**environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    return str(ended.stdout).strip()


HOME = """
import os
from kubectl_spy.sources.connection.kubeconfig import home_directory
# Python itself may be readable to its owner alone.
if USER is not None:
    os.setuid(USER)
print(home_directory(os.environ))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root becomes anybody"
)
def test_a_user_without_a_home_has_the_root_for_one() -> None:
    """As in containers that run as a number: no HOME, no entry in /etc/passwd."""
    assert run_alone(HOME.replace("USER", "54321"), {}) == "/"


def test_without_a_home_the_user_database_has_it() -> None:
    assert (
        run_alone(HOME.replace("USER", "None"), {}) == pwd.getpwuid(os.getuid()).pw_dir
    )


LOAD = """
import os, sys
os.chdir(sys.argv[1])
os.rmdir(sys.argv[1])
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig
from kubectl_spy.sources.connection.plugin import check_plugin
config = load_kubeconfig(None, os.environ)
check_plugin("true", os.environ)
print(config.current_context)
"""


def test_absolute_paths_need_no_current_directory(tmp_path: Path) -> None:
    environ = in_home(tmp_path, kubeconfig(name="home"))
    policy = {
        "credentialPluginPolicy": "Allowlist",
        "credentialPluginAllowlist": [{"name": "true"}],
    }
    write(tmp_path / ".kube" / "kuberc", policy)
    gone = tmp_path / "gone"
    gone.mkdir()
    script = LOAD.replace("sys.argv[1]", repr(str(gone)))
    assert run_alone(script, environ) == "home"
    assert not gone.exists()
