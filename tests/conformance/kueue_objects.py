# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's objects as a scenario, and what of its workloads a scenario has no words for.

Times are in milliseconds, because one order of Kueue's adds a millisecond."""

import math
from datetime import datetime, timezone
from fractions import Fraction
from typing import Any

from quantity import parse

Json = dict[str, Any]

SEARCH = {"": "may_stop", "MayStopSearch": "may_stop", "Borrow": "may_stop", "Preempt": "may_stop",
          "TryNextFlavor": "try_next"}
SCOPES = {"": "never", "Never": "never", "LowerPriority": "lower_priority",
          "LowerOrNewerEqualPriority": "lower_or_newer_equal_priority", "Any": "any"}


def milliseconds(text: str | None) -> int | None:
    if not text:
        return None
    text = text.replace("Z", "+00:00")
    time = datetime.fromisoformat(text)
    return int(time.astimezone(timezone.utc).timestamp() * 1000)


def amount(resource: str, text: Any) -> int:
    return math.ceil(parse(text, resource) * (1000 if resource == "cpu" else 1))


def key_of(obj: Json) -> str:
    meta = obj["metadata"]
    return f"{meta.get('namespace', '')}/{meta['name']}"


def condition(workload: Json, kind: str) -> Json | None:
    for one in workload.get("status", {}).get("conditions", []) or []:
        if one["type"] == kind:
            return one
    return None


def is_true(workload: Json, kind: str) -> bool:
    found = condition(workload, kind)
    return found is not None and found["status"] == "True"


# --- pods


