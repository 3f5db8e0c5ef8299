# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How Kueue reads a workload, and how it computes with requests: recorded calls of single
functions."""

from typing import Any, Callable

import kueue_objects as objects
from adapters.kueue_calls import answered, differs, feature_gates
from adapters.kueue_topology import amounts, of_vector, places
from probe import Probe, Unanswerable

Json = dict[str, Any]

GATED_BY = "kueue.x-k8s.io/admission-gated-by"
NO_RULE = "a container of amounts, and no rule"
HIDDEN = "what the test does is code of the test"


def _given(case: Json, name: str) -> dict[str, int]:
    """Amounts of the state. Nothing at all, which is not a request of nothing, is not asked."""
    value = case["state"].get(name)
    if value is None:
        raise Unanswerable(NO_RULE)
    return of_vector(value)


# --- requests


def _count(request: str, count: str, limit: str) -> Callable[[Json, Probe], list[str]]:
    def check(case: Json, probe: Probe) -> list[str]:
        state, right = case["state"], case["observed"]
        ours = probe.kueue_view("count", request=of_vector(state.get(request)),
                                capacity=of_vector(state.get("capacity")))
        lines = differs(ours["count"], right[count])
        return lines + (differs(ours["limit"], right[limit]) if limit in right else [])

    return check


def _add_or_sub(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if "op" not in state:
        raise Unanswerable(HIDDEN)
    ask = {"add": "sum", "sub": "difference"}[state["op"]]
    ours = probe.kueue_view(ask, a=of_vector(state.get("base")), b=of_vector(state.get("operand")))
    return differs(ours, of_vector(answered(case)))


def _saturation(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ask = "difference" if state["sub"] else "sum"
    ours = probe.kueue_view(ask, a=of_vector(state.get("start")),
                            b=of_vector(state.get("other")))
    return differs(ours, of_vector(answered(case)))


def _scaled(case: Json, probe: Probe) -> list[str]:
    """Products; of requests that are not negative, as those of pods are."""
    ours = probe.kueue_view("changed", request=_given(case, "req"), count=case["state"]["factor"])
    return differs(ours, of_vector(answered(case)))


def _divided(divisor: str) -> Callable[[Json, Probe], list[str]]:
    def check(case: Json, probe: Probe) -> list[str]:
        ours = probe.kueue_view("changed", request=_given(case, "req"),
                                of=case["state"][divisor], left=1)
        return differs(ours, of_vector(answered(case)))

    return check


def _floored(case: Json, probe: Probe) -> list[str]:
    ours = probe.kueue_view("changed", request=_given(case, "requests"), count=1)
    return differs(ours, of_vector(answered(case)))


def _more(a: str, b: str) -> Callable[[Json, Probe], list[str]]:
    def check(case: Json, probe: Probe) -> list[str]:
        state = case["state"]
        if a not in state and b not in state:
            raise Unanswerable(HIDDEN)
        other = state.get(b)
        other = amounts(other) if b == "rl" else of_vector(other)
        ours = probe.kueue_view("more", a=of_vector(state.get(a)), b=other)
        return differs(ours, answered(case) or [])

    return check


def _amount(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_view("amount", resource=state["resource"], text=state["quantity"])
    return differs(ours, answered(case))


# --- workloads


def state_of(workload: Json) -> Json:
    status = workload.get("status") or {}
    assigned = (status.get("admission") or {}).get("podSetAssignments") or []
    found = [p for one in assigned for p in places(one.get("topologyAssignment")) or []]
    meta = workload.get("metadata") or {}
    created = meta.get("creationTimestamp")
    more: Json = {}
    if status.get("accumulatedPastExecutionTimeSeconds") is not None:
        more["seconds"] = status["accumulatedPastExecutionTimeSeconds"]
    return more | {
        "active": (workload.get("spec") or {}).get("active", True) is not False,
        "gated": bool((meta.get("annotations") or {}).get(GATED_BY)),
        "created": objects.milliseconds(created) or 0,
        "conditions": [
            {"type": c["type"], "reason": c.get("reason", ""), "holds": c["status"] == "True",
             "time": objects.milliseconds(c.get("lastTransitionTime")) or 0,
             "message": c.get("message", ""), "generation": c.get("observedGeneration", 0)}
            for c in status.get("conditions") or []
        ],
        "checks": [check["state"] for check in status.get("admissionChecks") or []],
        "delayed": any(one.get("delayedTopologyRequest") == "Pending"
                       and one.get("topologyAssignment") is None for one in assigned),
        "nodes": [place["values"][-1] for place in found],
        "unhealthy": [node["name"] for node in status.get("unhealthyNodes") or []],
    }


def _priority(case: Json, probe: Probe) -> list[str]:
    """The tests of boosts have the gate on, whatever the record of gates is."""
    workload, right = case["state"]["workload"], case["observed"]
    base = (workload.get("spec") or {}).get("priority") or 0
    notes = (workload.get("metadata") or {}).get("annotations") or {}
    ours = probe.kueue_view("priority", priority=base, boosted=feature_gates(case).get(
        "PriorityBoost", False), boost=notes.get("kueue.x-k8s.io/priority-boost", ""))
    if "boost" in right:
        return differs(ours["priority"] - base, right["boost"])
    return differs(ours["priority"], right["priority"] if "priority" in right else answered(case))


def _queue_time(case: Json, probe: Probe) -> list[str]:
    state = state_of(case["state"]["wl"])
    sorts = feature_gates(case).get("PrioritySortingWithinCohort", True)
    lines = []
    for label in ("value1", "value2"):
        if label not in case["observed"]:
            continue
        # The first assertion is about eviction times, the second about creation times.
        ours = probe.kueue_view("queue_time", state=state, from_eviction=label == "value1",
                                sorts_by_priority=sorts)
        lines += differs(ours, objects.milliseconds(case["observed"][label]))
    return lines


def _on_hold(case: Json, probe: Probe) -> list[str]:
    return differs(probe.kueue_view("on_hold", state=state_of(case["state"]["wl"])), answered(case))


def _second_pass(case: Json, probe: Probe) -> list[str]:
    ours = probe.kueue_view("second_pass", state=state_of(case["state"]["wl"]))
    return differs(ours, answered(case))


def _scaled_down(case: Json, probe: Probe) -> list[str]:
    asked = case["state"].get("args") or {}
    ours = probe.kueue_view("scaled_down", before=asked.get("oldCounts") or {},
                            now=asked.get("newCounts") or {})
    return differs(ours, answered(case))


OPTIONS = "the options of the view are functions of the test"


def _updated(case: Json, probe: Probe) -> list[str]:
    """A view that was made of another workload before."""
    state = case["state"]
    if state.get("initialOptions") or state.get("updateOptions"):
        raise Unanswerable(OPTIONS)
    return differs(_rows(case, state["updated"], probe), _told_rows(case["observed"]["requests"]))


def _totals(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if state.get("infoOptions"):
        raise Unanswerable(OPTIONS)
    return differs(_rows(case, state["workload"], probe),
                    _told_rows(answered(case)["TotalRequests"]))


def _told_rows(told: Any) -> list[list[Any]]:
    return [[r["Name"], r["Count"], of_vector(r.get("Requests"))] for r in told or []]


def _rows(case: Json, workload: Json, probe: Probe) -> list[list[Any]]:
    """What each pod set counts for."""
    status = workload.get("status") or {}
    reclaims = feature_gates(case).get("ReclaimablePods", True)
    done = {r["name"]: r["count"] for r in status.get("reclaimablePods") or []} if reclaims else {}
    pods = (workload.get("spec") or {}).get("podSets") or []
    left = {p["name"]: probe.kueue_view("left", count=p["count"], reclaimed=done.get(p["name"], 0))
            for p in pods}
    rows = []
    for one in (status.get("admission") or {}).get("podSetAssignments") or []:
        count, total = one["count"], amounts(one.get("resourceUsage"))
        if left.get(one["name"], 0) < count:
            total = probe.kueue_view("changed", request=total, of=count, left=left[one["name"]])
            count = left[one["name"]]
        rows.append([one["name"], count, total])
    if not status.get("admission"):
        for p in pods:
            pod = objects.pod_requests(p["template"]["spec"])
            total = probe.kueue_view("changed", request=pod, count=left[p["name"]])
            rows.append([p["name"], left[p["name"]], total])
    return rows


def _no_rule(reason: str) -> Callable[[Json, Probe], list[str]]:
    def check(case: Json, probe: Probe) -> list[str]:
        raise Unanswerable(reason)

    return check


_RESOURCES = "pkg-resources.Test"
TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    _RESOURCES + "CountIn": _count("requests", "result", ""),
    _RESOURCES + "CountInWithLimitingResource": _count("requests", "count", "limitingResource"),
    _RESOURCES + "FloorToZero": _floored,
    _RESOURCES + "GreaterKeys": _more("a", "b"),
    _RESOURCES + "ResourceValueClampsOutsideInt64": _amount,
    _RESOURCES + "SliceRequests_AddAndSub": _add_or_sub,
    _RESOURCES + "SliceRequests_CountIn": _count("request", "cnt", "res"),
    _RESOURCES + "SliceRequests_Divide": _divided("divisor"),
    _RESOURCES + "SliceRequests_GreaterKeys": _more("req", "other"),
    _RESOURCES + "SliceRequests_GreaterKeysRL": _more("req", "rl"),
    _RESOURCES + "SliceRequests_Mul": _scaled,
    _RESOURCES + "SliceRequests_SaturationMatchesMapRequests": _saturation,
    _RESOURCES + "SliceRequests_ScaledDown": _divided("factor"),
    _RESOURCES + "SliceRequests_ScaledUp": _scaled,
    "pkg-util-priority.TestEffectivePriority": _priority,
    "pkg-util-priority.TestParseEffectivePriority": _priority,
    "pkg-util-priority.TestPriority": _priority,
    "pkg-util-priority.TestPriorityBoost": _priority,
    "pkg-workload.TestGetQueueOrderTimestamp": _queue_time,
    "pkg-workload.TestIsOnHold": _on_hold,
    "pkg-workload.TestNeedsSecondPass": _second_pass,
    "pkg-workload.TestNewInfo": _totals,
    "pkg-workload.TestUpdateWithRebuild": _updated,
    "pkg-workloadslicing.TestScaledDown": _scaled_down,
}
for _name in ("MapRequestsGetValue", "MapRequestsIsEmpty", "MapRequestsLen", "RequestsEqual",
              "SliceRequests_Clone", "SliceRequests_Conversion", "SliceRequests_GetValue",
              "SliceRequests_LenAndIsEmpty", "SliceRequests_ResourceList", "SliceRequests_Set",
              "SliceRequests_ToResourceList", "ToMap"):
    TESTS[_RESOURCES + _name] = _no_rule(NO_RULE)
for _name in ("AmountArithmetic", "GreaterKeysRL", "SliceRequests_MergeWithInPlace"):
    TESTS[_RESOURCES + _name] = _no_rule(HIDDEN)
TESTS[_RESOURCES + "ResourceQuantityRoundTrips"] = _no_rule("how amounts are written")


def check(case: Json, probe: Probe) -> list[str]:
    """How our answer differs from the recorded one. REQUIRES: the case's test is in TESTS."""
    return TESTS[case["test"]](case, probe)
