# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its NUMA plug-in: which tasks get CPUs of their own and by
which policy, nodes with amplified CPUs, and what a zone has left."""

import json
from typing import Any, Callable

import importers
from adapters.koordinator_reservation_scripts import object_of, thousandths_of, verdict
from probe import Probe, Unanswerable

Json = dict[str, Any]

STRICT = ("LSE", "LSR")
# The classes of tasks by priority; a task of no class has that of its quality of service.
CLASSES = {3: "koord-free", 5: "koord-batch", 7: "koord-mid", 9: "koord-prod"}
RATIO = "node.koordinator.sh/resource-amplification-ratio"
NODE_POLICY = "node.koordinator.sh/cpu-bind-policy"
ZONE_POLICY = "node.koordinator.sh/numa-topology-policy"


def noted(thing: Json, key: str) -> Json:
    text = ((thing.get("metadata") or {}).get("annotations") or {}).get(key)
    return json.loads(text) if text else {}


def labels_of(thing: Json) -> Json:
    return (thing.get("metadata") or {}).get("labels") or {}


def _strict(pod: Json) -> bool:
    labels = labels_of(pod)
    by_priority = CLASSES.get(((pod.get("spec") or {}).get("priority") or 0) // 1000, "")
    of_task = labels.get("koordinator.sh/priority-class") or by_priority or "koord-prod"
    return labels.get("koordinator.sh/qosClass") in STRICT and of_task == "koord-prod"


def _requests(pod: Json) -> Json:
    return importers.requests({"spec": {"containers": []}, **pod})[1]


def wish_of(script: Any, pod: Json, before: int) -> Json:
    spec = noted(pod, "scheduling.koordinator.sh/resource-spec")
    fallback = [step["value"] for step in script.steps if step["n"] < before
                and step.get("set", "").endswith("nodeNUMAResourceArgs.DefaultCPUBindPolicy")]
    return {
        "strict": _strict(pod),
        "required": spec.get("requiredCPUBindPolicy", ""),
        "preferred": spec.get("preferredCPUBindPolicy", ""),
        "milli": int(_requests(pod).get("cpu", 0) * 1000),
        "fallback": fallback[-1] if fallback else "FullPCPUs",
    }


def _needs(script: Any, probe: Probe) -> list[str]:
    """PreFilter(pod), and the state that it wrote."""
    out = []
    for step in script.calls("PreFilterPlugin.PreFilter"):
        pod = object_of(script, script.args(step)["p"])
        recorded = verdict(script, step)["code"]
        if not any(_requests(pod).values()):
            raise Unanswerable("a task that requests nothing: the caller passes it over")
        got = probe.cpu_binding("need", **wish_of(script, pod, step["n"]))
        if got["refused"] != (recorded != "Success"):
            out.append(f"step {step['n']}: {got}, recorded {recorded}")
        looks = [one for one in script.calls("getPreFilterState") if one["n"] > step["n"]]
        if got["refused"] or not looks:
            continue
        known, state = script.variable("state", looks[0]["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        theirs = {
            "binds": state["requestCPUBind"],
            "cpus": state["numCPUsNeeded"],
            "required": state.get("requiredCPUBindPolicy", ""),
            "preferred": state.get("preferredCPUBindPolicy", ""),
            "refused": False,
        }
        if got != theirs:
            out.append(f"step {step['n']}: {got}, recorded {theirs}")
    return out


def _specs(script: Any, probe: Probe) -> list[str]:
    """appendResourceSpecIfMissed(object, state, node, kubelet): policies that binding writes."""
    out = []
    for step in script.calls("appendResourceSpecIfMissed"):
        args = script.args(step)
        spec = noted(object_of(script, args["object"]), "scheduling.koordinator.sh/resource-spec")
        got = probe.cpu_binding(
            "spec",
            required=args["state"].get("requiredCPUBindPolicy", ""),
            preferred=args["state"].get("preferredCPUBindPolicy", ""),
            label=labels_of(object_of(script, args["node"])).get(NODE_POLICY, ""),
            kubelet=full_cores(args["topologyOpts"].get("Policy")),
            spec_required=spec.get("requiredCPUBindPolicy", ""),
            spec_preferred=spec.get("preferredCPUBindPolicy", ""),
        )
        known, written = script.variable("resourceSpec", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        theirs = {"required": written.get("RequiredCPUBindPolicy", ""),
                  "preferred": written.get("PreferredCPUBindPolicy", "")}
        if got != theirs:
            out.append(f"step {step['n']}: {got}, recorded {theirs}")
    return out


def full_cores(kubelet: Json | None) -> bool:
    kubelet = kubelet or {}
    return (kubelet.get("Policy") == "static"
            and (kubelet.get("Options") or {}).get("full-pcpus-only") == "true")


def _policies(script: Any, probe: Probe) -> list[str]:
    """getCPUBindPolicy(kubelet, node, required, preferred)."""
    out = []
    for step in script.calls("getCPUBindPolicy"):
        args = script.args(step)
        got = probe.cpu_binding(
            "policy",
            required=args["requiredCPUBindPolicy"],
            preferred=args["preferredCPUBindPolicy"],
            label=labels_of(object_of(script, args["node"])).get(NODE_POLICY, ""),
            kubelet=full_cores(args["topologyOptions"].get("Policy")),
        )
        theirs = {name: script.variable(name, step["n"])[1] for name in ("policy", "required")}
        if got != theirs:
            out.append(f"step {step['n']}: {got}, recorded {theirs}")
    return out


def _zone_policies(script: Any, probe: Probe) -> list[str]:
    """mergeTopologyPolicy(of the node, of the task)."""
    out = []
    for step in script.calls("mergeTopologyPolicy"):
        args = script.args(step)
        got = probe.cpu_binding("zones", node=args["nodePolicy"], task=args["podPolicy"])
        known, policy = script.variable("got", step["n"])
        failed = any(isinstance(check["actual"], dict) and "error" in check["actual"]
                     for check in script.checks if check["n"] > step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        if got != (None if failed else policy):
            out.append(f"step {step['n']}: {got}, recorded {policy}, failed {failed}")
    return out


def _free(script: Any, probe: Probe) -> list[str]:
    """NodeAllocation.getAvailableNUMANodeResources(zones, reusable). How many CPUs of the first
    zone tasks have for themselves is a field of the test."""
    out = []
    inputs = script.case["state"].get("inputs") or {}
    for step in script.calls("NodeAllocation.getAvailableNUMANodeResources"):
        args = script.args(step)
        options = args["topologyOptions"]
        held = (inputs.get("allocation") or {}).get("allocatedResources") or {}
        if "allocatedCPUSets" not in inputs or set(held) - {"0"}:
            raise Unanswerable("the record does not hold the CPUs of each zone")
        for zone in options["NUMANodeResources"]:
            number = str(zone["Node"])
            asked: Json = {
                "total": thousandths_of(zone["Resources"]),
                "reusable": thousandths_of((args["reusableResources"] or {}).get(number)),
                "bound": 1000 * inputs["allocatedCPUSets"] if number == "0" else 0,
                "ratio": (options.get("AmplificationRatios") or {}).get("cpu", 1),
            }
            if number in held:
                asked["allocated"] = thousandths_of(held[number]["Resources"])
            got = probe.cpu_binding("free", **asked)
            for name in ("available", "allocated"):
                _, theirs = script.variable(name, step["n"])
                recorded = (theirs or {}).get(number)
                if got[name] != (None if recorded is None else thousandths_of(recorded)):
                    out.append(f"step {step['n']}: {name} {got[name]}, recorded {recorded}")
    return out


def _count(cpus: str) -> int:
    ends = [part.split("-") for part in cpus.split(",") if part]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


def _amplified(script: Any, probe: Probe) -> list[str]:
    """Plugin.Filter(pod, node) on a node that promises more CPUs than it has."""
    out = []
    for step in script.calls("Plugin.Filter"):
        args = script.args(step)
        pod = object_of(script, args["pod"])
        node = object_of(script, args["nodeInfo"]["nodeInfo"]["node"])
        held = [object_of(script, one) for one in args["nodeInfo"]["nodeInfo"].get("pods") or []]
        reported = bool(script.calls("TopologyOptionsManager.UpdateTopologyOptions"))
        bound = sum(_count(noted(one, "scheduling.koordinator.sh/resource-status")
                           .get("cpuset", "")) for one in held) if reported else 0
        capacity = thousandths_of((node.get("status") or {}).get("allocatable"))
        got = probe.cpu_binding(
            "node",
            **wish_of(script, pod, step["n"]),
            label=labels_of(node).get(NODE_POLICY, ""),
            capacity=capacity.get("cpu", 0),
            requested=sum(int(_requests(one).get("cpu", 0) * 1000) for one in held),
            bound=1000 * bound,
            ratio=noted(node, RATIO).get("cpu", 1),
        )
        fits = got["amplified"] and not got["refused"]
        if fits and (got["binds"] or ZONE_POLICY in labels_of(node)
                     or noted(pod, "scheduling.koordinator.sh/numa-topology-spec")):
            raise Unanswerable("CPUs of zones of a node, which a trial of its room decides")
        if fits != (verdict(script, step)["code"] == "Success"):
            out.append(f"step {step['n']}: {got}, recorded {verdict(script, step)}")
    return out


def _no_rule(reason: str) -> Callable[[Any, Probe], list[str]]:
    def rule(_script: Any, _probe: Probe) -> list[str]:
        raise Unanswerable(reason)

    return rule


# By the call that a script is about, where nothing of it is a rule.
NO_RULES = {
    "cpuAccumulator.freeCPUs": "steps inside of the accumulator, which is asked whole",
    "Plugin.PreBind": "marks that binding writes: nothing is decided",
    "Plugin.PreBindReservation": "marks that binding writes: nothing is decided",
    "registerNodeResourceTopologyEventHandler":
        "reading of marks and lists: the caller reads them before it asks",
}


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "PreFilterPlugin.PreFilter": _needs,
    "appendResourceSpecIfMissed": _specs,
    "getCPUBindPolicy": _policies,
    "mergeTopologyPolicy": _zone_policies,
    "NodeAllocation.getAvailableNUMANodeResources": _free,
}


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of CPU binding a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    found = next((CALLS[call] for call in CALLS if call in calls), None)
    if found is None and not calls & {"Plugin.Filter", "Plugin.Reserve"}:
        found = next((_no_rule(why) for call, why in NO_RULES.items() if call in calls), None)
    if found is not None or not {"Plugin.Filter", "podEventHandler.OnAdd"} <= calls:
        return found
    nodes = [one["object"] for one in script.case.get("objects") or []
             if one["object"].get("kind") == "Node"]
    return _amplified if any(noted(node, RATIO) for node in nodes) else None
