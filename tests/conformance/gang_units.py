# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of steps inside gangpreempt and gangreclaim, asked by running the action on a
world of one full node.

A step that chooses bundles of tasks is right when exactly those tasks go once the gang needs as
much as they hold.
"""

from typing import Any, Callable

from amount_units import differences
from book_units import amounts_request
from probe import Probe

Json = dict[str, Any]

NODE = "n"
ASKER_PRIORITY = 1_000_000


def _plan(probe: Probe, world: Json, action: str, whole: bool) -> list[str]:
    """The tasks that the action evicts, in order."""
    words = f"whole_gangs={'on' if whole else 'off'}"
    world = world | {
        "muster": 1,
        "profile": f"volcano:actions=allocate+{action},{action}({words}),tiers=priority+gang(without=preemptable)",
    }
    [decisions] = probe.session(world, [["plan"]])
    return [task for kind, task in decisions if kind == "evict"]


def _full_node(tasks: list[Json]) -> Json:
    """One node that is as large as what runs on it."""
    cpu = sum(int(task["shape"]["request"]["cpu"][:-1]) for task in tasks
              if task["status"] == "running")
    return {"name": NODE, "capacity": {"cpu": f"{cpu}m", "memory": 0}}


def _select_domain(probe: Probe, case: Json, _: bool) -> list[str]:
    """selectDomainBundles(action, session, job..., pending tasks, need, domain): the six of
    gangpreempt are seven in gangreclaim."""
    arguments = case["state"]["args"]
    options, session = arguments[:2]
    action = "gangpreempt" if len(arguments) == 6 else "gangreclaim"
    asker = arguments[-4]["UID"]
    jobs, tasks = [], []
    for uid, job in session["jobs"].items():
        known: Json = {"name": uid, "queue": job["Queue"], "priority": job.get("Priority", 0)}
        known["min_available"] = job.get("MinAvailable", 0)
        marks = job.get("PodGroup", {}).get("metadata", {}).get("annotations", {})
        if "Preemptable" in job or "volcano.sh/preemptable" in marks:
            known["preemptable"] = job.get("Preemptable", False)
        if uid == asker:
            known |= {"min_available": len(job["Tasks"]), "phase": "admitted"}
        jobs.append(known)
        for task in job["Tasks"].values():
            row: Json = {"name": task["UID"], "job": uid, "status": task["Status"].lower()}
            row["priority"] = task.get("Priority", 0)
            row["shape"] = {"request": amounts_request(task["Resreq"])}
            if row["status"] == "running":
                row["node"] = NODE
            tasks.append(row)
    queues = []
    for name in sorted({job["queue"] for job in jobs}):
        spec = (session["queues"].get(name) or {}).get("spec", {})
        queues.append({"name": name, "reclaimable": spec.get("reclaimable", False)})
    world = {"nodes": [_full_node(tasks)], "queues": queues, "jobs": jobs, "tasks": tasks}
    evicted = _plan(probe, world, action, options.get("allowWholeBundle", False))
    chosen = case["observed"]["results"][0] or []
    return differences(sorted(evicted), sorted(t["UID"] for b in chosen for t in b["Tasks"]),
                       "chosen ")


def _select(probe: Probe, case: Json, _: bool) -> list[str]:
    """SelectBundles(bundles, need, whole gangs too). What does not cover the need is no eviction
    here."""
    bundles, need, whole = case["state"]["args"]
    jobs: list[Json] = [
        {"name": "asker", "queue": "q", "priority": ASKER_PRIORITY, "min_available": 1,
         "phase": "admitted"}
    ]
    request = amounts_request(need)
    tasks: list[Json] = [{"name": "asker", "job": "asker", "status": "pending",
                          "shape": {"request": request}}]
    for number, bundle in enumerate(bundles):
        least = len(bundle["Tasks"]) if bundle.get("Type") == 1 else 0
        jobs.append({"name": f"j{number}", "queue": "q", "min_available": least})
        for task in bundle["Tasks"]:
            shape = {"request": amounts_request(task["Resreq"])}
            row = {"name": task["UID"], "job": f"j{number}", "status": "running", "shape": shape}
            tasks.append(row | {"node": NODE})
    world = {"nodes": [_full_node(tasks)], "queues": [{"name": "q"}], "jobs": jobs, "tasks": tasks}
    evicted = _plan(probe, world, "gangpreempt", whole)
    chosen = [task for bundle in case["observed"]["results"][0] for task in bundle["Tasks"]]
    covered = sum(task["Resreq"]["milliCPU"] for task in chosen) >= need["milliCPU"]
    return differences(sorted(evicted), sorted(t["UID"] for t in chosen) if covered else [],
                       "chosen ")


UNITS: dict[str, Callable[[Probe, Json, bool], list[str]]] = {
    "Action.selectDomainBundles": _select_domain,
    "SelectBundles": _select,
}
