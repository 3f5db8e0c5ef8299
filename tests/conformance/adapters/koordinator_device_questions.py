# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How Koordinator's recorded scripts about devices become questions: the machine and the request
from what the peer's objects hold, and the answer beside what is recorded."""

import math
import re
from typing import Any

from adapters import koordinator_devices
import quantity
from probe import Probe, Unanswerable

Json = dict[str, Any]

# What the peer weighs where a script sets nothing.
SCORER: Json = {
    "Name": "LeastAllocated",
    "resourceToWeightMap": {
        "koordinator.sh/gpu-memory-ratio": 1,
        "koordinator.sh/gpu-memory": 1,
        "koordinator.sh/rdma": 1,
        "koordinator.sh/fpga": 1,
    },
}
# What a grant by memory or by ratio is filled up with.
FILLED = {"koordinator.sh/gpu-memory", "koordinator.sh/gpu-memory-ratio"}
# What a script is walked for, which one question does not answer.
HELD = "devices held by reservations: asked on the way"
DESIGNATED = "devices designated beforehand: asked on the way"
ZONES = "devices held to NUMA zones: asked on the way"
WALKED = (HELD, DESIGNATED, ZONES)
HINTS = {
    "AllocateStrategy": "allocateStrategy",
    "ExclusivePolicy": "exclusivePolicy",
    "Selector": "selector",
    "VFSelector": "vfSelector",
}


# --- a script's steps


def whole_value(script: Any, value: Any) -> Any:
    """With everything it refers to put in its place."""
    value = script.value(value)
    if isinstance(value, dict):
        return {name: whole_value(script, part) for name, part in value.items()}
    return [whole_value(script, part) for part in value] if isinstance(value, list) else value


def after(script: Any, name: str, n: int) -> Any:
    """What a variable was first set to after step n."""
    set_to = (step.get("value") for step in script.steps if step["n"] > n
              and step.get("set") == name)
    return whole_value(script, next(set_to, None))


def object_of(script: Any, value: Any) -> Json:
    ref = (script.value(value) or {}).get("ref")
    found = [one["object"] for one in script.case.get("objects") or [] if one["ref"] == ref]
    if not found:
        raise Unanswerable("the record does not hold an object that a call was given")
    return found[0]


def state_of(script: Any) -> Json | None:
    """What the plug-in keeps between its calls, as the script wrote it."""
    for step in script.calls("CycleState.Write"):
        if script.args(step).get("key") == "DeviceShare":
            return whole_value(script, step["args"]["val"])
    return None


def only_ours(script: Any, state: Json) -> None:
    """Refuses what the room of devices does not decide."""
    variables = {step.get("set") for step in script.steps}
    if state.get("isReservationRequired") or variables & {"reservation", "restoreState"}:
        raise Unanswerable(HELD)
    if "pod.Labels" in variables:
        raise Unanswerable("isolation by HAMi: the profile compares labels of nodes, not the room")
    if "pl.gpuShareUnsupportedModels" in variables:
        raise Unanswerable("models that a configuration excludes from sharing")
    if state.get("designatedAllocation"):
        raise Unanswerable(DESIGNATED)


def inputs_of(script: Any) -> Json:
    return (script.case["state"].get("inputs") or {}) | ((script.case.get("config")
                                                          or {}).get("args") or {})


# --- questions


def _less(amounts: Json, preemptible: Json) -> Json:
    return {name: max(0, amount - preemptible.get(name, 0)) for name, amount in amounts.items()}


def machine_of(held: Json, labels: Json, preemptible: Json | None = None) -> Json:
    """Of the peer's nodeDevice. What may be preempted counts as free."""
    books: list[Json] = []
    for kind, totals in (held.get("deviceTotal") or {}).items():
        infos = {info.get("minor", 0): info for info in (held.get("deviceInfos") or {}).get(kind)
                 or []}
        used = (held.get("deviceUsed") or {}).get(kind) or {}
        functions = ((held.get("vfAllocations") or {}).get(kind) or {}).get("allocatedVFs") or {}
        freed = ((preemptible or {}).get(kind)) or {}
        for minor, total in totals.items():
            info = infos.get(int(minor), {"health": True}) | {"type": kind, "minor": int(minor),
                                                              "resources": total}
            of_minor = koordinator_devices.whole(used.get(minor))
            books.append(
                koordinator_devices.device(info)
                | {
                    "used": _less(of_minor, koordinator_devices.whole(freed.get(minor))),
                    "used_functions": functions.get(minor) or [],
                }
            )
    node = {"metadata": {"labels": labels}}
    out = koordinator_devices.machine(node, None)
    table = held.get("gpuPartitionIndexer") or {}
    return out | {
        "devices": sorted(books, key=lambda device: (device["kind"], device["minor"])),
        "partitions": [
            {
                "gpus": int(gpus),
                "partitions": [[one["MinorsHash"], group["AllocationScore"]]
                               for one in group["Partitions"]],
            }
            for gpus, groups in table.items()
            for group in groups
        ],
        "hopper": out["hopper"] and not table,
        "honors_partitions": held.get("nodeHonorGPUPartition", False) or out["honors_partitions"],
        "secondary_well_planned": held.get("secondaryDeviceWellPlanned", False),
    }


