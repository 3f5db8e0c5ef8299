# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Whole cycles of KAI Scheduler, one after the other: its tests, and random clusters.

After each round the status and node of every task are compared, and which tasks share a device.
Then tasks change as the recordings have it: what was evicted or waits for a place is pending again,
and what was bound runs.
"""

from collections import defaultdict
from typing import Any, Callable

from adapters import kai_objects

Case = dict[str, Any]
Plan = dict[str, Any]
Run = Callable[[Case], Plan | str]

ACTIONS = ["allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"]
STATUS = {"Pending": "pending", "Gated": "pending", "Allocated": "binding", "Binding": "binding",
          "Bound": "bound", "Running": "running", "Releasing": "releasing",
          "Pipelined": "nominated", "StuckInReleasing": "unknown", "Succeeded": "succeeded",
          "Failed": "failed"}
HOLDS = {"Allocated", "Pipelined", "Binding", "Bound", "Running", "Releasing",
         "StuckInReleasing"}


class Tasks:
    """What every task is: status, node, and groups of devices in the order of their making."""

    def __init__(self, case: Case) -> None:
        self.state = {name: {"status": own["status"], "node": own.get("node", ""),
                             "groups": list(own.get("gpuGroups", []))}
                      for name, own in case["state"]["tasks"].items()}
        self.order: dict[str, list[str]] = defaultdict(list)  # by node: its groups
        for own in self.state.values():
            if own["status"] not in HOLDS:
                own["node"], own["groups"] = "", []
        for own in sorted(self.state.values(), key=lambda own: own["node"]):
            known = self.order[own["node"]]
            known += [g for g in own["groups"] if g not in known]
        for groups in self.order.values():
            groups.sort()
        self.made = 0

    def devices(self, name: str) -> list[str]:
        """The names of the devices that stand for the task's groups."""
        own = self.state[name]
        known = self.order[own["node"]]
        return [f"g{known.index(group):03}" for group in own["groups"]]

    def forget(self) -> None:
        """Forgets groups without tasks."""
        used = {(own["node"], g) for own in self.state.values() for g in own["groups"]}
        for node, groups in self.order.items():
            groups[:] = [g for g in groups if (node, g) in used]

    def apply(self, plan: Plan) -> None:
        devices: dict[str, list[str]] = defaultdict(list)
        for row in plan.get("devices", []):
            devices[row["task"]].append(row["device"])
        named = {(node, f"g{i:03}"): group for node, groups in self.order.items()
                 for i, group in enumerate(groups)}
        for decision in plan["decisions"]:
            name, kind = decision.get("task"), decision["kind"]
            if kind == "evict":
                self.state[name]["status"] = "Releasing"
            elif kind in ("bind", "nominate"):
                own = self.state[name]
                own["status"] = "Binding" if kind == "bind" else "Pipelined"
                own["node"] = decision["node"]
                own["groups"] = []
                for device in devices[name]:
                    key = (own["node"], device)
                    if key not in named:
                        named[key] = f"~{self.made:06}"
                        self.made += 1
                        self.order[own["node"]].append(named[key])
                    own["groups"].append(named[key])
        for placement in plan["tentative"]:
            own = self.state[placement["task"]]
            own["status"], own["node"] = "Pipelined", placement["node"]

    def pass_on(self, deleted: set[str], job_of: dict[str, str]) -> None:
        for name, own in self.state.items():
            if own["status"] == "Binding":
                own["status"] = "Running"
            elif own["status"] == "Pipelined" or (own["status"] == "Releasing"
                                                  and job_of[name] not in deleted):
                own.update(status="Pending", node="", groups=[])
        self.forget()


def scenario(case: Case, tasks: Tasks, actions: list[str]) -> Case:
    now = case["state"]["now"]
    priorities = {o["metadata"]["name"]: o["value"]
                  for o in kai_objects.of_kind(case, "PriorityClass")}
    pods = kai_objects.of_kind(case, "Pod")
    sharing = sum(int(o["metadata"].get("annotations", {}).get("gpu-fraction-num-devices", 1))
                  for o in pods if {"gpu-fraction", "gpu-memory"}
                  & set(o["metadata"].get("annotations", {})))
    groups = kai_objects.of_kind(case, "PodGroup")
    rank = {name: i for i, name in enumerate(sorted(o["metadata"]["name"] for o in groups))}
    of_task = {name: i for i, name in enumerate(sorted(tasks.state))}
    claimed = kai_objects.claims_of(case)
    legacy = {name for name, own in case["state"]["tasks"].items() if own.get("legacyMig")}
    rows: list[Case] = []
    for o in pods:
        meta = o["metadata"]
        name, own = meta["name"], tasks.state[meta["name"]]
        row: Case = {"name": name, "job": meta["annotations"]["pod-group-name"],
                     "shape": kai_objects.shape(o, name in legacy), "status": STATUS[own["status"]],
                     "uid_rank": of_task[name]}
        if name in claimed:
            row["shape"]["devices"] = [
                {"kind": "gpu", "count": claimed[name], "exclusive": True}]
        group = meta.get("labels", {}).get("kai.scheduler/subgroup-name")
        if group and any(g["metadata"]["name"] == row["job"] and g["spec"].get("subGroups")
                         for g in groups):
            row["sub_group"] = group
        if own["status"] in HOLDS:
            row["node"] = own["node"]
            held = tasks.devices(name)
            if held:
                row["devices"] = [{"device": d, "milli": 1} for d in sorted(held)]
        if own["status"] == "Gated":
            row["gates"] = ["gate"]
        if o.get("status", {}).get("nominatedNodeName"):
            row["nominated_node"] = o["status"]["nominatedNodeName"]
        rows.append(row)
    return {
        "muster": 1,
        "profile": kai_objects.profile(case, actions),
        "options": {"now": 0},
        "nodes": [with_slices(case, kai_objects.node(o, min(sharing, 40)))
                  for o in kai_objects.of_kind(case, "Node")],
        "queues": parents_first([kai_objects.queue(o, now)
                                 for o in kai_objects.of_kind(case, "Queue")]),
        "flavors": [{"name": o["metadata"]["name"],
                     "topology": {"name": o["metadata"]["name"],
                                  "levels": [level["nodeLabel"] for level in o["spec"]["levels"]]}}
                    for o in kai_objects.of_kind(case, "Topology")],
        "jobs": [kai_objects.job(o, priorities, rank[o["metadata"]["name"]], now) for o in groups],
        "tasks": rows,
    }


