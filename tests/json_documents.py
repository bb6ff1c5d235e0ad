"""Hypothesis strategies for JSON, and for pairs that look like Kubernetes objects."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 1.5, -2.0]),
    st.integers(-(2**53), 2**53),
    st.sampled_from(["", "a", "b", "True", "1", "a/b", "m~n", "é", "\u202e", "\n"]),
    st.text(max_size=5).filter(lambda text: text.isprintable()),
)
keys = st.sampled_from(["a", "b", "", "a/b", "m~n", "0", "name", "type", "-", "é"])
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6), st.dictionaries(keys, inner, max_size=5)
    ),
    max_leaves=25,
)

# What a server may send that nobody vouches for: text of any kind, any number, and
# members of the names that are looked for.
hostile_text = st.text(max_size=6) | st.sampled_from(
    ["\ud800", "\x1b[2J", "\x00", "\r\n", "%2e%2e/", "x" * 2000, "Expired", "410"]
)


def hostile_json(*names: str) -> st.SearchStrategy[Any]:
    """Return JSON of any shape, in which *names* are members more often than not."""
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    numbers |= st.sampled_from([2**64, -(2**63) - 1, 10**400, 1e308, -0.0])
    leaves = st.none() | st.booleans() | numbers | hostile_text | st.sampled_from(names)
    members = st.sampled_from(names) | hostile_text
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(members, inner, max_size=5)
        ),
        max_leaves=20,
    )


def nested(levels: int, *, around: bytes = b"1") -> bytes:
    """Return JSON text of *levels* lists and objects in each other."""
    return b'[{"d":' * (levels // 2) + around + b"}]" * (levels // 2)


_names = st.sampled_from(["a", "b", "c", "d", "e"])
_conditions = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["Ready", "Available", "Progressing", "Failed"])},
        optional={
            "status": st.sampled_from(["True", "False"]),
            "reason": st.sampled_from(["A", "B"]),
        },
    ),
    max_size=5,
)
_ports = st.lists(
    st.fixed_dictionaries(
        {"containerPort": st.sampled_from([80, 443, 8080])},
        optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": _names},
    ),
    max_size=4,
)
_containers = st.lists(
    st.fixed_dictionaries(
        {"name": _names},
        optional={
            "image": st.sampled_from(["nginx:1", "nginx:2"]),
            "ports": _ports,
            "env": st.lists(
                st.fixed_dictionaries({"name": _names}, optional={"value": scalars}),
                max_size=4,
            ),
            "args": st.lists(st.sampled_from(["-v", "-x", "--y=1"]), max_size=5),
        },
    ),
    max_size=4,
)


def _object(
    conditions: Any, containers: Any, labels: Any, finalizers: Any, odd: Any
) -> Any:
    return {
        "metadata": {"labels": labels, "finalizers": finalizers},
        "spec": {"containers": containers},
        "status": {"conditions": conditions, "odd": odd},
    }


kubernetes_objects = st.builds(
    _object,
    _conditions,
    _containers,
    st.dictionaries(_names, _names, max_size=4),
    st.lists(scalars, max_size=4),
    st.lists(json_values, max_size=4),
)
