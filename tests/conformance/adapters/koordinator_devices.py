# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's random suite of device allocation: tasks one after the other on a few machines."""

import json
import math
from typing import Any

import importers
import quantity
from probe import Probe

Case = dict[str, Any]

NODE = "node.koordinator.sh/"
ANNOTATION = "scheduling.koordinator.sh/"
SCOPES = {"": 0, "Node": 1, "NUMANode": 2, "PCIe": 3, "Device": 4}


def whole(values: dict[str, Any] | None) -> dict[str, int]:
    return {
        name: math.ceil(amount)
        for name, amount in quantity.parse_map(values, "resources").items()
    }


def device(info: dict[str, Any]) -> dict[str, Any]:
    out = {
        "kind": info["type"],
        "minor": info.get("minor", 0),
        "healthy": info.get("health", False),
        "amounts": whole(info.get("resources")),
        "labels": info.get("labels") or {},
        "virtual_groups": [
            {
                "labels": group.get("labels") or {},
                "functions": [function["busID"] for function in group.get("vfs") or []],
            }
            for group in info.get("vfGroups") or []
        ],
    }
    if place := info.get("topology"):
        out |= {"zone": place.get("nodeID", 0), "bus": place.get("pcieID", "")}
    return out


def machine(node: dict[str, Any], devices: dict[str, Any] | None) -> dict[str, Any]:
    """The partitions of known models are looked up by the node's labels, as no Device here brings a
    table."""
    labels = node["metadata"].get("labels") or {}
    nvidia = labels.get(NODE + "gpu-vendor", "") in ("", "nvidia")
    infos = devices["spec"].get("devices") or [] if devices else []
    of_devices = (devices or {}).get("metadata", {}).get("labels") or {}
    return {
        "devices": sorted(map(device, infos), key=lambda d: (d["kind"], d["minor"])),
        "model": f"{labels.get(NODE + 'gpu-vendor', '')}-{labels.get(NODE + 'gpu-model', '')}",
        "hopper": nvidia and labels.get(NODE + "gpu-model") in ("H100", "H800", "H20"),
        "honors_partitions": labels.get(NODE + "gpu-partition-policy") == "Honor",
        "secondary_well_planned": of_devices.get(NODE + "secondary-device-well-planned") == "true",
    }


def rules(selector: dict[str, Any]) -> list[list[Any]]:
    return [
        [key, "In", [value]] for key, value in (selector.get("matchLabels") or {}).items()
    ] + [
        [rule["key"], rule["operator"], rule.get("values") or []]
        for rule in selector.get("matchExpressions") or []
    ]


def wish(hint: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "strategy": hint.get("allocateStrategy", ""),
        "whole_device": hint.get("exclusivePolicy") == "DeviceLevel",
    }
    for key, name in (("selector", "selector"), ("vfSelector", "function_selector")):
        if key in hint:
            out[name] = rules(hint[key])
    return out


def request(pod: dict[str, Any]) -> dict[str, Any]:
    notes = pod["metadata"].get("annotations") or {}

    def note(name: str) -> Any:
        text = notes.get(ANNOTATION + name)
        return json.loads(text) if text else None

    hints = note("device-allocate-hint") or {}
    joint = note("device-joint-allocate") or {}
    partition = note("gpu-partition-spec")
    _, needed = importers.requests(pod)
    return {
        "amounts": {name: math.ceil(amount) for name, amount in needed.items()},
        "wishes": {kind: wish(hint) for kind, hint in hints.items()},
        "joint": joint.get("deviceTypes") or [],
        "joint_same_bus": joint.get("requiredScope") == "SamePCIe",
        "scope": SCOPES[hints.get("gpu", {}).get("requiredTopologyScope", "")],
        "by_partition": partition is not None,
        "first_partitions_only": (partition or {}).get("allocatePolicy") == "Restricted",
    }


def granted(allocation: dict[str, Any] | None) -> dict[str, list[Any]]:
    """kind -> (minor, amounts, function) of each device, by minor, of a recorded allocation."""
    out = {}
    for kind, grants in (allocation or {}).items():
        out[kind] = sorted(
            (
                (
                    grant["minor"],
                    sorted(whole(grant["resources"]).items()),
                    "".join(f["busID"] for f in grant.get("extension", {}).get("vfs") or []),
                )
                for grant in grants
            ),
        )
    return out


def ours(allocation: dict[str, Any] | None) -> dict[str, list[Any]]:
    return {
        kind: sorted((g["minor"], sorted(g["amounts"].items()), g["function"]) for g in grants)
        for kind, grants in (allocation or {}).items()
    }


def tried_in_any_order(asked: dict[str, Any]) -> bool:
    """Of kinds that are not allocated jointly the peer tries any first: how it refuses is
    chance."""
    kinds = {
        name.rpartition("/")[2] if name.endswith(("/rdma", "/fpga")) else "gpu"
        for name in asked["amounts"]
        if name.startswith(("koordinator.sh/", "huawei.com/")) or name.endswith(".com/gpu")
    }
    return len(kinds) > 1 and not kinds <= set(asked["joint"])


def devices(case: Case, probe: Probe) -> list[str]:
    named: dict[str, dict[str, Any]] = {"Node": {}, "Device": {}, "Pod": {}}
    for thing in case["objects"]:
        named[thing["kind"]][thing["metadata"]["name"]] = thing
    config = case["config"]
    options = {
        "machines": {
            name: machine(node, named["Device"].get(name)) for name, node in named["Node"].items()
        },
        "weights": config["resources"],
        "prefer_full": config["scoringStrategy"] == "MostAllocated",
    }
    steps = case["observed"]["steps"]
    ops = [
        {"op": "release", "task": step["pod"], "node": step["node"]}
        if step["op"] == "release"
        else {"op": "schedule", "task": step["pod"], "request": request(named["Pod"][step["pod"]])}
        for step in steps
    ]
    out = []
    for n, (answer, step) in enumerate(zip(probe.devices(options, ops), steps, strict=True)):
        if step["op"] == "release":
            continue
        where = f"step {n} ({step['pod']})"
        if "refused" in answer:
            out.append(f"{where}: refused: {answer['refused']}")
            continue
        codes = {node: status["code"] for node, status in step["filter"].items()}
        if tried_in_any_order(ops[n]["request"]):
            codes = {node: code == "Success" for node, code in codes.items()}
            answer["filter"] = {node: code == "Success" for node, code in answer["filter"].items()}
        for what, left, right in (
            ("filter", answer["filter"], codes),
            ("score", answer["score"], step.get("score", {})),
            ("normalized", answer.get("normalizedScore"), step.get("normalizedScore")),
            ("node", answer.get("node"), step.get("node")),
            ("allocation", ours(answer.get("allocation")), granted(step.get("allocation"))),
        ):
            if left != right:
                out.append(f"{where}: {what} is {left}, recorded {right}")
        if out:
            break  # the books differ from here on
    return out
