# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded cycles and calls, put to the profile's core by muster_probe."""

from typing import Any

import kueue_objects as objects
from adapters import (kueue_no_rules, kueue_plugins, kueue_queues, kueue_rules, kueue_searches,
                      kueue_states, kueue_topology, kueue_topology_steps, kueue_trees, kueue_view)
from probe import Probe, Unanswerable
from quantity import parse

Json = dict[str, Any]

# Cases of single functions, by the test that they are of.
CALLS = (kueue_queues, kueue_rules, kueue_searches, kueue_states, kueue_topology,
         kueue_topology_steps, kueue_trees, kueue_view)


def check(level: str, case: Json, probe: Probe) -> list[str]:
    try:
        return _check(level, case, probe)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        return [f"the record has another form: {error!r}"]


def _check(level: str, case: Json, probe: Probe) -> list[str]:
    for module in CALLS:
        if case.get("test") in module.TESTS:
            return module.check(case, probe)
    if "steps" in (case.get("observed") or {}):
        return _random(case, probe)
    if level == "cycle":
        return _cycles(case, probe)
    if (lines := kueue_plugins.check(case, probe)) is not None:
        return lines
    kueue_no_rules.explain(case)
    raise Unanswerable("a single function that muster_probe is not asked about")


# --- recorded cycles


def _cycles(case: Json, probe: Probe) -> list[str]:
    """Records of tests leave out whether fair sharing is on: one of the two has to agree in all."""
    outcomes = [case["observed"], *(case.get("observedAlternatives") or [])]
    lines = min((_either(case | {"observed": o}, probe) for o in outcomes), key=len)
    if len(outcomes) > 1 and lines and " heads " in lines[0]:
        raise Unanswerable("a tie between heads that the peer draws by chance")
    return lines


def _either(case: Json, probe: Probe) -> list[str]:
    lines = _all_cycles(case, probe)
    if lines and "fairSharing" not in (case["config"] or {}):
        fair = case["config"] | {"fairSharing": {"preemptionStrategies": None}}
        others = _all_cycles(case | {"config": fair}, probe)
        return min(lines, others, key=len)
    return lines


def _all_cycles(case: Json, probe: Probe) -> list[str]:
    """Each cycle starts from the record: objects as they were then, and queues."""
    inputs = case["state"].get("testInputs") or {}
    now = {_id(o): o for o in case["objects"]}
    state = case["state"]
    lines: list[str] = []
    later = {b["beforeCycle"]: b for b in state.get("between") or []}
    for i, cycle in enumerate(case["observed"]["cycles"]):
        if (change := later.get(i + 1)) is not None:
            for name in change.get("deleted") or []:
                now.pop(name, None)
            now.update({_id(o): o for o in change.get("put") or []})
            state = change
        lines += [f"cycle {i}: {line}" for line in _cycle(case, list(now.values()), state, cycle, i,
                                                          inputs, probe)]
    return lines


def _id(obj: Json) -> str:
    meta = obj["metadata"]
    if "namespace" in meta:
        return f"{obj['kind']}/{meta['namespace']}/{meta['name']}"
    return f"{obj['kind']}/{meta['name']}"


