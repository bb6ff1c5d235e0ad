"""kuberc's policy on credential plugins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.plugin import check_plugin
from tests.sources.connection.kubeconfigs import program, write


def environment(home: Path, policy: Any) -> dict[str, str]:
    """Return a home with *policy* as its kuberc, and a program called login."""
    login = program(home / "bin" / "login", "")
    if policy is not None:
        head = {"apiVersion": "kubectl.config.k8s.io/v1beta1", "kind": "Preference"}
        write(home / ".kube" / "kuberc", {**head, **policy})
    return {"HOME": str(home), "PATH": str(login.parent)}


@pytest.mark.parametrize(
    "policy",
    [
        None,
        {},
        {"credentialPluginPolicy": "AllowAll"},
        {
            "credentialPluginPolicy": "Allowlist",
            "credentialPluginAllowlist": [{"name": "other"}, {"name": "login"}],
        },
        {
            "credentialPluginPolicy": "Allowlist",
            "credentialPluginAllowlist": [{"command": "login"}],
        },
    ],
)
def test_an_allowed_plugin_passes(tmp_path: Path, policy: Any) -> None:
    check_plugin("login", environment(tmp_path, policy))


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"credentialPluginPolicy": "DenyAll"}, "DenyAll"),
        ({"credentialPluginPolicy": "Allowlist"}, "not in credentialPluginAllowlist"),
        (
            {
                "credentialPluginPolicy": "Allowlist",
                "credentialPluginAllowlist": [{"name": "sh"}, "login", {"name": 5}],
            },
            "not in credentialPluginAllowlist",
        ),
        ({"credentialPluginPolicy": "Sometimes"}, "'Sometimes' is unknown"),
    ],
)
def test_other_plugins_are_refused(tmp_path: Path, policy: Any, why: str) -> None:
    with pytest.raises(SpyError, match=why) as caught:
        check_plugin("login", environment(tmp_path, policy))
    assert '"login"' in caught.value.message


def test_a_program_of_the_same_name_elsewhere_is_another_one(tmp_path: Path) -> None:
    allowlist = [{"name": "login"}]
    policy = {
        "credentialPluginPolicy": "Allowlist",
        "credentialPluginAllowlist": allowlist,
    }
    environ = environment(tmp_path, policy)
    other = program(tmp_path / "evil" / "login", "")
    with pytest.raises(SpyError):
        check_plugin(str(other), environ)


def test_an_unreadable_policy_refuses(tmp_path: Path) -> None:
    environ = environment(tmp_path, {})
    (tmp_path / ".kube" / "kuberc").write_text("a: [")
    with pytest.raises(SpyError, match="kuberc cannot be used"):
        check_plugin("login", environ)
    (tmp_path / ".kube" / "kuberc").write_text("- a")
    with pytest.raises(SpyError, match="not a mapping"):
        check_plugin("login", environ)
    with pytest.raises(SpyError, match="does not exist"):
        check_plugin("login", {**environ, "KUBERC": str(tmp_path / "none")})


def test_kuberc_can_be_switched_off(tmp_path: Path) -> None:
    environ = environment(tmp_path, {"credentialPluginPolicy": "DenyAll"})
    check_plugin("login", {**environ, "KUBERC": "off"})
    check_plugin("login", {**environ, "KUBECTL_KUBERC": "false"})
