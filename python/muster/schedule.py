# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From a cluster or snapshot to a plan, and the lists of what there is to choose from."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core, fields
from .action import Action, adapted_for
from .cluster import Cluster
from .errors import InvalidArgument, expect
from .frames import frame, listing
from .plan import Plan
from .policy import Policy
from .snapshot import Snapshot, chosen


def schedule(
    source: Cluster | Snapshot,
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
    """One scheduling cycle.

    `profile` is a name or spec string: "volcano", "volcano:binpack(weight=5),+preempt";
    muster.profiles() lists them. A snapshot may be scheduled from any number of threads. Nothing
    changes but through Cluster.apply(plan).

    policies     your own, see muster.Policy; those that `profile` does not name go into its last
                 tier. Also your own actions, see muster.Action; they run if `profile` names them
    now          seconds on the clock of `created` and `deadline` of jobs
    work_budget  the cycle ends at a gang boundary once it has done this much; plan.complete is
                 False then, and plan.cursor is what to hand in as `cursor` in the next cycle
    turn         what the cycle is to decide: {"decisions": 3}, the next three;
                 {"heartbeats": ["n1", "n0"]}, nodes that report, in this order; {"event": True},
                 the oldest event that a slot of the memory has not seen
    memory       the memory of an earlier plan (Plan.memory); without it, that of the cluster
    time_limit   seconds of real time; DeadlineExceeded when they pass, and nothing is decided
    stop         a threading.Event: once another thread sets it, the cycle ends at the next gang
                 with Cancelled, and nothing is decided
    speed        switches that change how fast a plan is made and never the plan

    Ctrl-C ends a cycle between two gangs; the cluster is as it was.
    """
    return expect(source, Cluster | Snapshot, "schedule").schedule(
        profile,
        policies=policies,
        now=now,
        seed=seed,
        work_budget=work_budget,
        time_limit=time_limit,
        stop=stop,
        cursor=cursor,
        turn=turn,
        memory=memory,
        speed=speed,
    )


def what_if(
    source: Cluster | Snapshot,
    profile: str | None,
    changes: Iterable[Mapping[str, Any]],
    *,
    policies: Sequence[Policy | Action] = (),
) -> Any:
    """What queues would get if things were different: no cycle runs, and nothing changes.

    >>> muster.what_if(cluster, "muster", [{"queue": {"name": "vision", "weight": 3}}])

    Changes are made in their order; each says one of

    queue         {"name": "vision", "weight": 3, "limit": {"cpu": 64}}; also guaranteed, deserved
    remove_nodes  {"name": "n1"} or {"labels": {"pool": "b"}}: what ran there waits again
    add_nodes     {"count": 4, "cpu": 64}, as for Cluster.add_node
    add_job       {"name": "j", "queue": "vision", "count": 8, "cpu": 2}, as for Cluster.add_job
    remove_job    "j"

    One row a queue: share_before, share_after, and for each dimension such as cpu
    deserved_before.cpu (NaN where the profile has none), deserved_after.cpu, allocated_... and
    pending_..., in the units of Plan.shares. `before` are the shares of a cycle as it opens,
    `after` those of a cluster in which the changes were made.

    `policies` are your own, which `profile` may name. Policies in Python publish no shares, so they
    move no number here; muster.rehearse plans with them.
    """
    profile = chosen(profile, expect(source, Cluster | Snapshot, "what_if")._defaults)
    told = spelled(source, changes)
    adapted = adapted_for(policies, profile)
    if isinstance(source, Cluster):
        return frame(source._core.what_if(profile, told, adapted))
    return frame(_core.what_if(source._core, profile, told, adapted))


def spelled(
    source: Cluster | Snapshot, changes: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """With keywords made fields, as the methods of a cluster do."""
    expect(changes, Iterable, "changes")
    return [_spelled(source, i, change) for i, change in enumerate(changes)]


def _spelled(source: Cluster | Snapshot, number: int, change: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(change, Mapping):
        raise InvalidArgument(f"changes[{number}]: expected a dict, got {change!r}")
    out = dict(change)
    if isinstance(out.get("add_job"), Mapping):
        given = dict(out["add_job"])
        if "name" not in given:
            raise InvalidArgument(f'changes[{number}].add_job: key "name" is missing')
        out["add_job"] = fields.job(given.pop("name"), given)
    if isinstance(out.get("add_nodes"), Mapping):
        given = dict(out["add_nodes"])
        rest = {"count": given.pop("count", 1)}
        if isinstance(given.get("node"), Mapping):
            rest, given = given | rest, dict(given["node"])
        if "node" not in given:
            given = fields.node(given.pop("name", "new"), given)
            out["add_nodes"] = {**rest, "node": given}
    long: dict[str, Any] = fields.long_names(out, source._core.has_resource, f"changes[{number}]")
    return long


def profiles() -> Any:
    """The profiles there are: name, summary, actions, tiers."""
    listed = _core.profiles()
    return listing(
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
    return listing(
        {
            "name": _objects([p["name"] for p in listed]),
            "options": _objects(
                [", ".join(f"{o['name']}={o['default']}" for o in p["options"]) for p in listed]
            ),
        }
    )


def _objects(values: list[str]) -> np.ndarray:
    return np.array(values, dtype=object)
