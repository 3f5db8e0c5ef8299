# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its NUMA plug-in with zones: the resource manager's placements
and hints, and the plug-in's filter, score and reservation of nodes. A script is walked once
(koordinator_numa_walk); what it writes becomes the books of a node, and each call that decides
becomes one question."""

from typing import Any, Callable

from adapters import koordinator_rooms
from adapters.koordinator_numa_walk import (Walk, by_zone, cpu_text, in_units, machine, mask_of,
                                            without_zeros)
from adapters.koordinator_reservation_scripts import object_of
from probe import Probe, Unanswerable

Json = dict[str, Any]


def _ask(probe: Probe, ask: str, question: Json) -> Any:
    """With all names of resources in it, in the order of names."""
    names: set[str] = {"cpu"}
    names |= set((question.get("claim") or {}).get("requests") or {})
    for _, amounts in question["zones"]:
        names |= set(amounts)
    for step in question["books"]:
        for amounts in (step.get("zones") or {}).values():
            names |= set(amounts)
    for part in ("allocatable", "requested"):
        names |= set((question.get("site") or {}).get(part) or {})
    names |= set((question.get("scorer") or {}).get("weights") or {})
    return probe.numa_site(ask, resources=sorted(names), **question)


# --- calls that decide


def _code(result: Json | None) -> str:
    return (result or {}).get("code", "Success")


def _filter(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_name(args)
    pod = object_of(walk.script, args["pod"])
    question = walk.site(name, args) | {"claim": walk.asked(pod), "scorer": walk.numa_scorer()}
    got = _ask(probe, "filter", question)
    code = "UnschedulableAndUnresolvable" if got["code"] == "no topology" else got["code"]
    recorded = _code(walk.script.results.get(step["n"]))
    if got["zones"] is not None:
        walk.found[name] = got["zones"]
    out = [] if code == recorded else [f"is {code}, recorded {recorded}"]
    later = [one for one in walk.script.calls("Store.GetAffinity") if one["n"] > step["n"]]
    if later and not out:
        known, hint = walk.script.variable("hint", later[0]["n"])
        if not known:
            known, hint = walk.script.variable("hint", later[0]["n"] + 1)
        if known and mask_of(hint.get("NUMANodeAffinity")) != got["zones"]:
            out.append(f"zones {got['zones']}, recorded {hint}")
    return out


def _recorded_grant(script: Any, n: int) -> Json | None:
    """CPUs and zones that a reserved task got."""
    cpus, zones = script.variable("gotCPUs", n), script.variable("gotNUMAResource", n)
    if not cpus[0] and not zones[0]:
        for look in script.calls("getPreFilterState"):
            known, state = script.variable("state", look["n"])
            known, state = (known, state) if known else script.variable("preFilterState",
                                                                        look["n"])
            if look["n"] > n and known:
                allocation = state.get("allocation") or {}
                return {"cpus": cpu_text(allocation.get("CPUSet")),
                        "zones": by_zone(allocation.get("NUMANodeResources"))}
        return None
    return {"cpus": cpu_text(cpus[1]), "zones": by_zone(zones[1])}


def _compare_grant(got: Json | None, recorded: Json, zones_known: bool = True) -> list[str]:
    ours = got or {"cpus": "", "zones": {}}
    out = []
    if ours["cpus"] != recorded["cpus"]:
        out.append(f"takes CPUs {ours['cpus']}, recorded {recorded['cpus']}")
    if zones_known and without_zeros(ours["zones"]) != without_zeros(recorded["zones"]):
        out.append(f"takes {ours['zones']}, recorded {recorded['zones']}")
    return out


def _reserve(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_name(args)
    pod = object_of(walk.script, args["pod"])
    question = walk.site(name, args) | {"claim": walk.asked(pod), "scorer": walk.numa_scorer()}
    got = _ask(probe, "reserve", question)
    code = "Error" if got["code"] == "no topology" else got["code"]
    recorded = _code(walk.script.results.get(step["n"]))
    if code != recorded:
        return [f"is {code}, recorded {recorded}"]
    grant = _recorded_grant(walk.script, step["n"])
    if code != "Success" or grant is None:
        return []
    if got["grant"]:
        walk.books.setdefault(name, []).append(
            {"op": "hold", "task": (pod.get("metadata") or {}).get("uid", "")}
            | got["grant"])
    # A test looks at the zones only where it expects some.
    return _compare_grant(got["grant"], grant, bool(grant["zones"]))


def _score(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_name(args)
    pod = object_of(walk.script, args.get("pod") or args["p"])
    question = walk.site(name, args) | {"claim": walk.asked(pod), "scorer": walk.scorer()}
    got = _ask(probe, "score", question)
    for variable in ("gotScore", "score"):
        known, score = walk.script.variable(variable, step["n"])
        if known:
            return [] if got == score else [f"scores {got}, recorded {score}"]
    raise Unanswerable("the record does not hold what the call returned")


def _filter_loan(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    if args.get("reservationInfo") is None:
        raise Unanswerable("the record does not hold the state of the cycle")
    name = walk.node_name(args)
    reservation = walk._reservation(args["reservationInfo"])
    pod = object_of(walk.script, args["pod"])
    takes_over = "tasks" in walk.loans.get(name, {})
    nominated = pod["metadata"]["uid"] if takes_over else reservation["name"]
    question = walk.site(name, args) | {"claim": walk.asked(None if takes_over else pod),
                                        "nominated": nominated}
    got = _ask(probe, "filter_loan", question)
    code = "UnschedulableAndUnresolvable" if got == "no topology" else got
    known, recorded = walk.script.variable("got", step["n"])
    if not known:
        known, recorded = step["n"] in walk.script.results, walk.script.results.get(step["n"])
    succeeded = [check["actual"] for check in walk.script.checks
                 if check["n"] > step["n"] and str(check["what"]).endswith("IsSuccess()")]
    if not known and succeeded:
        known, recorded = True, {"code": "Success" if succeeded[0] else "another"}
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    return [] if code == _code(recorded) else [f"is {code}, recorded {_code(recorded)}"]


def _asked_options(walk: Walk, args: Json) -> Json:
    """A question of the resource manager: its options hold the whole claim and the node."""
    options = args["options"]
    name = object_of(walk.script, args["node"])["metadata"]["name"]
    requests = in_units(options.get("originalRequests") or options.get("requests"))
    policy = options.get("cpuBindPolicy", "")
    required = options.get("requiredCPUBindPolicy", False)
    question = walk.site(name, {"node": args["node"]})
    question["claim"] = {
        "binds": options.get("requestCPUBind", False),
        "milli": requests.get("cpu", 0),
        "cpus": options.get("numCPUsNeeded", 0),
        "required": policy if required else "",
        "preferred": "" if required else policy,
        "requests": requests,
        "exclusive": options.get("cpuExclusivePolicy", ""),
        "needs_loan": bool(options.get("requiredFromReservation")
                           or options.get("requiredPreAllocation")),
    }
    for key in ("preferredCPUs", "preemptibleCPUs", "reusableResources", "requiredResources"):
        if any((options.get(key) or {}).values()):
            raise Unanswerable("what a placement may reuse, given without its reservations")
    # The label of the node demands nothing of the resource manager.
    question["site"]["label"], question["site"]["kubelet"] = "", False
    return question


def _allocate(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    question = _asked_options(walk, args)
    hint = args["options"].get("hint") or {}
    if "NUMANodeAffinity" in hint:
        question["zones_found"] = mask_of(hint["NUMANodeAffinity"])
    got = _ask(probe, "allocate", question)
    known, recorded = walk.script.variable("got", step["n"])
    if recorded is None:
        return [] if got is None else [f"takes {got}, recorded nothing"]
    if got is None:
        return [f"takes nothing, recorded {recorded}"]
    return _compare_grant(got, {"cpus": cpu_text(recorded.get("CPUSet")),
                                "zones": by_zone(recorded.get("NUMANodeResources"))})


def _hints(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    question = _asked_options(walk, args)
    question["claim"]["zone_policy"] = args["policy"]
    known, recorded = walk.script.variable("got", step["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    got = _ask(probe, "hints", question)
    theirs = {
        name: [[mask_of(hint["NUMANodeAffinity"]), hint["Preferred"], hint["Score"]]
               for hint in hints]
        for name, hints in (recorded or {}).items()
    }
    return [] if got == theirs else [f"hints {got}, recorded {theirs}"]


RESTORES = ("Plugin.RestoreReservation", "Plugin.RestoreReservationPreAllocation")


def _restored(script: Any, step: Json) -> tuple[bool, Any]:
    """Whether the record holds what was restored, and that."""
    for variable in ("nodeReservationState", "nodeState"):
        found, state = script.variable(variable, step["n"])
        if found:
            return True, state
    return False, None


def _loans(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """RestoreReservation() and its twin for tasks: what is lent."""
    name = walk.node_name(args)
    _, recorded = _restored(walk.script, step)
    node = {"metadata": {"name": name}}
    options = walk.site(name, args) if name in walk.nodes or "nodeInfo" in args else None
    question = options or {"site": {}, "machine": [], "zones": [], "books": [], "node": node}
    got = _ask(probe, "loans", question)
    recorded = recorded or {}
    raw = {"matched": {name: alloc for name, alloc in (recorded.get("matched") or {}).items()}}
    keys = (("allocatable", "allocatable"), ("allocated", "allocated"), ("remained", "remained"),
            ("allocatable_cpus", "allocatableCPUs"), ("allocated_cpus", "allocatedCPUs"),
            ("remained_cpus", "remainedCPUs"))
    out = []
    if set(raw["matched"]) != set(got["matched"]):
        out.append(f"lend {sorted(got['matched'])}, recorded {sorted(raw['matched'])}")
    for one, alloc in raw["matched"].items():
        for ours, theirs in keys:
            right = cpu_text(alloc.get(theirs)) if ours.endswith("cpus") else without_zeros(
                by_zone(alloc.get(theirs)))
            left = got["matched"].get(one, {}).get(ours)
            left = left if ours.endswith("cpus") else without_zeros(left or {})
            if left != right:
                out.append(f"{one}: {ours} {left}, recorded {right}")
    for ours, theirs in (("remained_cpus", "mergedMatchedRemainCPUs"),
                         ("allocated_cpus", "mergedMatchedAllocatedCPUs"),
                         ("allocatable", "mergedMatchedAllocatable"),
                         ("allocated", "mergedMatchedAllocated"),
                         ("unmatched_used", "mergedUnmatchedUsed")):
        right = cpu_text(recorded.get(theirs)) if ours.endswith("cpus") else without_zeros(
            by_zone(recorded.get(theirs)))
        left = got[ours] if ours.endswith("cpus") else without_zeros(got[ours])
        if left != right:
            out.append(f"{ours} {left}, recorded {right}")
    return out


# --- books


def _books(walk: Walk, name: str, probe: Probe, **more: Any) -> Json:
    options = dict(walk.options.get(name) or {})
    if walk.topology is not None:
        options = {"CPUTopology": walk.topology} | options
    question = {
        "machine": machine(options.get("CPUTopology")),
        "zones": [[one["Node"], in_units(one.get("Resources"))]
                  for one in options.get("NUMANodeResources") or []],
        "books": [*walk.loose, *walk.books.get(name, [])],
        "most_holders": options.get("MaxRefCount") or 1,
        "reserved": cpu_text(options.get("ReservedCPUs")),
    }
    return _ask(probe, "books", question | more)


def _compare_books(walk: Walk, name: str, pods: Json | None, cpus: Json | None,
                   probe: Probe) -> list[str]:
    """Of the peer's map of pods and its map of CPUs, as far as they are recorded."""
    out = []
    # Counts of holders are kept where CPUs may have several.
    got = _books(walk, name, probe, tasks=sorted(pods or {}), most_holders=2)
    for uid, pod in (pods or {}).items():
        ours, theirs = got["tasks"][uid], {"cpus": cpu_text(pod.get("CPUSet")),
                                           "zones": by_zone(pod.get("NUMANodeResources"))}
        if ours != theirs:
            out.append(f"{uid} holds {ours}, recorded {theirs}")
    if cpus is not None:
        holders = {int(cpu): info["RefCount"] for cpu, info in cpus.items()}
        ours = {cpu: count for cpu, count in enumerate(got["sharers"]) if count}
        if ours != holders:
            out.append(f"CPUs have holders {ours}, recorded {holders}")
    return out


