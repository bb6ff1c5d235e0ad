"""Releases of Helm are read within a time, and within bounds."""

from __future__ import annotations

import base64
import gzip
import json
import tracemalloc
import zlib
from typing import Any

import pytest

from kubectl_spy.core.past.releases import Release
from kubectl_spy.errors import RequestRefused, TimedOut
from kubectl_spy.sources.past.helm import Manifests, Releases, release_of
from tests.builders import Object
from tests.sources.past.released import (
    START,
    Server,
    at,
    config_map,
    never,
    packed,
    secret,
)

KEY = "v1", "ConfigMap", "shop", "web"


def read(
    *secrets: Object, since: float = 0.0, error: Exception | None = None
) -> tuple[list[Release], list[str], list[str]]:
    """Return the releases, what was said of them, and what was asked for."""
    server, said = Server(*secrets), list[str]()
    server.error = error
    releases = Releases(server, "shop", said.append, never)
    return releases.between(START + since, START + 3600), said, server.asked


def only(made: Object) -> Release | None:
    return release_of(made, Manifests(never))


def test_metadata_come_first_and_then_what_is_within_the_time() -> None:
    secrets = [secret(number) for number in range(1, 7)]
    found, said, asked = read(*secrets, since=45)
    assert [each.revision for each in found] == [4, 5, 6]  # 4 was there before
    names = [f"sh.helm.release.v1.web.v{number}" for number in (6, 5, 4)]
    assert asked == ["secrets", *names] and not said
    assert found[0].manifest[KEY]["data"] == {"a": "4"}


def test_nothing_is_read_of_a_release_that_did_not_change_within_the_time() -> None:
    assert read(secret(1), secret(2), since=45) == ([], [], ["secrets"])


def test_what_was_there_before_is_the_last_that_was_applied_as_a_whole() -> None:
    secrets = secret(1), secret(2), secret(3, status="failed"), secret(4)
    assert [each.revision for each in read(*secrets, since=35)[0]] == [2, 3, 4]


def test_its_label_does_not_say_when_it_was_deployed() -> None:
    made = secret(1)
    made["metadata"]["labels"]["modifiedAt"] = "1795279999"
    release = only(made)
    assert release and release.time == release.until == START + 10


def test_a_hook_that_runs_before_bounds_when_objects_were_written() -> None:
    def hook(event: Any, second: float) -> Object:
        return {"events": [event], "last_run": {"completed_at": at(second)}}

    hooks = [hook("pre-upgrade", 25), hook("post-upgrade", 40), {"events": 5}, 7]
    release = only(secret(1, hooks=[*hooks, hook(["x"], 50)]))
    assert release and (release.time, release.until) == (START + 10, START + 25)


@pytest.mark.parametrize(
    ("stored", "begin", "end"),
    [
        (11, 10, 10),
        (15, 10, 15),  # Helm took long, or its clock is behind
        (1000, 10, 1000),  # the Secret comes from a backup
        (2, 2, 2),  # the clock of Helm is ahead
    ],
)
def test_the_server_tells_when_it_was_stored(
    stored: float, begin: float, end: float
) -> None:
    made = secret(1)
    made["metadata"]["creationTimestamp"] = at(stored)
    release = only(made)
    assert release and (release.time, release.until) == (START + begin, START + end)


def test_hooks_run_by_the_clock_of_helm() -> None:
    last_run = {"completed_at": at(25)}
    made = secret(1, hooks=[{"events": ["pre-upgrade"], "last_run": last_run}])
    for stored, end in ((4, 19), (100, 115)):
        made["metadata"]["creationTimestamp"] = at(stored)
        release = only(made)
        assert release and release.until == START + end


def test_a_secret_is_as_the_server_keeps_it() -> None:
    manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: pw}\n"
    release = only(secret(1, manifest + "stringData: {a: x, b: z}\ndata: {b: Yg==}\n"))
    assert release
    (made,) = release.manifest.values()
    assert made["data"] == {"a": "eA==", "b": "eg=="} and "stringData" not in made


def test_numbers_may_name_members_in_yaml() -> None:
    manifest = config_map().replace('"a": "x"', '8080: "x", true: "y"')
    release = only(secret(1, manifest))
    assert release and release.manifest[KEY]["data"] == {"8080": "x", "true": "y"}


def test_of_a_release_only_what_says_what_was_intended_is_kept() -> None:
    leaks: Any = {
        "config": {"password": "hunter2"},
        "chart": {"values": {"password": "hunter2"}},
        "hooks": [{"manifest": "hunter2"}],
    }
    made = secret(1, **leaks)
    content = json.loads(gzip.decompress(_unpacked(made)))
    content["info"] |= {"notes": "hunter2", "description": 'Invalid value: "hunter2"'}
    release = only(secret(1, content=json.dumps(content).encode()))
    assert release and "hunter2" not in repr(release)


def _unpacked(made: Object) -> bytes:
    return base64.b64decode(base64.b64decode(made["data"]["release"]))


BOMB = "\n".join(
    ["a: &a [x, x]", *(f"b{n}: &b{n} [*b{n - 1}, *b{n - 1}]" for n in range(1, 30))]
).replace("*b0", "*a")
SHORT_BOMB = "\n".join(BOMB.splitlines()[:10])  # as many aliases as a file may have
TRUNCATED = gzip.compress(b"{}" * 100, mtime=0)[:-9]  # names a test


