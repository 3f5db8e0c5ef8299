# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Policies of your own, in NumPy.

    class Spread(muster.Policy):
        name = "spread"

        def score(self, task_class, nodes):            # one call for each task class and cycle
            return 100 * nodes.idle["cpu"] / nodes.allocatable["cpu"]

    plan = cluster.schedule("volcano", policies=[Spread()])

A policy is asked at the points whose methods it has, and combined with the others of the profile by the rule of the
point. One that the profile's spec does not name goes into its last tier; to put it elsewhere, name it:
"volcano:tiers=spread/priority+gang/predicates+proportion".

It is never asked about one task and one node. Answers must depend on nothing but what is shown: the engine asks as
often as it needs to, and a plan is reproducible only if the answers are.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .errors import InvalidArgument, PolicyError

__all__ = ["Jobs", "Nodes", "Policy", "Queues", "TaskClass", "Tasks"]


class Policy:
    """Derive from this, and write the methods of the points you care about. Sizes: n nodes, jobs, queues or tasks.

    Nodes, one call for each task class:
      score(self, task_class, nodes) -> n floats      added to the scores of the other policies; higher is better
      fit(self, task_class, nodes) -> n bools         False: not there. Once for each class and cycle

    Orders; smaller first, equal keys leave the order to the next policy:
      job_order(self, jobs) -> n keys
      queue_order(self, queues) -> n keys
      task_order(self, tasks) -> n keys               within a job

    Gates:
      valid(self, jobs) -> n bools                    False: the job takes no part in the cycle
      admit(self, jobs) -> n bools, or votes -1, 0, 1 False or -1: the job may not ask for nodes yet
      ready(self, jobs) -> n bools                    False: its placements are not decided
      overused(self, queues) -> n bools               True: the queue gets no turn
      allocatable(self, task_class, queues) -> n bools  False: the queue may not take a task of the class

    Victims, one call for each list of candidates:
      victims(self, evictor, tasks) -> n bools or None  who may go for `evictor` (a Tasks of one row); None: no opinion.
      preemptable and reclaimable, where given, are asked instead, within a queue and across queues

    The attributes below say how often, and what is said of it in explanations.
    """

    #: In spec strings and explanations; by default the name of the class in lower case, with hyphens.
    name: str = ""
    #: "frozen": a score is given once for each class and cycle, for the books the cycle found. "node": it is asked
    #: again for the nodes whose books changed.
    score_kind: str = "frozen"
    #: "frozen": job_order and queue_order are given once, when the cycle opens. "live": again once books changed.
    order_kind: str = "frozen"
    #: Said of the nodes that `fit` refuses, after the name.
    refusal: str = ""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "name" not in cls.__dict__ and not cls.name:
            letters = (f"-{c.lower()}" if c.isupper() else c for c in cls.__name__)
            cls.name = "".join(letters).lstrip("-_").replace("_", "-")

    def __repr__(self) -> str:
        points = ", ".join(p for p in (*_POINTS, "victims") if hasattr(type(self), p))
        return f"<muster.Policy {self.name}: {points}>"


_POINTS = (
    "job_order",
    "queue_order",
    "task_order",
    "fit",
    "score",
    "overused",
    "allocatable",
    "valid",
    "ready",
    "admit",
    "preemptable",
    "reclaimable",
)


class _Amounts(Mapping[str, np.ndarray]):
    """Columns by resource: nodes.idle["cpu"]. cpu and devices in thousandths, memory and storage in bytes."""

    def __init__(self, what: str, read: Any, dimensions: Sequence[str]) -> None:
        self._what, self._read, self._dimensions = what, read, dimensions
        self._known: dict[str, np.ndarray] = {}

    def __getitem__(self, dimension: str) -> np.ndarray:
        known = self._known.get(dimension)
        if known is None:
            known = self._read(self._what, dimension)
            known.flags.writeable = False
            self._known[dimension] = known
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._dimensions)

    def __len__(self) -> int:
        return len(self._dimensions)