def _cycle(case: Json, now: list[Json], state: Json, cycle: Json, i: int, inputs: Json,
           probe: Probe) -> list[str]:
    if inputs.get("admissionError") or inputs.get("patchStatusErr"):
        raise Unanswerable("a write to the API server fails: no decision")
    asked = objects.world(case, now)
    asked["now"] = objects.milliseconds(cycle["now"]) or 0
    queues = state.get("queues") or {}
    cache = (state.get("cache") or {}).get("clusterQueues") or {}
    for name in (state.get("cache") or {}).get("inactiveClusterQueues") or []:
        asked["policies"].setdefault(name, {})["active"] = False
    locals_of = {job: f["local_queue"] for job, f in asked["facts"].items()}
    usage = _initial_usage(inputs, now, (case["config"] or {}).get("admissionFairSharing"))
    for row in list(cache.values()) + list((queues.get("clusterQueues") or {}).values()):
        for workload, value in (row.get("localQueueFSUsage") or {}).items():
            usage[locals_of.get(workload, "")] = float(value)
    if (case["config"] or {}).get("admissionFairSharing"):
        asked["config"]["usage_order"] = True
    op = {
        "op": "cycle", "cycle": i + 1, "queues": _told(queues.get("clusterQueues") or {}),
        "second_pass": queues.get("secondPass") or [],
        "generations": {n: row["allocatableResourceGeneration"] for n, row in cache.items()
                        if "allocatableResourceGeneration" in row},
        "local_usage": usage,
    }
    ours = probe.kueue(asked, [op])[0]
    return _differing_cycle(ours, cycle)


def _told(value: Any) -> Any:
    """Without members that are null."""
    if isinstance(value, dict):
        return {k: _told(v) for k, v in value.items() if v is not None}
    return [{} if v is None else _told(v) for v in value] if isinstance(value, list) else value


def _initial_usage(inputs: Json, now: list[Json], config: Json | None) -> dict[str, float]:
    """What a test sets as the usage of a LocalQueue, as one number."""
    weights = (config or {}).get("resourceWeights") or {}
    usage: dict[str, float] = {}
    for obj in now:
        told = (inputs.get("initialUsage") or {}).get(obj["metadata"]["name"])
        if obj["kind"] != "LocalQueue" or told is None:
            continue
        weight = float(parse((((obj.get("spec") or {}).get("fairSharing") or {}).get("weight"))
                             or "1", "weight"))
        total = sum(weights.get(r, 1.0) * float(parse(t, r)) for r, t in told.items())
        usage[objects.key_of(obj)] = total / weight if weight > 0 else 1e300
    return usage


def _differing_cycle(ours: Json, theirs: Json) -> list[str]:
    heads = sorted(h["workload"] for h in theirs.get("heads") or [])
    if sorted(ours["heads"]) != heads:
        return [f"heads {sorted(ours['heads'])}, the peer's {heads}"]
    lines: list[str] = []
    mine = {e["workload"]: e for e in ours["entries"]}
    for entry in theirs.get("processed") or []:
        if entry["workload"] not in mine:
            lines.append(f"{entry['workload']}: no entry")
            continue
        lines += differing_entry(mine[entry["workload"]], entry)
    refused = {e["workload"]: e for e in ours["refused"]}
    for entry in theirs.get("inadmissible") or []:
        if entry["workload"] not in refused:
            lines.append(f"{entry['workload']}: not refused")
        elif refused[entry["workload"]]["requeueReason"] != entry.get("requeueReason", ""):
            lines.append(f"{entry['workload']}: refused {refused[entry['workload']]}, {entry}")
    if "queuesAfter" not in theirs:
        return lines
    gone = {e["workload"] for e in theirs.get("processed") or [] if e["status"] == "assumed"}
    after = (theirs.get("queuesAfter") or {}).get("clusterQueues") or {}
    for name, queue in ours["queues"].items():
        wanted = after.get(name) or {}
        for kind in ("active", "inadmissible"):
            now = [w for w in queue[kind] if w not in gone]
            right = [w for w in wanted.get(kind) or [] if w not in gone]
            if sorted(now) != sorted(right):
                lines.append(f"{name}: {kind} {now}, the peer's {right}")
    return lines


# --- random clusters


