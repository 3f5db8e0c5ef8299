# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What a policy or an action is shown: rows as NumPy columns, read when they are asked for.

    jobs.priority                   # an array, one entry for each row
    nodes.idle["cpu"]               # amounts are columns by resource
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import NotFound
from .fields import dimension as resource
from .fields import suggestion

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Texts = npt.NDArray[np.object_]


class Amounts(Mapping[str, Floats]):
    """Columns by resource: nodes.idle["cpu"]. cpu and devices in thousandths, memory and storage in
    bytes. "gpu" is short for "nvidia.com/gpu". Amounts of an extended resource that the cluster has
    none of are 0. NotFound, a KeyError: the name is no resource."""

    def __init__(self, what: str, read: Any, dimensions: Sequence[str]) -> None:
        self._what, self._read, self._dimensions = what, read, dimensions
        self._known: dict[str, Floats] = {}

    def __getitem__(self, dimension: str) -> Floats:
        known = self._known.get(dimension)
        if known is None:
            read: Floats = self._read(self._what, self._long(dimension))
            read.flags.writeable = False
            known = self._known[dimension] = read
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

    name: Texts

    _COLUMNS: tuple[str, ...] = ()
    _AMOUNTS: tuple[str, ...] = ()

    _PREFIX = ""

    def __init_subclass__(cls) -> None:
        """The columns are what the class annotates."""
        cls._COLUMNS, cls._AMOUNTS = _annotated(cls)

    def __init__(self, core: Any, index: Integers, dimensions: Sequence[str]) -> None:
        self._core, self.index, self._dimensions = core, index, dimensions

    def __len__(self) -> int:
        return len(self.index)

    if not TYPE_CHECKING:  # else no misspelled column were one

        def __getattr__(self, name: str) -> Any:
            if name in self._COLUMNS:
                value = self._column(name)
                value.flags.writeable = False
            elif name in self._AMOUNTS:
                read = getattr(self._core, f"{self._PREFIX}_amounts")
                value = Amounts(name, lambda w, d: read(w, d, self.index), self._dimensions)
            else:
                columns = ("index", *self._COLUMNS, *self._AMOUNTS)
                raise AttributeError(_no_column(type(self), name, columns, columns))
            self.__dict__[name] = value
            return value

    def _column(self, name: str) -> Any:
        return getattr(self._core, f"{self._PREFIX}_column")(name, self.index)

    def label_of(self, row: int) -> str:
        """How messages name a row."""
        return f'{self._PREFIX} "{self.name[row]}"'

    def __repr__(self) -> str:
        return f"<muster.policy.{type(self).__name__}: {len(self)} rows>"


