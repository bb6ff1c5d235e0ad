"""`kubectl explain` of custom resources whose definitions were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.objects import Selection
from tests.builders import event, pod, resource
from tests.cli.command import Spy
from tests.cli.served import Served, needs_kubectl, serving
from tests.recordings import START, first_list, record

GROUP = "apiextensions.k8s.io"
CRDS = Selection(
    resource=resource("CustomResourceDefinition", GROUP, namespaced=False),
    namespace=None,
)
WIDGETS = Selection(
    resource=resource("Widget", "example.com", short_names=("wi",)), namespace="shop"
)
GADGETS = Selection(resource=resource("Gadget", "example.com"), namespace="shop")
PODS = Selection(resource=resource("Pod"), namespace="shop")
DOCUMENT = "/openapi/v3/apis/example.com/v1"
MISSING = (
    "the recording holds no schema of these kinds: only CustomResourceDefinitions that "
    "exist at this moment have schemas"
)
PROTOBUF = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"


def definition(rv: str, *, established: bool = True, **spec: Any) -> dict[str, Any]:
    """Return the definition of Widgets, which have *spec*."""
    described = {"type": "object", "description": "What is wanted.", "properties": spec}
    version = {
        "name": "v1",
        "served": True,
        "schema": {
            "openAPIV3Schema": {"type": "object", "properties": {"spec": described}}
        },
    }
    status = "True" if established else "False"
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com", "uid": "u", "resourceVersion": rv},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [version],
        },
        "status": {"conditions": [{"type": "Established", "status": status}]},
    }


SIZE: dict[str, Any] = {"size": {"type": "integer", "description": "How large."}}
COLOUR: dict[str, Any] = {"colour": {"type": "string", "enum": ["red", "blue"]}}


@contextmanager
def explained(spy: Spy, path: Path, *words: str) -> Iterator[Served]:
    """Serve a recording of a definition: created, established, changed, and deleted."""
    steps = [
        ("ADDED", definition("11", established=False, **SIZE)),
        ("MODIFIED", definition("12", **SIZE)),
        ("MODIFIED", definition("13", **SIZE, **COLOUR)),
        ("DELETED", definition("14", **SIZE, **COLOUR)),
    ]
    events = [
        *first_list(time=START, selection=CRDS),
        *first_list(time=START, selection=WIDGETS),
        *first_list(time=START, selection=GADGETS),
        *first_list(pod(rv="1"), time=START, selection=PODS),
        *(
            event(kind, item, time=START + 10 * number, selection=CRDS)
            for number, (kind, item) in enumerate(steps, 1)
        ),
    ]
    file = path / "widgets.spy"
    record(file, events, selections=[CRDS, WIDGETS, GADGETS, PODS])
    with serving(spy, str(file), *words) as served:
        yield served


@pytest.mark.parametrize(
    ("at", "fields"),
    [
        ("first", None),
        ("15:04:16", None),  # not established yet
        ("15:04:26", ["size"]),
        ("15:04:36", ["size", "colour"]),
        ("last", None),
    ],
)
def test_the_schema_is_that_of_the_moment(
    spy: Spy, tmp_path: Path, at: str, fields: list[str] | None
) -> None:
    with explained(spy, tmp_path, "--at", "15:04:26") as served:
        assert served.ask(f"/spy/seek?at={at}", method="POST").status == 200
        reply = served.ask(DOCUMENT)
        if fields is None:
            assert (reply.status, reply.body.decode()) == (501, MISSING)
        else:
            widget = reply.document["components"]["schemas"]["com.example.v1.Widget"]
            assert list(widget["properties"]["spec"]["properties"]) == fields


def test_the_url_of_a_document_changes_with_it(spy: Spy, tmp_path: Path) -> None:
    urls = []
    with explained(spy, tmp_path) as served:
        for at in ("first", "15:04:26", "15:04:36", "15:04:26"):
            served.ask(f"/spy/seek?at={at}", method="POST")
            paths = served.ask("/openapi/v3").document["paths"]
            groups = [f"apis/{GROUP}/v1", "apis/example.com/v1"]
            assert list(paths) == ["api/v1", *groups]
            urls.append(paths["apis/example.com/v1"]["serverRelativeURL"])
            status = 501 if at == "first" else 200
            assert served.ask(urls[-1]).status == status
    assert urls[1] == urls[3] and len(set(urls)) == 3


def test_what_is_not_served_says_so(spy: Spy, tmp_path: Path) -> None:
    with explained(spy, tmp_path, "--at", "15:04:26") as served:
        assert served.ask("/openapi/v3/apis/other.example.com/v1").status == 404
        assert served.ask("/openapi/v3/api/v1").body.decode() == MISSING
        assert served.ask("/openapi/v2").status == 501
        assert served.ask(DOCUMENT, Accept=PROTOBUF).status == 406


def test_a_schema_of_any_depth_is_served(spy: Spy, tmp_path: Path) -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        deep = {"type": "object", "properties": {"a": deep}}
    file = tmp_path / "deep.spy"
    events = first_list(definition("1", deep=deep), time=START, selection=CRDS)
    record(file, events, selections=[CRDS])
    with serving(spy, str(file)) as served:
        assert served.ask(DOCUMENT).body.count(b'"a":{') == 300


@needs_kubectl
def test_kubectl_explains_it(spy: Spy, tmp_path: Path) -> None:
    with explained(spy, tmp_path, "--at", "15:04:36") as served:
        assert served.kubectl("explain", "widget.spec").stdout == (
            "GROUP:      example.com\n"
            "KIND:       Widget\n"
            "VERSION:    v1\n\n"
            "FIELD: spec <Object>\n\n\n"
            "DESCRIPTION:\n"
            "    What is wanted.\n"
            "    \n"
            "FIELDS:\n"
            "  colour\t<string>\n"
            "  enum: red, blue\n"
            "    <no description>\n\n"
            "  size\t<integer>\n"
            "    How large.\n\n\n"
        )
        every = served.kubectl("explain", "wi", "--recursive").stdout
        assert (
            "  metadata\t<ObjectMeta>\n    annotations\t<map[string]string>\n" in every
        )
        assert "  spec\t<Object>\n    colour\t<string>\n" in every
        wrong = served.kubectl("explain", "widget.spec.nothing")
        assert wrong.stderr == 'error: field "nothing" does not exist\n'
        served.ask("/spy/seek?at=15:04:26", method="POST")
        wrong = served.kubectl("explain", "widget.spec.colour")
        assert wrong.stderr == 'error: field "colour" does not exist\n'


@needs_kubectl
def test_kubectl_says_what_has_no_schema(spy: Spy, tmp_path: Path) -> None:
    with explained(spy, tmp_path, "--at", "15:04:36") as served:
        (line,) = served.kubectl("explain", "pod").stderr.splitlines()
        assert line.startswith("error: ") and MISSING in line
        (line,) = served.kubectl("explain", "gadget").stderr.splitlines()
        assert "not found in OpenAPI schema" in line
        v2 = ("explain", "widget", "--output", "plaintext-openapiv2")
        (line,) = served.kubectl(*v2).stderr.splitlines()
        assert "OpenAPI v2 is not served" in line