def amounts_of(requests: Json) -> dict[str, int]:
    asked = {name: amount for of_kind in requests.values()
             for name, amount in (of_kind or {}).items()}
    out = {name: math.ceil(amount)
           for name, amount in quantity.parse_map(asked, "podRequests").items()}
    if {"koordinator.sh/gpu-core", *FILLED} <= out.keys():
        del out["koordinator.sh/gpu-memory"]  # the peer's own filling up: the ratio decides
    return out


def request_of(state: Json) -> Json:
    hints = state.get("hints") or {}
    joint = state.get("jointAllocate") or {}
    gpus = state.get("gpuRequirements") or {}
    templates = {}
    if gpus.get("enforceGPUSharedResourceTemplate"):
        named = gpus.get("candidateGPUSharedResourceTemplates") or {}
        templates = {"templates": {model: sorted(names) for model, names in named.items()}}
    return templates | {
        "amounts": amounts_of(state.get("podRequests") or {}),
        "wishes": {
            kind: koordinator_devices.wish({HINTS[name]: value for name, value in hint.items()
                                            if name in HINTS})
            for kind, hint in hints.items()
        },
        "joint": joint.get("DeviceTypes") or [],
        "joint_same_bus": joint.get("RequiredScope") == "SamePCIe",
        "scope": gpus.get("requiredTopologyScopeLevel", 0),
        "by_partition": gpus.get("honorGPUPartition", False),
        "first_partitions_only": gpus.get("restrictedGPUPartition", False),
    }


def ask(probe: Probe, machine: Json, request: Json, scorer: Json | None, final: bool) -> Json:
    weighs = scorer or SCORER
    options = {
        "machines": {"n": machine},
        "weights": koordinator_devices.whole(weighs["resourceToWeightMap"]),
        "prefer_full": weighs["Name"] == "MostAllocated",
    }
    op = {"op": "choose", "node": "n", "request": request, "scored": scorer is not None,
          "final": final}
    [answer] = probe.devices(options, [op])
    if "refused" in answer:
        raise Unanswerable("amounts that no request may ask for together")
    return answer


# --- answers


def _agree(ours: Json, theirs: Json) -> bool:
    """Whether the devices are the same, and of each everything that is recorded."""

    def fits(left: Any, right: Any) -> bool:
        mine, recorded = dict(left[1]), dict(right[1])
        return (
            (left[0], left[2]) == (right[0], right[2])
            and mine | recorded == mine
            and mine.keys() - recorded.keys() <= FILLED
        )

    return ours.keys() == theirs.keys() and all(
        len(ours[kind]) == len(theirs[kind]) and all(map(fits, ours[kind], theirs[kind]))
        for kind in ours
    )


def granted(allocation: Json | None) -> Json:
    """As koordinator_devices.ours has it."""
    out: Json = {}
    for kind, grants in (allocation or {}).items():
        out[kind] = sorted(
            (
                grant.get("Minor", 0),
                sorted(koordinator_devices.whole(grant["Resources"]).items()),
                "".join(f["BusID"] for f in (grant.get("Extension") or {}).get("VirtualFunctions")
                        or []),
            )
            for grant in grants
        )
    return out


def compare(answer: Json, request: Json, status: Json | None, allocation: Json | None) -> list[str]:
    code = (status or {}).get("code", "Success")
    any_first = koordinator_devices.tried_in_any_order(request)
    right = answer["code"] == code or (any_first and "Success" not in (answer["code"], code))
    if not right:
        return [f"is {answer['code']}, recorded {code} {(status or {}).get('reasons')}"]
    named = re.search(r"Insufficient (\w+) devices", " ".join((status or {}).get("reasons") or []))
    if named and not any_first and named[1] != answer["kind"]:
        return [f"wants for {answer['kind']}, recorded {named[1]}"]
    ours, theirs = koordinator_devices.ours(answer["allocation"]), granted(allocation)
    if code == "Success" and allocation is not None and not _agree(ours, theirs):
        return [f"allocates {ours}, recorded {theirs}"]
    return []
