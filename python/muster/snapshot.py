# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Frozen snapshots of a cluster."""

import threading
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from . import _core
from .action import Action, adapted_for
from .errors import expect
from .fields import json_text
from .plan import Plan
from .policy import Policy

_KINDS = ("nodes", "queues", "jobs", "tasks")


def counted(counts: tuple[int, int, int, int]) -> str:
    """How many rows of each kind there are, in words."""
    return ", ".join(
        f"{count} {word if count != 1 else word[:-1]}" for count, word in zip(counts, _KINDS)
    )


def merged(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a cycle: those given, and for the others the defaults of the cluster."""
    options = {name: value for name, value in defaults.items() if value is not None}
    options |= {name: value for name, value in given.items() if value is not None}
    if given.get("turn") is not None:
        options["turn"] = json_text(given["turn"], "turn")
    options.pop("profile", None)
    return options


def chosen(profile: str | None, defaults: Mapping[str, Any]) -> str:
    """The profile that is given, or else that of the cluster's scenario, or else "muster"."""
    return expect(profile or defaults.get("profile") or "muster", str, "profile")


class Snapshot:
    """A frozen cluster: immutable, and safe to schedule from any thread.

    >>> snapshot = cluster.freeze()
    >>> plans = [muster.schedule(snapshot, name) for name in ("muster", "volcano", "kube-batch")]
    """

    def __init__(self, core: _core.Snapshot, defaults: Mapping[str, Any]) -> None:
        self._core, self._defaults = core, dict(defaults)

    @property
    def version(self) -> int:
        return self._core.version

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
        """As muster.schedule."""
        given: dict[str, Any] = {
            "now": now, "seed": seed, "work_budget": work_budget, "time_limit": time_limit
        }
        given |= {"stop": stop, "cursor": cursor, "speed": speed, "memory": memory, "turn": turn}
        options = merged(self._defaults, given)
        profile = chosen(profile, self._defaults)
        adapted = adapted_for(policies, profile)
        return Plan(_core.schedule(self._core, profile, options, adapted), self)

    def __copy__(self) -> "Snapshot":
        return self

    def __deepcopy__(self, memo: Any) -> "Snapshot":
        return self

    def __repr__(self) -> str:
        return f"<muster.Snapshot {counted(self._core.counts)}, version {self.version}>"

    def _repr_html_(self) -> str:
        rows = escape(counted(self._core.counts))
        return f"<div><b>Snapshot</b>: {rows}, version {self.version}</div>"
