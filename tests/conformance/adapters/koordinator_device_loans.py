# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about devices that reservations hold, that were named beforehand,
or that lie in NUMA zones. A script is walked once: what it writes becomes machines with books and
holdings, and each call that decides becomes one trial of the room of devices."""

import json
from typing import Any, Callable

from adapters import koordinator_devices, koordinator_rooms
from adapters.koordinator_device_questions import (
    SCORER,
    WALKED,
    after,
    compare,
    granted,
    inputs_of,
    machine_of,
    object_of,
    request_of,
    whole_value,
)
from probe import Probe, Unanswerable

Json = dict[str, Any]

STATE, RESTORED = "DeviceShare", "DeviceShare/reservationRestoreState"
ALLOCATED = "scheduling.koordinator.sh/device-allocated"
NO_STATE = "the record does not hold the state of the cycle"


def shares(amounts: Json | None) -> Json:
    """{kind: {minor: amounts}}, without devices that have nothing."""
    return {
        kind: {minor: koordinator_devices.whole(one) for minor, one in of_kind.items()}
        for kind, of_kind in (amounts or {}).items()
    }


def _filled(amounts: Json) -> Json:
    return {kind: {minor: {n: a for n, a in one.items() if a} for minor, one in of_kind.items()}
            for kind, of_kind in amounts.items() if of_kind}


def _grants(allocations: Json | None) -> Json:
    return {
        kind: [{"minor": minor, "amounts": dict(amounts), "function": function}
               for minor, amounts, function in grants]
        for kind, grants in granted(allocations).items()
    }


def _key(pod: Json) -> str:
    meta = pod.get("metadata") or {}
    return f"{meta.get('namespace', '')}/{meta.get('name', '')}"


def _labels(thing: Json) -> Json:
    return (thing.get("metadata") or {}).get("labels") or {}


def _notes(thing: Json) -> Json:
    return (thing.get("metadata") or {}).get("annotations") or {}


class Walk:
    """Machines, holdings and the state of the cycle, step by step."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.machines: dict[str, Json] = {}
        self.holdings: dict[str, dict[str, Json]] = {}
        self.state: Json | None = None
        self.loans: dict[str, Json] = {}
        self.zones: dict[str, int | None] = {}
        self.nominated = ""
        self.victims: dict[str, Json] = {}
        self.loans_of_task: dict[str, str] = {}  # task -> the reservation that it is of
        inputs = inputs_of(script)
        cache = inputs.get("nodeDeviceCache") or inputs.get("deviceCache") or {}
        for name, held in (cache.get("nodeDeviceInfos") or {}).items():
            self._dump(name, whole_value(script, held))

    def _dump(self, name: str, held: Json) -> None:
        if not isinstance(held, dict):
            raise Unanswerable("the record does not hold an object that a call was given")
        self.machines[name] = machine_of(held, self._labels_of(name))
        for of_kind, by_task in (held.get("allocateSet") or {}).items():
            for task, minors in by_task.items():
                self.holdings.setdefault(name, {}).setdefault(task, {})[of_kind] = shares(
                    {of_kind: minors})[of_kind]

    def _labels_of(self, name: str) -> Json:
        found = [one["object"] for one in self.script.case.get("objects") or []
                 if one["object"].get("kind") == "Node"
                 and one["object"]["metadata"].get("name") == name]
        return _labels(found[0]) if found else {}

    def read(self, step: Json) -> None:
        part = step.get("set", "").removeprefix("state.")
        if self.state is not None and part in ("preemptibleDevices", "preemptibleInRRs"):
            self.state = self.state | {part: whole_value(self.script, step["value"])}
        reader = READERS.get(step.get("call", ""))
        if reader is not None:
            reader(self, whole_value(self.script, step.get("args") or {}), step)

    # --- what scripts write

    def device(self, args: Json, _step: Json) -> None:
        device = object_of(self.script, args["device"])
        name = args.get("nodeName") or device["metadata"]["name"]
        self.machines[name] = koordinator_devices.machine(
            {"metadata": {"labels": self._labels_of(name)}}, device)

    def _change(self, name: str, task: str, grants: Json, add: bool) -> None:
        """Books of tasks that come and go; a task that is known is not added again."""
        held = self.holdings.setdefault(name, {})
        machine = self.machines.get(name)
        if machine is None:
            raise Unanswerable("the record does not hold an object that a call was given")
        for kind, of_kind in grants.items():
            known = kind in held.get(task, {})
            if known == add:
                continue
            for device in machine["devices"]:
                if device["kind"] != kind:
                    continue
                for grant in of_kind:
                    if grant["minor"] != device["minor"]:
                        continue
                    used = device.setdefault("used", {})
                    for resource, amount in grant["amounts"].items():
                        more = used.get(resource, 0) + (amount if add else -amount)
                        used[resource] = max(0, more)
                    if grant["function"] and add:
                        device.setdefault("used_functions", []).append(grant["function"])
            if add:
                held.setdefault(task, {})[kind] = {
                    str(grant["minor"]): grant["amounts"] for grant in of_kind}
            else:
                del held[task][kind]

    def used(self, args: Json, step: Json) -> None:
        pod = object_of(self.script, args["pod"])
        name = (pod.get("spec") or {}).get("nodeName") or self._only()
        self._change(name, _key(pod), _grants(args.get("deviceAllocations")), args.get("add", True))

    def _only(self) -> str:
        if len(self.machines) != 1:
            raise Unanswerable("the record does not hold an object that a call was given")
        return next(iter(self.machines))

    def pod(self, args: Json, _step: Json) -> None:
        pod = object_of(self.script, args["pod"])
        text = _notes(pod).get(ALLOCATED, "")
        name = (pod.get("spec") or {}).get("nodeName", "")
        if not text.startswith("{") or not name:
            return
        grants = {
            kind: [{"minor": m, "amounts": dict(amounts), "function": f}
                   for m, amounts, f in of_kind]
            for kind, of_kind in koordinator_devices.granted(json.loads(text)).items()
        }
        self._change(name, _key(pod), grants, add=True)

    def write(self, args: Json, _step: Json) -> None:
        if args["key"] == STATE:
            self.state = args["val"]
        elif args["key"] == RESTORED:
            for name, restored in (args["val"].get("nodeToState") or {}).items():
                self.loans[name] = self.raw_loans(restored)

    def raw_loans(self, restored: Json) -> Json:
        matched = []
        for place, alloc in enumerate(restored.get("matched") or []):
            reservation = self.reservation(alloc["rInfo"])
            name = reservation["name"]
            if "preAllocatable" in alloc and alloc["preAllocatable"]:
                name = _key(object_of(self.script, alloc["preAllocatable"]))
            matched.append({"name": name or str(place), "reservation": reservation["name"],
                            "restricted": reservation["restricted"]}
                           | {part: shares(alloc.get(part))
                              for part in ("allocatable", "allocated", "remained")})
        return {
            "matched": matched,
            "takes_over": bool(restored.get("preAllocationRInfo")),
            "allocatable": shares(restored.get("mergedMatchedAllocatable")),
            "allocated": shares(restored.get("mergedMatchedAllocated")),
            "unmatched_used": shares(restored.get("mergedUnmatchedUsed")),
        }

    def reservation(self, info: Json) -> Json:
        info = whole_value(self.script, info)
        reservation = object_of(self.script, info["Reservation"])
        pod = object_of(self.script, info["Pod"]) if info.get("Pod") else {}
        owners = (info.get("AssignedPods") or {}).values()
        return {
            "name": reservation["metadata"].get("uid") or reservation["metadata"].get("name", ""),
            "task": _key(pod),
            "owners": sorted(f"{one.get('Namespace', '')}/{one.get('Name', '')}"
                             for one in owners),
            "restricted": (reservation.get("spec") or {}).get("allocatePolicy") == "Restricted",
        }

    def restore(self, args: Json, _step: Json) -> None:
        self.loans[self.node_of(args)] = {
            "reservations": [self.reservation(one) for one in args.get("matched") or []],
            "others": [self.reservation(one) for one in args.get("unmatched") or []],
        }

    def restore_tasks(self, args: Json, _step: Json) -> None:
        reservation = self.reservation(args["r"])
        self.loans[self.node_of(args)] = {
            "tasks": [_key(object_of(self.script, one))
                      for one in args.get("preAllocatable") or []],
            "reservation": reservation["name"], "restricted": reservation["restricted"]}

    def nominate(self, args: Json, _step: Json) -> None:
        self.nominated = self.reservation(args["rInfo"])["name"]

    def set_zones(self, args: Json, _step: Json) -> None:
        bits = args["affinity"].get("NUMANodeAffinity")
        self.zones[args["nodeName"]] = None if bits is None else sum(
            1 << bit for bit in bits["bits"])

    def assign(self, args: Json, step: Json) -> None:
        info = whole_value(self.script, step.get("receiver"))
        if info is None:  # of a cache with one reservation
            found = [whole_value(self.script, one["value"]) for one in self.script.steps
                     if one.get("set", "").endswith("RInfo") and one["n"] < step["n"]]
            info = found[-1] if found else None
        if info is not None:
            self.loans_of_task[_key(object_of(self.script, args["pod"]))] = self.reservation(
                info)["name"]

    # --- questions

    def node_of(self, args: Json) -> str:
        if "nodeName" in args:
            return str(args["nodeName"])
        node = args.get("node") or args["nodeInfo"]["nodeInfo"]["node"]
        return str(object_of(self.script, node)["metadata"]["name"])

    def claim(self) -> tuple[Json, Json]:
        """The request and the taker of the state that the cycle has."""
        if self.state is None:
            raise Unanswerable(NO_STATE)
        state = self.state
        if state.get("skip") or not any((state.get("podRequests") or {}).values()):
            raise Unanswerable("a request of nothing: nobody asks for it")
        request = request_of(state)
        taker: Json = {"needs_loan": state.get("isReservationRequired", False)}
        if named := state.get("designatedAllocation"):
            taker["named"] = _grants(named)
            functions = state.get("designatedVF") or {}
            for kind, by_minor in functions.items():
                for grant in taker["named"].get(kind, []):
                    grant["function"] = "".join((by_minor.get(str(grant["minor"])) or [])[:1])
        return request, taker

    def taker_of(self, pod: Json, taker: Json) -> Json:
        labels, notes = _labels(pod), _notes(pod)
        taker["ignores_reservations"] = (
            labels.get("scheduling.koordinator.sh/reservation-ignored") == "true")
        taker["reserves"] = (
            notes.get("scheduling.koordinator.sh/reserve-pod") == "true"
            and notes.get("scheduling.koordinator.sh/is-pre-allocation") != "true")
        return taker

    def question(self, ask: str, name: str, pod: Json) -> Json:
        request, taker = self.claim()
        preempted: Json = {
            "node": shares((self.state.get("preemptibleDevices") or {}).get(name)),
            "reservations": {
                uid: shares(one) for uid, one in
                ((self.state.get("preemptibleInRRs") or {}).get(name) or {}).items()
            },
        }
        op: Json = {
            "op": "trial", "ask": ask, "node": "n", "request": request,
            "taker": self.taker_of(pod, taker), "victims": self.victims.get(name, preempted),
            "loans": self.loans.get(name, {}), "holdings": self.holdings.get(name, {}),
            "nominated": self.nominated,
        }
        if self.zones.get(name) is not None:
            op["zones"] = self.zones[name]
        return op


