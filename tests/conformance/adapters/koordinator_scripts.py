# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts: what a test of it did, call after call. Calls that are one rule
of ours are asked again; the rest of a script only prepares them, and a script of which nothing is
left is not compared."""

from typing import Any, Callable

from adapters import koordinator_device_scripts, koordinator_load_scripts, koordinator_loads
from probe import Probe, Unanswerable

Json = dict[str, Any]


class Script:
    """The steps of a case, with what they came to."""

    def __init__(self, case: Json) -> None:
        self.case = case
        state, observed = case["state"], case.get("observed") or {}
        self.steps: list[Json] = [*(state.get("setup") or []), *(state.get("steps") or [])]
        self.named: dict[tuple[int, str], Any] = {}
        for step in self.steps:
            if "set" in step:
                self.named[step["n"], step["set"]] = step.get("value")
            for name, value in (step.get("args") or {}).items():
                self.named[step["n"], name] = value
            if "receiver" in step:
                self.named[step["n"], "receiver"] = step["receiver"]
        for check in (case.get("expect") or {}).get("checks") or []:
            if "expected" in check:
                self.named[check["n"], "check0"] = check["expected"]
        self.checks: list[Json] = observed.get("checks") or []
        self.results: Json = {}
        for result in observed.get("results") or []:
            self.named[result["n"], "result"] = result["result"]
            self.results[result["n"]] = result["result"]

    def value(self, value: Any) -> Any:
        """With what it refers to put in its place."""
        while isinstance(value, dict) and "same_as" in value:
            n, _, name = value["same_as"].partition(":")
            key = (int(n), name)
            if key not in self.named:
                raise Unanswerable("the record refers to a value that it does not hold")
            value = self.named[key]
        return value

    def args(self, step: Json) -> Json:
        return {name: self.value(value) for name, value in (step.get("args") or {}).items()}

    def variable(self, name: str, after: int) -> tuple[bool, Any]:
        """What a variable was set to by the call of step `after`, and whether that is recorded."""
        for step in self.steps:
            if step["n"] > after and "call" in step:
                break
            if step["n"] > after and step.get("set") == name:
                return True, self.value(step.get("value"))
        return False, None

    def calls(self, *names: str) -> list[Json]:
        return [step for step in self.steps if step.get("call") in names]


# --- CPU sets


def _take_cpus(script: Script, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("takeCPUs", "takePreferredCPUs"):
        args = script.args(step)
        held = {int(cpu): info for cpu, info in (args["allocatedCPUs"] or {}).items()}

        def of_level(level: str, held: Json = held) -> str:
            return ",".join(str(cpu) for cpu, info in held.items()
                            if info.get("ExclusivePolicy") == level)

        details = args["topology"]["CPUDetails"]
        question = {
            "machine": [[i["CPUID"], i["CoreID"], i["NodeID"], i["SocketID"]]
                        for i in details.values()],
            "available": args["availableCPUs"]["cpus"],
            "preferred": (args.get("preferredCPUs") or {}).get("cpus", ""),
            "count": args["numCPUsNeeded"],
            "full_cores": args["cpuBindPolicy"] == "FullPCPUs",
            "exclusive": {"PCPULevel": "core",
                          "NUMANodeLevel": "zone"}.get(args["cpuExclusivePolicy"], ""),
            "fewest_free": args["numaAllocatedStrategy"] == "MostAllocated",
            "core_exclusive": of_level("PCPULevel"),
            "zone_exclusive": of_level("NUMANodeLevel"),
        }
        if args["maxRefCount"] > 1:
            numbers = range(1 + max(int(cpu) for cpu in details))
            question["sharers"] = [held.get(cpu, {}).get("RefCount", 0) for cpu in numbers]
        known, result = script.variable("result", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        ours = probe.cpus(question)
        if (ours or "") != result["cpus"]:
            out.append(f"step {step['n']}: takes {ours}, recorded {result['cpus']}")
    return out


# --- measured load

# The arguments of the plug-in where a test sets none.
LOAD_AWARE: Json = {
    "Aggregated": None,
    "AllowCustomizeEstimation": False,
    "DominantResourceWeight": 0,
    "EnableScheduleWhenNodeMetricsExpired": False,
    "EstimatedScalingFactors": {"cpu": 85, "memory": 70},
    "EstimatedSecondsAfterInitialized": None,
    "EstimatedSecondsAfterPodScheduled": None,
    "FilterExpiredNodeMetrics": True,
    "NodeMetricExpirationSeconds": 180,
    "ProdUsageIncludeSys": False,
    "ProdUsageThresholds": None,
    "ResourceWeights": {"cpu": 1, "memory": 1},
    "ScoreAccordingProdUsage": False,
    "SupportedResources": None,
    "UsageThresholds": {"cpu": 65, "memory": 95},
}


def _loads(script: Script, probe: Probe) -> list[str]:
    """Plugin.Filter and Plugin.Score of the load-aware plug-in, each as the first step of a random
    case would be."""
    args = LOAD_AWARE | {
        step["set"].partition(".")[2]: step["value"]
        for step in script.steps
        if step.get("set", "").startswith("v1args.")
    }
    latest = {one["ref"].partition("#")[0]: one["object"] for one in script.case["objects"]}
    for assigned in script.case["state"]["inputs"].get("assignedPod") or []:
        pod = latest[assigned["pod"]["ref"].partition("#")[0]]
        scheduled = {"type": "PodScheduled", "status": "True",
                     "lastTransitionTime": assigned["timestamp"]}
        pod["status"] = (pod.get("status") or {}) | {"conditions": [scheduled]}
    metrics = [one["status"] for one in latest.values() if one["kind"] == "NodeMetric"]
    scores = [script.variable("score", step["n"])[1] for step in script.calls("Plugin.Score")]
    for status in metrics:
        if scores and "nodeMetric" not in status:
            if not all(scores):
                raise Unanswerable(
                    "the record does not tell an empty measurement, which is scored, from none")
            # without a measurement the score were 0
            status["nodeMetric"] = {"nodeUsage": {"resources": {}}}
    times = [status["updateTime"] for status in metrics]
    out = []
    for step in script.calls("Plugin.Filter", "Plugin.Score"):
        asker = (step["args"]["pod"] or {}).get("ref", "").partition("#")[0]
        pod = {"kind": "Pod"} | latest.get(asker, {})
        pod["metadata"] = {"name": "asker"} | pod.get("metadata", {})
        pod.setdefault("spec", {}).setdefault("containers", [])
        others = [one for ref, one in latest.items() if ref != asker]
        [node] = [one["metadata"]["name"] for one in others if one["kind"] == "Node"]
        asked: Json = {"pod": pod["metadata"]["name"]}
        if step["call"] == "Plugin.Filter":
            asked["filter"] = {node: script.results[step["n"]] or {"code": "Success"}}
        else:
            asked["score"] = {node: script.variable("score", step["n"])[1]}
        case = {
            "config": {"args": args},
            # When a test ran is not recorded; what it measured it measured just then.
            "state": {"now": max(times, default="2026-01-01T00:00:00Z")},
            "objects": [*others, pod],
            "observed": {"pods": [asked]},
        }
        out += koordinator_loads.loads(case, probe)
    return out


# --- NUMA hints


def _mask(bits: Json | None) -> int | None:
    return None if bits is None else sum(1 << bit for bit in bits["bits"])


def _hint(hint: Json) -> Json:
    return {
        "zones": _mask(hint.get("NUMANodeAffinity")),
        "preferred": hint.get("Preferred", False),
        "unsatisfied": hint.get("Unsatisfied", False),
        "score": hint.get("Score", 0),
    }


def _merge(script: Script, probe: Probe) -> list[str]:
    out = []
    names = [script.results[step["n"]] for step in script.calls("Policy.Name")
             if step["n"] in script.results]
    _, zones = script.variable("numaNodes", -1)
    for step in script.calls("Policy.Merge"):
        args = script.args(step)
        resources: list[Any] = []
        for provider in args["providersHints"] or []:
            for _, hints in sorted((provider or {}).items()):
                resources.append(None if hints is None else [_hint(hint) for hint in hints])
        states = args["allNUMANodeStatus"] if args["exclusivePolicy"] == "Required" else []
        got = probe.numa(
            {
                # A policy without zones is the one that needs none.
                "policy": names[0] if names else "none",
                "zones": sum(1 << zone for zone in zones or []),
                "scored": resources,
                "alone": states or [],
            }
        )
        admitted = got.pop("admitted")
        known, hint = script.variable("result", step["n"])
        if not known:
            found = [c["actual"] for c in script.checks if c["n"] > step["n"]
                     and c["what"] == "actual"]
            if not found:
                raise Unanswerable("the record does not hold what the call returned")
            hint = script.value(found[0])
        if got != _hint(hint):
            out.append(f"step {step['n']}: {got}, recorded {_hint(hint)}")
        known, admit = script.variable("admit", step["n"])
        if known and admitted != admit:
            out.append(f"step {step['n']}: admitted {admitted}, recorded {admit}")
    return out


def _exclusive(script: Script, probe: Probe) -> list[str]:
    """checkExclusivePolicy(hint, policy, states of the zones): whether a hint stays preferred."""
    out = []
    for step in script.calls("checkExclusivePolicy"):
        args = script.args(step)
        states = args["allNUMANodeStatus"] or []
        got = probe.numa(
            {
                "policy": "restricted",
                "zones": (1 << len(states)) - 1,
                "scored": [[_hint(args["affinity"]) | {"preferred": True}]],
                "alone": states if args["exclusivePolicy"] == "Required" else [],
            }
        )
        if got["admitted"] != script.results[step["n"]]:
            out.append(f"step {step['n']}: {got['admitted']}, recorded {script.results[step['n']]}")
    return out


ADMITS = {
    "nonePolicy.canAdmitPodResult": "none",
    "bestEffortPolicy.canAdmitPodResult": "best-effort",
    "restrictedPolicy.canAdmitPodResult": "restricted",
    "singleNumaNodePolicy.canAdmitPodResult": "single-numa-node",
}


def _admits(script: Script, probe: Probe) -> list[str]:
    """canAdmitPodResult(hint): of a task of one resource that has this hint alone."""
    out = []
    for step in script.calls(*ADMITS):
        hint = _hint(script.args(step)["hint"])
        got = probe.numa({"policy": ADMITS[step["call"]], "zones": 0b11, "scored": [[hint]],
                          "alone": []})
        if got["admitted"] != script.results[step["n"]]:
            out.append(f"step {step['n']}: {got['admitted']}, recorded {script.results[step['n']]}")
    return out


def _single_zone(script: Script, probe: Probe) -> list[str]:
    """filterSingleNumaHints(): a hint stays exactly if a task of one resource that has it alone is
    admitted."""
    out = []
    for step in script.calls("filterSingleNumaHints"):
        resources = script.args(step)["allResourcesHints"] or []
        if not resources:
            raise Unanswerable("no hints: nothing that could stay")
        kept = []
        for hints in resources:
            asked = [{"policy": "single-numa-node", "zones": 0b111, "scored": [[_hint(h)]],
                      "alone": []} for h in hints]
            kept.append([h for h, one in zip(hints, asked, strict=True)
                         if probe.numa(one)["admitted"]])
        recorded = [hints or [] for hints in script.results[step["n"]]]
        if kept != recorded:
            out.append(f"step {step['n']}: stay {kept}, recorded {recorded}")
    return out


RULES: dict[str, Callable[[Script, Probe], list[str]]] = {
    "Plugin.Filter": _loads,
    "Plugin.Score": _loads,
    "Policy.Merge": _merge,
    "checkExclusivePolicy": _exclusive,
    "filterSingleNumaHints": _single_zone,
    **dict.fromkeys(ADMITS, _admits),
    "takeCPUs": _take_cpus,
    "takePreferredCPUs": _take_cpus,
}


def _whole_script(script: Script) -> Any:
    # Later than this module, which the quotas' own module imports.
    from adapters import (
        koordinator_cpu_scripts,
        koordinator_nominations,
        koordinator_numa_scripts,
        koordinator_quota_scripts,
        koordinator_reservation_cycles,
        koordinator_reservation_scripts,
        koordinator_rooms,
        koordinator_states,
    )

    rooms = (koordinator_rooms, koordinator_quota_scripts, koordinator_device_scripts,
             koordinator_load_scripts, koordinator_reservation_scripts, koordinator_cpu_scripts,
             koordinator_states, koordinator_nominations)
    if script.case.get("test", "").startswith("scheduler-plugins-nodenumaresource."):
        rooms = (koordinator_cpu_scripts, koordinator_numa_scripts)
    if found := next((found for room in rooms if (found := room.rule(script))), None):
        return found
    if script.case["test"].startswith("scheduler-plugins-reservation."):
        return koordinator_reservation_cycles.run
    return None


def _as_cycle(script: Script, probe: Probe, first: Unanswerable) -> list[str]:
    """What one call of a script of reservations cannot answer, its whole cycle may."""
    from adapters import koordinator_reservation_cycles

    if not script.case["test"].startswith("scheduler-plugins-reservation."):
        raise first
    try:
        return koordinator_reservation_cycles.run(script, probe)
    except Unanswerable:
        raise first from None


def run(level: str, case: Json, probe: Probe) -> list[str]:
    """How our answers differ from the recorded ones."""
    script = Script(case)
    try:
        if whole := _whole_script(script):
            return whole(script, probe)
    except Unanswerable as first:
        return _as_cycle(script, probe, first)
    rules = {RULES[step["call"]]: None for step in script.steps if step.get("call") in RULES}
    # Other plug-ins have a Filter and a Score, too; this one's arguments are of measured load.
    own = {"v1args.FilterExpiredNodeMetrics", "v1args.ScoreAccordingProdUsage"}
    if own.isdisjoint(step.get("set") for step in script.steps):
        rules.pop(_loads, None)
    if not rules:
        raise Unanswerable(
            f"recorded scripts of Koordinator's {level} tests of which no call is one rule of ours, "
            "or not yet")
    return [line for rule in rules for line in rule(script, probe)]
