# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded job scheduling: the pending pods of a gang that make room together, as a
plan of the profile on the nodes and pods of the record; and places of a gang in a topology."""

import json
from typing import Any

import quantity
from adapters.koordinator_objects import Json, name_of, resolved
from probe import Probe, Unanswerable

CALL = "preemptionEvaluatorImpl.preempt"
IN_TOPOLOGY = "preemption of a gang in a topology, which the profile does not look for"
PROFILE = "koordinator:schedule(gang_preemption=on,quota=off,cycles=1)"


def _amounts(values: Json) -> Json:
    return {name: f"{int(amount * 1000)}m" if name == "cpu" else int(amount)
            for name, amount in quantity.parse_map(values, "resources").items()}


def _task(pod: Json, **more: Any) -> Json:
    spec = pod.get("spec") or {}
    requests = ((spec.get("containers") or [{}])[0].get("resources") or {}).get("requests") or {}
    return {"name": pod["metadata"]["name"], "priority": spec.get("priority", 0),
            "shape": {"request": _amounts(requests)}} | more


def _existing(pod: Json) -> Json:
    leaves = any(c.get("reason") == "PreemptionByScheduler"
                 for c in (pod.get("status") or {}).get("conditions") or [])
    task = _task(pod, node=pod["spec"]["nodeName"], status="releasing" if leaves else "running")
    if leaves:
        task["shape"]["labels"] = {"kube-scheduler/preempted": "true"}
    return task


def _gang(pod: Json, trigger: Json) -> Json:
    """A pod of the gang. The trigger is the pod as the peer's call has it."""
    if pod["metadata"]["name"] == trigger["metadata"]["name"]:
        pod = trigger
    more: Json = {"job": "gang"}
    if (pod.get("spec") or {}).get("nodeName"):
        more |= {"node": pod["spec"]["nodeName"], "status": "waiting"}
    elif (pod.get("status") or {}).get("nominatedNodeName"):
        more["nominated_node"] = pod["status"]["nominatedNodeName"]
    if (pod.get("spec") or {}).get("preemptionPolicy") == "Never":
        more["never_preempts"] = True
    return _task(pod, **more)


def preempt(script: Any, probe: Probe) -> list[str]:
    """The victims and the places of the pods, or why there are none."""
    case = script.case
    inputs = case["state"]["inputs"]
    if inputs.get("clusterNetworkTopology"):
        raise Unanswerable(IN_TOPOLOGY)
    if "preemptionMessage" in inputs["gangSchedulingContext"]:
        raise Unanswerable("a group that has tried before, without pods: a plan begins with none")
    if not inputs.get("allPendingPods"):
        raise Unanswerable("a gang without a pod that waits: ours is asked for one that does")
    wanted = case["expect"]

    def pods(name: str) -> list[Json]:
        return [resolved(script, pod) for pod in inputs.get(name) or []]

    call = script.calls(CALL)[0]
    statuses = (script.args(call)["m"] or {}).get("nodeToStatus") or {}
    nodes = []
    for node in pods("nodes"):
        name = node["metadata"]["name"]
        capacity = _amounts(node["status"]["allocatable"])
        closed = statuses.get(name, {}).get("code") != "Unschedulable"
        nodes.append({"name": name, "capacity": capacity, "unschedulable": closed})
    trigger = resolved(script, inputs["triggerPod"])
    gang = [_gang(pod, trigger) for pod in pods("allPendingPods") + pods("allWaitingPods")]
    existing = [_existing(pod) for pod in pods("existingPods")]
    scenario = {"muster": 1, "nodes": nodes, "tasks": existing + gang,
                "jobs": [{"name": "gang", "min_available": len(gang)}]}
    answer = probe.plan(json.dumps(scenario), PROFILE)
    names = {task["name"] for task in existing}
    victims = sorted(task for word, task, _ in answer["decisions"]
                     if word == "evict" and task in names)
    places = {task: node for word, task, node in answer["decisions"] if word == "nominate"}
    right = sorted(pod["name"] for pod in wanted.get("wantVictims") or [])
    state = wanted["wantPreemptionState"]
    right_places = {pod.partition("/")[2]: node
                    for pod, node in (state.get("PodToNominatedNode") or {}).items()}
    out = [] if victims == right else [f"victims {victims}, recorded {right}"]
    if places != right_places:
        out.append(f"places {places}, recorded {right_places}")
    # A plan gives no reason for a pod that it nominates.
    said = answer["messages"].get(trigger["metadata"]["name"], "")
    if not right and state["Message"] not in said:
        out.append(f"message {said!r}, recorded {state['Message']!r}")
    return out


# --- places in a topology


def _request_cpu(pod: Json) -> Any:
    return quantity.parse(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "cpu")


def _domains(topology: Json, nodes: list[Json], slots: dict[str, int]) -> list[Json]:
    """The domains from the root down, each with the slots of its nodes."""
    rows: list[Json] = [{"layer": "", "name": "", "node": False, "parent": None, "slots": 0,
                         "existing": 0, "score": 0}]
    layers = topology["spec"]["networkTopologySpec"]
    places: dict[tuple[int, str, str], int] = {}
    for node in sorted(nodes, key=lambda node: node["metadata"]["name"]):
        meta, here = node["metadata"], 0
        for layer in layers:
            is_node = not layer.get("labelKey")
            name = meta["name"] if is_node else meta["labels"][layer["labelKey"][0]]
            rows[here]["slots"] += slots[meta["name"]]
            key = (here, layer["topologyLayer"], name)
            if key not in places:
                places[key] = len(rows)
                rows.append({"layer": layer["topologyLayer"], "name": name, "node": is_node,
                             "parent": here, "slots": 0, "existing": 0, "score": 0})
            here = places[key]
        rows[here]["slots"] += slots[meta["name"]]
    return rows


def planned(script: Any, probe: Probe) -> list[str]:
    """FindOneNode: which node each pending pod of the gang is planned for."""
    case = script.case
    inputs = case["state"]["inputs"]
    if inputs.get("existingPods"):
        raise Unanswerable(IN_TOPOLOGY)
    pods = [resolved(script, pod) for pod in inputs["allPendingPods"]]
    nodes = [resolved(script, node) for node in inputs["nodes"]]
    share = _request_cpu(pods[0])
    slots = {}
    for node in nodes:
        free = quantity.parse(node["status"]["allocatable"]["cpu"], "cpu")
        slots[node["metadata"]["name"]] = min(int(free / share), len(pods))
    rules = inputs["gangSchedulingContext"]["networkTopologySpec"]["GatherStrategy"]
    topology = resolved(script, inputs["clusterNetworkTopology"])
    must = [rule["Layer"] for rule in rules if rule["Strategy"] == "MustGather"]
    order = [layer["topologyLayer"] for layer in topology["spec"]["networkTopologySpec"]]
    layer = max(must, key=order.index) if must else ""
    ours = probe.koordinator_gangs(
        "places", what="place", tree=_domains(topology, nodes, slots), layer=layer,
        slots=len(pods), multiples={})
    names = sorted(name_of(pod) for pod in pods)
    plan = dict(zip(names, ours or [], strict=False))
    right = case["expect"].get("wantPlannedPodToNode") or {}
    return [] if plan == right else [f"plan {plan}, recorded {right}"]
