# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its quota profiles: which nodes a profile selects, and the root
that it makes of them."""

from typing import Any

import adapters.koordinator as events
from adapters.koordinator_quota_scripts import object_of
from probe import Probe, Unanswerable

Json = dict[str, Any]

CALLS = {"QuotaProfileReconciler.Reconcile", "MultiplyQuantity"}


def _takes_tasks(node: Json) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or []
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and not (node.get("spec") or {}).get("unschedulable")


def _node(node: Json) -> Json:
    return {
        "labels": node["metadata"].get("labels") or {},
        "amounts": events.units((node.get("status") or {}).get("allocatable")),
        "takes_tasks": _takes_tasks(node),
    }


def _question(profile: Json, nodes: list[Json]) -> Json:
    meta, spec = profile["metadata"], profile["spec"]
    selector = spec.get("nodeSelector")
    out = {
        "namespace": meta.get("namespace", ""),
        "name": meta["name"],
        "tree": (meta.get("labels") or {}).get(events.PREFIX + "tree-id", ""),
        "group": spec["quotaName"],
        "labels": (selector or {}).get("matchLabels") or {},
        "expressions": (selector or {}).get("matchExpressions") or [],
        # Without a selector it selects nothing.
        "nodes": [] if selector is None else [_node(node) for node in nodes],
    }
    if "resourceRatio" in spec:
        out["ratio"] = float(spec["resourceRatio"])
    resources = events.annotation(meta, "resource-keys")
    return out if resources is None else out | {"resources": resources}


def _part(script: Any, step: Json, probe: Probe) -> tuple[Any, Any]:
    """One amount of one node, as a root of it has it."""
    args = script.args(step)
    nodes = [{"amounts": events.units({args["resName"]: args["value"]})}]
    made = probe.quota_profile({"name": "p", "group": "root", "ratio": args["ratio"],
                                "nodes": nodes})
    return made["total"], events.units({args["resName"]: script.results[step["n"]]})


def roots(script: Any, probe: Probe) -> list[str]:
    out, asked = [], 0
    nodes: list[Json] = []
    profile: Json = {}
    made: Json = {}
    for step in script.steps:
        pair = None
        if step.get("call") == "Writer.Create":
            one = object_of(script, step["args"]["obj"])
            nodes += [one] if one["kind"] == "Node" else []
            profile = one if one["kind"] == "ElasticQuotaProfile" else profile
        elif step.get("call") == "hash":
            space, _, name = script.args(step)["s"].partition("/")
            tree = probe.quota_profile({"namespace": space, "name": name, "group": "root",
                                        "nodes": []})["tree"]
            pair = (tree, script.results[step["n"]])
        elif step.get("call") == "MultiplyQuantity":
            pair = _part(script, step, probe)
        elif step.get("call") == "QuotaProfileReconciler.Reconcile":
            made = probe.quota_profile(_question(profile, nodes))
        if pair is not None:
            asked += 1
            if pair[0] != pair[1]:
                out.append(f"step {step['n']}: {pair[0]}, recorded {pair[1]}")
    expected = script.case["expect"]
    if made:
        pairs = {"total": "expectTotalResource", "min": "expectQuotaMin",
                 "idle": "expectUnschedulableResource"}
        for ours, theirs in pairs.items():
            if theirs in expected and made[ours] != events.units(expected[theirs]):
                out.append(f"{ours} is {made[ours]}, recorded {expected[theirs]}")
        labels = expected.get("expectQuotaLabels") or {}
        if made["tree"] != labels.get(events.PREFIX + "tree-id", made["tree"]):
            out.append(f"tree {made['tree']}, recorded {labels}")
    if not asked and not made:
        raise Unanswerable("a script that never looks at a number")
    return out
