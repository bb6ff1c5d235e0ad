"""Whatever a kubeconfig holds, it is used or refused in one line without a secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.access import ConnectionSettings, choose_access
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.connection.identity import identify
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig
from kubectl_spy.sources.connection.plugin import check_plugin
from tests.examples import examples
from tests.sources.connection.certificates import client_user
from tests.sources.connection.kubeconfigs import b64, kubeconfig, write

MARK = "hunter2"
"""Part of every secret, in every form: base64 begins with the same characters."""
MARKS = (MARK, b64(MARK.encode())[:8])

CLUSTER = {
    "server": "https://127.0.0.1:1",
    "certificate-authority-data": b64(trustme.CA().cert_pem.bytes()),
    "insecure-skip-tls-verify": False,
    "tls-server-name": "kube",
    "proxy-url": f"http://me:{MARK}@127.0.0.1:1",
}
USERS: dict[str, dict[str, Any]] = {
    "token": {"token": MARK, "as": "jane", "as-groups": ["a"]},
    "password": {"username": "me", "password": MARK, "as-user-extra": {"a": ["b"]}},
    "certificate": {**client_user(trustme.CA()), "as": "jane", "as-uid": "7"},
    "key": {
        "client-certificate-data": b64(f"{MARK} certificate".encode()),
        "client-key-data": b64(f"{MARK} key".encode()),
    },
    "files": {"tokenFile": "config", "client-key": "no", "client-certificate": "no"},
    "plugin": {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "true",
            "args": [MARK],
            "env": [{"name": "PASSWORD", "value": MARK}],
            "provideClusterInfo": True,
        }
    },
    "oidc": {
        "auth-provider": {
            "name": "oidc",
            "config": {"id-token": MARK, "refresh-token": MARK, "client-secret": MARK},
        }
    },
}

ODD: list[Any] = [None, True, 0, 5, -1.5, 10**400, float("nan"), [], [None], [[]], {}]
ODD += [{"a": None}, {"name": {}}, {5: 5}, "", "x", "a b", "a\0b", "日本", "a" * 5000]
ODD += ["/dev/null", "/dev/zero", "~", "..", "%", "http://", "https://[x", "socks5://x"]
odd = st.sampled_from(ODD)
wrong = odd | st.recursive(odd, lambda inner: st.lists(inner, max_size=2), max_leaves=3)


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of everything in *document*."""
    yield at
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))
        else:
            yield (*at, key)


def used(path: Path, **flags: Any) -> None:
    """Connect by the file *path* as far as it goes without a request."""
    flags = {"kubeconfig": str(path), **flags}
    environ = {"HOME": str(path.parent), "PATH": "/usr/bin:/bin"}
    try:
        Connection(ConnectionSettings(**flags), environ=environ, say=lambda line: None)
    except SpyError as error:
        assert not [mark for mark in MARKS if mark in str(error)], error


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home") / "config"


@pytest.mark.parametrize("user", USERS)
@given(data=st.data())
@examples(40)
def test_members_of_wrong_kinds_are_refused(
    path: Path, user: str, data: st.DataObject
) -> None:
    document = deepcopy(kubeconfig(CLUSTER, USERS[user]))
    at = data.draw(st.sampled_from(list(places(document))[1:]))
    inner = document
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = data.draw(wrong)
    write(path, document)
    used(path)


SIGNS = ["!", "*", "&", "[", "{", "}", "'", '"', "|", ">", "%", "@", "`", "#", "\t"]
SIGNS += ["\n", ": ", "- ", "<<: ", "? ", "!!", "!!int ", "!!binary ", "\x00", "\ufeff"]
TEXT = yaml.safe_dump(
    kubeconfig(
        CLUSTER, {key: value for user in USERS.values() for key, value in user.items()}
    ),
    width=1000,
)


@given(st.integers(0, len(TEXT)), st.sampled_from(SIGNS) | st.text(max_size=3))
@examples(150)
def test_misplaced_characters_reveal_no_secret(path: Path, at: int, sign: str) -> None:
    text = TEXT[:at] + sign + TEXT[at:]
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    used(path)