READERS: dict[str, Callable[[Walk, Json, Json], None]] = {
    "DeviceInterface.Create": Walk.device,
    "nodeDeviceCache.updateNodeDevice": Walk.device,
    "nodeDevice.updateCacheUsed": Walk.used,
    "nodeDeviceCache.updatePod": Walk.pod,
    "PodInterface.Create": Walk.pod,
    "CycleState.Write": Walk.write,
    "Plugin.RestoreReservation": Walk.restore,
    "Plugin.RestoreReservationPreAllocation": Walk.restore_tasks,
    "ReservationNominator.AddNominatedReservation": Walk.nominate,
    "Store.SetAffinity": Walk.set_zones,
    "ReservationInfo.AddAssignedPod": Walk.assign,
}


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
            left, right = _filled(got["matched"][one][part]), _filled(named[one][part])
            if left != right:
                out.append(f"{one}: {part} {left}, recorded {right}")
    for part in ("allocatable", "allocated", "unmatched_used"):
        left, right = _filled(got[part]), _filled(theirs[part])
        if left != right:
            out.append(f"{part} {left}, recorded {right}")
    return out


def _preempted(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """AddPod() and RemovePod() of a dry run."""
    name = walk.node_of(args)
    task = _key(object_of(walk.script, args.get("podInfoToRemove") or args["podInfoToAdd"]))
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
    left, right = _filled(part), _filled(shares(theirs))
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
            {"op": "include", "grants": _grants(args["allocations"]),
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
        theirs = _filled(shares(script.results[step["n"]]))
        if _filled(got) != theirs:
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
            "named": _grants(named)},
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


FUNCTIONS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "isDeviceAllocationsInclude": include,
    "appendAllocatedByHints": add_of_hints,
    "gpuSharedResourceTemplatesCache.findMatchedTemplates": templates,
    "generateDesignatedHints": designated_hints,
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
    "ScoreExtensions.NormalizeScore": "scores of all nodes brought to one range: no rule",
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
