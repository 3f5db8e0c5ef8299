# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about edits of elastic quota trees. Each call is asked of a tree
as the record shows it just before; where a call changes the tree, what comes out is compared with
what the next call found."""

from typing import Any

import adapters.koordinator as events
from adapters.koordinator_quota_scripts import object_of
from probe import Probe, Unanswerable

Json = dict[str, Any]

TOPOLOGY = "quotaTopology."
# Single rules, and the argument that holds the group.
RULES = {
    "validateQuotaSelfItem": "alone",
    "checkIsParentChange": "kind",
    "checkTreeID": "tree",
    "checkParentQuotaInfo": "parent",
    "checkSubAndParentGroupQuotaKey": "resources",
    "checkMinQuotaValidate": "minimums",
    "checkGuaranteedForMin": "guarantee",
}
LOADS = {"OnQuotaAdd": "load", "OnQuotaUpdate": "load", "OnQuotaDelete": "unload"}
EDITS = {"ValidAddQuota": "add", "ValidUpdateQuota": "update", "ValidDeleteQuota": "delete"}
TASKS = {"ValidateAddPod", "ValidateUpdatePod", "getQuotaNameFromPodNoLock"}


def _amounts(values: Json | None) -> Json:
    return events.thousandths(values)


def known_quota(info: Json, namespaces: list[str]) -> Json:
    """A group as the peer keeps it."""
    numbers = info["CalculateInfo"]
    return {
        "name": info["Name"],
        "parent": info.get("ParentName", ""),
        "tree": info.get("TreeID", ""),
        "is_parent": info.get("IsParent", False),
        "is_tree_root": info.get("IsTreeRoot", False),
        "forced": info.get("AllowForceUpdate", False),
        "max": _amounts(numbers.get("Max")),
        "min": _amounts(numbers.get("Min")),
        "guaranteed": _amounts(numbers.get("Guaranteed")),
        "namespaces": namespaces,
    }


def made_by_hand(topology: Json) -> bool:
    """Whether a test wrote into one of the peer's two maps alone, which here are one."""
    known, children = topology.get("quotaInfoMap") or {}, topology.get("quotaHierarchyInfo") or {}
    return not known.keys() <= children.keys() or any(not set(below) <= known.keys()
                                                      for below in children.values())


def loaded(topology: Json) -> list[Json]:
    """What brings an empty tree to where the peer's is."""
    spaces = topology.get("namespaceToQuotaMap") or {}
    children = topology.get("quotaHierarchyInfo") or {}
    out = []
    for name, info in (topology.get("quotaInfoMap") or {}).items():
        if name in children:
            held = sorted(space for space, group in spaces.items() if group == name)
            out.append({"op": "load", "quota": known_quota(info, held)})
    return out


def member_of(pod: Json) -> Json:
    meta = pod.get("metadata") or {}
    labels = meta.get("labels") or {}
    out = {"group": labels.get(events.PREFIX + "name", ""), "namespace": meta.get("namespace", "")}
    told = labels.get(events.PREFIX + "preemptible")
    return out if told is None else out | {"preemptible": told != "false"}


def _operation(script: Any, step: Json) -> Json | None:
    call, args = step["call"].removeprefix(TOPOLOGY), script.args(step)
    if call in RULES:
        op: Json = {"op": "check", "rule": RULES[call]}
        if call == "checkParentQuotaInfo":
            return op | {"quota": {"name": args["quotaName"], "parent": args["parentName"]}}
        if call == "validateQuotaSelfItem":
            return op | {"quota": events.edit(object_of(script, args["quota"]))}
        old = args.get("oldQuotaInfo")
        if old:
            op["old"] = known_quota(old, args.get("oldNamespaces") or [])
        return op | {"quota": known_quota(args.get("quotaInfo") or args["newQuotaInfo"], [])}
    if call in LOADS:
        given = args.get("newObj") or args.get("obj")
        return given and {"op": LOADS[call], "quota": events.edit(object_of(script, given))}
    if call in EDITS:
        given = args.get("newQuota") or args.get("quota")
        if given is None:
            return None  # of no group at all: not asked
        op = {"op": EDITS[call], "quota": events.edit(object_of(script, given))}
        if args.get("oldQuota"):
            op["old"] = events.edit(object_of(script, args["oldQuota"]))
        elif call == "ValidUpdateQuota":
            return None
        return op
    if call == "fillQuotaDefaultInformation":
        return {"op": "complete", "quota": events.edit(object_of(script, args["quota"]))}
    if call in TASKS:
        op = {"op": "task", "task": member_of(object_of(script, args.get("newPod") or args["pod"]))}
        return op | ({"old_task": member_of(object_of(script, args["oldPod"]))} if "oldPod" in args
                     else {})
    if call == "getQuotaInfo":
        return {"op": "task", "task": {"group": args["name"], "namespace": args["namespace"]}}
    return None


