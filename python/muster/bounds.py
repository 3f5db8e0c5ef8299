# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How far plans and replays are from the best that there could be.

    plan = cluster.schedule("volcano")
    gap = plan.bound()
    print(f"{gap.placed} of {gap.waiting} placed, no plan places more than {gap.most}")

A bound is never too small, and may be too large: docs/quality.md says how near it is.
"""

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from . import _core
from .errors import InvalidArgument
from .frames import Values, frame
from .notebook import columns, titled

if TYPE_CHECKING:
    from .cluster import Cluster
    from .snapshot import Snapshot


class BoundOptions(TypedDict, total=False):
    """The options of bounds, as BoundOptions of bound.h:

    evictions                       True: tasks that may be evicted count as gone
    node_rules, devices, queue_limits, gangs
                                    False: plans that do not keep these rules count, too
    work                            the most work
    """

    evictions: bool
    node_rules: bool
    devices: bool
    queue_limits: bool
    gangs: bool
    work: int


@dataclass(frozen=True, eq=False)
class Bound(Values):
    """What no plan exceeds: of `waiting` tasks that wait no plan places more than `most`.

    `resources` has a row for each resource (name, requested, most), in thousandths; memory,
    ephemeral-storage and huge pages in bytes, and pods in whole ones. `program` is the linear
    program behind it and the prices that prove it, as BoundProgram of bound.h, for any solver.
    """

    waiting: int
    most: int
    resources: Any
    work: int
    program: dict[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        counted = f": no plan places more than {self.most} of {self.waiting} tasks"
        return titled("Bound", counted, columns(self.resources))


@dataclass(frozen=True, eq=False)
class PlanGap(Bound):
    """A bound beside what a plan places: `placed` tasks, and a column `placed` in `resources`.

    `broken` lists rules that the plan does not keep; the bound is then about plans that need not.
    """

    placed: int = 0
    broken: tuple[str, ...] = ()

    @property
    def gap(self) -> int:
        """How many tasks more another plan could place at most."""
        return self.most - self.placed

    def _repr_html_(self) -> str:
        counted = f": places {self.placed} of {self.waiting} tasks, no plan more than {self.most}"
        rules = "".join(f"<p>not kept: {escape(rule)}</p>" for rule in self.broken)
        return titled("Plan", counted, columns(self.resources), rules)


@dataclass(frozen=True)
class Best:
    """The most tasks that can be placed; `proven` is False where the work was spent before."""

    tasks: int
    proven: bool
    work: int

    def _repr_html_(self) -> str:
        known = "proven" if self.proven else f"not proven with {self.work} work"
        return titled("Best", f": {self.tasks} tasks, {known}")


@dataclass(frozen=True, eq=False)
class TraceBound(Values):
    """Means over `jobs` jobs that no schedule undercuts: of the wait in seconds, and of the bounded
    slowdown. `resource` is what counts of the machine. The prices prove it (trace_bound.h)."""

    jobs: int
    resource: str
    capacity: int
    mean_wait: float
    mean_bounded_slowdown: float
    wait_prices: dict[str, Any] = field(repr=False)
    slowdown_prices: dict[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        means = (f"mean wait {self.mean_wait:.5g} s, mean bounded slowdown "
                 f"{self.mean_bounded_slowdown:.5g}")
        return titled("No schedule", f" of {self.jobs} jobs is below: {means}")


def bound(of: "Cluster | Snapshot", **options: Unpack[BoundOptions]) -> Bound:
    """What no plan of the cluster or snapshot exceeds.

    >>> muster.bound(cluster).most
    """
    told = _core.bound(_frozen(of, "bound"), dict(options))
    return Bound(**{**told, "resources": frame(told["resources"])})


def best(of: "Cluster | Snapshot", **options: Unpack[BoundOptions]) -> Best:
    """The most tasks that can be placed at once, by trying: for worlds of a dozen tasks."""
    return Best(*_core.best(_frozen(of, "best"), dict(options)))


def gap_of(plan: _core.Plan, of: "Cluster | Snapshot", options: BoundOptions) -> PlanGap:
    told = _core.gap(_frozen(of, "bound"), plan, dict(options))
    table = told["resources"]
    columns = {name: table[name] for name in ("name", "requested", "placed", "most")}
    return PlanGap(**{**told, "broken": tuple(told["broken"]), "resources": frame(columns)})


def _frozen(of: "Cluster | Snapshot", place: str) -> _core.Snapshot:
    core = getattr(of, "_core", None)
    if isinstance(core, _core.Cluster):
        return core.freeze()
    if not isinstance(core, _core.Snapshot):
        raise InvalidArgument(f"{place}: expected a Cluster or Snapshot, got {type(of).__name__}")
    return core
