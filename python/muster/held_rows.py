# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How many rows a cluster may hold, whatever adds them: docs/limits.md.

    >>> rows = HeldRows(core, Limits(rows=1000))
    >>> rows.admit("nodes", 5)       # ResourceExhausted: it would hold more than 1000 then
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _core
from .errors import NotFound, ResourceExhausted
from .limits import Limits

_KINDS = ("node", "queue", "job", "task")


def tasks_of(row: Mapping[str, Any]) -> int:
    """The tasks that the groups of a job's row make. What is no number is refused elsewhere."""
    groups = row.get("groups", ())
    if not isinstance(groups, (list, tuple)):
        return 0
    counts = [group.get("count", 0) for group in groups if isinstance(group, Mapping)]
    return sum(count for count in counts if isinstance(count, int) and count > 0)


def tasks_of_columns(count: Any, jobs: int) -> int:
    """The same of a column `count`, or of one number for all of so many jobs."""
    if isinstance(count, (int, np.integer)):
        return max(int(count), 0) * jobs
    column = np.asarray(count)
    if column.dtype.kind not in "iuf":
        numbers = [cell for cell in column.tolist() if isinstance(cell, (int, float))]
        column = np.array(numbers, dtype=float)
    return int(np.nansum(np.maximum(column.astype(float), 0)).clip(0, 2.0**62))


class HeldRows:
    """Nodes, queues, jobs and tasks of a cluster. Each call costs O(1), or what it is given."""

    def __init__(self, core: _core.Cluster, limits: Limits) -> None:
        self._core, self.limits = core, limits

    def admit(self, place: str, more: int = 1) -> None:
        """Refuses what would make the cluster hold too many rows."""
        rows = sum(self._core.counts) + more
        if more > 0 and rows > self.limits.rows:
            raise ResourceExhausted(
                f"{place}: {rows} rows in all; at most {self.limits.rows} are held")

    def admit_all(self, place: str, rows: int) -> None:
        """Refuses so many rows in place of all that there are."""
        if rows > self.limits.rows:
            raise ResourceExhausted(
                f"{place}: {rows} rows in all; at most {self.limits.rows} are held")

    def admit_events(self, place: str, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Refuses events, each a kind and a row, that would add too many rows."""
        told = list(events)
        if sum(self._core.counts) + sum(map(_most_rows, told)) <= self.limits.rows:
            return  # no need to look which of them are there
        new = {(kind, str(row.get("name"))): _most_rows((kind, row)) for kind, row in told
               if not self._holds(kind, row.get("name"))}
        self.admit(place, sum(new.values()))

    def _holds(self, kind: str, name: Any) -> bool:
        if kind not in _KINDS or not isinstance(name, str):
            return False
        try:
            getattr(self._core, kind)(name)
        except NotFound:
            return False
        return True


def _most_rows(event: tuple[str, Mapping[str, Any]]) -> int:
    kind, row = event
    return (kind in _KINDS) + (tasks_of(row) if kind == "job" else 0)
