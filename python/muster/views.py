# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What a policy or an action is shown: rows as NumPy columns, read when they are asked for.

    jobs.priority                   # an array, one entry for each row
    nodes.idle["cpu"]               # amounts are columns by resource
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .errors import NotFound
from .fields import dimension as resource
from .fields import suggestion


class _Amounts(Mapping[str, np.ndarray]):
    """Columns by resource: nodes.idle["cpu"]. cpu and devices in thousandths, memory and storage in
    bytes. "gpu" is short for "nvidia.com/gpu". Amounts of an extended resource that the cluster has
    none of are 0. NotFound, a KeyError: the name is no resource."""

    def __init__(self, what: str, read: Any, dimensions: Sequence[str]) -> None:
        self._what, self._read, self._dimensions = what, read, dimensions
        self._known: dict[str, np.ndarray] = {}

    def __getitem__(self, dimension: str) -> np.ndarray:
        known = self._known.get(dimension)
        if known is None:
            known = self._read(self._what, self._long(dimension))
            known.flags.writeable = False
            self._known[dimension] = known
        return known

    def _long(self, dimension: str) -> str:
        if dimension in self._dimensions:
            return dimension
        if (name := resource(dimension)) is not None:
            return name
        there = ", ".join(self._dimensions)
        raise NotFound(
            f'{self._what}: the cluster has no resource "{dimension}"'
            f"{suggestion(dimension, self._dimensions)}; it has {there}"
        )

    def __contains__(self, dimension: object) -> bool:
        there = self._dimensions
        return dimension in there or isinstance(dimension, str) and resource(dimension) in there

    def __iter__(self) -> Iterator[str]:
        return iter(self._dimensions)

    def __len__(self) -> int:
        return len(self._dimensions)


class _View:
    """Rows with columns that are read when they are asked for, and kept."""

    _COLUMNS: tuple[str, ...] = ()
    _AMOUNTS: tuple[str, ...] = ()

    _PREFIX = ""

    def __init__(self, core: Any, index: np.ndarray, dimensions: Sequence[str]) -> None:
        self._core, self.index, self._dimensions = core, index, dimensions

    def __len__(self) -> int:
        return len(self.index)

    def __getattr__(self, name: str) -> Any:
        if name in self._COLUMNS:
            value = self._column(name)
            value.flags.writeable = False
        elif name in self._AMOUNTS:
            read = getattr(self._core, f"{self._PREFIX}_amounts")
            value = _Amounts(name, lambda w, d: read(w, d, self.index), self._dimensions)
        else:
            columns = ", ".join(("index", *self._COLUMNS, *self._AMOUNTS))
            raise AttributeError(f"{type(self).__name__} has no column {name!r}; it has {columns}")
        self.__dict__[name] = value
        return value

    def _column(self, name: str) -> np.ndarray:
        return getattr(self._core, f"{self._PREFIX}_column")(name, self.index)

    def label_of(self, row: int) -> str:
        """How messages name a row."""
        return f'{self._PREFIX} "{self.name[row]}"'

    def __repr__(self) -> str:
        return f"<muster.policy.{type(self).__name__}: {len(self)} rows>"


class Jobs(_View):
    """index, name, queue, phase, priority, created, min_available, tasks, pending, ready, running
    (numbers of tasks), estimate, deadline, waiting_time (NaN where unset);
    allocated[dimension]."""

    _PREFIX = "job"
    _COLUMNS = (
        "name",
        "queue",
        "phase",
        "priority",
        "created",
        "min_available",
        "tasks",
        "pending",
        "ready",
        "running",
        "estimate",
        "deadline",
        "waiting_time",
    )
    _AMOUNTS = ("allocated",)


class Queues(_View):
    """index, name, parent, weight, priority, created, jobs; allocated, pending (with the queues
    below), guaranteed, deserved, limit (infinite where there is none)[dimension]."""

    _PREFIX = "queue"
    _COLUMNS = ("name", "parent", "weight", "priority", "created", "jobs")
    _AMOUNTS = ("allocated", "pending", "guaranteed", "deserved", "limit")


class Tasks(_View):
    """index, name, job, queue, node, status, priority, created, task_class; request[dimension]."""

    _PREFIX = "task"
    _COLUMNS = ("name", "job", "queue", "node", "status", "priority", "created", "task_class")
    _AMOUNTS = ("request",)


class SubGroups(_View):
    """index (in the job's sub_groups; -1: its tasks that are in none), name (then empty), job,
    min_available, order, pending, ready (numbers of tasks)."""

    _PREFIX = "group"
    _COLUMNS = ("name", "job", "min_available", "order", "pending", "ready")

    def __init__(
        self, core: Any, jobs: np.ndarray, index: np.ndarray, dimensions: Sequence[str]
    ) -> None:
        super().__init__(core, index, dimensions)
        self._jobs = jobs

    def _column(self, name: str) -> np.ndarray:
        return self._core.group_column(name, self._jobs, self.index)

    def label_of(self, row: int) -> str:
        return f'job "{self.job[row]}", sub-group "{self.name[row]}"'


class Domains(_View):
    """index, name (of the whole cluster: empty), parent, tier, nodes (how many); allocatable,
    idle[dimension], sums over the nodes."""

    _PREFIX = "domain"
    _COLUMNS = ("name", "parent", "tier", "nodes")
    _AMOUNTS = ("allocatable", "idle")


class Nodes:
    """index, name, label("zone") (None where a node has none); idle, used, releasing, future_idle,
    requested, allocatable[dimension]. Idle pods are infinite where a node sets no limit."""

    _AMOUNTS = ("idle", "used", "releasing", "future_idle", "requested", "allocatable")

    def __init__(self, core: Any, dimensions: Sequence[str]) -> None:
        self._core, self._dimensions = core, dimensions
        self._labels: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._core)

    def __getattr__(self, name: str) -> Any:
        if name in self._AMOUNTS:
            value: Any = _Amounts(name, self._core.amounts, self._dimensions)
        elif name == "index":
            value = self._core.index()
        elif name == "name":
            value = self._core.names()
        else:
            columns = ", ".join(("index", "name", "label(key)", *self._AMOUNTS))
            raise AttributeError(f"Nodes has no column {name!r}; it has {columns}")
        self.__dict__[name] = value
        return value

    def label_of(self, row: int) -> str:
        """How messages name a row."""
        return f'node "{self.name[row]}"'

    def label(self, key: str) -> np.ndarray:
        known = self._labels.get(key)
        if known is None:
            known = self._labels[key] = self._core.labels(key)
        return known

    def __repr__(self) -> str:
        return f"<muster.policy.Nodes: {len(self)} rows>"


class TaskClass:
    """All tasks that no policy can tell apart: index, request (by dimension), shape (the fields of
    TaskShape)."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self.index: int = core.index

    def __getattr__(self, name: str) -> Any:
        if name not in ("request", "shape", "example"):
            raise AttributeError(
                f"TaskClass has no {name!r}; it has index, request, shape, example"
            )
        value = self.__dict__[name] = getattr(self._core, name)
        return value

    @property
    def namespace(self) -> str:
        return self.shape.get("namespace", "default")

    @property
    def labels(self) -> dict[str, str]:
        return self.shape.get("labels", {})

    def __repr__(self) -> str:
        return f"<muster.policy.TaskClass {self.index}: {self.request}>"
