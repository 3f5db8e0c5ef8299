# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of single functions of KAI Scheduler: each becomes a question to the probe, and
the answer is compared with the record. The suite of fair-share divisions is read here, too."""

import math
import re
from datetime import datetime
from typing import Any, Callable

import quantity
from amount_units import differences
from probe import Probe, Unanswerable

Case = dict[str, Any]
Ask = Callable[[str, Case], Any]  # a function's name and arguments to the probe's answer

RESOURCES = ("cpu", "memory", "gpu")
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9,
          "h": 3600 * 10**9}


def nanoseconds(text: str) -> int:
    """What Go's notation of a duration stands for, such as 1m30s."""
    parts = re.findall(r"([\d.]+)(ns|us|µs|ms|s|m|h)", text)
    total = sum(float(number) * _UNITS[unit] for number, unit in parts)
    return round(-total if text.startswith("-") else total)


# --- fair shares


def _shares(queues: Case) -> Case:
    return {name: {r: (queue.get(r) or {}).get("fairShare", 0) for r in RESOURCES}
            for name, queue in queues.items()}


def _divide(ask: Ask, case: Case) -> list[str]:
    answer = ask(case["fn"], case["state"]["in"])
    right = {"fairShare": _shares(case["observed"]["queues"])}
    if "remaining" in case["observed"]:
        right["remaining"] = case["observed"]["remaining"]
    return differences(answer, right)


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _account(written: Case) -> Case:
    names = {"quota": "deserved", "limit": "maxAllowed"}
    return {names.get(name, name): value for name, value in written.items()}


def division(case: Case, probe: Probe) -> list[str]:
    """A case of the suite of divisions: a tree with quotas, and the fair share of each queue."""
    queues = {}
    for queue in case["state"]["queues"]:
        queues[queue["name"]] = {
            "uid": queue["name"],
            "name": queue["name"],
            "parent": queue.get("parentQueue", ""),
            "priority": queue["priority"],
            "created": _seconds(queue["creationTimestamp"]),
        } | {r: _account(queue.get(r) or {}) for r in RESOURCES}
    total = case["state"]["total"]
    answer = probe.kai("setFairShareTree", {
        "k": max(0, case["config"].get("kValue", 1)),
        "total": {"CPU": total.get("cpu", 0), "Memory": total.get("memory", 0),
                  "GPU": total.get("gpu", 0)},
        "queues": queues,
    })
    right = {name: {r: shares.get(r, 0) for r in RESOURCES}
             for name, shares in case["observed"]["fairShare"].items()}
    return differences(answer["fairShare"], right)


# --- queues


ALLOCATED = ("Allocated", "Binding", "Bound", "Running")


def _tasks(group: Case | None) -> list[Case]:
    """All tasks of a job, or of a part of one."""
    if not group:
        return []
    found = list(group.get("tasks") or [])
    for member in [*(group.get("podSets") or []), *(group.get("groups") or [])]:
        found += _tasks(member)
    return found + _tasks(group.get("root"))


def _held(job: Case) -> Case:
    """What the allocated tasks of a job request."""
    held: Case = {}
    for task in _tasks(job):
        if task["status"] in ALLOCATED:
            for name, amount in (task.get("request") or {}).items():
                held[name] = held.get(name, 0) + amount
    return held


def _queue_order(ask: Ask, case: Case) -> list[str]:
    given = dict(case["state"]["in"])
    for side in ("leftVictims", "rightVictims"):
        given[side] = [_held(job) for job in given.get(side) or []]
    return differences(ask(case["fn"], given), case["observed"]["result"])


def _min_runtime(ask: Ask, case: Case) -> list[str]:
    given = dict(case["state"]["in"])
    given["queues"] = dict(given["queues"])
    for key in ("queue", "preemptorQueue", "victimQueue"):
        queue = given.get(key)
        if queue and queue["uid"] not in given["queues"]:
            given["queues"][queue["uid"]] = queue  # a queue that the tree does not know
    answer = ask(case["fn"], given)
    right = {"nanoseconds": nanoseconds(case["observed"]["result"])}
    if "error" in case["observed"]:
        right["error"] = case["observed"]["error"]
    return differences(answer, right)


# --- jobs


def _chunk(ask: Ask, case: Case) -> list[str]:
    answer = ask(case["fn"], case["state"]["in"])
    return differences(answer, case["observed"] | {"tasks": case["observed"]["tasks"] or []})


