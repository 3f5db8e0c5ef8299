# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's random suites: sequences of events on one part of it, compared after every step."""

import json
import math
from typing import Any

from adapters import koordinator_devices, koordinator_fit, koordinator_loads, koordinator_scripts
import importers
import quantity
from probe import Probe, Unanswerable

Case = dict[str, Any]
Amounts = dict[str, int]

PREFIX = "quota.scheduling.koordinator.sh/"
LARGEST = 2**63 - 1
# What a record calls a group's numbers; the self* fields are absent.
FIELDS = (
    "max min autoScaleMin weight request childRequest nonPreemptibleRequest used nonPreemptibleUsed runtime "
    "guaranteed allocated"
).split()
BUILT_IN = {"koordinator-root-quota", "koordinator-system-quota", "koordinator-default-quota"}


def check(level: str, case: Case, probe: Probe) -> list[str]:
    """How our answers differ from the recorded ones."""
    state = case.get("state") or {}
    if "steps" in state:
        return koordinator_scripts.run(level, case, probe)
    if "topology" in state:
        return koordinator_fit.cpus(case, probe)
    if "scoringStrategy" in (case.get("config") or {}):
        return koordinator_devices.devices(case, probe)
    if "args" in (case.get("config") or {}):
        return koordinator_loads.loads(case, probe)
    ops = state.get("ops") or []
    kinds = {op["op"] for op in ops}
    if kinds & {"total", "refresh", "pod-add"}:
        return quota_tree(case, ops, probe)
    if kinds and kinds <= {"create", "update", "delete"}:
        return quota_rules(case, ops, probe)
    raise Unanswerable(f"Koordinator's {level} cases without a call that decides anything")


def units(values: dict[str, Any] | None) -> Amounts:
    """Whole units of each resource, cpu in thousandths, as the peer's int64 would hold them."""
    out = {}
    for name, amount in quantity.parse_map(values, "resources").items():
        whole = math.ceil(amount * 1000 if name == "cpu" else amount)
        out[name] = max(-LARGEST, min(LARGEST, whole))
    return out


def task(pod: dict[str, Any]) -> dict[str, Any]:
    meta, spec = pod["metadata"], pod.get("spec", {})
    _, needed = importers.requests(pod)
    ended = pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
    return {
        "name": f"{meta.get('namespace', 'default')}/{meta['name']}",
        "request": {
            name: math.ceil(amount * 1000 if name == "cpu" else amount)
            for name, amount in needed.items()
        },
        "assigned": bool(spec.get("nodeName")) and not ended,
        "preemptible": (meta.get("labels") or {}).get(PREFIX + "preemptible") != "false",
    }


def group(quota: dict[str, Any]) -> dict[str, Any]:
    meta, spec = quota["metadata"], quota.get("spec", {})
    labels = meta.get("labels") or {}
    out = {
        "op": "put",
        "group": meta["name"],
        "parent": labels.get(PREFIX + "parent", ""),
        "is_parent": labels.get(PREFIX + "is-parent") == "true",
        "lends": labels.get(PREFIX + "allow-lent-resource") != "false",
        "max": units(spec.get("max")),
        "min": units(spec.get("min")),
    }
    try:
        weight = json.loads((meta.get("annotations") or {})[PREFIX + "shared-weight"])
        return out | {"weight": units(weight)}
    except (KeyError, ValueError):
        return out  # missing or unreadable: the maximum


def event(op: dict[str, Any]) -> dict[str, Any]:
    kind = op["op"]
    if kind == "total":
        return {"op": "total", "delta": units(op["delta"])}
    if kind == "quota":
        return group(op["object"])
    if kind == "refresh":
        return {"op": "refresh", "group": op["quota"]}
    names = {"pod-add": "add_task", "pod-delete": "remove_task", "pod-update": "update_task"}
    out = {"op": names.get(kind, kind), "group": op["quota"], "task": task(op["object"])}
    if kind == "pod-update":
        out |= {"old_group": op["oldQuota"], "old_task": task(op["old"])}
    return out


def without_zeros(amounts: Amounts | None) -> Amounts:
    return {name: amount for name, amount in (amounts or {}).items() if amount}


def guarantees_usage(case: Case) -> bool:
    """Whether the gate was in force. With it every minimum is guaranteed from its first step on;
    the random suite names the gate in cases with a record that shows that it had no effect."""
    if not case["config"].get("gates", {}).get("ElasticQuotaGuaranteeUsage"):
        return False
    changed = (step.get("changed", {}) for step in case["observed"]["steps"])
    return any(
        without_zeros(fields.get("guaranteed")) for groups in changed for fields in groups.values()
    )


