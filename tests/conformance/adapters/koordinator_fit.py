# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's random suites of exact places on one machine."""

from typing import Any

from probe import Probe

Case = dict[str, Any]


def listed(cpus: list[int] | None) -> str:
    return ",".join(str(cpu) for cpu in cpus or [])


def machine(topology: dict[str, Any]) -> list[list[int]]:
    """[cpu, core, zone, socket] of each logical CPU."""
    threads = topology["threadsPerCore"]
    cores_per_zone, zones_per_socket = topology["coresPerNumaNode"], topology["numaNodesPerSocket"]
    cores = topology["sockets"] * zones_per_socket * cores_per_zone
    apart = topology["layout"] == "siblings-apart"
    return [
        [core + thread * cores if apart else core * threads + thread, core, zone,
         zone // zones_per_socket]
        for core in range(cores)
        for zone in [core // cores_per_zone]
        for thread in range(threads)
    ]


def cpus(case: Case, probe: Probe) -> list[str]:
    config, state, observed = case["config"], case["state"], case["observed"]
    allocated = state.get("allocated") or []
    cpus_of = machine(state["topology"])
    question = {
        "machine": cpus_of,
        "available": listed(state["available"]),
        "preferred": listed(state["preferred"]),
        "count": state["need"],
        "full_cores": config["bindPolicy"] == "FullPCPUs",
        "exclusive": {"PCPULevel": "core",
                      "NUMANodeLevel": "zone"}.get(config["exclusivePolicy"], ""),
        "fewest_free": config["numaAllocateStrategy"] == "MostAllocated",
    }
    for policy, key in (("PCPULevel", "core_exclusive"), ("NUMANodeLevel", "zone_exclusive")):
        question[key] = listed([a["cpu"] for a in allocated if a["exclusivePolicy"] == policy])
    if config["maxRefCount"] > 1:
        sharers = {a["cpu"]: a["refCount"] for a in allocated}
        question["sharers"] = [sharers.get(cpu, 0) for cpu in range(len(cpus_of))]
    answer = probe.cpus(question)
    right = None if "error" in observed else observed["cpus"]
    ours = None if answer is None else numbers(answer)
    return [] if ours == right else [f"takes {ours}, recorded {right}"]


def numbers(text: str) -> list[int]:
    """0, 1, 2, 8 of "0-2,8"."""
    out: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        out.extend(range(int(first), int(last or first) + 1))
    return out
