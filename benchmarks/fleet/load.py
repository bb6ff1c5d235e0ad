"""Write Pods as kubelets do, and note what the API server answers to each write.

    python -m benchmarks.fleet.load SETTINGS

SETTINGS is JSON: see `Load`. It prints a line when all Pods are there, and ends when
its standard input does. Each write is a line of the file *truth*.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import random
import ssl
import sys
import threading
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from benchmarks.objects import pod_at

NAMESPACES = 20
WRITERS = 8
ANEW = 0.02  # the share of ticks that delete a Pod, or create a deleted one again
STATUS = "?fieldManager=kubelet"


@dataclass(frozen=True, slots=True)
class Load:
    """What to write, and where."""

    port: int
    authority: str
    certificate: str
    key: str
    truth: str
    pods: int
    rate: float
    seed: int

    @property
    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.authority)
        context.load_cert_chain(self.certificate, self.key)
        return context


@dataclass(slots=True)
class Pod:
    """One name, and what is there under it now."""

    index: int
    step: int
    uid: str = ""

    @property
    def namespace(self) -> str:
        return f"team-{self.index % NAMESPACES:02}"

    @property
    def name(self) -> str:
        return f"crasher-{self.index:05}"


class Truth:
    """Appends each write to a file, with the times around it, and what it made."""

    def __init__(self, file: TextIO, whole: BinaryIO) -> None:
        self._file = file
        self._whole = whole
        self._lock = threading.Lock()
        self._packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        self.written = self.whole = self.packed = 0

    def note(
        self, pod: Pod, began: float, ended: float, answer: bytes, *, gone: bool
    ) -> None:
        held = json.loads(answer)
        version = held.get("metadata", {}).get("resourceVersion")
        row = [pod.namespace, pod.name, began, ended, version]
        row.append("" if gone else digest(held))
        with self._lock:
            self._file.write(f"{json.dumps(row)}\n")
            self.written += 1
            self.whole += len(answer)
            self._pack(self._packer.compress(answer.rstrip() + b"\n"))

    def totals(self) -> dict[str, int]:
        """Return the writes so far, and the bytes of their whole objects."""
        with self._lock:
            self._pack(self._packer.flush(zlib.Z_SYNC_FLUSH))
            self._file.flush()
            return {
                "written": self.written,
                "whole": self.whole,
                "packed": self.packed,
            }

    def _pack(self, packed: bytes) -> None:
        self.packed += len(packed)
        self._whole.write(packed)


def digest(held: Mapping[str, Any]) -> str:
    """Return what tells one version of an object from all others."""
    left_out = ("managedFields", "resourceVersion")
    metadata = {k: v for k, v in held["metadata"].items() if k not in left_out}
    content = {k: v for k, v in held.items() if k not in ("apiVersion", "kind")}
    text = json.dumps({**content, "metadata": metadata}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Writer:
    """Writes over one connection."""

    def __init__(self, load: Load, truth: Truth) -> None:
        self._truth = truth
        self._client = http.client.HTTPSConnection(
            "127.0.0.1", load.port, context=load.context, timeout=60
        )

    def close(self) -> None:
        self._client.close()

    def create(self, pod: Pod) -> None:
        whole = pod_at(pod.index, 0, 0)
        spec = whole["spec"]
        metadata = {"name": pod.name, "labels": whole["metadata"]["labels"]}
        body = {"metadata": metadata, "spec": spec}
        answer = self._write(pod, "POST", self._place(pod), body)
        pod.uid = json.loads(answer)["metadata"]["uid"]
        self.step(pod)

    def step(self, pod: Pod) -> None:
        """Let the container go one step further in its crash loop."""
        pod.step += 1
        status = pod_at(pod.index, pod.step, 0)["status"]
        where = f"{self._place(pod)}/{pod.name}/status{STATUS}"
        self._write(pod, "PATCH", where, {"status": status})

    def delete(self, pod: Pod) -> None:
        where = f"{self._place(pod)}/{pod.name}?gracePeriodSeconds=0"
        self._write(pod, "DELETE", where, None)
        pod.uid = ""

    def _place(self, pod: Pod) -> str:
        return f"/api/v1/namespaces/{pod.namespace}/pods"

    def _write(self, pod: Pod, method: str, path: str, body: object) -> bytes:
        kind = "merge-patch+json" if method == "PATCH" else "json"
        headers = {"Content-Type": f"application/{kind}"}
        began = time.time()
        self._client.request(method, path, json.dumps(body) if body else None, headers)
        answer = self._client.getresponse()
        text = answer.read()
        ended = time.time()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        self._truth.note(pod, began, ended, text, gone=method == "DELETE")
        return text


def main() -> None:
    load = Load(**json.loads(sys.argv[1]))
    stopped = threading.Event()
    path = Path(load.truth)
    with path.open("w") as file, path.with_suffix(".gz").open("wb") as whole:
        truth = Truth(file, whole)
        pods = [Pod(index, index % 7) for index in range(load.pods)]

        def work(number: int) -> None:
            writer, dice = Writer(load, truth), random.Random(load.seed + number)
            own = pods[number::WRITERS]
            for pod in own:
                writer.create(pod)
            ready.wait()
            began, count = time.monotonic(), 0
            while not stopped.is_set():
                # What was late is made up for.
                due = began + (count + number / WRITERS) * WRITERS / load.rate
                if stopped.wait(max(0.0, due - time.monotonic())):
                    break
                pod = dice.choice(own)
                if not pod.uid:
                    writer.create(pod)
                    count += 1
                elif dice.random() < ANEW:
                    writer.delete(pod)
                else:
                    writer.step(pod)
                count += 1
            writer.close()

        ready = threading.Barrier(WRITERS + 1)
        threads = [
            threading.Thread(target=work, args=(number,)) for number in range(WRITERS)
        ]
        for thread in threads:
            thread.start()
        ready.wait()
        print(json.dumps({"time": time.time(), **truth.totals()}), flush=True)
        with suppress(EOFError):
            sys.stdin.read()
        stopped.set()
        for thread in threads:
            thread.join()
        print(json.dumps({"time": time.time(), **truth.totals()}), flush=True)


if __name__ == "__main__":
    main()
