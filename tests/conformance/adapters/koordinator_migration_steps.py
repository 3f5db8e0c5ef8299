# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of the migration controller: the steps of one migration, and the
rates at which tasks are evicted."""

import re
from typing import Any

from adapters.koordinator_migration import most_away_of, owner_of
from adapters.koordinator_objects import Json, name_of, resolved
from adapters.koordinator_rebalance import EVICT
from probe import Probe, Unanswerable

Key = tuple[str, str]

# Go's durations.
UNITS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "µs": 10**3, "ns": 1}
DEFAULT_LIMITERS = {"workload": {"Duration": "5m"}}
NO_PART: Json = {}


def _duration(text: Any) -> int:
    parts = re.findall(r"(\d+(?:\.\d+)?)(h|ms|µs|ns|m|s)", text or "")
    return sum(round(float(number) * UNITS[unit]) for number, unit in parts)


# --- rates


def _keys(pod: Json) -> dict[str, str]:
    return {"workload": owner_of(pod).get("uid", ""),
            "namespace": pod["metadata"].get("namespace", "")}


def _per_second(probe: Probe, kind: str, row: Json, replicas: int) -> float:
    most = row.get("MaxMigrating")
    if kind == "namespace":
        most = most if isinstance(most, int) else 0
    else:
        most = most_away_of(probe, replicas, most)
    return most / (_duration(row.get("Duration")) / 10**9)


def rates(script: Any, probe: Probe) -> list[str]:
    """Evictions, each followed by the pause that the test states, and then the question."""
    inputs = script.case["state"].get("inputs") or {}
    [asked] = script.calls("Reconciler.requeueJobIfObjectLimiterFailed")
    limiters = {kind: row
                for kind, row in (inputs.get("objectLimiters") or DEFAULT_LIMITERS).items()
                if _duration(row.get("Duration")) > 0}
    now, ops = 0, []
    for step in script.calls("Reconciler.trackEvictedPod"):
        keys = _keys(resolved(script, script.args(step)["pod"]))
        for kind, row in limiters.items():
            per_second = _per_second(probe, kind, row, inputs.get("totalReplicas", 0))
            if keys[kind] and per_second > 0:
                ops.append({"op": "track", "key": f"{kind} {keys[kind]}", "now": now,
                            "per_second": per_second, "burst": row.get("Burst", 0)})
        now += _duration(inputs.get("sleepDuration"))
    job = resolved(script, script.args(asked)["job"])
    pods = World(script, asked["n"]).pods
    pod = pods.get(name_of(job["spec"]["podRef"]))
    if pod is None:
        raise Unanswerable("the record does not hold an object that a call was given")
    keys = _keys(pod)
    ops += [{"op": "ask", "key": f"{kind} {keys[kind]}", "now": now}
            for kind in limiters if keys[kind]]
    is_free = EVICT in (job["metadata"].get("annotations") or {})
    ours = any(probe.koordinator_scores("rates", ops=ops)) and not is_free
    known, right = script.variable("got", asked["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    return [] if ours == right else [f"waits {ours}, recorded {right}"]


# --- steps


def _condition(row: Json, kind: str) -> Json:
    for one in (row.get("status") or {}).get("conditions") or []:
        if one.get("type") == kind:
            return one
    return NO_PART


class World:
    """What a test has put into its cluster before a step."""

    def __init__(self, script: Any, until: int) -> None:
        self.pods: dict[str, Json] = {}
        self.jobs: dict[str, Json] = {}
        self.reservation: Json | None = None
        self.mode = ""
        deletes = {one["n"] for one in script.checks if one["what"].endswith("Client.Delete()")}
        for step in script.steps:
            if any(n < min(step["n"], until) for n in deletes):
                deletes.clear()
                self.pods.clear()  # the one that there is
            if step["n"] >= until:
                break
            if step.get("set") == "reconciler.args.DefaultJobMode":
                self.mode = step["value"]
            if step.get("call") in ("Writer.Create", "Writer.Update", "SubResourceWriter.Update"):
                self._take(resolved(script, script.args(step).get("obj")) or {})

    def _take(self, made: Json) -> None:
        kind = made.get("kind")
        if kind == "Pod":
            self.pods[name_of(made)] = made
        elif kind == "PodMigrationJob":
            self.jobs[name_of(made)] = made
        elif kind == "Reservation":
            self.reservation = made

    def room(self, row: Json) -> Json:
        status = row.get("status") or {}
        scheduled = _condition(row, "Scheduled")
        bound = (status.get("currentOwners") or [NO_PART])[0]
        pod = self.pods.get(name_of(bound)) if bound else None
        owners = (row.get("spec") or {}).get("owners") or []
        return {
            "phase": status.get("phase") or "Pending",
            "expired": status.get("phase") == "Failed"
            and _condition(row, "Ready").get("reason") == "Expired",
            "scheduled": bool(status.get("nodeName"))
            and scheduled.get("reason") == "Scheduled" and scheduled.get("status") == "True",
            "for_pending": any(set(one) == {"object"} for one in owners),
            "node": status.get("nodeName", ""),
            "bound": bound.get("uid") or (name_of(bound) if bound else ""),
            "bound_ready": pod is None or _condition(pod, "Ready").get("status") == "True",
        }

    def sight(self, job: Json, evicted: Json | None) -> Json:
        """What the controller sees; `evicted`: the pod that it has evicted."""
        spec, ref = job.get("spec") or {}, (job.get("spec") or {}).get("podRef") or {}
        pod = self.pods.get(name_of(ref))
        if self.mode and pod is evicted:
            pod = None  # the evictor of this test deletes it at once
        sight = {"paused": bool(spec.get("paused")), "task_named": bool(ref.get("name")),
                 "reserves": (spec.get("mode") or self.mode) != "EvictDirectly"}
        if pod is not None:
            scheduled = _condition(pod, "PodScheduled")
            sight["task"] = {
                "id": pod["metadata"].get("uid", "") or name_of(pod),
                "node": (pod.get("spec") or {}).get("nodeName", ""),
                "scheduled": scheduled.get("status") == "True",
                "same": evicted is None or evicted["metadata"] == pod["metadata"],
            }
        return sight


def _state(job: Json) -> Json:
    eviction = _condition(job, "Eviction")
    status = job.get("status") or {}
    return {"stage": status.get("phase") or "Pending", "node": status.get("nodeName", ""),
            "evicting": eviction.get("reason") == "Evicting",
            "evicted": eviction.get("status") == "True"}


def _compared(script: Any, step: Json, answer: Json) -> list[str]:
    """The words of the status that the test looks at before it goes on."""
    until = min((one["n"] for one in script.steps if one["n"] > step["n"] and "call" in one
                 and one["call"] != "GetCondition"), default=10**9)
    stage = "" if answer["stage"] == "Pending" else answer["stage"]
    ours = {"job.Status.Phase": stage, "job.Status.Reason": answer["failure"],
            "job.Status.NodeName": answer["node"]}
    return [f"{step['call']}: {one['what']} {ours[one['what']]!r}, recorded {one['actual']!r}"
            for one in script.checks if step["n"] < one["n"] < until and one["what"] in ours
            and ours[one["what"]] != one["actual"]]


def reconciled(script: Any, probe: Probe) -> list[str]:
    """A migration from its beginning: what each round of the controller comes to."""
    out: list[str] = []
    state: Json = {}
    evicted: Json | None = None
    for step in script.calls("Reconciler.Reconcile", "Reconciler.doMigrate"):
        world = World(script, step["n"])
        [job] = list(world.jobs.values())
        sight = world.sight(job, evicted)
        if state.get("reserved") and world.reservation is not None:
            sight["reservation"] = world.room(world.reservation)
        [answer] = probe.koordinator_scores("migration", state=state, sights=[sight])
        was_reserved = state.get("reserved", False)
        state = {key: answer[key] for key in ("stage", "node", "evicting", "evicted")}
        state["reserved"] = was_reserved or answer["act"] == "reserve"
        if answer["act"] == "evict":
            [evicted] = world.pods.values()
        out += _compared(script, step, answer)
    return out


# The parts of a round that tests call: the state that they start from, and the variable they set.
PARTS: dict[str, tuple[Json, str]] = {
    "Reconciler.preparePendingJob": ({"limited": True}, ""),
    "Reconciler.evictPod": ({"reserves": False}, "evicted"),
    "Reconciler.waitForPendingPodScheduled": ({}, ""),
    "Reconciler.waitForPodBindReservation": ({}, "bound"),
    "Reconciler.abortJobIfReserveOnSameNode": ({}, "aborted"),
    "Reconciler.prepareJobWithReservationScheduleSuccess": ({}, ""),
}
ROOM: Json = {"phase": "Available", "expired": False, "scheduled": True, "for_pending": False,
              "node": "", "bound": "", "bound_ready": False}


def _sight_of(script: Any, world: World, step: Json, job: Json) -> Json:
    call, sight = step["call"], world.sight(job, None)
    if call == "Reconciler.waitForPendingPodScheduled":
        sight["reservation"] = ROOM | {"for_pending": True}
    elif room := resolved(script, script.args(step).get("reservationObj")):
        sight["reservation"] = world.room(room) | {"phase": "Available", "scheduled": True}
        if call == "Reconciler.waitForPodBindReservation" and \
                _condition(job, "PodBoundReservation").get("status") == "True":
            sight["reservation"] |= {"bound": "one that was seen before", "bound_ready": True}
    return sight | PARTS[call][0]


def parts(script: Any, probe: Probe) -> list[str]:
    """Single parts of a round, from the status that the job has."""
    out: list[str] = []
    for step in script.calls(*PARTS):
        call = step["call"]
        world, job = World(script, step["n"]), resolved(script, script.args(step)["job"])
        if any(one.get("set") == "expectErr" and step["n"] - one["n"] == 1
               for one in script.steps):
            continue  # an eviction that fails: the caller tries again
        state = _state(job)
        if call != "Reconciler.preparePendingJob":
            state |= {"stage": "Running", "reserved": True}
        if call == "Reconciler.waitForPodBindReservation":
            state["evicted"] = True
        [answer] = probe.koordinator_scores("migration", state=state,
                                            sights=[_sight_of(script, world, step, job)])
        came_to = {"evicted": answer["stage"] == "Succeeded",
                   "bound": answer["stage"] == "Succeeded",
                   "aborted": answer["failure"] == "ForbiddenMigratePod"}
        name = PARTS[call][1]
        known, right = script.variable(name, step["n"]) if name else (False, None)
        if known and came_to[name] != right:
            out.append(f"{call}: {name} {came_to[name]}, recorded {right}")
        out += _compared(script, step, answer)
    return out
