# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Volcano's cases: its own tests recorded, and random clusters that it decided."""

from datetime import datetime, timezone
from typing import Any, Iterator

import calls
import importers
import policy_units
import units
from muster.interop.reader import read_configuration
from outcome import Outcome
from probe import Probe

Case = dict[str, Any]

PROFILE = "volcano"
POLICIES = {
    "gang",
    "priority",
    "conformance",
    "drf",
    "proportion",
    "predicates",
    "nodeorder",
    "binpack",
    "overcommit",
    "capacity",
    "sla",
    "pdb",
    "cdp",
    "rescheduling",
    "shards",
    "sampling",
    "task-topology",
    "usage",
    "resourcequota",
    "resource-strategy-fit",
    "nodegroup",
    "numa-aware",
    "tdm",
    "network-topology-aware",
}
# Plugins that tests of the peer make up for themselves.
MADE_UP = {"device-fit-after-eviction", "fake", "test-empty-gradient", "test-rejecter"}
ACTIONS = {
    "enqueue",
    "allocate",
    "backfill",
    "preempt",
    "reclaim",
    "gangpreempt",
    "gangreclaim",
    "shuffle",
}
PHASES = {
    "": "pending",
    "Pending": "pending",
    "Inqueue": "admitted",
    "Running": "running",
    "Unknown": "degraded",
    "Completed": "completed",
}


def configuration(case: Case) -> dict[str, Any]:
    """The configuration in force. A random case gives the text of a file, a recorded test its tiers
    by hand."""
    config = case["config"]
    decoded = read_configuration(config["yaml"]) if "yaml" in config else config
    ran = actions_run(case)
    return decoded | ({"actions": ran} if ran else {})


def actions_run(case: Case) -> list[str]:
    """A test may have run its action itself; then what was committed shows which, where only one
    commits so."""
    if ran := case["config"].get("actions"):
        return ran
    commits = case["observed"].get("commits", [])
    operations = [operation for commit in commits for operation in commit]
    if operations and all(o["op"] == "allocate" and "via" not in o for o in operations):
        return ["allocate"]
    return []


def skip(level: str, case: Case) -> str | None:
    return next(reasons(level, case, POLICIES, ACTIONS), None)


def reasons(level: str, case: Case, policies: set[str], actions: set[str]) -> Iterator[str]:
    """Why the case cannot be run, each reason read from what the case holds."""
    for action in actions_run(case):
        if action not in actions:
            yield f"action {action} is none of ours"
    conf = configuration(case)
    for plugin in (p for tier in conf.get("tiers", []) for p in tier.get("plugins", [])):
        if plugin["name"] in MADE_UP and made_up_victims(case) is None:
            yield f"a plugin of the test itself: {plugin['name']}"
        if plugin["name"] not in policies | MADE_UP:
            yield f"policy {plugin['name']} is none of ours"
    objects: dict[str, list[dict[str, Any]]] = {}
    for obj in case["objects"]:
        objects.setdefault(obj["kind"], []).append(obj)
    pods = [p.get("spec", {}) for p in objects.get("Pod", [])]
    if any(p.get("resourceClaims") for p in pods):
        yield "DRA"
    if any("persistentVolumeClaim" in v for p in pods for v in p.get("volumes", [])):
        yield "volumes"
    groups = [g.get("spec", {}) for g in objects.get("PodGroup", [])]
    if any(g.get("networkTopology") for g in groups) and not case["state"].get("hyperNodesReady"):
        if not any(case["observed"].get(key) for key in ("binds", "allocatedNotBound",
                                                         "pipelined")):
            yield "hypernodes that the peer has not read yet: it passes over who wishes for one"
    options = case["config"].get("options", {})
    percentage = options.get("percentageOfNodesToFind", 100)
    if percentage < 100 and len(objects.get("Node", [])) > max(
        options.get("minNodesToFind", 100), 1
    ):
        yield "node sampling"
    plugins = [p["name"] for tier in conf.get("tiers", []) for p in tier.get("plugins", [])]
    if "pdb" in plugins and "PodDisruptionBudget" not in objects and case["observed"].get("calls"):
        yield "the record does not say which disruption budgets there are"
    if level == "plugin":
        if reason := calls.skip(case):
            yield reason
    elif not actions_run(case) and "yaml" not in case["config"]:
        yield "no action runs: the test works on the session itself"


def made_up_victims(case: Case) -> list[str] | None:
    """The victims that the test's own plugin names, where it is the only one and shuffle calls it;
    as the case's note has it: those of the lower priority."""
    plugins = [p["name"] for t in configuration(case).get("tiers", []) for p in t["plugins"]]
    if plugins != ["fake"] or actions_run(case) != ["shuffle"]:
        return None
    pods = [o for o in case["objects"] if o["kind"] == "Pod"]
    lowest = min(p["spec"]["priority"] for p in pods)
    return [
        f"{p['metadata']['namespace']}/{p['metadata']['name']}"
        for p in pods
        if p["spec"]["priority"] == lowest
    ]


def took_part(case: Case, plugin: dict[str, Any]) -> bool:
    """A test may name plugins in its tiers that it did not register; of those with books of queues
    none is recorded."""
    books = case["observed"].get("shares", {}).get("atOpen", {})
    return plugin["name"] not in ("proportion", "capacity") or not books or plugin["name"] in books


