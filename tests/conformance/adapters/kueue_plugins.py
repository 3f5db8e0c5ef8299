# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded searches for victims and for flavors."""

import copy
from typing import Any

import kueue_objects as objects
from adapters.kueue_topology import of_vector
from probe import Probe

Json = dict[str, Any]


def _groups(case: Json, probe: Probe) -> list[str]:
    """Flavors of pod sets that get one flavor together, and which of them have none for places."""
    state, right = case["state"], case["observed"]
    workload: Json = {
        "kind": "Workload", "metadata": {"name": "asked", "namespace": "default"},
        "spec": {"podSets": state["wlPods"], "queueName": "asked"}, "status": {},
    }
    queue = _named(state["clusterQueue"])
    local = {"kind": "LocalQueue", "metadata": {"name": "asked", "namespace": "default"},
             "spec": {"clusterQueue": queue}}
    asked = objects.world(case, [*case["objects"], local, workload])
    ours = probe.kueue(asked, [{"op": "assign", "queue": queue, "workload": "default/asked"}])[0]
    names = [p["name"] for p in state["wlPods"]]
    flavors, wrong = {}, set()
    for p in ours["podSets"]:
        name = names[p["index"]]
        if p["flavors"]:  # the record has nothing where there are none
            flavors[name] = {r: (f["name"], f["mode"], f["triedFlavorIdx"])
                             for r, f in p["flavors"].items()}
        if p["error"]:
            wrong.add(name)
    theirs = {name: {r: (f["Name"], f["Mode"], f["TriedFlavorIdx"]) for r, f in (row or {}).items()}
              for name, row in (right.get("podSetFlavors") or {}).items() if row}
    lines = [] if flavors == theirs else [f"{flavors}, the peer's {theirs}"]
    if wrong != set(right.get("podSetErrors") or {}):
        lines.append(f"errors {sorted(wrong)}, the peer's {right.get('podSetErrors')}")
    return lines


def check(case: Json, probe: Probe) -> list[str] | None:
    """None where the case is no such search."""
    state = case["state"]
    if "getTargets" in case["observed"] and "now" in state:
        return _victims(case, probe)
    if "wlPods" in state and "podSetFlavors" in case["observed"]:
        return _groups(case, probe)
    if "wlPods" in state and "clusterQueue" in state and "assignment" in case["observed"]:
        return _flavors(case, probe)
    return None


