# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of LowNodeLoad: whole rounds, and the rules below them."""

import math
import re
from collections import Counter
from typing import Any

from adapters.koordinator_objects import Json, name_of, of_kind, resolved, thousandths
from adapters.koordinator_rebalance import (
    capacity, chosen, ENDED, evictable, movable, rank, readable, room)
from probe import Probe, Unanswerable


def _seconds(text: str | None) -> int:
    """Nanoseconds of a duration such as 5m0s."""
    if not text:
        return 0
    units = {"h": 3600, "m": 60, "s": 1}
    parts = re.findall(r"([\d.]+)(h|m(?!s)|s)", text)
    return int(sum(float(number) * units[unit] for number, unit in parts) * 10**9)


def _anomaly(condition: Json | None) -> Json | None:
    if condition is None:
        return None
    return {"abnormal": condition.get("ConsecutiveAbnormalities", 0),
            "normal": condition.get("ConsecutiveNormalities", 0),
            "timeout": _seconds(condition.get("Timeout"))}


def _thresholds(pool: Json) -> Json:
    return {"low": pool.get("LowThresholds"), "high": pool.get("HighThresholds"),
            "production_low": pool.get("prodLowThresholds", pool.get("ProdLowThresholds")),
            "production_high": pool.get("prodHighThresholds", pool.get("ProdHighThresholds")),
            "distance": pool.get("UseDeviationThresholds", False)}


def _pool(pool: Json) -> Json:
    return {"selector": readable(pool.get("NodeSelector")), "thresholds": _thresholds(pool),
            "weights": pool.get("ResourceWeights"),
            "anomaly": _anomaly(pool.get("AnomalyCondition"))}


def _node(node: Json, pods: list[Json], metric: Json | None, may_leave: Any) -> Json:
    """A node as the plug-in measures it."""
    name = node["metadata"]["name"]
    status = (metric or {}).get("status") or {}
    held = [pod for pod in pods if pod["spec"].get("nodeName") == name
            and (pod.get("status") or {}).get("phase") not in ENDED]
    usages = {name_of(one): thousandths((one.get("podUsage") or {}).get("resources"))
              for one in status.get("podsMetric") or []}
    names = {name_of(pod) for pod in held}
    measured = status.get("nodeMetric") or {}
    return {
        "name": name,
        "labels": node["metadata"].get("labels"),
        "capacity": capacity(node),
        "takes_tasks": not (node.get("spec") or {}).get("unschedulable"),
        "measured": metric is not None,  # records leave out what is empty
        "system": thousandths((measured.get("systemUsage") or {}).get("resources")),
        "unlisted": [usage for one, usage in usages.items() if one not in names],
        "tasks": [{"name": name_of(pod), "namespace": pod["metadata"].get("namespace", ""),
                   "usage": usages.get(name_of(pod)), "evictable": may_leave(pod)} | rank(pod)
                  for pod in held],
    }


def balance(script: Any, probe: Probe) -> list[str]:
    """Rounds of which the record counts evictions by node and namespace."""
    [made] = script.calls("NewLowNodeLoad")
    args = script.args(made)["args"]
    [limiter] = script.calls("NewEvictionLimiter")
    limits = script.args(limiter)
    nodes, pods = of_kind(script, "Node"), of_kind(script, "Pod")
    metrics = {one["metadata"]["name"]: one for one in of_kind(script, "NodeMetric")}
    if args.get("NodeMetricExpirationSeconds") is not None:
        raise Unanswerable("when the test ran is not recorded: how old a measurement was is not "
                           "known")
    selectors = [one["Selector"] for one in args.get("PodSelectors") or [] if one.get("Selector")]

    def may_leave(pod: Json) -> bool:
        return evictable(probe, pod) and chosen(probe, pod, selectors,
                                                args.get("EvictableNamespaces"))

    fits = [[name_of(pod), node["metadata"]["name"]] for pod in pods for node in nodes
            if probe.koordinator_rebalance("room", task=movable(pod), rooms=[room(node, pods)],
                                           skips_own=False)]
    moves = probe.koordinator_rebalance(
        "balance", paused=args.get("Paused", False), checks_targets=args.get("NodeFit", False),
        idle_nodes=args.get("NumberOfNodes", 0), per_node=limits["maxPodsToEvictPerNode"],
        per_namespace=limits["maxPodsToEvictPerNamespace"], total=limits["maxPodsToEvictTotal"],
        pools=[_pool(one) for one in args["NodePools"]], fits=fits,
        nodes=[_node(node, pods, metrics.get(node["metadata"]["name"]), may_leave)
               for node in nodes])
    out = []
    for step in script.calls("EvictionLimiter.TotalEvicted"):
        counted = step["receiver"]
        pairs = [
            ("total", len(moves), counted.get("totalCount", 0)),
            ("by node", Counter(node for node, _ in moves), counted.get("nodePodCount") or {}),
            ("by namespace", Counter(task.partition("/")[0] for _, task in moves),
             counted.get("namespacePodCount") or {}),
        ]
        out += [f"{what}: {left}, recorded {right}" for what, left, right in pairs if left != right]
    return out


