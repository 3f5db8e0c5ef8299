# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about room for batch and mid work."""

from typing import Any

from adapters.koordinator_objects import (
    annotation, marks, name_of, nanoseconds, of_kind, pair, requests, resolved, thousandths)
from probe import Probe, Unanswerable

Json = dict[str, Any]

BATCH = ("kubernetes.io/batch-cpu", "kubernetes.io/batch-memory")
MID = ("kubernetes.io/mid-cpu", "kubernetes.io/mid-memory")
RATIO = "node.koordinator.sh/cpu-normalization-ratio"
UNSEEN_TIME = "when the test ran is not recorded: how old a measurement was is not known"


# --- objects


def _cpus(text: str) -> int | None:
    """How many CPUs a list such as 0-3,8 names; None where it cannot be read."""
    cpus: set[int] = set()
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus |= set(range(int(first), int(last or first) + 1))
    except ValueError:
        return None
    return len(cpus)


def _reserved(node: Json) -> list[int]:
    mark = annotation(node, "node.koordinator.sh/reservation") or {}
    amounts = pair(mark.get("resources"))
    if listed := mark.get("reservedCPUs"):
        count = _cpus(listed)
        return [0, 0] if count is None else [count * 1000, amounts[1]]
    return amounts


def task(pod: Json) -> Json:
    asked = requests(pod)
    status = annotation(pod, "scheduling.koordinator.sh/resource-status") or {}
    return {
        "name": name_of(pod),
        "request": [asked.get("cpu", 0), asked.get("memory", 0)],
        "marks": marks(pod),
        "active": (pod.get("status") or {}).get("phase") in ("Running", "Pending"),
        "zones": [zone["node"] for zone in status.get("numaNodeResources") or []],
    }


def _zones(script: Any, node: Json) -> list[tuple[str, list[int]]]:
    name = node["metadata"]["name"]
    for topology in of_kind(script, "NodeResourceTopology"):
        zones = topology.get("zones") or []
        tables = [{one["name"]: one.get("allocatable", "0") for one in zone.get("resources") or []}
                  for zone in zones]
        if topology.get("metadata", {}).get("name") == name and any(
                {"cpu", "memory"} & set(table) for table in tables):
            return [(zone["name"], pair(table)) for zone, table in zip(zones, tables, strict=True)]
    return []


def node_of(node: Json, pods: list[Json], zones: list[list[int]]) -> Json:
    status = node.get("status") or {}
    return {
        "capacity": pair(status.get("capacity")),
        "allocatable": pair(status.get("allocatable")),
        "reserved": _reserved(node),
        "tasks": [task(pod) for pod in pods],
        "zones": zones,
    }


def measured(metric: Json) -> Json:
    status = metric.get("status") or {}
    of_node = status.get("nodeMetric") or {}
    usage = (of_node.get("nodeUsage") or {}).get("resources")
    predicted = (status.get("prodReclaimableMetric") or {}).get("resource") or {}
    return {
        "time": nanoseconds(status.get("updateTime")),
        "system": pair((of_node.get("systemUsage") or {}).get("resources")),
        "node": pair(usage) if {"cpu", "memory"} <= set(usage or {}) else None,
        "reclaimable": pair(predicted["resources"]) if predicted.get("resources") else None,
        "tasks": [{"name": name_of(one),
                   "usage": pair((one.get("podUsage") or {}).get("resources")),
                   "band": one.get("priority", "")} for one in status.get("podsMetric") or []],
        "processes": [{"usage": pair((one.get("usage") or {}).get("resources")),
                       "band": one.get("priority", "")}
                      for one in status.get("hostApplicationMetric") or []],
    }


def batch_rules(strategy: Json) -> Json:
    return {
        "cpu_policy": strategy.get("cpuCalculatePolicy", "usage"),
        "memory_policy": strategy.get("memoryCalculatePolicy", "usage"),
        "cpu_reclaim": strategy.get("cpuReclaimThresholdPercent"),
        "memory_reclaim": strategy.get("memoryReclaimThresholdPercent"),
        "most_cpu": strategy.get("batchCPUThresholdPercent"),
        "most_memory": strategy.get("batchMemoryThresholdPercent"),
    }


def mid_rules(strategy: Json) -> Json:
    return {
        "static": strategy.get("midReclaimMode") == "static",
        "static_cpu": strategy.get("midStaticCPUReservedPercent"),
        "static_memory": strategy.get("midStaticMemoryReservedPercent"),
        "most_cpu": strategy.get("midCPUThresholdPercent"),
        "most_memory": strategy.get("midMemoryThresholdPercent"),
        "unallocated": strategy.get("midUnallocatedPercent"),
    }


# --- calls


