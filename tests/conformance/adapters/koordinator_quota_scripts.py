# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about elastic quotas: its quota manager as a sequence of events on
our tree, every number of a group compared where the script looked at it; and single questions about
victims."""

from typing import Any

import adapters.koordinator as events
from probe import Probe, Unanswerable

Json = dict[str, Any]

MANAGER = "GroupQuotaManager."
# Calls that only look, at numbers that a look at the whole group has as well, or that move no
# amounts.
LOOKS = {
    "GroupQuotaManager.GetQuotaSnapshot",
    "GroupQuotaManager.getPodIsAssignedNoLock",
    "GroupQuotaManager.updatePodCacheNoLock",
    "GroupQuotaManager.updatePodIsAssignedNoLock",
    "NewQuotaInfoFromQuota",
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


def object_of(script: Any, value: Any) -> Json:
    value = script.value(value)
    if not isinstance(value, dict) or "ref" not in value:
        raise Unanswerable("the record does not hold an object that a call was given")
    return _objects(script)[value["ref"]]


def task_of(pod: Json) -> Json:
    if "deletionTimestamp" in pod["metadata"]:
        raise Unanswerable("tasks that are being deleted: the caller says when they stop counting")
    pod.setdefault("spec", {}).setdefault("containers", [])
    return events.task(pod)


def _asked(task: Json, fixed: bool = False) -> Json:
    return {} if fixed and task.get("preemptible", True) else task["request"]


def _quota_of(script: Any, info: Json) -> Json:
    """The object that a script made the peer's own form of a group from."""
    number = int(info.get("same_as", "-1:").partition(":")[0])
    for step in script.calls("NewQuotaInfoFromQuota"):
        if step["n"] == number:
            return script.args(step)["quota"]
    raise Unanswerable("the record does not hold an object that a call was given")


def operation_of(script: Any, step: Json) -> Json | None:
    """What a call is to our tree; nothing for one that only looks."""
    call, args = step["call"].removeprefix(MANAGER), script.args(step)
    if step["call"] in LOOKS or step["call"].startswith("QuotaInfo.Get"):
        return None
    if call in ("UpdateClusterTotalResource", "updateClusterTotalResourceNoLock"):
        return {"op": "total", "delta": events.units(args["deltaRes"])}
    if call in ("UpdateQuota", "DeleteQuota", "deleteQuotaNoLock", "updateQuotaInternalNoLock"):
        quota = object_of(script, args["quota"] if "quota" in args
                          else _quota_of(script, step["args"]["newQuotaInfo"]))
        name = quota["metadata"]["name"]
        if name in events.BUILT_IN:
            raise Unanswerable("edits of built-in groups: their maximum is an option of the tree")
        return {"op": "remove",
                "group": name} if call.lower().startswith("delete") else events.group(quota)
    if call in ("updateGroupDeltaRequestNoLock", "updateGroupDeltaUsedNoLock"):
        kind = "Request" if "Request" in call else "Used"
        if args["selfQuotaIndex"] != 0:
            raise Unanswerable("a change that is counted as no group's own")
        deltas = [args.get(k) or args.get(k[0].upper() + k[1:])
                  for k in (f"deltaNonPreemptible{kind}",)]
        plain = args.get("deltaReq", args.get("delta", args.get("deltaUsed")))
        return {
            "op": "request" if kind == "Request" else "use",
            "group": args["quotaName"],
            "delta": events.units(plain),
            "fixed": events.units(deltas[0]),
        }
    if call in ("updatePodRequestNoLock", "updatePodUsedNoLock"):
        old, new = (task_of(object_of(script, args[pod])) if args[pod] else {"request": {}}
                    for pod in ("oldPod", "newPod"))
        delta, fixed = (
            {name: after.get(name, 0) - before.get(name, 0) for name in before | after}
            for before, after in [(_asked(old), _asked(new)),
                                  (_asked(old, fixed=True), _asked(new, fixed=True))]
        )
        return {"op": "use" if "Used" in call else "request", "group": args["quotaName"],
                "delta": delta, "fixed": fixed}
    tasks = {
        "OnPodAdd": "add_task",
        "OnPodDelete": "remove_task",
        "ReservePod": "reserve",
        "UnreservePod": "unreserve",
    }
    if call in tasks:
        pod = object_of(script, args.get("pod", args.get("p")))
        return {"op": tasks[call], "group": args["quotaName"], "task": task_of(pod)}
    if call == "OnPodUpdate":
        return {
            "op": "update_task",
            "group": args["newQuotaName"],
            "old_group": args["oldQuotaName"],
            "task": task_of(object_of(script, args["newPod"])),
            "old_task": task_of(object_of(script, args["oldPod"])),
        }
    if call == "RefreshRuntime":
        return {"op": "refresh", "group": args["quotaName"]}
    if call == "GetAllQuotaNames":
        return {"op": "names"}
    if call.removeprefix("QuotaSnapshot.") in ("GetQuotaInfoByName", "getQuotaInfoByNameNoLock"):
        return {"op": "look", "group": args.get("quotaName", args.get("name"))}
    raise Unanswerable(f"a script that works inside of the peer's quota manager or plugin")


