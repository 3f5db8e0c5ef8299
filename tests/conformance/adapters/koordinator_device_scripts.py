# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about devices: its allocator and the calls of its plug-in on one machine, whose books the
script wrote, and how requests are read. Each is one question to the room of devices; nothing is carried over."""

import json
import math
import re
from typing import Any, Callable

from adapters import koordinator_devices
from interop import quantity
from probe import Probe, Unanswerable

Json = dict[str, Any]

SHARED = "koordinator.sh/gpu.shared"
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
HINTS = {
    "AllocateStrategy": "allocateStrategy",
    "ExclusivePolicy": "exclusivePolicy",
    "Selector": "selector",
    "VFSelector": "vfSelector",
}


# --- what a script says --------------------------------------------------------------------------------------------


def _whole(script: Any, value: Any) -> Any:
    """With everything it refers to put in its place."""
    value = script.value(value)
    if isinstance(value, dict):
        return {name: _whole(script, part) for name, part in value.items()}
    return [_whole(script, part) for part in value] if isinstance(value, list) else value


def _after(script: Any, name: str, n: int) -> Any:
    """What a variable was first set to after step n."""
    return next((_whole(script, s.get("value")) for s in script.steps if s["n"] > n and s.get("set") == name), None)


def _object(script: Any, value: Any) -> Json:
    ref = (script.value(value) or {}).get("ref")
    found = [one["object"] for one in script.case.get("objects") or [] if one["ref"] == ref]
    if not found:
        raise Unanswerable("the record does not hold an object that a call was given")
    return found[0]


def _state(script: Any) -> Json | None:
    """What the plug-in keeps between its calls, as the script wrote it."""
    for step in script.calls("CycleState.Write"):
        if script.args(step).get("key") == "DeviceShare":
            return _whole(script, step["args"]["val"])
    return None


def _only_ours(script: Any, state: Json) -> None:
    """Refuses what the room of devices does not decide."""
    variables = {step.get("set") for step in script.steps}
    if state.get("isReservationRequired") or variables & {"reservation", "restoreState"}:
        raise Unanswerable("devices held by reservations: the caller says what of them is free")
    if "pod.Labels" in variables:
        raise Unanswerable("isolation by HAMi: a label that the machine has or has not")
    if "pl.gpuShareUnsupportedModels" in variables:
        raise Unanswerable("models that a configuration excludes from sharing")
    if state.get("designatedAllocation"):
        raise Unanswerable("devices designated beforehand: the caller narrows the machine before it asks")
    if (state.get("gpuRequirements") or {}).get("enforceGPUSharedResourceTemplate"):
        raise Unanswerable("shares of an NPU by templates, which the room of devices does not know")


# --- questions -----------------------------------------------------------------------------------------------------


def _less(amounts: Json, preemptible: Json) -> Json:
    return {name: max(0, amount - preemptible.get(name, 0)) for name, amount in amounts.items()}


def _machine(held: Json, labels: Json, preemptible: Json | None = None) -> Json:
    """Of the peer's nodeDevice. What may be preempted counts as free."""
    books: list[Json] = []
    for kind, totals in (held.get("deviceTotal") or {}).items():
        infos = {info.get("minor", 0): info for info in (held.get("deviceInfos") or {}).get(kind) or []}
        used = (held.get("deviceUsed") or {}).get(kind) or {}
        functions = ((held.get("vfAllocations") or {}).get(kind) or {}).get("allocatedVFs") or {}
        freed = ((preemptible or {}).get(kind)) or {}
        for minor, total in totals.items():
            info = infos.get(int(minor), {"health": True}) | {"type": kind, "minor": int(minor), "resources": total}
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
            {"gpus": int(gpus), "partitions": [[one["MinorsHash"], group["AllocationScore"]] for one in group["Partitions"]]}
            for gpus, groups in table.items()
            for group in groups
        ],
        "hopper": out["hopper"] and not table,
        "honors_partitions": held.get("nodeHonorGPUPartition", False) or out["honors_partitions"],
        "secondary_well_planned": held.get("secondaryDeviceWellPlanned", False),
    }


