# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded calls about the status of workloads and ClusterQueues, about slices of elastic
jobs, LimitRanges, and what LocalQueues used."""

from typing import Any, Callable

import kueue_objects as objects
from adapters.kueue_calls import answered, differs, feature_gates
from adapters.kueue_topology import of_vector
from adapters.kueue_view import state_of
from probe import Probe, Unanswerable
from quantity import parse

Json = dict[str, Any]

CLASSES = {("PriorityClass", "scheduling.k8s.io"): "pod",
           ("WorkloadPriorityClass", "kueue.x-k8s.io"): "workload"}


# --- conditions


def _conditions(workload: Json) -> list[list[Any]]:
    state = state_of(workload)
    return sorted([c["type"], c["holds"], c["reason"], c["time"], c["message"], c["generation"]]
                  for c in state["conditions"])


def _rule(case: Json, now: str, generation: int) -> Json:
    gates = feature_gates(case)
    return {"now": objects.milliseconds(now) or 0, "generation": generation,
            "reasons": gates.get("UnadmittedWorkloadsObservability", True),
            "explicit_status": gates.get("UnadmittedWorkloadsExplicitStatus", False)}


def _rows(answer: Json) -> list[list[Any]]:
    return sorted([c["type"], c["holds"], c["reason"], c["time"], c["message"], c["generation"]]
                  for c in answer["conditions"])


def _sync(case: Json, probe: Probe) -> list[str]:
    """The workload of this test has generation 1. Not all cases look at the time that it ran."""
    state, right = case["state"], case["observed"]
    status = {"conditions": state.get("conditions"), "admission": state.get("admission"),
              "admissionChecks": state.get("checkStates")}
    before = state.get("pastAdmittedTime") or 0
    if before:
        status["accumulatedPastExecutionTimeSeconds"] = before
    ours = probe.kueue_state("sync", state=state_of({"metadata": {}, "status": status}),
                             rule=_rule(case, state["fixtures"]["testTime"], 1))
    lines = differs(ours["changed"], right["change"])
    after = {"metadata": {}, "status": {"conditions": right.get("conditions")}}
    lines += differs(_rows(ours), _conditions(after))
    if right.get("admittedTime") is not None:
        lines += differs(ours["seconds"], right["admittedTime"])
    return lines


def _reserve(case: Json, probe: Probe) -> list[str]:
    asked = case["state"]["args"]
    workload = asked["workload"]
    ours = probe.kueue_state(
        "reserve", state=state_of(workload), queue=asked["admission"]["clusterQueue"],
        rule=_rule(case, case["state"]["fixtures"]["now"], workload["metadata"]["generation"]))
    return differs(_rows(ours), _conditions(answered(case)))


def _waits_again(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_state("waits_again", before=state["prev"], now=state["new"])
    return differs(ours, answered(case))


def _put_off(case: Json, probe: Probe) -> list[str]:
    state, right = case["state"], case["observed"]
    known = (state["workload"].get("status") or {}).get("requeueState") or {}
    ours = probe.kueue_state(
        "put_off", count=known.get("count"), at=objects.milliseconds(known.get("requeueAt")),
        until=objects.milliseconds(state.get("waitUntil")),
        counts=state.get("incrementCount") or False)
    return differs(
        [ours["changed"], ours["count"], ours["at"]],
        [right["updated"], right.get("count"), objects.milliseconds(right.get("requeueAt"))])


def _seconds(text: str | None) -> float | None:
    """Of a duration as Go writes it."""
    if text is None:
        return None
    total, number = 0.0, ""
    units = {"h": 3600, "m": 60, "s": 1}
    for i, c in enumerate(text):
        if c.isdigit() or c == ".":
            number += c
        elif text[i:i + 2] == "ms":
            return total + float(number) / 1000
        else:
            total += float(number) * units[c]
            number = ""
    return total


def _run_time(case: Json, probe: Probe) -> list[str]:
    ours = probe.kueue_state("run_time", state=state_of(case["state"]["wl"]))
    return differs(None if ours is None else ours / 1000, _seconds(answered(case)))


def _class(workload: Json) -> Json:
    told = (workload.get("spec") or {}).get("priorityClassRef") or {}
    kind = CLASSES.get((told.get("kind", ""), told.get("group", "")), "")
    return {"kind": kind, "name": told.get("name", "")}


def _priority_changed(case: Json, probe: Probe) -> list[str]:
    asked: Json = {}
    for key, name in (("before", "oldWorkload"), ("now", "newWorkload")):
        workload = case["state"][name]
        notes = (workload["metadata"].get("annotations") or {})
        asked[key] = _class(workload)
        asked["priority_" + key] = probe.kueue_view(
            "priority", priority=(workload.get("spec") or {}).get("priority") or 0,
            boost=notes.get("kueue.x-k8s.io/priority-boost", ""),
            boosted=feature_gates(case).get("PriorityBoost", False))["priority"]
    return differs(probe.kueue_state("priority_changed", **asked), case["observed"]["changed"])


def _nodes(case: Json, probe: Probe) -> list[str]:
    workload = case["state"].get("wl") or {}
    rows = ((workload.get("status") or {}).get("admission") or {}).get("podSetAssignments") or []
    held = []
    for row in rows:
        assigned = row.get("topologyAssignment")
        if assigned is not None:
            levels = assigned.get("levels") or [""]
            held.append({"hosts": levels[-1] == "kubernetes.io/hostname",
                         "places": objects.places(assigned)})
    ours = probe.kueue_state("nodes", state=state_of(workload), held=held)
    return differs(ours, sorted(answered(case) or []))


# --- counts


def _counts(rows: Any) -> dict[str, int]:
    return {row["name"]: row.get("count", 0) for row in rows or []}


def _same(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_state("same_counts", a=_counts(state.get("a")), b=_counts(state.get("b")))
    return differs(ours, case["observed"]["result"])


def _limit(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_state("limit_counts", a=_counts(state.get("reclaimablePods")),
                             b=_counts(state["fixtures"]["wl"]["spec"]["podSets"]))
    return differs(ours, _counts(answered(case)))


def _replace(case: Json, probe: Probe) -> list[str]:
    asked = case["state"]["args"]
    ours = probe.kueue_state("replace_counts", b=asked.get("counts") or {},
                             a=_counts((asked["wl"].get("spec") or {}).get("podSets")))
    return differs(ours, _counts((answered(case).get("spec") or {}).get("podSets")))


def _fewer(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_state("fewer", a=state.get("c") or {}, b=state["args"].get("in") or {})
    return differs(ours, answered(case))


# --- admission checks


def _flavors_of(queue: Json) -> list[str]:
    groups = (queue.get("spec") or {}).get("resourceGroups") or []
    return [flavor["name"] for group in groups for flavor in group.get("flavors") or []]


def _listed_checks(queue: Json) -> list[Json]:
    strategy = (queue.get("spec") or {}).get("admissionChecksStrategy") or {}
    return strategy.get("admissionChecks") or []


def _checks(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if "cq" not in state:
        raise Unanswerable("the ClusterQueue is one that the test makes for itself")
    admission = (state["wl"].get("status") or {}).get("admission")
    admitted = None
    if admission is not None:
        rows = admission.get("podSetAssignments") or []
        admitted = sorted({f for row in rows for f in (row.get("flavors") or {}).values()})
    checks = [{"name": c["name"], "flavors": c.get("onFlavors") or []}
              for c in _listed_checks(state["cq"])]
    ours = probe.kueue_state("checks", checks=checks, flavors=_flavors_of(state["cq"]),
                             admitted=admitted)
    return differs(ours, sorted(case["observed"].get("admissionChecks") or []))


def readiness(probe: Probe, queue: Json, checks: Json, flavors: Json, topologies: set[str],
              terminating: bool) -> Json:
    """`checks`: name -> (active, controller)."""
    own = _flavors_of(queue)
    rows = []
    for one in _listed_checks(queue):
        known = checks.get(one["name"])
        listed = one.get("onFlavors") or own
        rows.append({"name": one["name"], "found": known is not None,
                     "active": bool(known and known[0]), "controller": known[1] if known else "",
                     "all_flavors": set(listed) == set(own)})
    lost = []
    for name in own:
        topology = ((flavors.get(name) or {}).get("spec") or {}).get("topologyName")
        if topology and topology not in topologies:
            lost.append([name, topology])
    return probe.kueue_state(
        "ready", terminating=terminating, checks=rows, missing_topologies=lost,
        stopped=((queue.get("spec") or {}).get("stopPolicy") or "None") != "None",
        missing_flavors=[name for name in own if name not in flavors])


def _status_differs(ours: Json, right: Json) -> list[str]:
    return differs([ours["reason"], ours["message"]], [right["reason"], right["message"]])


def of_objects(case: Json, kind: str) -> Json:
    return {o["metadata"]["name"]: o for o in case.get("objects") or [] if o["kind"] == kind}


def check_facts(found: Json) -> Json:
    return {name: (objects.is_true(o, "Active"), (o.get("spec") or {}).get("controllerName", ""))
            for name, o in found.items()}


def _ready(case: Json, probe: Probe) -> list[str]:
    state, right = case["state"], case["observed"]
    queue = of_objects(case, "ClusterQueue").get(state["clusterQueueName"])
    if queue is None:
        raise Unanswerable("no queue of this name, which a lookup finds out")
    ours = readiness(probe, queue, check_facts(of_objects(case, "AdmissionCheck")),
                      of_objects(case, "ResourceFlavor"), set(of_objects(case, "Topology")),
                      bool(state.get("terminate")))
    return _status_differs(ours, right) + differs(ours["active"], right["active"])


def _ready_with_topology(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    queues = of_objects(case, "ClusterQueue")
    told = state.get("updatedCq") or state["cq"]
    queue = queues[told["$ref"].rpartition("/")[2]] if "$ref" in told else told
    ours = readiness(probe, queue, check_facts(of_objects(case, "AdmissionCheck")),
                      of_objects(case, "ResourceFlavor"), set(of_objects(case, "Topology")),
                      False)
    return _status_differs(ours, case["observed"])


def _ready_after_checks(case: Json, probe: Probe) -> list[str]:
    """Which state the queue was in before is not recorded; only one that ends stays in it."""
    state, right = case["state"], case["observed"]
    if "terminating" in right["message"]:
        raise Unanswerable("that the ClusterQueue ends is not recorded")
    checks = {name: (row.get("Active", False), row.get("Controller", ""))
              for name, row in (state.get("admissionChecks") or {}).items()}
    flavors = {name: {} for name in _flavors_of(state["cq"])}
    return _status_differs(readiness(probe, state["cq"], checks, flavors, set(), False), right)


# --- slices


def _slice(workload: Json) -> Json:
    notes = (workload["metadata"].get("annotations") or {})
    return {"name": objects.key_of(workload), "replaces": notes.get(objects.REPLACES, ""),
            "reserved": objects.is_true(workload, "QuotaReserved"),
            "evicted": objects.is_true(workload, "Evicted")}


def _survivor(case: Json, probe: Probe) -> list[str]:
    slices = case["state"].get("workloads") or []
    ours = probe.kueue_state("slices", slices=[_slice(w) for w in slices])
    name = "" if ours["current"] is None else slices[ours["current"]]["metadata"]["name"]
    return differs(name, case["observed"].get("want.survivor") or "")


def _granted(case: Json, probe: Probe) -> list[str]:
    slices = [w for w in case["state"].get("workloads") or []
              if not objects.is_true(w, "Finished")]
    slices.sort(key=lambda w: (objects.milliseconds(w["metadata"].get("creationTimestamp")) or 0,
                               w["metadata"].get("uid", "")))
    ours = probe.kueue_state("slices", slices=[_slice(w) for w in slices])
    name = "" if ours["granted"] is None else slices[ours["granted"]]["metadata"]["name"]
    return differs(name, answered(case) or "")


# --- pods and LimitRanges


def _by_name(told: Any) -> dict[str, int]:
    return {name: objects.amount(name, text) for name, text in (told or {}).items()}


def _container(told: Json) -> Json:
    resources = told.get("resources") or {}
    return {"requests": _by_name(resources.get("requests")),
            "limits": _by_name(resources.get("limits"))}


def _pod(spec: Json) -> Json:
    own = spec.get("resources")
    return {"init": [_container(c) for c in spec.get("initContainers") or []],
            "containers": [_container(c) for c in spec.get("containers") or []],
            "own": None if own is None else _container(spec),
            "overhead": _by_name(spec.get("overhead"))}


def _pods(workload: Json) -> list[Json]:
    return [(p.get("template") or {}).get("spec") or {} for p in workload["spec"]["podSets"]]


def _limits(ranges: list[Json]) -> list[Json]:
    return [{"kind": one["type"], "most": _by_name(one.get("max")),
             "least": _by_name(one.get("min")), "standard": _by_name(one.get("default")),
             "standard_request": _by_name(one.get("defaultRequest"))}
            for r in ranges for one in (r.get("spec") or {}).get("limits") or []
            if one["type"] in ("Container", "Pod")]


def _complete(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    classes = {c["metadata"]["name"]: _by_name((c.get("overhead") or {}).get("podFixed"))
               for c in state.get("runtimeClasses") or []}
    lines = []
    for spec, right in zip(_pods(state["wl"]), _pods(case["observed"]["wl"])):
        ours = probe.kueue_state("complete", pod=_pod(spec),
                                 limits=_limits(state.get("limitranges") or []),
                                 overhead=classes.get(spec.get("runtimeClassName"), {}))
        lines += differs(ours, _pod(right))
    return lines


WORDS = {"requests must not exceed its limits": "above_limit",
         "requests must not be above the limitRange max": "above_most",
         "requests must not be below the limitRange min": "below_least"}


def _problems(right: Json) -> list[list[Any]]:
    """Each with the number of its pod set."""
    rows = []
    for error in right.get("error") or []:
        place = error["Field"].partition("podSets[")[2]
        index, _, rest = place.partition("].template.spec")
        rows.append([int(index), WORDS[error["Detail"]], rest.lstrip("."), error["BadValue"]])
    return rows


def _validated(workload: Json, against: str, limits: list[Json], right: Json,
               probe: Probe) -> list[str]:
    rows = []
    for i, spec in enumerate(_pods(workload)):
        rows += [[i, *row] for row in probe.kueue_state(
            "problems", pod=_pod(spec), against=against, limits=limits,
            total=objects.pod_requests(spec))]
    return differs(rows, _problems(right))


def _valid_resources(case: Json, probe: Probe) -> list[str]:
    workload = case["state"]["workloadInfo"]["Obj"]
    return _validated(workload, "limits", [], case["observed"], probe)


def _valid_range(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ranges = [state["limitRange"]] if state.get("limitRange") else []
    return _validated(state["workload"], "ranges", _limits(ranges), case["observed"], probe)


# --- requests


def _logical(case: Json, probe: Probe) -> list[str]:
    """Requests with devices that were counted before, some of which replace other resources."""
    state = case["state"]
    rows = []
    for pod_set in state["workload"]["spec"]["podSets"]:
        name = pod_set["name"]
        pod = objects.pod_requests((pod_set.get("template") or {}).get("spec") or {})
        for gone in (state.get("replacedExtendedResources") or {}).get(name) or []:
            pod.pop(gone, None)
        pod = probe.kueue_view("sum", a=pod,
                               b=_by_name((state.get("draResources") or {}).get(name)))
        rows.append([name, pod_set["count"],
                     probe.kueue_view("changed", request=pod, count=pod_set["count"])])
    right = [[r["Name"], r["Count"], of_vector(r.get("Requests"))]
             for r in case["observed"]["info.TotalRequests"]]
    return differs(rows, right)


def _explicit(case: Json, probe: Probe) -> list[str]:
    wishes = [p.get("topologyRequest") for p in case["state"]["podSets"]]
    ours = any(probe.kueue_state("asks_for_places", request=objects.topology_request(w) or {})
               for w in wishes if w is not None)
    return differs(ours, answered(case))


# --- usage of LocalQueues


def milli(told: Any) -> dict[str, int]:
    return {name: int(parse(text, name) * 1000) for name, text in (told or {}).items()}


def _usage(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_state(
        "usage", consumed=milli(state.get("consumed")), penalty=milli(state.get("penalty")),
        weight=state.get("lqWeight") or 0, weights=state.get("resWeights") or {})
    return differs(ours, case["observed"]["usage"])


def _penalties(case: Json, probe: Probe) -> list[str]:
    ops = [{"workload": op["wl"]} | ({"push": milli(op["push"])} if op.get("push") else {})
           for op in case["state"]["ops"]]
    ours = probe.kueue_state("penalties", ops=ops)
    lines = differs(ours["has"], case["observed"]["has"])
    for name, units in ((case.get("expect") or {}).get("milli") or {}).items():
        lines += differs([name, ours["milli"].get(name, 0)], [name, units])
    return lines


def _penalty_counts(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_state(
        "penalty_counts", configured=bool(state.get("afsConfig"))
        and feature_gates(case).get("AdmissionFairSharing", True),
        by_usage=state.get("admissionMode") == "UsageBasedAdmissionFairSharing",
        reserved=objects.is_true(state["wl"], "QuotaReserved"))
    return differs(ours, answered(case))


TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    "pkg-cache-queue-afs.TestPenaltyBookkeepingIsIdempotentAndExact": _penalties,
    "pkg-cache-scheduler.TestClusterQueueReadiness": _ready,
    "pkg-cache-scheduler.TestClusterQueueReadinessWithTAS": _ready_with_topology,
    "pkg-cache-scheduler.TestClusterQueueUpdateWithAdmissionCheck": _ready_after_checks,
    "pkg-scheduler.TestShouldApplyEntryPenalty": _penalty_counts,
    "pkg-util-admissionfairsharing.TestCalculateUsageWithDRA": _usage,
    "pkg-util-admissionfairsharing.TestCalculateUsageWithNonPositiveWeight": _usage,
    "pkg-workload.TestAdjustResources": _complete,
    "pkg-workload.TestAdmissionChecksForWorkload": _checks,
    "pkg-workload.TestApplyPodSetCounts": _replace,
    "pkg-workload.TestFilterChecksForAdmission": _checks,
    "pkg-workload.TestFromQuotaReservedOrAdmittedToPending": _waits_again,
    "pkg-workload.TestIsExplicitlyRequestingTAS": _explicit,
    "pkg-workload.TestLimitReclaimablePodsToPodSetSizes": _limit,
    "pkg-workload.TestPodSetsCounts_HasFewerReplicasThan": _fewer,
    "pkg-workload.TestReclaimablePodsAreEqual": _same,
    "pkg-workload.TestSetQuotaReservation": _reserve,
    "pkg-workload.TestSetRequeueState": _put_off,
    "pkg-workload.TestSyncAdmittedCondition": _sync,
    "pkg-workload.TestTotalExecutionTime": _run_time,
    "pkg-workload.TestUsedNodes": _nodes,
    "pkg-workload.TestValidateLimitRange": _valid_range,
    "pkg-workload.TestValidateResources": _valid_resources,
    "pkg-workload.TestWithPreprocessedDRAResources": _logical,
    "pkg-workload.TestWithPreprocessedDRAResourcesReplacesExtendedResources": _logical,
    "pkg-workload.TestWorkloadPriorityClassChanged": _priority_changed,
    "pkg-workloadslicing.TestFindLatestActiveWorkload": _granted,
    "pkg-workloadslicing.TestNormalizeActiveSlices": _survivor,
}


def check(case: Json, probe: Probe) -> list[str]:
    """How our answer differs from the recorded one. REQUIRES: the case's test is in TESTS."""
    return TESTS[case["test"]](case, probe)
