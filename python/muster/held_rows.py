# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How many rows a cluster may hold, whatever adds them: docs/limits.md.

    >>> rows = HeldRows(core, Limits(rows=1000))
    >>> rows.admit("nodes", 5)       # ResourceExhausted: it would hold more than 1000 then
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .errors import ResourceExhausted
from .limits import Limits

_KINDS = ("node", "queue", "job", "task")


def _integer(value: Any) -> int | None:
    """An integer of Python or NumPy, as the engine reads it; None: something else."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def tasks_of(row: Mapping[str, Any]) -> int:
    """The tasks that the groups of a job's row make. What is no number is refused elsewhere."""
    groups = row.get("groups", ())
    if isinstance(groups, (str, bytes, Mapping)) or not hasattr(groups, "__getitem__"):
        return 0
    counts = [_integer(group.get("count", 0)) for group in groups if isinstance(group, Mapping)]
    return sum(count for count in counts if count is not None and count > 0)


def tasks_of_columns(count: Any, jobs: int, empty: Any = 0) -> int:
    """The same of a column `count`, or of one number for all of so many jobs. `empty`: that of a
    job with an empty cell."""
    if (same := _integer(count)) is not None:
        return max(same, 0) * jobs
    column = np.asarray(count)
    if column.dtype.kind not in "iuf":
        # Texts and the like are refused elsewhere.
        numbers = [cell if isinstance(cell, float) else _integer(cell) for cell in column.tolist()]
        column = np.array([np.nan if cell is None else cell for cell in numbers], dtype=float)
    column = column.astype(float)
    missing = np.isnan(column)
    made = int(np.sum(np.maximum(column[~missing], 0)).clip(0, 2.0**62))
    return made + int(missing.sum()) * max(_integer(empty) or 0, 0)


class HeldRows:
    """Nodes, queues, jobs and tasks of a cluster, and of events that wait. Each call costs O(1), or
    what it is given; near the limit also a look at the objects that events were about."""

    def __init__(self, core: _core.Cluster, limits: Limits) -> None:
        self._core, self.limits = core, limits
        self._known = limits.rows  # there are no more; counted anew where it matters

    def admit(self, place: str, more: int = 1) -> None:
        """Refuses what would make the cluster hold too many rows."""
        if more <= 0:
            return
        if self._known + more > self.limits.rows:
            unknown = self.limits.rows + 1
            self._known = self._core.rows_with([], unknown, self.limits.rows)
        self._refuse_above(place, self._known + more)
        self._known += more

    def admit_all(self, place: str, rows: int) -> None:
        """Refuses so many rows in place of all that there are."""
        self._refuse_above(place, rows)
        self._known = self.limits.rows

    def admit_events(self, place: str, events: Sequence[tuple[str, Any, Any]]) -> None:
        """Refuses events, each a kind, a generation and a row or a removed name, that would make
        the cluster hold too many rows after any of them."""
        most = self._known + sum(map(_most_rows, events))
        if most > self.limits.rows:
            most = self._core.rows_with(list(events), self._known, self.limits.rows)
        self._refuse_above(place, most)
        self._known = most

    def _refuse_above(self, place: str, rows: int) -> None:
        if rows > self.limits.rows:
            raise ResourceExhausted(
                f"{place}: {rows} rows in all; at most {self.limits.rows} are held")


def _most_rows(event: tuple[str, Any, Any]) -> int:
    kind, _, row = event
    if kind not in _KINDS or not isinstance(row, Mapping):
        return 0
    return 1 + (tasks_of(row) if kind == "job" else 0)
