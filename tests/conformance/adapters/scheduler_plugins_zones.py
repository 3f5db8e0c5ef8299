# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""NodeResourceTopology objects: the random suite, and the recorded scripts of the plug-in's own
tests."""

import re
from typing import Any

from adapters import scheduler_plugins_pods as pods

Case = dict[str, Any]

STRATEGIES = ("MostAllocated", "LeastAllocated", "BalancedAllocation", "LeastNUMANodes")
ALWAYS = ("cpu", "memory", "pods", "ephemeral-storage")  # what every machine has


def zone_id(name: str) -> int | None:
    found = re.fullmatch(r"node-(\d+)", name)
    return int(found[1]) if found and int(found[1]) < 64 else None


def zone(value: dict[str, Any]) -> dict[str, Any] | None:
    if value["type"] != "Node" or zone_id(value["name"]) is None:
        return None
    free = pods.amounts({r["name"]: r["available"] for r in value.get("resources") or []})
    costs = [(zone_id(cost["name"]), cost["value"]) for cost in value.get("costs") or []]
    return {
        "id": zone_id(value["name"]),
        "available": free,
        "distances": [[to, cost] for to, cost in costs if to is not None],
    }


def machine(topology: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    zones = [read for value in topology["zones"] if (read := zone(value)) is not None]
    has = [*(node["status"].get("allocatable") or {}), *ALWAYS]
    return pods.topology(topology) | {"zones": zones, "has": sorted(set(has))}


def names_of(machines: dict[str, Case], tasks: list[Case]) -> list[str]:
    out = {n for m in machines.values() for z in m["zones"] for n in z["available"]}
    for read in tasks:
        out |= {n for c in read["containers"] for n in c["requests"]} | read["overhead"].keys()
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
    tasks = [pods.pod(of_kind["Pod"][entry["pod"]]) for entry in recorded]
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
                if part_word(read["containers"][part]) != word:
                    out.append(f"{entry['pod']} on {name}: part {part}, recorded {status}")
        for name, score in entry["score"].items():
            # A machine without zones scores 0, and 100 for a task that is not held
            # to zones.
            left = answer["score"][name] if name in machines else 100 * (not answer["guaranteed"])
            if left != score:
                out.append(f"{entry['pod']} on {name}: score {left}, recorded {score}")
    return out


def part_word(container: Case) -> str:
    if not container.get("init"):
        return "container"
    return "sidecar" if container["restart"] == "Always" else "init"


def refused_part(status: Case) -> str:
    found = re.fullmatch(r"cannot align (?:(init|sidecar) )?(container|pod)", status["reasons"][0])
    return (found[1] or found[2]) if found else status["reasons"][0]
