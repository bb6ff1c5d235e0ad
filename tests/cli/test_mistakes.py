"""What a person types by mistake gets one line: what happened, and what to type.

No line here needs a cluster: the command does not even look for one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.core.summary import judge
from tests.recordings import record, story

INCIDENT = Path(judge.__file__).with_name("incidents") / "two-causes.spy.gz"
CHOICES = "'text', 'short', 'json', 'jsonpatch', 'yaml'"
UNITS = "a number needs a unit: 15s, 15m…"
NO_TIME = "is no time of a cluster; write 30m, 1h or 15:04"
NO_LOKI = "this is no Loki; use NAME=loki+https://HOST[:PORT]"
SHELLS = "bash, zsh, fish, powershell, kubectl"
MISTAKES = {
    # Words that are no command.
    "nosuch": 'there is no command "nosuch"; try "kubectl spy help"…',
    "statsu deploy/web": 'there is no command "statsu"; did you mean status?',
    "-n shop statsu x": 'there is no command "statsu"; did you mean status?',
    "help nonsense": 'there is no command "nonsense"; try "kubectl spy help"…',
    "help statsu": 'there is no command "statsu"; did you mean status?',
    "deploy/web": "…name a command first: kubectl spy trace deploy/web",
    "deploy/a;reboot": "…name a command first: kubectl spy trace 'deploy/a;reboot'",
    # Those of kubectl and others are answered with ours.
    "get pods": 'there is no command "get"; try kubectl spy changes pods',
    "get pod nginx -n shop -w": 'there is no command "get"; try kubectl spy changes '
    "pod nginx -n shop",
    "get -n shop pods web": "…try kubectl spy changes pods web -n shop…",
    "watch deploy,rs": 'there is no command "watch"; try kubectl spy changes deploy,rs',
    "describe pod/nginx": 'there is no command "describe"; try kubectl spy trace '
    "pod/nginx",
    "get $(id)": "there is no command \"get\"; try kubectl spy changes '$(id)'",
    "get": 'there is no command "get"; try kubectl spy changes',
    "logs deploy/web": "kubectl spy prints no logs by themselves; those of what failed "
    "stand in kubectl spy trace, all in kubectl logs",
    "why": 'there is no command "why"; try kubectl spy summary',
    "why -n shop": 'there is no command "why"; try kubectl spy summary -n shop',
    "why deploy/web": 'there is no command "why"; try kubectl spy trace deploy/web',
    "why -f night.spy": "…try kubectl spy summary night.spy…",
    "get pod a -f night.spy": "…try kubectl spy show night.spy pod a…",
    "pods -f night.spy": "…try kubectl spy changes night.spy pods…",
    # Flags that there are not, or not there.
    "trace --label app=web x": "there is no flag --label; did you mean --selector?",
    "--contxt prod status x": "there is no flag --contxt; did you mean --context?",
    "status --ignor /a x": "there is no flag --ignor; did you mean --ignore?",
    "status --nosuch": "there is no flag --nosuch; try…",
    "status --once x": "--once is a flag of trace, events, spans; try …",
    "show -w x": "-w is a flag of status, …",
    "changes --follow": "there is no flag --follow: it goes on until Ctrl-C…",
    "show a.spy deploy/a --show-managed-fields": "…did you mean blame, or …",
    "changes pods --oneline": "…did you mean -o short?…",
    "show night.spy --time 5m": "…did you mean --at TIME…",
    "record -o a.spy": "…did you mean -f FILE, and --timeout 10s?…",
    "record pods -o new.spy": "…did you mean -f FILE, and --timeout 10s?…",
    "record pods --for 10s": "…--stop-on COND, or --timeout 10s, and -f FILE?…",
    "record new.spy": "…add -f new.spy…",
    # Values that a flag does not take.
    "changes pods -o xml": f"…'xml' is not one of {CHOICES}…",
    "changes pods --color blue": "…'blue' is not one of…",
    "changes pods --timeout soon": '…"soon" is no duration; write 30s, 5m or 1h30m…',
    "changes pods --timeout 99999999h": "…1,000 hours are the most…",
    f"changes pods --request-timeout {'9' * 400}": "…1,000 hours are the most…",
    "changes pods --for redy": '…"redy" is nothing to wait for; did you mean ready?',
    "status deploy/web --for 10s": "…did you mean --timeout 10s?…",
    "changes pods --only spec": '…the pointer "spec" does not start with "/"…',
    "changes pods --ignore /a~2": '…has a "~" that is neither "~0" nor "~1"…',
    "changes pods --ignore=": "…nothing is left to show…",
    "serve a.spy --speed nan": "…nan is no speed; write 10, or 0.5…",
    "serve a.spy --speed inf": "…inf is no speed; write 10, or 0.5…",
    "serve a.spy --speed -1": "…-1 is no speed; write 10, or 0.5…",
    "changes pods --since 15": f"…--since 15: {UNITS}",
    "changes a.spy --since -15": f"…--since -15: {UNITS}",
    "ls a.spy --since 1h --until 15": f"…--until 15: {UNITS}",
    f"changes pods --since {'9' * 400}": "…is no time of a cluster…",
    "changes pods --since 0001-01-01T00:00": "…is no time of a cluster…",
    "changes pods --since 9999-12-31T23:59": "…is no time of a cluster…",
    "changes pods --since 2999-01-01T00:00": "…is not over yet…",
    "events rs/web --since soon": f'…"soon" {NO_TIME}…',
    "events rs/web --since=": f'…"" {NO_TIME}…',
    "events rs/web --types Normal,Bad": '…"Normal,Bad" is no type; write Normal or '
    "Warning…",
    "changes cm --redact cm": '"cm" is no KIND:POINTER; write it as '
    "configmaps:/data/password…",
    "changes cm --redact @/nowhere": "cannot read /nowhere: No such file or directory…",
    "record cm -f box.spy --keep 0": "--keep is too short a time; give at least a "
    "second: --keep 30m",
    "summary night.spy --grep (": '--grep "(" is no regular expression…',
    "summary night.spy --since 9:99": '"9:99" is no point of a recording…',
    # Flags that do not go together, or lack what they need.
    "record cm -f box.spy --after 5m": "--after goes on after --stop-on; add --stop-on "
    "COND",
    "changes pod/a -l a=b": "…cannot be used together…",
    "changes pod/a -A": "…cannot be retrieved by name across all namespaces…",
    "changes cm -l app=web --since 1h": "--since does not go with --selector: …",
    "changes cm --field-selector metadata.name=web --since 1h": "--since does not go "
    "with --field-selector: …",
    "changes cm --for delete --since 1h": "--since does not go with --for or …",
    "record cm -f new.spy --append --since 1h": "--since does not go with --append: …",
    "blame old.spy cm/web --since 1h": "--since is for a cluster; use --at POINT…",
    "changes --for ready": "…--for waits for targets; name one…",
    "summary --field-selector a=b": "…name the type, as in pods…",
    "trace rs/web -o yaml": "…'yaml' is not one of 'text', 'lines', 'json'…",
    "trace --for ready": "--for waits for targets; name one, as in deploy/web",
    "trace --from x.spy --record y.spy": "--record is for a cluster, and not for "
    "recordings; leave it out",
    "trace --from x --probe": "…--probe asks a cluster; leave out --probe…",
    "trace pods --at 15:04": "--at is for recordings…",
    "events pods --until 15:04": "--until is for recordings…",
    "changes pods --until 5m": "--until is for recordings…",
    "record pods --resume x": "--resume is for --otlp without -f; with -f use --append",
    "record pods --otlp http://c -f x --resume y": "--resume is for --otlp without -f; "
    "with -f use --append",
    "record pods --snapshots 1h -f x": "--snapshots is for a collector; add --otlp URL",
    "record pods --otlp http://c --keep 1h": "--keep is for a file; add -f FILE",
    "record pods --otlp http://c --max-size 1M": "--max-size is for a file; add -f "
    "FILE",
    "record pods --otlp http://c --append": "--append is for a file; add -f FILE",
    "record pods --otlp=": "--otlp names no collector…",
    "export a.spy": "…add -o html or -o otlp-json",
    "export a.spy deploy/web -o otlp-json": "…choose a part with -o html…",
    # What only a server of ours takes.
    "serve a.spy --address=": "--address is empty; …",
    "mcp nowhere": "nowhere is no directory; name one with recordings",
    "mcp loki+http://hidden@h": NO_LOKI,
    "mcp prod=http://hidden@h": NO_LOKI,
    "mcp prod=loki+http://": NO_LOKI,
    "mcp prod=loki+http://hidden@h#x": NO_LOKI,
    "mcp 'a b=loki+http://hidden@h'": NO_LOKI,
    # Targets that name nothing.
    "status": "no target given…; for example deploy/nginx…",
    "status apps/v1 Deployment": '"apps/v1 Deployment" names no object; for example '
    "apps/v1 Deployment web/nginx",
    "changes pod/a pods": "…mix two forms…",
    "changes pod/a/b": "…has more than one slash…",
    "changes pod/../secrets": "…has more than one slash…",
    "changes pod/%2e": "…a name may not contain '%'…",
    "changes pods -n Shop": "invalid namespace 'Shop'…",
    "trace notes.md": "notes.md is a file, and no recording; a target is TYPE or "
    "TYPE/NAME, as in deploy/web",
    "show night.spy pod a first": "…--at first…",
    "completion": f"Missing argument 'SHELL'. Choose from: {SHELLS}; try "
    '"kubectl spy completion --help"',
    # Recordings in the wrong place, or too many.
    "ls a.spy b.spy": "there are two recordings, a.spy and b.spy; try kubectl spy "
    "diff a.spy b.spy",
    "ls --verify a.spy b.spy": "there are two recordings, a.spy and b.spy; try for f "
    "in *.spy.gz; do kubectl spy ls $f --verify; done",
    "trace a.spy b.spy c.spy": "there are 3 recordings, a.spy, b.spy and 1 more; try "
    "for f in *.spy.gz; do kubectl spy trace $f; done",
    "trace deploy/web a.spy": "a recording is the first argument; try kubectl spy "
    "trace a.spy deploy/web",
    "ls -f night.spy": "…a recording comes first, without -f: …",
}
"""What is typed, and the line that answers. Where it has "…", it goes on."""


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spy:
    """The command in a directory with some recordings and notes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    for name in ("a.spy", "b.spy", "c.spy"):
        (tmp_path / name).symlink_to(INCIDENT)
    record(tmp_path / "night.spy", story())
    (tmp_path / "notes.md").write_text("what happened")
    return Spy(tmp_path)


def test_a_mistake_is_exit_2_and_one_line_that_helps(spy: Spy) -> None:
    for (line, said), ended in zip(
        MISTAKES.items(), spy.run_all(*MISTAKES), strict=True
    ):
        assert (ended.code, ended.out) == (2, ""), (line, ended)
        printed = ended.err.replace("python -m kubectl_spy", "kubectl spy")
        pattern = ".*".join(map(re.escape, said.split("…")))
        assert re.fullmatch(f"error: {pattern}\n", printed), (line, said, printed)
