# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded scripts of scheduler-plugins' network-aware plug-ins: costs of nodes, and the order of
an application's workloads."""

from typing import Any

from adapters.scheduler_plugins_gangs import seconds
from probe import Probe

Case = dict[str, Any]

GROUP = "appgroup.diktyo.x-k8s.io"
WORKLOAD = f"{GROUP}.workload"
TOPOLOGY = "topology.kubernetes.io/"


def labels(row: Case) -> dict[str, str]:
    return row["metadata"].get("labels") or {}


def node(row: Case) -> list[str]:
    places = [labels(row).get(TOPOLOGY + kind, "") for kind in ("region", "zone")]
    return [row["metadata"]["name"], *places]


class World:
    """What a script created: applications, nodes with their pods, costs between places."""

    def __init__(self, script: Any, weights: str) -> None:
        objects = list(script.objects.values())
        self.groups = {row["metadata"]["name"]: row for row in objects if row["kind"] == "AppGroup"}
        nodes = {row["metadata"]["name"]: row for row in objects if row["kind"] == "Node"}
        created = script.calls("PodInterface.Create")
        placed = [script.value(step["args"]["pod"]) for step in created]
        self.pods = [
            (labels(row).get(GROUP), [labels(row).get(WORKLOAD, ""), node(nodes[name])])
            for row in placed if (name := row["spec"].get("nodeName"))
        ]
        self.costs: dict[str, list[Any]] = {"regions": [], "zones": []}
        for row in objects:
            for weight in row["spec"]["weights"] if row["kind"] == "NetworkTopology" else []:
                if weight["name"] == weights:
                    self.add(weight["topologyList"])

    def add(self, listed: list[Case]) -> None:
        for topology in listed:
            kind = topology["topologyKey"].removeprefix(TOPOLOGY) + "s"
            for origin in topology["originList"]:
                for cost in origin["costList"]:
                    self.costs[kind].append(
                        [origin["origin"], cost["destination"], cost.get("networkCost", 0)])

    def question(self, pod: Case, on: Case) -> Case:
        name, workload = labels(pod).get(GROUP), labels(pod).get(WORKLOAD)
        listed = self.groups[name]["spec"]["workloads"] if name in self.groups else []
        dependencies = [
            [needed["workload"]["selector"], needed.get("maxNetworkCost", 0)]
            for row in listed if row["workload"]["selector"] == workload
            for needed in row.get("dependencies") or []
        ]
        pods = [row for group, row in self.pods if group == name]
        return {"op": "cost", "node": node(on), "dependencies": dependencies,
                "pods": pods} | self.costs


def _same(what: str, got: Any, right: Any) -> list[str]:
    return [] if got == right else [f"{what}: {got}, recorded {right}"]


def judged(case: Case, script: Any, probe: Probe) -> list[str]:
    out = []
    raw = []
    steps = script.calls("NetworkOverhead.Filter", "NetworkOverhead.Score")
    world = World(script, steps[0]["receiver"]["weightsName"])
    for step in steps:
        on = script.value(step["args"]["nodeInfo"]["nodeInfo"]["node"])
        [answer] = probe.plugin_network([world.question(script.value(step["args"]["pod"]), on)])
        result = script.result(step["n"])
        if step["call"].endswith("Filter"):
            reasons = (result or {}).get("reasons") or [""]
            out += _same(on["metadata"]["name"], answer["reason"], reasons[0])
        else:
            raw.append(answer["cost"])
            out += _same(on["metadata"]["name"], answer["cost"], result[0])
    for step in script.calls("NetworkOverhead.NormalizeScore"):
        [scores] = probe.plugin_scores([{"op": "costs", "costs": raw}])
        right = [row["Score"] for row in case["expect"]["wantedScoresAfter"]]
        out += _same("scores", scores, right)
    return out


def before(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("TopologicalSort.Less")
    [made] = [script.value(s["args"]["obj"]) for s in script.calls("Writer.Create")]
    order = [[row["workload"]["selector"], row["index"]] for row in made["status"]["topologyOrder"]]
    op: Case = {"op": "before", "order": order}
    for key, name in (("a", "pInfo1"), ("b", "pInfo2")):
        info = script.value(step["args"][name])
        pod = script.value(info["$object"])
        op[key] = {"application": labels(pod).get(GROUP, ""), "priority": pod["spec"]["priority"],
                   "workload": labels(pod).get(WORKLOAD, ""),
                   "queued": seconds(info.get("Timestamp"))}
    [answer] = probe.plugin_network([op])
    return _same("before", answer, script.result(step["n"]))


CALLS = {
    "NetworkOverhead.Filter": judged,
    "NetworkOverhead.Score": judged,
    "TopologicalSort.Less": before,
}
