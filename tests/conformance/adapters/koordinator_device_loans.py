# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about devices that reservations hold, that were named beforehand,
or that lie in NUMA zones. A script is walked once (koordinator_device_walk); what it writes becomes
machines with books and holdings, and each call that decides becomes one trial of the room of
devices."""

from typing import Any, Callable

import importers
from adapters import koordinator_devices, koordinator_rooms
from adapters.koordinator_device_questions import (
    SCORER,
    WALKED,
    after,
    compare,
    granted,
    object_of,
    whole_value,
)
from adapters.koordinator_device_walk import NO_STATE, Walk, filled, grants_of, key_of, shares
from adapters.koordinator_objects import resolved
from probe import Probe, Unanswerable

Json = dict[str, Any]

AFFINITY = "scheduling.koordinator.sh/reservation-affinity"
TAKE_OVER = "scheduling.koordinator.sh/pre-allocation-required"


def _scorer(script: Any) -> Json:
    args = after(script, "args", -1)
    strategy = (args or {}).get("ScoringStrategy") if isinstance(args, dict) else None
    if not strategy:
        return SCORER
    return {
        "Name": after(script, "args.ScoringStrategy.Type", -1) or strategy["Type"],
        "resourceToWeightMap": {one["Name"]: one["Weight"] for one in strategy["Resources"]},
    }


def _ask(walk: Walk, name: str, op: Json, probe: Probe) -> Any:
    if name not in walk.machines:
        raise Unanswerable("the record does not hold an object that a call was given")
    weighs = _scorer(walk.script)
    options = {
        "machines": {"n": walk.machines[name]},
        "weights": koordinator_devices.whole(weighs["resourceToWeightMap"]),
        "prefer_full": weighs["Name"] == "MostAllocated",
    }
    [answer] = probe.devices(options, [op])
    if isinstance(answer, dict) and "refused" in answer:
        raise Unanswerable("amounts that no request may ask for together")
    return answer


def _pod(walk: Walk, args: Json) -> Json:
    return object_of(walk.script, args["pod"]) if args.get("pod") else {}


def _status(walk: Walk, step: Json) -> Json | None:
    """What a call returned, as far as it is recorded."""
    if step["n"] in walk.script.results:
        return walk.script.results[step["n"]]
    return after(walk.script, "status", step["n"])


# --- calls that decide


def _filter(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_of(args)
    if name in walk.zones:
        return []
    op = walk.question("filter", name, _pod(walk, args))
    return compare(_ask(walk, name, op, probe), op["request"], _status(walk, step), None)


def _reserve(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_of(args)
    op = walk.question("reserve", name, _pod(walk, args)) | {"final": True, "scored": True}
    wants = walk.script.case["expect"].get("wants") or {}
    return compare(_ask(walk, name, op, probe), op["request"], _status(walk, step),
                   wants.get("allocationResult"))


def _score(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_of(args)
    ask = "score"
    op = walk.question(ask, name, _pod(walk, args)) | {"scored": True}
    if step["call"] == "Plugin.ScoreReservation":
        op |= {"ask": "score_loan",
               "nominated": walk.reservation(args["reservationInfo"])["name"]}
    got, score = _ask(walk, name, op, probe), after(walk.script, "score", step["n"])
    return [] if got == score else [f"scores {got}, recorded {score}"]


def _filter_loan(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_of(args)
    op = walk.question("from_loans", name, _pod(walk, args))
    op["nominated"] = walk.reservation(args["reservationInfo"])["name"]
    op["taker"]["needs_loan"] = True
    return compare(_ask(walk, name, op, probe), op["request"], _status(walk, step), None)


def _hints(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_of(args)
    op = walk.question("hints", name, _pod(walk, args))
    answer = _ask(walk, name, op, probe)
    status = after(walk.script, "status", step["n"])
    if (answer["code"] == "Success") != (status is None):
        return [f"is {answer['code']}, recorded {status}"]
    if status is not None:
        return []
    recorded = after(walk.script, "got", step["n"])
    theirs = {
        kind: [[sum(1 << bit for bit in hint["NUMANodeAffinity"]["bits"]), hint["Preferred"],
                hint["Score"]] for hint in hints]
        for kind, hints in (recorded or {}).items()
    }
    return [] if answer["hints"] == theirs else [f"hints {answer['hints']}, recorded {theirs}"]


def _trial(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """Plugin.Allocate(): a trial within the zones that were chosen."""
    name = walk.node_of(args)
    walk.set_zones({"nodeName": name, "affinity": args["affinity"]}, step)
    op = walk.question("filter", name, _pod(walk, args))
    return compare(_ask(walk, name, op, probe), op["request"], _status(walk, step), None)


def _from_loans(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """tryAllocateFromReusable() and allocateWithNominated(), with an allocator as it was given."""
    allocator = args["allocator"]
    name = str(object_of(walk.script, args["node"])["metadata"]["name"])
    if isinstance(allocator.get("nodeDevice"), dict):
        walk._dump(name, allocator["nodeDevice"])
    walk.state = args["state"]
    walk.loans[name] = walk.raw_loans(args["restoreState"])
    nominated = step["call"].endswith("allocateWithNominated")
    op = walk.question("from_loans", name, _pod(walk, args))
    # The caller has added up what counts as free for every task.
    op["victims"]["node"] = {}
    op["loans"]["unmatched_used"] = shares(args.get("basicPreemptible"))
    op["scored"], op["final"] = allocator.get("scorer") is not None, False
    if nominated:
        raise Unanswerable("a choice of a nominator: the caller names the loan")
    offered = walk.raw_loans({"matched": args["matchedReusableAllocs"]})["matched"]
    op["loans"]["matched"] = offered
    op["taker"]["needs_loan"] = args["requiredFromReservation"]
    answer = _ask(walk, name, op, probe)
    known, status = walk.script.variable("status", step["n"])
    result = after(walk.script, "result", step["n"])
    if answer["code"] == "Success" and not answer["granted"]:
        return [] if not result and not status else [f"chooses nothing, recorded {result}"]
    if result is None:
        return [] if answer["code"] != "Success" else [f"chooses {answer}, recorded nothing"]
    filled = walk.script.case["expect"].get("wantResult") or result
    return compare(answer, op["request"], status if known else None, filled)


def _loans(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_of(args)
    recorded = None
    for variable in ("nodeToState", "nodeRestoreState", "nodeReservationState"):
        found, state = walk.script.variable(variable, step["n"])
        recorded = whole_value(walk.script, state) if found else recorded
        if recorded is None:
            recorded = after(walk.script, variable, step["n"])
    if recorded is None:
        raise Unanswerable("the record does not hold what the call returned")
    [got] = probe.devices({"machines": {}, "weights": {}}, [
        {"op": "loans", "loans": walk.loans[name], "holdings": walk.holdings.get(name, {})}])
    theirs = walk.raw_loans(recorded)
    out = []
    named = {one["name"]: one for one in theirs["matched"]}
    if set(named) != set(got["matched"]):
        out.append(f"lend {sorted(got['matched'])}, recorded {sorted(named)}")
    for one in named.keys() & got["matched"].keys():
        for part in ("allocatable", "allocated", "remained"):
            left, right = filled(got["matched"][one][part]), filled(named[one][part])
            if left != right:
                out.append(f"{one}: {part} {left}, recorded {right}")
    for part in ("allocatable", "allocated", "unmatched_used"):
        left, right = filled(got[part]), filled(theirs[part])
        if left != right:
            out.append(f"{part} {left}, recorded {right}")
    return out


def _preempted(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """AddPod() and RemovePod() of a dry run."""
    name = walk.node_of(args)
    task = key_of(object_of(walk.script, args.get("podInfoToRemove") or args["podInfoToAdd"]))
    held = walk.holdings.get(name, {}).get(task, {})
    victims = walk.victims.setdefault(name, {"node": {}, "reservations": {}})
    reservation = walk.loans_of_task.get(task)
    part = victims["reservations"].get(reservation, {}) if reservation else victims["node"]
    op = {"op": "add" if "podInfoToRemove" in args else "subtract", "shares": part, "more": [held]}
    [part] = probe.devices({"machines": {}, "weights": {}}, [op])
    if reservation:
        victims["reservations"][reservation] = part
    else:
        victims["node"] = part
    looks = [check for check in walk.script.checks if check["n"] > step["n"]
             and str(check["what"]).startswith("state.preemptible")]
    if not looks:
        raise Unanswerable("the record does not hold what the call returned")
    recorded = walk.script.value(looks[0]["actual"])
    of_node = (recorded or {}).get(name) or {}
    theirs = of_node.get(reservation, {}) if reservation else of_node
    left, right = filled(part), filled(shares(theirs))
    return [] if left == right else [f"leaves {left}, recorded {right}"]


DECIDE: dict[str, Callable[[Walk, Json, Json, Probe], list[str]]] = {
    "Plugin.Filter": _filter,
    "Plugin.Reserve": _reserve,
    "Plugin.Score": _score,
    "Plugin.ScoreReservation": _score,
    "Plugin.FilterNominateReservation": _filter_loan,
    "Plugin.GetPodTopologyHints": _hints,
    "Plugin.Allocate": _trial,
    "Plugin.tryAllocateFromReusable": _from_loans,
    "Plugin.allocateWithNominated": _from_loans,
    "Plugin.RestoreReservation": _loans,
    "Plugin.RestoreReservationPreAllocation": _loans,
    "PreFilterExtensions.AddPod": _preempted,
    "PreFilterExtensions.RemovePod": _preempted,
}


def _prefiltered(walk: Walk, step: Json) -> None:
    """The state that PreFilter() wrote, where a script looks at it."""
    looks = [one for one in walk.script.calls("getPreFilterState") if one["n"] > step["n"]]
    for look in looks:
        state = after(walk.script, "state", look["n"])
        if state is not None:
            walk.state = state
            return
    pod = object_of(walk.script, walk.script.args(step)["pod"])
    request = koordinator_devices.request({"spec": {"containers": []}, **pod})
    walk.state = {"podRequests": {"": request["amounts"]}}


def walked(script: Any, probe: Probe) -> list[str]:
    walk, out, asked = Walk(script), [], 0
    for step in script.steps:
        walk.read(step)
        call = step.get("call", "")
        if call == "Plugin.PreFilter":
            _prefiltered(walk, step)
        if call in DECIDE:
            asked += 1
            args = whole_value(script, step.get("args") or {})
            out += [f"step {step['n']}: {line}" for line in DECIDE[call](walk, step, args, probe)]
    if not asked:
        raise Unanswerable("a script that never looks at a number")
    return out


# --- functions on their own


def include(script: Any, probe: Probe) -> list[str]:
    """isDeviceAllocationsInclude(allocations, devices)."""
    out = []
    for step in script.calls("isDeviceAllocationsInclude"):
        args = whole_value(script, step["args"])
        [got] = probe.devices({"machines": {}, "weights": {}}, [
            {"op": "include", "grants": grants_of(args["allocations"]),
             "shares": shares(args["required"])}])
        if got != script.results[step["n"]]:
            out.append(f"step {step['n']}: {got}, recorded {script.results[step['n']]}")
    return out


def add_of_hints(script: Any, probe: Probe) -> list[str]:
    """appendAllocatedByHints(hints, sum, more): of the devices in the hints."""
    out = []
    for step in script.calls("appendAllocatedByHints"):
        args = whole_value(script, step["args"])
        hints = args["hints"] or {}
        if not all(hints.values()) and hints:
            raise Unanswerable("hints without devices, which no reservation comes to")
        more = [value for name, value in args.items() if name.startswith("allocatedList") and value]
        [got] = probe.devices({"machines": {}, "weights": {}}, [
            {"op": "add_of", "shares": shares(args["m"]),
             "hints": {kind: {str(minor): {} for minor in minors}
                       for kind, minors in hints.items()},
             "more": [shares(one) for one in more]}])
        theirs = filled(shares(script.results[step["n"]]))
        if filled(got) != theirs:
            out.append(f"step {step['n']}: {got}, recorded {theirs}")
    return out


def templates(script: Any, probe: Probe) -> list[str]:
    """findMatchedTemplates(resources, strict)."""
    out = []
    for step in script.calls("gpuSharedResourceTemplatesCache.findMatchedTemplates"):
        cache, args = whole_value(script, step["receiver"]), script.args(step)
        known = cache.get("gpuSharedResourceTemplatesInfos") or {}
        [got] = probe.devices({"machines": {}, "weights": {}}, [{
            "op": "templates", "strict": args["strict"],
            "amounts": koordinator_devices.whole(args["resources"]),
            "templates": {model: {name: koordinator_devices.whole(one)
                                  for name, one in of_model.items()}
                          for model, of_model in known.items()}}])
        # The same value as the check's, which the record has once.
        recorded = script.results[step["n"]]
        if "same_as" in recorded:
            recorded = script.case["expect"]["want"]
        theirs = {model: sorted(names) for model, names in recorded.items()}
        if got != theirs:
            out.append(f"step {step['n']}: {got}, recorded {theirs}")
    return out


def designated_hints(script: Any, probe: Probe) -> list[str]:
    """generateDesignatedHints(allocations, topology)."""
    out = []
    for step in script.calls("generateDesignatedHints"):
        args = whole_value(script, step["args"])
        named = {kind: [{"Resources": {}} | one for one in of_kind]
                 for kind, of_kind in (args["allocations"] or {}).items()}
        zones = (args["topology"] or {}).get("deviceToNodeID") or {}
        machine = koordinator_devices.machine({"metadata": {}}, None)
        machine["devices"] = [
            {"kind": kind, "minor": int(minor), "healthy": True, "amounts": {}, "labels": {},
             "virtual_groups": [], "zone": zone, "bus": ""}
            for kind, by_minor in zones.items() for minor, zone in sorted(by_minor.items())
        ]
        op = {"op": "trial", "ask": "hints", "node": "n", "taker": {
            "named": grants_of(named)},
              "request": {"amounts": {"koordinator.sh/rdma": 1}, "wishes": {}, "joint": []}}
        options = {"machines": {"n": machine}, "weights": {}}
        [answer] = probe.devices(options, [op])
        recorded = None
        for variable in ("hints", "got"):
            recorded = recorded or after(script, variable, step["n"])
        if recorded is None:
            raise Unanswerable("the record does not hold what the call returned")
        theirs = {kind: [[sum(1 << bit for bit in hint["NUMANodeAffinity"]["bits"]),
                          hint["Preferred"], hint["Score"]] for hint in hints]
                  for kind, hints in recorded.items()}
        if answer["hints"] != theirs:
            out.append(f"step {step['n']}: {answer['hints']}, recorded {theirs}")
    return out


def scaled(script: Any, probe: Probe) -> list[str]:
    """ScoreExtensions.NormalizeScore(scores): the scores of all nodes in one range."""
    out = []
    for step in script.calls("ScoreExtensions.NormalizeScore"):
        rows = script.args(step)["scores"]
        ours = probe.koordinator_scores("scale", scores=[row["Score"] for row in rows])
        [lists] = [check["actual"] for check in script.checks
                   if check["n"] > step["n"] and isinstance(check["actual"], list)]
        right = [row["Score"] for row in lists]
        if ours != right:
            out.append(f"scores {ours}, recorded {right}")
    return out


def needs_loan(script: Any, probe: Probe) -> list[str]:
    """preparePod(pod): whether the pod takes from a reservation or waits, as its marks have it."""
    out = []
    for step in script.calls("preparePod"):
        pod = resolved(script, script.args(step)["pod"])
        if (pod["metadata"].get("labels") or {}).get(TAKE_OVER) == "true" and not (
                pod["metadata"].get("annotations") or {}).get(AFFINITY):
            raise Unanswerable("a pod that stands for a reservation: the profile places none")
        known, state = script.variable("state", step["n"])
        if not known:
            raise Unanswerable("wishes or templates that cannot be read: the caller reads them "
                               "before it asks")
        [task] = importers.scenario([pod | {"kind": "Pod"}], "koordinator")["tasks"]
        ours = "koordinator/reservation-affinity" in (task["shape"].get("labels") or {})
        if ours != state["isReservationRequired"]:
            out.append(f"needs a loan {ours}, recorded {state['isReservationRequired']}")
    return out


FUNCTIONS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "isDeviceAllocationsInclude": include,
    "appendAllocatedByHints": add_of_hints,
    "gpuSharedResourceTemplatesCache.findMatchedTemplates": templates,
    "generateDesignatedHints": designated_hints,
    "ScoreExtensions.NormalizeScore": scaled,
}
# What of devices is no rule, by a call that a script is about.
NO_RULES = {
    "Plugin.PreBind": "marks that binding writes: nothing is decided",
    "Plugin.PreBindReservation": "marks that binding writes: nothing is decided",
    "Plugin.adaptForDevicePlugin": "marks that binding writes: nothing is decided",
    "buildGPUMinorsStr": "texts and keys that are put together: nothing is decided",
    "buildGPUSharedResourceTemplatesKey":
        "texts and keys that are put together: nothing is decided",
    "logAllocationContext": "texts and keys that are put together: nothing is decided",
    "gpuSharedResourceTemplatesCache.setTemplatesInfosFromConfigMap":
        "reading of configuration maps: nothing is decided",
    "gpuSharedResourceTemplatesCache.setTemplatesInfos":
        "reading of configuration maps: nothing is decided",
    "nodeDeviceCache.gcNodeDevice":
        "machines that come and go: the caller has those that are there",
    "nodeDeviceCache.onDeviceAdd": "machines that come and go: the caller has those that are there",
    "nodeDeviceCache.onDeviceDelete":
        "machines that come and go: the caller has those that are there",
    "nodeDeviceCache.onDeviceUpdate":
        "machines that come and go: the caller has those that are there",
    "GetGPUPartitionIndexer": "tables that are kept in another form: nothing is decided",
    "GetGPUTopologyScope": "tables that are kept in another form: nothing is decided",
    "removeZeroDevice": "steps inside of the choice of devices, which is asked whole",
    "nodeDevice.calcFreeWithPreemptible":
        "steps inside of the choice of devices, which is asked whole",
    "sortDeviceResourcesByMinor": "steps inside of the choice of devices, which is asked whole",
    "sortDeviceResourcesByPreferredPCIe":
        "steps inside of the choice of devices, which is asked whole",
    "nodeDevice.getUsed": "getters of a cache: nothing is decided",
    # Where a script is about nothing else.
    "Plugin.Filter": NO_STATE,
    "Plugin.Score": NO_STATE,
    "Plugin.Reserve": NO_STATE,
    "Plugin.Unreserve": NO_STATE,
    "preparePod": "reading of marks and lists: the caller reads them before it asks",
    "nodeDeviceCache.updatePod": "tasks that their node gives up: the caller releases them",
}


def no_rule(calls: set[str]) -> str | None:
    if any(call.endswith("DevicePluginAdapter.Adapt") for call in calls):
        return "marks that binding writes: nothing is decided"
    return next((why for call, why in NO_RULES.items() if call in calls), None)


WALKS = {"Plugin.GetPodTopologyHints", "Plugin.ScoreReservation", "Plugin.tryAllocateFromReusable",
         "Plugin.allocateWithNominated", "Plugin.RestoreReservation",
         "Plugin.RestoreReservationPreAllocation", "Plugin.FilterNominateReservation",
         "PreFilterExtensions.AddPod", "PreFilterExtensions.RemovePod"}


def rule(script: Any, one_question: Callable[[Any, Probe], list[str]] | None
         ) -> Callable[[Any, Probe], list[str]] | None:
    """`one_question`: what of a script one question answers."""
    calls = {step["call"] for step in script.steps if "call" in step}
    found = next((FUNCTIONS[call] for call in FUNCTIONS if call in calls), None)
    if script.case.get("test", "").endswith(".Test_preparePod_isReservationRequired"):
        found = needs_loan
    if calls & WALKS:
        found = walked
    if found is not None:
        return koordinator_rooms.checked(found)
    why = no_rule(calls)
    if one_question is None and why is None:
        return None

    def asked(script: Any, probe: Probe) -> list[str]:
        if one_question is None:
            raise Unanswerable(str(why))
        try:
            return one_question(script, probe)
        except Unanswerable as unanswerable:
            if str(unanswerable) not in WALKED:
                raise
        return koordinator_rooms.checked(walked)(script, probe)

    return asked
