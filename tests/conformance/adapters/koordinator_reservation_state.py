# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The state of a cycle in Koordinator's recorded scripts of reservations: as a test made it up, as
the plug-in left it, and the values that a test looked at."""

from typing import Any

from adapters import koordinator_reservation_objects as objects
from adapters.koordinator_reservation_cache import held
from adapters.koordinator_reservation_objects import uid
from adapters.koordinator_reservation_world import Check, Json, World, equals, nonzero, resource


def of_info(world: World, info: Json) -> Json:
    return world.object(info.get("Reservation") or info.get("Pod"))


def written_state(world: World, step: Json) -> Json | None:
    written = [one for one in world.script.calls("CycleState.Write")
               if one["n"] < step["n"] and one["args"].get("key") == "Reservation"]
    return world.script.value(written[-1]["args"]["val"]) if written else None


def entry(world: World, info: Json) -> Json:
    """An entry of the peer's cache, as the record holds it."""
    info = world.script.value(info)
    row = of_info(world, info)
    record = objects.record(row) | {
        "total": objects.amounts(info.get("Allocatable")),
        "names": info.get("ResourceNames") or [],
        "kept_back": objects.amounts(info.get("Reserved")),
    }
    return {"record": record, "used": objects.amounts(info.get("Allocated")),
            "tasks": [{"uid": key, "request": objects.amounts(one.get("Requests"))}
                      for key, one in (info.get("AssignedPods") or {}).items()]}


