# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""KAI Scheduler's objects, as recorded cases have them, as rows of a scenario.

Times are microseconds before or after the case's `now`, because the peer orders by parts of a
second. Names of queues, jobs and tasks stay, and their ranks among UIDs are those of their names.
"""

import datetime
import re
from typing import Any

Case = dict[str, Any]

SECOND = 1_000_000
RESOURCES = {"cpu": "cpu", "memory": "memory", "gpu": "nvidia.com/gpu"}
_PART = re.compile(r"(-?[0-9.]+)(h|ms|us|µs|ns|m|s)")
_UNIT = {"h": 3600 * SECOND, "m": 60 * SECOND, "s": SECOND, "ms": 1000, "us": 1, "µs": 1,
         "ns": 0.001}


def duration(text: str) -> int:
    """A duration as Go writes it."""
    sign = -1 if text.startswith("-") else 1
    return sign * round(sum(float(number.lstrip("-")) * _UNIT[unit]
                            for number, unit in _PART.findall(text)))


def time(text: str, now: str) -> int:
    def parse(stamp: str) -> datetime.datetime:
        return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))

    delta = parse(text) - parse(now)
    return (delta.days * 86400 + delta.seconds) * SECOND + delta.microseconds


def of_kind(case: Case, kind: str) -> list[Case]:
    return [o for o in case["objects"] if o["kind"] == kind]


def queue(o: Case, now: str) -> Case:
    spec = o["spec"]
    row: Case = {"name": o["metadata"]["name"], "priority": spec.get("priority", 100),
                 "created": time(o["metadata"]["creationTimestamp"], now)}
    if spec.get("parentQueue"):
        row["parent"] = spec["parentQueue"]
    deserved, limit, weights = {}, {}, {}
    for name, resource in RESOURCES.items():
        own = spec.get("resources", {}).get(name, {})
        quota, most = own.get("quota", 0), own.get("limit", 0)
        # A weight below 0 is one of a department without a quota, where it has no effect.
        weights[resource] = amount("gpu", max(0, own.get("overQuotaWeight", 0)))
        if quota != -1:
            deserved[resource] = amount(name, quota)
        if most != -1:
            limit[resource] = amount(name, most)
    row["deserved"], row["limit"] = deserved, limit
    rules: Case = {"over_quota_weight": weights}
    runtimes = {key: duration(spec[peer]) for key, peer in
                (("preempt_min_runtime", "preemptMinRuntime"),
                 ("reclaim_min_runtime", "reclaimMinRuntime")) if spec.get(peer)}
    if runtimes:
        rules["preemption"] = runtimes
    row["rules"] = rules
    return row


def amount(resource: str, value: float) -> str:
    """Queues have cpu in thousandths, memory in 10^6 bytes, GPUs in devices."""
    if resource == "cpu":
        return f"{round(value)}m"
    if resource == "memory":
        return str(round(value * 1_000_000))
    return f"{round(value * 1000)}m"


GPU_CLASS = "nvidia.com/gpu"


def claims_of(case: Case) -> dict[str, int]:
    """Devices of GPU claims, by pod; sums end at the largest number that the peer counts."""
    counts = {o["metadata"]["name"]: sum(r["exactly"]["count"]
                                         for r in o["spec"]["devices"]["requests"])
              for o in of_kind(case, "ResourceClaim")}
    return {o["metadata"]["name"]: min(2**63 - 1,
                                       sum(counts[c["resourceClaimName"]] for c in claims))
            for o in of_kind(case, "Pod") if (claims := o["spec"].get("resourceClaims"))}


def claims_problem(case: Case) -> str | None:
    """Why the claims are not such as are counted: each of one pod, and for whole GPUs."""
    pods, groups = of_kind(case, "Pod"), of_kind(case, "PodGroup")
    queue_of = {o["metadata"]["name"]: o["spec"]["queue"] for o in groups}
    for o in of_kind(case, "ResourceClaim"):
        name = o["metadata"]["name"]
        users = [p for p in pods if any(c.get("resourceClaimName") == name
                                        for c in p["spec"].get("resourceClaims", []))]
        if len(users) != 1:
            return "a resource claim that pods share"
        user = users[0]["metadata"]
        if any(r["name"] != user["name"]
               for r in o.get("status", {}).get("reservedFor") or []):
            return "a resource claim that pods share"
        for request in o["spec"]["devices"]["requests"]:
            exactly = request.get("exactly", {})
            if exactly.get("deviceClassName") != GPU_CLASS:
                return "a resource claim for devices that are no GPUs"
            if exactly.get("allocationMode") != "ExactCount" or exactly.get("selectors"):
                return "a resource claim that is not for a number of devices"
        label = (o["metadata"].get("labels") or {}).get("kai.scheduler/queue")
        if label != queue_of[user["annotations"]["pod-group-name"]]:
            return "a resource claim of no queue, or of another one"
    for o in of_kind(case, "ResourceSlice"):
        if o["spec"].get("driver") != GPU_CLASS or not o["spec"].get("nodeName"):
            return "devices of resource claims that are no GPUs of a node"
    if any("resourceClaimTemplateName" in c for p in pods
           for c in p["spec"].get("resourceClaims", [])):
        return "a template of resource claims"
    return None


def node(o: Case, spares: int) -> Case:
    spec = o.get("spec", {})
    row: Case = {"name": o["metadata"]["name"], "labels": o["metadata"].get("labels", {}),
                 "capacity": dict(o["status"]["allocatable"])}
    if spec.get("taints"):
        row["taints"] = [{"key": t["key"], "value": t.get("value", ""), "effect": t["effect"]}
                         for t in spec["taints"]]
    if spec.get("unschedulable"):
        row["unschedulable"] = True
    gpus = int(row["capacity"].get("nvidia.com/gpu", "0"))
    if spares and gpus:
        # Names for groups. There are more than devices: a new group may wait for an old one.
        row["devices"] = [{"name": f"g{i:03}", "kind": "gpu"} for i in range(gpus + spares)]
    return row


def levels(constraint: Case | None) -> Case | None:
    if not constraint or not constraint.get("topology"):
        return None
    return {"topology": constraint["topology"],
            "required": constraint.get("requiredTopologyLevel", ""),
            "preferred": constraint.get("preferredTopologyLevel", "")}


def job(o: Case, priorities: dict[str, int], rank: int, now: str) -> Case:
    meta, spec = o["metadata"], o["spec"]
    notes = meta.get("annotations", {})
    row: Case = {"name": meta["name"], "queue": spec["queue"], "uid_rank": rank,
                 "priority": priorities.get(spec.get("priorityClassName", ""), 50),
                 "preemptable": spec.get("preemptibility") == "preemptible",
                 "created": time(meta["creationTimestamp"], now),
                 "min_available": spec.get("minMember", 1)}
    gang: Case = {"started": notes.get("kai.scheduler/last-start-timestamp"),
                  "stale_since": notes.get("kai.scheduler/stale-podgroup-timestamp"),
                  "evicted": notes.get("kai.scheduler/last-eviction-timestamp")}
    gang = {key: time(value, now) for key, value in gang.items() if value}
    if spec.get("minSubGroup") is not None:
        gang["min_sub_groups"] = spec["minSubGroup"]
    if own := levels(spec.get("topologyConstraint")):
        gang["levels"] = own
    if spec.get("preemptionDelay"):
        gang["preemption_delay"] = duration(spec["preemptionDelay"])
    if spec.get("stalenessGracePeriod"):
        gang["staleness_grace"] = duration(spec["stalenessGracePeriod"])
    if gang:
        row["gang"] = gang
    if spec.get("subGroups"):
        row["sub_groups"] = [sub_group(group) for group in spec["subGroups"]]
    return row


def sub_group(group: Case) -> Case:
    row: Case = {"name": group["name"], "min_available": group.get("minMember", 0)}
    place: Case = {}
    if group.get("parent"):
        place["parent"] = group["parent"]
    if group.get("minSubGroup") is not None:
        place["min_sub_groups"] = group["minSubGroup"]
    if own := levels(group.get("topologyConstraint")):
        place["levels"] = own
    if place:
        row["place"] = place
    return row


def shape(o: Case, legacy: bool) -> Case:
    """`legacy`: the pod asks for MIG slices by annotations alone."""
    meta, spec = o["metadata"], o["spec"]
    notes = meta.get("annotations", {})
    request: Case = {}
    for container in spec["containers"]:
        for name, value in container.get("resources", {}).get("requests", {}).items():
            if name in request:
                raise ValueError(f"two containers request {name}")
            request[name] = value
    row: Case = {"request": request, "labels": dict(meta.get("labels", {}))}
    if legacy:
        row["labels"] |= {"nvidia.com/mig-legacy": "1"}
    for key in [k for k in row["labels"] if k.startswith("runai-gpu-group")]:
        del row["labels"][key]
    count = int(notes.get("gpu-fraction-num-devices", 1))
    if "gpu-fraction" in notes:
        milli = round(float(notes["gpu-fraction"]) * 1000)
        row["devices"] = [{"kind": "gpu", "count": count, "milli": milli}]
    elif "gpu-memory" in notes:
        row["devices"] = [{"kind": "gpu", "count": count, "memory": notes["gpu-memory"] + "Mi"}]
    if spec.get("tolerations"):
        row["tolerations"] = [{"key": t.get("key", ""), "op": t.get("operator", "Equal"),
                               "value": t.get("value", ""), "effect": t.get("effect", "")}
                              for t in spec["tolerations"]]
    if spec.get("nodeSelector"):
        row["node_selector"] = spec["nodeSelector"]
    row.update(affinity(spec.get("affinity", {})))
    return row


def affinity(spec: Case) -> Case:
    row: Case = {}
    required = spec.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    if required:
        row["required_node_affinity"] = [
            {"match_expressions": [{"key": e["key"], "op": e["operator"],
                                    "values": e.get("values", [])}
                                   for e in term.get("matchExpressions", [])]}
            for term in required["nodeSelectorTerms"]]
    for peer, key in (("podAffinity", "required_affinity"),
                      ("podAntiAffinity", "required_anti_affinity")):
        terms = spec.get(peer, {}).get("requiredDuringSchedulingIgnoredDuringExecution", [])
        if terms:
            row[key] = [term_of(term) for term in terms]
    return row


def term_of(term: Case) -> Case:
    selector = term.get("labelSelector", {})
    return {"topology_key": term["topologyKey"],
            "selector": {"match_labels": selector.get("matchLabels", {}),
                         "match_expressions": [
                             {"key": e["key"], "op": e["operator"], "values": e.get("values", [])}
                             for e in selector.get("matchExpressions", [])]}}


def profile(case: Case, actions: list[str]) -> str:
    config = case["config"]
    plugins = {p["name"]: p.get("arguments", {}) for tier in config["tiers"]
               for p in tier["plugins"]}
    params = config["schedulerParams"]
    placement, proportion = plugins.get("nodeplacement", {}), plugins.get("proportion", {})
    packs = "binpack" if "nodeplacement" in plugins else "none"
    options = {
        "gpu": placement.get("gpu", packs),
        "cpu": placement.get("cpu", packs),
        "availability": flag("nodeavailability" in plugins),
        "sharing": flag("gpusharingorder" in plugins),
        "resource_type": flag("resourcetype" in plugins),
        "nominated": flag("nominatednode" in plugins),
        "device": "pack" if "gpupack" in plugins else "spread" if "gpuspread" in plugins else "age",
        "saturation_multiplier": proportion.get("relcaimerSaturationMultiplier", "1"),
        "k": proportion.get("kValue", "1"),
        "consolidating_reclaim": flag(params["allowConsolidatingReclaim"]),
        "signatures": flag(params["useSchedulingSignatures"]),
        "restrict_nodes": flag(params["restrictSchedulingNodes"]),
        "consolidation_victims": params["maxNumberConsolidationPreemptees"],
        "staleness_grace": max(-1, duration(params["globalDefaultStalenessGracePeriod"])),
        "claims": flag(any(o["kind"] == "ResourceSlice" for o in case["objects"])),
        "promises": "kept",  # within one session; the next one begins without
    }
    if case["test"].startswith("actions-stalegangeviction."):
        # These tests alone change the session once it is open, which the record shows only by what
        # is then evicted: after 61 s, and not after 1 s.
        options["staleness_grace"] = duration("60s")
    runtimes = plugins.get("minruntime", {})
    for key, peer in (("preempt_min_runtime", "defaultPreemptMinRuntime"),
                      ("reclaim_min_runtime", "defaultReclaimMinRuntime")):
        if runtimes.get(peer):
            options[key] = duration(runtimes[peer])
    if runtimes.get("reclaimResolveMethod"):
        options["resolve"] = runtimes["reclaimResolveMethod"]
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return f"kai:actions={'+'.join(actions)},kai-rules({text})"


def flag(value: bool) -> str:
    return "on" if value else "off"
