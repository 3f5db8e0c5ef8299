# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's topology-aware scheduling: the searches of its tests, and the steps of a search, put to
muster_probe."""

import math
from typing import Any, Callable

from adapters.kueue_calls import answered, differs
from probe import Probe, Unanswerable
from quantity import parse

Json = dict[str, Any]

HOST = "kubernetes.io/hostname"


def amount(resource: str, text: Any) -> int:
    return math.ceil(parse(str(text), resource) * (1000 if resource == "cpu" else 1))


def amounts(quantities: Json | None) -> dict[str, int]:
    return {name: amount(name, text) for name, text in (quantities or {}).items()}


def of_vector(vector: Any) -> dict[str, int]:
    """[{"name": "cpu", "value": 1000}], or the same as a map."""
    if isinstance(vector, dict):
        return dict(vector)
    return {entry["name"]: entry["value"] for entry in vector or []}


def resolved(case: Json, value: Any) -> Any:
    """Objects in place of the references to them."""
    if isinstance(value, list):
        return [resolved(case, one) for one in value]
    if not isinstance(value, dict) or "$ref" not in value:
        return value
    kind, _, name = value["$ref"].partition("/")
    for one in case["objects"]:
        meta = one["metadata"]
        full = "/".join(filter(None, [meta.get("namespace"), meta["name"]]))
        if one["kind"] == kind and full == name:
            return one
    raise Unanswerable(f"the case refers to {value['$ref']}, which it has not")


# --- nodes and pods


def is_ready(node: Json) -> bool:
    for condition in node.get("status", {}).get("conditions") or []:
        if condition["type"] == "Ready":
            return condition["status"] == "True"
    return False


def node_row(node: Json) -> Json:
    spec = node.get("spec") or {}
    return {
        "name": node["metadata"]["name"],
        "labels": node["metadata"].get("labels") or {},
        "taints": spec.get("taints") or [],
        "usable": is_ready(node) and not spec.get("unschedulable", False),
        "allocatable": amounts((node.get("status") or {}).get("allocatable")),
    }


def has_ended(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def pod_requests(spec: Json) -> dict[str, int]:
    """Of containers, at least what each init container needs beside the sidecars before it."""

    def of(container: Json) -> dict[str, int]:
        return amounts((container.get("resources") or {}).get("requests"))

    def add(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
        return {n: a.get(n, 0) + b.get(n, 0) for n in [*a, *(n for n in b if n not in a)]}

    def most(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
        return {n: max(a.get(n, 0), b.get(n, 0)) for n in [*a, *(n for n in b if n not in a)]}

    total: dict[str, int] = {}
    for container in spec.get("containers") or []:
        total = add(total, of(container))
    beside: dict[str, int] = {}
    start: dict[str, int] = {}
    for container in spec.get("initContainers") or []:
        if container.get("restartPolicy") == "Always":
            beside = add(beside, of(container))
            start = most(start, beside)
        else:
            start = most(start, add(beside, of(container)))
    return add(most(add(total, beside), start), amounts(spec.get("overhead")))


def others(pods: list[Json], nodes: list[Json]) -> list[Json]:
    """What pods that no workload has take of nodes, by the node's position."""
    positions = {node["metadata"]["name"]: i for i, node in enumerate(nodes)}
    rows = []
    for pod in pods:
        at = positions.get(pod["spec"].get("nodeName"))
        if at is None or has_ended(pod):
            continue
        taken = pod_requests(pod["spec"])
        taken["pods"] = taken.get("pods", 0) + 1
        rows.append({"node": at, "amounts": taken})
    return rows


# --- assignments and requests


