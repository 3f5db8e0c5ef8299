# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about devices: its allocator and the calls of its plug-in on one
machine; its books the script wrote. Each is one question to the room of devices; nothing is carried
over."""

import json
from typing import Any, Callable

from adapters import koordinator_device_requests as requests
from adapters import koordinator_device_loans, koordinator_devices
from adapters.koordinator_device_questions import (
    FILLED,
    SCORER,
    ZONES,
    after,
    ask,
    compare,
    granted,
    inputs_of,
    machine_of,
    object_of,
    only_ours,
    request_of,
    state_of,
    whole_value,
)
from probe import Probe, Unanswerable

Json = dict[str, Any]


# --- calls on one machine


def _allocate(script: Any, probe: Probe) -> list[str]:
    """AutopilotAllocator.Allocate(): the choice itself."""
    out = []
    for step in script.calls("AutopilotAllocator.Allocate"):
        allocator, args = whole_value(script, step["receiver"]), whole_value(script, step["args"])
        state = allocator["state"]
        only_ours(script, state)
        if any(args[name] for name in ("required", "preferred", "requiredDeviceResources")):
            raise Unanswerable(ZONES)
        if not isinstance(allocator["nodeDevice"], dict):
            raise Unanswerable("the record does not hold an object that a call was given")
        labels = (object_of(script, allocator["node"]).get("metadata") or {}).get("labels") or {}
        machine = machine_of(allocator["nodeDevice"], labels, args["preemptibleDeviceResources"])
        request = request_of(state)
        # What a filter leaves to the final choice is a rule of ours, too.
        final = not state.get("podFitsSecondaryDeviceWellPlanned")
        answer = ask(probe, machine, request, allocator.get("scorer"), final)
        recorded = script.case["expect"].get("want") or after(script, "allocations", step["n"])
        if recorded is None and (result := after(script, "allocateResult", step["n"])):
            filled = after(script, "expectAllocations", step["n"])
            recorded = {kind: filled or grants
                        for kind, grants in result.items()} if len(result) == 1 else result
        status = after(script, "status", step["n"])
        if recorded is None and status is None:
            raise Unanswerable("the record does not hold what the call returned")
        out += [f"step {step['n']}: {line}" for line in compare(answer, request, status, recorded)]
        ours = {grant["template"] for grant in answer["allocation"].get("gpu", [])}
        theirs = {(grant.get("Extension") or {}).get("GPUSharedResourceTemplate", "")
                  for grant in (recorded or {}).get("gpu", [])}
        if recorded and ours != theirs:
            out.append(f"step {step['n']}: shares by {ours}, recorded {theirs}")
    return out


def _in_plugin(script: Any, step: Json) -> tuple[Json, Json]:
    """The machine and the request of a call of the plug-in."""
    state = state_of(script)
    assert state is not None
    only_ours(script, state)
    if not any((state.get("podRequests") or {}).values()):
        raise Unanswerable("a request of nothing: nobody asks for it")
    cache = (inputs_of(script).get("nodeDeviceCache") or {}).get("nodeDeviceInfos") or {}
    args = script.args(step)
    node = args["nodeInfo"]["nodeInfo"]["node"] if "nodeInfo" in args else inputs_of(script)["node"]
    about = object_of(script, node)["metadata"]
    if about["name"] not in cache:
        raise Unanswerable("the record does not hold an object that a call was given")
    preemptible = (state.get("preemptibleDevices") or {}).get(about["name"])
    held = whole_value(script, cache[about["name"]])
    return machine_of(held, about.get("labels") or {}, preemptible), request_of(state)


def _scorer(script: Any) -> Json:
    args = after(script, "args", -1)
    if args is None:
        return SCORER
    strategy = args["ScoringStrategy"]
    return {
        "Name": after(script, "args.ScoringStrategy.Type", -1) or strategy["Type"],
        "resourceToWeightMap": {one["Name"]: one["Weight"] for one in strategy["Resources"]},
    }


def _filter(script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Plugin.Filter")
    machine, request = _in_plugin(script, step)
    answer = ask(probe, machine, request, None, final=False)
    return compare(answer, request, script.results[step["n"]], None)


def _score(script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Plugin.Score")
    machine, request = _in_plugin(script, step)
    answer = ask(probe, machine, request, _scorer(script), final=False)
    score, status = after(script, "score", step["n"]), after(script, "status", step["n"])
    out = compare(answer, request, status, None)
    return out + ([f"scores {answer['score']}, recorded {score}"] if answer["score"] != score
                  else [])


def _reserve(script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Plugin.Reserve")
    machine, request = _in_plugin(script, step)
    answer = ask(probe, machine, request, _scorer(script), final=True)
    wants = script.case["expect"].get("wants") or {}
    return compare(answer, request, script.results[step["n"]], wants.get("allocationResult"))


def _only_machine(script: Any) -> Json:
    """Of the one Device object that the peer was given, with nothing of it used."""
    given = [
        args["device"]
        for step in script.calls("DeviceInterface.Create", "nodeDeviceCache.updateNodeDevice")
        if "device" in (args := script.args(step))
    ]
    if len(given) != 1:
        raise Unanswerable("the record does not hold an object that a call was given")
    return koordinator_devices.machine({"metadata": {}}, object_of(script, given[0]))


def _bound(script: Any, probe: Probe) -> list[str]:
    """Plugin.Allocate(): within the zones that were chosen."""
    state = state_of(script)
    assert state is not None
    only_ours(script, state)
    [step] = script.calls("Plugin.Allocate")
    if script.args(step)["affinity"].get("NUMANodeAffinity"):
        raise Unanswerable(ZONES)
    request = request_of(state)
    answer = ask(probe, _only_machine(script), request, None, final=False)
    return compare(answer, request, script.results[step["n"]], None)


def _desired(script: Any, probe: Probe) -> list[str]:
    """CalcDesiredRequestsAndCount(): how many cards of what amount, seen from what an idle machine
    grants."""
    [step] = script.calls("DefaultDeviceHandler.CalcDesiredRequestsAndCount")
    args = script.args(step)
    state = {"podRequests": {"rdma": args["podRequests"]},
             "hints": {"rdma": args["hint"]} if args["hint"] else {}}
    request = request_of(state)
    answer = ask(probe, _only_machine(script), request, None, final=True)
    grants = koordinator_devices.ours(answer["allocation"]).get("rdma", [])
    count, each = after(script, "desiredCount", step["n"]), after(script, "requests", step["n"])
    out = compare(answer, request, after(script, "status", step["n"]), None)
    if len(grants) != count:
        out.append(f"{len(grants)} cards, recorded {count}")
    amounts = sorted(koordinator_devices.whole(each).items())
    return out + [f"card {minor}: {got}, recorded {amounts}" for minor, got, _ in grants
                  if got != amounts]


def _score_device(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("resourceAllocationScorer.scoreDevice"):
        args, weighs = whole_value(script, step["args"]), whole_value(script, step["receiver"])
        options = {
            "machines": {},
            "weights": koordinator_devices.whole(weighs["resourceToWeightMap"]),
            "prefer_full": weighs["Name"] == "MostAllocated",
        }
        names = (("request", "podRequest"), ("total", "total"), ("free", "free"))
        amounts = {ours: koordinator_devices.whole(args[theirs]) for ours, theirs in names}
        [score] = probe.devices(options, [{"op": "score"} | amounts])
        if score != script.results[step["n"]]:
            out.append(f"step {step['n']}: scores {score}, recorded {script.results[step['n']]}")
    return out


# --- books


def _held(pod: Json | None) -> Json:
    """What devices a task holds, by its annotation; nothing of one that no machine has."""
    if not pod or not (pod.get("spec") or {}).get("nodeName"):
        return {}
    text = (pod["metadata"].get("annotations")
            or {}).get("scheduling.koordinator.sh/device-allocated", "")
    return koordinator_devices.granted(json.loads(text)) if text.startswith("{") else {}


def _written(books: Json) -> Json:
    """kind -> minor -> (used, free), without zeros, of a record or of an answer."""
    return {
        kind: {minor: [{n: a for n, a in part.items() if a} for part in parts]
               for minor, parts in of_kind.items()}
        for kind, of_kind in books.items()
    }


def _recorded_books(held: Json) -> Json:
    def part(name: str, kind: str, minor: str) -> Json:
        return koordinator_devices.whole(((held.get(name) or {}).get(kind) or {}).get(minor))

    return {
        kind: {minor: [part("deviceUsed", kind, minor), part("deviceFree", kind, minor)]
               for minor in totals}
        for kind, totals in (held.get("deviceTotal") or {}).items()
    }


def _books(script: Any, probe: Probe) -> list[str]:
    """Tasks that come to a machine, or leave it: what is used and free of its devices then."""
    [step] = script.calls(*BOOKS)
    args, inputs = script.args(step), inputs_of(script)

    def held(name: str) -> Json:
        value = script.value(args.get(name))
        return _held(object_of(script, value)) if isinstance(value, dict) and "ref" in value else {}

    changes = []
    if step["call"] == "Plugin.Unreserve":
        changes.append(("give_back", granted((state_of(script) or {}).get("allocationResult"))))
    else:
        leaves = step["call"].endswith("Delete")
        changes += [("give_back", held("oldObj")),
                    ("give_back" if leaves else "hold", held("newObj") or held("obj"))]
    changes = [(op, grants) for op, grants in changes if grants]
    before = ((inputs.get("deviceCache") or inputs.get("nodeDeviceCache")
               or {}).get("nodeDeviceInfos")) or {}
    if not changes or len(before) != 1:
        raise Unanswerable("a task without devices: nobody takes or gives back any")
    [(name, machine)] = whole_value(script, before).items()
    ops = [
        {
            "op": op,
            "node": name,
            "grants": {
                kind: [{"minor": m, "amounts": dict(amounts), "function": f}
                for m, amounts, f in grants]
                for kind, grants in of_kinds.items()
            },
        }
        for op, of_kinds in changes
    ]
    options = {"machines": {name: machine_of(machine, {})}, "weights": {}}
    last = probe.devices(options, ops)[-1]
    ours = _written({k: {m: [b["used"], b["free"]] for m, b in of.items()}
                     for k, of in last.items()})
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
    args = whole_value(script, step["args"])
    allocation = args["allocations"]
    [(kind, [grant])] = allocation.items()
    if FILLED <= grant["Resources"].keys():
        raise Unanswerable("a grant that names memory and ratio: no request comes to that")
    request = request_of({"podRequests": {kind: grant["Resources"]}})
    answer = ask(probe, machine_of(args["nodeDeviceInfo"], {}), request, None, final=True)
    if script.results[step["n"]] is not None:
        return [] if answer["code"] != "Success" else ["fills, recorded an error"]
    return compare(answer, request, None, script.case["expect"]["wantAllocations"])


def _share_of_memory(script: Any, probe: Probe) -> list[str]:
    """memoryBytesToRatio() and memoryRatioToBytes()."""
    out = []
    memory, ratio = "koordinator.sh/gpu-memory", "koordinator.sh/gpu-memory-ratio"
    for step in script.calls("memoryBytesToRatio", "memoryRatioToBytes"):
        args = script.args(step)
        asked, wanted = (memory, ratio) if "bytes" in args else (ratio, memory)
        amount = args["bytes"] if "bytes" in args else args["ratio"]
        held = {"deviceTotal": {"gpu": {"0": {memory: args["totalMemory"], ratio: "100"}}}}
        request = request_of({"podRequests": {"gpu": {asked: amount}}})
        answer = ask(probe, machine_of(held, {}), request, None, final=True)
        got = answer["allocation"]["gpu"][0]["amounts"][wanted]
        recorded = koordinator_devices.whole({wanted: script.results[step["n"]]})[wanted]
        if got != recorded:
            out.append(f"step {step['n']}: {got}, recorded {recorded}")
    return out


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "AutopilotAllocator.Allocate": _allocate,
    "DefaultDeviceHandler.CalcDesiredRequestsAndCount": _desired,
    "calcDesiredRequestsAndCountForGPU": requests.each_gpu,
    "resourceAllocationScorer.scoreDevice": _score_device,
    "ConvertDeviceRequest": requests.convert,
    "ValidateDeviceRequest": requests.validate,
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
    """What of the devices a script is about, if anything."""
    found = _one_question(script)
    if not script.case.get("test", "").startswith("scheduler-plugins-deviceshare."):
        return found
    return koordinator_device_loans.rule(script, found)


def _one_question(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What one question answers. Calls that prepare another one are part
    of that."""
    calls = {step["call"] for step in script.steps if "call" in step}
    if "Plugin.PreFilter" in calls:
        states = [script.case["expect"].get("wantState") or {},
                  *(c.get("actual") for c in script.checks)]
        texts = " ".join(str(state) for state in states)
        own = "podFitsSecondaryDeviceWellPlanned" in texts or "invalid resource" in texts or "GPU shared" in texts
        return requests.before_filter if own and calls <= {"Plugin.PreFilter",
                                                           "getPreFilterState"} else None
    if calls & OF_PLUGIN.keys():
        return next((OF_PLUGIN[call] for call in OF_PLUGIN if call in calls),
                    None) if state_of(script) else None
    if calls & set(BOOKS):
        return _books if "Plugin.Unreserve" not in calls or state_of(script) else None
    if calls in ({"parseGPURequirements"}, {"fillGPUTotalMem"}):
        return requests.parse if "parseGPURequirements" in calls else _fill
    return next((CALLS[call] for call in CALLS if call in calls), None)
