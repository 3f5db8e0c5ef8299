# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of the plug-ins that pack nodes: fragmentation, order of scaling
down, and levels of nodes."""

import math
from typing import Any

from adapters.koordinator_objects import (
    Json, name_of, nanoseconds, of_kind, requests, resolved, thousandths)
from adapters.koordinator_rebalance import ENDED, chosen, movable, readable, room
from probe import Probe, Unanswerable


def _held(script: Any, node: Json, ended: bool = False) -> list[Json]:
    """The tasks of a node; with `ended` also those that have ended."""
    return [pod for pod in of_kind(script, "Pod")
            if (pod.get("spec") or {}).get("nodeName") == node["metadata"].get("name")
            and (ended or (pod.get("status") or {}).get("phase") not in ENDED)]


def _fits(probe: Probe, pod: Json, nodes: list[Json], pods: list[Json], skips_own: bool) -> bool:
    return probe.koordinator_rebalance("room", task=movable(pod), skips_own=skips_own,
                                       rooms=[room(node, pods) for node in nodes])


# --- fragmentation


def _fragmented(node: Json, pods: list[Json], may_leave: Any = lambda _: True) -> Json:
    return {"allocatable": thousandths((node.get("status") or {}).get("allocatable")),
            "tasks": [{"id": pod["metadata"].get("uid", ""), "requests": requests(pod),
                       "may_leave": may_leave(pod)} for pod in pods]}


def imbalance(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("scoreNodeImbalance", "scorePodRemovalGain"):
        args = script.args(step)
        if args["node"] is None or args.get("targetPod", 0) is None:
            raise Unanswerable("a call that lacks what its caller must give")
        pods = [resolved(script, one) for one in args["pods"] or []]
        node = _fragmented(resolved(script, args["node"]), pods)
        more = {"what": "imbalance"}
        if "targetPod" in args:
            target = resolved(script, args["targetPod"])
            more = {"what": "gain", "without": target["metadata"].get("uid", "")}
        ours = probe.koordinator_rebalance("fragmentation", node=node,
                                           resources=args["resources"] or [], **more)
        if not math.isclose(ours, script.results[step["n"]], rel_tol=1e-12, abs_tol=1e-15):
            out.append(f"{step['call']}: {ours}, recorded {script.results[step['n']]}")
    return out


def fragmentation(script: Any, probe: Probe) -> list[str]:
    """Whole rounds: one task of each node that is uneven."""
    out = []
    for step in script.calls("BalancePlugin.Balance"):
        [made, *more] = script.calls("NewFragmentationAware")
        if more:
            raise Unanswerable("a list of tasks that a test lets fail: the caller has none then")
        args = script.args(made)["args"]
        known, right = script.variable("evictedNames", step["n"])
        if not known or any(s.get("set", "").endswith("Filter") for s in script.steps):
            raise Unanswerable("the record does not hold what the call returned")
        if args.get("DryRun") or args.get("Paused"):
            raise Unanswerable("a plug-in that only reports, or rests: the caller does not ask it")
        inputs = script.case["state"].get("inputs") or {}
        if set(inputs) & {"evictorFilter", "preEvictionFilter", "filterFn", "preFilterFn"}:
            raise Unanswerable("a filter of a test's own, or none: the record does not tell")
        selector = readable(args.get("NodeSelector"))
        nodes = [one for one in (resolved(script, n) for n in script.args(step)["nodes"])
                 if selector is None or chosen(probe, one, [selector])]
        selectors = [one["Selector"] for one in args.get("PodSelectors") or []
                     if one.get("Selector")]
        pods, ours = of_kind(script, "Pod"), []

        def may_leave(pod: Json) -> bool:
            return chosen(probe, pod, selectors, args.get("EvictableNamespaces")) and (
                not args.get("NodeFit") or _fits(probe, pod, nodes, pods, True))

        for node in nodes:
            held = _held(script, node)
            task = probe.koordinator_rebalance(
                "fragmentation", what="choose", resources=args["Resources"],
                node=_fragmented(node, held, may_leave), imbalance=args["ImbalanceThreshold"],
                gain=args["MinImprovementThreshold"])
            if task is not None:
                ours.append(held[task]["metadata"]["name"])
        if sorted(ours) != sorted(right or []):
            out.append(f"evicts {ours}, recorded {right}")
    return out


# --- scaling down


def _packed(script: Any, node: Json, roles: dict[str, str]) -> Json:
    return {"name": node["metadata"]["name"],
            "allocatable": thousandths(node["status"].get("allocatable")),
            "tasks": [{"namespace": pod["metadata"].get("namespace", ""),
                       "name": pod["metadata"]["name"], "requests": requests(pod),
                       "created": (nanoseconds(pod["metadata"].get("creationTimestamp")) or 0)
                       // 10**9, "role": roles[name_of(pod)]}
                      for pod in _held(script, node) if name_of(pod) in roles]}


def _compare(ours: list[Json], ranked: list[Json], script: Any) -> list[str]:
    right = [(name_of(resolved(script, row["Pod"])), row["NodeName"]) for row in ranked]
    left = [(row["task"], row["node"]) for row in ours]
    if left != right:
        return [f"order {left}, recorded {right}"]
    return [f"score of {row['task']} is {row['score']}, recorded {one['EvacuationScore']}"
            for row, one in zip(ours, ranked, strict=True)
            if not math.isclose(float(row["score"]), float(one["EvacuationScore"]), abs_tol=1e-6)]


def rank_pods(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("RankPods"):
        args = script.args(step)
        roles = {}
        for key, role in (("eligibleTargetPods", "target"), ("skippedTargetPods", "held"),
                          ("nonTargetPods", "other")):
            for one in script.value(args[key]) or []:
                roles[name_of(resolved(script, one))] = role
        nodes = [resolved(script, one) for one in script.value(args["nodes"]) or []]
        ours = probe.koordinator_rebalance(
            "scale_down", nodes=[_packed(script, node, roles) for node in nodes],
            weights=args["resourceWeights"] or {})
        if step["n"] not in script.results:
            raise Unanswerable("the record does not hold what the call returned")
        out += _compare(ours, script.value(script.results[step["n"]]) or [], script)
    return out


def scale_down(script: Any, probe: Probe) -> list[str]:
    """Whole rounds, as far as the evictor's filter is not a test's own."""
    out, compared = [], 0
    [first, *_] = script.calls("ScaleDownBinPack.Balance")
    for step in script.calls("ScaleDownBinPack.GetRankedPods"):
        args = (step.get("receiver") or {}).get("args") or {}
        ranked = script.value(script.results.get(step["n"])) or []
        nodes = [resolved(script, one) for one in script.value(script.args(first)["nodes"]) or []]
        selector = readable(args.get("NodeSelector"))
        nodes = [node for node in nodes if selector is None or chosen(probe, node, [selector])]
        selectors = [one["Selector"] for one in args.get("PodSelectors") or []
                     if one.get("Selector")]
        roles = {}
        for node in nodes:
            for pod in _held(script, node):
                is_chosen = chosen(probe, pod, selectors, args.get("EvictableNamespaces"))
                roles[name_of(pod)] = "target" if is_chosen else "other"
        shown = {name_of(resolved(script, row["Pod"])) for row in ranked}
        targets = {name for name, role in roles.items() if role == "target"}
        if not args.get("Paused") and shown < targets:
            raise Unanswerable("a filter of a test's own, or none: the record does not tell")
        compared += 1
        ours = [] if args.get("Paused") else probe.koordinator_rebalance(
            "scale_down", nodes=[_packed(script, node, roles) for node in nodes],
            weights=args.get("ResourceWeights") or {})
        out += _compare(ours, ranked, script)
    if not compared:
        raise Unanswerable("counts of calls to a cache: nothing is decided")
    return out


def is_target(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("ScaleDownBinPack.isTargetPod"):
        rows = step["receiver"]["args"].get("PodSelectors") or []
        selectors = [] if any("Selector" not in one for one in rows) else [
            one["Selector"] for one in rows]
        ours = chosen(probe, resolved(script, script.args(step)["pod"]), selectors)
        if ours != script.results[step["n"]]:
            out.append(f"target {ours}, recorded {script.results[step['n']]}")
    return out


def pod_filter(script: Any, probe: Probe) -> list[str]:
    """filterPods(selectors): whether the filter that it makes takes a pod."""
    out = []
    for step in script.calls("filterPods"):
        selectors = [one["Selector"] for one in script.args(step)["podSelectors"] or []
                     if one.get("Selector")]
        for selector in selectors:
            readable(selector)
        found = [c["actual"] for c in script.checks if c["what"] in ("fn(pod)", "got")]
        if not found:
            raise Unanswerable("the record does not hold what the call returned")
        ours = chosen(probe, of_kind(script, "Pod")[0], selectors)
        if ours != found[-1]:
            out.append(f"takes {ours}, recorded {found[-1]}")
    return out


# --- levels of nodes


def _containers(pod: Json) -> Json:
    sums: Json = {}
    for one in (pod.get("spec") or {}).get("containers") or []:
        for name, amount in thousandths((one.get("resources") or {}).get("requests")).items():
            sums[name] = sums.get(name, 0) + amount
    return sums


def _drained(script: Any, node: Json, pods: list[Json]) -> Json:
    row = room(node, of_kind(script, "Pod"))
    used = row["requested"] | {"pods": 1000 * len(_held(script, node))}
    return {"name": row["name"], "labels": row["labels"],
            "left": {name: row["allocatable"].get(name, 0) - used.get(name, 0)
                     for name in ("cpu", "memory", "pods")},
            "tasks": [{"namespace": pod["metadata"].get("namespace", ""),
                       "name": pod["metadata"]["name"], "requests": _containers(pod),
                       "may_leave": True} for pod in pods]}


def _levels(order: list[Json] | None) -> list[Json]:
    return [{"name": one.get("Name", ""), "selector": one.get("NodeSelector")}
            for one in order or []]


def check_levels(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("validateCustomPriorityArgs"):
        levels = _levels(script.args(step)["args"].get("EvictionOrder"))
        ours = probe.koordinator_rebalance("drain", what="check", nodes=[], levels=levels)
        if ours != (script.results[step["n"]] is None):
            out.append(f"accepted {ours}, recorded {script.results[step['n']]}")
    return out


def node_levels(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("CustomPriority.classifyNodesByPriority"):
        order = script.value(step["receiver"])["args"]["EvictionOrder"]
        for one in order:  # an unreadable selector chooses no node
            for row in (one.get("NodeSelector") or {}).get("matchExpressions") or []:
                if row.get("operator") not in ("In", "NotIn", "Exists", "DoesNotExist"):
                    one["NodeSelector"] = None
        nodes = [resolved(script, one) for one in script.args(step)["nodes"]]
        found = probe.koordinator_rebalance(
            "drain", what="levels", levels=_levels(order),
            nodes=[_drained(script, node, []) for node in nodes])
        ours = {one["Name"]: [nodes[i]["metadata"]["name"] for i in row]
                for one, row in zip(order, found, strict=True) if row}
        right = {name: [resolved(script, one)["metadata"]["name"] for one in row]
                 for name, row in script.results[step["n"]].items()}
        if ours != right:
            out.append(f"levels {ours}, recorded {right}")
    return out


def small_first(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("CustomPriority.sortPodsByRequestsAscending"):
        pods = [resolved(script, one) for one in script.args(step)["pods"]]
        node = {"metadata": {"name": "n"}, "status": {}}
        order = probe.koordinator_rebalance("drain", what="small_first", levels=[],
                                            nodes=[_drained(script, node, pods)])
        ours = [pods[i]["metadata"]["name"] for i in order]
        right = [c["actual"] for c in script.checks if isinstance(c["actual"], list)]
        if [ours] != right:
            out.append(f"order {ours}, recorded {right}")
    return out


def fitting(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("CustomPriority.findEvictablePods"):
        if not step["receiver"]["args"].get("NodeFit"):
            continue
        args = script.args(step)
        pods = [resolved(script, one) for one in args["pods"]]
        nodes = [resolved(script, one) for one in args["targetNodes"]]
        source = {"metadata": {"name": ""}, "status": {}}
        rows = [_drained(script, source, pods), *(_drained(script, node, []) for node in nodes)]
        fits = [[name_of(pod), node["metadata"]["name"]] for pod in pods for node in nodes
                if _fits(probe, pod, [node], of_kind(script, "Pod"), False)]
        found = probe.koordinator_rebalance(
            "drain", what="fitting", nodes=rows, levels=[], fits=fits,
            tasks=list(range(len(pods))), targets=list(range(1, len(rows))))
        ours = [name_of(pods[i]) for i in found]
        right = [name_of(resolved(script, one)) for one in script.results[step["n"]] or []]
        if ours != right:
            out.append(f"leave {ours}, recorded {right}")
    return out


def drain(script: Any, probe: Probe) -> list[str]:
    """Evictions of one level, by their number."""
    out, compared = [], 0
    for step in script.calls("CustomPriority.evictFromPriorityToTargets",
                             "CustomPriority.evictByDrainingNodes"):
        args, of_plugin = script.args(step), step["receiver"]["args"]
        found = [c for c in script.checks if c["what"] == "len(rec.evicted)" and c["n"] > step["n"]]
        if of_plugin.get("DryRun") or not found:
            continue
        sources = [resolved(script, one) for one in args["sourceNodes"]]
        targets = [resolved(script, one) for one in args["targetNodes"]]
        nodes = [*sources, *targets]
        rows = [_drained(script, node, _held(script, node, True) if node in sources else [])
                for node in nodes]
        fits = [[name_of(pod), node["metadata"]["name"]] for pod in of_kind(script, "Pod")
                for node in targets if _fits(probe, pod, [node], of_kind(script, "Pod"), False)]
        groups = [list(range(len(sources))), list(range(len(sources), len(nodes)))]
        ours = probe.koordinator_rebalance(
            "drain", what="drain", nodes=rows, levels=[], groups=groups, fits=fits,
            whole_nodes=step["call"].endswith("DrainingNodes"),
            checks_targets=of_plugin.get("NodeFit", False))
        compared += 1
        if len(ours) != found[0]["actual"]:
            out.append(f"{step['call']}: {ours}, recorded {found[0]['actual']}")
    if not compared:
        raise Unanswerable("the record does not hold what the call returned")
    return out