def places(assignment: Json | None) -> list[Json] | None:
    """Of an assignment as the API stores it, or as the code has it."""
    if assignment is None:
        return None
    if "slices" not in assignment:
        domains = assignment.get("Domains") or assignment.get("domains") or []
        lower = [{key.lower(): value for key, value in domain.items()} for domain in domains]
        return [{"values": d.get("values") or [], "count": d.get("count", 0)} for d in lower]
    rows = []
    for piece in assignment["slices"]:
        for i in range(piece["domainCount"]):
            counts = piece["podCounts"]
            count = counts["universal"] if "universal" in counts else counts["individual"][i]
            values = []
            for level in piece["valuesPerLevel"]:
                if "universal" in level:
                    values.append(level["universal"])
                else:
                    each = level["individual"]
                    values.append(
                        each.get("prefix", "") + each["roots"][i] + each.get("suffix", ""))
            rows.append({"values": values, "count": count})
    return rows


def topology_request(request: Json | None) -> Json | None:
    if request is None:
        return None
    slices = [{"level": s["topology"], "size": s.get("size", 0)}
              for s in request.get("podsetSliceRequiredTopologyConstraints") or []]
    if not slices and request.get("podSetSliceRequiredTopology") is not None:
        slices = [{"level": request["podSetSliceRequiredTopology"],
                   "size": request.get("podSetSliceSize") or 0}]
    kept = ("required", "preferred", "unconstrained")
    return {key: request.get(key) for key in kept} | {"slices": slices}


def pod_set(request: Json | None, pod: dict[str, int], count: int, **more: Any) -> Json:
    """A pod set of a question. more: spec of its pods, and members that are set otherwise."""
    spec = more.pop("spec", {})
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return {
        "request": topology_request(request),
        "pod": pod,
        "count": count,
        "implied": False,
        "group": "",
        "previous": None,
        "existing": None,
        "node_selector": spec.get("nodeSelector") or {},
        "tolerations": spec.get("tolerations") or [],
        "required_terms": None if required is None else required.get("nodeSelectorTerms") or [],
        "preferred_terms": affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or [],
    } | more


def owned_by_single_pod(workload: Json) -> bool:
    meta = workload["metadata"]
    owners = meta.get("ownerReferences") or []
    if len(owners) != 1:
        return False
    if (meta.get("annotations") or {}).get("kueue.x-k8s.io/is-group-workload") == "true":
        return False
    return owners[0]["kind"] == "Pod" and owners[0]["apiVersion"] == "v1"


def world(case: Json, levels: list[str], nodes: list[Json], **more: Any) -> Json:
    """A world of one flavor. more: used, others, node_labels."""
    named = {"pods"}
    rows = [node_row(node) for node in nodes]
    for row in rows:
        named |= row["allocatable"].keys()
    for other in more.get("others", []):
        named |= other["amounts"].keys()
    for used in more.get("used", []):
        named |= used["pod"].keys()
    named |= more.pop("resources", set())
    flavor = {
        "name": "flavor",
        "topology": "default",
        "levels": levels,
        "node_labels": more.get("node_labels") or {},
        "tolerations": [],
        "used": more.get("used", []),
    }
    return {
        "resources": sorted(named),
        "nodes": rows,
        "others": more.get("others", []),
        "gates": case["config"].get("featureGates") or {},
        "flavors": [flavor],
    }


def used_rows(usage: list[Json] | None) -> list[Json]:
    return [{"values": u["Values"], "pod": of_vector(u["SinglePodRequests"]), "count": u["Count"]}
            for u in usage or []]


# --- whole searches


def _usage(case: Json, levels: list[str]) -> list[Json]:
    """Where leaves are hosts, the tests count the usage of all flavors in place of the flavor's."""
    state, gates = case["state"], case["config"].get("featureGates") or {}
    if gates.get("TASHandleOverlappingFlavors", True) and levels[-1] == HOST:
        rows = used_rows(state.get("priorFlavorUsage"))
        for name, vector in (state.get("aggregatedDomainUsages") or {}).items():
            taken = of_vector(vector)
            count = taken.pop("pods", 0)
            rows.append({"values": name.split(","), "pod": taken, "count": 1})
            rows.append({"values": name.split(","), "pod": {}, "count": count - 1})
        return rows
    return used_rows(state.get("priorOwnUsage"))


