# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The living tables of nodes, queues, jobs and tasks."""

import threading
import weakref
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from . import _core, fields, frames, rows
from .errors import InvalidArgument, expect, text
from .held_rows import HeldRows, tasks_of, tasks_of_columns
from .notebook import bar, table
from .limits import DEFAULT, Limits, integer
from .plan import Plan
from .action import Action, adapt, adapted_for, check_named, listed
from .policy import Policy
from .reports import ApplyReport, Assumption, Measured
from .snapshot import Snapshot, chosen, counted, merged
from .watching import Watching, objects


def _columns(table: Mapping[str, list[Any]]) -> Any:
    texts = ("action", "policy", "task", "node", "next")
    return frames.frame({
        key: objects(cells) if key in texts else np.array(cells) for key, cells in table.items()
    })


def _length(columns: Mapping[str, Any]) -> int:
    return max((len(column) for column in columns.values()), default=0)


class Cluster(Watching):
    """The caller's tables. Every call does all it says or raises and leaves the cluster as it was.

    >>> cluster = muster.Cluster()
    >>> cluster.add_nodes(100, cpu=64, memory="256Gi", gpu=8)
    >>> cluster.add_queue("vision", weight=2)
    >>> cluster.add_job("train", queue="vision", count=16, min_available=16, cpu=8, gpu=1)
    >>> plan = cluster.schedule("volcano")
    >>> cluster.apply(plan)

    Keyword arguments are the fields of include/muster/spec.h. cpu, memory, pods and gpu (short for
    nvidia.com/gpu) are keywords; other resources go into capacity={...} or request={...}.
    Amounts are numbers or texts as Kubernetes writes them: 8, 0.5, "500m", "8Gi".

    The methods in the plural take a table: a dict of arrays, a pandas DataFrame, an Arrow table.
    Its columns are named like the keywords; no row costs a Python call. Values that all rows have
    in common may be given as keywords.

    Not thread-safe; freeze() gives a Snapshot that is.
    """

    def __init__(self, *, limits: Limits = DEFAULT) -> None:
        """`limits.rows`: how many nodes, queues, jobs and tasks the cluster may hold together, with
        those of events that wait. A call that would add more raises ResourceExhausted and adds
        none."""
        self._core = _core.Cluster()
        self._rows = HeldRows(self._core, expect(limits, Limits, "limits"))
        self._defaults: dict[str, Any] = {}
        self._adapted: tuple[tuple[Policy | Action, ...], Any] = ((), None)

    def __copy__(self) -> "Cluster":
        """A second cluster with equal rows, memory and waiting events."""
        copied = Cluster.__new__(Cluster)
        copied._core = self._core.clone()
        copied._rows = HeldRows(copied._core, self._rows.limits)
        copied._defaults, copied._adapted = dict(self._defaults), ((), None)
        return copied

    def __deepcopy__(self, memo: Any) -> "Cluster":
        return self.__copy__()

    def copy(self) -> "Cluster":
        """As copy.copy: changes of one do not reach the other, and both give equal plans."""
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        return {"core": self._core, "defaults": self._defaults, "limits": self._rows.limits}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self._core, self._defaults, self._adapted = state["core"], state["defaults"], ((), None)
        self._rows = HeldRows(self._core, state["limits"])

    @classmethod
    def from_scenario(
        cls, scenario: str | Path | Mapping[str, Any], *, limits: Limits = DEFAULT
    ) -> "Cluster":
        """From a scenario: the path of its file, its text, or the decoded document.

        Its profile and options become the defaults of schedule(). ResourceExhausted: it makes more
        than `limits`, which hold for later calls, too.
        """
        if isinstance(scenario, Mapping):
            document = fields.json_text(scenario, "scenario")
        elif isinstance(scenario, str) and scenario.lstrip().startswith("{"):
            document = scenario
        elif isinstance(scenario, (str, Path)):
            document = Path(scenario).read_text(encoding="utf-8")
        else:
            raise InvalidArgument(
                f"scenario: expected a path, a text or a dict, got {type(scenario).__name__}")
        cluster = cls(limits=limits)
        cluster._defaults = cluster._core.load_scenario(
            text(document, "scenario"), limits.as_dict())
        return cluster

    def to_scenario(
        self, profile: str | None = None, *, now: int | None = None, seed: int | None = None
    ) -> str:
        """The text of a scenario that holds this cluster; `muster run` reads it. What is not given
        is as from_scenario read it."""
        known: dict[str, Any] = {"profile": "", "now": 0, "seed": 0} | self._defaults
        return self._core.write_scenario(
            text(known["profile"] if profile is None else profile, "to_scenario: profile"),
            integer(known["now"] if now is None else now, "to_scenario: now"),
            integer(known["seed"] if seed is None else seed, "to_scenario: seed"))

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """All rows, as they were told, with the state they are in now."""
        return self._core.describe()

    # --- nodes

    def add_node(self, name: str, **given: Unpack[rows.NodeKeywords]) -> None:
        """add_node("n1", cpu=64, memory="256Gi", labels={"zone": "a"},
        taints=[{"key": "gpu", "effect": "NoSchedule"}])"""
        row = self._row("node", name, given)
        self._rows.admit("nodes")
        self._core.add_node(row)

    def add_nodes(self, nodes: Any = None, **given: Unpack[rows.NodeColumns]) -> int:
        """add_nodes(100, cpu=64) adds n0 to n99 (`name` is the stem); add_nodes(table) adds rows.

        Columns of a table: name, cpu, memory, ..., "capacity.X", "allocatable.X", "labels.X",
        unschedulable, ... Returns the number of nodes added.
        """
        if isinstance(nodes, int) and not isinstance(nodes, bool):
            if nodes.bit_length() > 63:
                raise InvalidArgument(f"nodes: count is {nodes}; must be 0 to 134217728")
            rest = dict(given)
            stem = text(rest.pop("name", "n"), "add_nodes: name")
            row = self._row("node", stem, rest)
            self._rows.admit("nodes", nodes)
            self._core.add_nodes(nodes, row)
            return nodes
        columns, constants = self._split(nodes, given, "node")
        self._rows.admit("nodes", _length(columns))
        return self._core.add_node_columns(columns, constants)

    def update_node(self, name: str, **given: Unpack[rows.NodeKeywords]) -> None:
        """Changes the fields given; the others stay, as do the node's tasks and its place."""
        name = text(name, "update_node: name")
        self._core.update_node(name, self._row("node", name, given))

    def remove_node(self, name: str) -> None:
        """Refused while tasks are on it."""
        self._core.remove_node(text(name, "remove_node: name"))

    def node(self, name: str) -> dict[str, Any]:
        """What was told about it."""
        return self._core.node(text(name, "node: name"))

    @property
    def nodes(self) -> Any:
        """All nodes, as a DataFrame with the columns that add_nodes takes, in the units of
        keywords: cores and devices, bytes. A list or a map but for amounts is one cell."""
        return frames.frame(self._core.table("nodes"))

    # --- queues

    def add_queue(self, name: str, **given: Unpack[rows.QueueKeywords]) -> None:
        """add_queue("a", parent="root", weight=2, limit={"cpu": 100})"""
        row = self._row("queue", name, given)
        self._rows.admit("queues")
        self._core.add_queue(row)

    def add_queues(self, queues: Any = None, **given: Unpack[rows.QueueColumns]) -> int:
        """Columns: name, parent, weight, priority, "deserved.X", "guaranteed.X", "limit.X", ..."""
        columns, constants = self._split(queues, given, "queue")
        self._rows.admit("queues", _length(columns))
        return self._core.add_queue_columns(columns, constants)

    def update_queue(self, name: str, **given: Unpack[rows.QueueKeywords]) -> None:
        """Changes the fields given; the others stay."""
        name = text(name, "update_queue: name")
        self._core.update_queue(name, self._row("queue", name, given))

    def remove_queue(self, name: str) -> None:
        """Refused while it has jobs or children."""
        self._core.remove_queue(text(name, "remove_queue: name"))

    def queue(self, name: str) -> dict[str, Any]:
        return self._core.queue(text(name, "queue: name"))

    @property
    def queues(self) -> Any:
        """name, parent, weight, priority, state, jobs: a summary, which add_queues refuses."""
        return frames.frame(self._core.table("queues"))

    # --- jobs

    def add_job(self, name: str, **given: Unpack[rows.JobKeywords]) -> None:
        """add_job("train", queue="vision", count=16, min_available=16, cpu=8, gpu=1)

        `count` tasks of one shape, named NAME-0, NAME-1, ...; or groups=[{"name": ..., "count":
        ..., "shape": ...}].
        """
        row = self._row("job", name, given)
        self._rows.admit("jobs", 1 + tasks_of(row))
        self._core.add_job(row)

    def add_jobs(self, jobs: Any = None, **given: Unpack[rows.JobColumns]) -> int:
        """Columns: name, queue, priority, min_available, created, ...; of its tasks count, cpu,
        "request.X", ..."""
        columns, constants = self._split(jobs, given, "job")
        jobs = _length(columns)
        group_columns, group_constants = fields.split_group(columns, constants)
        empty = group_constants.get("count", 0)
        tasks = tasks_of_columns(group_columns.get("count", empty), jobs, empty)
        self._rows.admit("jobs", jobs + tasks)
        return self._core.add_job_columns(columns, constants, group_columns, group_constants)

    def make_tasks(self, job: str, group: str = "", count: int = 1) -> None:
        """Makes `count` of a group's tasks that are counts (by_count) rows that are pending."""
        job, group = text(job, "make_tasks: job"), text(group, "make_tasks: group")
        count = integer(count, "make_tasks: count")
        self._rows.admit("tasks", count)
        self._core.make_tasks(job, group, count)

    def update_job(self, name: str, **given: Unpack[rows.JobKeywords]) -> None:
        """Changes the fields given; the others and its tasks stay."""
        name = text(name, "update_job: name")
        self._core.update_job(name, self._row("job", name, given))

    def remove_job(self, name: str) -> None:
        """With its tasks."""
        self._core.remove_job(text(name, "remove_job: name"))

    def job(self, name: str) -> dict[str, Any]:
        return self._core.job(text(name, "job: name"))

    @property
    def jobs(self) -> Any:
        """name, queue, phase, priority, min_available, tasks: a summary, which add_jobs refuses."""
        return frames.frame(self._core.table("jobs"))

    # --- tasks

    def add_task(self, name: str, **given: Unpack[rows.TaskKeywords]) -> None:
        """add_task("t1", job="train", cpu=1, status="running", node="n1")"""
        row = self._row("task", name, given)
        self._rows.admit("tasks")
        self._core.add_task(row)

    def add_tasks(self, tasks: Any = None, **given: Unpack[rows.TaskColumns]) -> int:
        """Columns: name, job, status, node, priority, created, cpu, memory, "request.X",
        "labels.X", "node_selector.X", ..."""
        columns, constants = self._split(tasks, given, "task")
        self._rows.admit("tasks", _length(columns))
        return self._core.add_task_columns(columns, constants)

    def update_task(self, name: str, **given: Unpack[rows.TaskKeywords]) -> None:
        """Changes the fields given; the others stay. A shape is changed as a whole."""
        name = text(name, "update_task: name")
        self._core.update_task(name, self._row("task", name, given))

    def remove_task(self, name: str) -> None:
        self._core.remove_task(text(name, "remove_task: name"))

    def set_task_status(self, name: str, status: str, node: str = "") -> None:
        """Sets the status as it was reported; `node` only if the status needs one and the task has
        none."""
        place = "set_task_status"
        self._core.set_task_status(
            text(name, f"{place}: name"), text(status, f"{place}: status"),
            text(node, f"{place}: node"))

    def task(self, name: str) -> dict[str, Any]:
        return self._core.task(text(name, "task: name"))

    @property
    def tasks(self) -> Any:
        """name, job, status, node, priority, task_class, "request.X" in the units of keywords: a
        summary, which add_tasks refuses. Tasks of one class have one shape."""
        return frames.frame(self._core.table("tasks"))

    # --- the rest

    def add_domain(self, name: str, **given: Unpack[rows.DomainKeywords]) -> None:
        """A rack, block or hypernode: parent, tier, tier_name."""
        self._core.add_domain({"name": name, **given})

    def remove_domain(self, name: str) -> None:
        self._core.remove_domain(text(name, "remove_domain: name"))

    def set_disruption_budget(self, name: str, **given: Unpack[rows.BudgetKeywords]) -> None:
        """namespace, selector, allowed."""
        self._core.set_disruption_budget({"name": name, **given})

    def remove_disruption_budget(self, name: str, namespace: str = "default") -> None:
        place = "remove_disruption_budget"
        self._core.remove_disruption_budget(
            text(namespace, f"{place}: namespace"), text(name, f"{place}: name"))

    def remove_namespace(self, name: str) -> None:
        self._core.remove_namespace(text(name, "remove_namespace: name"))

    def set_namespace(self, name: str, labels: Mapping[str, str] | None = None) -> None:
        labels = {} if labels is None else expect(labels, Mapping, "set_namespace: labels")
        self._core.set_namespace({"name": name, "labels": dict(labels)})

    def set_flavor(self, name: str, **given: Unpack[rows.FlavorKeywords]) -> None:
        """A kind of capacity that quota is counted in: node_labels, taints, tolerations,
        topology."""
        self._core.set_flavor({"name": name, **given})

    def remove_flavor(self, name: str) -> None:
        self._core.remove_flavor(text(name, "remove_flavor: name"))

    def set_partition(self, name: str, **given: Unpack[rows.PartitionKeywords]) -> None:
        """A set of nodes with queues of its own: nodes, selector, queues, exclusive, borrows."""
        self._core.set_partition(self._row("partition", name, given))

    def remove_partition(self, name: str) -> None:
        self._core.remove_partition(text(name, "remove_partition: name"))

    def set_reservation(self, name: str, **given: Unpack[rows.ReservationKeywords]) -> None:
        """set_reservation("nightly", node="n1", phase="available", cpu=16,
        owners=[{"job": "etl"}])"""
        self._core.set_reservation(self._row("reservation", name, given))

    def remove_reservation(self, name: str) -> None:
        self._core.remove_reservation(text(name, "remove_reservation: name"))

    # --- the cluster as it is

    def freeze(self) -> Snapshot:
        return Snapshot(self._core.freeze(), self._defaults)

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._core.version

    @property
    def memory(self) -> str:
        """What cycles remember, as JSON: that of the last plan that was applied.

        Set it to continue with a memory that was saved elsewhere. Its slots have seen none of this
        cluster's events.
        """
        return self._core.memory

    @memory.setter
    def memory(self, memory: str) -> None:
        self._core.memory = text(memory, "memory")

    # --- cycles

    def schedule(
        self,
        profile: str | None = None,
        *,
        policies: Sequence[Policy | Action] = (),
        now: int | None = None,
        seed: int | None = None,
        work_budget: int | None = None,
        time_limit: float | None = None,
        stop: threading.Event | None = None,
        cursor: int = 0,
        turn: Mapping[str, Any] | None = None,
        memory: str | None = None,
        speed: dict[str, Any] | None = None,
    ) -> Plan:
        """Runs a cycle as muster.schedule does, at the cost of what changed since the last one."""
        given: dict[str, Any] = {
            "now": now, "seed": seed, "work_budget": work_budget, "time_limit": time_limit
        }
        given |= {"stop": stop, "cursor": cursor, "speed": speed, "memory": memory, "turn": turn}
        options = merged(self._defaults, given)
        profile = chosen(profile, self._defaults)
        policies = listed(policies)
        if self._adapted[0] != tuple(policies):
            adapted = adapt(policies)
            self._adapted = (tuple(policies), adapted)
        check_named(policies, profile)
        try:
            return Plan(
                self._core.schedule(profile, options, self._adapted[1]), weakref.ref(self)
            )
        except BaseException:
            # What the engine remembered of half a cycle's answers goes with them.
            self._adapted = ((), None)
            raise

    def measure(
        self,
        profile: str | None = None,
        *,
        explain_nodes: bool = False,
        policies: Sequence[Policy | Action] = (),
        now: int | None = None,
        seed: int | None = None,
    ) -> Measured:
        """Runs a cycle as schedule does, and returns with its plan what it cost, by action, policy
        and way of searching. The plan is the same.

        explain_nodes=True fills `choices` with the score of each policy for the node of each task
        and for the next best node. It looks at every node for each task that is placed.
        """
        metrics = _core.CycleMetrics(expect(explain_nodes, bool, "measure: explain_nodes"))
        options = merged(self._defaults, {"now": now, "seed": seed, "metrics": metrics})
        profile = chosen(profile, self._defaults)
        plan = self._core.schedule(profile, options, adapted_for(policies, profile))
        return Measured(
            Plan(plan, weakref.ref(self)),
            _columns(metrics.actions()),
            _columns(metrics.policies()),
            _columns(metrics.choices(plan)),
            metrics.totals(),
        )

    def apply(self, plan: Plan) -> ApplyReport:
        """Applies a plan: bound tasks become binding, evicted ones releasing, and so on.

        Decisions that a later change made impossible are refused one by one, whole gangs together.
        """
        return ApplyReport(*self._core.apply(expect(plan, Plan, "apply")._core))

    def confirm(self, task: str, status: str = "running") -> None:
        """The world reports that a bind of an applied plan came true."""
        self._core.set_task_status(
            text(task, "confirm: task"), text(status, "confirm: status"), "")

    def report_bind_failed(self, task: str) -> None:
        """A bind of an applied plan did not come true: the task is pending again."""
        self._core.report_bind_failed(text(task, "report_bind_failed: task"))

    def report_evict_failed(self, task: str) -> None:
        """An eviction of an applied plan did not come true: the task runs on its node again."""
        self._core.report_evict_failed(text(task, "report_evict_failed: task"))

    def assumptions(self) -> list[Assumption]:
        """What applied plans made the cluster assume and nothing has confirmed yet."""
        return [Assumption(*row) for row in self._core.assumptions()]

    def expire_assumptions(
        self, now: int, *, bind: int | None = None, evict: int | None = None
    ) -> list[Assumption]:
        """Takes back binds that were assumed `bind` seconds or more before `now`, and evictions
        that were assumed `evict` seconds or more before it; None: never. Returns what expired."""
        now = integer(now, "now")
        bind, evict = (
            None if ages is None else integer(ages, word)
            for word, ages in (("bind", bind), ("evict", evict))
        )
        return [Assumption(*row) for row in self._core.expire_assumptions(now, bind, evict)]

    # --- rows from keywords

    def _split(
        self, table: Any, given: Mapping[str, Any], kind: str
    ) -> tuple[fields.Fields, fields.Fields]:
        columns = frames.columns(table) if table is not None else {}
        split, constants = fields.split(columns, given, kind, self._core.has_resource)
        if not split:
            raise InvalidArgument(f"{kind}s: no column is given; add_{kind} adds a single one")
        return split, constants

    # --- for people

    def __repr__(self) -> str:
        return f"<muster.Cluster {counted(self._core.counts)}, version {self.version}>"

    def _repr_html_(self) -> str:
        tasks = self._core.table("tasks")
        holds = tasks["node"] != ""
        rows = []
        for name, total in self._core.allocatable_totals().items():
            request = tasks.get(f"request.{name}")
            used = float(request[holds].sum(dtype=float)) if request is not None else 0.0
            waits = (
                float(request[tasks["status"] == "pending"].sum(dtype=float))
                if request is not None else 0.0)
            if total or used or waits:
                share = used / total if total else 0.0
                rows.append((escape(name), bar(share), f"{waits / total if total else 0:.3g}"))
        html = table(("resource", "held", "waiting, of the whole"), rows)
        return f"<div><b>Cluster</b>: {escape(counted(self._core.counts))}{html}</div>"
