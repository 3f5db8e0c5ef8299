# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of steps inside policies usage and resource-strategy-fit, and of what reads
arguments.

A step becomes a world of one node; its score, or its fit, is the step's result and nothing else.
What reads arguments is asked of the importer of configurations.
"""

import re
from datetime import datetime
from typing import Any, Callable

import importers
from amount_units import EMPTY, differences
from book_units import amounts_request
from probe import Probe, Unanswerable

Json = dict[str, Any]
Unit = Callable[[Probe, Json, bool], list[str]]

NODE, ASKER = "n", "asker"
LARGE = 1_000_000  # cores in thousandths


def _world(policy: str, node: Json, tasks: list[Json], request: Json, now: int = 0) -> Json:
    asker = {"name": ASKER, "job": "j", "shape": {"request": request}}
    return {
        "muster": 1,
        "nodes": [{"name": NODE} | node],
        "queues": [{"name": "default"}],
        "jobs": [{"name": "j", "queue": "default"}],
        "tasks": [asker, *tasks],
        "profile": f"volcano:tiers={policy}",
        "options": {"now": now},
    }


def _score(probe: Probe, world: Json) -> float:
    return probe.session(world, [["score", ASKER, NODE]])[0]


def _want(case: Json) -> Any:
    return case["observed"]["results"][0]


# --- usage


def _busy(probe: Probe, percent: tuple[float, float], options: Json, **world: Any) -> float:
    """The usage policy's score of a node that is so busy."""
    capacity = {"cpu": f"{world.get('capacity', LARGE)}m", "memory": LARGE}
    measured = {"cpu": f"{percent[0]:.9g}", "memory": f"{percent[1]:.9g}", "measured": 0}
    words = ",".join(f"{key}={value}" for key, value in options.items())
    tasks = [
        {"name": f"t{i}", "shape": {"request": {}}, "node": NODE} | task
        for i, task in enumerate(world.get("tasks", []))
    ]
    node = {"capacity": capacity, "usage": measured}
    return _score(probe, _world(f"usage({words},without=fit)", node, tasks, {}))


def _part(probe: Probe, percent: float, options: Json, **world: Any) -> float:
    """What part of the node's cpu counts as used."""
    alone = {"weight": 1, "cpu": 1, "memory": 0}
    return 1 - _busy(probe, (percent, 0), alone | options, **world) / 100


PLAIN = {"request_ratio": 1, "risk_factor": 1}


def _composite(probe: Probe, case: Json, _: bool) -> list[str]:
    """CalcCompositeUtilization(measured percent, estimate, capacity)."""
    percent, estimate, capacity = case["state"]["args"]
    tasks = [{"shape": {"request": {"cpu": f"{estimate}m"}}, "status": "bound"}] if estimate else []
    return differences(_part(probe, percent, PLAIN, capacity=capacity, tasks=tasks), _want(case))


def _risk(probe: Probe, case: Json, _: bool) -> list[str]:
    """CalcAppliedRiskFactor(load, threshold, factor)."""
    load, threshold, factor = case["state"]["args"]
    if factor < 1:
        raise Unanswerable("an option that no profile takes: the importer puts the default for it")
    options = {"request_ratio": 0.1, "risk_threshold": threshold, "risk_factor": factor}
    task = {"shape": {"request": {"cpu": "100000m"}}, "status": "bound"}
    raised = _part(probe, 100 * load, options, tasks=[task]) - load
    return differences(raised * LARGE / 10000, _want(case))


def _load(probe: Probe, case: Json, _: bool) -> list[str]:
    """CalcLoadCompositePercentage(cpu, memory, and their weights). Without weights there is no
    score either."""
    cpu, memory, of_cpu, of_memory = case["state"]["args"]
    score = _busy(probe, (100 * cpu, 100 * memory),
                  {"weight": 1, "cpu": of_cpu, "memory": of_memory})
    return differences(1 - score / 100 if of_cpu + of_memory else score, _want(case))


def _usage_score(probe: Probe, case: Json, _: bool) -> list[str]:
    """CalcNodeScore(cpu, memory, their weights, the whole's weight)."""
    cpu, memory, of_cpu, of_memory, weight = case["state"]["args"]
    options = {"weight": weight, "cpu": of_cpu, "memory": of_memory}
    return differences(_busy(probe, (100 * cpu, 100 * memory), options), _want(case))


def _best_effort(probe: Probe, case: Json, _: bool) -> list[str]:
    """EstimateBestEffortResource(amount, risk)."""
    amount, risk = case["state"]["args"]
    if amount < 0:
        raise Unanswerable("an option that no profile takes: the importer puts the default for it")
    options = {"best_effort_cpu": amount, "risk_threshold": 0, "risk_factor": risk}
    return differences(_part(probe, 0, options, tasks=[{"status": "bound"}]) * LARGE, _want(case))


