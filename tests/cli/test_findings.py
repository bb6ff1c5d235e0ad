"""findings.txt: its form, when it is read, and what the source states."""

from __future__ import annotations

import ast
import sys

import pytest

from kubectl_spy.core.templates import fill, in_full
from kubectl_spy.findings import BadFinding, Code, Verdict, codes, read
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import Serve
from tools.findings.__main__ import PACKAGE, STATING, faults
from tools.findings.source import Source

FILE = PACKAGE / "findings.txt"
TEXT = """\
# a comment
AGAIN = [; {restarts}]
PAGE = https://example.org/

== Containers
Ready (ok): running<AGAIN>
Pulled (failing, final): cannot pull [{image}
      |the image]<AGAIN>, and
      waits
  do: look at {image}
  page: <PAGE>images/
  blames: perhaps image; fields: image, target port; explains: Failed, BackOff
  also: kind
Waits (waiting, grace 60):
"""


def test_a_code_is_read_with_all_that_is_said_of_it() -> None:
    assert read(TEXT) == {
        "Containers": (
            Code("Ready", "running[; {restarts}]", Verdict.OK),
            Code(
                "Pulled",
                "cannot pull [{image}|the image][; {restarts}], and waits",
                Verdict.FAILING,
                remedy="look at {image}",
                final=True,
                fields=("image", "target port"),
                blames="image",
                sure=False,
                explains=("Failed", "BackOff"),
                page="https://example.org/images/",
                also=("kind",),
            ),
            Code("Waits", "", Verdict.WAITING, grace=60.0),
        )
    }


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Ready (ok): twice", "Ready is there twice"),
        ("Other (good): so", "'good' is not a valid Verdict"),
        ("Other (ok, once): so", "once is neither final nor grace"),
        ("Other (waiting, grace x): so", "could not convert"),
        ("Other (ok): <NOWHERE>", "NOWHERE"),
        ("Other: without a verdict", "no heading, code or name"),
        ("Other (Ok): a = b", "no heading, code or name"),
        ("  say: what", "say is nothing that is said of a code"),
        ("  fields: image; blame: image", "blame is nothing"),
        ("  explains:", "explains: is nothing"),
    ],
)
def test_a_line_that_is_not_of_the_form_is_refused_by_its_number(
    line: str, why: str
) -> None:
    with pytest.raises(BadFinding, match=rf"^findings.txt, line 15: .*{why}"):
        read(f"{TEXT}{line}\n\nLast (ok): code\n")


@pytest.mark.parametrize("line", ["Early (ok): code", "  do: early"])
def test_what_stands_above_the_first_heading_or_code_is_refused(line: str) -> None:
    with pytest.raises(BadFinding, match=r"^findings.txt, line 1: "):
        read(f"{line}\n{TEXT}")


def test_every_template_can_be_read() -> None:
    for code in codes().values():
        for template in (code.text, code.remedy):
            assert template.count("[") == template.count("]"), code.name
            assert template.count("{") == template.count("}"), code.name
            assert fill(template, {}, str) is not None
            assert "<" not in in_full(template), code.name


def test_no_line_is_wider_than_a_screen() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert [each for each in lines if len(each) > 96 and "https://" not in each] == []


def test_status_and_changes_do_not_read_it(spy: Spy, serve: Serve, file: str) -> None:
    def reads(*words: str) -> bool:
        code = (
            "import sys; opened = []; "
            "sys.addaudithook(lambda name, args: "
            "opened.append(str(args[0])) if name == 'open' else None); "
            f"sys.argv[:] = ['kubectl-spy', *{words!r}]; "
            "from kubectl_spy.__main__ import main\n"
            "try:\n    main()\n"
            "finally:\n    print(any('findings.txt' in it for it in opened), "
            "file=sys.stderr)"
        )
        ended = Spy(spy.home, (sys.executable, "-c", code)).run()
        assert ended.out, ended.err
        return ended.err.splitlines()[-1] == "True"

    serve("deploy-rollout")
    assert reads("trace", file, "pod/a")
    assert not reads("status", file)
    assert not reads("changes", file)
    assert not reads("status", "deploy", "-A", "--for", "create")


SOURCE = """\
from kubectl_spy.core.fact import fact

_CODES = {"a": "Ready", "b": "Pulled"}


def of_table(key, image):
    return fact(_CODES[key], restarts=1, image=image)


def stated(code, **args):
    return fact(code, **args)


def passed():
    return stated("Ready", restarts=2), stated("Waits")
"""
KNOWN = {code.name: code for code in read(TEXT)["Containers"]}
KNOWN["Ready"] = KNOWN["Ready"]._replace(also=("image",))


def faults_of(source: str) -> list[str]:
    files = {"kubectl_spy.core.place": source}
    return sorted(faults(Source.of(files, *STATING), KNOWN))


def test_codes_are_read_from_tables_and_from_callers() -> None:
    assert faults_of(SOURCE) == []


@pytest.mark.parametrize(
    ("was", "becomes", "fault"),
    [
        ('"Waits"', '"Wait"', "findings.txt has no Wait"),
        ('"b": "Pulled"', '"b": "Pull"', "findings.txt has no Pull"),
        (", image=image", "", "Pulled lacks image"),
        ("restarts=2", "restart=2", "Ready has no argument restart"),
        ("image=image", "image=image, node=key", "Pulled has no argument node"),
        ("fact(code", "fact(code, node=code", "Waits has no argument node"),
        ('stated("Waits")', "stated(input())", "which code is it?"),
        (', stated("Waits")', "", "nothing states Waits"),
        ("_CODES[key]", '"Ready"', "nothing states Pulled"),
        (
            "def passed",
            'def is_so(of):\n    return of.code == "Go"\n\n\ndef passed',
            "Go",
        ),
    ],
)
def test_what_source_and_findings_disagree_on_is_found(
    was: str, becomes: str, fault: str
) -> None:
    changed = SOURCE.replace(was, becomes)
    assert changed != SOURCE
    ast.parse(changed)
    assert any(fault in each for each in faults_of(changed)), faults_of(changed)
