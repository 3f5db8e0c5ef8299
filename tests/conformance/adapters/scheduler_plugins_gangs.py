# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded scripts of scheduler-plugins' coscheduling: groups of pods, their order, and whether a
pod is tried, waits or takes its group down."""

from datetime import datetime
from math import ceil
from typing import Any

import importers
from adapters.scheduler_plugins_pods import amounts
from probe import Probe

Case = dict[str, Any]

LABEL = "scheduling.x-k8s.io/pod-group"


def seconds(text: str | None) -> float:
    """Of a time, or of a duration in whole seconds."""
    if not text:
        return 0.0
    if text.endswith("s"):
        return float(text[:-1])
    head, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{head}+00:00").timestamp() + float(f"0.{fraction or 0}")


def pod(row: Case) -> Case:
    meta, spec = row["metadata"], row.get("spec") or {}
    return {
        "namespace": meta.get("namespace") or "",
        "name": meta["name"],
        "group": (meta.get("labels") or {}).get(LABEL, ""),
        "gated": bool(spec.get("schedulingGates")),
        "has_node": bool(spec.get("nodeName")),
    }


def key(row: Case) -> str:
    return f"{row['metadata']['namespace']}/{row['metadata']['name']}"


def group(row: Case) -> Case:
    spec = row.get("spec") or {}
    out = {"op": "group", "key": key(row), "min_member": spec.get("minMember") or 0,
           "min_resources": amounts(spec.get("minResources")),
           "created": seconds(row["metadata"].get("creationTimestamp"))}
    if spec.get("scheduleTimeoutSeconds"):
        out["timeout"] = spec["scheduleTimeoutSeconds"]
    return out


def node(row: Case, pods: list[Case]) -> Case:
    holders = []
    for held in pods:
        _, needed = importers.requests(held)
        request = {n: ceil(v * 1000 if n == "cpu" else v) for n, v in needed.items()}
        read = pod(held)
        name = f"{read['namespace']}/{read['group']}" if read["group"] else ""
        holders.append({"group": name, "request": request})
    return {"allocatable": amounts(row["status"]["allocatable"]), "pods": holders}


class World:
    """The groups, pods and nodes of a script."""

    def __init__(self, script: Any) -> None:
        objects = list(script.objects.values())
        self.pods = {key(row) if row["metadata"].get("namespace") else row["metadata"]["name"]: row
                     for row in objects if row["kind"] == "Pod" and row.get("metadata")}
        self.nodes = [row for row in objects if row["kind"] == "Node"]
        self.events = [group(row) for row in objects if row["kind"] == "PodGroup"]
        self.events += [{"op": "pod", "pod": pod(row)} for row in self.pods.values()]

    def rooms(self) -> list[Case]:
        return [
            node(row, [held for held in self.pods.values()
                       if (held.get("spec") or {}).get("nodeName") == row["metadata"]["name"]])
            for row in self.nodes
        ]


def waiting(info: Case, script: Any) -> Case:
    value = script.value(info)
    row = script.value(value["$object"])
    return {"pod": pod(row), "priority": (row.get("spec") or {}).get("priority", 0),
            "first_tried": seconds(value.get("InitialAttemptTimestamp"))}


def _same(what: str, got: Any, right: Any) -> list[str]:
    return [] if got == right else [f"{what}: {got}, recorded {right}"]


# When a group is marked as failed, without a clock of the recording.
LATER = 1e12

# What the peer says of each answer.
CHECKS = {
    "backed off": "failed recently",
    "too few pods": "cannot find enough sibling pods",
    "gated": "gated pods in the same PodGroup",
    "no room": "resource gap",
}
PERMITS = {"allow": "Success", "wait": "Wait", "no group": "Unschedulable"}
CORE_PERMITS = {"allow": "Success", "wait": "Wait", "no group": "PodGroup not found"}
FAILURES = {"no group": ["can not find pod group"], "enough": [], "tolerated": []}


def _permit(step: Case, answer: Case, asked: Case, script: Any) -> list[str]:
    if step["call"].startswith("PodGroupManager"):
        right = script.result(step["n"])
        left = CORE_PERMITS[answer["code"]] if asked["group"] else "PodGroup not specified"
        return _same("permit", left, right)
    status = script.result(step["n"])
    out = _same("permit", PERMITS[answer["code"]],
                (status[-1] if isinstance(status, list) else status)["code"])
    active = [s["value"]["Map"] for s in script.steps if s.get("set") == "podsToActive"]
    if active:
        ours = sorted(f"{asked['namespace']}/{name}" for name in answer["pods"])
        out += _same("made active", ours, sorted(active[0]))
    return out


def _checked(step: Case, answer: str, script: Any) -> list[str]:
    result = script.result(step["n"])
    text = "" if result is None else result.get("error") or " ".join(result.get("reasons") or [])
    if answer == "pass":
        return _same("check", "", text)
    return [] if CHECKS[answer] in text else [f"check: {answer}, recorded {result}"]


def _failed(step: Case, answer: Case, script: Any) -> list[str]:
    checks = [v for n, v in sorted(script.checks.items())
              if n > step["n"] and isinstance(v, dict) and "code" in v]
    if not checks:  # the test looks at what follows
        return []
    reasons = checks[0].get("reasons") or []
    if answer["code"] == "rejected":
        return [] if "gets rejected" in " ".join(reasons) else [f"rejected, recorded {reasons}"]
    return _same("no node fits", FAILURES[answer["code"]], reasons)


def played(case: Case, script: Any, probe: Probe) -> list[str]:
    world = World(script)
    ops = list(world.events)
    asked: list[tuple[int, Case]] = []
    options: Case = {}
    now = 0.0
    for step in script.steps:
        name, args = step.get("call", "").partition(".")[2], step.get("args") or {}
        receiver = script.value(step.get("receiver")) or {}
        if "pgRejectThreshold" in receiver:
            options = {"tolerated_part": receiver["pgRejectThreshold"],
                       "backoff": seconds(receiver.get("pgBackoff")),
                       "timeout": seconds(receiver.get("scheduleTimeout"))}
        now += 1e-3  # calls follow one another
        if name == "Less":
            op: Case = {"op": "before", "a": waiting(args["podInfo1"], script),
                        "b": waiting(args["podInfo2"], script)}
        elif name == "GetCreationTimestamp":
            op = {"op": "queue_time", "pod": pod(script.value(args["pod"])), "priority": 0,
                  "first_tried": seconds(args["ts"])}
        elif name in ("Permit", "PreFilter", "PostFilter"):
            op = {"op": {"Permit": "permit", "PreFilter": "check",
                         "PostFilter": "nothing_fits"}[name],
                  "pod": pod(script.value(args["pod"])), "nodes": world.rooms(), "now": now}
        elif name in ("MarkPodGroupScheduleFailure", "ClearPodGroupScheduleFailure"):
            failed = name.startswith("Mark")
            ops.append({"op": "failed" if failed else "not_failed", "key": args["pgName"],
                        "now": LATER})
            continue
        else:
            continue
        asked.append((len(ops), step))
        ops.append(op)
    answers = probe.plugin_gangs(options, ops)
    out = [] if asked else ["no call is compared"]
    for index, step in asked:
        out += compared(step, ops[index], answers[index], script)
    return out


def compared(step: Case, op: Case, answer: Any, script: Any) -> list[str]:
    if op["op"] == "permit":
        return _permit(step, answer, op["pod"], script)
    if op["op"] == "check":
        return _checked(step, answer, script)
    if op["op"] == "nothing_fits":
        return _failed(step, answer, script)
    right = script.result(step["n"])
    if op["op"] == "queue_time" and answer == LATER:
        return [] if seconds(right) > op["first_tried"] else [f"failed, recorded {right}"]
    return _same(step["call"], answer, seconds(right) if op["op"] == "queue_time" else right)


def room(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("CheckClusterResource")
    args = step["args"]
    nodes = [
        node(script.value(row["nodeInfo"]["node"]),
             [script.value(held) for held in row["nodeInfo"].get("pods") or []])
        for row in args["nodeList"]
    ]
    [answer] = probe.plugin_gangs({}, [
        {"op": "room", "nodes": nodes, "need": amounts(args["resourceRequest"]),
         "key": args["desiredPodGroupName"]}])
    return _same("enough", answer == {}, script.result(step["n"]) is None)


CALLS = {
    "CheckClusterResource": room,
    "Coscheduling.Less": played,
    "Coscheduling.Permit": played,
    "Coscheduling.PostFilter": played,
    "PodGroupManager.GetCreationTimestamp": played,
    "PodGroupManager.Permit": played,
    "PodGroupManager.PreFilter": played,
}
