# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of NUMA rules: merged hints, hints of CPUs, and the CPUs taken."""

from typing import Any, Callable

from amount_units import differences
from probe import Probe
from quantity import parse

Json = dict[str, Any]
Unit = Callable[[Probe, Json, bool], list[str]]


def _hint(hint: Json) -> list[Any]:
    return [hint.get("NUMANodeAffinity"), hint.get("Preferred", False)]


def merged(probe: Probe, policy: str, zones: list[int], providers: list[Json | None]) -> list[Any]:
    """[[zones, preferred], admitted] for hints as providers give them: by resource, null where none
    is asked."""
    resources: list[Any] = []
    for provider in providers:
        for _, hints in sorted((provider or {}).items()):
            resources.append(None if hints is None else [_hint(h) for h in hints])
    mask = sum(1 << zone for zone in zones)
    return probe.numa({"policy": policy, "zones": mask, "resources": resources})


def _predicate(policy: str) -> Unit:
    def run(probe: Probe, case: Json, _: bool) -> list[str]:
        """policy....Predicate(hints of each provider)."""
        receiver, providers = case["state"]["args"]
        hint, admitted = case["observed"]["results"]
        got = merged(probe, policy, receiver["numaNodes"], providers)
        return differences(got, [_hint(hint), admitted])

    return run


def _machine(topology: Json) -> list[list[int]]:
    return [
        [int(cpu), where.get("CoreID", 0), where.get("NUMANodeID", 0), where.get("SocketID", 0)]
        for cpu, where in topology["CPUDetail"].items()
    ]


def _question(container: Json, topology: Json, free: Json) -> Json:
    requests = container["resources"]["requests"]
    asked = parse(requests["cpu"], "cpu") if "cpu" in requests else 0
    reserved = topology.get("ResReserved", {}).get("cpu")
    return {
        "machine": _machine(topology),
        "free": free.get("cpu", ""),
        "reserved": int(parse(reserved, "cpu") * 1000) if reserved else 0,
        "count": int(asked) if asked == int(asked) else 0,
    }


def _hints(probe: Probe, case: Json, _: bool) -> list[str]:
    """cpuMng.GetTopologyHints(container, topology, free CPUs). A request for a part of a CPU has no
    preference."""
    _receiver, container, topology, free = case["state"]["args"]
    question = _question(container, topology, free)
    got = probe.numa(question) if question["count"] and "cpu" in free else None
    want = (case["observed"]["results"][0] or {}).get("cpu")
    return differences(got, None if want is None else [_hint(hint) for hint in want])


def _allocate(probe: Probe, case: Json, _: bool) -> list[str]:
    """cpuMng.Allocate(container, hint, topology, free CPUs)."""
    _receiver, container, hint, topology, free = case["state"]["args"]
    got = probe.numa(_question(container, topology, free) | {"hint": _hint(hint)})
    return differences(got, case["observed"]["results"][0]["cpu"])


UNITS: dict[str, Unit] = {
    "cpuMng.Allocate": _allocate,
    "cpuMng.GetTopologyHints": _hints,
    "policyBestEffort.Predicate": _predicate("best-effort"),
    "policyNone.Predicate": _predicate("none"),
    "policyRestricted.Predicate": _predicate("restricted"),
    "policySingleNumaNode.Predicate": _predicate("single-numa-node"),
}