def with_slices(case: Case, node: Case) -> Case:
    """The node with the devices that resource slices list for it."""
    devices = [f"claimed{i:03}" for o in kai_objects.of_kind(case, "ResourceSlice")
               if o["spec"].get("nodeName") == node["name"]
               for i in range(len(o["spec"]["devices"]))]
    if devices:
        node["devices"] = [{"name": name, "kind": "gpu"} for name in devices]
    return node


def parents_first(queues: list[Case]) -> list[Case]:
    known, ordered = {""}, []
    while len(ordered) < len(queues):
        ready = [q for q in queues if q not in ordered and q.get("parent", "") in known]
        if not ready:
            break
        ordered += ready
        known |= {q["name"] for q in ready}
    return ordered


def actions_of(case: Case) -> list[str]:
    if "actions" in case["config"]:
        return [name.strip() for name in case["config"]["actions"].split(",")]
    if case.get("rounds_kind") == "multi":
        return ACTIONS
    return [a["name"] for a in case["observed"]["rounds"][0]["actions"]]


def shared(state: dict[str, Case], node_of: Callable[[Case], str]) -> dict[str, list[list[str]]]:
    """By node: for each group the tasks that have it, without the group's name."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, own in state.items():
        for group in own.get("gpuGroups", own.get("groups", [])):
            groups[node_of(own), group].append(name)
    by_node: dict[str, list[list[str]]] = defaultdict(list)
    for (node, _), names in groups.items():
        by_node[node].append(sorted(names))
    return {node: sorted(lists) for node, lists in by_node.items()}


def compare(tasks: Tasks, observed: Case, right: dict[str, Case], waiting: set[str]) -> list[str]:
    """`waiting`: tasks that were pending before the round."""
    ops = [(op["op"], op["task"]) for action in observed.get("actions", []) for op in action["ops"]]
    evicted = {task for op, task in ops if op == "evict"}
    promised = {task for op, task in ops if op == "pipeline"}
    lines, gone = [], set()
    for name, own in sorted(right.items()):
        ours = tasks.state[name]
        status, node = own["status"], own.get("node", "")
        if status == "Releasing":
            gone.add(name)  # the devices that it leaves are no decision
            withdrawn = name in waiting and ours["status"] == "Pending"
            # Evicted once more, after it was promised another node: the peer's books have it there.
            withdrawn |= name in promised and ours["status"] == "Releasing"
            # What was evicted for a job that was then not placed is left in the peer's books. It is
            # not evicted in its cluster, nor in ours.
            left = name not in evicted and ours["status"] != "Releasing"
            if withdrawn or left:
                continue
        if (ours["status"], ours["node"]) != (status, node):
            lines.append(f"{name}: {ours['status']} {ours['node']}, recorded {status} {node}")
    if lines:
        return lines
    mine = shared({n: s for n, s in tasks.state.items() if n not in gone}, lambda s: s["node"])
    theirs = shared({n: s for n, s in right.items() if n not in gone},
                    lambda s: s.get("node", ""))
    for node in sorted(mine.keys() | theirs.keys()):
        if mine.get(node) != theirs.get(node):
            lines.append(f"{node}: shared {mine.get(node)}, recorded {theirs.get(node)}")
    return lines


def differences(case: Case, run: Run) -> list[str]:
    tasks = Tasks(case)
    job_of = {o["metadata"]["name"]: o["metadata"]["annotations"]["pod-group-name"]
              for o in kai_objects.of_kind(case, "Pod")}
    deleted = set(case["state"].get("deletedJobs", []))
    actions = actions_of(case)
    right: dict[str, Case] = {}
    for number, observed in enumerate(case["observed"]["rounds"]):
        right = right if observed.get("sameAsPrevious") else observed["tasks"]
        waiting = {n for n, own in tasks.state.items() if own["status"] == "Pending"}
        plan = run(scenario(case, tasks, actions))
        if isinstance(plan, str):
            return [plan]
        tasks.apply(plan)
        lines = compare(tasks, observed, right, waiting)
        if lines:
            return [f"round {number}: {line}" for line in lines]
        for name, own in right.items():
            tasks.state[name]["status"] = own["status"]  # as the peer's books have it
        tasks.pass_on(deleted, job_of)
    return []
