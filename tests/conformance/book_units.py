# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls on one job or one node: its books, its gates and its phase.

The receiver, as it was before the call, becomes a scenario of one job and one node; the call
becomes questions.
"""

from typing import Any, Callable

import importers
from amount_units import EMPTY, differences
from probe import Probe, Unanswerable

Json = dict[str, Any]

STATUS = {
    "Pending": "pending",
    "Allocated": "placed",
    "Pipelined": "nominated",
    "Binding": "binding",
    "Bound": "bound",
    "Running": "running",
    "Releasing": "releasing",
    "Succeeded": "succeeded",
    "Failed": "failed",
    "Unknown": "unknown",
}
PHASE = {
    "Pending": "pending",
    "Inqueue": "admitted",
    "Running": "running",
    "Unknown": "degraded",
    "Completed": "completed",
}
NODELESS = ("pending", "succeeded", "failed")
NODE, JOB = "n", "j"
ROOMY = {"cpu": "1000", "memory": "1000G", "pods": 1000}


def _is_whole(name: str) -> bool:
    return name == "ephemeral-storage" or name.startswith("hugepages-")


def amounts_request(amounts: Json) -> Json:
    """As a scenario writes it. The record has memory in bytes, pods whole and all else in
    thousandths."""
    out: Json = {"cpu": f"{amounts.get('milliCPU', 0):.0f}m",
                 "memory": int(amounts.get("memory", 0))}
    for name, amount in amounts.get("scalars", {}).items():
        if name == "pods":
            out[name] = int(amount)
        else:
            out[name] = int(amount) // 1000 if _is_whole(name) else f"{amount:.0f}m"
    return out


def _amounts(cells: Json, like: Json) -> Json:
    """The engine's cells in the record's form, with the names of the record and those that are not
    zero."""
    out = {"milliCPU": cells.get("cpu", 0), "memory": cells.get("memory", 0)}
    wanted = like.get("scalars", {})
    scalars = {
        name: amount * (1000 if _is_whole(name) else 1)
        for name, amount in cells.items()
        if name not in ("cpu", "memory") and (amount != 0 or name in wanted)
    }
    # kube-batch counts pods beside its amounts.
    if "pods" not in wanted:
        scalars.pop("pods", None)
    scalars |= {name: 0 for name in wanted.keys() - scalars.keys()}
    return out | ({"scalars": scalars} if "scalars" in like else {})


def _task(name: str, task: Json) -> Json:
    status = STATUS[task["Status"]]
    out: Json = {"name": name, "job": JOB, "status": "pending" if status == "placed" else status}
    request = amounts_request(task.get("Resreq", EMPTY))
    request.pop("pods", None)  # every task takes one
    out["shape"] = {"request": request}
    if out["status"] not in NODELESS:
        out["node"] = NODE
    return out


def _scenario(
    tasks: dict[str, Json], kube_batch: bool, job: Json = {}, room: Json = ROOMY
) -> Json:
    profile = "kube-batch" if kube_batch else "volcano"
    return {
        "muster": 1,
        "nodes": [{"name": NODE, "capacity": room}],
        "queues": [{"name": "default"}],
        "jobs": [{"name": JOB, "queue": "default"} | job],
        "tasks": [_task(name, task) for name, task in sorted(tasks.items())],
        "profile": f"{profile}:tiers=gang",
    }


def _in_sub_groups(scenario: Json, job: Json) -> Json:
    """Tells the scenario's job which sub-groups it has, and its tasks which they are in."""
    members = {
        name: sub["UID"]
        for sub in job.get("SubJobs", {}).values()
        for names in sub["TaskStatusIndex"].values()
        for name in names
    }
    scenario["jobs"][0] |= {
        "sub_groups": [
            {
                "name": sub["UID"],
                "policy": sub["GID"],
                "min_available": sub.get("MinAvailable", 0),
                "order": sub.get("MatchIndex", 0),
            }
            for sub in job.get("SubJobs", {}).values()
        ],
        "sub_group_policies": [
            {"name": name, "min_sub_groups": job.get("MinSubJobs", {}).get(name, 0)}
            for name in sorted({sub["GID"] for sub in job.get("SubJobs", {}).values()})
        ],
    }
    for task in scenario["tasks"]:
        task["sub_group"] = members.get(task["name"], "")
    return scenario


