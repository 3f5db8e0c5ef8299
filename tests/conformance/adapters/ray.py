# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Ray's placement groups and single-task policies, from the tables of its tests."""

from typing import Any

from probe import Probe

Case = dict[str, Any]

LEAST = ("object_store_memory", "memory", "CPU")
OUTCOMES = {"Success": "placed", "Infeasible": "infeasible", "Failed": "failed"}


def amounts(values: dict[str, float], names: list[str]) -> list[int]:
    """In Ray's ten-thousandths."""
    return [round(values.get(name, 0) * 10_000) for name in names]


def is_amount(name: str) -> bool:
    return not name.startswith("_")


def check(level: str, case: Case, probe: Probe) -> list[str]:
    """How our answers differ from what the peer's tests say."""
    state, config = case["state"], case["config"]
    nodes = sorted(state["nodes"], key=lambda node: node["id"])
    ids = [node["id"] for node in nodes]
    named = {n for node in nodes for n in node["total"]}
    requests = state.get("bundles") or state.get("request") or []
    for request in requests if isinstance(requests, list) else [requests]:
        named |= set(filter(is_amount, request))
    # In the order of their worth.
    names = ["GPU", *sorted(named - {"GPU", *LEAST}), *LEAST]
    question: Case = {
        "nodes": [{k: amounts(node[k], names) for k in ("total", "available")} for node in nodes]
    }
    if "bundles" in state:
        return bundles(case, question, nodes, ids, names, probe)
    question |= {"counted": [names.index(n) for n in LEAST], "accelerator": 0}
    if "criticalUtilisation" in case["expect"]:
        ops = [{"op": "use", "node": i} for i in range(len(ids))]
        right = [case["expect"]["criticalUtilisation"][i] for i in ids]
        answers = probe.bundles(question | {"ops": ops})
    else:
        ops = [choice(config, request, ids, names)
               for request in ([requests] if isinstance(requests, dict) else requests)]
        expect = case["expect"]
        right = expect["nodes"] if "nodes" in expect else [expect["node"]]
        answers = [i if i is None else ids[i] for i in probe.bundles(question | {"ops": ops})]
    return [] if answers == right else [f"{answers}, recorded {right}"]


def choice(config: Case, request: Case, ids: list[str], names: list[str]) -> Case:
    options = config | {key[1:]: value for key, value in request.items() if key.startswith("_")}
    op: Case = {
        "op": {"hybrid": "hybrid", "spread": "in_turn",
               "node_affinity": "certain"}[config["policy"]],
        "request": amounts(request, names),
        "preferred": ids.index(config["local"]),
        "avoids_preferred": options.get("avoid_local", False),
        "needs_room": options.get("require_available", False),
        "avoids_accelerators": options.get("avoid_gpu_nodes", False),
        "threshold": options.get("spread_threshold", 0.5),
        "top": options.get("top_k", 1),
    }
    if config["policy"] == "node_affinity":
        fails, spills = (options.get(f"{w}_on_unavailable", False) for w in ("fail", "spill"))
        op |= {
            "node": ids.index(config["target"]) if config["target"] in ids else None,
            "only_with_room": fails or spills,
            "or_elsewhere": config["soft"] and not fails,
        }
    return op


def bundles(
    case: Case, question: Case, nodes: list[Case], ids: list[str], names: list[str], probe: Probe
) -> list[str]:
    config = case["config"]
    used = config.get("alreadyUsedByGroup") or []
    wished = config.get("softTarget")
    asked = []
    for bundle in case["state"]["bundles"]:
        labels = bundle.get("_selector", {}).items()
        allowed = [labels <= (node.get("labels") or {}).items() for node in nodes]
        plain = {name: value for name, value in bundle.items() if is_amount(name)}
        asked.append({"request": amounts(plain, names), "nodes": allowed})
    question |= {
        "bundles": asked,
        "strategy": config["strategy"],
        "wished": ids.index(wished) if wished in ids else None,
        "used_already": [i in used for i in ids],
    }
    answer, expect = probe.bundles(question), case["expect"]
    out = []
    if answer["outcome"] != OUTCOMES[expect["status"]]:
        out.append(f"{answer['outcome']}, recorded {expect['status']}")
    placed = [ids[i] for i in answer["nodes"]]
    for right in (expect, case["observed"]):
        if "nodes" in right and placed != right["nodes"]:
            out.append(f"nodes {placed}, recorded {right['nodes']}")
    if len(set(placed)) != expect.get("distinctNodes", len(set(placed))):
        out.append(f"{len(set(placed))} nodes, recorded {expect['distinctNodes']}")
    return out