def _estimate(probe: Probe, case: Json, _: bool) -> list[str]:
    """EstimatePodResource(request, limit, part of the request, part of what is between the two,
    risk)."""
    request, limit, ratio, burst, risk = case["state"]["args"]
    if burst and limit or request * ratio * risk > request:
        raise Unanswerable("limits of containers are not known here")
    options = {"request_ratio": ratio, "risk_threshold": 0, "risk_factor": risk}
    task = {"shape": {"request": {"cpu": f"{request}m"}}, "status": "bound"}
    return differences(_part(probe, 0, options, tasks=[task]) * LARGE, _want(case))


def _seconds(text: str | None) -> int:
    """Seconds since 1970 of a time stamp; 0: none."""
    return int(datetime.fromisoformat(text).timestamp() // 1) if text else 0


def _duration(text: str) -> int:
    """Seconds of a duration such as 1h5m."""
    units = {"h": 3600, "m": 60, "s": 1}
    return sum(int(n) * units[u] for n, u in re.findall(r"(\d+)([hms])", text))


def _is_young(probe: Probe, case: Json, _: bool) -> list[str]:
    """shouldAddToShadowCache(task, interval). The record's clock stood seven minutes after the
    youngest start."""
    task, interval = case["state"]["args"]
    status = task["Status"].lower()
    if status == "allocated" or "NodeName" not in task or status == "pending":
        raise Unanswerable("a status that no world tells of together with its node")
    known: Json = {"status": status, "shape": {"request": {"cpu": "1000m"}}}
    started = _seconds(task.get("Pod", {}).get("status", {}).get("startTime"))
    if started:
        known["started"] = started - RECORDED
    elif status == "succeeded":
        known["node"] = ""
    part = _part(probe, 0, PLAIN | {"interval": _duration(interval)}, tasks=[known])
    return differences(part > 0, _want(case))


# 2026-11-21 10:58:02, when the tests of usage ran: their newest measurement is of that second.
RECORDED = 1795258682


# --- resource-strategy-fit


def _strategies(resources: Json) -> str:
    words = ""
    for name, how in resources.items():
        kind = "most" if how["type"] == "MostAllocated" else "least"
        words += f",{kind}.{name}={how['weight']}"
    return words


def _node_with(idle: Json, used: Json) -> tuple[Json, list[Json]]:
    """A node that is so full, and the task that fills it. A negative rest is more held than there
    is."""
    held = {"name": "held", "shape": {"request": amounts_request(used)}, "status": "running",
            "node": NODE}
    return {"capacity": amounts_request(idle)}, [held]


def _fit_score(probe: Probe, case: Json, _: bool) -> list[str]:
    """Score(task, node, strategies)."""
    task, node, strategy = case["state"]["args"]
    if task["Pod"].get("metadata", {}).get("annotations"):
        raise Unanswerable("strategies in annotations of pods are not read")
    spec, tasks = _node_with(node["Allocatable"], node["Used"])
    weight = strategy["resourceStrategyFitWeight"]
    policy = f"resource-strategy-fit(weight={weight}{_strategies(strategy['resources'])})"
    request = amounts_request(task["Resreq"])
    return differences(_score(probe, _world(policy, spec, tasks, request)), _want(case))


def _one_strategy(word: str) -> Unit:
    def run(probe: Probe, case: Json, _: bool) -> list[str]:
        """leastRequestedScore, mostRequestedScore(request, used, capacity, weight): of one
        dimension."""
        request, used, capacity, weight = case["state"]["args"]
        cpu = EMPTY | {"milliCPU": 1}
        node, tasks = _node_with(cpu | {"milliCPU": capacity}, cpu | {"milliCPU": used})
        policy = f"resource-strategy-fit(weight=1,{word}.cpu={weight})"
        score = _score(probe, _world(policy, node, tasks, {"cpu": f"{request}m"}))
        return differences(score / 100 * weight, _want(case))

    return run


def _which_strategy(probe: Probe, case: Json, _: bool) -> list[str]:
    """findResourceConfigWithPrefix(dimension, strategies): a quarter of it is requested, and
    nothing else."""
    name, resources = case["state"]["args"]
    found, there = case["observed"]["results"]
    # Where no strategy is given at all, cpu and memory have theirs.
    policy = f"resource-strategy-fit(weight=1{_strategies(resources)})"
    node = {"capacity": {"cpu": 4, "memory": 4, name: 4}}
    score = _score(probe, _world(policy, node, [], {name: 1}))
    want = 0.0
    if there:
        want = 25.0 if found["type"] == "MostAllocated" else 75.0
    return differences(score, want)


def _keeps_reserve(probe: Probe, case: Json, _: bool) -> list[str]:
    """checkNodeResourceIsProportional(task, node, rates)."""
    task, node, rates = case["state"]["args"]
    words = ",".join(
        f"reserve_cpu.{name}={rate['CPU']},reserve_memory.{name}={rate['Memory']}"
        for name, rate in rates.items()
    )
    spec = {"capacity": amounts_request(node["Idle"])}
    policy = f"resource-strategy-fit(weight=0,{words})"
    world = _world(policy, spec, [], amounts_request(task["Resreq"]))
    [fits] = probe.session(world, [["fits", ASKER, NODE]])
    return differences(fits, case["observed"]["results"][1] is None)


# --- arguments


def _options(policy: str, arguments: Json) -> Json:
    """What the importer makes of them."""
    conf = {"tiers": [{"plugins": [{"name": policy, "arguments": arguments}]}]}
    words = importers.profile(conf).partition("(")[2].rpartition(")")[0]
    return dict(word.split("=") for word in words.split(",") if word)


USAGE = {
    "usageWeight": ("weight", 5),
    "cpuWeight": ("cpu", 1),
    "memoryWeight": ("memory", 1),
    "cpuThresholds": ("cpu_threshold", 80),
    "memThresholds": ("memory_threshold", 80),
    "requestRatio": ("request_ratio", 0.7),
    "riskThreshold": ("risk_threshold", 0.6),
    "riskFactor": ("risk_factor", 1.2),
    "beCPU": ("best_effort_cpu", 250),
    "beMemory": ("best_effort_memory", 209715200),
}


DOMAINS = {
    "GlobalWeight": ("weight", 1),
    "HyperNodeBinPackingCPU": ("cpu", 1),
    "HyperNodeBinPackingMemory": ("memory", 1),
    "maxHyperNodesForEviction": ("evict_domains", 8),
    "hyperNodeBinPackingFading": ("fading", 0.8),
}


def _new(probe: Probe, case: Json, _: bool) -> list[str]:
    """New(arguments), of usage or of network-topology-aware."""
    want, arguments = _want(case), case["state"]["args"][0]
    if "usageWeight" in want:
        got = _options("usage", arguments)
        given = {key: float(got.get(option, unset)) for key, (option, unset) in USAGE.items()}
        return differences(given, {key: want[key] for key in USAGE})
    try:
        got = _options("network-topology-aware", arguments)
    except ValueError as failure:
        raise Unanswerable(
            "an argument that the importer refuses, where the peer takes its default") from failure
    given = {key: float(got.get(option, unset)) for key, (option, unset) in DOMAINS.items()}
    flat = {"hyperNodeBinPackingFading": 0} | want | want["weight"] | want["normalPodConfig"]
    lines = differences(given, {key: flat[key] for key in DOMAINS})
    packs = got.get("normal_tasks", "on") == "on"
    lines += differences(packs, want["normalPodConfig"].get("hyperNodeBinPackingEnable", False),
                         "normal_tasks ")
    resources = {
        name.removeprefix("resource."): float(weight) for name, weight in got.items()
        if name.startswith("resource.")
    }
    return lines + differences(resources, want["weight"]["HyperNodeBinPackingResources"],
                               "resource.")


def _weights(probe: Probe, case: Json, _: bool) -> list[str]:
    """calculateWeight(arguments)."""
    want = _want(case)
    got = _options("resource-strategy-fit", case["state"]["args"][0])
    strategies = {key: float(value) for key, value in got.items() if "." in key}
    if not strategies:
        strategies = {"least.cpu": 1, "least.memory": 1}
    wanted = _strategies(want["resources"]).split(",")[1:]
    lines = differences(strategies, {w.split("=")[0]: float(w.split("=")[1]) for w in wanted})
    return lines + differences(float(got.get("weight", 10)), want["resourceStrategyFitWeight"])


def _window(probe: Probe, case: Json, _: bool) -> list[str]:
    """parseRevocableZone(text): its two moments are of the day on which the test ran, or of the
    next."""
    begins, ends, error = case["observed"]["results"]
    window = importers.window(case["state"]["args"][0])
    if error is not None:
        return differences(window, None)
    first, last = (_seconds(t) for t in (begins, ends))
    midnight = first - first % 86400
    begin, end = window if window is not None else (None, None)
    if window is not None and end <= begin:
        end += 24 * 60
    return differences([begin, end], [(first - midnight) // 60, (last - midnight) // 60])


UNITS: dict[str, Unit] = {
    "CalcAppliedRiskFactor": _risk,
    "CalcCompositeUtilization": _composite,
    "CalcLoadCompositePercentage": _load,
    "CalcNodeScore": _usage_score,
    "EstimateBestEffortResource": _best_effort,
    "EstimatePodResource": _estimate,
    "New": _new,
    "Score": _fit_score,
    "calculateWeight": _weights,
    "checkNodeResourceIsProportional": _keeps_reserve,
    "findResourceConfigWithPrefix": _which_strategy,
    "leastRequestedScore": _one_strategy("least"),
    "mostRequestedScore": _one_strategy("most"),
    "parseRevocableZone": _window,
    "shouldAddToShadowCache": _is_young,
}