def _moves(tasks: dict[str, Json]) -> list[list[Any]]:
    """What a world cannot hold: tasks that the running cycle has placed."""
    placed = [name for name, task in sorted(tasks.items()) if task["Status"] == "Allocated"]
    return [["move", name, "placed", NODE] for name in placed]


def _holding(tasks: dict[str, Json]) -> dict[str, Json]:
    """Without those that leave from no node: an importer's caller never passes them, and they
    hold nothing."""
    return {
        n: t for n, t in tasks.items() if t["Status"] != "Releasing" or t.get("NodeName")
    }


# --- books


def _change_job(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """AddTaskInfo, DeleteTaskInfo: what the job holds and requests, and how many of its tasks are
    in each status."""
    job, task = case["state"]["args"]
    known = job.get("Tasks", {})
    change = _changes(task["UID"], task, task["UID"] in known)
    # Books are opened for the dimensions there are.
    more = {name: 1000 for name in task.get("Resreq", {}).get("scalars", {}) if name != "pods"}
    scenario = _scenario(known, kube_batch, room=ROOMY | more)
    *_, books = probe.session(scenario, change + [["job", JOB]])
    after = case["observed"].get("argsAfter", case["state"]["args"])[0]
    lines = differences(_amounts(books["allocated"], after["Allocated"]), after["Allocated"],
                        "Allocated.")
    counts = {STATUS[s]: len(tasks) for s, tasks in after["TaskStatusIndex"].items()}
    lines += differences(books["counts"], counts, "tasks ")
    # The peer's total is of all tasks; here what is held and what pending tasks request are two
    # accounts.
    if set(counts) <= {"pending", "bound", "binding", "running", "placed"}:
        both = {
            name: books["allocated"].get(name, 0) + books["pending_of_queue"].get(name, 0)
            for name in books["allocated"].keys() | books["pending_of_queue"].keys()
        }
        total = after["TotalRequest"]
        lines += differences(_amounts(both, total), total, "TotalRequest.")
    return lines


def _changes(name: str, task: Json, known: bool) -> list[list[Any]]:
    if known:
        return [["remove", name]]
    return [["add", {"muster": 1, "tasks": [_task(name, task)]}]]


def _change_node(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """AddTask, RemoveTask, SetNode: what of the node is idle, used, being released and promised."""
    node, argument = case["state"]["args"]
    if any("error" in r for r in case["observed"]["results"] if isinstance(r, dict)):
        raise Unanswerable(
            "the node refuses the task, which a world tells of by not telling of the task")
    after = case["observed"].get("argsAfter", case["state"]["args"])[0]
    room, tasks, ask = amounts_request(node["Allocatable"]), node["Tasks"], []
    if case["state"]["fn"] == "NodeInfo.SetNode":
        room = argument["status"]["allocatable"]
    else:
        name = f"{argument['Namespace']}/{argument['Name']}"
        ask = _changes(name, argument, name in tasks)
    scenario = _scenario(tasks, kube_batch, room=room)
    *_, books = probe.session(scenario, ask + [["node", NODE]])
    lines = []
    for key in ("Idle", "Used", "Releasing") + (() if kube_batch else ("Pipelined",)):
        lines += differences(_amounts(books[key.lower()], after[key]), after[key], f"{key}.")
    return lines


def _missing_minimum(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """GetInqueueResource(job, what it holds)."""
    group, allocated = case["state"]["args"]
    job = {"min_resources": group["PodGroup"]["spec"]["minResources"]}
    # As many tasks as it holds pods; the first has all the amounts.
    pods = int(allocated.get("scalars", {}).get("pods", 1))
    tasks = {f"t{i}": {"Status": "Running", "NodeName": NODE} for i in range(pods)}
    tasks["t0"]["Resreq"] = allocated
    want = case["observed"]["results"][0]
    [missing] = probe.session(_scenario(tasks, kube_batch, job), [["missing_minimum", JOB]])
    return differences(_amounts(missing, want), want)


# --- gates


def _job_gate(question: str) -> Callable[[Probe, Json, bool], list[str]]:
    """A question about a whole job, or about a sub-job that is one."""

    def run(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
        [holder] = case["state"]["args"]
        want = case["observed"]["results"][0]
        index: dict[str, list[str]] = holder["TaskStatusIndex"]
        if "Tasks" in holder:
            tasks = holder["Tasks"]
        else:
            # A sub-job's record has no requests.
            certain = sum(len(v) for s, v in index.items() if STATUS[s] in READY[question])
            need = holder.get("MinAvailable", 0)
            if certain < need <= certain + len(index.get("Pending", [])):
                raise Unanswerable("the record does not say which pending tasks request nothing")
            some = {"Resreq": EMPTY | {"milliCPU": 1}}
            tasks = {t: {"Status": s} | some for s, names in index.items() for t in names}
        tasks = _holding(tasks)
        scenario = _scenario(tasks, kube_batch, {"min_available": holder.get("MinAvailable", 0)})
        return differences(probe.session(scenario, _moves(tasks) + [[question, JOB]])[-1], want)

    return run


READY = {"ready": ("placed", "binding", "bound", "running", "succeeded")}
READY["pipelined"] = READY["ready"] + ("nominated",)


def _phase(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """getPodGroupPhase(job, whether gang found it unschedulable)."""
    job, unschedulable = case["state"]["args"]
    group = job["PodGroup"]
    tasks = _holding(job["Tasks"])
    known = {
        "min_available": group["spec"].get("minMember", 0),
        "phase": PHASE[group.get("status", {}).get("phase", "Pending")],
    }
    scenario = _scenario(tasks, kube_batch, known)
    if unschedulable:
        # gang finds that out itself, from pending tasks that request something; the record's
        # request nothing.
        for task in scenario["tasks"]:
            task["shape"]["request"] = {"cpu": "1m"}
    else:
        scenario["profile"] = "volcano:tiers=priority"
    [phase] = probe.session(scenario, [["phase", JOB]])
    return differences(phase, PHASE[case["observed"]["results"][0]])


def _settled(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """shouldSkipUnschedulableForReleasing(job): a job that lacks tasks only because they are
    leaving runs on."""
    [job] = case["state"]["args"]
    tasks = {
        name: task | {"Resreq": EMPTY | {"milliCPU": 1}}
        for name, task in _holding(job["Tasks"]).items()
    }
    known = {"min_available": job["MinAvailable"], "phase": "running"}
    [phase] = probe.session(_scenario(tasks, kube_batch, known), [["phase", JOB]])
    return differences(phase == "running", case["observed"]["results"][0])


def _scheduled(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """ScheduledTaskNum: a job that needs as many tasks is more than pending, one that needs one
    more is not."""
    [job] = case["state"]["args"]
    phases = []
    for need in (case["observed"]["results"][0], case["observed"]["results"][0] + 1):
        scenario = _scenario(_holding(job["Tasks"]), kube_batch, {"min_available": need})
        scenario["profile"] = "volcano:tiers=priority"
        phases += probe.session(scenario, [["phase", JOB]])
    return differences([p == "pending" for p in phases], [False, True],
                       "pending with as many and one more ")


# --- which node


def _best(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """SelectBestNode, SelectBestNodeAndScore. The peer draws among the best, Muster takes one of
    them."""
    [given] = case["state"]["args"]
    if isinstance(given, list):
        scores = {node["Host"]: node["Score"] for node in given}
    else:
        scores = {node["Name"]: float(score) for score, nodes in given.items() for node in nodes}
    scenario = _scenario({"t": {"Status": "Pending"}}, kube_batch)
    scenario["nodes"] = [{"name": name, "capacity": ROOMY} for name in sorted(scores)]
    [best] = probe.session(scenario, [["best", "t", scores]])
    want = case["observed"]["results"][0]
    name = want["Name"] if isinstance(want, dict) else want
    return differences(scores.get(best), scores.get(name), "the score of the best node ")


# --- fields of a pod group


def _imported(group: Json) -> Json:
    """The scenario of a pod group and its queue."""
    obj = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "ns"} | group.get("metadata", {}),
        "spec": group.get("spec", {}),
    }
    name = group.get("spec", {}).get("queue", "default")
    queue = {"apiVersion": obj["apiVersion"], "kind": "Queue", "metadata": {"name": name}}
    return importers.scenario([obj, queue])


def _pod_group(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """ParseMinMemberInfo, SetPodGroup: the importer reads a pod group afresh whatever it was
    before."""
    group = case["state"]["args"][1]
    group = group.get("PodGroup", group)
    after = case["observed"].get("argsAfter", case["state"]["args"])[0]
    [job] = _imported(group)["jobs"]
    minima = {g["name"]: g["min_available"] for g in job.get("groups", []) if "min_available" in g}
    lines = differences(minima, after.get("TaskMinAvailable", {}), "TaskMinAvailable ")
    if case["state"]["fn"] == "JobInfo.SetPodGroup":
        need = job.get("min_available", 0)
        lines += differences(need, after.get("MinAvailable", 0), "MinAvailable")
        if "queue" in group.get("spec", {}):
            lines += differences(job["queue"], after.get("Queue", ""), "Queue")
    return lines


# --- gangs as wholes


def _bundles(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """CreateJobBundles(job, tasks that may go): those it can spare, then those without which it
    falls apart."""
    job, tasks = case["state"]["args"]
    index = job["TaskStatusIndex"]
    status = {name: s for s, names in index.items() for name in names}
    known = {name: task | {"Status": status[name]} for name, task in job["Tasks"].items()}
    roles = {task["TaskRole"] for task in known.values()}
    minima = job.get("TaskMinAvailable", {})
    groups = [
        {"name": r} | ({"min_available": minima[r]} if r in minima else {}) for r in sorted(roles)
    ]
    scenario = _scenario(
        known, kube_batch, {"min_available": job.get("MinAvailable", 0), "groups": groups}
    )
    for task in scenario["tasks"]:
        task["group"] = known[task["name"]]["TaskRole"]
        task["priority"] = known[task["name"]].get("Priority", 0)
    [bundles] = probe.session(_in_sub_groups(scenario, job),
                              [["bundles", JOB, [t["UID"] for t in tasks]]])
    want = [
        {"whole": b.get("Type", 0) == 1, "tasks": [t["UID"] for t in b["Tasks"]]}
        for b in case["observed"]["results"][0]
    ]
    return differences(bundles, want, "bundles ")


def _best_fit(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """prioritizeNodesForSimulate(session, task, nodes): idle ones before those that will be."""
    _, task, nodes = case["state"]["args"]
    scenario = _scenario({"t": task}, kube_batch)
    scenario["nodes"] = []
    for node in nodes:
        leaving = amounts_request(node["Releasing"])
        idle = {k: node["Idle"][k] + node["Releasing"][k] for k in ("milliCPU", "memory")}
        scenario["nodes"].append({"name": node["Name"],
                                  "capacity": amounts_request(idle) | {"pods": 9}})
        scenario["tasks"].append(
            {
                "name": f"leaves {node['Name']}",
                "status": "releasing",
                "node": node["Name"],
                "shape": {"request": leaving},
            }
        )
    [best] = probe.session(scenario, [["best_fit", "t"]])
    return differences(best, case["observed"]["results"][0]["Name"], "the best node ")


def _pending(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """collectPendingTasksForJobStartup (session, job): all of them; ...ForRunningJob: those of the
    first sub-group."""
    job = case["state"]["args"][1]
    [groups] = probe.session(
        _in_sub_groups(_scenario(job["Tasks"], kube_batch), job), [["pending", JOB]]
    )
    if case["state"]["fn"] == "collectPendingTasksForRunningJob":
        groups = groups[:1]
    names = [name for group in groups for name in group]
    want = [task["UID"] for task in case["observed"]["results"][0] or []]
    return differences(names, want, "pending tasks ")


# --- policies


def _nodes_to_find(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """CalculateNumOfFeasibleNodesToFind(nodes). The record leaves out the percentage, which its
    test sets to 40 or not at all."""
    [nodes] = case["state"]["args"]
    want = case["observed"]["results"][0]
    lines = []
    for percent in (0, 40):
        scenario = _scenario({}, kube_batch)
        scenario["profile"] = f"volcano:tiers=sampling(percent={percent})"
        [answer] = probe.session(scenario, [["nodes_to_find", nodes]])
        lines.append(differences(answer, want, f"with {percent} percent "))
    return min(lines, key=len)


def _group_topology(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """readTopologyFromPgAnnotations(job): what the importer reads, and whether the policy heeds
    it."""
    [job] = case["state"]["args"]
    annotations = job["PodGroup"].get("metadata", {}).get("annotations", {})
    [row] = _imported({"metadata": {"annotations": annotations}})["jobs"]
    wishes = row.get("group_topology", {})
    result, error = case["observed"]["results"]
    if not wishes:
        return differences(None, result)
    tasks = {
        name: {"Status": "Pending", "TaskRole": task["TaskRole"]}
        for name, task in job["Tasks"].items()
    }
    roles = sorted({task["TaskRole"] for task in tasks.values()})
    known = {"groups": [{"name": r} for r in roles], "group_topology": wishes}
    scenario = _scenario(tasks, kube_batch, known)
    for task in scenario["tasks"]:
        task["group"] = tasks[task["name"]]["TaskRole"]
    [holds] = probe.session(scenario, [["wishes_hold", JOB]])
    if not holds:
        return differences(error is not None, True, "an error ")
    want = {"together": "affinity", "apart": "antiAffinity", "order": "taskOrder"}
    return differences({want[k]: v for k, v in wishes.items()}, result, "wishes ")


UNITS: dict[str, Callable[[Probe, Json, bool], list[str]]] = {
    "CreateJobBundles": _bundles,
    "CalculateNumOfFeasibleNodesToFind": _nodes_to_find,
    "collectPendingTasksForJobStartup": _pending,
    "collectPendingTasksForRunningJob": _pending,
    "prioritizeNodesForSimulate": _best_fit,
    "readTopologyFromPgAnnotations": _group_topology,
    "JobInfo.AddTaskInfo": _change_job,
    "JobInfo.DeleteTaskInfo": _change_job,
    "NodeInfo.AddTask": _change_node,
    "NodeInfo.RemoveTask": _change_node,
    "NodeInfo.SetNode": _change_node,
    "GetInqueueResource": _missing_minimum,
    "JobInfo.IsReady": _job_gate("ready"),
    "JobInfo.IsPipelined": _job_gate("pipelined"),
    "JobInfo.IsStarving": _job_gate("starving"),
    "SubJobInfo.IsReady": _job_gate("ready"),
    "SubJobInfo.IsPipelined": _job_gate("pipelined"),
    "getPodGroupPhase": _phase,
    "shouldSkipUnschedulableForReleasing": _settled,
    "SelectBestNode": _best,
    "SelectBestNodeAndScore": _best,
    "JobInfo.ScheduledTaskNum": _scheduled,
    "JobInfo.ParseMinMemberInfo": _pod_group,
    "JobInfo.SetPodGroup": _pod_group,
}
