# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of functions about hypernodes, sub-jobs and what jobs wish of them."""

from typing import Any, Callable

import importers
from amount_units import differences
from probe import Probe, Unanswerable

Json = dict[str, Any]
Unit = Callable[[Probe, Json, bool], list[str]]
JOB = "job"


def _tree(known: Json) -> list[Json]:
    """Domains of a map of hypernodes by name, parents before what is below them."""
    parents = {name: info.get("Parent") or _claimed(name, known) for name, info in known.items()}
    out: list[Json] = []

    def add(name: str, below: tuple[str, ...] = ()) -> None:
        if name in below:
            raise Unanswerable("hypernodes that lie below themselves")
        if any(d["name"] == name for d in out):
            return
        parent = parents[name]
        if parent in known:
            add(parent, (*below, name))
        entry = {"name": name, "tier": max(known[name].get("tier", 0), 1)}
        out.append(entry | ({"parent": parent} if parent in known else {}))

    for name in known:
        add(name)
    return out


def _claimed(name: str, known: Json) -> str | None:
    """The parent of the hypernode by its object, where no parent is written down yet."""
    for other, info in known.items():
        for member in (info.get("HyperNode") or {}).get("spec", {}).get("members", []):
            chosen = member["selector"].get("exactMatch", {}).get("name")
            if member["type"] == "HyperNode" and chosen == name:
                return other
    return None


def _scenario(domains: list[Json], nodes: list[Json] = [], job: Json = {}) -> Json:
    return {
        "muster": 1,
        "nodes": nodes,
        "queues": [{"name": "q"}],
        "jobs": [{"name": JOB, "queue": "q", "phase": "admitted"} | job],
        "tasks": [],
        "domains": domains,
        "profile": "volcano:+network-topology-aware",
    }


