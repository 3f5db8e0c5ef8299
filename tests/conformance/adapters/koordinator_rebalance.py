# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about which tasks may leave a node, in which order, and where they
would fit."""

import math
import re
from typing import Any

from adapters.koordinator_objects import (
    Json, annotation, marks, name_of, nanoseconds, of_kind, requests, resolved,
    thousandths)
from probe import Probe, Unanswerable

RAW = "node.koordinator.sh/raw-allocatable"
EVICT = "descheduler.alpha.kubernetes.io/evict"
UNREADABLE = "a selector that cannot be read: the caller reads it before it asks"
ENDED = ("Succeeded", "Failed")


# --- objects


def _cost(pod: Json, key: str) -> int:
    text = ((pod.get("metadata") or {}).get("annotations") or {}).get(key, "0")
    if re.fullmatch(r"0|-?[1-9]\d*", text) and -2**31 <= int(text) < 2**31:
        return int(text)
    return 0


def rank(pod: Json) -> Json:
    created = (pod.get("metadata") or {}).get("creationTimestamp")
    return {
        "marks": marks(pod),
        "deletion_cost": _cost(pod, "controller.kubernetes.io/pod-deletion-cost"),
        "eviction_cost": _cost(pod, "scheduling.koordinator.sh/eviction-cost"),
        "created": (nanoseconds(created) or 0) // 10**9,
    }


def traits(pod: Json) -> Json:
    meta, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    notes, volumes = meta.get("annotations") or {}, spec.get("volumes") or []
    return {
        "namespace": meta.get("namespace", ""),
        "labels": meta.get("labels"),
        "owners": [one.get("kind", "") for one in meta.get("ownerReferences") or []],
        "source": notes.get("kubernetes.io/config.source", ""),
        "mirror": "kubernetes.io/config.mirror" in notes,
        "leaving": meta.get("deletionTimestamp") is not None,
        "failed": (pod.get("status") or {}).get("phase") == "Failed",
        "local_data": any("hostPath" in one or "emptyDir" in one for one in volumes),
        "claim": any("persistentVolumeClaim" in one for one in volumes),
        "evict_mark": EVICT in notes,
        "priority": spec.get("priority"),
        "eviction_cost": rank(pod)["eviction_cost"],
    }


RULES: Json = {"local_data": False, "critical": False, "keeps_claims": False, "failed_bare": False,
               "bare": False, "below": None, "selector": None}


def evictable(probe: Probe, pod: Json, rules: Json | None = None) -> bool:
    return probe.koordinator_rebalance("evictable", what="evictable", task=traits(pod),
                                       rules=RULES | (rules or {}))


def chosen(probe: Probe, pod: Json, selectors: list[Json], namespaces: Json | None = None) -> bool:
    """Whether labels and namespace are those that a plug-in names."""
    for selector in selectors:
        readable(selector)
    namespaces = namespaces or {}
    choice = {"included": namespaces.get("Include") or [],
              "excluded": namespaces.get("Exclude") or [], "selectors": selectors}
    return probe.koordinator_rebalance("evictable", what="chosen", task=traits(pod), choice=choice)


def readable(selector: Json | None) -> Json | None:
    for row in (selector or {}).get("matchExpressions") or []:
        if row.get("operator") not in ("In", "NotIn", "Exists", "DoesNotExist"):
            raise Unanswerable(UNREADABLE)
    return selector


def movable(pod: Json) -> Json:
    spec = pod.get("spec") or {}
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return {
        "node": spec.get("nodeName", ""),
        "requests": requests(pod),
        "selector": spec.get("nodeSelector"),
        "terms": None if required is None else required.get("nodeSelectorTerms") or [],
        "tolerations": spec.get("tolerations") or [],
    }


def room(node: Json, pods: list[Json]) -> Json:
    """The node with the requests of its tasks that have not ended."""
    spec, sums = node.get("spec") or {}, {}
    for pod in pods:
        if (pod.get("spec") or {}).get("nodeName") != node["metadata"].get("name"):
            continue
        if (pod.get("status") or {}).get("phase") in ENDED:
            continue
        for name, amount in requests(pod).items():
            sums[name] = sums.get(name, 0) + amount
    return {
        "name": node["metadata"].get("name", ""),
        "labels": node["metadata"].get("labels"),
        "unschedulable": bool(spec.get("unschedulable")),
        "taints": spec.get("taints") or [],
        "allocatable": thousandths((node.get("status") or {}).get("allocatable")),
        "requested": sums,
    }


def capacity(node: Json) -> Json:
    """What the node has before amplification."""
    raw = annotation(node, RAW)
    return thousandths((node.get("status") or {}).get("allocatable") if raw is None else raw)


# --- scripts


def fits(script: Any, probe: Probe) -> list[str]:
    """PodFitsAnyOtherNode, PodFitsAnyNode, PodFitsCurrentNode."""
    out = []
    calls = ("PodFitsAnyOtherNode", "PodFitsAnyNode", "PodFitsCurrentNode")
    for step in script.calls(*calls):
        args = script.args(step)
        nodes = [resolved(script, one) for one in args.get("nodes") or [args.get("node")]]
        pods = of_kind(script, "Pod")
        task = resolved(script, args["pod"])
        ours = probe.koordinator_rebalance(
            "room", task=movable(task), rooms=[room(node, pods) for node in nodes],
            skips_own=step["call"] == "PodFitsAnyOtherNode")
        if ours != script.results[step["n"]]:
            out.append(f"{step['call']}: {ours}, recorded {script.results[step['n']]}")
    return out


def match(script: Any, probe: Probe) -> list[str]:
    """PodMatchNodeSelector: labels alone."""
    out = []
    for step in script.calls("PodMatchNodeSelector"):
        args = script.args(step)
        if args["node"] is None:
            raise Unanswerable("a call that lacks what its caller must give")
        ours = probe.koordinator_rebalance("match", task=movable(resolved(script, args["pod"])),
                                           room=room(resolved(script, args["node"]), []))
        _, right = script.variable("got", step["n"])
        if ours != right:
            out.append(f"matches {ours}, recorded {right}")
    return out


TRAITS = {"IsDaemonsetPod": "daemon", "IsStaticPod": "agent", "IsCriticalPriorityPod": "critical"}
# Traits that hold a task: with an owner, and with nothing else against it, it may not leave.
HOLDS = {"IsMirrorPod": {}, "IsPodTerminating": {}, "IsPodWithLocalStorage": {},
         "IsPodWithPVC": {"keeps_claims": True}}


def trait(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls(*TRAITS, *HOLDS):
        call, args = step["call"], script.args(step)
        right = script.results[step["n"]]
        if call in TRAITS:
            owners = args.get("ownerRefList")
            pod = {"metadata": {"ownerReferences": owners}} if "ownerRefList" in args else resolved(
                script, args["pod"])
            ours = probe.koordinator_rebalance("evictable", what=TRAITS[call], task=traits(pod))
        else:
            pod = resolved(script, args["pod"])
            ours = not evictable(probe, pod, {"bare": True} | HOLDS[call])
        if ours != right:
            out.append(f"{call}: {ours}, recorded {right}")
    return out


def request_sums(script: Any, probe: Probe) -> list[str]:
    """GetResourceRequest, in whole units or thousandths of cpu, and GetResourceRequestQuantity."""
    out = []
    for step in script.calls("GetResourceRequest", "GetResourceRequestQuantity"):
        args = script.args(step)
        name = args.get("resource") or args["resourceName"]
        if name == "pods":
            raise Unanswerable("each task counts as one pod: no amount is read")
        ours = requests(resolved(script, args["pod"])).get(name, 0)
        result = script.results[step["n"]]
        right = thousandths({name: result})[name]
        if step["call"] == "GetResourceRequest" and name == "cpu":
            right = result
        if ours != right:
            out.append(f"{name}: {ours}, recorded {right}")
    return out


def threshold(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("GetPriorityValueFromPriorityThreshold"):
        given = script.args(step)["priorityThreshold"] or {}
        if given.get("Name"):
            raise Unanswerable("a priority by the name of its class: the caller looks it up")
        ours = probe.koordinator_rebalance("priority_threshold", given=given.get("Value"))
        known, right = script.variable("gotPriority", step["n"])
        failed = not known or bool(script.case["expect"].get("wantErr"))
        if isinstance(ours, dict) != failed or (not failed and ours != right):
            out.append(f"threshold {ours}, recorded {right}")
    return out


def list_pods(script: Any, probe: Probe) -> list[str]:
    """Pods of a node by labels and namespaces."""
    out = []
    inputs = script.case["state"]["inputs"]
    if not any(inputs.get(key) for key in ("labelSelector", "includedNamespaces",
                                           "excludedNamespaces")):
        raise Unanswerable("a filter of a test's own, or none: the record does not tell")
    for step in script.calls("ListPodsOnANode"):
        known, got = script.variable("pods", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        selector = inputs.get("labelSelector")
        names = {"Include": inputs.get("includedNamespaces"),
                 "Exclude": inputs.get("excludedNamespaces")}
        ours = [name_of(pod) for pod in of_kind(script, "Pod")
                if pod["spec"].get("nodeName") == script.args(step)["nodeName"]
                and (pod.get("status") or {}).get("phase") not in ENDED
                and chosen(probe, pod, [selector] if selector else [], names)]
        right = [name_of(resolved(script, one)) for one in got]
        if sorted(ours) != sorted(right):
            out.append(f"lists {ours}, recorded {right}")
    return out


# --- orders


def _usage(metric: Json | None) -> Json | None:
    return None if metric is None else thousandths(metric.get("resources"))


def _ordered(script: Any, probe: Probe, pods: list[Json], metrics: Json, excess: Json,
             weights: Json) -> list[str]:
    tasks = [{"name": name_of(pod), "namespace": "", "usage": _usage(metrics.get(name_of(pod)))}
             | rank(pod) for pod in pods]
    order = probe.koordinator_rebalance("order", tasks=tasks, excess=excess, weights=weights)
    return [pods[i]["metadata"]["name"] for i in order]


def sort_by_usage(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("SortPodsByUsage"):
        args = script.args(step)
        pods = [resolved(script, one) for one in script.value(args["pods"])]
        ours = _ordered(script, probe, pods, script.value(args["podMetrics"]) or {},
                        thousandths(args["resourcesThatExceedThresholds"]),
                        args["resourceToWeightMap"] or {})
        [right] = [c["actual"] for c in script.checks if c["what"] == "podsOrder"]
        if ours != script.value(right):
            out.append(f"order {ours}, recorded {right}")
    return out


def _level(info: Json, key: str) -> Json:
    return thousandths((info.get("thresholds") or {}).get(key))


def sort_on_node(script: Any, probe: Probe) -> list[str]:
    """sortPodsOnOneOverloadedNode: weights of what is above its threshold alone."""
    out = []
    for step in script.calls("sortPodsOnOneOverloadedNode"):
        args = script.args(step)
        info = script.value(args["srcNode"])
        used = thousandths(info["prodUsage" if args["prod"] else "usage"])
        high = _level(info, "prodHighResourceThreshold" if args["prod"] else
                      "highResourceThreshold")
        excess = {name: used[name] - limit for name, limit in high.items()
                  if name in used and used[name] > limit}
        weights = {name: (args["resourceWeights"] or {}).get(name, 0) for name in excess}
        pods = [resolved(script, one) for one in script.value(args["removablePods"])]
        ours = _ordered(script, probe, pods, info.get("podMetrics") or {}, excess, weights)
        [right] = [c["actual"] for c in script.checks if c["what"] == "removablePods"]
        names = [resolved(script, one)["metadata"]["name"] for one in script.value(right)]
        if ours != names:
            out.append(f"order {ours}, recorded {names}")
    return out


def simple_order(script: Any, probe: Probe) -> list[str]:
    """By age, or by priority: where the record shows what the sorted list holds."""
    out = []
    for step in script.calls("SortPodsBasedOnAge", "SortPodsBasedOnPriorityLowToHigh"):
        pods = [resolved(script, one) for one in script.args(step)["pods"]]
        if step["call"] == "SortPodsBasedOnAge":
            created = [nanoseconds(pod["metadata"]["creationTimestamp"]) or 0 for pod in pods]
            order = probe.koordinator_rebalance("simple_order", by="age", created=created)
        else:
            order = probe.koordinator_rebalance("simple_order", by="priority",
                                                marks=[marks(pod) for pod in pods])
        names = [name_of(pods[i]) for i in order]
        last = [c for c in script.checks if c["n"] > step["n"]]
        right = [name_of(resolved(script, c["actual"])) for c in last
                 if isinstance(c["actual"], dict) and "ref" in c["actual"]]
        if right and names[-1] != right[-1]:
            out.append(f"order {names}, last recorded {right}")
        if not right and names != sorted(names, reverse=True):
            out.append(f"order {names}: not from old to new")
    return out


def scores(script: Any, probe: Probe) -> list[str]:
    out = []

    def ask(what: str, **values: Any) -> Any:
        return probe.koordinator_rebalance("score", what=what, **values)

    for step in script.steps:
        args, ours, right = script.args(step), None, script.results.get(step["n"])
        if step.get("call") in ("mostRequestedScore", "mostRequestedScorePod"):
            what = "busy" if step["call"] == "mostRequestedScore" else "relief"
            ours = ask(what, used=args["requested"], capacity=args["capacity"])
        elif step.get("call") == "getResourceValue":
            amount = thousandths({"q": args["quantity"]})["q"]
            ours = ask("scored", resource=args["resourceName"], used=amount)
        elif step.get("call") in ("ResourceUsageScorer", "ResourceUsageScorerPod"):
            named = {s["set"]: s["value"] for s in script.steps if "set" in s
                     and s["set"] in ("requested1", "allocatable1")}
            known, right = script.variable("score1", step["n"])
            if not known:
                known, right = True, [c["actual"] for c in script.checks
                                      if c["what"] == "score1"][0]
            ours = ask("node" if step["call"] == "ResourceUsageScorer" else "task",
                       usage=thousandths(named["requested1"]),
                       capacity=thousandths(named["allocatable1"]),
                       weights=args["resToWeightMap"])
        else:
            continue
        if not math.isclose(ours, right):
            out.append(f"step {step['n']}: {step['call']} is {ours}, recorded {right}")
    return out
