# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From a cluster or snapshot to a plan, and the lists of what there is to choose from."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from .cluster import Cluster, Snapshot
from .frames import frame
from .plan import Plan
from .policy import Policy


def schedule(
    source: Cluster | Snapshot,
    profile: str | None = None,
    *,
    policies: Sequence[Policy] = (),
    now: int | None = None,
    seed: int | None = None,
    work_budget: int | None = None,
    deadline: float | None = None,
    cursor: int = 0,
    speed: dict[str, Any] | None = None,
) -> Plan:
    """One scheduling cycle.

    `profile` is a name or spec string: "volcano", "volcano:binpack(weight=5),+preempt"; muster.profiles() lists
    them. A snapshot may be scheduled from any number of threads. Nothing changes but through Cluster.apply(plan).

    policies     your own, see muster.Policy; those that `profile` does not name go into its last tier
    now          seconds on the clock of `created` and `deadline` of jobs
    work_budget  the cycle ends at a gang boundary once it has done this much; plan.complete is False then, and
                 plan.cursor is what to hand in as `cursor` in the next cycle
    deadline     seconds of real time; DeadlineExceeded when they pass, and nothing is decided
    speed        switches that change how fast a plan is made and never the plan

    Ctrl-C ends a cycle between two gangs; the cluster is as it was.
    """
    return source.schedule(
        profile,
        policies=policies,
        now=now,
        seed=seed,
        work_budget=work_budget,
        deadline=deadline,
        cursor=cursor,
        speed=speed,
    )


def profiles() -> Any:
    """The profiles there are: name, summary, actions, tiers."""
    listed = _core.profiles()
    return frame(
        {
            "name": _objects([p["name"] for p in listed]),
            "summary": _objects([p["summary"] for p in listed]),
            "actions": _objects(["+".join(p["actions"]) for p in listed]),
            "tiers": _objects(["/".join("+".join(tier) for tier in p["tiers"]) for p in listed]),
        }
    )


def policies() -> Any:
    """The policies that a profile may name, and their options."""
    listed = _core.policies()
    return frame(
        {
            "name": _objects([p["name"] for p in listed]),
            "options": _objects(
                [", ".join(f"{o['name']}={o['default']}" for o in p["options"]) for p in listed]
            ),
        }
    )


def _objects(values: list[str]) -> np.ndarray:
    return np.array(values, dtype=object)
