# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What a cycle decided, and why it did not decide more."""

import weakref
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from . import _core
from .bounds import BoundOptions, PlanGap, gap_of
from .errors import FailedPrecondition, text
from .frames import frame
from .notebook import bar, table

if TYPE_CHECKING:
    from .cluster import Cluster
    from .snapshot import Snapshot

_DROPPED = {
    "bind": ("kind", "beneficiary", "phase", "after_eviction", "task_index", "node_index"),
    "evict": ("kind", "phase", "after_eviction", "task_index", "node_index"),
    "nominate": ("kind", "beneficiary", "phase", "task_index", "node_index"),
    "admit": ("kind", "task", "node", "beneficiary", "phase", "after_eviction", "task_index", "node_index"),
    "phase": ("kind", "task", "node", "beneficiary", "after_eviction", "task_index", "node_index"),
}


class Plan:
    """An immutable value: it may outlive its cluster, and any thread may read it.

    Its tables are DataFrames (dicts of NumPy arrays if pandas is not installed), made at their
    first use.
    """

    def __init__(
        self, core: _core.Plan, source: "Snapshot | weakref.ref[Cluster] | None" = None
    ) -> None:
        self._core = core
        self._source = source

    def __copy__(self) -> "Plan":
        return self

    def __deepcopy__(self, memo: Any) -> "Plan":
        return self

    def __reduce__(self) -> Any:  # without the tables that were read: they are made again
        return Plan, (self._core,)

    def bound(
        self, of: "Cluster | Snapshot | None" = None, **options: Unpack[BoundOptions]
    ) -> PlanGap:
        """How far the plan is from what any plan could place.

        >>> plan.bound().gap

        `of` is the cluster or snapshot that the plan was made of, at its version; by default the
        one of which schedule() made it. A plan that was pickled has none, and that of a cluster has
        none once the cluster has changed.
        """
        source = self._source
        of = of or (source() if isinstance(source, weakref.ref) else source)
        if of is None:
            raise FailedPrecondition("bound: the plan has no snapshot; pass the one it was made of")
        return gap_of(self._core, of, options)

    def _of(self, kind: str) -> Any:
        columns = self._core.decisions(kind)
        return frame({name: a for name, a in columns.items() if name not in _DROPPED[kind]})

    @cached_property
    def binds(self) -> Any:
        """task, job, node: what starts now, in the order it was decided."""
        return self._of("bind")

    @cached_property
    def evictions(self) -> Any:
        """task, job, node, beneficiary: tasks that must leave their node, and what gets room."""
        return self._of("evict")

    @cached_property
    def nominations(self) -> Any:
        """task, job, node, after_eviction: what starts once resources there are released."""
        return self._of("nominate")

    @cached_property
    def admitted(self) -> Any:
        """job: what may ask for nodes from now on."""
        return self._of("admit")

    @cached_property
    def phases(self) -> Any:
        """job, phase: jobs that get another phase with this cycle."""
        return self._of("phase")

    @cached_property
    def moves(self) -> Any:
        """task, from, to, nominated, beneficiary: what leaves one node for another that is kept for
        it."""
        return frame(self._core.moves())

    @cached_property
    def reservations(self) -> Any:
        """task, node, until, waiting_group: nodes that keep room for a task, which is not bound
        yet."""
        return frame(self._core.reservations())

    @cached_property
    def offers(self) -> Any:
        """job, queue, node, and the amount of each dimension: what a queue or a job may accept or
        decline."""
        return frame(self._core.offers())

    @cached_property
    def resizes(self) -> Any:
        """job, group, count: groups of jobs that get another number of tasks."""
        return frame(self._core.resizes())

    @cached_property
    def splits(self) -> Any:
        """task, parts: tasks that become several smaller ones."""
        return frame(self._core.splits())

    @cached_property
    def assignments(self) -> Any:
        """job, group, count, dimension, flavor: the quota assigned to admitted jobs."""
        return frame(self._core.assignments())

    @cached_property
    def places(self) -> Any:
        """job, group, place, count: where tasks of admitted jobs are to run, in the topology of
        their flavor. A place is the values of its levels with commas between them."""
        return frame(self._core.places())

    @cached_property
    def decisions(self) -> Any:
        """All of them, in order. Indices are those of the snapshot.

        A kind that is about no task, or about no node, has "" for its name and -1 for its index:
        the task of admit, phase, offer and resize; the node of admit, phase, resize and split.
        """
        return frame(self._core.decisions())

    @cached_property
    def tentative(self) -> Any:
        """task, node, nominated: placements that the profile keeps in its books without deciding
        them."""
        return frame(self._core.tentative())

    @cached_property
    def domains(self) -> Any:
        """job, sub_group, domain, tier: the domains of placed jobs with topology wishes or
        sub-groups."""
        return frame(self._core.domains())

    @cached_property
    def devices(self) -> Any:
        """task, device, milli, memory: the devices that bound tasks get, those of one task by their
        order on the node."""
        return frame(self._core.devices())

    @cached_property
    def pending(self) -> Any:
        """task, job, reason, text, policy, queue, placed, needed: one row for each task left out,
        and why."""
        return frame(self._core.pending())

    @cached_property
    def shares(self) -> Any:
        """queue, share_before, share_after, and by dimension what it held, holds and deserves.

        Amounts of cpu and of devices are in thousandths, memory and storage in bytes.
        """
        return frame(self._core.shares())

    def explain(self, name: str) -> str:
        """Returns why a job or task is not (wholly) placed, in words. Raises NotFound if there is
        no such name."""
        return self._core.explain(text(name, "explain: name"))

    @property
    def profile(self) -> str:
        return self._core.profile

    @property
    def version(self) -> int:
        """Of the cluster it was computed from."""
        return self._core.version

    @property
    def work(self) -> int:
        """Units of work; as a budget it reproduces this plan."""
        return self._core.work

    @property
    def complete(self) -> bool:
        """False where a budget cut the cycle, at a gang boundary."""
        return self._core.complete

    @property
    def cursor(self) -> int:
        """What to hand in to the next cycle after a cut one."""
        return self._core.cursor

    @cached_property
    def memory(self) -> str:
        """What the next cycle is to remember, as JSON; Cluster.apply keeps it."""
        return self._core.memory

    @cached_property
    def digest(self) -> str:
        """32 hex digits of everything but names: equal inputs give equal digests, everywhere."""
        return self._core.digest

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many decisions of each kind, and how many tasks are pending."""
        return self._core.counts

    def to_json(self) -> str:
        return self._core.to_json()

    def to_text(self) -> str:
        """Decisions and reasons, one a line."""
        return self._core.to_text()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def _summary(self) -> str:
        words = (
            ("bind", "binds"),
            ("evict", "evictions"),
            ("nominate", "nominations"),
            ("move", "moves"),
            ("reserve", "reservations"),
            ("admit", "admitted"),
        )
        parts = [f"{self.counts[kind]} {word}" for kind, word in words if self.counts[kind]]
        parts.append(f"{self.counts['pending']} pending")
        return ", ".join(parts) + ("" if self.complete else ", cut")

    def __repr__(self) -> str:
        return f"<muster.Plan {self.profile}: {self._summary()}, {self.digest[:8]}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        pending = self._core.pending()
        waiting: dict[str, tuple[int, set[str]]] = {}
        for text, job in zip(pending["text"], pending["job"]):
            count, jobs = waiting.get(text, (0, set()))
            waiting[text] = (count + 1, jobs | {job})
        reasons = sorted(waiting.items(), key=lambda entry: -entry[1][0])
        head = f"<b>{escape(self.profile)}</b>: {escape(self._summary())} <code>{self.digest[:8]}</code>"
        why = table(
            ("tasks", "jobs", "pending because"),
            [(str(count), str(len(jobs)), escape(text)) for text, (count, jobs) in reasons[:12]],
        )
        if len(reasons) > 12:
            why += f"<p>and {len(reasons) - 12} more reasons</p>"
        shares = self._core.shares()
        rows = [
            (escape(queue), bar(before), bar(after))
            for queue, before, after in zip(
                shares["queue"], shares["share_before"], shares["share_after"]
            )
        ]
        return f"<div>{head}{why}{table(('queue', 'share before', 'share after'), rows[:20])}</div>"