def _node_allocation(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    if step["n"] not in walk.script.results:
        raise Unanswerable("the record does not hold what the call returned")
    state = walk.script.value(walk.script.results[step["n"]])
    return _compare_books(walk, args["nodeName"], state.get("allocatedPods"),
                          state.get("allocatedCPUs"), probe)


def _available(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    known, recorded = walk.script.variable("availableCPUs", step["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    preferred = args.get("preferredCPUs") or []
    sets = preferred if isinstance(preferred, list) else [preferred]
    more: Json = {"returned": [cpu_text(walk.script.value(one)) for one in sets]}
    if "cpuTopology" in args:
        walk.topology = args["cpuTopology"]
        more |= {"most_holders": args["maxRefCount"],
                 "reserved": cpu_text(args.get("reservedCPUs"))}
    got = _books(walk, args.get("nodeName", ""), probe, **more)["available"]
    return [] if got == cpu_text(recorded) else [f"available {got}, recorded {recorded}"]


def _preempted(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """AddPod(pod) and RemovePod(pod) of a dry run: what of the node leaves with it."""
    name = walk.node_name(args)
    value = args.get("podInfoToAdd") or args.get("podInfoToRemove")
    looks = [one for one in walk.script.calls("getPreFilterState") if one["n"] > step["n"]]
    if value is None or not looks:
        raise Unanswerable("a dry run without a task or without its state: nothing is changed")
    task = (object_of(walk.script, value).get("metadata") or {}).get("uid", "")
    op = "leaves" if step["call"] == "Plugin.RemovePod" else "stays"
    walk.victims.setdefault(name, []).append({"op": op, "task": task})
    known, state = walk.script.variable("stateData", looks[0]["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    share = state["preemptibleState"][name]["nodeAlloc"]
    theirs = {"added": cpu_text(share["cpusToAdd"]), "removed": cpu_text(share["cpusToRemove"]),
              "zones": by_zone(share["numaResources"])}
    got = _books(walk, name, probe, victims={"node": walk.victims[name]})["node"]
    return [] if got == theirs else [f"leaves {got}, recorded {theirs}"]


DECIDE: dict[str, Callable[[Walk, Json, Json, Probe], list[str]]] = {
    "Plugin.Filter": _filter,
    "Plugin.Reserve": _reserve,
    "Plugin.Score": _score,
    "ScorePlugin.Score": _score,
    "Plugin.FilterNominateReservation": _filter_loan,
    "ResourceManager.Allocate": _allocate,
    "ResourceManager.GetTopologyHints": _hints,
    "Plugin.RestoreReservation": _loans,
    "Plugin.RestoreReservationPreAllocation": _loans,
    "resourceManager.getOrCreateNodeAllocation": _node_allocation,
    "NodeAllocation.getAvailableCPUs": _available,
    "ResourceManager.GetAvailableCPUs": _available,
    "Plugin.AddPod": _preempted,
    "Plugin.RemovePod": _preempted,
}
# Maps of the peer's books that a test looks into.
LOOKS = ("llocation.allocatedPods", "llocation.allocatedCPUs", "llocationState.allocatedPods",
         "llocationState.allocatedCPUs")


def _look(walk: Walk, check: Json, probe: Probe) -> list[str]:
    """A check of books at this point of a script."""
    [name] = walk.books.keys() if len(walk.books) == 1 else [""]
    actual = walk.script.value(check["actual"])
    pods, cpus = (actual, None) if check["what"].endswith("Pods") else (None, actual)
    out = _compare_books(walk, name, pods, cpus, probe)
    return [f"check {check['n']}: {line}" for line in out]


def _is_held(script: Any, value: Any) -> bool:
    """Whether the record holds what a value refers to."""
    try:
        script.value(value)
    except Unanswerable:
        return False
    return True


def walked(script: Any, probe: Probe) -> list[str]:
    walk, out, asked = Walk(script), [], 0
    looks = [check for check in script.checks
             if isinstance(check["what"], str) and check["what"].endswith(LOOKS)]
    for step in sorted([*script.steps, *looks], key=lambda one: one["n"]):
        if "what" in step:
            if _is_held(script, step["actual"]):
                asked += 1
                out += _look(walk, step, probe)
            continue
        walk.read(step)
        call = step.get("call", "")
        if call.endswith("Plugin.PreFilter"):
            walk.before_filter(step, script.args(step))
        if call in DECIDE and not (call in RESTORES and not _restored(script, step)[0]):
            asked += 1
            args = script.args(step)
            out += [f"step {step['n']}: {line}"
                    for line in DECIDE[call](walk, step, args, probe)]
    if not asked:
        raise Unanswerable("a script that never looks at a number")
    return out


def _unseen(_script: Any, _probe: Probe) -> list[str]:
    raise Unanswerable("a script that never looks at a number")


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of zones a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    if calls == {"TopologyOptionsManager.UpdateTopologyOptions", "podEventHandler.updatePod"}:
        return _unseen
    decides = calls & (DECIDE.keys() | {"NodeAllocation.addCPUs"})
    return koordinator_rooms.checked(walked) if decides else None
