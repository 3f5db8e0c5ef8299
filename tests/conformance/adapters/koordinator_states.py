# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded calls that ask one thing of one object: whether a reservation may serve,
how long a pod warms up, which pods break a disruption budget."""

from typing import Any, Callable

from adapters import koordinator_loads
from probe import Probe, Unanswerable

Json = dict[str, Any]
SECOND = 1_000_000_000


def _object(script: Any, value: Any) -> Any:
    value = script.value(value)
    if not isinstance(value, dict) or "ref" not in value:
        return value
    return next(o["object"] for o in script.case["objects"] if o["ref"] == value["ref"])


def _condition(row: Json, kind: str) -> bool:
    listed = (row.get("status") or {}).get("conditions") or []
    return any(c["type"] == kind and c["status"] == "True" for c in listed)


# --- reservations


def _owners_can_be_read(row: Json) -> bool:
    """A requirement of a set without a set cannot."""
    for owner in (row.get("spec") or {}).get("owners") or []:
        for need in (owner.get("labelSelector") or {}).get("matchExpressions") or []:
            if need["operator"] in ("In", "NotIn") and not need.get("values"):
                return False
    return True


def _available(row: Json, probe: Probe) -> bool:
    status, is_task = row.get("status") or {}, row["kind"] == "Pod"
    node = (row.get("spec") or {}).get("nodeName") if is_task else status.get("nodeName")
    return probe.reservations("available", node=node or "", phase=status.get("phase") or "",
                              task=is_task, ready=_condition(row, "Ready"))


def _serves(script: Any, probe: Probe) -> list[str]:
    out = []
    row = _object(script, script.case["state"]["inputs"]["obj"])
    added = len(script.calls("ReservationInfo.AddAssignedPod"))
    for step in script.calls("ReservationInfo.IsMatchable", "ReservationInfo.IsAvailable"):
        ours = available = _available(row, probe)
        if step["call"].endswith("IsMatchable"):
            once = row["kind"] == "Reservation" and (row.get("spec") or {}).get(
                "allocateOnce") is not False
            ours = probe.reservations("matchable", available=available, allocate_once=once,
                                      owners_can_be_read=_owners_can_be_read(row), tasks=added)
        if ours != script.case["expect"]["want"]:
            out.append(f"step {step['n']}: {ours}, recorded {script.case['expect']['want']}")
    return out


# --- measured load


def _warms_up(script: Any, probe: Probe) -> list[str]:
    """Times of conditions are recorded in whole seconds."""
    out = []
    _, settings = script.variable("args", -1)
    for step in script.calls("podAssignCache.shouldEstimatePodDeadline"):
        args = script.args(step)
        pod = _object(script, args["pod"]) or {"metadata": {}}
        assigned = koordinator_loads.nanoseconds(args["timestamp"])
        asked = koordinator_loads.warming(pod, settings, assigned)
        ours = probe.loads({"warming": asked}, [])
        known, actual = script.variable("actual", step["n"])
        right = koordinator_loads.nanoseconds(actual) if known and actual else None
        pair = [None if one is None else one // SECOND for one in (ours, right)]
        if pair[0] != pair[1]:
            out.append(f"step {step['n']}: {pair[0]}, recorded {pair[1]}")
    return out


# --- budgets


def _spares(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("filterPodsWithPDBViolation"):
        args = script.args(step)
        refs = [script.value(one) for one in args["podInfos"] or []]
        pods = []
        for ref in refs:
            meta = _object(script, ref)["metadata"]
            pods.append([meta.get("namespace") or "", meta["name"], meta.get("labels") or {}])
        budgets = [_object(script, one) for one in args["pdbs"] or []]
        if "DisruptedPods" in script.case["name"] and not any(
                (row.get("status") or {}).get("disruptedPods") for row in budgets):
            raise Unanswerable("the record does not hold the pods that a budget has disrupted")
        named = [row | {"metadata": {"name": f"pdb-{i}"} | row["metadata"]}
                 for i, row in enumerate(budgets)]
        breaking, others = probe.quota_victims("spare", budgets=named, pods=pods)
        ours = [len(breaking), len(others)]
        expect = script.case["expect"]
        recorded = [expect.get(f"want{kind}Count", expect.get(f"want{kind}"))
                    for kind in ("Violating", "NonViolating")]
        if ours != recorded:
            out.append(f"step {step['n']}: {ours}, recorded {recorded}")
        for name, places in (("violating", breaking), ("nonViolating", others)):
            known, listed = script.variable(name, step["n"])
            if known and listed and listed != [refs[i] for i in places]:
                out.append(f"step {step['n']}: {name}: {places}, recorded {listed}")
    return out


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "ReservationInfo.IsAvailable": _serves,
    "ReservationInfo.IsMatchable": _serves,
    "filterPodsWithPDBViolation": _spares,
    "podAssignCache.shouldEstimatePodDeadline": _warms_up,
}


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of one object a script asks, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    found = next((CALLS[call] for call in CALLS if call in calls), None)
    if found is _serves and "inputs" not in script.case["state"]:
        raise Unanswerable("the record does not hold an object that a call was given")
    return found