class Call:
    """Arguments of a Calculate, and what it returned by the name of each resource."""

    def __init__(self, script: Any, step: Json) -> None:
        args = {name: resolved(script, value) for name, value in script.args(step).items()}
        metrics = args.get("resourceMetrics") or args.get("metrics") or {}
        self.strategy = args.get("strategy")
        self.node = args.get("node")
        self.pods = (args.get("podList") or {}).get("items")
        self.metric = resolved(script, metrics.get("NodeMetric"))
        known, got = script.variable("got", step["n"])
        wanted = got if known else script.case["expect"].get("want")
        if None in (self.strategy, self.node, self.pods, self.metric) or not wanted:
            raise Unanswerable("a call that lacks what its caller must give")
        self.items = {item["Name"]: item for item in wanted}
        if any(item.get("Reset") for item in self.items.values()):
            raise Unanswerable(UNSEEN_TIME)

    def recorded(self, name: str) -> int:
        return thousandths({"amount": self.items[name]["Quantity"]})["amount"]

    def zones(self, name: str) -> dict[str, int]:
        return thousandths(self.items[name].get("ZoneQuantity"))


def batch(script: Any, probe: Probe) -> list[str]:
    """The node's room, and that of its zones where the record holds what zones have."""
    out = []
    for step in script.calls("Plugin.Calculate"):
        call = Call(script, step)
        zones = _zones(script, call.node)
        ours = probe.koordinator_colocation(
            "batch", node=node_of(call.node, call.pods, [row for _, row in zones]),
            measured=measured(call.metric), rules=batch_rules(call.strategy))
        # A unit of batch CPU is a thousandth of a core.
        for i, name, unit in ((0, BATCH[0], 1000), (1, BATCH[1], 1)):
            pairs = [(name, ours["node"][i] * unit, call.recorded(name))]
            of_zones = {zone: row[i] * unit for (zone, _), row in
                        zip(zones, ours["zones"], strict=True)}
            if zones or not call.zones(name):
                pairs.append((f"{name} of zones", of_zones, call.zones(name)))
            out += [f"{what} is {left}, recorded {right}" for what, left, right in pairs
                    if left != right]
    return out