# --- rules


def over(script: Any, probe: Probe) -> list[str]:
    """Thresholds as amounts, and the resources that are above them and are named as the reason."""
    out = []
    for step in script.calls("getNodeThresholds"):
        args = script.args(step)
        thresholds = {"low": args["lowThreshold"], "high": args["highThreshold"],
                      "production_low": args["prodLowThreshold"],
                      "production_high": args["prodHighThreshold"],
                      "distance": args["useDeviationThresholds"]}
        if thresholds["low"] is None:
            # Only high ones are looked at; without low ones they would not count.
            zeros = dict.fromkeys(args["resourceNames"], 0)
            thresholds |= {"low": zeros, "production_low": zeros}
        nodes, recorded = [], script.results[step["n"]]
        for info in args["nodeUsages"].values():
            row = _node(resolved(script, info["node"]), [], {"status": {"nodeMetric": {}}}, None)
            production = "prodUsage" in info
            usage = thousandths(info["prodUsage" if production else "usage"])
            task = {"name": "all", "namespace": "", "usage": usage, "evictable": True}
            nodes.append(row | {"tasks": [task | rank({"spec": {"priority": 9500}})]})
        ours = probe.koordinator_rebalance("thresholds", nodes=nodes, thresholds=thresholds)
        for name, row in ours.items():
            high = {one: row["high"][one] for one in args["resourceNames"]}
            if args["highThreshold"] and high != thousandths(
                    recorded[name]["highResourceThreshold"]):
                out.append(f"{name}: high thresholds {high}, recorded {recorded[name]}")
            text = [c["actual"] for c in script.checks if c["what"] == "got"][0]
            named = re.findall(r"(?:node|prod) (\S+) usage", text)
            side = "production_over" if "prod" in text else "over"
            if sorted(r for r in row[side] if r in args["resourceNames"]) != sorted(named):
                out.append(f"{name}: over {row[side]}, recorded {text}")
    return out


def take_target(script: Any, probe: Probe) -> list[str]:
    """podFitsAnyNodeWithThreshold: whether a target takes a task, and what it carries then."""
    out = []
    for step in script.calls("podFitsAnyNodeWithThreshold"):
        args = script.args(step)
        side = ("prodUsage", "prodHighResourceThreshold") if args["prod"] else (
            "usage", "highResourceThreshold")
        pod, levels = resolved(script, args["pod"]), []
        for one in args["nodes"]:
            node = resolved(script, one)
            if not probe.koordinator_rebalance("room", task=movable(pod),
                                               rooms=[room(node, of_kind(script, "Pod"))],
                                               skips_own=False):
                continue
            name = node["metadata"]["name"]
            high = thousandths(args["nodeThresholds"][name][side[1]])
            used = thousandths(args["nodeUsages"][name][side[0]])
            names = sorted(set(high) & set(used))
            levels.append({"high": [high[r] for r in names], "used": [used[r] for r in names]})
        needed = thousandths(args["podMetric"]["resources"])
        usage = [needed.get(r, 0) for r in names] if levels else []
        ours = probe.koordinator_rebalance("take_target", usage=usage, levels=levels)["taken"]
        if ours != script.results[step["n"]]:
            out.append(f"taken {ours}, recorded {script.results[step['n']]}")
    return out


