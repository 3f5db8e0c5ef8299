# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of scheduler-plugins about one pod, or about what a node reports of its topology
manager; and how pods are written for the probe."""

from math import ceil
from typing import Any

from probe import Probe
from quantity import parse_map

Case = dict[str, Any]


def amounts(values: Any) -> dict[str, int]:
    """Thousandths of a core for cpu, whole units otherwise."""
    read = parse_map(values, "resources")
    return {name: ceil(value * 1000 if name == "cpu" else value) for name, value in read.items()}


def container(row: Case, init: bool) -> Case:
    held = row.get("resources") or {}
    out: Case = {key: amounts(held.get(key)) for key in ("requests", "limits")}
    out["name"] = row.get("name") or ""
    if init:
        out |= {"init": True, "restart": row.get("restartPolicy") or ""}
    return out


def pod(row: Case) -> Case:
    spec = row.get("spec") or {}
    rows = [container(c, True) for c in spec.get("initContainers") or []]
    rows += [container(c, False) for c in spec.get("containers") or []]
    stated = (row.get("status") or {}).get("qosClass") or ""
    return {"containers": rows, "overhead": amounts(spec.get("overhead")), "service": stated}


def topology(row: Case) -> Case:
    """What a NodeResourceTopology has about the topology manager of its node."""
    return {
        "policies": row.get("topologyPolicies") or [],
        "attributes": [[a["name"], a["value"]] for a in row.get("attributes") or []],
    }


# --- recorded calls


def _same(what: str, got: Any, right: Any) -> list[str]:
    return [] if got == right else [f"{what}: {got}, recorded {right}"]


def _one(case: Case, script: Any, probe: Probe, name: str, op: Case) -> list[str]:
    [step] = script.calls(name)
    [answer] = probe.plugin_pods([op])
    return _same(name, answer, script.result(step["n"]))


def effective(case: Case, script: Any, probe: Probe) -> list[str]:
    name = "GetPodEffectiveRequest"
    [step] = script.calls(name)
    [answer] = probe.plugin_pods(
        [{"op": "effective", "pod": pod(script.value(step["args"]["pod"]))}])
    return _same(name, answer, amounts(script.result(step["n"])))


def exclusive(case: Case, script: Any, probe: Probe) -> list[str]:
    name = "AreExclusiveForPod"
    args = script.calls(name)[0]["args"]
    op = {"op": "exclusive", "pod": pod(script.value(args["pod"])),
          "of_zones": args.get("nrtResources") or []}
    return _one(case, script, probe, name, op)


def extended(case: Case, script: Any, probe: Probe) -> list[str]:
    name = "IncludeNonNative"
    args = script.calls(name)[0]["args"]
    return _one(case, script, probe, name,
                {"op": "extended", "pod": pod(script.value(args["pod"]))})


def sidecar(case: Case, script: Any, probe: Probe) -> list[str]:
    name = "IsSidecarInitContainer"
    row = script.calls(name)[0]["args"]["container"]
    return _one(case, script, probe, name,
                {"op": "is_sidecar", "restart": row.get("restartPolicy") or ""})


def word(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("IsValidPolicy", "IsValidScope")
    kind = {"IsValidPolicy": "policy", "IsValidScope": "scope"}[step["call"]]
    return _one(case, script, probe, step["call"],
                {"op": f"is_{kind}", "word": step["args"][kind]})


def _recorded(value: Case) -> Case:
    return {"policy": value.get("Policy"), "scope": value.get("Scope"),
            "zones": value.get("MaxNUMANodes", 0)}


def config(case: Case, script: Any, probe: Probe) -> list[str]:
    """Of one source, or of a whole object. The test states what comes of it, and passed."""
    [step] = script.calls("TopologyManager.updateFromAttributes",
                          "TopologyManager.updateFromPolicies",
                          "TopologyManagerFromNodeResourceTopology")
    args = step["args"]
    if "nodeTopology" in args:
        op = {"op": "config"} | topology(script.value(args["nodeTopology"]))
    else:
        op = {"op": "config_part"} | topology(
            {"attributes": args.get("attrs"), "topologyPolicies": args.get("topologyPolicies")})
    [answer] = probe.plugin_pods([op])
    return _same(step["call"], answer, _recorded(case["expect"]["expected"]))


def same_config(case: Case, script: Any, probe: Probe) -> list[str]:
    inputs = case["state"].get("inputs") or {}

    def read(value: Case) -> Case:
        """As attributes, which set each of the three alone."""
        named = (("Policy", "topologyManagerPolicy"), ("Scope", "topologyManagerScope"),
                 ("MaxNUMANodes", "topologyManagerMaxNUMANodes"))
        return {"attributes": [[name, str(value[key])] for key, name in named if value.get(key)]}

    op = {"op": "same_config"} | {
        key: read(inputs.get(name) or {}) for key, name in (("a", "tmA"), ("b", "tmB"))
    }
    return _one(case, script, probe, "TopologyManager.Equal", op)


CALLS = {
    "AreExclusiveForPod": exclusive,
    "GetPodEffectiveRequest": effective,
    "IncludeNonNative": extended,
    "IsSidecarInitContainer": sidecar,
    "IsValidPolicy": word,
    "IsValidScope": word,
    "TopologyManager.Equal": same_config,
    "TopologyManager.updateFromAttributes": config,
    "TopologyManager.updateFromPolicies": config,
    "TopologyManagerFromNodeResourceTopology": config,
}