def _ancestors(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """GetAncestors(map, name): the way up, without the root that a session adds."""
    known, name = case["state"]["args"]
    [way] = probe.session(_scenario(_tree(known)), [["way_up", name]])
    return differences(way[:-1], case["observed"]["results"][0], "the way up ")


def _lca(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    known, *names = case["state"]["args"]
    if any(name and name not in known for name in names):
        raise Unanswerable("a domain that is not there")
    asked = [name or None for name in names]
    [found] = probe.session(_scenario(_tree(known)), [["lca", *asked]])
    return differences(found or "", case["observed"]["results"][0], "above both ")


def _nodes_in(members: Json, tiers: dict[str, int]) -> tuple[list[Json], list[Json]]:
    domains = [{"name": name, "tier": tiers.get(name, 1)}
               for name in sorted(members.keys() | tiers.keys())]
    nodes: dict[str, Json] = {}
    for name in sorted(members, key=lambda n: (tiers.get(n, 1), n)):
        for node in members[name] or []:
            nodes.setdefault(node["Name"], {"name": node["Name"], "domain": name})
    return domains, list(nodes.values())


def _lowest(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """FindHyperNodeForNode(node, hypernode -> nodes, tiers, tier -> hypernodes)"""
    node, members, listed, by_tier = case["state"]["args"]
    if sorted(int(tier) for tier in by_tier or {}) != listed:
        raise Unanswerable("tiers that are not those of the domains: no tree has them")
    tiers = {name: int(tier) for tier, names in (by_tier or {}).items() for name in names or []}
    domains, nodes = _nodes_in(members or {}, tiers)
    want = case["observed"]["results"][0]
    if not any(n["name"] == node for n in nodes):
        return differences("", want, "the domain of a node that is in none ")
    [found] = probe.session(_scenario(domains, nodes), [["lowest_domain", node]])
    return differences(found or "", want, "the lowest domain ")


def _tasks_in(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """FindJobTaskNumOfHyperNode(hypernode, tasks, hypernode -> nodes)"""
    domain, tasks, members = case["state"]["args"]
    domains, nodes = _nodes_in(members or {}, {})
    held: list[str] = []
    if domain in (members or {}):
        [held] = probe.session(_scenario(domains, nodes), [["nodes_of_domain", domain]])
    count = sum(task.get("NodeName") in held for task in (tasks or {}).values())
    return differences(count, case["observed"]["results"][0], "tasks there ")


def _members(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """GetMembers(selector, nodes)"""
    selector, raw = case["state"]["args"]
    chosen = importers.members(selector, [n | {"kind": "Node"} for n in raw or []])
    return differences(sorted(chosen), case["observed"]["results"][0], "members ")


def _wish(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """IsHardTopologyMode(job), before soft wishes are made hard ones."""
    spec = (case["state"]["args"][0].get("PodGroup") or {}).get("spec", {})
    hard, tier = case["observed"]["results"]
    asked = spec.get("networkTopology") or {}
    topology = {"hard": asked.get("mode") != "soft",
                "highest_tier": asked.get("highestTierAllowed")}
    job = {"topology": topology} if asked else {}
    [wish] = probe.session(_scenario([], job=job), [["wish", JOB, None]])
    if asked.get("mode") == "soft":
        # Ours is asked after that; without domains the whole cluster is tier 1.
        return differences([wish["hard"], wish["tier"]], [True, 1], "a soft wish ")
    return differences([wish["hard"], wish["tier"]], [hard, tier], "a wish ")


def _sub_job(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """NewSubJobInfo(group, id, job, policy, values): its need and its place among others."""
    *_, policy, values = case["state"]["args"]
    want = case["observed"]["results"][0]
    keys = [f"key-{i}" for i in range(len(values or []))] or ["key-0"]
    labels = dict(zip(keys, values or ["none"]))
    group = {
        "kind": "PodGroup",
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "metadata": {"name": "g", "namespace": "n"},
        "spec": {"queue": "q", "subGroupPolicy": [(policy or {}) |
                                                  {"name": "p", "matchLabelKeys": keys}]},
    }
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "t",
            "namespace": "n",
            "labels": labels,
            "annotations": {"scheduling.k8s.io/group-name": "g"},
        },
        "spec": {"schedulerName": "volcano", "containers": [{}]},
    }
    queue = {"kind": "Queue", "apiVersion": "scheduling.volcano.sh/v1beta1",
             "metadata": {"name": "q"}}
    made = importers.scenario([queue, group, pod])
    [sub_group] = made["jobs"][0]["sub_groups"]
    got = {"MinAvailable": sub_group.get("min_available", 1),
           "MatchIndex": sub_group.get("order", 0)}
    return differences(got, {k: want.get(k, 0) for k in got}, "")


EVICTION_DOMAINS = 8


def _gradient(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """hyperNodeGradientFn(plugin, session, hypernode, tier, allocated, minimum, purpose)"""
    plugin, session, start, tier, allocated, least, purpose = case["state"]["args"]
    domains = []
    # Some records have the tree by parents, some by children.
    parents = {child: h["name"] for h in session["hyperNodes"] for child in h.get("children") or []}
    for h in session["hyperNodes"]:
        if not h["name"].startswith("<"):
            above = h["parent"] or parents.get(h["name"], "")
            above = "" if above.startswith("<") else above
            domains.append({"name": h["name"], "tier": h["tier"]} |
                           ({"parent": above} if above else {}))
    ordered = sorted(domains, key=lambda d: -d["tier"])
    inner = {d.get("parent") for d in domains}
    nodes, tasks = [], []
    for name, sums in plugin["hyperNodeResourceCache"].items():
        if name in inner or name.startswith("<"):
            continue
        cells = {k: {r: sums[k].get(r, 0) for r in ("milliCPU", "memory")}
                 for k in ("idle", "futureIdle", "allocatable")}
        nodes.append({"name": f"in {name}", "domain": name,
                      "capacity": _amounts(cells["allocatable"]) | {"pods": 99}})
        leaving = {r: cells["futureIdle"][r] - cells["idle"][r] for r in ("milliCPU", "memory")}
        staying = {r: cells["allocatable"][r] - cells["futureIdle"][r]
                   for r in ("milliCPU", "memory")}
        for status, amounts in (("releasing", leaving), ("running", staying)):
            if min(amounts.values()) < 0:
                raise Unanswerable(
                    "what will be idle is less than what is: no task is nominated when a cycle"
                    " opens")
            if any(amounts.values()):
                shape = {"request": _amounts(amounts)}
                tasks.append({"name": f"{status} {name}", "status": status, "node": f"in {name}",
                              "shape": shape})
    job = {
        "topology": {"hard": True, "highest_tier": tier},
        "min_resources": _amounts(least) | {k: f"{int(v)}m"
                                            for k, v in (least.get("scalars") or {}).items()},
    }
    scenario = _scenario(ordered, nodes, job) | {"tasks": tasks}
    root = start.get("Name", start.get("name", "")) if isinstance(start, dict) else start
    within = "" if root.startswith("<") else root
    [lists] = probe.session(
        scenario, [["domains", JOB, None, within, allocated or None, purpose in (1, "evict")]]
    )
    want = [sorted("" if n.startswith("<") else n for n in names)
            for names in case["observed"]["results"][0] or []]
    # actions that evict turn them round, and look at no more than so many
    if purpose in (1, "evict"):
        if sum(map(len, want)) > EVICTION_DOMAINS:
            raise Unanswerable("lists for evictions that the caller cuts")
        want.reverse()
    return differences(lists, want, "domains ")


def _amounts(amounts: Json) -> Json:
    return {"cpu": f"{int(amounts.get('milliCPU', 0))}m", "memory": int(amounts.get("memory", 0))}


UNITS: dict[str, Unit] = {
    "FindHyperNodeForNode": _lowest,
    "FindJobTaskNumOfHyperNode": _tasks_in,
    "GetMembers": _members,
    "HyperNodeInfoMap.GetAncestors": _ancestors,
    "HyperNodeInfoMap.GetLCAHyperNode": _lca,
    "JobInfo.IsHardTopologyMode": _wish,
    "NewSubJobInfo": _sub_job,
    "networkTopologyAwarePlugin.hyperNodeGradientFn": _gradient,
}
