# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's random suite of measured load: filter and score of nodes for tasks one after the
other."""

import json
import math
import re
from datetime import datetime
from typing import Any

import importers
import quantity
from probe import Probe

Case = dict[str, Any]

ANNOTATION = "scheduling.koordinator.sh/"
SECOND = 10**9
CLASSES = {"koord-prod": "prod", "koord-mid": "mid", "koord-batch": "batch", "koord-free": "free"}
BANDS = (("prod", 9000), ("mid", 7000), ("batch", 5000), ("free", 3000))


def nanoseconds(text: str) -> int:
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()) * SECOND


def duration(text: Any) -> int:
    """Of "1h5m0s", or of a number of nanoseconds."""
    if not isinstance(text, str):
        return int(text or 0)
    units = {"h": 3600, "m": 60, "s": 1}
    return sum(int(n) * units[u] * SECOND for n, u in re.findall(r"(\d+)([hms])", text))


def amount(name: str, value: Any) -> int:
    return math.ceil(value * 1000 if name == "cpu" else value)


def vector(names: list[str], values: dict[str, Any] | None) -> list[int]:
    read = quantity.parse_map(values, "resources")
    return [amount(name, read.get(name, 0)) for name in names]


def factors(names: list[str], values: dict[str, int] | None) -> list[int]:
    return [(values or {}).get(name, 0) for name in names]


def priority_class(pod: dict[str, Any]) -> str:
    meta, spec = pod["metadata"], pod.get("spec", {})
    labels = meta.get("labels") or {}
    if (label := labels.get("koordinator.sh/priority-class")) in CLASSES:
        return CLASSES[label]
    if (priority := spec.get("priority")) is not None:
        for name, least in BANDS:
            if least <= priority <= least + 999:
                return name
    if (qos := labels.get("koordinator.sh/qosClass")) in ("LSE", "LSR", "LS", "SYSTEM"):
        return "prod"
    if qos == "BE":
        return "batch"
    for container in (spec.get("containers") or []) + (spec.get("initContainers") or []):
        held = container.get("resources") or {}
        for kind in ("requests", "limits"):
            named = quantity.parse_map(held.get(kind), "resources")
            if any(named.get(name, 0) > 0 for name in ("cpu", "memory")):
                return "prod"
    return "batch"


def limits(pod: dict[str, Any]) -> dict[str, Any]:
    """Of containers side by side; the suite has no others."""
    out: dict[str, Any] = {}
    for container in pod["spec"].get("containers") or []:
        held = quantity.parse_map((container.get("resources") or {}).get("limits"), "limits")
        for name, value in held.items():
            out[name] = out.get(name, 0) + value
    return out


def estimate(pod: dict[str, Any], args: dict[str, Any], names: list[str]) -> list[Any]:
    """Of each resource what is expected, or [request, limit, percentage]."""
    _, requests = importers.requests(pod)
    upper, kind = limits(pod), priority_class(pod)
    scaling = dict(args["EstimatedScalingFactors"] or {})
    own = (pod["metadata"].get("annotations") or {}).get(ANNOTATION +
                                                         "load-estimated-scaling-factors")
    if args["AllowCustomizeEstimation"] and own:
        scaling |= json.loads(own)
    out = []
    for name in names:
        if name not in scaling:
            out.append(0)
            continue
        real = name
        if kind in ("mid", "batch"):
            real = f"kubernetes.io/{kind}-{name}"
        elif kind == "free":
            real = ""
        request, limit = (amount(real, values.get(real, 0)) for values in (requests, upper))
        if request or limit:
            out.append([request, limit, scaling[name]])
        else:
            usual = {"cpu": 250, "memory": 200 * 2**20}
            out.append(usual[name] if kind in ("prod", "batch") and name in usual else 0)
    return out


def condition(pod: dict[str, Any], kind: str) -> int | None:
    for entry in pod.get("status", {}).get("conditions") or []:
        if entry["type"] == kind and entry["status"] == "True" and entry.get("lastTransitionTime"):
            return nanoseconds(entry["lastTransitionTime"])
    return None


def warming(pod: dict[str, Any], args: dict[str, Any], assigned: int) -> dict[str, Any]:
    """What decides how long a task counts with its estimate."""
    notes = pod["metadata"].get("annotations") or {}

    def seconds(own: str, default: str) -> int:
        text = notes.get(ANNOTATION + own, "")
        if args.get("AllowCustomizeEstimation") and re.fullmatch(r"\d+", text):
            return int(text)
        return -1 if args.get(default) is None else args[default]

    return {
        "assigned": assigned,
        "initialized": condition(pod, "Initialized"),
        "warm_up": [
            seconds("load-estimated-seconds-after-pod-scheduled",
                    "EstimatedSecondsAfterPodScheduled"),
            seconds("load-estimated-seconds-after-initialized",
                    "EstimatedSecondsAfterInitialized"),
        ],
    }


def task(pod: dict[str, Any], args: dict[str, Any], names: list[str], now: int) -> dict[str, Any]:
    meta = pod["metadata"]
    scheduled = condition(pod, "PodScheduled")
    return {
        "name": f"{meta.get('namespace', '')}/{meta['name']}",
        "estimate": estimate(pod, args, names),
        "production": priority_class(pod) == "prod",
    } | warming(pod, args, now if scheduled is None else scheduled)


def report(metric: dict[str, Any], names: list[str]) -> dict[str, Any]:
    status = metric["status"]
    measured = status.get("nodeMetric") or {}

    def usage(holder: dict[str, Any] | None) -> list[int]:
        return vector(names, (holder or {}).get("resources"))

    policy = metric.get("spec", {}).get("metricCollectPolicy") or {}
    return {
        # Without a time every task is newer.
        "time": nanoseconds(status["updateTime"]) if status.get("updateTime") else 0,
        "interval": policy.get("reportIntervalSeconds", 60) * SECOND,
        "usage": usage(measured.get("nodeUsage")),
        "system": usage(measured.get("systemUsage")),
        "tasks": [
            {
                "name": f"{entry.get('namespace', '')}/{entry['name']}",
                "usage": usage(entry["podUsage"]),
                "production": entry.get("priority") == "koord-prod",
            }
            for entry in status.get("podsMetric") or []
            if (entry.get("podUsage") or {}).get("resources")
        ],
        "aggregated": [
            [percentile, duration(entry["duration"]), usage(value)]
            for entry in measured.get("aggregatedNodeUsages") or []
            for percentile, value in (entry.get("usage") or {}).items()
            if value.get("resources")
        ],
    }


def filter_view(node: dict[str, Any], args: dict[str, Any], production: bool,
                names: list[str]) -> Any:
    """Thresholds and the view they are compared with: the node's own where it has some."""
    text = (node["metadata"].get("annotations") or {}).get(ANNOTATION + "usage-thresholds")
    own = json.loads(text) if text else {}
    prod = own.get("prodUsageThresholds") or args["ProdUsageThresholds"]
    if any(factors(names, prod)) and production:
        return {
            "production": True,
            "with_system": args["ProdUsageIncludeSys"],
            "thresholds": factors(names, prod),
        }
    for holder, keys in (
        (own.get("aggregatedUsage"), ("usageThresholds", "usageAggregationType",
                                      "usageAggregatedDuration")),
        (args["Aggregated"], ("UsageThresholds", "UsageAggregationType",
                              "UsageAggregatedDuration")),
    ):
        thresholds, percentile, time = ((holder or {}).get(key) for key in keys)
        if thresholds and percentile:
            return {
                "percentile": percentile,
                "duration": duration(time),
                "thresholds": factors(names, thresholds),
            }
    return {"thresholds": factors(names, own.get("usageThresholds") or args["UsageThresholds"])}


