"""What is read without PyYAML is what PyYAML reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.sources.plain_yaml import NotPlain, read_plain
from kubectl_spy.sources.yaml_file import documents

BY_KUBECTL = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    server: https://127.0.0.1:6443
    extensions:
    - extension:
        last-update: Mon, 02 Jan 2026 15:04:05 UTC
      name: cluster_info
  name: arn:aws:eks:eu-west-1:123456789012:cluster/shop
contexts:
- context:
    cluster: arn:aws:eks:eu-west-1:123456789012:cluster/shop
    user: me
  name: shop
current-context: shop
kind: Config
preferences: {}
users:
# of nobody
- name: me
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - --region
      - eu-west-1
      - eks
      command: aws
      env: null
      installHint:
      provideClusterInfo: false
    password: "12345"
"""
PIECES = [
    *("- ", "  ", "\n", "\n  ", "\n- ", ": ", ":", "-", "--", " ", "\t", "#", " #"),
    *("a", "b: c", "x y", "yes", "NO", "on: 1", "null", "~", "true", "True", "1", "="),
    *("{}", "[]", '"', "'", "/", ".", ",", "?", "%", "&a ", "*a", "!t ", "|", "> "),
    *("---\n", "\n...\n", "<<", "key:\n", "é", "{", "}", '{"a": 1}', "\\"),
]


def by_pyyaml(text: str) -> list[object]:
    def all_of(loader: Any, _: Path) -> Iterator[object]:
        while loader.check_data():
            yield loader.get_data()

    return documents(text.encode(), Path("config"), all_of)


def test_what_kubectl_writes_is_plain() -> None:
    assert [read_plain(BY_KUBECTL.encode())] == by_pyyaml(BY_KUBECTL)


def test_json_is_plain() -> None:
    assert read_plain(b'{"users": [{"name": "me", "n": 1.5}]}\n') == {
        "users": [{"name": "me", "n": 1.5}]
    }


@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.one_of(
        st.just((0, 0)),
        st.tuples(st.integers(0, len(BY_KUBECTL)), st.integers(0, 5)),
    ),
)
def test_what_is_plain_is_what_pyyaml_reads(
    written: str, edit: tuple[int, int]
) -> None:
    at, without = edit
    text = BY_KUBECTL[:at] + written + BY_KUBECTL[at + without :] if at else written
    try:
        found = read_plain(text.encode())
    except NotPlain:
        return
    assert repr([found]) == repr(by_pyyaml(text))


@pytest.mark.parametrize(
    "text",
    [
        *("", "a: yes", "a: 1", "a: 1e3", "a: .inf", "on: a", "a: b: c", "a: b\n  c"),
        *("a: &x b", "a: |\n  b", "- - a", "a: 'b'", "a: b # c", "a:\tb", "a: ~"),
        *("--- a", "a: b\n---\nc: d", "a\n", "{a: b}", '{"a": "\\u0041"}', "a: é"),
        " a: b\nc: d",
        "a:\n   b: c\n  d: e",
        '{"a": ' * 101 + "1" + "}" * 101,
    ],
)
def test_what_may_mean_something_else_is_left_to_pyyaml(text: str) -> None:
    with pytest.raises(NotPlain):
        read_plain(text.encode())