def pod_requests(spec: Json) -> dict[str, int]:
    """Of one pod: its containers, at least what each container before them needs, and overhead."""

    def of(container: Json) -> dict[str, int]:
        resources = container.get("resources") or {}
        merged = dict(resources.get("limits") or {}) | dict(resources.get("requests") or {})
        return {name: amount(name, text) for name, text in merged.items()}

    def add(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
        return {n: a.get(n, 0) + b.get(n, 0) for n in a.keys() | b.keys()}

    def most(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
        return {n: max(a.get(n, 0), b.get(n, 0)) for n in a.keys() | b.keys()}

    total: dict[str, int] = {}
    for container in spec.get("containers") or []:
        total = add(total, of(container))
    beside: dict[str, int] = {}
    before: dict[str, int] = {}
    for container in spec.get("initContainers") or []:
        if container.get("restartPolicy") == "Always":
            beside = add(beside, of(container))
            before = most(before, beside)
        else:
            before = most(before, add(beside, of(container)))
    total = most(add(total, beside), before)
    overhead = {n: amount(n, t) for n, t in (spec.get("overhead") or {}).items()}
    total = add(total, overhead)
    own = (spec.get("resources") or {})
    for name, text in (dict(own.get("limits") or {}) | dict(own.get("requests") or {})).items():
        total[name] = amount(name, text)
    return total


def written(resource: str, units: int) -> str:
    return f"{units}m" if resource == "cpu" else str(units)


def toleration(one: Json) -> Json:
    out = {k: one[k] for k in ("key", "value", "effect") if one.get(k)}
    return out | {"op": one.get("operator") or "Equal"}


def requirement(one: Json) -> Json:
    return {"key": one["key"], "op": one["operator"], "values": one.get("values") or []}


def term(one: Json) -> Json:
    return {
        "match_expressions": [requirement(r) for r in one.get("matchExpressions") or []],
        "match_fields": [requirement(r) for r in one.get("matchFields") or []],
    }


def shape(pod: Json, requests: dict[str, int]) -> Json:
    out: Json = {"request": {n: written(n, a) for n, a in requests.items()}}
    if pod.get("nodeSelector"):
        out["node_selector"] = pod["nodeSelector"]
    if pod.get("tolerations"):
        out["tolerations"] = [toleration(t) for t in pod["tolerations"]]
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    if required := affinity.get("requiredDuringSchedulingIgnoredDuringExecution"):
        out["required_node_affinity"] = [term(t) for t in required["nodeSelectorTerms"]]
    if preferred := affinity.get("preferredDuringSchedulingIgnoredDuringExecution"):
        out["preferred_node_affinity"] = [
            {"weight": p["weight"], "term": term(p["preference"])} for p in preferred]
    return out


# --- the world


def flavor(obj: Json, topologies: dict[str, Json]) -> Json:
    spec = obj.get("spec") or {}
    out: Json = {"name": obj["metadata"]["name"]}
    if spec.get("nodeLabels"):
        out["node_labels"] = spec["nodeLabels"]
    if spec.get("nodeTaints"):
        out["taints"] = [{k: t[k] for k in ("key", "value", "effect") if t.get(k)}
                         for t in spec["nodeTaints"]]
    if spec.get("tolerations"):
        out["tolerations"] = [toleration(t) for t in spec["tolerations"]]
    name = spec.get("topologyName")
    if name and name in topologies:
        levels = [level["nodeLabel"] for level in topologies[name]["spec"]["levels"]]
        out["topology"] = {"name": name, "levels": levels}
    return out


def groups(spec: Json) -> list[Json]:
    out = []
    for group in spec.get("resourceGroups") or []:
        flavors = []
        for one in group.get("flavors") or []:
            made: Json = {"flavor": one["name"], "nominal": {}, "borrow_limit": {},
                          "lend_limit": {}}
            for quota in one.get("resources") or []:
                for ours, theirs in (("nominal", "nominalQuota"),
                                     ("borrow_limit", "borrowingLimit"),
                                     ("lend_limit", "lendingLimit")):
                    if quota.get(theirs) is not None:
                        made[ours][quota["name"]] = quota[theirs]
            flavors.append({k: v for k, v in made.items() if v})
        if group.get("coveredResources"):
            out.append({"resources": group["coveredResources"], "flavors": flavors})
    return out


def cluster_queue(obj: Json) -> tuple[Json, Json]:
    """The queue, and its words for preemption as they are."""
    spec = obj.get("spec") or {}
    fungibility = spec.get("flavorFungibility") or {}
    rules: Json = {
        "groups": groups(spec),
        "strategy": "strict_fifo" if spec.get("queueingStrategy") == "StrictFIFO"
        else "best_effort_fifo",
        "flavor_search": {
            "when_borrowing": SEARCH[fungibility.get("whenCanBorrow") or "MayStopSearch"],
            "when_preempting": SEARCH[fungibility.get("whenCanPreempt") or "TryNextFlavor"],
            "preference": "preemption"
            if fungibility.get("preference") == "PreemptionOverBorrowing" else "borrowing",
        },
        "stop": {"": "none", "None": "none", "Hold": "hold", "HoldAndDrain": "hold_and_drain"}[
            spec.get("stopPolicy") or ""],
    }
    if (weight := (spec.get("fairSharing") or {}).get("weight")) is not None:
        rules["fair_weight"] = weight
    scope = (spec.get("admissionScope") or {}).get("admissionMode")
    rules["by_usage"] = scope == "UsageBasedAdmissionFairSharing"
    preemption = spec.get("preemption")
    words: Json = {"within": "Never", "reclaim": "Never"}
    if preemption is not None:
        words = {"within": preemption.get("withinClusterQueue") or "",
                 "reclaim": preemption.get("reclaimWithinCohort") or ""}
        if (borrow := preemption.get("borrowWithinCohort")) is not None:
            words["borrow"] = borrow.get("policy") or ""
            if borrow.get("maxPriorityThreshold") is not None:
                words["borrow_most"] = borrow["maxPriorityThreshold"]
    migration = (spec.get("concurrentAdmissionPolicy") or {}).get("migration") or {}
    if last := (migration.get("constraints") or {}).get("lastAcceptableFlavorName"):
        words["last_acceptable"] = last
    selector = spec.get("namespaceSelector")
    if selector is None:
        words["no_namespace"] = True
    elif selector:
        rules["namespaces"] = {
            "match_labels": selector.get("matchLabels") or {},
            "match_expressions": [requirement(r) for r in selector.get("matchExpressions") or []],
        }
    queue = {"name": obj["metadata"]["name"], "rules": rules}
    if spec.get("cohortName"):
        queue["parent"] = cohort_name(spec["cohortName"])
    return queue, words


def cohort_name(name: str) -> str:
    """Cohorts and ClusterQueues may have one name; queues may not."""
    return f"cohort:{name}"


def cohorts(objects: list[Json]) -> list[Json]:
    """Those that exist, and those that are only named."""
    made: dict[str, Json] = {}
    for obj in objects:
        if obj["kind"] != "Cohort":
            continue
        spec = obj.get("spec") or {}
        if "metadata" not in obj:  # a fixture without a name
            continue
        queue: Json = {"name": cohort_name(obj["metadata"]["name"]),
                       "rules": {"groups": groups(spec)}}
        if spec.get("parentName"):
            queue["parent"] = cohort_name(spec["parentName"])
        if (weight := (spec.get("fairSharing") or {}).get("weight")) is not None:
            queue["rules"]["fair_weight"] = weight
        made[queue["name"]] = queue
    named = [q["parent"] for q in made.values() if "parent" in q]
    named += [cohort_name(o["spec"]["cohortName"]) for o in objects
              if o["kind"] == "ClusterQueue" and (o.get("spec") or {}).get("cohortName")]
    for name in named:
        made.setdefault(name, {"name": name, "rules": {}})
    return list(made.values())


def queue_time(workload: Json, timestamp: str, sorting: bool) -> int:
    evicted = condition(workload, "Evicted")
    if evicted and evicted["status"] == "True":
        if (timestamp != "Creation" and evicted.get("reason") == "PodsReadyTimeout") or \
                evicted.get("reason") == "AdmissionCheck":
            return milliseconds(evicted["lastTransitionTime"]) or 0
    preempted = condition(workload, "Preempted")
    if not sorting and preempted and preempted["status"] == "True" and \
            preempted.get("reason") == "InCohortReclaimWhileBorrowing":
        return (milliseconds(preempted["lastTransitionTime"]) or 0) + 1
    return milliseconds(workload["metadata"].get("creationTimestamp")) or 0


def boost(workload: Json, gates: Json) -> int:
    """What an annotation adds to the priority."""
    notes = workload["metadata"].get("annotations") or {}
    text = notes.get("kueue.x-k8s.io/priority-boost", "")
    return int(text) if gates.get("PriorityBoost") and text.lstrip("+-").isdigit() else 0


def job(workload: Json, queue: str, rank: int) -> Json:
    spec = workload["spec"]
    out: Json = {
        "name": key_of(workload),
        "queue": queue,
        "priority": spec.get("priority") or 0,
        "created": milliseconds(workload["metadata"].get("creationTimestamp")) or 0,
        "uid_rank": rank,
        "groups": [],
    }
    for pod_set in spec["podSets"]:
        pod = (pod_set.get("template") or {}).get("spec") or {}
        by_count: Json = {"count": pod_set.get("count", 1)}
        if pod_set.get("minCount") is not None:
            by_count["min_count"] = pod_set["minCount"]
        out["groups"].append({"name": pod_set["name"], "by_count": by_count,
                              "shape": shape(pod, pod_requests(pod))})
    admission = workload.get("status", {}).get("admission")
    if admission:
        reserved = condition(workload, "QuotaReserved") or {}
        out["admission"] = {
            "queue": admission["clusterQueue"],
            "time": milliseconds(reserved.get("lastTransitionTime")) or 0,
            "groups": [
                {"group": a["name"], "count": a.get("count", 0), "flavors": a.get("flavors") or {}}
                for a in admission.get("podSetAssignments") or []
            ],
        }
    return out


def topology_request(wish: Json | None) -> Json | None:
    """None where nothing explicit is requested."""
    wish = wish or {}
    out: Json = {k: wish[k] for k in ("required", "preferred", "unconstrained")
                 if wish.get(k) is not None}
    constraints = wish.get("podsetSliceRequiredTopologyConstraints") or []
    slices = [{"level": c.get("topology", ""), "size": c.get("size", 0)} for c in constraints]
    if not slices and (wish.get("podSetSliceRequiredTopology") or
                       wish.get("podSetSliceSize") is not None):
        slices = [{"level": wish.get("podSetSliceRequiredTopology") or "",
                   "size": wish.get("podSetSliceSize") or 0}]
    if slices:
        out["slices"] = slices
    return out or None


def places(assignment: Json | None) -> list[Json] | None:
    """The domains of a topology assignment, whichever way it is written."""
    if assignment is None:
        return None
    if "domains" in assignment:
        return [{"values": d["values"], "count": d["count"]} for d in assignment["domains"]]
    out = []
    for part in assignment.get("slices") or []:
        for i in range(part["domainCount"]):
            values = []
            for level in part["valuesPerLevel"]:
                if "universal" in level:
                    values.append(level["universal"])
                    continue
                one = level["individual"]
                values.append((one.get("prefix") or "") + one["roots"][i] +
                              (one.get("suffix") or ""))
            counts = part["podCounts"]
            count = counts["universal"] if "universal" in counts else counts["individual"][i]
            out.append({"values": values, "count": count})
    return out


def topology_facts(workload: Json) -> Json:
    out: Json = {}
    wishes = [topology_request(p.get("topologyRequest")) for p in workload["spec"]["podSets"]]
    if any(wishes):
        out["topology"] = wishes
    status = workload.get("status", {})
    if admission := status.get("admission"):
        held = {a["name"]: a for a in admission.get("podSetAssignments") or []}
        rows = [held.get(p["name"], {}) for p in workload["spec"]["podSets"]]
        out["places"] = [places(a.get("topologyAssignment")) for a in rows]
        out["delayed"] = [a.get("delayedTopologyRequest") == "Pending" for a in rows]
    if status.get("unhealthyNodes"):
        out["unhealthy"] = status["unhealthyNodes"][0]["name"]
    owners = workload["metadata"].get("ownerReferences") or []
    out["single_pod"] = any(o.get("kind") == "Pod" for o in owners)
    return out


def transformed(requests: dict[str, int], rules: list[Json]) -> dict[str, int]:
    """What one pod counts for, by the configuration's rules: an input becomes outputs."""
    kept = dict(requests)
    made: dict[str, int] = {}
    for rule in rules:
        name = rule["input"]
        if name not in requests:
            continue
        times = requests.get(rule.get("multiplyBy") or "", 1) if rule.get("multiplyBy") else 1
        units = Fraction(requests[name], 1000 if name == "cpu" else 1)
        for output, each in (rule.get("outputs") or {}).items():
            total = parse(each, output) * units * times * (1000 if output == "cpu" else 1)
            made[output] = made.get(output, 0) + max(0, math.ceil(total))
        if rule.get("strategy") == "Replace":
            kept.pop(name, None)
    return {n: kept.get(n, 0) + made.get(n, 0) for n in kept.keys() | made.keys()}


# What is written on workloads for features of one scheduler.
ALLOWED = "kueue.x-k8s.io/workload-allowed-resource-flavors"
ELASTIC = "kueue.x-k8s.io/elastic-job"
REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"


def special_facts(workload: Json, gates: Json) -> Json:
    out: Json = {}
    notes = workload["metadata"].get("annotations") or {}
    if ALLOWED in notes and gates.get("ConcurrentAdmission"):
        out["allowed"] = [f for f in notes[ALLOWED].split(",") if f]
        owners = workload["metadata"].get("ownerReferences") or []
        out["family"] = next((o["uid"] for o in owners if o.get("kind") == "Workload"), "")
    out["elastic"] = notes.get(ELASTIC) == "true"
    if REPLACES in notes:
        out["replaces"] = notes[REPLACES]
    checks = workload.get("status", {}).get("admissionChecks") or []
    out["retry_checks"] = any(c.get("state") in ("Retry", "Rejected") for c in checks)
    opened = {g["name"] for g in workload.get("status", {}).get("preemptionGates") or []
              if g.get("state") == "Open"}
    closed = [g for g in workload["spec"].get("preemptionGates") or [] if g["name"] not in opened]
    orchestrated = gates.get("MultiKueueOrchestratedPreemption") or gates.get("ConcurrentAdmission")
    out["gated"] = bool(closed) and bool(orchestrated)
    return out


def refusal(workload: Json, limits: list[Json]) -> str:
    """Why the workload's requests are not valid: above their limits, or outside a LimitRange."""
    for pod_set in workload["spec"]["podSets"]:
        pod = (pod_set.get("template") or {}).get("spec") or {}
        for container in (pod.get("containers") or []) + (pod.get("initContainers") or []):
            resources = container.get("resources") or {}
            requests = {n: amount(n, t) for n, t in (resources.get("requests") or {}).items()}
            most = {n: amount(n, t) for n, t in (resources.get("limits") or {}).items()}
            if any(n in most and a > most[n] for n, a in requests.items()):
                return "resources didn't satisfy the limits"
            for one in limits:
                if one["type"] != "Container":
                    continue
                for n, a in requests.items():
                    if n in (one.get("max") or {}) and a > amount(n, one["max"][n]):
                        return "resources didn't satisfy LimitRange constraints"
                    if n in (one.get("min") or {}) and a < amount(n, one["min"][n]):
                        return "resources didn't satisfy LimitRange constraints"
        whole = pod_requests(pod)
        for one in limits:
            if one["type"] == "Pod" and any(
                    n in whole and whole[n] > amount(n, t)
                    for n, t in (one.get("max") or {}).items()):
                return "resources didn't satisfy LimitRange constraints"
    return ""


def facts(workload: Json, local_queue: str, timestamp: str, sorting: bool) -> Json:
    out: Json = {
        "local_queue": local_queue,
        "queue_time": queue_time(workload, timestamp, sorting),
        "evicted": is_true(workload, "Evicted"),
        "reserved": is_true(workload, "QuotaReserved"),
        "generation": workload["metadata"].get("generation", 0),
    }
    status = workload.get("status", {})
    done = {r["name"]: r["count"] for r in status.get("reclaimablePods") or []}
    names = [p["name"] for p in workload["spec"]["podSets"]]
    if done:
        out["reclaimed"] = [done.get(name, 0) for name in names]
    wishes = [p.get("topologyRequest") or {} for p in workload["spec"]["podSets"]]
    if any(w.get("podSetGroupName") for w in wishes):
        out["pod_set_groups"] = [w.get("podSetGroupName") or "" for w in wishes]
    if status.get("admission"):
        usage = {a["name"]: a.get("resourceUsage") or {}
                 for a in status["admission"].get("podSetAssignments") or []}
        out["usage"] = [{r: amount(r, t) for r, t in usage.get(name, {}).items()}
                        for name in names]
    return out


def retry_facts(workload: Json) -> Json:
    """Since when the workload may be tried again."""
    requeued = condition(workload, "Requeued")
    out: Json = {"may_retry": requeued is None or requeued["status"] != "False"}
    state = workload.get("status", {}).get("requeueState") or {}
    if (at := milliseconds(state.get("requeueAt"))) is not None:
        out["retry_at"] = at
    return out


def nodes(objects: list[Json]) -> tuple[list[Json], Json]:
    """The nodes, and what pods take of them that no workload has."""
    out = []
    for obj in objects:
        if obj["kind"] != "Node":
            continue
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        ready = any(c["type"] == "Ready" and c["status"] == "True"
                    for c in status.get("conditions") or [])
        node: Json = {"name": obj["metadata"]["name"], "ready": ready,
                      "labels": obj["metadata"].get("labels") or {},
                      "capacity": status.get("allocatable") or {}}
        if spec.get("unschedulable"):
            node["unschedulable"] = True
        if spec.get("taints"):
            node["taints"] = [{k: t[k] for k in ("key", "value", "effect") if t.get(k)}
                              for t in spec["taints"]]
        out.append(node)
    taken: Json = {}
    for obj in objects:
        if obj["kind"] != "Pod" or not obj["spec"].get("nodeName"):
            continue
        meta = obj["metadata"]
        managed = (meta.get("labels") or {}).get("kueue.x-k8s.io/tas") == "true" or \
            "kueue.x-k8s.io/workload" in (meta.get("annotations") or {})
        if managed or (obj.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            continue
        row = taken.setdefault(obj["spec"]["nodeName"], {"pods": 0})
        row["pods"] += 1
        for name, units in pod_requests(obj["spec"]).items():
            row[name] = row.get(name, 0) + units
    return out, taken


def delays(queue: Json, controllers: Json) -> list[Json]:
    """Checks after which places are found only when they have passed."""
    spec = queue.get("spec") or {}
    out = []
    listed = (spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or []
    for check in listed:
        controller = controllers.get(check["name"])
        if controller == "kueue.x-k8s.io/multikueue":
            out.append({"flavor": "", "always": True})
        elif controller == "kueue.x-k8s.io/provisioning-request":
            flavors = check.get("onFlavors") or [""]
            out += [{"flavor": flavor, "always": False} for flavor in flavors]
    return out


def world(case: Json, objects: list[Json]) -> Json:
    """The question about the objects, without what waits where."""
    config = case.get("config") or {}
    gates = config.get("featureGates") or {}
    fair = config.get("fairSharing")
    asked: Json = {"config": {"gates": gates}, "facts": {}, "policies": {}}
    if fair is not None:
        asked["config"]["fair_sharing"] = True
        if fair.get("preemptionStrategies"):
            asked["config"]["share_rules"] = fair["preemptionStrategies"]
    asked["config"]["ignores_undeclared"] = config.get("quotaCheckStrategy") == "IgnoreUndeclared"
    topologies = {o["metadata"]["name"]: o for o in objects if o["kind"] == "Topology"}
    scenario: Json = {"muster": 1, "flavors": [], "queues": cohorts(objects), "jobs": []}
    scenario["nodes"], asked["taken"] = nodes(objects)
    controllers = {o["metadata"]["name"]: o["spec"].get("controllerName") for o in objects
                   if o["kind"] == "AdmissionCheck"}
    spaces = {o["metadata"]["name"]: o["metadata"].get("labels") or {} for o in objects
              if o["kind"] == "Namespace"}
    limits: dict[str, list[Json]] = {}
    for obj in objects:
        if obj["kind"] == "LimitRange":
            limits.setdefault(obj["metadata"].get("namespace", ""), []).extend(
                obj["spec"].get("limits") or [])
    local: dict[str, str] = {}
    for obj in objects:
        match obj["kind"]:
            case "ResourceFlavor":
                scenario["flavors"].append(flavor(obj, topologies))
            case "ClusterQueue":
                queue, words = cluster_queue(obj)
                scenario["queues"].append(queue)
                if late := delays(obj, controllers):
                    words["delays"] = late
                asked["policies"][queue["name"]] = words
            case "LocalQueue":
                local[key_of(obj)] = obj["spec"]["clusterQueue"]
    workloads = [o for o in objects if o["kind"] == "Workload"]
    uids = sorted({o["metadata"].get("uid") or key_of(o) for o in workloads})
    ranks = {uid: i for i, uid in enumerate(uids)}
    timestamp = config.get("podsReadyRequeuingTimestamp") or "Eviction"
    sorting = gates.get("PrioritySortingWithinCohort", True)
    for obj in workloads:
        name = f"{obj['metadata'].get('namespace', '')}/{obj['spec'].get('queueName', '')}"
        rank = ranks[obj["metadata"].get("uid") or key_of(obj)]
        scenario["jobs"].append(job(obj, local.get(name, ""), rank))
        scenario["jobs"][-1]["priority"] += boost(obj, gates)
        space = obj["metadata"].get("namespace", "")
        asked["facts"][key_of(obj)] = (
            facts(obj, name, timestamp, sorting) | topology_facts(obj) |
            special_facts(obj, gates) |
            {"space_labels": spaces.get(space, {}), "refused": refusal(obj, limits.get(space, []))})
    rules = (case["state"].get("testInputs") or {}).get("resourceTransformations")
    for obj in workloads if rules else []:
        pods = [(p.get("template") or {}).get("spec") or {} for p in obj["spec"]["podSets"]]
        asked["facts"][key_of(obj)]["requests"] = [
            transformed(pod_requests(pod), rules) for pod in pods]
    asked["scenario"] = scenario
    return asked