def tree(script: Any, probe: Probe) -> list[str]:
    """The quota manager's numbers."""
    scale_min = False
    ops, looks = [], []
    changed_inside = False
    taken = 0  # operations before the last snapshot
    for step in script.steps:
        name = step.get("set", "")
        if name == "gqm.scaleMinQuotaEnabled":
            if ops and any(op["op"] == "refresh" for op in ops):
                raise Unanswerable("an option that changes in the middle of a script")
            scale_min = step["value"]
        changed_inside |= "CalculateInfo" in name or name.endswith("RuntimeVersion")
        if "call" not in step:
            continue
        op = operation_of(script, step)
        if step["call"] == "GroupQuotaManager.GetQuotaSnapshot":
            taken = len(ops)
        if op is None:
            continue
        looks.append((step["n"], op, taken if step["call"].startswith("QuotaSnapshot.")
                      else len(ops)))
        if op["op"] not in ("look", "names"):
            ops.append(op)
    if changed_inside:
        raise Unanswerable("a script that writes the peer's numbers itself")
    if not any(op["op"] in ("look", "names", "refresh") and n in script.results
               for n, op, _ in looks):
        raise Unanswerable("a script that never looks at a number")
    # The gate is not recorded; with it every minimum is guaranteed from its first step on.
    seen = [script.value(script.results[n]) for n, op, _ in looks if op["op"] == "look"
            and n in script.results]
    guarantee = any(
        events.without_zeros(events.units(one["CalculateInfo"].get("Guaranteed"))) for one in seen
        if one
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
        where, recorded = f"step {n} ({op['op']} {op.get('group', '')})", script.value(
            script.results[n])
        if op["op"] == "refresh":
            ours = events.without_zeros(answers[done].get("result"))
            if ours != events.without_zeros(events.units(recorded)):
                out.append(f"{where}: returned {ours}, recorded {recorded}")
        if op["op"] == "names" and sorted(states[done]) != sorted(recorded):
            out.append(f"{where}: {sorted(states[done])}, recorded {recorded}")
        if op["op"] != "look":
            continue
        ours = states[done].get(op["group"])
        if (ours is None) != (recorded is None):
            out.append(f"{where}: {'no' if ours is None else 'a'} group, recorded {recorded}")
        if ours is None or recorded is None or op["group"] in events.BUILT_IN - {
            "koordinator-root-quota"}:
            continue
        for theirs, field in NUMBERS.items():
            left = events.without_zeros(ours[field])
            right = events.without_zeros(events.units(recorded["CalculateInfo"].get(theirs)))
            if left != right:
                out.append(f"{where}: {field} is {left}, recorded {right}")
    return out


# --- victims


def _held(pod: Json) -> Json:
    meta, spec = pod["metadata"], pod.get("spec", {})
    deleted = meta.pop("deletionTimestamp", None)
    labels = meta.get("labels") or {}
    return task_of(pod) | {
        "group": labels.get(events.PREFIX + "name", "koordinator-default-quota"),
        "priority": spec.get("priority", 0),
        "preempts": spec.get("preemptionPolicy") != "Never",
        "is_leaving": deleted is not None,
    }


def victims(script: Any, probe: Probe) -> list[str]:
    """Plugin.canPreempt, PodEligibleToPreemptOthers, SelectVictimsOnNode and the list of tasks to
    revoke."""
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
            assigned[script.value(args["pod"])["ref"]] = _held(object_of(script, args["pod"]))
        if call == "QuotaInfo.UpdatePodIsAssigned" and not args["isAssigned"]:
            # The peer's use stays as it was.
            assigned.pop(script.value(args["pod"])["ref"])
        if call == "Plugin.canPreempt":
            ours = probe.quota_victims(
                "may",
                task=_held(object_of(script, args["pod"])),
                tasks=[_held(object_of(script, args["victim"]))],
                default_is_safe=(inputs.get("disableDefaultQuotaPreemption") is not False),
            )
            recorded = script.results[step["n"]]
        elif call == "Plugin.PodEligibleToPreemptOthers":
            pod = object_of(script, args["pod"])
            nominated = (pod.get("status") or {}).get("nominatedNodeName")
            nodes = [object_of(script, node) for node in inputs.get("snapshotNodes") or []]
            ours = probe.quota_victims(
                "right",
                task=_held(pod),
                tasks=[_held(object_of(script, one)) for one in inputs.get("snapshotPods") or []],
                nominated=any(node["metadata"]["name"] == nominated for node in nodes),
                never_fits=args["nominatedNodeStatus"]["code"] == "UnschedulableAndUnresolvable",
            )
            recorded = script.variable("eligible", step["n"])[1]
        elif call == "Plugin.SelectVictimsOnNode":
            state = inputs["postFilterState"]
            pods = inputs.get("podsOnNode") or []
            offer = probe.quota_victims(
                "victims",
                task=_held(object_of(script, args["pod"])),
                tasks=[_held(object_of(script, pod)) | {"is_counted": False} for pod in pods],
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
            chosen = probe.quota_victims("revoke", tasks=list(assigned.values()), used=used,
                                         limit=limit)
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


def scaled_min(script: Any, probe: Probe) -> list[str]:
    """The peer's sums of minimums, kept as it is told of them; what is left of one by our rule."""
    known: dict[tuple[str, str], tuple[Json, bool]] = {}
    out, asked = [], 0
    for step in script.steps:
        call = step.get("call", "").removeprefix("ScaleMinQuotaManager.")
        args = script.args(step)
        if call in ("update", "remove"):
            key = args["parQuotaName"], args["subQuotaName"]
            known.pop(key, None)
            if call == "update":
                known[key] = events.units(args["subMinQuota"]), args["enableScaleMinQuota"]
        if call != "getScaledMinQuota":
            continue
        parent, name = args["parQuotaName"], args["subQuotaName"]
        found, scaled = script.variable("result", step["n"])
        if not found:
            raise Unanswerable("the record does not hold what the call returned")
        mine, scales = known.get((parent, name), ({}, False))
        if scaled != scales:
            out.append(f"step {step['n']}: scales {scales}, recorded {scaled}")
        if not scaled:
            continue
        asked += 1
        sums: dict[bool, Json] = {True: {}, False: {}}
        for (other, _), (amounts, kind) in known.items():
            for resource, amount in amounts.items() if other == parent else ():
                sums[kind][resource] = sums[kind].get(resource, 0) + amount
        total = events.units(args["newTotalRes"])
        ours = probe.quota_level({"total": total, "fixed": sums[False], "scaling": sums[True],
                                  "original": mine})
        _, recorded = script.variable("newMinQuota", step["n"])
        if recorded is not None and events.without_zeros(ours) != events.without_zeros(
            events.units(recorded)):
            out.append(f"step {step['n']}: {ours}, recorded {recorded}")
    if not asked:
        raise Unanswerable("a script that never looks at a number")
    return out


def handed_out(script: Any, probe: Probe) -> list[str]:
    """One level of the peer's tree, of one resource."""
    children: dict[str, Json] = {}
    total = {}
    out = []
    for step in script.steps:
        if step.get("set", "").endswith(".totalResource"):
            total = events.units(step["value"])
        if step.get("call") == "quotaTree.insert":
            args = script.args(step)
            children[args["groupName"]] = {
                "request": args["request"],
                "weight": args["sharedWeight"],
                "min": args["min"],
                "guarantee": args["guarantee"],
                "lends": args["allowLentResource"],
            }
        if step.get("call") == "RuntimeQuotaCalculator.calculateRuntimeNoLock":
            expected = script.case["expect"]["expectedRuntimeMp"]
            names = sorted(children)
            [amount] = total.values()
            ours = probe.quota_level({"total": amount,
                                      "children": [children[name] for name in names]})
            recorded = [next(iter(expected[name].values())) for name in names]
            found = sorted(c["actual"] for c in script.checks
                           if c["what"].endswith(".runtimeQuota"))
            if ours != recorded or sorted(ours) != found:
                out.append(f"step {step['n']}: {ours}, recorded {recorded}")
    return out


def _runtimes(calculator: Json, probe: Probe) -> dict[str, dict[str, int]]:
    """{resource: {group: runtime}} of a level as it is recorded."""
    totals = events.units(calculator.get("totalResource"))
    out = {}
    for resource, tree in (calculator.get("quotaTree") or {}).items():
        names = sorted(tree["quotaNodes"])
        children = [{"request": node["request"], "weight": node["sharedWeight"],
                     "min": node["min"], "guarantee": node["guarantee"],
                     "lends": node["allowLentResource"]}
                    for node in map(tree["quotaNodes"].get, names)]
        ours = probe.quota_level({"total": totals.get(resource, 0), "children": children})
        out[resource] = dict(zip(names, ours, strict=True))
    return out


def _seen_runtimes(script: Any, at: int, calculator: Json, group: str) -> list[Any]:
    """(resource, group, runtime) that a script shows before anything changes again."""
    version, seen = calculator["globalRuntimeVersion"], []
    for step in script.steps:
        if step["n"] <= at or "receiver" not in step:
            continue
        later = script.value(step["receiver"])
        if later.get("globalRuntimeVersion") == version:
            seen += [(resource, name, node["runtimeQuota"])
                     for resource, tree in (later.get("quotaTree") or {}).items()
                     for name, node in tree["quotaNodes"].items()]
        break
    following = [step["n"] for step in script.steps if step["n"] > at and "call" in step]
    for check in script.checks:
        what = str(check["what"])
        if check["n"] <= at or (following and check["n"] > following[0]):
            continue
        if what.endswith("].runtimeQuota") and "[\"" in what:
            seen.append((what.partition("[\"")[2].partition("\"]")[0], group, check["actual"]))
        elif what == f"{group}.CalculateInfo.Runtime":
            seen += [(resource, group, amount)
                     for resource, amount in events.units(check["actual"]).items()]
    return seen


def levels(script: Any, probe: Probe) -> list[str]:
    """RuntimeQuotaCalculator.updateOneGroupRuntimeQuota(group): what its level hands out."""
    out, asked = [], 0
    for step in script.calls("RuntimeQuotaCalculator.updateOneGroupRuntimeQuota"):
        calculator, info = script.value(step["receiver"]), script.args(step)["quotaInfo"]
        seen = _seen_runtimes(script, step["n"], calculator, info.get("Name", ""))
        ours = _runtimes(calculator, probe) if seen else {}
        for resource, group, amount in seen:
            asked += 1
            got = ours.get(resource, {}).get(group)
            if got != amount:
                out.append(f"step {step['n']}: {group} gets {got} {resource}, recorded {amount}")
    if not asked:
        raise Unanswerable("a script that never looks at a number")
    return out


def rule(script: Any) -> Any:
    """What of the quotas a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    if any(call.startswith("quotaTopology.") for call in calls):
        # Later than this module, which takes its objects from here; so are those of the plug-in.
        from adapters import koordinator_webhook_scripts

        return koordinator_webhook_scripts.rules
    if calls & VICTIMS:
        return victims
    if "ScaleMinQuotaManager.getScaledMinQuota" in calls:
        return scaled_min
    if "RuntimeQuotaCalculator.calculateRuntimeNoLock" in calls:
        return handed_out
    if "RuntimeQuotaCalculator.updateOneGroupRuntimeQuota" in calls:
        return levels
    # Later than this module, as above.
    from adapters import koordinator_plugin_scripts as plugin
    from adapters import koordinator_profile_scripts as profile

    if calls & profile.CALLS:
        return profile.roots
    if "Plugin.GetQuotaName" in calls:
        return plugin.group_of
    on_quotas = any(call.startswith((MANAGER, "Plugin.OnQuota", "Plugin.OnPod")) for call in calls)
    if on_quotas and any(call.startswith(plugin.HANDLERS) or call in plugin.MADE for call in calls):
        return plugin.handled
    if any(call.startswith(plugin.HINTS) for call in calls):
        return plugin.handled
    return tree if any(call.startswith(MANAGER) for call in calls) else None
