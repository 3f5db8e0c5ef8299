# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about the reading of device requests: which names go together,
what they come to."""

from typing import Any

from adapters import koordinator_devices
from adapters.koordinator_device_questions import after, object_of
from probe import Probe, Unanswerable

Json = dict[str, Any]

SHARED = "koordinator.sh/gpu.shared"


def _read(probe: Probe, amounts: Json) -> Json:
    """kind -> what of it is requested; {"refused": why} of what means nothing."""
    op = {"op": "read", "request": {"amounts": amounts, "wishes": {}, "joint": []}}
    return probe.devices({"machines": {}, "weights": {}}, [op])[0]


def validate(script: Any, probe: Probe) -> list[str]:
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
            out.append(
                f"step {step['n']}: {answer.get('refused', 'accepted')}, recorded {recorded[0]}")
    return out


def convert(script: Any, probe: Probe) -> list[str]:
    """ConvertDeviceRequest(): what the names of vendors come to."""
    out = []
    for step in script.calls("ConvertDeviceRequest"):
        amounts, recorded = script.args(step)["podRequest"], script.results[step["n"]]
        if not amounts:
            raise Unanswerable("a request of nothing: nobody asks for it")
        if recorded is None:
            raise Unanswerable(
                "a combination that the request is none of: ours is read from the request")
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


def each_gpu(script: Any, probe: Probe) -> list[str]:
    """calcDesiredRequestsAndCountForGPU() and parseGPURequirements(): how many GPUs, and what of
    each."""
    out = []
    for step in script.calls("calcDesiredRequestsAndCountForGPU"):
        read = _read(probe, koordinator_devices.whole(script.args(step)["podRequests"]))
        names = ("gotRequestPerInstance", "gotDesiredNumberOfGPUs", "gotGPUShared")
        out += _of_gpus(script, read, *(after(script, name, step["n"]) for name in names))
    return out


def parse(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("parseGPURequirements"):
        amounts, got = script.args(step)["podRequests"]["gpu"], after(script, "got", step["n"])
        if not amounts:
            raise Unanswerable("a request of nothing: nobody asks for it")
        if got is None:
            raise Unanswerable(
                "wishes or templates that cannot be read: the caller reads them before it asks")
        read = _read(probe, koordinator_devices.whole(amounts))
        out += _of_gpus(script, read, got["requestsPerGPU"], got["numberOfGPUs"], got["gpuShared"])
    return out


def before_filter(script: Any, probe: Probe) -> list[str]:
    """Plugin.PreFilter(): the whole reading of a task."""
    [step] = script.calls("Plugin.PreFilter")
    status, state = after(script, "status", step["n"]), after(script, "state", step["n"]) or {}
    if "template" in " ".join((status or {}).get("reasons") or []):
        raise Unanswerable("shares of an NPU by templates, which the room of devices does not know")
    pod = object_of(script, script.args(step)["pod"])
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
    recorded = {kind: koordinator_devices.whole(amounts)
                for kind, amounts in state["podRequests"].items()}
    devices = recorded.get("gpu", {}).pop(SHARED, None)
    got = {kind: part["total"] for kind, part in read.items()}
    out = [] if got == recorded else [f"asks for {got}, recorded {recorded}"]
    if gpus := state.get("gpuRequirements"):
        out += _of_gpus(script, read, gpus["requestsPerGPU"], gpus["numberOfGPUs"],
                        gpus["gpuShared"])
        if devices is not None and devices != read["gpu"]["count"]:
            out.append(f"of {read['gpu']['count']} GPUs, recorded {devices}")
    return out