def _victims_of(amounts: Json) -> Json:
    """Tasks are counted whole, not in thousandths."""
    out = objects.amounts(amounts)
    return out | ({"pods": out["pods"] // 1000} if "pods" in out else {})


def load(world: World, step: Json) -> None:
    """CycleState.Write: a test makes the state up."""
    args = world.script.args(step)
    if args.get("key") != "Reservation":
        return
    value = deep(world.script, args["val"]) or {}
    nodes = {}
    for name, node in (value.get("nodeReservationStates") or {}).items():
        nodes[name] = {
            "matched": [entry(world, info) for info in node.get("matchedOrIgnored") or []],
            "unmatched": [entry(world, info) for info in node.get("unmatched") or []],
            "candidates": [one for pod in node.get("preAllocatablePods") or []
                           for one in held(world.object(pod))],
            "chosen": [one for pod in node.get("selectedPreAllocatablePods") or []
                       for one in held(world.object(pod))],
            "requested": resource(node.get("podRequested")),
            "held": resource(node.get("rAllocated")),
        }
    own = {}
    if value.get("rInfo"):
        row = of_info(world, value["rInfo"])
        stand_in = world.object(value["rInfo"].get("Pod")) or {}
        own = {"own": objects.placed(stand_in, row) | {
            "must_take_over": bool(value.get("isPreAllocationRequired")),
            "takes_over": bool((row.get("spec") or {}).get("preAllocation")),
            "request": resource(value.get("podRequestsResources"))}}
        own["own"]["record"] = entry(world, value["rInfo"])["record"]
    world.required = bool(value.get("hasAffinity") or value.get("isPreAllocationRequired"))
    world.ops_have_own = bool(own)
    world.add("load", has_affinity=bool(value.get("hasAffinity")),
              wished=value.get("reservationName") or "",
              request=resource(value.get("podRequestsResources")), nodes=nodes,
              preempted={name: _victims_of(one) for name, one in
                         (value.get("preemptible") or {}).items()},
              preempted_of={name: {key: _victims_of(one) for key, one in ones.items()}
                            for name, ones in (value.get("preemptibleInRRs") or {}).items()},
              **own)


def deep(script: Any, value: Any) -> Any:
    value = script.value(value)
    if isinstance(value, dict):
        return {key: deep(script, one) for key, one in value.items()}
    return [deep(script, one) for one in value] if isinstance(value, list) else value


COUNTS = ("ignored", "ownerMatched", "nameMatched", "nameUnmatched", "isUnschedulableUnmatched",
          "affinityUnmatched", "notExactMatched", "taintsUnmatched", "errUnmatched",
          "taintsUnmatchedReasons")


def _same_state(world: World, right: Json) -> Check:
    """The state of a cycle against the peer's."""
    def check(ours: Json) -> list[str]:
        out = []
        nodes = right.get("nodeReservationStates") or {}
        if "nodeReservationStates" in right:
            out += equals(sorted(nodes), "nodes")(sorted(ours["nodes"]))
        for name, node in nodes.items():
            out += _same_node(world, name, ours["nodes"].get(name), node)
        for name, tally in (right.get("nodeReservationDiagnosis") or {}).items():
            got = ours["tallies"].get(name) or {}
            for key in COUNTS:
                if key in tally and got.get(key) != tally[key]:
                    out.append(f"{name}: {key} {got.get(key)}, recorded {tally[key]}")
        for key, name in (("preemptible", "preempted"), ("preemptibleInRRs", "preempted_of")):
            if key not in right:
                continue
            theirs = {one: {k: _victims_of(v) for k, v in what.items()}
                      if name == "preempted_of" else _victims_of(what)
                      for one, what in (right[key] or {}).items()}
            out += equals(theirs, key)(ours[name])
        return out
    return check


def _same_node(world: World, name: str, ours: Json | None, right: Json) -> list[str]:
    if ours is None:
        return [f"{name}: not there"]
    pairs = {
        "matched": sorted(uid(of_info(world, one)) for one in right.get("matchedOrIgnored") or []),
        "unmatched": sorted(uid(of_info(world, one)) for one in right.get("unmatched") or []),
        "candidates": sorted(uid(world.object(one)) for one in right.get("preAllocatablePods")
                             or []),
        "restored": right.get("finalRestored", False),
    }
    out = [f"{name}: {key} {ours[key]}, recorded {value}" for key, value in pairs.items()
           if (sorted(ours[key]) if isinstance(value, list) else ours[key]) != value]
    for key, field in (("requested", "podRequested"), ("held", "rAllocated")):
        if field in right and right["finalRestored"]:
            out += equals(resource(right[field]), f"{name}: {key}")(nonzero(ours[key]))
    return out


def read_state(world: World, step: Json) -> None:
    right = deep(world.script, world.script.results.get(step["n"]))
    if right:
        world.ask(f"step {step['n']}", _same_state(world, right), "state")


def checked(world: World, check: Json) -> None:
    """Values that a test looked at between calls."""
    what, actual = check["what"], deep(world.script, check["actual"])
    where = f"check {check['n']}"
    of_node = {"getNodeRState().preAllocatablePods": "candidates",
               "getNodeRState().selectedPreAllocatablePods": "chosen"}
    if what in of_node:
        right = [uid(world.object(pod)) for pod in actual or []]

        def listed(ours: Json, key: str = of_node[what]) -> list[str]:
            got = [one for node in ours["nodes"].values() for one in node[key]]
            # Without ranks the peer has the order of a map.
            same = got == right if world.options.get("of_cluster") else (
                sorted(got) == sorted(right))
            return [] if same else [f"{key} {got}, recorded {right}"]
        world.ask(where, listed, "state")
    elif what == "state.preAllocated":
        right = sorted(uid(world.object(pod)) for pod in actual or [])
        world.ask(where, lambda ours: equals(right, "taken")(sorted(ours["taken"])), "state")
    elif what.startswith("state.nodeReservationStates["):
        world.ask(where, lambda ours: equals(actual is not None, "has nodes")(
            bool(ours["nodes"])), "state")
    elif what == "c.indexEnabled":
        world.ask(where, lambda ours: equals(actual, "covers")(ours["any"]), "covers")
    elif what == "actualNI.Requested":
        node = [op["view"]["name"] for op in world.ops if op["op"] == "view"][0]
        world.ask(where, lambda ours: equals(resource(actual))(nonzero(ours["requested"])),
                  "view_state", node=node)
    elif what == "len(actualNI.Pods)":
        node = [op["view"]["name"] for op in world.ops if op["op"] == "view"][0]
        world.ask(where, lambda ours: equals(actual)(ours["tasks"]), "view_state", node=node)