class _View:
    """Rows with columns that are read when they are asked for, and kept."""

    _COLUMNS: tuple[str, ...] = ()
    _AMOUNTS: tuple[str, ...] = ()

    def __init__(self, core: Any, index: np.ndarray, prefix: str, dimensions: Sequence[str]) -> None:
        self._core, self.index, self._prefix, self._dimensions = core, index, prefix, dimensions

    def __len__(self) -> int:
        return len(self.index)

    def __getattr__(self, name: str) -> Any:
        if name in self._COLUMNS:
            value = getattr(self._core, f"{self._prefix}_column")(name, self.index)
            value.flags.writeable = False
        elif name in self._AMOUNTS:
            read = getattr(self._core, f"{self._prefix}_amounts")
            value = _Amounts(name, lambda w, d: read(w, d, self.index), self._dimensions)
        else:
            columns = ", ".join(("index", *self._COLUMNS, *self._AMOUNTS))
            raise AttributeError(f"{type(self).__name__} has no column {name!r}; it has {columns}")
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        return f"<muster.policy.{type(self).__name__}: {len(self)} rows>"


class Jobs(_View):
    """index, name, queue, phase, priority, created, min_available, tasks, pending, ready, running (numbers of tasks),
    estimate, deadline, waiting_time (NaN where not said); allocated[dimension]."""

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
    """index, name, parent, weight, priority, created, jobs; allocated, pending (with the queues below), guaranteed,
    deserved, limit (infinite where there is none)[dimension]."""

    _COLUMNS = ("name", "parent", "weight", "priority", "created", "jobs")
    _AMOUNTS = ("allocated", "pending", "guaranteed", "deserved", "limit")


class Tasks(_View):
    """index, name, job, queue, node, status, priority, created, task_class; request[dimension]."""

    _COLUMNS = ("name", "job", "queue", "node", "status", "priority", "created", "task_class")
    _AMOUNTS = ("request",)


class Nodes:
    """index, name, label("zone") (None where a node has none); idle, used, releasing, future_idle, requested,
    allocatable[dimension]. Idle pods are infinite where a node sets no limit."""

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

    def label(self, key: str) -> np.ndarray:
        known = self._labels.get(key)
        if known is None:
            known = self._labels[key] = self._core.labels(key)
        return known

    def __repr__(self) -> str:
        return f"<muster.policy.Nodes: {len(self)} rows>"