def scenario(case: Case) -> dict[str, Any]:
    conf = configuration(case)
    unset_on = "yaml" in case["config"]
    if not unset_on:
        tiers = [
            [p for p in t.get("plugins", []) if p["name"] not in MADE_UP and took_part(case, p)]
            for t in conf.get("tiers", [])
        ]
        conf = conf | {"tiers": [{"plugins": plugins} for plugins in tiers]}
    state = case.get("state", {})
    hyper = state.get("hyperNodes") or []
    out = importers.scenario(
        [o for o in case["objects"] if not hyper or o["kind"] != "HyperNode"]
        + measurements(state.get("nodeUsage", {})),
        PROFILE,
        now=moment(case),
        configuration=conf,
        unset_switches_on=unset_on,
        default_queue=case["config"].get("options", {}).get("defaultQueue", "default"),
        binding=state.get("bindingAtOpen", []),
    )
    if hyper:
        put_domains(hyper, state.get("hyperNodeTierNames") or {}, out)
    sharding = state.get("sharding", {})
    if sharding.get("mode", "none") != "none":
        # In the peer both are flags of the program, and no part of the configuration.
        for node in out["nodes"]:
            if node["name"] in state["nodesInShard"]:
                node["shard"] = sharding["name"]
        soft = ",soft=on" if sharding["mode"] == "soft" else ""
        out["profile"] += f",+shards(name={sharding['name']}{soft})"
    return out


def put_domains(hyper: list[Case], tiers: dict[str, int], out: Case) -> None:
    """The tree as the peer had resolved it: each vertex with all nodes below it."""
    names_of_tiers = {tier: name for name, tier in tiers.items()}
    names = {h["name"] for h in hyper}
    out["domains"] = []
    for h in hyper:
        entry = {"name": h["name"], "tier": h["tier"]}
        if h.get("parent") in names:
            entry["parent"] = h["parent"]
        if name := names_of_tiers.get(h["tier"]):
            entry["tier_name"] = name
        out["domains"].append(entry)
    for node in out["nodes"]:
        holders = [h for h in hyper if node["name"] in (h.get("nodes") or [])]
        if holders:
            node["domain"] = min(holders, key=lambda h: (h["tier"], h["name"]))["name"]


def measurements(usage: dict[str, Any]) -> list[Case]:
    """The load that a test wrote into its session, as the custom metrics API reports it."""
    return [
        {
            "apiVersion": "custom.metrics.k8s.io/v1beta2",
            "kind": "MetricValue",
            "describedObject": {"kind": "Node", "name": node},
            "metric": {"name": metric},
            "timestamp": measured.get("MetricsTime"),
            "value": next(iter(measured[key].values())) / 100,
        }
        for node, measured in usage.items()
        for key, metric in (
            ("CPUUsageAvg", "node_cpu_usage_avg"),
            ("MEMUsageAvg", "node_memory_usage_avg"),
        )
    ]


# Tests of windows ran by day: they open them from midnight to midnight, or close them a minute
# after it.
NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)


def moment(case: Case) -> int:
    """When the case ran, where that matters."""
    if case.get("state", {}).get("nodeUsage"):
        return policy_units.RECORDED
    # What was scheduled last in a record was scheduled just now.
    calls_made = case["observed"].get("calls", [])
    if times := [t for call in calls_made for t in calls.times_of_scheduling(call)]:
        return int(max(datetime.fromisoformat(t) for t in times).timestamp())
    plugins = [p["name"] for t in case["config"].get("tiers", []) for p in t.get("plugins", [])]
    return int(NOON.timestamp()) if "tdm" in plugins else 0


def observed(case: Case) -> list[Outcome]:
    return [outcome(one) for one in case.get("observedSet") or [case["observed"]]]


def draws(case: Case, scenario: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Outcome]]:
    """For each outcome the scenario with nodes, and names of domains, in the order in which the
    peer came by them."""
    domain_of = {n["name"]: n.get("domain", "") for n in scenario["nodes"]}
    above = {d["name"]: d.get("parent", "") for d in scenario.get("domains", [])}
    for record in case.get("observedSet") or [case["observed"]]:
        taken = [o["node"] for commit in record.get("commits") or [] for o in commit if "node" in o]
        taken = taken or [node for _, node in sorted(record.get("binds", {}).items())]
        domains: list[str] = []
        for node in taken:
            place = domain_of[node]
            while place:
                domains += [place] if place not in domains else []
                place = above[place]
        names = {
            name: f"{domains.index(name) if name in domains else len(domains):03}-{name}"
            for name in above
        }
        nodes = sorted(
            scenario["nodes"],
            key=lambda n: taken.index(n["name"]) if n["name"] in taken else len(taken),
        )
        yield scenario | {
            "nodes": [n | ({"domain": names[n["domain"]]} if "domain" in n else {}) for n in nodes],
            "domains": [
                d | {"name": names[d["name"]]} | ({"parent": names[d["parent"]]} if "parent" in d
                                                  else {})
                for d in scenario.get("domains", [])
            ],
        }, outcome(record)


def outcome(record: dict[str, Any]) -> Outcome:
    phases = record.get("phases")
    if phases is None:
        jobs = record.get("jobs", {})
        # As they are once the session has closed; the peer's tests look a moment earlier, before
        # conditions count.
        phases = {name: job["phase"] for name, job in jobs.items() if "phase" in job}
    return Outcome(
        binds=record.get("binds", {}),
        evictions=[e if isinstance(e, str) else e["task"] for e in record.get("evictions", [])],
        pipelined=record.get("pipelined", {}),
        held=record.get("allocatedNotBound", {}),
        phases={job: PHASES[phase] for job, phase in phases.items()},
    )


def unit(case: Case, probe: Probe) -> list[str]:
    return units.run(probe, case, PROFILE)