def percents(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("resourceUsagePercentages"):
        info = script.args(step)["nodeUsage"]
        usage = info["prodUsage" if script.args(step)["prod"] else "usage"]
        ours = probe.koordinator_rebalance("usage_percents", usage=thousandths(usage),
                                           capacity=capacity(resolved(script, info["node"])))
        right = script.results[step["n"]]
        if ours.keys() != right.keys() or not all(
                math.isclose(ours[name], right[name]) for name in ours):
            out.append(f"percentages {ours}, recorded {right}")
    return out


def sort_nodes(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("sortNodesByUsage"):
        args = script.args(step)
        rows = script.value(args["nodes"])
        key = "prodUsage" if args["prod"] else "usage"
        scored = [(probe.koordinator_rebalance(
            "score", what="node", usage=thousandths(row[key]),
            capacity=capacity(resolved(script, row["node"])),
            weights=args["resourceToWeightMap"]), row) for row in rows]
        scored.sort(key=lambda pair: pair[0], reverse=not args["ascending"])
        ours = [row["node"] for _, row in scored]
        [right] = [c["actual"] for c in script.checks if c["what"] == "nodeList"]
        if ours != [row["node"] for row in script.value(right)]:
            out.append(f"order {ours}, recorded {right}")
    return out


def pool_nodes(script: Any, probe: Probe) -> list[str]:
    """filterNodes: the nodes that a selector of a pool chooses."""
    out = []
    for step in script.calls("filterNodes", "ScaleDownBinPack.filterNodes",
                             "CustomPriority.filterNodes"):
        args = script.args(step)
        of_plugin = (step.get("receiver") or {}).get("args") or {}
        selector = readable(args.get("nodeSelector") or of_plugin.get("NodeSelector"))
        known, got = script.variable("got", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        nodes = [resolved(script, one) for one in script.value(args["nodes"])]
        handled = args.get("processedNodes") or []
        ours = [node["metadata"]["name"] for node in nodes if selector is None or (
            node["metadata"]["name"] not in handled and chosen(probe, node, [selector]))]
        right = [resolved(script, one)["metadata"]["name"] for one in got or []]
        if ours != right:
            out.append(f"chooses {ours}, recorded {right}")
    return out


def anomalies(script: Any, probe: Probe) -> list[str]:
    """Marks of nodes round after round; all rounds at one time, as a test runs."""
    ops, recorded, rules = [], [], None
    for step in script.steps:
        call, args = step.get("call"), script.args(step)
        if call == "filterRealAbnormalNodes":
            rules = _anomaly(args["anomalyCondition"])
            nodes = [resolved(script, one["node"])["metadata"]["name"]
                     for one in args["sourceNodes"] or []]
            ops.append({"op": "filter", "nodes": nodes, "rules": rules, "now": 0})
            right = None
            if step["n"] in script.results:
                right = [resolved(script, one["node"])["metadata"]["name"]
                         for one in script.results[step["n"]] or []]
            recorded.append(right)
        elif call in ("resetNodesAsNormal", "tryMarkNodesAsNormal"):
            rows = args["lowNodes" if call == "resetNodesAsNormal" else "nodes"]
            nodes = [resolved(script, one["node"])["metadata"]["name"] for one in rows]
            ops.append({"op": "reset" if call == "resetNodesAsNormal" else "normal",
                        "nodes": nodes, "now": 0})
            recorded.append(None)
        elif call == "Detector.State" and ops and step["n"] in script.results:
            # States: 0 is normal, 1 abnormal. The detector is that of the marks' node.
            ops.append({"op": "look", "nodes": ops[-1]["nodes"], "now": 0})
            recorded.append([script.results[step["n"]] == 1])
    ours = probe.koordinator_rebalance("anomaly", ops=ops)
    return [f"{op['op']} {op['nodes']}: {left}, recorded {right}"
            for op, left, right in zip(ops, ours, recorded, strict=True)
            if right is not None and left != right]


def raw_capacity(script: Any, _probe: Probe) -> list[str]:
    raise Unanswerable("what a node has before amplification: the caller reads it")
