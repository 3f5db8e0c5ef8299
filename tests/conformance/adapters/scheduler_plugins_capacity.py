# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Elastic quotas of namespaces: the random suites, and the recorded scripts of the plug-in's own
tests."""

import json
import math
from datetime import datetime
from typing import Any

import importers
import quantity
from probe import Probe

Case = dict[str, Any]

LARGEST = 2**63 - 1
# How the peer writes an amount of each resource.
FIELDS = {
    "MilliCPU": "cpu",
    "Memory": "memory",
    "EphemeralStorage": "ephemeral-storage",
    "AllowedPodNumber": "pods",
}


def whole(values: dict[str, Any]) -> dict[str, int]:
    out = {name: math.ceil(v * 1000 if name == "cpu" else v) for name, v in values.items()}
    return {name: min(value, LARGEST) for name, value in out.items()}


def amounts(values: dict[str, Any] | None) -> dict[str, int]:
    return whole(quantity.parse_map(values, "resources"))


def charge(pod: dict[str, Any]) -> dict[str, int]:
    """What a quota counts: containers side by side, or one that runs before them, sidecars among
    these."""
    spec = pod["spec"]

    def requests(container: dict[str, Any]) -> dict[str, Any]:
        return quantity.parse_map((container.get("resources") or {}).get("requests"), "requests")

    total: dict[str, Any] = {}
    for container in spec.get("containers") or []:
        total = quantity.add(total, requests(container))
    for container in spec.get("initContainers") or []:
        total = quantity.maximum(total, requests(container))
    return whole(quantity.add(total, quantity.parse_map(spec.get("overhead"), "overhead")))


def seconds(text: str | None) -> int:
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()) if text else 0


def task(pod: dict[str, Any]) -> dict[str, Any]:
    meta, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    name_space = meta.get("namespace", "default")
    _, needed = importers.requests(pod)
    return {
        "name": f"{name_space}/{meta['name']}",
        "namespace": name_space,
        "request": whole(needed),
        "charge": charge(pod),
        "priority": spec.get("priority") or 0,
        "started": seconds(status.get("startTime")),
        "preempts": spec.get("preemptionPolicy") != "Never",
        "leaving": "deletionTimestamp" in meta,
        "nominated": status.get("nominatedNodeName", ""),
    }


def use(pod: dict[str, Any], op: str = "use") -> dict[str, Any]:
    read = task(pod)
    return {"op": op, "namespace": read["namespace"], "name": read["name"],
            "request": read["charge"]}


def limits(quota: dict[str, Any], op: str = "add") -> dict[str, Any]:
    out = {"op": op, "namespace": quota["metadata"]["namespace"]}
    spec = quota.get("spec") or {}
    for bound in ("min", "max"):
        if spec.get(bound) is not None:
            out[bound] = amounts(spec[bound])
    return out


def node(spec: dict[str, Any]) -> dict[str, Any]:
    capacity = amounts(spec["status"]["allocatable"])
    return {
        "op": "node",
        "name": spec["metadata"]["name"],
        "tasks": capacity.pop("pods", 0),
        "capacity": capacity,
    }


def resource(value: dict[str, Any] | None) -> dict[str, int]:
    """Of the peer's own record of amounts."""
    value = value or {}
    out = {ours: value.get(theirs, 0) for theirs, ours in FIELDS.items()}
    return out | (value.get("ScalarResources") or {})


def without(values: dict[str, int] | None, dull: int) -> dict[str, int]:
    return {name: amount for name, amount in (values or {}).items() if amount != dull}


def account_differences(where: str, ours: Case, theirs: dict[str, Any]) -> list[str]:
    """Of min, max and used of every namespace. `theirs`: with the peer's keys in any case."""
    if ours.keys() != theirs.keys():
        return [f"{where}: quotas of {sorted(ours)}, recorded {sorted(theirs)}"]
    out = []
    for name, recorded in theirs.items():
        fields = {key.lower(): value for key, value in recorded.items()}
        for field in ("min", "max", "used"):
            if field not in fields:
                continue
            right = resource(fields[field])
            left = ours[name].get(field)
            if left is None:  # no limit
                left = {r: 0 if r == "pods" else LARGEST for r in FIELDS.values()}
            if without(left, 0) != without(right, 0):
                out.append(f"{where}: {name}: {field} is {left}, recorded {right}")
        if "pods" in fields and sorted(fields["pods"] or []) != [
            key.partition("/")[2] for key in ours[name]["tasks"]
        ]:
            out.append(f"{where}: {name}: tasks {ours[name]['tasks']}, recorded {fields['pods']}")
    return out


# --- random clusters