def loads(case: Case, probe: Probe) -> list[str]:
    args, now = case["config"]["args"], nanoseconds(case["state"]["now"])
    aggregated = args["Aggregated"] or {}
    keys = ("UsageThresholds", "ProdUsageThresholds", "ResourceWeights", "EstimatedScalingFactors")
    names = sorted(
        {"cpu", "memory"}.union(*(args[key] or {} for key in keys))
        | set(aggregated.get("UsageThresholds") or {})
        | set(args["SupportedResources"] or [])
    )
    named: dict[str, dict[str, Any]] = {"Node": {}, "NodeMetric": {}, "Pod": {}}
    for thing in case["objects"]:
        named[thing["kind"]][thing["metadata"]["name"]] = thing
    expired = {}
    nodes = {}
    for name, node in named["Node"].items():
        raw = (node["metadata"].get("annotations") or {}).get("node.koordinator.sh/raw-allocatable")
        nodes[name] = {
            "capacity": vector(names, node["status"]["allocatable"] |
                               (json.loads(raw) if raw else {})),
            "tasks": [
                task(pod, args, names, now)
                for pod in named["Pod"].values()
                if pod["spec"].get("nodeName") == name
                and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")
            ],
        }
        metric = named["NodeMetric"].get(name)
        if metric is None:
            continue
        time = metric.get("status", {}).get("updateTime")
        oldest = (args["NodeMetricExpirationSeconds"] or 0) * SECOND
        expired[name] = time is None or 0 < oldest <= now - nanoseconds(time)
        if metric.get("status", {}).get("nodeMetric"):
            nodes[name]["report"] = report(metric, names)
    ops = []
    for step in case["observed"]["pods"]:
        pod = named["Pod"][step["pod"]]
        op = task(pod, args, names, now)
        op["filter"] = {
            name: filter_view(node, args, op["production"], names)
            for name, node in named["Node"].items()
        }
        op["score"] = {}
        if args["ScoreAccordingProdUsage"] and op["production"]:
            op["score"] = {"production": True, "with_system": args["ProdUsageIncludeSys"]}
        elif percentile := aggregated.get("ScoreAggregationType"):
            time = duration(aggregated.get("ScoreAggregatedDuration"))
            op["score"] = {"percentile": percentile, "duration": time}
        if step.get("reservedOn"):
            op["node"] = step["reservedOn"]
        ops.append(op)
    options = {
        "nodes": nodes,
        "weights": factors(names, args["ResourceWeights"]),
        "dominant": args["DominantResourceWeight"],
    }
    out = []
    for op, answer, step in zip(ops, probe.loads(options, ops), case["observed"]["pods"],
                                strict=True):
        owners = named["Pod"][step["pod"]]["metadata"].get("ownerReferences") or []
        for name in named["Node"]:
            fits, score = answer["fits"][name], answer["score"][name]
            if expired.get(name):
                score = 0
                if args["FilterExpiredNodeMetrics"]:
                    fits = bool(args["EnableScheduleWhenNodeMetricsExpired"]) or not any(
                        op["filter"][name]["thresholds"]
                    )
            if any(owner["kind"] == "DaemonSet" for owner in owners):
                fits = True
            filtered = (step.get("filter") or {}).get(name)
            if filtered and fits != (filtered["code"] == "Success"):
                out.append(f"{step['pod']} on {name}: fits {fits}, recorded {filtered}")
            if name in (step.get("score") or {}) and score != step["score"][name]:
                out.append(
                    f"{step['pod']} on {name}: score {score}, recorded {step['score'][name]}")
    return out
