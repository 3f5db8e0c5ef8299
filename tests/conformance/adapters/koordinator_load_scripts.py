# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about measured load outside of filter and score: what a task is
likely to use, which percentile is looked at, and what a node carries while tasks come and go."""

from typing import Any, Callable

from adapters import koordinator_loads
from probe import Probe, Unanswerable

Json = dict[str, Any]

NAMES = ["cpu", "memory"]
# What the plug-in reads where a test sets nothing; only names that decide here.
ARGS: Json = {
    "AllowCustomizeEstimation": False,
    "EstimatedScalingFactors": {},
    "EstimatedSecondsAfterInitialized": None,
    "EstimatedSecondsAfterPodScheduled": None,
}
# A percentile that was not measured over this time: then estimates count alone.
UNKNOWN = {"percentile": "p0", "duration": 1}


def _object(script: Any, value: Any) -> Json | None:
    ref = (script.value(value) or {}).get("ref")
    found = [one["object"] for one in script.case.get("objects") or [] if one["ref"] == ref]
    return found[0] if found else None


def _args(script: Any) -> Json:
    [made] = script.calls("NewDefaultEstimator")
    return ARGS | {name: value for name, value in script.args(made)["args"].items()
                   if value is not None}


def _pod(pod: Json) -> Json:
    return pod | {
        "kind": "Pod",
        "metadata": {"name": "asker"} | (pod.get("metadata") or {}),
        "spec": {"containers": []} | (pod.get("spec") or {}),
    }


def _asker(estimate: list[Any], view: Json, nodes: list[str]) -> Json:
    everywhere = {name: {"thresholds": []} for name in nodes}
    return {"production": False, "assigned": 0, "estimate": estimate, "filter": everywhere,
            "score": view}


def _ask(probe: Probe, nodes: Json, asked: Json) -> Json:
    return probe.loads({"nodes": nodes, "weights": [], "dominant": 0}, [asked])[0]


def estimates(script: Any, probe: Probe) -> list[str]:
    """EstimatePod(): what a task is likely to use."""
    args, out = _args(script), []
    names = sorted(args["EstimatedScalingFactors"])
    for step in script.calls("Estimator.EstimatePod"):
        pod = _pod(_object(script, script.args(step)["pod"]) or {})
        asked = _asker(koordinator_loads.estimate(pod, args, names), {}, [])
        ours = dict(zip(names, _ask(probe, {}, asked)["estimate"], strict=True))
        _, theirs = script.variable("got", step["n"])
        if ours != theirs:
            out.append(f"step {step['n']}: {ours}, recorded {theirs}")
    return out


def aggregated(script: Any, probe: Probe) -> list[str]:
    """getTargetAggregatedUsage(): of a node without tasks: its load is what was measured."""
    [reported] = script.calls("podAssignCache.AddOrUpdateNodeMetric")
    metric = _object(script, script.args(reported)["metric"])
    assert metric is not None
    report, out = koordinator_loads.report(metric, NAMES), []
    for step in script.calls("nodeInfo.getTargetAggregatedUsage"):
        args = script.args(step)
        time = koordinator_loads.duration(args["aggregatedDuration"])
        nodes = {"n": {"capacity": [0, 0], "tasks": [], "report": report}}
        view = {"percentile": args["aggregationType"], "duration": time}
        load = _ask(probe, nodes, _asker([0, 0], view, ["n"]))["load"]["n"]
        if load != script.results[step["n"]]:
            out.append(f"step {step['n']}: {load}, recorded {script.results[step['n']]}")
    return out


def _counts(pod: Json | None, node: str) -> bool:
    """Whether a task is one of the node's."""
    if not pod or (pod.get("spec") or {}).get("nodeName") != node:
        return False
    ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    notes = (pod.get("metadata") or {}).get("annotations") or {}
    return not ended and notes.get("scheduling.koordinator.sh/reserve-pod") != "true"


def _carried(script: Any, probe: Probe, pods: list[Json], metric: Json, actual: Json) -> list[str]:
    """The three sums that the peer keeps of a node, each as the load in one view."""
    args, node = _args(script), metric["metadata"]["name"]
    # the reports have no time: every task is newer
    now = koordinator_loads.nanoseconds("2026-01-01T00:00:00Z")
    tasks = [koordinator_loads.task(_pod(pod), args, NAMES, now) for pod in pods
             if _counts(pod, node)]
    report = koordinator_loads.report({"status": {}} | metric, NAMES)
    nodes = {"n": {"capacity": [0, 0], "tasks": tasks, "report": report}}

    def both(usage: str, delta: str) -> list[int]:
        pair = actual.get(usage) or [0, 0], actual.get(delta) or [0, 0]
        return [used + more for used, more in zip(*pair, strict=True)]

    out = []
    for what, view, recorded in (
        ("load", {}, both("nodeUsage", "nodeDelta")),
        ("load of production", {"production": True}, both("prodUsage", "prodDelta")),
        ("estimates alone", UNKNOWN, both("", "nodeEstimated")),
    ):
        ours = _ask(probe, nodes, _asker([0, 0], view, ["n"]))["load"]["n"]
        if ours != recorded:
            out.append(f"{node}: {what} is {ours}, recorded {recorded}")
    return out


def books(script: Any, probe: Probe) -> list[str]:
    """podAssignCache: tasks come, change and go; looked at wherever the script looked."""
    pods: dict[str, Json] = {}
    metrics: dict[str, Json] = {}
    out, looked = [], 0
    for step in script.steps:
        call, args = step.get("call", ""), script.args(step)
        if call == "podAssignCache.AddOrUpdateNodeMetric":
            if (metric := _object(script, args["metric"])) is not None:
                metrics[metric["metadata"]["name"]] = metric
        elif call in ("podAssignCache.OnAdd", "podAssignCache.OnUpdate", "podAssignCache.OnDelete"):
            pod = _object(script, args["newObj"] if "newObj" in args else args["obj"])
            uid = ((pod or {}).get("metadata") or {}).get("uid")
            if pod is None or uid is None:
                continue
            if call.endswith("Delete"):
                pods.pop(uid, None)
            else:
                pods[uid] = pod
        elif call == "podAssignCache.getNodeInfo" and args["nodeName"] in metrics:
            for name in ("actual", "srcInfo", "dstInfo"):
                _, actual = script.variable(name, step["n"])
                if actual is not None:
                    looked += any(_counts(pod, args["nodeName"]) for pod in pods.values())
                    out += _carried(script, probe, list(pods.values()), metrics[args["nodeName"]],
                                    actual)
    if not looked:
        raise Unanswerable("tasks that no node carries: the caller passes them over")
    return out


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "Estimator.EstimatePod": estimates,
    "nodeInfo.getTargetAggregatedUsage": aggregated,
    "podAssignCache.OnAdd": books,
    "podAssignCache.OnUpdate": books,
}


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of measured load a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    return next((CALLS[call] for call in CALLS if call in calls), None)