def _search(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    levels, nodes = state["levels"], resolved(case, state["nodes"])
    pods = resolved(case, state.get("pods") or [])
    workload = resolved(case, state.get("workload"))
    sets, named = [], set()
    admitted = {}
    if workload:
        status = workload.get("status") or {}
        for one in (status.get("admission") or {}).get("podSetAssignments") or []:
            admitted[one["name"]] = one.get("topologyAssignment")
    for one in state["podSets"]:
        spec = {"nodeSelector": one.get("nodeSelector"), "tolerations": one.get("tolerations"),
                "affinity": {"nodeAffinity": one.get("nodeAffinity") or {}}}
        pod = of_vector(one["requests"])
        named |= pod.keys()
        sets.append(pod_set(one.get("topologyRequest"), pod, one["count"], spec=spec,
                            implied=one.get("topologyRequest") is None,
                            group=one.get("podSetGroupName") or "",
                            previous=places(one.get("previousAssignment")),
                            existing=places(admitted.get(one.get("podSetName")))))
    asked = world(case, levels, nodes, others=others(pods, nodes), used=_usage(case, levels),
                  node_labels=state.get("nodeLabels"), resources=named)
    op: Json = {"op": "find", "pod_sets": sets}
    if workload:
        unhealthy = (workload.get("status") or {}).get("unhealthyNodes") or []
        op["unhealthy"] = unhealthy[0]["name"] if unhealthy else ""
        op["single_pod"] = owned_by_single_pod(workload)
        op["workload"] = 1 if workload["metadata"].get("uid") else 0
    answers = probe.kueue_topology(asked, [op])[0]
    names = [one.get("podSetName") or "" for one in state["podSets"]]
    ours = {name: answer for name, answer in zip(names, answers) if answer is not None}
    theirs = case["observed"]["result"]
    if ours.keys() != theirs.keys():
        return [f"pod sets {sorted(ours)}, the peer's {sorted(theirs)}"]
    lines = []
    for name, right in theirs.items():
        lines += differing_placement(name, ours[name], right)
    return lines


def differing_placement(name: str, ours: Json, right: Json) -> list[str]:
    if ours.get("failure", "") != (right.get("FailureReason") or ""):
        return [f"{name}: {ours}, the peer's {right}"]
    wanted = places(right.get("TopologyAssignment")) or []
    if ours.get("places", []) != wanted:
        return [f"{name}: {ours.get('places')}, the peer's {wanted}"]
    return []


def _replacement(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    levels = state.get("levels") or state["fixtures"]["defaultLevels"]
    nodes = resolved(case, state["nodes"])
    pods = resolved(case, state.get("pods") or [])
    asked = world(case, levels, nodes, others=others(pods, nodes), used=_usage(case, levels),
                  resources={"cpu"})
    one = pod_set(state.get("topologyRequest"), {"cpu": 1000}, state["count"],
                  existing=places(state["existingTA"]))
    op = {"op": "find", "pod_sets": [one], "unhealthy": state["unhealthyNode"]}
    answer = probe.kueue_topology(asked, [op])[0][0]
    observed = case["observed"]
    if observed["reason"]:
        right = observed["reason"]
        return [] if answer.get("failure") == right else [f"{answer}, the peer's {right}"]
    return differing_placement("main", answer, {"TopologyAssignment": observed["assignment"]})


# --- small questions


def _one(case: Json, probe: Probe, levels: list[str], nodes: list[Json], op: Json) -> Any:
    return probe.kueue_topology(world(case, levels, nodes), [op])[0]


def _ready(nodes: list[Json]) -> list[Json]:
    """Trees are made of nodes that are known to be usable."""
    condition = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    return [n | {"status": (n.get("status") or {}) | condition["status"]} for n in nodes]


def _has_level(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    request = topology_request(state.get("podSetTopologyRequest") or {})
    op = {"op": "has_levels", "request": request}
    return differs(_one(case, probe, state["fixtures"]["levels"], [], op), answered(case))


def _merge(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    op = {"op": "merge", "a": places(state["a"]), "b": places(state["b"])}
    fixtures = state["fixtures"]
    ours = _one(case, probe, fixtures["levels"], _ready(fixtures["nodes"]), op)
    return differs(ours, places(answered(case)))


def _truncate(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    op = {"op": "truncate", "places": places(state["assignment"]), "count": state["newCount"]}
    return differs(_one(case, probe, ["any"], [], op), places(answered(case)))


def _count_pods(case: Json, probe: Probe) -> list[str]:
    op = {"op": "pods", "places": places(case["state"].get("assignment")) or []}
    return differs(_one(case, probe, ["any"], [], op), answered(case))


def _stale(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    tree = state["tree"]
    op = {"op": "gone", "places": places(state["assignment"]) or []}
    ours = _one(case, probe, tree["levelKeys"], _ready(tree["nodes"]), op)
    right = case["observed"]
    return differs([not ours["whole"], ours["gone"]], [right["stale"], right["staleDomain"]])


def _tree(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    levels, nodes = state["levels"], _ready(resolved(case, state["nodes"]))
    asked = world(case, levels, nodes)
    ours = probe.kueue_topology(asked, [{"op": "tree"}])[0]
    hosts = levels[-1] == HOST
    cpu = asked["resources"].index("cpu")

    def name(level: int, path: list[str]) -> str:
        return path[-1] if hosts and level == len(levels) - 1 else ",".join(path)

    rows = {}
    for level, domains in enumerate(ours):
        for d in domains:
            path = d["path"]
            row = {
                "CPUCapacity": d["capacity"][cpu] if "capacity" in d else 0,
                "Leaf": level == len(levels) - 1,
                "LevelValues": path,
                "NodeName": d.get("host", ""),
                "Parent": {"ID": ",".join(path[:-1]), "Level": max(level - 1, 0)},
                "Root": level == 0,
            }
            if d["children"]:
                row["Children"] = [
                    {"ID": name(level + 1, c), "Level": level + 1} for c in d["children"]]
            rows[f"{level}/{name(level, path)}"] = row
    right = case["observed"]
    lines = differs(len(rows), right["value1"])
    for key in sorted(rows.keys() | right["value2"].keys()):
        lines += [f"{key}: {line}" for line in differs(rows.get(key), right["value2"].get(key))]
    return lines


def _of_flavor(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    nodes = list(state["fixtures"]["nc"]["nodes"].values())
    op = {"op": "of_flavor", "node_labels": state.get("nodeLabels") or {},
          "levels": state.get("levels") or []}
    answer = _one(case, probe, ["any"], nodes, op)
    ours = sorted(n["metadata"]["name"] for n, found in zip(nodes, answer) if found)
    return differs(ours, sorted(n["metadata"]["name"] for n in case["observed"]["nodes"] or []))


TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    "pkg-cache-scheduler.TestFindTopologyAssignments": _search,
    "pkg-cache-scheduler.TestFindTopologyAssignmentsMultiLayerReplacement": _replacement,
    "pkg-cache-scheduler.TestHasLevel": _has_level,
    "pkg-cache-scheduler.TestMergeTopologyAssignments": _merge,
    "pkg-cache-scheduler.TestTruncateAssignment": _truncate,
    "pkg-cache-scheduler.TestCountPodsInAssignment": _count_pods,
    "pkg-cache-scheduler.TestIsTopologyAssignmentStale": _stale,
    "pkg-cache-scheduler.TestNewTopologyTree": _tree,
    "pkg-cache-scheduler.TestNodesCacheFind": _of_flavor,
}


def check(case: Json, probe: Probe) -> list[str]:
    """How our answer differs from the recorded one. REQUIRES: the case's test is in TESTS."""
    return TESTS[case["test"]](case, probe)