def mid(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("Plugin.Calculate"):
        call = Call(script, step)
        ours = probe.koordinator_colocation(
            "mid", node=node_of(call.node, call.pods, []), measured=measured(call.metric),
            rules=mid_rules(call.strategy))
        for i, name, unit in ((0, MID[0], 1000), (1, MID[1], 1)):
            if ours[i] * unit != call.recorded(name):
                out.append(f"{name} is {ours[i] * unit}, recorded {call.recorded(name)}")
    return out


def stale(script: Any, probe: Probe) -> list[str]:
    """isDegradeNeeded of a measurement that has no time, which is all that is recorded of time."""
    out = []
    for step in script.calls("Plugin.isDegradeNeeded"):
        metric = resolved(script, script.args(step)["nodeMetric"]) or {}
        if (metric.get("status") or {}).get("updateTime") is not None:
            raise Unanswerable(UNSEEN_TIME)
        ours = probe.koordinator_colocation("stale", measured=measured(metric), now=0, minutes=15)
        if ours != script.results[step["n"]]:
            out.append(f"stale {ours}, recorded {script.results[step['n']]}")
    return out


# --- what a node shows


def _shown(probe: Probe, resource: str, amount: int, ratio: float) -> int:
    """An amount of a node, from thousandths of its unit to whole units."""
    if resource == BATCH[0]:
        return probe.koordinator_colocation("shown", amount=amount, ratio=ratio)["whole"]
    return probe.koordinator_colocation("shown", amount=amount, ratio=1.0)["whole"]


def prepared(script: Any, step: Json, probe: Probe, names: tuple[str, str]) -> dict[str, int]:
    args = {name: resolved(script, value) for name, value in script.args(step).items()}
    node, made = args["node"], args["nr"]
    ratio = float((made.get("Annotations") or {}).get(RATIO, -1))
    amounts = thousandths(made.get("Resources"))
    shown = {name: _shown(probe, name, amounts[name], ratio) for name in names
             if name in amounts and not (made.get("Resets") or {}).get(name)}
    held: dict[str, int] = {}
    others = annotation(node, "node.koordinator.sh/thirdPartyAllocations") or {}
    for one in others.get("allocations") or []:
        if one["priority"] == "koord-batch":
            for name, amount in thousandths(one["resources"], whole=True).items():
                held[name] = held.get(name, 0) + amount // 1000
    if set(names) <= set(shown):
        shown = {name: probe.koordinator_colocation("without_others", room=amount,
                                                    held=held.get(name, 0))
                 for name, amount in shown.items()}
    return shown


def _prepare(names: tuple[str, str]) -> Any:
    def rule(script: Any, probe: Probe) -> list[str]:
        out = []
        for step in script.calls("Plugin.Prepare"):
            field = script.case["expect"].get("wantField") or script.case["observed"]["checks"][-1][
                "actual"]
            recorded = thousandths(resolved(script, field)["status"]["allocatable"])
            right = {name: recorded[name] // 1000 for name in names if name in recorded}
            ours = prepared(script, step, probe, names)
            if ours != right:
                out.append(f"shows {ours}, recorded {right}")
        return out

    return rule


prepare_batch = _prepare(BATCH)
prepare_mid = _prepare(MID)


def pre_update(script: Any, probe: Probe) -> list[str]:
    """What zones show: asked of zones that showed nothing of it before, or nearly the same."""
    out, asked = [], 0
    for step in script.calls("Plugin.PreUpdate"):
        made = script.args(step)["nr"]
        ratio = float((made.get("Annotations") or {}).get(RATIO, -1))
        shown = [one for one in of_kind(script, "NodeResourceTopology") if one.get("zones")]
        for zone in shown[-1]["zones"] if shown else []:
            recorded = {one["name"]: one["allocatable"] for one in zone["resources"]}
            for name, amount in thousandths((made.get("ZoneResources") or {}).get(
                    zone["name"])).items():
                asked += 1
                factor = ratio if name == BATCH[0] else 1.0
                ours = probe.koordinator_colocation("shown", amount=amount,
                                                    ratio=factor)["amplified"]
                right = thousandths({name: recorded[name]})[name]
                if ours != right:
                    out.append(f"{zone['name']}: {name} is {ours}, recorded {right}")
    if not asked:
        raise Unanswerable("zones that are not computed: nothing of them is written")
    return out


def is_changed(probe: Probe, old: Json, new: Json, names: tuple[str, ...],
               threshold: float) -> bool:
    before = thousandths((old.get("status") or {}).get("allocatable"))
    after = thousandths((new.get("status") or {}).get("allocatable"))
    return any(probe.koordinator_colocation("changed", old=before.get(name), new=after.get(name),
                                            threshold=threshold) for name in names)


def changed(names: tuple[str, ...]) -> Any:
    """NeedSync(strategy, old node, new node)."""

    def rule(script: Any, probe: Probe) -> list[str]:
        out = []
        for step in script.calls("Plugin.NeedSync"):
            args = {name: resolved(script, value) for name, value in script.args(step).items()}
            known, right = script.variable("got", step["n"])
            if not known:
                raise Unanswerable("the record does not hold what the call returned")
            ours = is_changed(probe, args["oldNode"], args["newNode"], names,
                              args["strategy"]["resourceDiffThreshold"])
            if ours != right:
                out.append(f"step {step['n']}: changed {ours}, recorded {right}")
        return out

    return rule


# --- rules of amounts and zones


def _lists(values: Any) -> list[list[int]]:
    return [pair(row) for row in values or []]


def zones(script: Any, probe: Probe) -> list[str]:
    """Parts of amounts for zones, margins, and equal divisions."""
    out = []

    def compare(step: Json, ours: Any, right: Any) -> None:
        if ours != right:
            out.append(f"step {step['n']}: {step['call']} is {ours}, recorded {right}")

    def parts(values: Any, bound: list[int], count: int) -> Any:
        return probe.koordinator_colocation("parts", amount=pair(values), bound=bound, count=count)

    for step in script.calls("GetPodNUMARequestAndUsage"):
        args = script.args(step)
        bound = task(resolved(script, args["pod"]))["zones"]
        for name, values in (("got", args["podRequest"]), ("got1", args["podUsage"])):
            _, right = script.variable(name, step["n"])
            compare(step, parts(values, bound, args["numaNum"]), _lists(right))
    for step in script.calls("GetPodUnknownNUMAUsage"):
        args = script.args(step)
        compare(step, parts(args["podUsage"], [], args["numaNum"]), _lists(
            script.results[step["n"]]))
    for step in script.calls("DivideResourceList"):
        args = script.args(step)
        if args["divisor"] != int(args["divisor"]):
            raise Unanswerable("a division by a number of zones that is no whole number")
        compare(step, probe.koordinator_colocation("divide", amount=pair(args["rl"]),
                                                   count=int(args["divisor"])),
                pair(script.results[step["n"]]))
    for step in script.calls("GetNodeSafetyMargin"):
        args = script.args(step)
        compare(step, probe.koordinator_colocation(
            "margin", amount=pair(args["nodeCapacity"]), **batch_rules(args["strategy"])),
            pair(script.results[step["n"]]))
    return out
