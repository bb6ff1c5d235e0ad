"""Releases that Helm makes of a chart, with something secret wherever it may leak."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tests import processes

HELM = "helm"
REL = "rel"
CHART = """\
apiVersion: v2
name: web
version: 0.1.0
"""
VALUES = """\
image: example.com/nothing:1
mode: a
replicas: 1
pin: ok
old: hunter2-values
password: hunter2-first
"""
OBJECTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-conf"}
data: {mode: "{{ .Values.mode }}"}
---
apiVersion: v1
kind: Secret
metadata: {name: "{{ .Release.Name }}-pw"}
stringData: {password: "{{ .Values.password }}"}
---
apiVersion: v1
kind: Secret
metadata:
  name: "{{ .Release.Name }}-coded"
  labels: {pin: "{{ .Values.pin }}"}
data: {password: "{{ .Values.password | b64enc }}"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec:
      containers:
      - name: main
        image: "{{ .Values.image }}"
---
apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}"}
spec:
  selector: {app: "{{ .Release.Name }}"}
  ports: [{name: "http", port: 80}]
"""
HOOK = """\
apiVersion: v1
kind: Secret
metadata:
  name: "{{ .Release.Name }}-hook"
  annotations: {helm.sh/hook: pre-upgrade}
stringData: {password: "hunter2-hook-{{ .Values.password }}"}
{{ if eq .Release.Name "shop" }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: "{{ .Release.Name }}-hook"
  annotations: {helm.sh/hook: pre-upgrade}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "example.com/nothing:1"}]
{{ end }}
"""
NOTES = "the password is hunter2-notes, or {{ .Values.password }}\n"


class Helm:
    """Runs Helm against a cluster, in the namespace `REL`."""

    def __init__(self, program: str, kubeconfig: Path, directory: Path) -> None:
        self._program = program
        self._chart = directory / "web"
        home = {"HOME": str(directory), "KUBECONFIG": str(kubeconfig)}
        self._environ = {"PATH": os.environ["PATH"], **home}
        files = {
            "Chart.yaml": CHART,
            "values.yaml": VALUES,
            "templates/objects.yaml": OBJECTS,
            "templates/hook.yaml": HOOK,
            "templates/NOTES.txt": NOTES,
        }
        for name, text in files.items():
            path = self._chart / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(self, *words: str, fails: bool = False) -> str:
        ended = processes.run(
            [self._program, *words, "-n", REL],
            env=self._environ,
            capture_output=True,
            text=True,
        )
        assert bool(ended.returncode) is fails, ended.stdout + ended.stderr
        return str(ended.stderr)

    def install(self, name: str) -> None:
        self.run("install", name, str(self._chart))

    def upgrade(self, name: str, *flags: str, fails: bool = False, **sets: str) -> str:
        values = [f"--set={key}={value}" for key, value in sets.items()]
        chart = str(self._chart)
        words = "upgrade", name, chart, "--reuse-values", *values, *flags
        return self.run(*words, fails=fails)

    def histories(self) -> list[Iterator[None]]:
        return [self.shop(), self.gone(), self.few()]

    def shop(self) -> Iterator[None]:
        self.install("shop")
        yield
        self.upgrade("shop", image="example.com/nothing:2", mode="b")
        yield
        self.upgrade("shop", password="hunter2-second")
        yield
        # The server refuses the label of one Secret, and the rest is applied.
        sets = {
            "image": "example.com/nothing:3",
            "mode": "c",
            "pin": "hunter2 no label",
        }
        assert "hunter2 no label" in self.upgrade("shop", fails=True, **sets)
        yield
        self.upgrade("shop", image="example.com/nothing:4", mode="d", pin="ok")
        yield
        self.run("rollback", "shop", "1")
        yield

    def gone(self) -> Iterator[None]:
        """What was uninstalled and is installed again is new."""
        self.install("gone")
        yield
        self.upgrade("gone", mode="b")
        yield
        self.run("uninstall", "gone", "--keep-history")
        yield
        self.upgrade("gone", "--install", mode="c")
        yield
        self.upgrade("gone", mode="d")
        yield

    def few(self) -> Iterator[None]:
        self.install("few")
        for mode in "bcde":
            yield
            self.upgrade("few", "--history-max=2", mode=mode)
        yield