class TaskClass:
    """All tasks that no policy can tell apart: index, request (by dimension), shape (the fields of TaskShape)."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self.index: int = core.index

    def __getattr__(self, name: str) -> Any:
        if name not in ("request", "shape", "example"):
            raise AttributeError(f"TaskClass has no {name!r}; it has index, request, shape, example")
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


class _Adapter:
    """Asks one policy on behalf of the engine, and checks what it answers."""

    def __init__(self, policy: Policy) -> None:
        if not isinstance(policy, Policy):
            raise InvalidArgument(f"policies: expected a muster.Policy, got {policy!r}")
        self.policy, self.name, self.refusal = policy, policy.name, policy.refusal
        self.score_again = self._word("score_kind", "frozen", "node")
        self.live = self._word("order_kind", "frozen", "live")
        self._cycle: Any = None
        self._dimensions: Sequence[str] = ()
        self._nodes: Nodes | None = None
        victims = hasattr(policy, "victims")
        self._methods: dict[str, Any] = {p: getattr(policy, p, None) for p in _POINTS}
        for point in ("preemptable", "reclaimable"):
            if self._methods[point] is None and victims:
                self._methods[point] = policy.victims  # type: ignore[attr-defined]
        if not any(self._methods.values()):
            raise InvalidArgument(f'policy "{self.name}": it has no method of any extension point')

    def _word(self, attribute: str, first: str, second: str) -> bool:
        value = getattr(self.policy, attribute)
        if value not in (first, second):
            raise InvalidArgument(
                f'policy "{self.name}": {attribute} is {value!r}; must be {first!r} or {second!r}'
            )
        return value == second

    def answers(self, point: str) -> bool:
        return self._methods.get(point) is not None

    def open(self, cycle: Any) -> None:
        self._cycle, self._dimensions, self._nodes = cycle, cycle.dimensions(), None

    # --- nodes

    def score(self, task_class: Any, nodes: Any) -> np.ndarray:
        return self._about_nodes("score", task_class, nodes, "f")

    def fit(self, task_class: Any, nodes: Any) -> np.ndarray:
        return self._about_nodes("fit", task_class, nodes, "b")

    def _about_nodes(self, point: str, core_class: Any, core_nodes: Any, kind: str) -> np.ndarray:
        if core_nodes is not None:
            nodes = Nodes(core_nodes, self._dimensions)
        else:
            if self._nodes is None:
                self._nodes = Nodes(self._cycle.nodes(), self._dimensions)
            nodes = self._nodes
        answer = self._methods[point](TaskClass(core_class), nodes)

        def row(i: int) -> str:
            return f'node "{nodes.name[i]}", task class of "{core_class.example}"'

        return self._checked(point, answer, len(nodes), kind, row)

    # --- orders and gates

    def job_order(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Jobs, "job_order", "job", self._cycle.jobs(), "f")

    def queue_order(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Queues, "queue_order", "queue", self._cycle.queues(), "f")

    def task_order(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Tasks, "task_order", "task", self._cycle.tasks(), "f")

    def valid(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Jobs, "valid", "job", self._cycle.jobs(), "b")

    def ready(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Jobs, "ready", "job", self._cycle.jobs(), "b")

    def admit(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Jobs, "admit", "job", self._cycle.jobs(), "v")

    def overused(self) -> tuple[np.ndarray, np.ndarray]:
        return self._about(Queues, "overused", "queue", self._cycle.queues(), "b")

    def allocatable(self, core_class: Any) -> tuple[np.ndarray, np.ndarray]:
        index = self._cycle.queues()
        queues = Queues(self._cycle, index, "queue", self._dimensions)
        answer = self._methods["allocatable"](TaskClass(core_class), queues)
        values = self._checked(
            "allocatable", answer, len(index), "b", lambda i: f'queue "{queues.name[i]}"'
        )
        return index, values

    def _about(
        self, view: type[_View], point: str, prefix: str, index: np.ndarray, kind: str
    ) -> tuple[np.ndarray, np.ndarray]:
        rows = view(self._cycle, index, prefix, self._dimensions)
        answer = self._methods[point](rows)
        name = lambda i: f'{prefix} "{rows.name[i]}"'  # noqa: E731
        return index, self._checked(point, answer, len(index), kind, name)

    # --- victims

    def preemptable(self, evictor: int, candidates: np.ndarray) -> np.ndarray | None:
        return self._victims("preemptable", evictor, candidates)

    def reclaimable(self, evictor: int, candidates: np.ndarray) -> np.ndarray | None:
        return self._victims("reclaimable", evictor, candidates)

    def _victims(self, point: str, evictor: int, candidates: np.ndarray) -> np.ndarray | None:
        tasks = Tasks(self._cycle, candidates, "task", self._dimensions)
        one = Tasks(self._cycle, np.array([evictor]), "task", self._dimensions)
        answer = self._methods[point](one, tasks)
        if answer is None:
            return None
        return self._checked(
            point, answer, len(candidates), "b", lambda i: f'task "{tasks.name[i]}"'
        )

    # --- what comes back

    def _checked(self, point: str, answer: Any, size: int, kind: str, row: Any) -> np.ndarray:
        """As an array of doubles: kind f is finite numbers, b is bools, v is bools or votes."""
        place = f'policy "{self.name}": {point}'
        try:
            values = np.asarray(answer)
        except ValueError as error:
            raise PolicyError(f"{place}: expected an array of {size} rows: {error}") from None
        if values.shape != (size,):
            raise PolicyError(f"{place}: expected an array of shape ({size},), got {values.shape}")
        if kind == "b" and values.dtype != np.bool_:
            raise PolicyError(f"{place}: expected an array of bool, got {values.dtype}")
        if kind == "v" and values.dtype == np.bool_:
            return np.where(values, 0.0, -1.0)
        if values.dtype.kind not in "fiub":
            raise PolicyError(f"{place}: expected an array of numbers, got {values.dtype}")
        numbers = np.ascontiguousarray(values, dtype=np.float64)
        good = np.isfinite(numbers)
        if not good.all():
            i = int(np.argmin(good))
            raise PolicyError(f"{place}: {numbers[i]} in row {i}: {row(i)}")
        return numbers


def adapt(policies: Sequence[Policy]) -> Any:
    """The form in which the engine takes policies; None for none."""
    if isinstance(policies, Policy):
        raise InvalidArgument("policies: expected a list of policies; write policies=[...]")
    adapters = [_Adapter(policy) for policy in policies]
    return _core.Extensions(adapters) if adapters else None
