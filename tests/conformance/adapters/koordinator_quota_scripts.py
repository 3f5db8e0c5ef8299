# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about elastic quotas: its quota manager as a sequence of events on our tree, every number
of a group compared where the script looked at it; and single questions about who has to go."""

from typing import Any

import adapters.koordinator as events
from probe import Probe, Unanswerable

Json = dict[str, Any]

MANAGER = "GroupQuotaManager."
# Calls that only look, at numbers that a look at the whole group has as well.
LOOKS = {
    "GroupQuotaManager.GetClusterTotalResource",
    "quotaTree.find",
    "QuotaInfo.UnLock",
    "QuotaInfo.IsPodExist",
    "QuotaInfo.CheckPodIsAssigned",
    "QuotaInfo.getLimitRequestNoLock",
    "PodRequests",
}
NUMBERS = {
    "Max": "max",
    "Min": "min",
    "AutoScaleMin": "autoScaleMin",
    "SharedWeight": "weight",
    "Request": "request",
    "ChildRequest": "childRequest",
    "NonPreemptibleRequest": "nonPreemptibleRequest",
    "Used": "used",
    "NonPreemptibleUsed": "nonPreemptibleUsed",
    "Runtime": "runtime",
    "Guaranteed": "guaranteed",
    "Allocated": "allocated",
    "SelfRequest": "selfRequest",
    "SelfUsed": "selfUsed",
    "SelfNonPreemptibleRequest": "selfNonPreemptibleRequest",
    "SelfNonPreemptibleUsed": "selfNonPreemptibleUsed",
}


def _objects(script: Any) -> Json:
    return {one["ref"]: one["object"] for one in script.case.get("objects") or []}


def _object(script: Any, value: Any) -> Json:
    value = script.value(value)
    if not isinstance(value, dict) or "ref" not in value:
        raise Unanswerable("the record does not hold an object that a call was given")
    return _objects(script)[value["ref"]]


def _task(pod: Json) -> Json:
    if "deletionTimestamp" in pod["metadata"]:
        raise Unanswerable("tasks that are being deleted: the caller says when they stop counting")
    pod.setdefault("spec", {}).setdefault("containers", [])
    return events.task(pod)


def _operation(script: Any, step: Json) -> Json | None:
    """What a call is to our tree; nothing for one that only looks."""
    call, args = step["call"].removeprefix(MANAGER), script.args(step)
    if step["call"] in LOOKS or step["call"].startswith("QuotaInfo.Get"):
        return None
    if call in ("UpdateClusterTotalResource", "updateClusterTotalResourceNoLock"):
        return {"op": "total", "delta": events.units(args["deltaRes"])}
    if call in ("UpdateQuota", "DeleteQuota"):
        quota = _object(script, args["quota"])
        name = quota["metadata"]["name"]
        if name in events.BUILT_IN:
            raise Unanswerable("edits of built-in groups: their maximum is an option of the tree")
        return events.group(quota) if call == "UpdateQuota" else {"op": "remove", "group": name}
    if call in ("updateGroupDeltaRequestNoLock", "updateGroupDeltaUsedNoLock"):
        kind = "Request" if "Request" in call else "Used"
        if args["selfQuotaIndex"] != 0:
            raise Unanswerable("a change that is counted as no group's own")
        deltas = [args.get(k) or args.get(k[0].upper() + k[1:]) for k in (f"deltaNonPreemptible{kind}",)]
        plain = args.get("deltaReq", args.get("delta", args.get("deltaUsed")))
        return {
            "op": "request" if kind == "Request" else "use",
            "group": args["quotaName"],
            "delta": events.units(plain),
            "fixed": events.units(deltas[0]),
        }
    tasks = {
        "OnPodAdd": "add_task",
        "OnPodDelete": "remove_task",
        "ReservePod": "reserve",
        "UnreservePod": "unreserve",
    }
    if call in tasks:
        pod = _object(script, args.get("pod", args.get("p")))
        return {"op": tasks[call], "group": args["quotaName"], "task": _task(pod)}
    if call == "OnPodUpdate":
        return {
            "op": "update_task",
            "group": args["newQuotaName"],
            "old_group": args["oldQuotaName"],
            "task": _task(_object(script, args["newPod"])),
            "old_task": _task(_object(script, args["oldPod"])),
        }
    if call == "RefreshRuntime":
        return {"op": "refresh", "group": args["quotaName"]}
    if call in ("GetQuotaInfoByName", "getQuotaInfoByNameNoLock"):
        return {"op": "look", "group": args.get("quotaName", args.get("name"))}
    raise Unanswerable(f"a script that works inside of the peer's quota manager or plugin")


def tree(script: Any, probe: Probe) -> list[str]:
    """The quota manager's numbers."""
    scale_min = False
    ops, looks = [], []
    changed_inside = False
    for step in script.steps:
        name = step.get("set", "")
        if name == "gqm.scaleMinQuotaEnabled":
            if ops and any(op["op"] == "refresh" for op in ops):
                raise Unanswerable("an option that changes in the middle of a script")
            scale_min = step["value"]
        changed_inside |= "CalculateInfo" in name or name.endswith("RuntimeVersion")
        if "call" not in step:
            continue
        op = _operation(script, step)
        if op is None:
            continue
        looks.append((step["n"], op, len(ops)))
        if op["op"] != "look":
            ops.append(op)
    if changed_inside:
        raise Unanswerable("a script that writes the peer's numbers itself")
    if not any(op["op"] in ("look", "refresh") and n in script.results for n, op, _ in looks):
        raise Unanswerable("a script that never looks at a number")
    # The gate is not recorded; with it every minimum is guaranteed from its first step on.
    seen = [script.value(script.results[n]) for n, op, _ in looks if op["op"] == "look" and n in script.results]
    guarantee = any(
        events.without_zeros(events.units(one["CalculateInfo"].get("Guaranteed"))) for one in seen if one
    )
    answers = probe.quota_tree(
        {"scale_min": scale_min, "guarantee_usage": guarantee, "has_builtin": True}, ops
    )
    states: list[Json] = [{}]
    for op, answer in zip(ops, answers, strict=True):
        states.append(states[-1] | answer.get("groups", {}))
        if op["op"] == "remove" and "refused" not in answer:
            states[-1].pop(op["group"], None)
    out = []
    for n, op, done in looks:
        if n not in script.results:
            continue
        where, recorded = f"step {n} ({op['op']} {op.get('group', '')})", script.value(script.results[n])
        if op["op"] == "refresh":
            ours = events.without_zeros(answers[done].get("result"))
            if ours != events.without_zeros(events.units(recorded)):
                out.append(f"{where}: returned {ours}, recorded {recorded}")
        if op["op"] != "look":
            continue
        ours = states[done].get(op["group"])
        if (ours is None) != (recorded is None):
            out.append(f"{where}: {'no' if ours is None else 'a'} group, recorded {recorded}")
        if ours is None or recorded is None or op["group"] in events.BUILT_IN - {"koordinator-root-quota"}:
            continue
        for theirs, field in NUMBERS.items():
            left = events.without_zeros(ours[field])
            right = events.without_zeros(events.units(recorded["CalculateInfo"].get(theirs)))
            if left != right:
                out.append(f"{where}: {field} is {left}, recorded {right}")
    return out