def quota_tree(case: Case, ops: list[dict[str, Any]], probe: Probe) -> list[str]:
    config = case["config"]
    options = {
        "scale_min": config.get("enableMinQuotaScale", True),
        "guarantee_usage": guarantees_usage(case),
        "has_builtin": config.get("treeID", "") == "",
        "system_max": units(config.get("systemQuotaGroupMax")),
        "default_max": units(config.get("defaultQuotaGroupMax")),
    }
    answers = probe.quota_tree(options, [event(op) for op in ops])
    recorded = {step["n"]: step for step in case["observed"]["steps"]}
    ours: dict[str, Any] = {}
    theirs: dict[str, dict[str, Amounts]] = {}
    out = []
    for n, answer in enumerate(answers):
        step = recorded.get(n, {})
        where = f"step {n} ({ops[n]['op']} {ops[n].get('quota', '')})"
        if "refused" in answer:
            out.append(f"{where}: refused: {answer['refused']}")
        ours |= answer.get("groups", {})
        for name, fields in step.get("changed", {}).items():
            theirs.setdefault(name, {}).update(fields)
        if "result" in step and without_zeros(step["result"]) != without_zeros(
            answer.get("result")):
            out.append(f"{where}: returned {answer.get('result')}, recorded {step['result']}")
        for name in (step.get("changed", {}).keys() |
                     answer.get("groups", {}).keys()) & theirs.keys():
            for field in FIELDS:
                if field == "max" and name in BUILT_IN:
                    continue  # not recorded
                left = without_zeros(ours.get(name, {}).get(field))
                right = without_zeros(theirs[name].get(field))
                if left != right:
                    out.append(f"{where}: {name}: {field} is {left}, recorded {right}")
        if len(out) > 20:
            break
    return out


# --- edits of the tree


def thousandths(values: dict[str, Any] | None) -> Amounts:
    return {name: int(amount * 1000)
            for name, amount in quantity.parse_map(values, "resources").items()}


def annotation(meta: dict[str, Any], key: str) -> Any:
    text = (meta.get("annotations") or {}).get(PREFIX + key)
    return json.loads(text) if text else None


def edit(quota: dict[str, Any]) -> dict[str, Any]:
    meta, spec = quota["metadata"], quota.get("spec", {})
    labels = meta.get("labels") or {}
    out = {
        "name": meta["name"],
        "parent": labels.get(PREFIX + "parent", ""),
        "tree": labels.get(PREFIX + "tree-id", ""),
        "is_parent": labels.get(PREFIX + "is-parent") == "true",
        "is_tree_root": labels.get(PREFIX + "is-root") == "true",
        "forced": labels.get(PREFIX + "allow-force-update") == "true",
        "max": thousandths(spec.get("max")),
        "min": thousandths(spec.get("min")),
        "used": thousandths(quota.get("status", {}).get("used")),
        "guaranteed": thousandths(annotation(meta, "guaranteed")),
        "namespaces": annotation(meta, "namespaces") or [],
        "strict_keys": annotation(meta, "max-strict-check-resource-keys") or [],
    }
    weight = annotation(meta, "shared-weight")
    return out if weight is None else out | {"weight": thousandths(weight)}


def quota_rules(case: Case, ops: list[dict[str, Any]], probe: Probe) -> list[str]:
    gates = case["config"].get("gates", {})
    pods = [o["metadata"] for o in case.get("objects") or [] if o["kind"] == "Pod"]
    options = {
        "guarantee_usage": gates.get("ElasticQuotaGuaranteeUsage", False),
        "resources_may_differ": gates.get("ElasticQuotaEnableUpdateResourceKey", False),
        "tasks": [
            {
                "group": (meta.get("labels") or {}).get(PREFIX + "name", ""),
                "namespace": meta.get("namespace", ""),
            }
            for meta in pods
        ],
    }
    asked = [
        {"op": op["op"], "quota": edit(op["object"])}
        | ({"old": edit(op["old"])} if "old" in op else {})
        for op in ops
    ]
    out = []
    answers = probe.quota_rules(options, asked)
    for op, answer, recorded in zip(ops, answers, case["observed"]["ops"], strict=True):
        where = f"op {recorded['n']} ({op['op']} {op['object']['metadata']['name']})"
        if answer["accepted"] != recorded["accepted"]:
            told = recorded.get("message", "accepted")
            out.append(f"{where}: {answer['message'] or 'accepted'}; recorded: {told}")
        if "afterDefaulting" in recorded and recorded["accepted"]:
            completed = edit(recorded["afterDefaulting"])
            for key, value in answer["completed"].items():
                if completed[key] != value:
                    out.append(f"{where}: {key} becomes {value}, recorded {completed[key]}")
    return out