def _split(ask: Ask, case: Case) -> list[str]:
    answer = ask(case["fn"], case["state"]["in"])
    right = {part: case["observed"][part] or [] for part in ("core", "elastic")}
    return differences(answer, right)


def _easier(ask: Ask, case: Case) -> list[str]:
    # The job that failed before is known from the answer alone.
    given = case["state"]["in"] | {"representative": case["observed"].get("representative")}
    return differences(ask(case["fn"], given), case["observed"]["result"])


def _thousandths(amounts: Case | None) -> dict[str, int]:
    parsed = quantity.parse_map(amounts, "resources")
    return {name: math.ceil(value * 1000) for name, value in parsed.items()}


def _container(container: Case) -> Case:
    requests = (container.get("resources") or {}).get("requests")
    return {"requests": _thousandths(requests),
            "sidecar": container.get("restartPolicy") == "Always"}


def _pod_request(ask: Ask, case: Case) -> list[str]:
    given, task = case["state"]["in"], case["observed"]["task"]
    pod = given["pod"]
    meta, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    answer = ask(case["fn"], {
        "pod": {
            "containers": [_container(c) for c in spec.get("containers") or []],
            "initContainers": [_container(c) for c in spec.get("initContainers") or []],
            "overhead": _thousandths(spec.get("overhead")),
            "annotations": meta.get("annotations") or {},
            "claimed": {},
        },
        "state": {
            "phase": (pod.get("status") or {}).get("phase", ""),
            "deleted": "deletionTimestamp" in meta,
            "node": bool(spec.get("nodeName")),
            "binding": False,
            "gated": bool(spec.get("schedulingGates")),
        },
    })
    right = {"request": task.get("request") or {}, "requestType": task.get("requestType", "")}
    if "gpu" in task:
        right["gpu"] = {"devices": 0, "portion": 0, "memory": 0, "mig": {}} | task["gpu"]
    if not given.get("hasOptions"):  # a bind request is not recorded, but makes the pod a bound one
        right["status"] = task["status"]
    answer["request"] = {name: amount for name, amount in answer["request"].items() if amount}
    return differences({key: answer[key] for key in right}, right)


# --- nodes


def _device_score(ask: Ask, case: Case) -> list[str]:
    score = ask(case["fn"], case["state"]["in"])["score"]
    if "error" in case["observed"]:
        node = case["state"]["in"]["node"]["name"]
        text = f"node <{node}> has invalid GPU memory" if score is None else ""
        return differences(text, case["observed"]["error"], "error")
    return differences(score, case["observed"]["result"])


def _is_partial(node: Case) -> bool:
    """Devices are known, but not what tasks share of them."""
    return "gpuMemory" in node and "sharedGpus" not in node and node.get("used") is None


def _nodes(ask: Ask, case: Case) -> list[str]:
    """Which nodes a job may go to. What shared devices have left is missing in some records: of
    such nodes only those of jobs that may go anywhere are compared."""
    nodes = case["state"]["in"]["nodes"]
    partial = {node["name"] for node in nodes if _is_partial(node)}
    ours, theirs = ask(case["fn"], case["state"]["in"]), case["observed"]["nodes"] or []
    if len(ours) == len(nodes):
        partial = set()
    return differences(*([n for n in names if n not in partial] for names in (ours, theirs)))


def _amounts(amounts: Case) -> dict[str, float]:
    """Of a zone, in the units of requests."""
    found = {}
    for name, value in amounts.items():
        scale = 1000 if name == "cpu" else 1
        short = "gpu" if name.endswith("gpu") else name
        found[short] = float(quantity.parse(value, name) * scale)
    return found


def _numa(ask: Ask, case: Case) -> list[str]:
    answer = ask(case["fn"], case["state"]["in"])
    placement = [{"zone": row["zone"], "amount": _amounts(row["amount"])}
                 for row in case["observed"]["placement"] or []]
    return differences(answer, {"admit": case["observed"]["admit"], "placement": placement})


def _subset(ask: Ask, case: Case) -> list[str]:
    answer = ask(case["fn"], case["state"]["in"])
    right = {key: case["observed"].get(key) or default
             for key, default in (("nodeSets", []), ("fitErrors", []), ("scores", {}))}
    if "error" in case["observed"]:
        right["error"] = case["observed"]["error"]
    return differences(answer, right)


def _tree(written: Case | None) -> Case | None:
    """What the calls change of a tree of domains."""
    if written is None:
        return None
    read = {key: written[key] for key in ("id", "allocatablePods")}
    if written.get("children"):
        read["children"] = [_tree(child) for child in written["children"]]
    return read


