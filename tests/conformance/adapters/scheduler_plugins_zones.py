# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""NodeResourceTopology objects: the random suite, and the recorded scripts of the plug-in's own
tests."""

import math
import re
from typing import Any

import quantity

Case = dict[str, Any]

POLICIES = ("none", "best-effort", "restricted", "single-numa-node")
LEGACY = {
    f"{name}{level}Level": (policy, scope)
    for name, policy in (
        ("SingleNUMANode", "single-numa-node"),
        ("BestEffort", "best-effort"),
        ("Restricted", "restricted"),
    )
    for level, scope in (("Pod", "pod"), ("Container", "container"))
}
STRATEGIES = ("MostAllocated", "LeastAllocated", "BalancedAllocation", "LeastNUMANodes")
ALWAYS = ("cpu", "memory", "pods", "ephemeral-storage")  # what every machine has


def amount(name: str, value: Any) -> int:
    return math.ceil(value * 1000 if name == "cpu" else value)


def amounts(values: dict[str, Any] | None) -> dict[str, int]:
    read = quantity.parse_map(values, "resources")
    return {name: amount(name, value) for name, value in read.items()}


def zone_id(name: str) -> int | None:
    found = re.fullmatch(r"node-(\d+)", name)
    return int(found[1]) if found and int(found[1]) < 64 else None


def zone(value: dict[str, Any]) -> dict[str, Any] | None:
    if value["type"] != "Node" or zone_id(value["name"]) is None:
        return None
    free = {
        entry["name"]: amount(entry["name"], quantity.parse(entry["available"], entry["name"]))
        for entry in value.get("resources") or []
    }
    costs = [(zone_id(cost["name"]), cost["value"]) for cost in value.get("costs") or []]
    return {
        "id": zone_id(value["name"]),
        "available": free,
        "distances": [[to, cost] for to, cost in costs if to is not None],
    }


def settings(topology: dict[str, Any]) -> dict[str, Any]:
    """Policy, scope and the most zones: attributes before the old list, and what is no value is not
    read."""
    out: dict[str, Any] = {"policy": "none", "scope": "container", "most_zones": 8}
    for name in (topology.get("topologyPolicies") or [])[:1]:
        if name in LEGACY:
            out["policy"], out["scope"] = LEGACY[name]
    for attribute in topology.get("attributes") or []:
        name, value = attribute["name"], attribute["value"]
        if name == "topologyManagerPolicy" and value in POLICIES:
            out["policy"] = value
        elif name == "topologyManagerScope" and value in ("pod", "container"):
            out["scope"] = value
        elif name == "topologyManagerMaxNUMANodes" and re.fullmatch(r"[+-]?\d+", value):
            if int(value) > 1:
                out["most_zones"] = min(int(value), 1024)
    return out


def machine(topology: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    zones = [read for value in topology["zones"] if (read := zone(value)) is not None]
    has = [*(node["status"].get("allocatable") or {}), *ALWAYS]
    return settings(topology) | {"zones": zones, "has": sorted(set(has))}


def is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def quality(containers: list[Case]) -> str:
    """The class of service that Kubernetes gives a pod."""
    used = {"requests": set(), "limits": set()}
    guaranteed = True
    for container in containers:
        held = container.get("resources") or {}
        bounds = {}
        for kind in used:
            read = quantity.parse_map(held.get(kind), kind)
            bounds[kind] = {n: v for n, v in read.items() if n in ("cpu", "memory") and v > 0}
            used[kind] |= bounds[kind].keys()
        if len(bounds["limits"]) < 2 or any(
            bounds["requests"].get(n, v) != v for n, v in bounds["limits"].items()
        ):
            guaranteed = False
    if not used["requests"] and not used["limits"]:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def task(pod: dict[str, Any]) -> dict[str, Any]:
    spec = pod.get("spec") or {}
    init, main = spec.get("initContainers") or [], spec.get("containers") or []

    def requests(container: Case) -> dict[str, int]:
        return amounts((container.get("resources") or {}).get("requests"))

    whole: dict[str, int] = {}
    for container in main:
        whole = quantity.add(whole, requests(container))
    for container in init:
        whole = quantity.maximum(whole, requests(container))
    whole = {n: int(v) for n, v in quantity.add(whole, amounts(spec.get("overhead"))).items()}
    kind = quality(init + main)
    extended = any(not is_native(n) for c in init + main for n in requests(c))
    parts = [
        ["sidecar" if c.get("restartPolicy") == "Always" else "init", requests(c)] for c in init
    ]
    return {
        "guaranteed": kind == "Guaranteed",
        "judged": kind != "BestEffort" or extended,
        "parts": parts + [["main", requests(c)] for c in main],
        "whole": whole,
    }


def names_of(machines: dict[str, Case], tasks: list[Case]) -> list[str]:
    out = {n for m in machines.values() for z in m["zones"] for n in z["available"]}
    for read in tasks:
        out |= {n for _, request in read["parts"] for n in request} | read["whole"].keys()
    return sorted(out)


def random_case(case: Case, probe: Any) -> list[str]:
    of_kind: dict[str, dict[str, Case]] = {"Node": {}, "NodeResourceTopology": {}, "Pod": {}}
    for value in case["objects"]:
        of_kind[value["kind"]][value["metadata"]["name"]] = value
    machines = {
        name: machine(topology, of_kind["Node"][name])
        for name, topology in of_kind["NodeResourceTopology"].items()
    }
    recorded = case["observed"]["pods"]
    tasks = [task(of_kind["Pod"][entry["pod"]]) for entry in recorded]
    config = case["config"]
    asked = [
        {"task": read, "strategy": config["scoringStrategy"],
         "weights": config.get("weights") or {}}
        for read in tasks
    ]
    answers = probe.zones({"resources": names_of(machines, tasks), "nodes": machines}, asked)
    out = []
    for read, entry, answer in zip(tasks, recorded, answers, strict=True):
        for name, status in entry["filter"].items():
            part = answer["refusal"][name] if name in machines else None
            left = "Success" if part is None else "Unschedulable"
            if left != status["code"]:
                out.append(f"{entry['pod']} on {name}: {left}, recorded {status}")
            elif part is not None and (word := refused_part(status)) != "pod":
                if {"main": "container"}.get(read["parts"][part][0],
                                             read["parts"][part][0]) != word:
                    out.append(f"{entry['pod']} on {name}: part {part}, recorded {status}")
        for name, score in entry["score"].items():
            # A machine without zones scores 0, and 100 for a task that is not held
            # to zones.
            left = answer["score"][name] if name in machines else 100 * (not read["guaranteed"])
            if left != score:
                out.append(f"{entry['pod']} on {name}: score {left}, recorded {score}")
    return out


def refused_part(status: Case) -> str:
    found = re.fullmatch(r"cannot align (?:(init|sidecar) )?(container|pod)", status["reasons"][0])
    return (found[1] or found[2]) if found else status["reasons"][0]
