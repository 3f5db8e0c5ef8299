# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded runs of kube-scheduler, replayed operation by operation on a living cluster.

A case passes when every step and every cycle agrees in all of these:

- the pod or group that is tried, when, at which attempt, from which node on;
- the feasible nodes in the order of evaluation; the rejected ones, each with plug-in, reasons and
  whether an eviction could help; the common reason of the others;
- totals, and raw and weighted scores of each plug-in, where they are recorded;
- the node that is bound, exactly; or the message, the plug-ins that rejected the pod, candidates
  and failures of preemption, victims, nominations;
- after each step: the queue of every pod, what was removed; in the end: where every pod is.
"""

from typing import Any

from probe import Probe

Json = dict[str, Any]

PLUGINS = (
    ("NodeResourcesFit", "NodeResourcesFitArgs"),
    ("NodeResourcesBalancedAllocation", "NodeResourcesBalancedAllocationArgs"),
    ("InterPodAffinity", "InterPodAffinityArgs"),
    ("PodTopologySpread", "PodTopologySpreadArgs"),
    ("NodeAffinity", "NodeAffinityArgs"),
    ("DefaultPreemption", "DefaultPreemptionArgs"),
)


def configuration(config: Json) -> Json:
    """The KubeSchedulerConfiguration of a case."""
    strategy: Json = {"type": config["fitStrategy"], "resources": config["fitResources"]}
    if "fitShape" in config:
        strategy["requestedToCapacityRatio"] = {"shape": config["fitShape"]}
    fit: Json = {"scoringStrategy": strategy}
    if "fitIgnoredResources" in config:
        fit["ignoredResources"] = config["fitIgnoredResources"]
    if "fitIgnoredResourceGroups" in config:
        fit["ignoredResourceGroups"] = config["fitIgnoredResourceGroups"]
    spread: Json = {"defaultingType": config["spreadDefaulting"]}
    if "spreadDefaultConstraints" in config:
        spread["defaultConstraints"] = config["spreadDefaultConstraints"]
    arguments = {
        "NodeResourcesFit": fit,
        "NodeResourcesBalancedAllocation": {
            "resources": [{"name": name, "weight": 1} for name in config["balancedResources"]]
        },
        "InterPodAffinity": {
            "hardPodAffinityWeight": config["hardPodAffinityWeight"],
            "ignorePreferredTermsOfExistingPods": config["ignorePreferredTermsOfExistingPods"],
        },
        "PodTopologySpread": spread,
        "NodeAffinity": {"addedAffinity": config.get("addedAffinity", {})},
        "DefaultPreemption": {
            "minCandidateNodesPercentage": config["minCandidateNodesPercentage"],
            "minCandidateNodesAbsolute": config["minCandidateNodesAbsolute"],
        },
    }
    weights = [{"name": name, "weight": weight} for name, weight in config["weights"].items()]
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "percentageOfNodesToScore": config["percentageOfNodesToScore"],
        "profiles": [
            {
                "schedulerName": "default-scheduler",
                "plugins": {"score": {"enabled": weights}},
                "pluginConfig": [
                    {"name": name, "args": {"kind": kind} | arguments[name]}
                    for name, kind in PLUGINS
                ],
            }
        ],
    }


def options(config: Json) -> str:
    gates = config["featureGates"]
    # Default constraints of any kind make every pod one that is not batched.
    constraints = config["spreadDefaulting"] == "System" or config.get("spreadDefaultConstraints")
    batches = gates["OpportunisticBatching"] and not constraints
    words = [
        "groups=" + ("on" if gates["GenericWorkload"] else "off"),
        "batches=" + ("on" if batches else "off"),
    ]
    return "," + ",".join(words)


def check(level: str, case: Json, probe: Probe) -> list[str]:
    """How our run differs from the recorded one, from the first step that differs on."""
    offsets = [
        [
            [a.get("offset", 0) for a in cycle.get("attempts", [cycle])]
            for cycle in step.get("cycles", [])
        ]
        for step in case["observed"]["steps"]
    ]
    question = {
        "configuration": configuration(case["config"]),
        "options": options(case["config"]),
        "state": case["state"],
        "ops": case["ops"],
        "offsets": offsets,
    }
    ours = probe.kube_cycles(question)
    lines = []
    for number, (right, step) in enumerate(zip(case["observed"]["steps"], ours["steps"])):
        lines += [f"step {number}: {line}" for line in step_differences(right, step)]
        if lines:
            return lines
    return differ("final", case["observed"]["final"], ours["final"])


def differ(what: str, right: Any, ours: Any) -> list[str]:
    if right == ours:
        return []
    if isinstance(right, dict) and isinstance(ours, dict):
        keys = sorted(set(right) | set(ours))
        right = {k: right.get(k) for k in keys if right.get(k) != ours.get(k)}
        ours = {k: ours.get(k) for k in right}
    return [f"{what}: {ours}, recorded {right}"]


def step_differences(right: Json, ours: Json) -> list[str]:
    for number, (theirs, cycle) in enumerate(zip(right.get("cycles", []), ours.get("cycles", []))):
        if lines := cycle_differences(theirs, cycle):
            name = theirs.get("pod", theirs.get("group"))
            return [f"cycle {number} ({name}): {line}" for line in lines]
    lines = differ(
        "cycles",
        [c.get("pod", c.get("group")) for c in right.get("cycles", [])],
        [c.get("pod", c.get("group")) for c in ours.get("cycles", [])],
    )
    lines += differ("now", right["now"], ours["now"])
    lines += differ("queues", right.get("queues", {}), ours.get("queues", {}))
    lines += differ("removed", right.get("removed", []), ours.get("removed", []))
    return lines


def refusals(rows: list[Json]) -> Json:
    """By node, of rows that list one node or many."""
    return {
        node: [row["code"], row["plugin"], row["reasons"]]
        for row in rows
        for node in row.get("nodes", [row.get("node")])
    }


def cycle_differences(right: Json, ours: Json) -> list[str]:
    if "group" in right:
        return group_differences(right, ours)
    lines = []
    for key in ("pod", "now", "attempt", "start"):
        lines += differ(key, right[key], ours[key])
    lines += differ("hint", right.get("hint"), ours.get("hint"))
    lines += attempt_differences(right, ours)
    if "failed" in right:
        failed = right["failed"]
        lines += differ("message", failed["message"], ours.get("message"))
        lines += differ("plugins", sorted(failed["plugins"]), sorted(ours.get("plugins", [])))
        lines += differ("nominate", failed.get("nominate"), ours.get("nominate"))
    tried = [preemption(cycle.get("preemption")) for cycle in (right, ours)]
    lines += differ("preemption", *tried)
    lines += differ("deleted", right.get("deleted", []), ours.get("deleted", []))
    lines += differ("nominations", right.get("nominations", []), ours.get("nominations", []))
    return lines


def attempt_differences(right: Json, ours: Json) -> list[str]:
    lines = differ("feasible", right["feasible"], ours["feasible"])
    lines += differ("rejected", refusals(right.get("rejected", [])), refusals(ours["rejected"]))
    if "absent" in right:
        theirs, mine = right["absent"], ours.get("absent", {})
        lines += differ("absent", theirs["reasons"], mine.get("reasons"))
    if "totals" in right:
        lines += differ("totals", right["totals"], ours.get("totals"))
    for key in ("raw", "weighted"):
        for plugin, scores in right.get(key, {}).items():
            mine = ours.get(key, {}).get(plugin)
            if mine is not None or any(scores):
                lines += differ(f"{key} {plugin}", scores, mine)
        for plugin in ours.get(key, {}):
            if key in right and plugin not in right[key]:
                lines.append(f"{key} {plugin}: scored, recorded none")
    lines += differ("node", right.get("node"), ours.get("node"))
    if "ties" in right and ours.get("node") not in right["ties"]:
        lines.append(f"node {ours.get('node')} is none of {right['ties']}")
    return lines


def preemption(tried: Json | None) -> Json | None:
    if tried is None:
        return None
    return {
        "candidates": {c["node"]: [c["victims"], c["pdbViolations"]] for c in tried["candidates"]},
        "failed": refusals(tried.get("failed", [])),
    }


def group_differences(right: Json, ours: Json) -> list[str]:
    lines = []
    for key in ("group", "now", "start", "members"):
        lines += differ(key, right[key], ours.get(key))
    for key in ("bound", "deleted", "nominations"):
        lines += differ(key, right.get(key, []), ours.get(key, []))
    keys = ("pod", "message", "nominate")
    failed = [
        sorted(
            (
                [f.get(k) for k in keys] + [sorted(f.get("plugins", []))]
                for f in c.get("failed", [])
            ),
            key=str,
        )
        for c in (right, ours)
    ]
    lines += differ("failed", *failed)
    if "groupCondition" in right:
        lines += differ("condition", right["groupCondition"], ours.get("condition"))
    lines += differ(
        "attempts",
        [a["pod"] for a in right["attempts"]],
        [a["pod"] for a in ours.get("attempts", [])],
    )
    if lines:
        return lines
    for number, (a, b) in enumerate(zip(right["attempts"], ours["attempts"])):
        # The node of an attempt is not recorded, only the nodes that are as good.
        found = attempt_differences(a | {"node": b.get("node")}, b)
        lines += [f"attempt {number}: {line}" for line in found]
    return lines
