# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What annotations, labels and fields of Volcano's own say of pods, pod groups and queues."""

import re
from typing import Any

from . import quantity
from .access import Object, seconds, section, texts
from .report import Report

Json = dict[str, Any]

TRUE, FALSE = ("1", "t", "T", "TRUE", "true", "True"), ("0", "f", "F", "FALSE", "false", "False")
_PART = re.compile(r"[0-9]{1,9}%?")


def protected_until(pod: Object) -> int:
    """When the pod's cooldown ends, counted from when it was scheduled; 0: it has none."""
    name = "volcano.sh/cooldown-time"
    cooldown = quantity.seconds(pod.labels.get(name, pod.annotations.get(name, "")))
    for condition in pod.status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "True":
            since = seconds(condition, "lastTransitionTime", pod.at("status.conditions"))
            return since + cooldown if cooldown else 0
    return 0


def is_revocable(pod: Object) -> bool:
    """Whether the pod is content with a node that is lent for hours: it says so, or that it may be preempted."""
    zone = pod.annotations.get("volcano.sh/revocable-zone")
    if zone is not None:
        return zone == "*"
    return pod.annotations.get("volcano.sh/preemptable") in TRUE


def part_of_tasks(group: Object, name: str, report: Report) -> str:
    """A number of tasks or a part in percent; what is neither, or less than none, counts as none."""
    text = group.annotations[name]
    if not text or _PART.fullmatch(text):
        return text
    report.add(
        group.place, f"metadata.annotations[{name!r}]", f"{text!r} is no number of tasks; 0 counts"
    )
    return "0"


def node_groups(queue: Object) -> Json:
    place = queue.at("spec.affinity")
    affinity = section(queue.spec, "affinity", queue.at("spec"))
    out: Json = {}
    for kind, prefix in (("nodeGroupAffinity", ""), ("nodeGroupAntiAffinity", "anti_")):
        part = section(affinity, kind, place)
        for word in ("required", "preferred"):
            key = f"{word}DuringSchedulingIgnoredDuringExecution"
            if groups := texts(part, key, f"{place}.{kind}"):
                out[prefix + word] = groups
    return out


def group_topology(annotations: dict[str, str]) -> Json:
    """Which groups of a job want to be together or apart; names that are empty stay, as they do in the peer."""
    wishes: Json = {}
    for key, name in (("together", "affinity"), ("apart", "anti-affinity")):
        if (said := annotations.get(f"volcano.sh/task-topology-{name}")) is not None:
            wishes[key] = [part.split(",") for part in said.split(";")]
    if (said := annotations.get("volcano.sh/task-topology-task-order")) is not None:
        wishes["order"] = said.split(",")
    return wishes


def share_path(annotations: dict[str, str]) -> list[Json]:
    """A queue's way down the tree of shares, the root left out. A weight below 1 counts as 1, as to the peer."""
    names = annotations.get("volcano.sh/hierarchy", "").split("/")[1:]
    weights = annotations.get("volcano.sh/hierarchy-weights", "").split("/")[1:]
    path: list[Json] = []
    for i, name in enumerate(names):
        step: Json = {"name": name}
        try:
            weight = float(weights[i]) if i < len(weights) else 1.0
        except ValueError:
            weight = 1.0
        if 1 < weight < 1e12:
            step["weight"] = quantity.text("weight", quantity.parse(repr(weight), "the weight"))
        path.append(step)
    return path
