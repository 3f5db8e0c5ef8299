# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What Koordinator's recorded scripts of devices build up: machines with books and holdings, and
the state of the cycle. A script is walked step by step; the questions about a state are in
koordinator_device_loans."""

import json
from typing import Any, Callable

from adapters import koordinator_devices
from adapters.koordinator_device_questions import (
    granted,
    inputs_of,
    machine_of,
    object_of,
    request_of,
    whole_value,
)
from probe import Unanswerable

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


def filled(amounts: Json) -> Json:
    return {kind: {minor: {n: a for n, a in one.items() if a} for minor, one in of_kind.items()}
            for kind, of_kind in amounts.items() if of_kind}


def grants_of(allocations: Json | None) -> Json:
    return {
        kind: [{"minor": minor, "amounts": dict(amounts), "function": function}
               for minor, amounts, function in grants]
        for kind, grants in granted(allocations).items()
    }


def key_of(pod: Json) -> str:
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
        self._change(name, key_of(pod), grants_of(args.get("deviceAllocations")),
                     args.get("add", True))

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
        self._change(name, key_of(pod), grants, add=True)

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
                name = key_of(object_of(self.script, alloc["preAllocatable"]))
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
            "task": key_of(pod),
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
            "tasks": [key_of(object_of(self.script, one))
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
            self.loans_of_task[key_of(object_of(self.script, args["pod"]))] = self.reservation(
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
            taker["named"] = grants_of(named)
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