def _domains(ask: Ask, case: Case) -> list[str]:
    answer = ask(case["fn"], case["state"]["in"])
    return differences(answer, _tree(case["observed"].get("tree")))


def _scores(ask: Ask, case: Case) -> list[str]:
    return differences(ask(case["fn"], case["state"]["in"]), case["observed"]["scores"] or {})


def _common(ask: Ask, case: Case) -> list[str]:
    right = case["observed"] | {"validNodes": sorted(case["observed"]["validNodes"] or [])}
    return differences(ask(case["fn"], case["state"]["in"]), right)


def _job_order(ask: Ask, case: Case) -> list[str]:
    given, observed = case["state"]["in"], case["observed"]
    known = {f"{job['uid']}/{job['name']}" for job in given["jobs"].values()}
    pushed = observed["initialPushes"] or []
    ops = observed["ops"] or []
    if not {*pushed, *(op.partition(" ")[2] for op in ops)} <= known:
        raise Unanswerable("a job that the test pushes itself is not recorded")
    return differences(ask(case["fn"], given | {"pushed": pushed, "ops": ops}), ops)


def _without_tree(ask: Ask, case: Case) -> list[str]:
    raise Unanswerable("the topology that the call reads is not recorded")


def _resource_type(ask: Ask, case: Case) -> list[str]:
    if not case["state"]["in"]["task"].keys() & {"request", "gpu", "requestType"}:
        raise Unanswerable("devices that resource claims stand for are not recorded")
    return _plain(ask, case)


def _plain(ask: Ask, case: Case) -> list[str]:
    return differences(ask(case["fn"], case["state"]["in"]), case["observed"]["result"])


COMPARE: dict[str, Callable[[Ask, Case], list[str]]] = {
    "CanReclaimResources": _plain,
    "FeasibleNodesForJob": _nodes,
    "FilterVictim": _plain,
    "GetQueueOrderResult": _queue_order,
    "GetTasksToAllocate": _chunk,
    "GetTasksToEvict": _chunk,
    "GuaranteeDeservedQuotaStrategy": _plain,
    "IsEasierToSchedule": _easier,
    "IsJobOverQueueCapacity": _plain,
    "IsNonPreemptibleJobOverQuota": _plain,
    "IsTaskAllocationOnNodeOverCapacity": _plain,
    "JobsOrderByQueues": _job_order,
    "MaintainFairShareStrategy": _plain,
    "NewTaskInfo": _pod_request,
    "Reclaimable": _plain,
    "SetResourcesShare": _divide,
    "SubGroupOrderFn": _plain,
    "calcTreeAllocatable": _domains,
    "calculateNodeScores": _scores,
    "divideOverQuotaResource": _divide,
    "elastic.JobOrderFn": _plain,
    "getJobAllocatableDomains": _without_tree,
    "getPreemptMinRuntime": _min_runtime,
    "getReclaimMinRuntime": _min_runtime,
    "gpupack.gpuOrderFn": _device_score,
    "gpuspread.gpuOrderFn": _device_score,
    "kubeflow.TaskOrderFn": _plain,
    "lowestCommonDomainID": _common,
    "nodeavailability.nodeOrderFn": _plain,
    "nodeplacement.nodeOrderFn": _plain,
    "nominatednode.nodeOrderFn": _plain,
    "numa.solve": _numa,
    "preemptFilterFn": _plain,
    "preemptScenarioValidatorFn": _plain,
    "ray.TaskOrderFn": _plain,
    "reclaimFilterFn": _plain,
    "reclaimScenarioValidatorFn": _plain,
    "resourcetype.nodeOrderFn": _resource_type,
    "resultsOverLimit": _plain,
    "resultsWithNonPreemptibleOverQuota": _plain,
    "setFairShareTree": _divide,
    "setResourceShare": _divide,
    "sortTree": _domains,
    "splitVictimTasks": _split,
    "subSetNodesFn": _subset,
    "taskorder.TaskOrderFn": _plain,
}


def single(case: Case, probe: Probe) -> list[str]:
    """How our answer to a recorded call, or to a division, differs from the record."""
    if "fn" not in case:
        return division(case, probe)
    if case["fn"] not in COMPARE:
        return [f"{case['fn']} is no function that kai_units.py knows"]
    return COMPARE[case["fn"]](probe.kai, case)