def _amounts(requests: Json) -> dict[str, int]:
    asked = {name: amount for of_kind in requests.values() for name, amount in (of_kind or {}).items()}
    out = {name: math.ceil(amount) for name, amount in quantity.parse_map(asked, "podRequests").items()}
    if {"koordinator.sh/gpu-core", *FILLED} <= out.keys():
        del out["koordinator.sh/gpu-memory"]  # the peer's own filling up: the ratio decides
    return out


def _request(state: Json) -> Json:
    hints = state.get("hints") or {}
    joint = state.get("jointAllocate") or {}
    gpus = state.get("gpuRequirements") or {}
    return {
        "amounts": _amounts(state.get("podRequests") or {}),
        "wishes": {
            kind: koordinator_devices.wish({HINTS[name]: value for name, value in hint.items() if name in HINTS})
            for kind, hint in hints.items()
        },
        "joint": joint.get("DeviceTypes") or [],
        "joint_same_bus": joint.get("RequiredScope") == "SamePCIe",
        "scope": gpus.get("requiredTopologyScopeLevel", 0),
        "by_partition": gpus.get("honorGPUPartition", False),
        "first_partitions_only": gpus.get("restrictedGPUPartition", False),
    }


def _ask(probe: Probe, machine: Json, request: Json, scorer: Json | None, final: bool) -> Json:
    weighs = scorer or SCORER
    options = {
        "machines": {"n": machine},
        "weights": koordinator_devices.whole(weighs["resourceToWeightMap"]),
        "prefer_full": weighs["Name"] == "MostAllocated",
    }
    op = {"op": "choose", "node": "n", "request": request, "scored": scorer is not None, "final": final}
    [answer] = probe.devices(options, [op])
    if "refused" in answer:
        raise Unanswerable("amounts that no request may ask for together")
    return answer


# --- answers -------------------------------------------------------------------------------------------------------


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
        len(ours[kind]) == len(theirs[kind]) and all(map(fits, ours[kind], theirs[kind])) for kind in ours
    )


def granted(allocation: Json | None) -> Json:
    """As koordinator_devices.ours has it."""
    out: Json = {}
    for kind, grants in (allocation or {}).items():
        out[kind] = sorted(
            (
                grant.get("Minor", 0),
                sorted(koordinator_devices.whole(grant["Resources"]).items()),
                "".join(f["BusID"] for f in (grant.get("Extension") or {}).get("VirtualFunctions") or []),
            )
            for grant in grants
        )
    return out


def _compare(answer: Json, request: Json, status: Json | None, allocation: Json | None) -> list[str]:
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


# --- calls on one machine ------------------------------------------------------------------------------------------


def _allocate(script: Any, probe: Probe) -> list[str]:
    """AutopilotAllocator.Allocate(): the choice itself."""
    out = []
    for step in script.calls("AutopilotAllocator.Allocate"):
        allocator, args = _whole(script, step["receiver"]), _whole(script, step["args"])
        state = allocator["state"]
        _only_ours(script, state)
        if any(args[name] for name in ("required", "preferred", "requiredDeviceResources")):
            raise Unanswerable("devices held to NUMA zones: the caller narrows the machine before it asks")
        if not isinstance(allocator["nodeDevice"], dict):
            raise Unanswerable("the record does not hold an object that a call was given")
        labels = (_object(script, allocator["node"]).get("metadata") or {}).get("labels") or {}
        machine = _machine(allocator["nodeDevice"], labels, args["preemptibleDeviceResources"])
        request = _request(state)
        # What a filter leaves to the final choice is a rule of ours, too.
        final = not state.get("podFitsSecondaryDeviceWellPlanned")
        answer = _ask(probe, machine, request, allocator.get("scorer"), final)
        recorded = script.case["expect"].get("want") or _after(script, "allocations", step["n"])
        if recorded is None and (result := _after(script, "allocateResult", step["n"])):
            filled = _after(script, "expectAllocations", step["n"])
            recorded = {kind: filled or grants for kind, grants in result.items()} if len(result) == 1 else result
        status = _after(script, "status", step["n"])
        if recorded is None and status is None:
            raise Unanswerable("the record does not hold what the call returned")
        out += [f"step {step['n']}: {line}" for line in _compare(answer, request, status, recorded)]
    return out


def _inputs(script: Any) -> Json:
    return (script.case["state"].get("inputs") or {}) | ((script.case.get("config") or {}).get("args") or {})