HOSTILE = [
    b"{no",
    b"[]",
    b"5",
    b"[" * 100_000,
    b"\xff\xfe",
    TRUNCATED,
    TRUNCATED + b"x" * 20,
    *(
        json.dumps(
            {
                "name": "web",
                "version": 1,
                "info": {"status": "deployed", "last_deployed": at(1)},
                "manifest": manifest,
            }
        ).encode()
        for manifest in (
            BOMB,
            SHORT_BOMB,
            "a: &a [*a]",
            "a: " + "[" * 5000,
            "a: !!python/object/apply:os.system [ls]",
            "a: !!binary aGVsbG8=",
            "a: !!set {a}",
            "a: .inf",
            "[a]: b",
            "null: b",
            "a: \0",
            "a: [",
            "x" * (5 << 20),
        )
    ),
]


@pytest.mark.parametrize("place", range(len(HOSTILE)))
def test_what_is_no_release_is_counted(place: int) -> None:
    found, said, _ = read(secret(1), secret(2, content=HOSTILE[place]))
    assert [each.revision for each in found] == [1]
    assert said == ["note: releases of Helm in namespace shop: 1 cannot be read"]


@pytest.mark.parametrize("word", ["", "%%%", "é", "A", packed(b"")[:-3], None, 5, []])
def test_what_is_no_base64_is_counted(word: Any) -> None:
    made = secret(1)
    made["data"]["release"] = word
    assert read(made)[:2] == (
        [],
        ["note: releases of Helm in namespace shop: 1 cannot be read"],
    )


def test_what_unpacks_to_far_more_is_not_unpacked() -> None:
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(1 << 20)
    content = b"".join(packer.compress(zeros) for _ in range(200)) + packer.flush()
    made = secret(1, content=content)
    tracemalloc.start()
    try:
        assert only(made) is None
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_what_revisions_share_is_parsed_once() -> None:
    large = config_map("x" * (3 << 20), "large")
    secrets = [secret(n, large + config_map(str(n))) for n in range(1, 5)]
    found, said, _ = read(*secrets)
    assert len(found) == 4 and not said
    others = [secret(n, config_map("x" * (3 << 20) + str(n))) for n in range(1, 5)]
    found, said, _ = read(*others)
    assert len(found) == 1 and said[0].endswith(": 3 cannot be read")


def test_only_the_newest_are_read_and_that_is_said() -> None:
    secrets = [secret(number) for number in range(1, 20)]
    for each in secrets:
        each["data"]["release"] = each["data"]["release"].ljust(2 << 20, "=")
    found, said, asked = read(*secrets)
    assert len(asked) == 11 and asked[1].endswith("v19")
    assert "only the newest 10 of 19 are read" in said[0]
    found, said, asked = read(*map(secret, range(1, 300)))
    assert len(found) == 200 and found[-1].revision == 299
    assert said == [
        "note: releases of Helm in namespace shop: only the newest 200 of 299 are read"
    ]


def test_what_all_together_unpack_to_is_bounded() -> None:
    def large(number: int) -> Object:
        notes = {"notes": "x" * (15 << 20)}
        return secret(number, chart=notes)

    found, said, _ = read(*map(large, range(1, 20)))
    assert [each.revision for each in found] == [16, 17, 18, 19]
    assert said == [
        "note: releases of Helm in namespace shop: only the newest 5 of 19 are read",
        "note: releases of Helm in namespace shop: 1 cannot be read",
    ]


@pytest.mark.parametrize(
    ("status", "revisions", "word"),
    [(404, [1, 3], ""), (500, [1, 3], "1 cannot be read"), (403, [3], "tell no more")],
)
def test_a_release_that_cannot_be_had_hides_no_other(
    status: int, revisions: list[int], word: str
) -> None:
    """Helm deletes its oldest ones at any time. Without a right there is no use."""
    server, said = Server(*map(secret, range(1, 4))), list[str]()

    def fetch(path: str, *words: Any, **more: Any) -> Any:
        if path.endswith(".v2"):
            raise RequestRefused("gone", status=status)
        return server(path, *words, **more)

    found = Releases(fetch, "shop", said.append, never).between(START, START + 3600)
    assert [each.revision for each in found] == revisions
    assert bool(said) == bool(word) and word in "".join(said)


def test_a_timeout_ends_the_reading() -> None:
    server = Server(*map(secret, range(1, 4)))

    def fetch(path: str, *words: Any, **more: Any) -> Any:
        if path.endswith(".v2"):
            raise TimedOut
        return server(path, *words, **more)

    with pytest.raises(TimedOut):
        Releases(fetch, "shop", print, never).between(START, START + 3600)


def test_a_timeout_ends_the_reading_of_one_release() -> None:
    """It is over before the third of its manifests."""
    checks = iter((None, None, TimedOut))

    def check() -> None:
        if over := next(checks, None):
            raise over

    made = secret(1, "".join(config_map(name=f"m{number}") for number in range(9)))
    with pytest.raises(TimedOut):
        Releases(Server(made), "shop", print, check).between(START, START + 3600)


def test_a_number_that_nobody_can_print_is_a_text() -> None:
    digits = "0x" + "f" * 4000
    release = only(secret(1, config_map().replace('"x"', digits)))
    assert release and release.manifest[KEY]["data"] == {"a": digits}


@pytest.mark.parametrize(
    ("status", "why"),
    [(403, "there is no right to list them"), (410, "gone"), (500, "gone")],
)
def test_what_is_refused_is_one_line(status: int, why: str) -> None:
    found, said, _ = read(secret(1), error=RequestRefused("gone", status=status))
    assert not found
    assert said == [f"note: releases of Helm in namespace shop tell nothing: {why}"]


def test_a_name_of_a_namespace_is_quoted() -> None:
    server = Server()
    paths = []

    def fetch(path: str, *words: Any, **more: Any) -> Any:
        paths.append(path)
        return server(path, *words, **more)

    Releases(fetch, "../x?y", print, never).between(0.0, 1.0)
    assert paths == ["/api/v1/namespaces/..%2Fx%3Fy/secrets"]