def random_case(case: Case, probe: Probe) -> list[str]:
    objects = case["objects"]
    of_kind: dict[str, list[Case]] = {"Node": [], "ElasticQuota": [], "Pod": []}
    for value in objects:
        of_kind[value["kind"]].append(value)
    decided = [entry["pod"] for entry in case["observed"]["pods"]]
    ops = [node(value) for value in of_kind["Node"]]
    ops += [limits(value) for value in of_kind["ElasticQuota"]]
    waiting = {}
    for pod in of_kind["Pod"]:
        if place := pod["spec"].get("nodeName"):
            ops += [{"op": "run", "task": task(pod), "node": place}, use(pod)]
            continue
        waiting[pod["metadata"]["name"]] = pod
        if (pod.get("status") or {}).get("nominatedNodeName"):
            ops.append({"op": "nominate", "task": task(pod)})
    ops += [{"op": "decide", "task": task(waiting[name])} for name in decided]
    answers = probe.capacity(ops)
    out = [f"{op}: refused: {a['refused']}" for op, a in zip(ops, answers, strict=True)
           if "refused" in a]
    out += account_differences("at the end", answers[-1]["accounts"], case["observed"]["quotas"])
    for answer, recorded in zip(answers[-len(decided) :], case["observed"]["pods"], strict=True):
        out += decision_differences(answer["decision"], recorded)
    return out + profile_differences(case, probe)


# The dry run was recorded without the plug-in's step before filtering.
PROFILE = "scheduler-plugins:schedule(quotas_follow=off)"


def profile_differences(case: Case, probe: Probe) -> list[str]:
    """The same decisions by whole cycles of the profile, on a dump in which only one pod waits.
    Where pods are nominated the profile would decide about these, too: such cases are left out."""
    objects, decided = case["objects"], {entry["pod"]: entry for entry in case["observed"]["pods"]}
    pods = [value for value in objects if value["kind"] == "Pod"]
    if any((pod.get("status") or {}).get("nominatedNodeName") for pod in pods):
        return []
    out = []
    for name, recorded in decided.items():
        others = decided.keys() - {name}
        alone = [value for value in objects
                 if value["kind"] != "Pod" or value["metadata"]["name"] not in others]
        dump = {"objects": json.dumps(alone), "profile": "scheduler-plugins"}
        plan = probe.plan(probe.imported(dump)["scenario"], PROFILE)
        out += [f"{name} by the profile: {line}" for line in plan_differences(plan, recorded)]
    return out


def plan_differences(plan: Case, recorded: Case) -> list[str]:
    decisions = [[kind, task.rpartition("/")[2], node] for kind, task, node in plan["decisions"]]
    if recorded["preFilter"]["code"] == "Success" and recorded["feasibleNodes"]:
        right = [["bind", recorded["pod"], node] for node in recorded["feasibleNodes"]]
        return [] if len(decisions) == 1 and decisions[0] in right else [
            f"{decisions}, recorded one of {right}"]
    out = []
    # The dry run was recorded for pods that may not preempt, too.
    chosen = recorded.get("chosen") if recorded["eligible"]["ok"] else None
    right = []
    for offer in recorded["candidates"] or []:
        if offer["node"] == chosen:
            right = [["evict", victim.rpartition("/")[2], chosen] for victim in offer["victims"]]
            right.append(["nominate", recorded["pod"], chosen])
    if decisions != right:
        out.append(f"{decisions}, recorded {right}")
    text = " ".join(plan["messages"].values())
    for reason in recorded["preFilter"].get("reasons", []):
        if f"nodes are available: {reason}. " not in text:
            out.append(f"{text!r} lacks {reason!r}")
    return out


VERDICTS = {"Success": "fits", "more than Max": "above max", "more than min": "above mins"}
RIGHTS = {
    "": "may",
    "not eligible due to preemptionPolicy=Never.": "never",
    "not eligible due to a terminating pod on the nominated node.": "victims leaving",
}


def outcome(status: dict[str, Any]) -> str:
    reason = " ".join(status.get("reasons", []))
    if status["code"] == "Error":
        return "removed twice" if "no corresponding pod" in reason else "needless"
    if "No victims" in reason:
        return "no candidate"
    if "quota" in reason:
        return "over quota"
    return "no room" if status["code"] == "Unschedulable" else "too large"


def decision_differences(ours: Case, theirs: Case) -> list[str]:
    verdict = theirs["preFilter"]
    text = " ".join([verdict["code"], *verdict.get("reasons", [])])
    right: Case = {
        "verdict": next(word for phrase, word in VERDICTS.items() if phrase in text),
        "feasible": theirs["feasibleNodes"] or [],
    }
    if "candidates" in theirs:
        right["right"] = RIGHTS[theirs["eligible"]["why"]]
        right["chosen"] = theirs.get("chosen")
        right["offers"] = {
            name: {"outcome": outcome(status), "victims": [], "broken_budgets": 0}
            for name, status in (theirs["notCandidates"] or {}).items()
        }
        for offer in theirs["candidates"] or []:
            right["offers"][offer["node"]] = {
                "outcome": "victims",
                "victims": offer["victims"],
                "broken_budgets": offer["pdbViolations"],
            }
    out = []
    for key, value in right.items():
        left = ours.get(key)
        if key == "offers" and left is not None:
            for name in sorted(left.keys() | value.keys()):
                if left.get(name) != value.get(name):
                    out.append(
                        f"{theirs['pod']} on {name}: {left.get(name)}, recorded {value.get(name)}"
                    )
        elif left != value:
            out.append(f"{theirs['pod']}: {key} is {left}, recorded {value}")
    return out