def _filled(script: Any, after: int) -> Json:
    """What the script looked at of a group that was completed."""
    keys = {"LabelQuotaParent]": "parent", "LabelQuotaTreeID]": "tree", "SharedWeight]": "weight"}
    following = [step["n"] for step in script.steps if step["n"] > after and "call" in step]
    out: Json = {}
    for check in script.checks:
        if not after < check["n"] < min(following, default=1 << 30):
            continue
        for ending, key in keys.items():
            if check["what"].endswith(ending) and isinstance(check["actual"], str):
                written = {"metadata": {"name": "",
                                        "annotations": {events.PREFIX +
                                                        "shared-weight": check["actual"]}}}
                out[key] = events.edit(written)["weight"] if key == "weight" else check["actual"]
    return out


def rules(script: Any, probe: Probe) -> list[str]:
    steps = [step for step in script.steps if "call" in step]
    on_tree = [step for step in steps if step["call"].startswith(TOPOLOGY) and "receiver" in step]
    pods: list[Json] = []
    answered: dict[str, Any] = {}
    out, asked = [], 0
    for step in steps:
        if step["call"] == "Writer.Create" and "ref" in (step["args"]["obj"] or {}):
            made = object_of(script, step["args"]["obj"])
            if made["kind"] == "Pod":
                pods.append(member_of(made))
        if step not in on_tree:
            continue
        op = _operation(script, step)
        if op is None:
            continue
        before = script.value(step["receiver"])
        if made_by_hand(before):
            continue
        options = {
            "resources_may_differ": bool(script.args(step).get("enableUpdateResourceKey")),
            "guarantee_usage": False,
            "tasks": [{"group": pod["group"], "namespace": pod["namespace"]} for pod in pods],
        }
        answer = probe.quota_rules(options, [*loaded(before), op])[-1]
        call, n = step["call"].removeprefix(TOPOLOGY), step["n"]
        result = script.value(script.results.get(n))
        question = repr((before, op, options))
        if answered.setdefault(question, result) != result:
            continue  # the same asked twice, with a gate in between that is not recorded
        where = f"step {n} ({call} {op.get('quota', {}).get('name', '')})"
        asked += 1
        if call == "getQuotaNameFromPodNoLock":
            if answer["group"] != result:
                out.append(f"{where}: {answer['group']}, recorded {result}")
            continue
        if call == "getQuotaInfo":
            ours = answer["group"] if answer["group"] in (before["quotaInfoMap"] or {}) else None
            if ours != (result and result["Name"]):
                out.append(f"{where}: {ours}, recorded {result}")
            continue
        if call not in LOADS and answer["accepted"] != (result is None):
            out.append(f"{where}: {answer['message'] or 'accepted'}, recorded {result}")
        for key, value in _filled(script, n).items() if op["op"] == "complete" else ():
            if answer["completed"][key] != value:
                out.append(f"{where}: {key} becomes {answer['completed'][key]}, recorded {value}")
        later = on_tree[on_tree.index(step) + 1 :]
        if call in LOADS.keys() | EDITS.keys() and later:
            found = script.value(later[0]["receiver"])
            if made_by_hand(found):
                continue
            parents = {name: info["ParentName"] for name, info in found["quotaInfoMap"].items()}
            ours = {name: parent or "koordinator-root-quota"
                    for name, parent in answer["parents"].items()}
            if ours != parents or answer["namespaces"] != found["namespaceToQuotaMap"]:
                out.append(
                    f"{where}: {ours}, {answer['namespaces']}; recorded {parents}, {found['namespaceToQuotaMap']}")
    if not asked:
        raise Unanswerable("a script that asks no rule of the quota webhook")
    return out