def _in_plugin(script: Any, step: Json) -> tuple[Json, Json]:
    """The machine and the request of a call of the plug-in."""
    state = _state(script)
    assert state is not None
    _only_ours(script, state)
    if not any((state.get("podRequests") or {}).values()):
        raise Unanswerable("a request of nothing: nobody asks for it")
    cache = (_inputs(script).get("nodeDeviceCache") or {}).get("nodeDeviceInfos") or {}
    args = script.args(step)
    node = args["nodeInfo"]["nodeInfo"]["node"] if "nodeInfo" in args else _inputs(script)["node"]
    about = _object(script, node)["metadata"]
    if about["name"] not in cache:
        raise Unanswerable("the record does not hold an object that a call was given")
    preemptible = (state.get("preemptibleDevices") or {}).get(about["name"])
    return _machine(_whole(script, cache[about["name"]]), about.get("labels") or {}, preemptible), _request(state)


def _scorer(script: Any) -> Json:
    args = _after(script, "args", -1)
    if args is None:
        return SCORER
    strategy = args["ScoringStrategy"]
    return {
        "Name": _after(script, "args.ScoringStrategy.Type", -1) or strategy["Type"],
        "resourceToWeightMap": {one["Name"]: one["Weight"] for one in strategy["Resources"]},
    }