# --- who has to go ---------------------------------------------------------------------------------------------


def _held(pod: Json) -> Json:
    meta, spec = pod["metadata"], pod.get("spec", {})
    deleted = meta.pop("deletionTimestamp", None)
    labels = meta.get("labels") or {}
    return _task(pod) | {
        "group": labels.get(events.PREFIX + "name", "koordinator-default-quota"),
        "priority": spec.get("priority", 0),
        "preempts": spec.get("preemptionPolicy") != "Never",
        "is_leaving": deleted is not None,
    }


def victims(script: Any, probe: Probe) -> list[str]:
    """Plugin.canPreempt, PodEligibleToPreemptOthers, SelectVictimsOnNode and the list of tasks to revoke."""
    out = []
    inputs = script.case["state"].get("inputs") or {}
    assigned: dict[str, Json] = {}
    used: Json = {}
    limit = None
    for step in script.steps:
        if step.get("set") == "qi.CalculateInfo.Runtime":
            limit = events.units(step["value"])
        call = step.get("call", "")
        if not call:
            continue
        args = script.args(step)
        if call == "GroupQuotaManager.OnPodAdd":
            assigned[script.value(args["pod"])["ref"]] = _held(_object(script, args["pod"]))
        if call == "QuotaInfo.UpdatePodIsAssigned" and not args["isAssigned"]:
            # The peer's use stays as it was.
            assigned.pop(script.value(args["pod"])["ref"])
        if call == "Plugin.canPreempt":
            ours = probe.quota_victims(
                "may",
                task=_held(_object(script, args["pod"])),
                tasks=[_held(_object(script, args["victim"]))],
                default_is_safe=(inputs.get("disableDefaultQuotaPreemption") is not False),
            )
            recorded = script.results[step["n"]]
        elif call == "Plugin.PodEligibleToPreemptOthers":
            pod = _object(script, args["pod"])
            nominated = (pod.get("status") or {}).get("nominatedNodeName")
            nodes = [_object(script, node) for node in inputs.get("snapshotNodes") or []]
            ours = probe.quota_victims(
                "right",
                task=_held(pod),
                tasks=[_held(_object(script, one)) for one in inputs.get("snapshotPods") or []],
                nominated=any(node["metadata"]["name"] == nominated for node in nodes),
                never_fits=args["nominatedNodeStatus"]["code"] == "UnschedulableAndUnresolvable",
            )
            recorded = script.variable("eligible", step["n"])[1]
        elif call == "Plugin.SelectVictimsOnNode":
            state = inputs["postFilterState"]
            pods = inputs.get("podsOnNode") or []
            offer = probe.quota_victims(
                "victims",
                task=_held(_object(script, args["pod"])),
                tasks=[_held(_object(script, pod)) | {"is_counted": False} for pod in pods],
                used=events.units(state["used"]),
                limit=events.units(state["usedLimit"]),
            )
            ours = [offer["outcome"] == 0, [pods[i] for i in offer["victims"]]]
            code = script.variable("status", step["n"])[1]["code"]
            recorded = [code == "Success", script.variable("victims", step["n"])[1] or []]
        elif call == "QuotaOverUsedGroupMonitor.getToRevokePodList":
            for held in assigned.values():
                for name, amount in held["request"].items():
                    used[name] = used.get(name, 0) + amount
            held = list(assigned)
            chosen = probe.quota_victims("revoke", tasks=list(assigned.values()), used=used, limit=limit)
            used = {}
            ours = [{"ref": held[i]} for i in chosen]
            recorded = script.variable("result", step["n"])[1]
        else:
            continue
        if ours != recorded:
            out.append(f"step {step['n']}: {ours}, recorded {recorded}")
    return out


VICTIMS = {
    "Plugin.SelectVictimsOnNode",
    "Plugin.canPreempt",
    "Plugin.PodEligibleToPreemptOthers",
    "QuotaOverUsedGroupMonitor.getToRevokePodList",
}


def rule(script: Any) -> Any:
    """What of the quotas a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    if any(call.startswith("quotaTopology.") for call in calls):
        # Later than this module, which takes its objects from here; so are those of the plug-in.
        from adapters import koordinator_webhook_scripts

        return koordinator_webhook_scripts.rules
    if calls & VICTIMS:
        return victims
    if any(call.startswith("Plugin.") for call in calls):
        from adapters import koordinator_plugin_scripts as plugin

        if "Plugin.GetQuotaName" in calls:
            return plugin.group_of
        on_quotas = any(call.startswith((MANAGER, "Plugin.OnQuota", "Plugin.OnPod")) for call in calls)
        if on_quotas and any(call.startswith(plugin.HANDLERS) for call in calls):
            return plugin.handled
    return tree if any(call.startswith(MANAGER) for call in calls) else None