def _random(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    asked = objects.world(case, case["objects"])
    asked["now"] = objects.milliseconds(state["now"]) or 0
    play = {"op": "play", "cycles": state["cycles"],
            "finish_on_idle": state.get("finishOnIdle") or 0}
    ours = probe.kueue(asked, [play])[0]
    outcomes = [case["observed"]["steps"]]
    outcomes += [o["steps"] for o in case.get("alternatives") or []]
    return min((_differing_steps(ours, theirs) for theirs in outcomes), key=len)


def _differing_steps(ours: list[Json], theirs: list[Json]) -> list[str]:
    lines: list[str] = []
    for i, (a, b) in enumerate(zip(ours, theirs)):
        for line in _differing_step(a, b):
            lines.append(f"step {i}: {line}")
        if lines:
            return lines
    if len(ours) != len(theirs):
        lines.append(f"{len(ours)} steps, the peer's {len(theirs)}")
    return lines


def _differing_step(a: Json, b: Json) -> list[str]:
    lines: list[str] = []
    if a.get("finished") != b.get("finished"):
        return [f"finished {a.get('finished')}, the peer's {b.get('finished')}"]
    if "finished" in b:
        return []
    if sorted(a["heads"]) != sorted(b["heads"]):
        return [f"heads {sorted(a['heads'])}, the peer's {sorted(b['heads'])}"]
    mine = {e["workload"]: e for e in a["entries"]}
    for entry in b["entries"]:
        if entry["workload"] not in mine:
            lines.append(f"{entry['workload']}: no entry")
            continue
        lines += differing_entry(mine[entry["workload"]], entry)
    # The record still lists what was admitted in this very cycle.
    gone = {e["workload"] for e in b["entries"] if e["status"] == "assumed"}
    for name, queue in b["queues"].items():
        for kind in ("active", "inadmissible"):
            mine_now = a["queues"][name][kind]
            right = [w for w in queue.get(kind) or [] if w not in gone]
            if kind == "inadmissible":
                mine_now = sorted(mine_now)
            if mine_now != right:
                lines.append(f"{name}: {kind} {mine_now}, the peer's {right}")
    for name, after in (b.get("after") or {}).items():
        if a["queues"][name]["usage"] != after["usage"]:
            lines.append(f"{name}: usage {a['queues'][name]['usage']}, the peer's {after['usage']}")
    if sorted(a["evicted"]) != sorted(b.get("evicted") or []):
        lines.append(f"evicted {a['evicted']}, the peer's {b.get('evicted')}")
    return lines


def differing_entry(ours: Json, theirs: Json) -> list[str]:
    """Decisions alone, without sentences; flavors of an entry that does not fit are not one."""
    name = theirs["workload"]
    lines = []
    for field in ("mode", "status", "requeueReason", "borrowing"):
        if field == "borrowing" and theirs["mode"] == "NoFit":
            continue
        if ours[field] != theirs.get(field, ""):
            lines.append(f"{name}: {field} {ours[field]!r}, the peer's {theirs.get(field)!r}")
    mine = sorted((t["workload"], t["reason"]) for t in ours["targets"])
    wanted = sorted((t["workload"], t["reason"]) for t in theirs.get("targets") or [])
    if mine != wanted:
        lines.append(f"{name}: targets {mine}, the peer's {wanted}")
    if theirs["mode"] == "NoFit":
        return lines
    if ours["usage"] != (theirs.get("usage") or {}):
        lines.append(f"{name}: usage {ours['usage']}, the peer's {theirs.get('usage')}")
    pods = {p["name"]: p for p in theirs["podSets"]}
    for p, want in zip(ours["podSets"], pods.values()):
        flavors = {r: (f["name"], f["mode"], f["triedFlavorIdx"]) for r, f in p["flavors"].items()}
        right = {r: (f["name"], f["mode"], f.get("triedFlavorIdx", 0))
                 for r, f in (want.get("flavors") or {}).items()}
        if flavors != right or p["count"] != want["count"]:
            lines.append(f"{name}: {p['count']} x {flavors}, the peer's {want['count']} x {right}")
        where = objects.places(want.get("topologyAssignment"))
        if p.get("places") != where:
            lines.append(f"{name}: places {p.get('places')}, the peer's {where}")
    return lines