def _filter(script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Plugin.Filter")
    machine, request = _in_plugin(script, step)
    answer = _ask(probe, machine, request, None, final=False)
    return _compare(answer, request, script.results[step["n"]], None)


def _score(script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Plugin.Score")
    machine, request = _in_plugin(script, step)
    answer = _ask(probe, machine, request, _scorer(script), final=False)
    score, status = _after(script, "score", step["n"]), _after(script, "status", step["n"])
    out = _compare(answer, request, status, None)
    return out + ([f"scores {answer['score']}, recorded {score}"] if answer["score"] != score else [])


def _reserve(script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Plugin.Reserve")
    machine, request = _in_plugin(script, step)
    answer = _ask(probe, machine, request, _scorer(script), final=True)
    wants = script.case["expect"].get("wants") or {}
    return _compare(answer, request, script.results[step["n"]], wants.get("allocationResult"))


def _only_machine(script: Any) -> Json:
    """Of the one Device object that the peer was given, with nothing of it used."""
    given = [
        args["device"]
        for step in script.calls("DeviceInterface.Create", "nodeDeviceCache.updateNodeDevice")
        if "device" in (args := script.args(step))
    ]
    if len(given) != 1:
        raise Unanswerable("the record does not hold an object that a call was given")
    return koordinator_devices.machine({"metadata": {}}, _object(script, given[0]))


def _bound(script: Any, probe: Probe) -> list[str]:
    """Plugin.Allocate(): within the zones that were chosen."""
    state = _state(script)
    assert state is not None
    _only_ours(script, state)
    [step] = script.calls("Plugin.Allocate")
    if script.args(step)["affinity"].get("NUMANodeAffinity"):
        raise Unanswerable("devices held to NUMA zones: the caller narrows the machine before it asks")
    request = _request(state)
    answer = _ask(probe, _only_machine(script), request, None, final=False)
    return _compare(answer, request, script.results[step["n"]], None)


def _desired(script: Any, probe: Probe) -> list[str]:
    """CalcDesiredRequestsAndCount(): how many cards of what amount, seen from what an idle machine grants."""
    [step] = script.calls("DefaultDeviceHandler.CalcDesiredRequestsAndCount")
    args = script.args(step)
    state = {"podRequests": {"rdma": args["podRequests"]}, "hints": {"rdma": args["hint"]} if args["hint"] else {}}
    request = _request(state)
    answer = _ask(probe, _only_machine(script), request, None, final=True)
    grants = koordinator_devices.ours(answer["allocation"]).get("rdma", [])
    count, each = _after(script, "desiredCount", step["n"]), _after(script, "requests", step["n"])
    out = _compare(answer, request, _after(script, "status", step["n"]), None)
    if len(grants) != count:
        out.append(f"{len(grants)} cards, recorded {count}")
    amounts = sorted(koordinator_devices.whole(each).items())
    return out + [f"card {minor}: {got}, recorded {amounts}" for minor, got, _ in grants if got != amounts]


def _score_device(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("resourceAllocationScorer.scoreDevice"):
        args, weighs = _whole(script, step["args"]), _whole(script, step["receiver"])
        options = {
            "machines": {},
            "weights": koordinator_devices.whole(weighs["resourceToWeightMap"]),
            "prefer_full": weighs["Name"] == "MostAllocated",
        }
        amounts = {ours: koordinator_devices.whole(args[theirs]) for ours, theirs in
                   (("request", "podRequest"), ("total", "total"), ("free", "free"))}
        [score] = probe.devices(options, [{"op": "score"} | amounts])
        if score != script.results[step["n"]]:
            out.append(f"step {step['n']}: scores {score}, recorded {script.results[step['n']]}")
    return out


# --- books ---------------------------------------------------------------------------------------------------------


def _held(pod: Json | None) -> Json:
    """What devices a task holds, as its annotation says; nothing of one that no machine has."""
    if not pod or not (pod.get("spec") or {}).get("nodeName"):
        return {}
    text = (pod["metadata"].get("annotations") or {}).get("scheduling.koordinator.sh/device-allocated", "")
    return koordinator_devices.granted(json.loads(text)) if text.startswith("{") else {}


def _written(books: Json) -> Json:
    """kind -> minor -> (used, free), without zeros, of a record or of an answer."""
    return {
        kind: {minor: [{n: a for n, a in part.items() if a} for part in parts] for minor, parts in of_kind.items()}
        for kind, of_kind in books.items()
    }


def _recorded_books(held: Json) -> Json:
    def part(name: str, kind: str, minor: str) -> Json:
        return koordinator_devices.whole(((held.get(name) or {}).get(kind) or {}).get(minor))

    return {
        kind: {minor: [part("deviceUsed", kind, minor), part("deviceFree", kind, minor)] for minor in totals}
        for kind, totals in (held.get("deviceTotal") or {}).items()
    }


def _books(script: Any, probe: Probe) -> list[str]:
    """Tasks that come to a machine, or leave it: what is used and free of its devices then."""
    [step] = script.calls(*BOOKS)
    args, inputs = script.args(step), _inputs(script)

    def held(name: str) -> Json:
        value = script.value(args.get(name))
        return _held(_object(script, value)) if isinstance(value, dict) and "ref" in value else {}

    changes = []
    if step["call"] == "Plugin.Unreserve":
        changes.append(("give_back", granted((_state(script) or {}).get("allocationResult"))))
    else:
        leaves = step["call"].endswith("Delete")
        changes += [("give_back", held("oldObj")), ("give_back" if leaves else "hold", held("newObj") or held("obj"))]
    changes = [(op, grants) for op, grants in changes if grants]
    before = ((inputs.get("deviceCache") or inputs.get("nodeDeviceCache") or {}).get("nodeDeviceInfos")) or {}
    if not changes or len(before) != 1:
        raise Unanswerable("a task without devices: nobody takes or gives back any")
    [(name, machine)] = _whole(script, before).items()
    ops = [
        {
            "op": op,
            "node": name,
            "grants": {
                kind: [{"minor": m, "amounts": dict(amounts), "function": f} for m, amounts, f in grants]
                for kind, grants in of_kinds.items()
            },
        }
        for op, of_kinds in changes
    ]
    options = {"machines": {name: _machine(machine, {})}, "weights": {}}
    last = probe.devices(options, ops)[-1]
    ours = _written({k: {m: [b["used"], b["free"]] for m, b in of.items()} for k, of in last.items()})
    wanted = script.case["expect"]["wantCache"]
    theirs = _written(_recorded_books(wanted.get("nodeDeviceInfos", wanted)[name]))
    return [] if ours == theirs else [f"the books are {ours}, recorded {theirs}"]


BOOKS = (
    "nodeDeviceCache.onPodAdd",
    "nodeDeviceCache.onPodDelete",
    "nodeDeviceCache.onPodUpdate",
    "Plugin.Unreserve",
)


def _fill(script: Any, probe: Probe) -> list[str]:
    """fillGPUTotalMem(): the ratio that an amount of memory is, and the other way round."""
    [step] = script.calls("fillGPUTotalMem")
    args = _whole(script, step["args"])
    allocation = args["allocations"]
    [(kind, [grant])] = allocation.items()
    if FILLED <= grant["Resources"].keys():
        raise Unanswerable("a grant that names memory and ratio: no request comes to that")
    request = _request({"podRequests": {kind: grant["Resources"]}})
    answer = _ask(probe, _machine(args["nodeDeviceInfo"], {}), request, None, final=True)
    if script.results[step["n"]] is not None:
        return [] if answer["code"] != "Success" else ["fills, recorded an error"]
    return _compare(answer, request, None, script.case["expect"]["wantAllocations"])


def _share_of_memory(script: Any, probe: Probe) -> list[str]:
    """memoryBytesToRatio() and memoryRatioToBytes()."""
    out = []
    memory, ratio = "koordinator.sh/gpu-memory", "koordinator.sh/gpu-memory-ratio"
    for step in script.calls("memoryBytesToRatio", "memoryRatioToBytes"):
        args = script.args(step)
        asked, wanted = (memory, ratio) if "bytes" in args else (ratio, memory)
        amount = args["bytes"] if "bytes" in args else args["ratio"]
        held = {"deviceTotal": {"gpu": {"0": {memory: args["totalMemory"], ratio: "100"}}}}
        request = _request({"podRequests": {"gpu": {asked: amount}}})
        answer = _ask(probe, _machine(held, {}), request, None, final=True)
        got = answer["allocation"]["gpu"][0]["amounts"][wanted]
        recorded = koordinator_devices.whole({wanted: script.results[step["n"]]})[wanted]
        if got != recorded:
            out.append(f"step {step['n']}: {got}, recorded {recorded}")
    return out


# --- how requests are read -----------------------------------------------------------------------------------------


def _read(probe: Probe, amounts: Json, hints: Json | None = None) -> Json:
    """kind -> what of it is asked for; {"refused": why} of what means nothing."""
    op = {"op": "read", "request": {"amounts": amounts, "wishes": {}, "joint": []} | (hints or {})}
    return probe.devices({"machines": {}, "weights": {}}, [op])[0]


def _validate(script: Any, probe: Probe) -> list[str]:
    """ValidateDeviceRequest(): which combinations of amounts mean something."""
    out = []
    for step in script.calls("ValidateDeviceRequest"):
        amounts = script.args(step)["podRequest"] or {}
        if not amounts:
            raise Unanswerable("a request of nothing: nobody asks for it")
        answer = _read(probe, koordinator_devices.whole(amounts))
        recorded = [c["actual"] for c in script.checks if c["what"] == "tt.wantErr"]
        if len(recorded) != 1:
            raise Unanswerable("the record does not hold what the call returned")
        if ("refused" in answer) != recorded[0]:
            out.append(f"step {step['n']}: {answer.get('refused', 'accepted')}, recorded {recorded[0]}")
    return out


def _convert(script: Any, probe: Probe) -> list[str]:
    """ConvertDeviceRequest(): what the names of vendors come to."""
    out = []
    for step in script.calls("ConvertDeviceRequest"):
        amounts, recorded = script.args(step)["podRequest"], script.results[step["n"]]
        if not amounts:
            raise Unanswerable("a request of nothing: nobody asks for it")
        if recorded is None:
            raise Unanswerable("a combination that the request is none of: ours is read from the request")
        read = _read(probe, koordinator_devices.whole(amounts))
        theirs = koordinator_devices.whole(recorded)
        devices = theirs.pop(SHARED, None)
        [ours] = read.values()
        if ours["total"] != theirs or (devices is not None and ours["count"] != devices):
            out.append(f"step {step['n']}: {ours}, recorded {recorded}")
    return out


def _of_gpus(script: Any, read: Json, each: Json, count: int, shared: bool) -> list[str]:
    ours = read.get("gpu", {})
    got = ours.get("each"), ours.get("count"), ours.get("partial")
    recorded = koordinator_devices.whole(each), count, shared
    return [] if got == recorded else [f"{got}, recorded {recorded}"]


def _each_gpu(script: Any, probe: Probe) -> list[str]:
    """calcDesiredRequestsAndCountForGPU() and parseGPURequirements(): how many GPUs, and what of each."""
    out = []
    for step in script.calls("calcDesiredRequestsAndCountForGPU"):
        read = _read(probe, koordinator_devices.whole(script.args(step)["podRequests"]))
        names = ("gotRequestPerInstance", "gotDesiredNumberOfGPUs", "gotGPUShared")
        out += _of_gpus(script, read, *(_after(script, name, step["n"]) for name in names))
    return out


def _parse(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("parseGPURequirements"):
        amounts, got = script.args(step)["podRequests"]["gpu"], _after(script, "got", step["n"])
        if not amounts:
            raise Unanswerable("a request of nothing: nobody asks for it")
        if got is None:
            raise Unanswerable("wishes or templates that cannot be read: the caller reads them before it asks")
        read = _read(probe, koordinator_devices.whole(amounts))
        out += _of_gpus(script, read, got["requestsPerGPU"], got["numberOfGPUs"], got["gpuShared"])
    return out


def _before_filter(script: Any, probe: Probe) -> list[str]:
    """Plugin.PreFilter(): the whole reading of a task."""
    [step] = script.calls("Plugin.PreFilter")
    status, state = _after(script, "status", step["n"]), _after(script, "state", step["n"]) or {}
    if "template" in " ".join((status or {}).get("reasons") or []):
        raise Unanswerable("shares of an NPU by templates, which the room of devices does not know")
    pod = _object(script, script.args(step)["pod"])
    pod["spec"] = {"containers": []} | (pod.get("spec") or {})
    pod["metadata"] = {"name": "asker"} | (pod.get("metadata") or {})
    request = koordinator_devices.request(pod)
    read = _read(probe, request["amounts"])
    ours = "UnschedulableAndUnresolvable" if "refused" in read else "Success" if read else "Skip"
    theirs = (status or {}).get("code", "Success")
    if ours != theirs:
        return [f"is {ours}, recorded {status}"]
    if ours != "Success":
        return []
    recorded = {kind: koordinator_devices.whole(amounts) for kind, amounts in state["podRequests"].items()}
    devices = recorded.get("gpu", {}).pop(SHARED, None)
    got = {kind: part["total"] for kind, part in read.items()}
    out = [] if got == recorded else [f"asks for {got}, recorded {recorded}"]
    if gpus := state.get("gpuRequirements"):
        out += _of_gpus(script, read, gpus["requestsPerGPU"], gpus["numberOfGPUs"], gpus["gpuShared"])
        if devices is not None and devices != read["gpu"]["count"]:
            out.append(f"of {read['gpu']['count']} GPUs, recorded {devices}")
    return out


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "AutopilotAllocator.Allocate": _allocate,
    "DefaultDeviceHandler.CalcDesiredRequestsAndCount": _desired,
    "calcDesiredRequestsAndCountForGPU": _each_gpu,
    "resourceAllocationScorer.scoreDevice": _score_device,
    "ConvertDeviceRequest": _convert,
    "ValidateDeviceRequest": _validate,
    "memoryBytesToRatio": _share_of_memory,
    "memoryRatioToBytes": _share_of_memory,
}
OF_PLUGIN: dict[str, Callable[[Any, Probe], list[str]]] = {
    "Plugin.Filter": _filter,
    "Plugin.Score": _score,
    "Plugin.Reserve": _reserve,
    "Plugin.Allocate": _bound,
}


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of the devices a script is about, if anything. Calls that prepare another one are part of that."""
    calls = {step["call"] for step in script.steps if "call" in step}
    if "Plugin.PreFilter" in calls:
        states = [script.case["expect"].get("wantState") or {}, *(c.get("actual") for c in script.checks)]
        texts = " ".join(str(state) for state in states)
        own = "podFitsSecondaryDeviceWellPlanned" in texts or "invalid resource" in texts or "GPU shared" in texts
        return _before_filter if own and calls <= {"Plugin.PreFilter", "getPreFilterState"} else None
    if calls & OF_PLUGIN.keys():
        return next((OF_PLUGIN[call] for call in OF_PLUGIN if call in calls), None) if _state(script) else None
    if calls & set(BOOKS):
        return _books if "Plugin.Unreserve" not in calls or _state(script) else None
    if calls in ({"parseGPURequirements"}, {"fillGPUTotalMem"}):
        return _parse if "parseGPURequirements" in calls else _fill
    return next((CALLS[call] for call in CALLS if call in calls), None)
