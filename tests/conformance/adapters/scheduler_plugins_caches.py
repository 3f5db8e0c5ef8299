# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded scripts of the caches of NodeResourceTopologyMatch, and of its preemption: reports of
nodes, what is reserved since, fingerprints, placements of containers, evictions that are tried."""

import json
from math import ceil
from typing import Any

from adapters.scheduler_plugins_pods import amounts, pod, topology
from probe import Probe
from quantity import parse

Case = dict[str, Any]

ANNOTATION = "topology.node.k8s.io/fingerprint"


def amount(name: str, text: Any) -> int:
    return ceil(parse(text, name) * (1000 if name == "cpu" else 1))


def report(row: Case) -> Case:
    """Of a NodeResourceTopology."""
    zones = [
        {
            "name": zone["name"],
            "attributes": [[a["name"], a["value"]] for a in zone.get("attributes") or []],
            "amounts": [
                [r["name"], *(amount(r["name"], r[key]) for key in ("allocatable", "available"))]
                for r in zone.get("resources") or []
            ],
        }
        for zone in row.get("zones") or []
    ]
    notes = (row.get("metadata") or {}).get("annotations") or {}
    return topology(row) | {"node": (row.get("metadata") or {}).get("name") or "", "zones": zones,
                            "annotation": notes.get(ANNOTATION) or ""}


def name(row: Case) -> list[str]:
    meta = row.get("metadata") or {}
    return [meta.get("namespace") or "", meta.get("name") or ""]


def key(row: Case) -> str:
    return "/".join(name(row))


def _same(what: str, got: Any, right: Any) -> list[str]:
    return [] if got == right else [f"{what}: {got}, recorded {right}"]


def _told(script: Any, step: Case) -> dict[str, Any]:
    """What was set right after a call."""
    out: dict[str, Any] = {}
    for later in script.steps:
        if later["n"] == step["n"] + 1 + len(out) and "set" in later:
            out[later["set"]] = later["value"]
    return out


# --- the cache of what is over-reserved


def held(data: Any, script: Any) -> list[Case]:
    """The reports of a store, as puts."""
    rows = ((data or {}).get("data") or {}).values()
    return [{"op": "put", "report": report(script.value(row["nrtUpdate"]["nrt"]))} for row in rows]


def known_pods(script: Any, of_zones: dict[str, list[str]], probe: Probe) -> Case:
    """The pods that the script lets run, by node."""
    pods: dict[str, list[Case]] = {}
    for step in script.steps:
        if step.get("set") != "runningPod":
            continue
        row = script.value(step["value"])
        node = row["spec"]["nodeName"]
        [read] = probe.plugin_zones([{"op": "node_pod", "name": name(row), "pod": pod(row),
                                      "of_zones": of_zones.get(node, [])}])
        pods.setdefault(node, []).append({"name": name(row)} | read)
    return pods


def _listed(args: Case, start: str) -> list[Case]:
    """Arguments of a call with any number of them."""
    return [value for label, value in args.items() if label.partition("[")[0] == start and value]


def event(step: Case, script: Any) -> Case | None:
    call, args = step["call"].partition(".")[2], step.get("args") or {}
    node = args.get("nodeName")
    if call == "TestOnlyUpdateNRT":
        return {"op": "put", "report": report(script.value(args["nrt"]))}
    if call in ("ReserveNodeResources", "UnreserveNodeResources"):
        row = script.value(args["pod"])
        op = "reserve" if call.startswith("Reserve") else "unreserve"
        return {"op": op, "node": node, "key": key(row), "pod": pod(row)}
    if call == "NodeMaybeOverReserved":
        return {"op": "over_reserved", "node": node}
    if call == "NodeHasForeignPods":
        return {"op": "foreign", "node": node}
    if call == "FlushNodes":
        updates = _listed(args, "nrtUpdates")
        return {"op": "flush", "reports": [report(script.value(u["nrt"])) for u in updates]}
    if call == "GetDesyncedNodes":
        return {"op": "desynced"}
    if call == "GetCachedNRTCopy":
        return {"op": "get", "node": node}
    return None


def compared(step: Case, op: Case, answer: Any, script: Any) -> list[str]:
    told = _told(script, step)
    if op["op"] == "flush":
        told_generation = script.result(step["n"])
        return _same("generation", answer, told_generation) if told_generation != [] else []
    if op["op"] == "desynced":
        right = script.result(step["n"])
        left = [answer["dirty"], answer["config_changed"], answer["generation"]]
        lists = [sorted(right[k] or []) for k in ("MaybeOverReserved", "ConfigChanged")]
        return _same("desynced", left, [*lists, right.get("Generation", 0)])
    if op["op"] == "updates":
        count = next(v for n, v in sorted(script.checks.items()) if n > step["n"])
        return _same("updates", answer, count)
    if op["op"] != "get":
        return []
    out = []
    for label, value in told.items():
        if label.lower().endswith("info"):
            left = [answer["fresh"], answer["generation"]]
            out += _same(label, left, [value["Fresh"], value.get("Generation", 0)])
        elif label == "nrtObj":
            out += _same(label, answer["report"], report(script.value(value)))
    return out


def played(case: Case, script: Any, probe: Probe) -> list[str]:
    ops: list[Case] = []
    asked: list[tuple[int, Case]] = []
    latest: dict[str, Case] = {}
    for step in script.steps:
        if step.get("set") == "nrtCache":
            ops += held(step["value"].get("nrts"), script)
        call = step.get("call", "")
        if call == "Writer.Create":
            row = report(script.value(step["args"]["obj"]))
            latest[row["node"]] = row
        if not call.startswith(("OverReserve.", "Interface.")):
            continue
        if call.endswith(("Resync", "MakeNRTUpdatesForNodes")):
            op: Case | None = {"op": "resync" if call.endswith("Resync") else "updates",
                               "latest": list(latest.values()),
                               "pods": known_pods(script, {}, probe)}
        else:
            op = event(step, script)
        if op is None:
            raise ValueError(f"no operation for {call}")
        asked.append((len(ops), step))
        ops.append(op)
    answers = probe.plugin_zones(ops)
    out = [] if asked else ["no call is compared"]
    for index, step in asked:
        out += compared(step, ops[index], answers[index], script)
    return out


def get_copies(case: Case, script: Any, probe: Probe) -> list[str]:
    """A table inside the script: nothing known, a report, a report of another node, foreign
    pods."""
    row = report(script.value(script.told["1:nrt"]))
    node = row["node"]
    get = {"op": "get", "node": node}
    put = {"op": "put", "report": row}
    tables: list[list[Case]] = [[], [put], [{"op": "put", "report": row | {"node": "other"}}]]
    tables.append([put, {"op": "foreign", "node": node}])
    fresh = [c["actual"] for c in case["observed"]["checks"] if c["what"] == "gotInfo.Fresh"]
    texts = [c["actual"] for c in case["observed"]["checks"] if c["what"] == "gotJSON"]
    out = []
    for ops, told, text in zip(tables, fresh, texts, strict=True):
        answer = probe.plugin_zones([*ops, get])[-1]
        right = json.loads(text)
        out += _same("fresh", answer["fresh"], told)
        out += _same("report", answer["report"], None if right is None else report(right))
    return out


def discarded(case: Case, script: Any, probe: Probe) -> list[str]:
    """A node is fresh where the script states so, and where it found no pod in reservation."""
    ops: list[Case] = []
    fresh: list[tuple[int, bool]] = []  # after so many operations
    for step in script.steps:
        call, args = step.get("call", "").partition(".")[2], step.get("args") or {}
        if step.get("set") == "nrtCache":
            ops += [{"op": "discard_reserve", "node": node, "uid": uid}
                    for node, uids in step["value"]["reservationMap"].items() for uid in uids]
        elif step.get("set") == "nrtInfo":
            fresh.append((len(ops), step["value"]["Fresh"]))
        elif call in ("ReserveNodeResources", "removeReservationForNode"):
            op = "discard_reserve" if call.startswith("Reserve") else "discard_release"
            ops.append({"op": op, "node": args["nodeName"],
                        "uid": script.value(args["pod"])["metadata"]["uid"]})
            found = [v for n, v in sorted(script.checks.items())
                     if n > step["n"] and isinstance(v, int) and not isinstance(v, bool)]
            fresh.append((len(ops), found[0] == 0))
    fresh += [(len(ops), c["actual"]) for c in case["observed"]["checks"]
              if c["what"] == "gotInfo.Fresh"]
    node = ops[0]["node"] if ops else script.told["0:testNodeName"]
    out = [] if fresh else ["no call is compared"]
    for done, right in fresh:
        answer = probe.plugin_zones([*ops[:done], {"op": "discard_fresh", "node": node}])[-1]
        out += _same(f"fresh after {done}", answer, right)
    return out


def watched(case: Case, script: Any, probe: Probe) -> list[str]:
    rows = next(s["value"] for s in script.steps if s.get("set") == "nrts")
    ops = [{"op": "put", "report": report(script.value(row))} for row in rows]
    for step in script.calls("Watcher.ProcessEvent"):
        if step["args"]["ev"]["Type"] == "MODIFIED":
            changed = report(script.value(step["args"]["ev"]["Object"]))
            ops.append({"op": "note_change", "report": changed})
    answer = probe.plugin_zones([*ops, {"op": "desynced"}])[-1]
    return _same("changed", answer["config_changed"], sorted(case["expect"]["expected"]))


# --- the stores below


def stored(case: Case, script: Any, probe: Probe) -> list[str]:
    """Reports by node, and the placements that they tell."""
    ops: list[Case] = []
    pods: list[Case] = []
    rows: dict[str, Case] = {}
    out = []
    asked = 0
    for step in script.steps:
        call, args = step.get("call", ""), step.get("args") or {}
        if call == "newNrtStore":
            found = [report(script.value(row)) for row in args.get("nrts") or []]
        elif call == "nrtStore.Update":
            found = [report(script.value(args["obj"]["nrt"]))]
            pods = args["obj"].get("pods") or []
        else:
            found = []
        rows |= {row["node"]: row for row in found}
        ops += [{"op": "put", "report": row} for row in found]
        if call in ("nrtStore.Contains", "nrtStore.GetNRTCopyByNodeName"):
            asked += 1
            answer = probe.plugin_zones([*ops, {"op": "get", "node": args["nodeName"]}])[-1]
            if call.endswith("Contains"):
                right = script.result(step["n"])
                out += _same("contains", answer["report"] is not None, right)
                continue
            told = list(_told(script, step).values())
            row = script.value(told[0]) if told else None
            out += _same("report", answer["report"], report(row) if row else None)
        elif call == "nrtStore.GetNUMAPlacementInfoByNodeName":
            asked += 1
            known = [{"name": [p["Namespace"], p["Name"]], "exclusive": True,
                      "pinned": p.get("PinnedContainers") or []} for p in pods]
            [answer] = probe.plugin_zones(
                [{"op": "placements", "report": rows[args["nodeName"]], "pods": known}])
            info = script.value(_info(script, step))
            out += _same("placements", answer, (info or {}).get("numaLocality") or {})
    return out if asked else ["no call is compared"]


def _info(script: Any, step: Case) -> Any:
    result = script.results.get(step["n"])
    return result if isinstance(result, dict) else next(iter(_told(script, step).values()), None)


def subtracted(case: Case, script: Any, probe: Probe) -> list[str]:
    """Pods added to a store, removed, or taken from a report."""
    ops: list[Case] = []
    out = []
    for row in script.objects.values():
        if row["kind"] == "NodeResourceTopology":
            ops.append({"op": "put", "report": report(row)})
    node = ops[0]["report"]["node"] if ops else "node"
    if not ops:
        ops.append({"op": "put", "report": report({"metadata": {"name": node}})})
    for step in script.steps:
        call, args = step.get("call", ""), step.get("args") or {}
        if call in ("resourceStore.AddPod", "resourceStore.DeletePod"):
            row = script.value(args["pod"])
            op = "reserve" if call.endswith("AddPod") else "unreserve"
            ops.append({"op": op, "node": node, "key": key(row), "pod": pod(row)})
            existed = next(iter(_told(script, step).values()), script.results.get(step["n"]))
            if existed is not None:
                out += _same(call, probe.plugin_zones(ops)[-1], existed)
        elif call == "resourceStore.UpdateNRT":
            zones = probe.plugin_zones([*ops, {"op": "get", "node": node}])[-1]["report"]["zones"]
            for later in script.steps:
                label, told = later.get("set", ""), later.get("value")
                if later["n"] > step["n"] and "Info" in label and isinstance(told, dict):
                    left = dict([r[0], r[2]] for r in zones[int(label[-1])]["amounts"])
                    right = amount(told["name"], told["available"])
                    out += _same(label, left[told["name"]], right)
    return out


# --- single rules


def resource_names(case: Case, script: Any, probe: Probe) -> list[str]:
    out = []
    calls = script.calls("ResourceNamesFromNRT")
    for step in calls:
        row = script.value(step["args"]["nrt"]) or {}
        [answer] = probe.plugin_zones([{"op": "resource_names", "report": report(row)}])
        out += _same("names", answer, sorted(script.result(step["n"]) or []))
    return out


def fingerprint(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("podFingerprintForNodeTopology")
    row = report(script.value(step["args"]["nrt"]))
    [answer] = probe.plugin_zones(
        [{"op": "fingerprint_of", "report": row, "word": step["args"]["method"]}])
    told = _told(script, step)
    out = _same("fingerprint", answer["text"], told["pfp"]) if "pfp" in told else []
    if "onlyExclRes" in told:
        out += _same("exclusive", answer["only_exclusive"], told["onlyExclRes"])
    return out


def fingerprint_check(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("checkPodFingerprintForNode")
    pods = [[p["Namespace"], p["Name"]] for p in step["args"].get("objs") or []]
    op = {"op": "check_fingerprint", "expected": step["args"]["pfpExpected"], "pods": pods}
    result = script.result(step["n"])
    return _same("check", probe.plugin_zones([op])[0], result["error"] if result else "match")


def word(op: str, field: str) -> Any:
    def ask(case: Case, script: Any, probe: Probe) -> list[str]:
        [step] = [s for s in script.steps if "call" in s]
        settings = next(iter(step["args"].values())) or {}
        [answer] = probe.plugin_zones([{"op": op, "word": settings.get(field)}])
        return _same(field, answer, script.result(step["n"]))

    return ask


def foreign(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("IsForeignPod")
    row = script.value(step["args"]["pod"])
    spec = row.get("spec") or {}
    only = script.calls("TrackOnlyForeignPodsWithExclusiveResources")
    registering = script.calls("RegisterSchedulerProfileName")
    registered = [s["args"]["schedProfileName"] for s in registering]
    inputs = case["state"].get("inputs") or {}
    op = {"op": "is_foreign", "node": spec.get("nodeName", ""),
          "scheduler": spec.get("schedulerName", ""), "pod": pod(row),
          "schedulers": registered + (inputs.get("profileNames") or []),
          "word": "OnlyExclusiveResources" if only else "All",
          "of_zones": step["args"].get("nrtResources") or []}
    return _same("foreign", probe.plugin_zones([op])[0], script.result(step["n"]))


def pods_of_nodes(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("makeNodeToPodDataMap")
    pins = step["args"]["preemptionMode"] == "Enabled"
    words = case["name"].replace(",", " ").split()
    own = "shared" not in words
    inputs = case["state"].get("inputs") or {}
    named = inputs.get("nrtResources") or inputs.get("nrtResourcesMap") or {}
    out: dict[str, list[Case]] = {}
    for row in script.objects.values():
        if row["kind"] != "Pod" or not row.get("metadata"):
            continue
        node = (row.get("spec") or {}).get("nodeName", "")
        phase = (row.get("status") or {}).get("phase", "")
        zones = named.get(node, []) if isinstance(named, dict) else named
        counts, read = probe.plugin_zones([
            {"op": "counts", "phase": phase or "Running", "node": node, "own": own},
            {"op": "node_pod", "name": name(row), "pod": pod(row), "of_zones": zones or []}])
        if not counts:
            continue
        listed: Case = {"Namespace": name(row)[0], "Name": name(row)[1]}
        if pins:
            listed |= {"ExclusiveResources": 0} | (
                {"PinnedContainers": read["pinned"]} if read["pinned"] else {})
        else:
            listed["ExclusiveResources"] = 2 if read["exclusive"] else 1
        out.setdefault(node, []).append(listed)
    return _same("pods", out, case["expect"]["expected"])


# --- evictions that are tried


def victim(row: Case) -> Case:
    return {"name": name(row), "pod": pod(row)}


def placements(info: Any) -> Case | None:
    return None if info is None else info.get("numaLocality") or {}


def evicted(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("GetNRTPostPodsEviction")
    args = step["args"]
    op = {"op": "after_eviction", "report": report(script.value(args["nrt"])),
          "victims": [victim(script.value(v)) for v in args["victims"] or []],
          "placements": placements(args["numaPlacementInfo"])}
    [answer] = probe.plugin_zones([op])
    out = _same("error", answer["error"], case["expect"]["expectedError"])
    if not answer["error"]:
        right = report(script.value(case["expect"]["expectedUpdatedNRT"]))
        out += _same("report", answer["report"], right)
    return out


def tried(case: Case, script: Any, probe: Probe) -> list[str]:
    """Victims as they come and go, and the filter in between."""
    ops: list[Case] = []
    enabled = True
    cache: Case = {}
    out = []
    for step in script.steps:
        call, args = step.get("call", ""), step.get("args") or {}
        if step.get("set") == "tm":
            cache = step["value"].get("nrtCache") or {}
            [mode] = probe.plugin_zones(
                [{"op": "preempts", "word": step["value"].get("preemptionMode")}])
            enabled = mode == "Enabled"
            if "nrt" in cache:
                ops.append({"op": "put", "report": report(script.value(cache["nrt"]))})
        elif call == "TopologyMatch.PreFilter" and enabled:
            ops.append({"op": "trial_start"})
        elif call in ("TopologyMatch.RemovePod", "TopologyMatch.AddPod") and enabled:
            row = script.value(args.get("podInfoToRemove") or args.get("podInfoToAdd"))
            removes = call.endswith("RemovePod")
            ops.append({"op": "trial_remove", "victim": victim(row)} if removes
                       else {"op": "trial_return", "name": name(row)})
            status = _told(script, step).get("status")
            right = status["reasons"][0] if status else ""
            out += _same(call, probe.plugin_zones(ops)[-1], right)
        elif call in ("readPreemptionStack", "getVictimPods"):
            answer = probe.plugin_zones([*ops, {"op": "trial"}])[-1]
            out += _same("started", answer["started"], enabled)
            for told in _told(script, step).values():
                listed = told if isinstance(told, dict) else [key(script.value(v)) for v in told]
                out += _same("victims", answer["pods"], sorted(listed))
        elif call == "TopologyMatch.Filter":
            out += filtered(case, script, step, [*ops], cache, probe)
    return out


def filtered(case: Case, script: Any, step: Case, ops: list[Case], cache: Case,
             probe: Probe) -> list[str]:
    node = script.value(step["args"]["nodeInfo"]["nodeInfo"]["node"])
    has = {*amounts(node["status"]["allocatable"]), "cpu", "memory", "pods", "ephemeral-storage"}
    ops.append({"op": "filter", "node": node["metadata"]["name"], "on_machine": sorted(has),
                "pod": pod(script.value(step["args"]["pod"])),
                "placements": placements(cache.get("numaPlacement")) or {}})
    answer = probe.plugin_zones(ops)[-1]
    status = _told(script, step).get("status")
    out = _same("reason", answer["reason"], status["reasons"][0] if status else "")
    for check in case["expect"]["checks"]:
        what = check["what"] if isinstance(check["what"], list) else [check["what"]]
        if "len(cache.maybeOverReserved)" in what:
            marks = check["values"][0] if "values" in check else check["expected"]
            out += _same("marks", int(answer["marks"]), marks)
    return out


def victims_listed(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("PodsInfo.GetPods")
    rows = [script.value(row) for row in (case["state"].get("inputs") or {}).get("pi", {}).values()]
    ops = [{"op": "trial_start"}, *({"op": "trial_remove", "victim": victim(r)} for r in rows)]
    answer = probe.plugin_zones([*ops, {"op": "trial"}])[-1]
    listed = next(iter(_told(script, step).values()))
    return _same("victims", answer["pods"], sorted(key(script.value(v)) for v in listed))


CALLS = {
    "GetNRTPostPodsEviction": evicted,
    "IsForeignPod": foreign,
    "PodsInfo.GetPods": victims_listed,
    "ResourceNamesFromNRT": resource_names,
    "Watcher.ProcessEvent": watched,
    "checkPodFingerprintForNode": fingerprint_check,
    "getCacheResyncMethod": word("resync_method", "ResyncMethod"),
    "getForeignPodsDetectMode": word("foreign_pods", "ForeignPodsDetect"),
    "getPreemptionMode": word("preempts", "PreemptionMode"),
    "makeNodeToPodDataMap": pods_of_nodes,
    "podFingerprintForNodeTopology": fingerprint,
}
CALLS |= {f"OverReserve.{call}": played for call in (
    "FlushNodes", "GetCachedNRTCopy", "GetDesyncedNodes", "NodeHasForeignPods",
    "NodeMaybeOverReserved", "ReserveNodeResources", "TestOnlyUpdateNRT",
    "UnreserveNodeResources")}
CALLS |= {f"DiscardReserved.{call}": discarded for call in (
    "GetCachedNRTCopy", "ReserveNodeResources", "removeReservationForNode")}

_CACHE = "noderesourcetopology-cache.Test"
_STORES = {
    "NRTStore": (stored, "Contains Get GetMissing Update UpdateWithPods UpdateWithoutPods "
                 "UpdateNoNUMAPlacementDueToInconsistentContainersCount "
                 "UpdateNoNUMAPlacementDueToMissingMetadata UpdateNoNUMAPlacementDueToPolicy"),
    "ResourceStore": (subtracted, "AddPod DeletePod Update"),
}
_TRIALS = (
    "AddPod AddPod_EmptyStack AddPod_WithoutPreFilter AddRemovePod_PreemptionDisabled "
    "Filter_PreemptionFlow GetVictimPods PreFilter RemovePod RemovePod_WithoutPreFilter"
)
# By test, where the calls do not tell it.
TESTS = {
    f"{_CACHE}OverreserveGetCachedNRTCopy": get_copies,
    f"{_CACHE}DiscardReservedNodesGetCachedNRTCopy": discarded,
}
TESTS |= {f"{_CACHE}{store}{test}": answer
          for store, (answer, tests) in _STORES.items() for test in tests.split()}
TESTS |= {f"noderesourcetopology.Test{test}": tried for test in _TRIALS.split()}