def _annotated(cls: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns and the amounts that a class annotates, in their order."""
    kinds = inspect.get_annotations(cls)
    return (tuple(name for name, kind in kinds.items() if kind is not Amounts),
            tuple(name for name, kind in kinds.items() if kind is Amounts))


def _no_column(cls: type, name: str, known: Sequence[str], listed: Sequence[str]) -> str:
    return (f"{cls.__name__} has no column {name!r}{suggestion(name, known)}; "
            f"it has {', '.join(listed)}")


class Jobs(_View):
    """index, name, queue, phase, priority, created, min_available, tasks, pending, ready, running
    (numbers of tasks), estimate, deadline, waiting_time (NaN where unset);
    allocated[dimension]."""

    _PREFIX = "job"

    name: Texts
    queue: Texts
    phase: Texts
    priority: Integers
    created: Integers
    min_available: Integers
    tasks: Integers
    pending: Integers
    ready: Integers
    running: Integers
    estimate: Floats
    deadline: Floats
    waiting_time: Floats
    allocated: Amounts


class Queues(_View):
    """index, name, parent, weight, priority, created, jobs; allocated, pending (with the queues
    below), guaranteed, deserved, limit (infinite where there is none)[dimension]."""

    _PREFIX = "queue"

    name: Texts
    parent: Texts
    weight: Integers
    priority: Integers
    created: Integers
    jobs: Integers
    allocated: Amounts
    pending: Amounts
    guaranteed: Amounts
    deserved: Amounts
    limit: Amounts


class Tasks(_View):
    """index, name, job, queue, node, status, priority, created, task_class; request[dimension]."""

    _PREFIX = "task"

    name: Texts
    job: Texts
    queue: Texts
    node: Texts
    status: Texts
    priority: Integers
    created: Integers
    task_class: Integers
    request: Amounts


class SubGroups(_View):
    """index (in the job's sub_groups; -1: its tasks that are in none), name (then empty), job,
    min_available, order, pending, ready (numbers of tasks)."""

    _PREFIX = "group"

    name: Texts
    job: Texts
    min_available: Integers
    order: Integers
    pending: Integers
    ready: Integers

    def __init__(
        self, core: Any, jobs: Integers, index: Integers, dimensions: Sequence[str]
    ) -> None:
        super().__init__(core, index, dimensions)
        self._jobs = jobs

    def _column(self, name: str) -> Any:
        return self._core.group_column(name, self._jobs, self.index)

    def label_of(self, row: int) -> str:
        return f'job "{self.job[row]}", sub-group "{self.name[row]}"'


class Domains(_View):
    """index, name (of the whole cluster: empty), parent, tier, nodes (how many); allocatable,
    idle[dimension], sums over the nodes."""

    _PREFIX = "domain"

    name: Texts
    parent: Texts
    tier: Integers
    nodes: Integers
    allocatable: Amounts
    idle: Amounts


class Nodes:
    """index, name, label("zone") (None where a node has none); idle, used, releasing, future_idle,
    requested, allocatable[dimension]. Idle pods are infinite where a node sets no limit."""

    index: Integers
    name: Texts
    idle: Amounts
    used: Amounts
    releasing: Amounts
    future_idle: Amounts
    requested: Amounts
    allocatable: Amounts

    def __init__(self, core: Any, dimensions: Sequence[str]) -> None:
        self._core, self._dimensions = core, dimensions
        self._labels: dict[str, Texts] = {}

    def __len__(self) -> int:
        return len(self._core)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in _NODE_AMOUNTS:
                value: Any = Amounts(name, self._core.amounts, self._dimensions)
            elif name == "index":
                value = self._core.index()
            elif name == "name":
                value = self._core.names()
            else:
                raise AttributeError(_no_column(
                    Nodes, name, ("index", "name", "label", *_NODE_AMOUNTS),
                    ("index", "name", "label(key)", *_NODE_AMOUNTS)))
            self.__dict__[name] = value
            return value

    def label_of(self, row: int) -> str:
        """How messages name a row."""
        return f'node "{self.name[row]}"'

    def label(self, key: str) -> Texts:
        """The label's value of each node; None where a node has none."""
        if key not in self._labels:
            self._labels[key] = self._core.labels(key)
        return self._labels[key]

    def __repr__(self) -> str:
        return f"<muster.policy.Nodes: {len(self)} rows>"


_NODE_AMOUNTS = _annotated(Nodes)[1]


class TaskClass:
    """All tasks that no policy can tell apart: index, request (by dimension), shape (the fields of
    TaskShape), example (the name of one of them)."""

    index: int
    request: dict[str, int]
    shape: dict[str, Any]
    example: str

    def __init__(self, core: Any) -> None:
        self._core = core
        self.index = core.index

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in _OF_CLASSES:
                raise AttributeError(f"TaskClass has no {name!r}{suggestion(name, _OF_CLASSES)}; "
                                     f"it has {', '.join(_OF_CLASSES)}")
            value = self.__dict__[name] = getattr(self._core, name)
            return value

    @property
    def namespace(self) -> str:
        return str(self.shape.get("namespace", "default"))

    @property
    def labels(self) -> dict[str, str]:
        return dict(self.shape.get("labels", {}))

    def __repr__(self) -> str:
        return f"<muster.policy.TaskClass {self.index}: {self.request}>"


_OF_CLASSES = _annotated(TaskClass)[0]
