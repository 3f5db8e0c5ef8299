# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded searches for flavors of which the record has the queue by other names, or only
what the search returned for one of its parts, and the order of candidates for eviction."""

from typing import Any, Callable

import kueue_objects as objects
from adapters.kueue_calls import differs
from adapters.kueue_plugins import replaced
from probe import Probe, Unanswerable

Json = dict[str, Any]


def _named(reference: Json) -> str:
    return reference["$ref"].rpartition("/")[2]


def _first_queue(case: Json, name: str | None = None) -> str:
    queues = [o["metadata"]["name"] for o in case["objects"] if o["kind"] == "ClusterQueue"]
    if name is not None:
        return name
    if not queues:
        raise Unanswerable("the record does not hold an object that a call was given")
    return queues[0]


def _assign(case: Json, probe: Probe, pod_set: Json, queue: str,
            usage: dict[str, Json] | None = None, old: Json | None = None,
            pins: list[Json] | None = None) -> Json:
    """The search for one pod set of one workload, which may replace another one."""
    state = case["state"]
    workload: Json = {
        "kind": "Workload", "metadata": {"name": "asked", "namespace": "default"},
        "spec": {"podSets": [pod_set], "queueName": "asked"}, "status": {},
    }
    if state.get("allowedFlavors") is not None:
        workload["metadata"]["annotations"] = {
            objects.ALLOWED: ",".join(state["allowedFlavors"])}
    local = {"kind": "LocalQueue", "metadata": {"name": "asked", "namespace": "default"},
             "spec": {"clusterQueue": queue}}
    given = [*case["objects"], local, workload]
    more: Json = {}
    if old is not None:
        given.append(replaced(old, queue))
        more["replaced"] = objects.key_of(given[-1])
    asked = objects.world(case, given)
    oracle = {cell: [told["preemptionPossiblity"], told["borrowingAfterSimulation"]]
              for cell, told in (state.get("simulationResult") or {}).items()}
    op = {"op": "assign", "queue": queue, "workload": "default/asked", "usage": usage or {},
          "oracle": oracle, "pins": pins or []} | more
    return probe.kueue(asked, [op])[0]


def _pods(requests: Json) -> Json:
    return {"name": "main", "count": 1, "template": {"spec": {"containers": [
        {"name": "c", "resources": {"requests": requests}}]}}}


def _no_fit(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    queue = _first_queue(case, _named(state["cq"]) if state.get("cq") else None)
    usage = dict(state.get("siblingCQUsage") or {})
    if state.get("cqUsage"):
        usage[queue] = state["cqUsage"]
    ours = _assign(case, probe, state["podSet"], queue, usage, state.get("replaceWl"))
    reason = ours["reason"] if ours["mode"] == "NoFit" else ""
    return differs(reason, case["observed"]["noFitReason"])


def _bookmark(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    largest = max((objects.amount("cpu", o["status"]["allocatable"]["cpu"])
                   for o in case["objects"] if o["kind"] == "Node"), default=0)
    if "nodeUsage" in state or objects.amount("cpu", state["request"]) > largest:
        raise Unanswerable("flavors with a topology are compared in whole cycles")
    # The topologies of these flavors hold whatever their quotas do.
    case = case | {"objects": [
        o if o["kind"] != "ResourceFlavor" else
        o | {"spec": {k: v for k, v in o["spec"].items() if k != "topologyName"}}
        for o in case["objects"]]}
    queue = _first_queue(case, "cq")
    ours = _assign(case, probe, _pods({"cpu": state["request"]}), queue,
                   {queue: state.get("clusterQueueUsage") or {}})
    flavors = ours["podSets"][0]["flavors"]
    tried = flavors["cpu"]["triedFlavorIdx"] if "cpu" in flavors else None
    theirs = case["observed"]
    return differs([ours["mode"], tried], [theirs["mode"], theirs.get("triedFlavorIdx")])


def _holder(queue: str, flavor: str, node: str, cpu: str) -> Json:
    """An admitted workload of one pod, which is on the node."""
    places = {"levels": ["kubernetes.io/hostname"],
              "slices": [{"domainCount": 1, "podCounts": {"universal": 1},
                          "valuesPerLevel": [{"universal": node}]}]}
    held = {"count": 1, "name": "main", "flavors": {"cpu": flavor}, "resourceUsage": {"cpu": cpu},
            "topologyAssignment": places}
    return {"kind": "Workload", "metadata": {"name": "holder", "namespace": "default"},
            "spec": {"podSets": [_pods({"cpu": cpu})], "queueName": "asked"},
            "status": {"admission": {"clusterQueue": queue, "podSetAssignments": [held]},
                       "conditions": [{"type": "QuotaReserved", "status": "True"}]}}


def _recomputed(case: Json, probe: Probe) -> list[str]:
    """Where the next search begins after a second one in the same cycle, which may use the flavors
    of the first one alone. Between the two the node of that flavor fills up; the record has neither
    what fills it nor the request, so half of a node is requested."""
    state, theirs = case["state"], case["observed"]
    node = next(o for o in case["objects"] if o["kind"] == "Node")
    pod_set = _pods({"cpu": "2"}) | {"topologyRequest": {"required": "kubernetes.io/hostname"}}
    first = _assign(case | {"state": {}}, probe, pod_set, "cq")
    chosen = first["podSets"][0]["flavors"]["cpu"]
    holder = _holder("cq", chosen["name"], node["metadata"]["name"],
                     node["status"]["allocatable"]["cpu"])
    again = _assign(case | {"objects": [*case["objects"], holder]}, probe, pod_set, "cq",
                    {"cq": state.get("quotaUsageAtRecompute") or {}},
                    pins=[{"cpu": chosen["name"]}])
    return differs([first["mode"], chosen["triedFlavorIdx"], again["mode"],
                    again["lastTriedFlavorIdx"][0]["cpu"]],
                   [theirs["value1"], theirs["nominatedIdx"], theirs["value4"],
                    theirs["recomputedIdx"]])


def _selected(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    usage = {"test-clusterqueue": state.get("testClusterQueueUsage") or {},
             "other-clusterqueue": state.get("otherClusterQueueUsage") or {}}
    there = {o["metadata"]["name"] for o in case["objects"] if o["kind"] == "ClusterQueue"}
    if "test-clusterqueue" not in there:
        raise Unanswerable("the record does not hold an object that a call was given")
    usage = {queue: cells for queue, cells in usage.items() if queue in there}
    ours = _assign(case, probe, state["workloadRequests"]["PodSet"], "test-clusterqueue", usage)
    names = {f["name"] for f in ours["podSets"][0]["flavors"].values()}
    theirs = case["observed"]
    return differs([ours["mode"], sorted(names)],
                   [theirs["mode"], [theirs["flavor"]] if theirs.get("flavor") else []])


def _allowed(case: Json, probe: Probe) -> list[str]:
    """Which flavor of a queue without usage the workload gets; the record lacks its request."""
    ours = _assign(case, probe, _pods({"cpu": "2"}), _first_queue(case))
    names = [f["name"] for f in ours["podSets"][0]["flavors"].values()]
    return differs(names, [case["observed"]["flavor"]] if case["observed"].get("flavor") else [])


def _candidates(case: Json, probe: Probe) -> list[str]:
    """Candidates for eviction, in order, for a workload of queue "preemptor"."""
    told = case["state"]["candidates"]
    if any(c.get("LocalQueueFSUsage") for c in told) and \
            len({c["ClusterQueue"] for c in told}) == 1:
        raise Unanswerable("usage of LocalQueues is part of whole searches")
    objs: list[Json] = []
    for name in sorted({c["ClusterQueue"] for c in told} | {"preemptor"}):
        objs.append({"kind": "ClusterQueue", "metadata": {"name": name or "none"},
                     "spec": {"namespaceSelector": {}, "cohortName": "all"}})
    for candidate in told:
        workload = candidate["Obj"]
        meta = workload["metadata"] | {"namespace": ""}
        status = dict(workload.get("status") or {})
        status.setdefault("admission", {"podSetAssignments": []})
        status["admission"] |= {"clusterQueue": candidate["ClusterQueue"] or "none"}
        spec = {"podSets": []} | (workload.get("spec") or {})
        objs.append(workload | {"kind": "Workload", "metadata": meta, "status": status,
                                "spec": spec})
    asked = objects.world(case, objs)
    ours = probe.kueue_rule("candidates", config=asked["config"], scenario=asked["scenario"],
                            facts=asked["facts"], policies=asked["policies"], queue="preemptor")
    return differs([n.rpartition("/")[2] for n in ours], case["observed"]["candidates"])


TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    "pkg-scheduler-flavorassigner.TestAssignFlavorsWithAllowedFlavors": _allowed,
    "pkg-scheduler-preemption.TestCandidatesOrdering": _candidates,
    "pkg-scheduler-flavorassigner.TestFlavorScanRecordsLastTriedFlavorIdx": _bookmark,
    "pkg-scheduler-flavorassigner.TestHierarchical": _selected,
    "pkg-scheduler-flavorassigner.TestRecomputeRecordsLastTriedFlavorIdx": _recomputed,
    "pkg-scheduler-flavorassigner.TestIsNoFitDueToCapacityAndLimits": _no_fit,
    "pkg-scheduler-flavorassigner.TestReclaimBeforePriorityPreemption": _selected,
}


def check(case: Json, probe: Probe) -> list[str]:
    return TESTS[case["test"]](case, probe)