@pytest.mark.parametrize("sign", [*SIGNS, "!x!", "!<", "*x ", "&x *"])
@pytest.mark.parametrize("before", [f"token: {MARK}", f"password: {MARK}"])
def test_a_password_read_as_another_type_is_not_printed(
    path: Path, before: str, sign: str
) -> None:
    """Such as `password: !hunter2`, which is a tag."""
    key, value = before.split()
    path.write_text(TEXT.replace(before, f"{key} {sign}{value}"), encoding="utf-8")
    used(path)


@given(st.binary(max_size=80) | st.text(alphabet="[]{}&*!:-,<? \n\"'ab", max_size=60))
@examples(300)
def test_any_bytes_are_a_kubeconfig_or_an_error(path: Path, content: bytes) -> None:
    raw = content if isinstance(content, bytes) else str(content).encode()
    path.write_bytes(raw)
    with suppress(SpyError):
        load_kubeconfig(str(path), {})


ITSELF = {
    "a mapping": "clusters: [{name: a, cluster: &c {extensions: *c}}]",
    "a list": "users: &u [{name: a, user: *u}]",
    "everything": "&all {contexts: [], more: *all}",
    "a merge": "a: &a {<<: *a}",
}


@pytest.mark.parametrize("text", ITSELF.values(), ids=ITSELF)
def test_a_recursive_document_is_refused(path: Path, text: str) -> None:
    """Go's parser refuses it; what compares two of these would never end."""
    path.write_text(text)
    with pytest.raises(SpyError, match="contains itself"):
        load_kubeconfig(str(path), {})


@pytest.mark.parametrize(
    ("member", "why"),
    [
        ("as: 5", "as is not a string"),
        ("as-groups: dev", "as-groups is not a list"),
        ("as-groups: [5]", "as-groups is not a list of strings"),
        ("as-user-extra: {a: b}", "as-user-extra has a value that is no list"),
        ("exec: login", "exec is not a mapping"),
        ("auth-provider: [oidc]", "auth-provider is not a mapping"),
        ("token: 12345", "token is not a string"),
    ],
)
def test_wrong_kinds_of_credentials_fail(path: Path, member: str, why: str) -> None:
    """Or somebody else than meant would ask, or nobody."""
    path.write_text(f"users: [{{name: a, user: {{{member}}}}}]")
    with pytest.raises(SpyError, match=why):
        load_kubeconfig(str(path), {})


def test_only_true_switches_the_verification_off(path: Path) -> None:
    skip = {"server": "https://x", "insecure-skip-tls-verify": "false"}
    write(path, kubeconfig(skip))
    with pytest.raises(SpyError, match="is not true or false"):
        load_kubeconfig(str(path), {})


@pytest.mark.parametrize("key", ["tokenFile", "client-key", "client-certificate"])
def test_a_file_without_end_is_not_read_to_it(path: Path, key: str) -> None:
    write(path, kubeconfig({"server": "https://x"}, {key: "/dev/zero"}))
    access = choose_access(load_kubeconfig(str(path), {}), ConnectionSettings())
    with pytest.raises(SpyError, match=r"cannot read /dev/zero.*larger than 8 MiB"):
        identify(access, {})


URLS = [
    f"https://me:{MARK}@[x",
    f"https:/me:{MARK}@host",
    f"me:{MARK}@host",
    f"ftp://me:{MARK}@host",
    f"https://me:{MARK}@host:0",
    f"https://{MARK}@",
    f"https://me:{MARK}@host/#a",
    f"https://host/?token={MARK}",
    f"https://host?a#{MARK}",
    f"socks5://me:{MARK}@host",
    f"\x00me:{MARK}@host",
]


@pytest.mark.parametrize("member", ["server", "proxy-url"])
@pytest.mark.parametrize("url", URLS)
def test_a_password_in_a_url_is_not_repeated(path: Path, member: str, url: str) -> None:
    path.write_text(json.dumps(kubeconfig({**CLUSTER, member: url})))
    used(path)
    used(path, server=url)


@given(wrong, wrong)
@examples(60)
def test_any_kuberc_allows_or_refuses(path: Path, policy: Any, listed: Any) -> None:
    kuberc = path.parent / "kuberc"
    entries = {"credentialPluginPolicy": policy, "credentialPluginAllowlist": listed}
    write(kuberc, entries)
    with suppress(SpyError):
        check_plugin("true", {"KUBERC": str(kuberc), "PATH": "/usr/bin:/bin"})
        assert policy in (None, "", 0, [], {}, "AllowAll")