def _victims(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    case = copy.deepcopy(case)
    for obj in case["objects"]:
        if obj["kind"] == "Workload":  # names alone tell these tests' workloads apart
            obj["metadata"].setdefault("namespace", "")
            if (obj["metadata"].get("annotations") or {}).get("muster.test/incoming"):
                obj.pop("status", None)  # what it says of an admission is not in the cache
    lines: list[str] = []
    for call in case["observed"]["getTargets"]:
        config = dict(case["config"])
        if call["fairSharing"]:
            config["fairSharing"] = {"preemptionStrategies": state.get("strategies")}
        asked = objects.world(case | {"config": config}, case["objects"])
        asked["now"] = objects.milliseconds(state["now"]) or 0
        name = next(job["name"] for job in asked["scenario"]["jobs"]
                    if job["name"].rpartition("/")[2] == call["incoming"])
        for job in asked["scenario"]["jobs"]:
            if job["name"] == name:
                job["queue"] = call["clusterQueue"]
                incoming = job
        usage, lacking = _usage(incoming, call["assignment"])
        op = {"op": "find", "queue": call["clusterQueue"], "workload": name, "usage": usage,
              "lacking": lacking}
        ours = probe.kueue(asked, [op])[0]
        mine = sorted((t["workload"], t["reason"]) for t in ours)
        right = sorted((t["workload"], t["reason"]) for t in call["targets"] or [])
        if mine != right:
            lines.append(f"victims {mine}, the peer's {right}")
    return lines


def _usage(job: Json, assignment: list[Json]) -> tuple[Json, list[str]]:
    """What the assignment takes of each cell, and the cells that need evictions."""
    usage: dict[str, int] = {}
    lacking: list[str] = []
    pods = {p["name"]: p for p in job["groups"]}
    for pod_set in assignment:
        request = pods[pod_set["name"]]["shape"]["request"]
        for resource, flavor in (pod_set.get("flavors") or {}).items():
            cell = f"{flavor['name']}/{resource}"
            each = objects.amount(resource, request.get(resource, "0"))
            if resource == "pods":
                each = 1
            usage[cell] = usage.get(cell, 0) + each * pod_set["count"]
            if flavor["mode"] == "Preempt" and cell not in lacking:
                lacking.append(cell)
    return usage, lacking


def _named(reference: Any) -> str:
    return reference["$ref"].rpartition("/")[2]


def _flavors(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    workload: Json = {
        "kind": "Workload", "metadata": {"name": "asked", "namespace": "default"},
        "spec": {"podSets": state["wlPods"], "queueName": "asked"}, "status": {},
    }
    if state.get("wlReclaimablePods"):
        workload["status"]["reclaimablePods"] = state["wlReclaimablePods"]
    config = dict(case["config"])
    if state.get("enableFairSharing"):
        config["fairSharing"] = {}
    queue = _named(state["clusterQueue"])
    local = {"kind": "LocalQueue", "metadata": {"name": "asked", "namespace": "default"},
             "spec": {"clusterQueue": queue}}
    given = [*case["objects"], local, workload]
    more: Json = {}
    if (old := state.get("preemptWorkloadSlice")) is not None:
        given.append(replaced(old, queue))
        more["replaced"] = objects.key_of(given[-1])
    asked = objects.world(case | {"config": config}, given)
    usage = {queue: state.get("clusterQueueUsage") or {}}
    if "secondaryClusterQueue" in state:
        second = _named(state["secondaryClusterQueue"])
        usage[second] = state.get("secondaryClusterQueueUsage") or {}
    oracle = {cell: [told["preemptionPossiblity"], told["borrowingAfterSimulation"]]
              for cell, told in (state.get("simulationResult") or {}).items()}
    op = {"op": "assign", "queue": queue, "workload": "default/asked", "usage": usage,
          "oracle": oracle} | more
    ours = probe.kueue(asked, [op])[0]
    return _differing_flavors(ours, case["observed"])


def replaced(info: Json, queue: str) -> Json:
    """The workload that another one grows out of, with what it was admitted with."""
    pod_sets, assigned = [], []
    for row in info["TotalRequests"]:
        usage = {name: objects.written(name, units)
                 for name, units in of_vector(row.get("Requests")).items()}
        pod_sets.append({"name": row["Name"], "count": row["Count"]})
        assigned.append({"name": row["Name"], "count": row["Count"], "resourceUsage": usage,
                         "flavors": row.get("Flavors") or {}})
    return {"kind": "Workload", "metadata": {"name": "replaced", "namespace": "default"},
            "spec": {"podSets": pod_sets},
            "status": {"admission": {"clusterQueue": queue, "podSetAssignments": assigned}}}


def _differing_flavors(ours: Json, theirs: Json) -> list[str]:
    lines = []
    if ours["mode"] != theirs["repMode"]:
        lines.append(f"mode {ours['mode']}, the peer's {theirs['repMode']}")
    right = theirs["assignment"]
    if ours["borrowing"] != right["Borrowing"]:
        lines.append(f"borrowing {ours['borrowing']}, the peer's {right['Borrowing']}")
    for p, want in zip(ours["podSets"], right["PodSets"]):
        mine = {r: (f["name"], f["mode"], f["triedFlavorIdx"]) for r, f in p["flavors"].items()}
        flavors = {r: (f["Name"], f["Mode"], f["TriedFlavorIdx"])
                   for r, f in (want.get("Flavors") or {}).items()}
        if mine != flavors or p["count"] != want["Count"]:
            lines.append(f"{p['count']} x {mine}, the peer's {want['Count']} x {flavors}")
    used = (right["Usage"].get("Quota") or {}).get("Assigned") or {}
    if ours["mode"] != "NoFit" and ours["usage"] != used:
        lines.append(f"usage {ours['usage']}, the peer's {used}")
    if len(ours["podSets"]) != len(right["PodSets"]):
        lines.append(f"{len(ours['podSets'])} pod sets, the peer's {len(right['PodSets'])}")
    return lines
