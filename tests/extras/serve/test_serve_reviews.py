"""`kubectl spy serve`: what clients ask about their own rights."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Spy
from tests.extras.serve.served import Served, needs_kubectl, serving
from tests.recordings import record, story

ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
IDENTITY = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "it.spy"
    record(path, story())
    return path


def allows(served: Served, spec: dict[str, Any]) -> bool:
    reply = served.ask(ACCESS, method="POST", body=json.dumps({"spec": spec}))
    assert reply.status == 201
    document = reply.document
    assert document["kind"] == "SelfSubjectAccessReview"
    assert document["apiVersion"] == "authorization.k8s.io/v1"
    assert document["spec"] == spec
    allowed: bool = document["status"]["allowed"]
    return allowed


def test_everything_may_be_read_and_nothing_written(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        for verb in ("get", "list", "watch"):
            assert allows(served, {"resourceAttributes": {"verb": verb}})
        for verb in ("create", "delete", "patch", "update", "deletecollection", "*"):
            assert not allows(served, {"resourceAttributes": {"verb": verb}})
        for below, allowed in {"log": True, "status": True, "exec": False}.items():
            attributes = {"verb": "get", "resource": "pods", "subresource": below}
            assert allows(served, {"resourceAttributes": attributes}) is allowed
        for verb, allowed in {"get": True, "post": False}.items():
            path = {"verb": verb, "path": "/version"}
            assert allows(served, {"nonResourceAttributes": path}) is allowed


def test_a_body_that_is_no_review_is_refused(spy: Spy, file: Path) -> None:
    bodies = ("", "[]", "3", "{", '"k8s\\u0000"')
    with serving(spy, str(file)) as served:
        for body, media in product(bodies, ("json", "vnd.kubernetes.protobuf")):
            asked = {"Content-Type": f"application/{media}"}
            reply = served.ask(ACCESS, method="POST", body=body, **asked)
            assert reply.document["status"] == "Failure"
            assert reply.status in (400, 422)


def test_a_question_about_nothing_is_invalid(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        reply = served.ask(ACCESS, method="POST", body='{"spec": {}}')
        assert (reply.status, reply.document["reason"]) == (422, "Invalid")


def test_rights_of_others_are_not_told(spy: Spy, file: Path) -> None:
    other = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    with serving(spy, str(file)) as served:
        assert served.ask(other, method="POST", body="{}").status == 405
        assert served.ask(ACCESS).status == 404
        assert served.ask(ACCESS, method="POST", body="{}", token="").status == 401


def test_the_rules_and_the_user_are_told(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        body = '{"spec": {"namespace": "shop"}}'
        rules = served.ask(RULES, method="POST", body=body).document["status"]
        assert rules["incomplete"] is False
        verbs = {verb for rule in rules["resourceRules"] for verb in rule["verbs"]}
        assert verbs == {"get", "list", "watch"}
        user = served.ask(IDENTITY, method="POST", body="{}").document["status"]
        assert user["userInfo"]["username"] == "spy"


@needs_kubectl
def test_kubectl_auth_asks_in_protobuf(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        assert served.kubectl("auth", "can-i", "watch", "pods").stdout == "yes\n"
        assert served.kubectl("auth", "can-i", "delete", "pods").stdout == (
            "no - a recording can be read, and not changed\n"
        )
        assert served.kubectl("auth", "can-i", "get", "/version").stdout == "yes\n"
        assert "[get list watch]" in served.kubectl("auth", "can-i", "--list").stdout
        assert "spy" in served.kubectl("auth", "whoami").stdout
