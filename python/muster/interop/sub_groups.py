# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Volcano's sub-groups: pods of a job that a policy of its pod group counts, and wants to be, together."""

import re
from typing import Any

from . import kubernetes
from .access import Object, get, section, texts

Json = dict[str, Any]

_INT = re.compile(r"[+-]?[0-9]+")


def put(
    tasks: list[Json], pods: list[Object], jobs: dict[str, Json], policies: dict[str, list[Json]]
) -> None:
    """The first policy that selects a pod and whose label keys the pod has all puts it into a sub-group."""
    by_key = {p.key: p for p in pods}
    found: dict[str, dict[str, Json]] = {}
    for task in tasks:
        pod = by_key[task["name"]]
        for policy in policies.get(task.get("job", ""), []):
            place = policy["place"]
            values = match_values(policy, pod.labels, place)
            if not values:
                continue
            name = sub_group_name(policy.get("name", ""), values)
            task["sub_group"] = name
            entry: Json = {"name": name, "policy": policy.get("name", "")}
            entry["min_available"] = get(policy, "subGroupSize", int, place, 1)
            entry["order"] = int(values[0]) if _INT.fullmatch(values[0]) else 0
            if together := wish(
                section(policy, "networkTopology", place), f"{place}.networkTopology"
            ):
                entry["topology"] = together
            found.setdefault(task["job"], {})[name] = entry
            break
    for job, groups in found.items():
        jobs[job]["sub_groups"] = [groups[n] for n in sorted(groups, key=str.encode)]


def wish(topology: Json, place: str) -> Json:
    """A job's, or a sub-group's, wish to be together; empty: none."""
    if not topology:
        return {}
    out: Json = {"hard": get(topology, "mode", str, place, "hard") != "soft"}
    if topology.get("highestTierAllowed") is not None:
        out["highest_tier"] = get(topology, "highestTierAllowed", int, place)
    if name := get(topology, "highestTierName", str, place, ""):
        out["highest_tier_name"] = name
    return out


def match_values(policy: Json, given: dict[str, str], place: str) -> list[str]:
    """The values that tell a pod's sub-group from others of the policy; none when the pod is in none."""
    chosen = kubernetes.selector(policy.get("labelSelector"), f"{place}.labelSelector")
    if chosen is not None and not kubernetes.selects(chosen, given):
        return []
    values = [given.get(key, "") for key in texts(policy, "matchLabelKeys", place)]
    return values if all(values) else []


def sub_group_name(policy: str, values: list[str]) -> str:
    """Policy and values. Long values stand for themselves, where the peer hashes them to save room."""
    return "-".join([policy, *values])
