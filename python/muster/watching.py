# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The part of a cluster that follows a watch: events in any order, and full listings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np

from . import _core, fields, frames, rows
from .errors import Error, InvalidArgument, expect, text
from .held_rows import HeldRows
from .limits import integer
from .reports import Drift


def objects(values: Sequence[str]) -> np.ndarray:
    return np.array(values, dtype=object)


class Watching:
    """Of muster.Cluster, which has the rows."""

    _core: _core.Cluster
    _rows: HeldRows

    @overload
    def apply_delta(
        self, kind: Literal["node"], generation: int, name: str, **given: Unpack[rows.NodeKeywords]
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["queue"],
        generation: int,
        name: str,
        **given: Unpack[rows.QueueKeywords],
    ) -> str: ...

    @overload
    def apply_delta(
        self, kind: Literal["job"], generation: int, name: str, **given: Unpack[rows.JobKeywords]
    ) -> str: ...

    @overload
    def apply_delta(
        self, kind: Literal["task"], generation: int, name: str, **given: Unpack[rows.TaskKeywords]
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["flavor"],
        generation: int,
        name: str,
        **given: Unpack[rows.FlavorKeywords],
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["partition"],
        generation: int,
        name: str,
        **given: Unpack[rows.PartitionKeywords],
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["reservation"],
        generation: int,
        name: str,
        **given: Unpack[rows.ReservationKeywords],
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["domain"],
        generation: int,
        name: str,
        **given: Unpack[rows.DomainKeywords],
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["budget"],
        generation: int,
        name: str,
        **given: Unpack[rows.BudgetKeywords],
    ) -> str: ...

    @overload
    def apply_delta(
        self,
        kind: Literal["namespace"],
        generation: int,
        name: str,
        **given: Unpack[rows.NamespaceKeywords],
    ) -> str: ...

    def apply_delta(self, kind: str, generation: int, name: str = "", **given: Any) -> str:
        """One event of a watch: apply_delta("node", 17, name="n1", cpu=64). The newest generation
        wins.

        Returns "applied", "stale" (a newer one was seen) or "waiting" (for an object that it
        names).
        """
        generation = integer(generation, "apply_delta: generation")
        kind = text(kind, "apply_delta: kind")
        row = self._row(kind, name, given)
        self._rows.admit_events(f'{kind} "{name}"', [(kind, generation, row)])
        return self._core.apply_delta(generation, kind, row)

    def apply_deltas(self, events: Iterable[Mapping[str, Any]]) -> Any:
        """Events of a watch, each a dict of the arguments of apply_delta; {"kind": "task",
        "generation": 8, "name": "t", "removed": True} is that of an object that is gone.

        Returns a table with a row for each: kind, name, outcome, refusal. An event that breaks a
        rule has the outcome "refused" and the words of the error, and stops no other.
        Plan.explain repeats the words.
        """
        told: list[tuple[str, int, Any]] = []
        refused: dict[int, str] = {}
        heads: list[tuple[str, str]] = []
        for i, event in enumerate(expect(events, Iterable, "deltas")):
            if not isinstance(event, Mapping):
                raise InvalidArgument(f"deltas[{i}]: expected a dict, got {event!r}")
            given = dict(event)
            kind, name = (
                text(given.pop(word, ""), f"deltas[{i}]: {word}") for word in ("kind", "name"))
            heads.append((kind, name))
            generation = given.pop("generation", None)
            if given.pop("removed", False):
                told.append((kind, generation, name))
                continue
            try:
                told.append((kind, generation, self._row(kind, name, given)))
            except Error as failure:  # the engine is told, too: explain repeats its words
                refused[i] = str(failure)
                told.append((kind, generation, {"name": name, **given}))
        self._rows.admit_events("deltas", told)
        results = self._core.apply_deltas(told)
        words = [refused.get(i, why) for i, (_, why) in enumerate(results)]
        return frames.frame({
            "kind": objects([kind for kind, _ in heads]),
            "name": objects([name for _, name in heads]),
            "outcome": objects([outcome for outcome, _ in results]),
            "refusal": objects(words),
        })

    def refused_events(self) -> list[tuple[str, str]]:
        """The newest refused event of each object, as ('task "a/b"', words). One is forgotten once
        a later event of its object is taken."""
        return self._core.refused_events()

    def apply_removal(self, kind: str, generation: int, name: str) -> str:
        """The event that an object is gone; returns as apply_delta. A budget's name is
        "namespace/name", or the name alone in namespace "default"."""
        return self._core.apply_delta(
            integer(generation, "apply_removal: generation"), text(kind, "apply_removal: kind"),
            text(name, "apply_removal: name"))

    def reconcile(self, full: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Drift]:
        """Makes the cluster equal to a full listing of the form of to_dict(), or of keywords.
        Returns what differed."""
        listed = fields.listing(full, self._row)
        held = [listed.get(kind, []) for kind in ("nodes", "queues", "jobs", "tasks")]
        self._rows.admit_all("reconcile", sum(map(len, held)))  # it makes no tasks by count
        return [Drift(*row) for row in self._core.reconcile(listed)]

    def waiting_events(self) -> list[tuple[str, str]]:
        """Objects of events that wait for others, as ('task "a/b"', 'node "n1"'), in the order in
        which they began to."""
        return self._core.waiting_events()

    def _row(self, kind: str, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The row of a kind, from its keywords."""
        build = {
            "node": fields.node,
            "job": fields.job,
            "task": fields.task,
            "reservation": fields.reservation,
        }.get(kind)
        row = build(name, given) if build else {"name": name, **given}
        return fields.long_names(row, self._core.has_resource, f'{kind} "{name}"')
