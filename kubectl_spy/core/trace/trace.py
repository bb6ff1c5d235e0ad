"""Folds records into the pictures of `kubectl spy trace`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.answer.answer import Answer, Pace
from kubectl_spy.core.answer.model import Model, Taken
from kubectl_spy.core.answer.timeline import Interval, began
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, Logged
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.cluster.references import LEVELS, controller_of
from kubectl_spy.core.cluster.scope import Scope, names
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.registry import rules_of
from kubectl_spy.core.diagnosis.kinds.workloads import with_crash_loops
from kubectl_spy.core.headlines.edits import edit_of
from kubectl_spy.core.trace.failing import FailingRoots, apart, kinds, likeness
from kubectl_spy.core.trace.last_edit import Edits
from kubectl_spy.core.trace.picture import Node, Picture, absent, current
from kubectl_spy.core.trace.reason import Reason, reason_of

_EXACT = 100_000
"""Looks at failures after which everything is looked at less often.

That takes some seconds. From then on, a time may be that of a look, some seconds late.
"""


class _Drawn(NamedTuple):
    """A node, and the version and relations from which it was made."""

    of: tuple[object, ...]
    node: Node
    depth: int = 0
    uids: frozenset[str] = frozenset()
    """It and all below it, if each has its first place here."""


class Trace:
    """Folds records of whole objects into pictures of the roots and all below them."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.seen = Model(scope)
        self._answer = Answer(self.seen, remembers=False)
        self._logs: list[Logged] = []
        self._roots: dict[str, None] = {}
        self._ever: set[str] = set()  # objects that were in a picture, and still exist
        self._gone: set[str] = set()  # gone objects, which may have left something
        self._placed: set[str] = set()  # the objects in the picture that is being made
        self._begun = False
        self._looked = False
        """Whether there was a picture. What came before came at once."""
        self.failing = FailingRoots(self.seen) if scope.everything else None
        self._pace = Pace()
        self._spent = 0  # how often a failure was looked at
        self.ended = False
        """Whether there were roots, and none was left in the last picture."""
        self._edits: defaultdict[str, Edits] = defaultdict(Edits)  # by uid
        self._drawn: dict[tuple[str, bool], _Drawn] = {}
        self._above: dict[str, set[str]] = {}  # what each object was drawn below
        self._dirty: set[str] = set()
        """What may look another way than in the last picture, and all above it."""

    def observe(self, item: Taken | EarlierWrite) -> None:
        """Take in an item."""
        write = self.seen.take(item)
        if isinstance(item, EarlierWrite) and write is not None:
            self._edits[item.identity].note(write.record, write.edit)
        if not isinstance(item, ChangeRecord):
            return
        self._pace.count()
        if item.of_stream:
            self._answer.gap |= item.type is ChangeType.GAP
            return
        if self._looked:
            self._answer.timeline.hear(item)
        uid = item.identity
        if item.gone:
            self._ever.discard(uid)
            self._forget(uid)
            self._gone.add(uid)
        elif self.scope.is_root(item):
            self._roots[uid] = None
            self._begun = True
        if _may_be_edited(item) and (edit := edit_of(item)):
            self._edits[uid].note(item, edit)

    def log(self, logged: Logged) -> None:
        """Take in a log. A picture has it while its run is the last one."""
        self._logs.append(logged)

    def _forget(self, uid: str) -> None:
        self._edits.pop(uid, None)
        self._above.pop(uid, None)
        for expanded in (True, False):
            self._drawn.pop((uid, expanded), None)

    def pass_time(self, until: float) -> bool:
        """Move to the next time at which a picture may differ, if not after *until*.

        Return whether there is one.
        """
        return self.seen.pass_time(until)

    def begin_at(self, roots: Iterable[str]) -> None:
        """Make these uids the roots, as if no picture was made before."""
        self._roots = dict.fromkeys(roots)
        self._ever.clear()
        gap, self._answer = self._answer.gap, Answer(self.seen, remembers=False)
        self._answer.gap = gap
        self.seen.renew()
        self._drawn.clear()
        self._above.clear()

    @property
    def is_due(self) -> bool:
        """Whether a look is due: always for one target, at intervals for everything."""
        if not self.scope.everything or self._spent < _EXACT:
            return True
        return self._pace.is_due(self.seen.time)

    def look(self) -> None:
        """Diagnose every object now, so that a later failure counts as news."""
        made = self._answer.look()
        self._pace.looked(self.seen.time, made + len(self._answer.open))
        self._spent += 1 + len(self._answer.open)
        self._looked = True

    def picture(self) -> Picture:
        """Return the current picture."""
        self.look()
        self._placed, self._dirty = set(), self._above_all(self.seen.changed())
        for uid in [each for each in self._gone if each not in self.seen]:
            self._gone.discard(uid)
            self._forget(uid)
        self._roots = {uid: None for uid in self._roots if uid in self.seen}
        if self.failing is None:
            remaining = filter(None, map(self.seen.remains, self._roots))
            uids = [each.uid for each in sorted(remaining, key=_place)]
            roots = apart(self.seen, uids) if len(uids) > 1 else uids
        else:
            roots = self.failing.choose(self._answer, self._roots)
        nodes = (self._node(Child(each), frozenset()) for each in roots)
        shown = [node for node in nodes if node is not None]
        self.ended = self._begun and not roots and not self.scope.everything
        for selection in self.scope.roots:
            if selection.name is None:
                continue
            if not any(
                names(selection, node.gvk, node.namespace, node.name)
                for root in shown
                for node in root.all()
            ):
                known = self._begun or self.scope.coverage.has_list(selection)
                shown.append(absent(selection, listed=known))
        elsewhere = frozenset(
            uid for uid in self._ever - self._placed if self.seen.entry(uid)
        )
        self._ever = self._placed | elsewhere
        seen = {
            uid: each.seen
            for uid, each in self._edits.items()
            if each.seen
            and (uid in self._roots or set(each.seen.managers) - CONTROLLERS)
        }
        logs = current(self._logs, self.seen)
        self._logs = list(logs.values())
        more = self.failing.more if self.failing else 0
        return Picture(self.seen.time, tuple(shown), elsewhere, seen, logs, more)

    def top(self, uid: str) -> str:
        """Return the uid of the object whose failure is that of another one."""
        entry = self.seen.entry(uid)
        chain = self.seen.chain(entry) if entry is not None else ()
        return chain[-1].uid if chain else uid

    def failing_tops(self) -> set[str]:
        """Return the tops of what failed or was in a crash loop in the last picture."""
        return {
            self.top(uid)
            for uid, (_, diagnosis, found) in self._answer.timeline.wrong.items()
            if diagnosis.restarts or any(it.verdict is Verdict.FAILING for it in found)
        }

    def reasons(self, picture: Picture) -> dict[str, Reason]:
        """Return why each root of *picture*, which is the last one, fails, by uid."""
        found = (self._answer, self.seen, self._edits)
        return {root.uid: reason_of(root, *found) for root in picture.roots}

    def _above_all(self, uids: set[str]) -> set[str]:
        """Return *uids* and the uids of all their ancestors in the last picture."""
        pending = list(uids)
        while pending:
            new = self._above.get(pending.pop(), set()) - uids
            uids |= new
            pending += new
        return uids

    def _node(self, child: Child, above: frozenset[str]) -> Node | None:
        drawn = self._drawn.get((child.uid, True))
        if drawn is not None and self._is_as_before(drawn, child, len(above)):
            self._placed |= drawn.uids
            return drawn.node
        if child.uid in above:  # owners that own each other
            return None
        entry = self.seen.remains(child.uid)
        if entry is None:
            return None
        if self.seen.entry(child.uid) is None:
            left = Diagnosis("Deleted", Verdict.WAITING, "what it owned is left")
            return self._drawn_once(entry, child, left, above)
        judged = self._answer.judged(entry.uid, self.seen.once(rules_of(entry), entry))
        return self._drawn_once(entry, child, judged, above)

    def _is_as_before(self, drawn: _Drawn, child: Child, depth: int) -> bool:
        """Return whether a subtree is unchanged since the last picture."""
        return (
            child.uid not in self._dirty
            and bool(drawn.uids)
            and drawn.depth == depth
            and drawn.of[1] == child
            and self._placed.isdisjoint(drawn.uids)
        )

    def _drawn_once(
        self, entry: Entry, child: Child, diagnosis: Diagnosis, above: frozenset[str]
    ) -> Node:
        """Return the node of an object. Only its first node has the nodes below it."""
        expanded = entry.uid not in self._placed
        self._placed.add(entry.uid)
        if not expanded:
            return self._again(self._drawn[entry.uid, True].node, child)
        nodes: tuple[Node, ...] = ()
        if len(above) < LEVELS:
            below = above | {entry.uid}
            children = diagnosis.children
            if children is None:
                children = tuple(Child(each.uid) for each in self.seen.owned(entry.uid))
            named = {each.uid for each in children}
            gone = (each.uid for each in self.seen.orphaned_owners(entry.uid))
            left = [Child(uid, counts=False) for uid in gone if uid not in named]
            every = (*children, *left)
            for each in every:
                self._above.setdefault(each.uid, set()).add(entry.uid)
            found = [self._node(each, below) for each in every]
            nodes = tuple(node for node in found if node is not None)
        phases = self._answer.timeline.interval(entry.uid) or began(entry, diagnosis)
        events = self.seen.events(entry.uid)
        of = (diagnosis, child, events, *nodes)
        uids = self._first_places(entry.uid, nodes)
        drawn = self._drawn.get((entry.uid, True))
        if drawn is not None and _same(drawn.of, of):
            again = drawn._replace(depth=len(above), uids=uids)
            self._drawn[entry.uid, True] = again
            return drawn.node
        pods = frozenset(pod for each in nodes if each.counts for pod in each.pods)
        if (entry.gvk.group, entry.gvk.kind) == ("", "Pod"):
            pods |= {(entry.uid, diagnosis.restarts)}
        diagnosis = with_crash_loops(diagnosis, (many for _, many in pods))
        node = Node(
            uid=entry.uid,
            gvk=entry.gvk,
            namespace=entry.namespace,
            name=entry.name,
            role=child.role,
            counts=child.counts,
            phase=diagnosis.phase,
            verdict=diagnosis.verdict,
            summary=diagnosis.summary,
            since=phases.since,
            final=diagnosis.final,
            before=tuple(phases.before),
            findings=tuple(_dated(each, phases) for each in diagnosis.findings),
            events=events,
            children=nodes,
            pods=pods,
        )
        node = node._replace(likeness=likeness(node), kinds=kinds(node))
        self._drawn[entry.uid, True] = _Drawn(of, node, len(above), uids)
        return node

    def _first_places(self, uid: str, nodes: Iterable[Node]) -> frozenset[str]:
        """Return an object and all below it; () if one of *nodes* is also elsewhere."""
        below: list[frozenset[str]] = []
        for node in nodes:
            drawn = self._drawn[node.uid, True]
            if drawn.node is not node or not drawn.uids:
                return frozenset()
            below.append(drawn.uids)
        return frozenset((uid,)).union(*below)

    def _again(self, whole: Node, child: Child) -> Node:
        """Return a node without children: the *whole* one is at another place."""
        drawn, of = self._drawn.get((whole.uid, False)), (whole, child)
        if drawn is not None and _same(drawn.of, of):
            return drawn.node
        node = whole._replace(role=child.role, counts=child.counts, children=())
        self._drawn[whole.uid, False] = _Drawn(of, node)
        return node


def _may_be_edited(record: ChangeRecord) -> bool:
    """Return whether a client may have written the object, and not a controller."""
    is_event = record.gvk.kind == "Event"
    return not is_event and (record.gone or not controller_of(record.document))


def _place(entry: Entry) -> tuple[str, str, str, str]:
    return entry.gvk.kind, entry.namespace or "", entry.name, entry.uid


def _dated(finding: Finding, phases: Interval) -> Finding:
    """Return *finding*, not older than its object: a cluster's clock may be slow."""
    if finding.since is None or finding.since >= phases.first:
        return finding
    return finding._replace(since=phases.since)


def _same(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    """Return whether both hold identical items, or equal ones of type `Child`."""
    return len(old) == len(new) and all(
        one is other or (isinstance(one, Child) and one == other)
        for one, other in zip(old, new, strict=True)
    )
