# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded calls of the cache of reservations: what it holds, its index, the events
that change it, and pods that may be taken before they end."""

from typing import Any

from adapters import koordinator_reservation_objects as objects
from adapters.koordinator_reservation_objects import uid
from adapters.koordinator_reservation_world import (Check, Handler, Json, World, after, equals,
                                                    nonzero, resource)


# --- the cache


def _put(world: World, step: Json) -> None:
    row = world.object(world.script.args(step).get("newR") or world.script.args(step).get("r"))
    world.reservations.setdefault(row.get("metadata", {}).get("name", ""), row)
    world.add("put", record=objects.record(row))


def _change(world: World, step: Json) -> None:
    row = world.object(world.script.args(step)["newR"])
    world.add("change", record=objects.record(row))


def _remove(world: World, step: Json) -> None:
    row = world.object(world.script.args(step)["r"])
    world.add("remove", uid=uid(row), node=(row.get("status") or {}).get("nodeName", ""))


def _put_serving(world: World, step: Json) -> None:
    args = world.script.args(step)
    holder = (args.get("currentOwner") or {}).get("uid", "")
    world.add("put", record=objects.record(world.object(args["newPod"])), holder=holder)


def held(pod: Json | None) -> list[Json]:
    return [] if pod is None else [{"uid": uid(pod), "request": objects.requests(pod)}]


def _add_pod(world: World, step: Json) -> None:
    args = world.script.args(step)
    tasks = held(world.object(args["pod"]))
    known = step["n"] in world.script.results
    error = world.script.results.get(step["n"])
    right = "done" if not error else (
        "leaving" if "terminating" in str(error) else "unknown")
    world.ask(f"step {step['n']}", equals(right) if known else lambda ours: [],
              "add_tasks", uid=args["reservationUID"], tasks=tasks)


def _delete_pod(world: World, step: Json) -> None:
    args = world.script.args(step)
    world.add("remove_tasks", uid=args["reservationUID"], tasks=[uid(world.object(args["pod"]))])


def _update_pod(world: World, step: Json) -> None:
    args = world.script.args(step)
    old, new = world.object(args["oldPod"]), world.object(args["newPod"])
    world.add("move_task", **{"from": args["oldReservationUID"] or "",
                              "before": "" if old is None else uid(old),
                              "to": args["newReservationUID"] or "", "now": held(new)})


def same_entry(world: World, right: Json | None, aliased: bool = False) -> Check:
    """An entry against the peer's; what the peer computes late is compared where it is there.
    `aliased`: its object may have been changed by the test, which shares it with the cache."""
    def check(ours: Json | None) -> list[str]:
        if (ours is None) != (right is None):
            return [f"entry {ours}, recorded {right}"]
        if ours is None or right is None:
            return []
        pairs = {
            "tasks": (sorted(ours["tasks"]), sorted(right.get("AssignedPods") or {})),
            "used": (nonzero(ours["used"]), nonzero(objects.amounts(right.get("Allocated")))),
            "total": (ours["total"], objects.amounts(right.get("Allocatable"))),
            "names": (sorted(ours["names"]), sorted(right.get("ResourceNames") or [])),
            "kept back": (ours["kept_back"], objects.amounts(right.get("Reserved"))),
        }
        for held, one in (right.get("AssignedPods") or {}).items():
            pairs[f"request of {held}"] = (ours["tasks"].get(held),
                                           objects.amounts(one.get("Requests")))
        if right.get("Available"):
            left = {name: amount for name, amount in nonzero(ours["left"]).items()
                    if name != "pods"}
            pairs["left"] = (left, resource(right["Available"]))
        row = world.object(right.get("Reservation") or right.get("Pod"))
        if aliased:
            return _unequal(pairs)
        pairs["object"] = ((ours["uid"], ours["name"], ours["node"], ours["available"]), (
            uid(row), row.get("metadata", {}).get("name", ""), objects.record(row)["node"],
            objects.available(row)))
        return _unequal(pairs)
    return check


def _unequal(pairs: dict[str, Any]) -> list[str]:
    return [f"{what} {ours}, recorded {right}" for what, (ours, right) in pairs.items()
            if ours != right]


def _get(world: World, step: Json) -> None:
    script = world.script
    if step["n"] not in script.results:
        known, right = script.variable("rInfo", step["n"])
        if not known:
            return
    else:
        right = script.value(script.results[step["n"]])
    args = script.args(step)
    world.ask(f"step {step['n']}", same_entry(world, right), "find", uid=args["uid"])


def _list(world: World, step: Json) -> None:
    script, args = world.script, world.script.args(step)
    right = script.results.get(step["n"])
    uids = sorted(uid(world.object(info.get("Reservation") or info.get("Pod")))
                  for info in script.value(right) or [])
    world.ask(f"step {step['n']}", equals(uids), "list", node=args["nodeName"],
              all=args.get("listAll", False))


def _list_nodes(world: World, step: Json) -> None:
    right = sorted(world.script.value(world.script.results[step["n"]]) or [])
    world.ask(f"step {step['n']}", equals(right), "nodes",
              held=not world.script.args(step)["matchable"])


def compare_cache(world: World, step: Json) -> None:
    """The lists of the cache before a call, where the record shows them."""
    receiver = world.script.value(step.get("receiver"))
    if not isinstance(receiver, dict) or "reservationInfos" not in receiver:
        return
    where = f"before step {step['n']}"
    for key, info in receiver["reservationInfos"].items():
        world.ask(where, same_entry(world, world.script.value(info), aliased=True), "find",
                  uid=key)
    for held, name in ((False, "matchableOnNode"), (True, "allocatedOnNode")):
        nodes = sorted(node for node, uids in (receiver.get(name) or {}).items() if uids)
        world.ask(where, equals(nodes, name), "nodes", held=held)
    # A list may name what is gone, since a test removes it by less than its whole object.
    known = set(receiver["reservationInfos"])
    for name, every in (("matchableOnNode", False), ("reservationsOnNode", True)):
        for node, uids in (receiver.get(name) or {}).items():
            world.ask(where, equals(sorted(known & set(uids)), node), "list", node=node, all=every)
    if "indexedPrefixes" in receiver:
        right = {"prefixes": receiver["indexedPrefixes"] or [],
                 "keys": receiver.get("indexedKeys") or [],
                 "size": len(receiver.get("indexEntryByUID") or {})}
        world.ask(where, lambda ours, right=right: [
            f"{key} {ours[key]}, recorded {value}" for key, value in right.items()
            if ours[key] != value], "covers")


# --- the index


def _index(world: World, step: Json) -> None:
    args = world.script.args(step)["args"] or {}
    on = args.get("Enabled", False)
    world.add("index", prefixes=(args.get("KeyPrefixes") or []) if on else [],
              keys=(args.get("Keys") or []) if on else [])


def _nodes_for(world: World, step: Json) -> None:
    script = world.script
    known, hit = after(script, step, ("hit",))
    names, nodes = after(script, step, ("nodes",))
    right = None if known and not hit else sorted(nodes or [])
    if not known and not names:
        return

    selector = script.args(step)["selector"] or {}
    singly: list[Any] = []

    def note(ours: Any) -> list[str]:
        singly.append(ours)
        return []

    def check(ours: Any) -> list[str]:
        # Of equally short lists the peer takes the one that its map has first.
        drawn = ours is not None and right is not None and right in singly and (
            len(right) == len(ours))
        return [] if ours == right or drawn else [f"{ours}, recorded {right}"]
    for key, value in selector.items() if len(selector) > 1 else []:
        world.ask(f"step {step['n']}", note, "nodes_for", selector={key: value})
    world.ask(f"step {step['n']}", check, "nodes_for", selector=selector)


def _matched_word(field: str) -> Handler:
    def handle(world: World, step: Json) -> None:
        right = world.script.results[step["n"]]
        world.ask(f"step {step['n']}", lambda ours: equals(right)(ours[field]), "covers",
                  key=world.script.args(step)["key"])
    return handle


# --- events


def _pod_event(world: World, step: Json) -> None:
    args = world.script.args(step)
    if "obj" in args:
        pod = world.object(args["obj"])
        if step["call"].endswith("OnDelete"):
            world.add("remove_task", task=objects.shown(pod))
        else:
            world.add("follow_task", before={}, now=objects.shown(pod))
        return
    old = world.object(args.get("oldObj", args.get("oldPod")))
    new = world.object(args.get("newObj", args.get("newPod")))
    world.add("follow_task", before=objects.shown(old), now=objects.shown(new))


def _reservation_event(world: World, step: Json) -> None:
    args = world.script.args(step)
    row = world.object(args.get("obj") or args.get("newObj"))
    if row is None or row.get("kind") != "Reservation":
        return
    if step["call"].endswith("OnDelete"):
        world.add("remove_reservation", record=objects.record(row))
        return
    world.add("follow_reservation", record=objects.record(row), event=objects.event(row),
              is_new=step["call"].endswith("OnAdd"))


def _create_reservation(world: World, step: Json) -> None:
    row = world.object(world.script.args(step)["reservation"])
    world.reservations[row.get("metadata", {}).get("name", "")] = row
    world.add("follow_reservation", record=objects.record(row), event=objects.event(row),
              is_new=True)


def _create_pod(world: World, step: Json) -> None:
    pod = world.object(world.script.args(step)["pod"])
    meta = pod.get("metadata") or {}
    world.pods[f"{meta.get('namespace', '')}/{meta.get('name', '')}"] = pod
    world.add("follow_task", before={}, now=objects.shown(pod))


# --- candidates


def _candidate(op: str) -> Handler:
    return lambda world, step: world.add(
        op, task=objects.shown(world.object(world.script.args(step)["pod"])))


def _drop_candidate(world: World, step: Json) -> None:
    args = world.script.args(step)
    world.add("remove_candidate", node=args["nodeName"], uid=args["podUID"])


def _follow_candidate(world: World, step: Json) -> None:
    args = world.script.args(step)
    old, new = world.object(args["oldPod"]), world.object(args["newPod"])
    world.add("follow_candidate", before=objects.shown(old), now=objects.shown(new))
    known, right = world.script.variable("podCache", step["n"])
    if not known:
        return
    # Rows of the test share a cache: the pods of this row alone are compared.
    own = {uid(pod) for pod in (old, new) if pod}
    items = ((((right or {}).get("tree") or {}).get("root") or {}).get("items")) or []
    order = [uid(world.object(item["pod"])) for item in items]
    listed = [one for one in order if one in own]

    def check(ours: Json) -> list[str]:
        got = [one for uids in ours.values() for one in uids if one in own]
        return [] if got == listed else [f"{got}, recorded {listed}"]
    world.ask(f"step {step['n']}", check, "candidates")


def _candidates(world: World, step: Json) -> None:
    right = {node: [uid(world.object(pod)) for pod in pods] for node, pods in
             (world.script.value(world.script.results[step["n"]]) or {}).items()}
    if not _of_cluster(world):
        return  # a test lists what it expects of owners here, not what the cache holds
    world.ask(f"step {step['n']}", equals(right), "candidates")


def _of_cluster(world: World) -> bool:
    confs = [conf for one in world.script.steps if one.get("set") == "preAllocationConfs"
             for conf in one["value"]]
    return not confs or any(conf["EnableClusterMode"] for conf in confs)


def _before(world: World, step: Json) -> None:
    pair = [world.script.value(step["receiver"]), world.script.args(step)["than"]]
    shown = [{"uid": uid(world.object(one["pod"])), "priority": one["priority"]} for one in pair]
    world.ask(f"step {step['n']}", equals(world.script.results[step["n"]]), "before",
              a=shown[0], b=shown[1])


HANDLERS: dict[str, Handler] = {
    "PodInterface.Create": _create_pod,
    "ReservationInterface.Create": _create_reservation,
    "podEventHandler.OnAdd": _pod_event,
    "podEventHandler.OnDelete": _pod_event,
    "podEventHandler.OnUpdate": _pod_event,
    "podEventHandler.updatePod": _pod_event,
    "podEventHandler.updatePreAllocatableCandidatesCache": _follow_candidate,
    "preAllocatablePodItem.Less": _before,
    "reservationCache.DeleteReservation": _remove,
    "reservationCache.FilterByReservationSelector": _nodes_for,
    "reservationCache.ForEachMatchableReservationOnNode": lambda world, step: None,
    "reservationCache.ListAllNodes": _list_nodes,
    "reservationCache.ListAvailableReservationInfosOnNode": _list,
    "reservationCache.addPod": _add_pod,
    "reservationCache.addPreAllocatableCandidateOnNode": _candidate("add_candidate"),
    "reservationCache.assumePod": _add_pod,
    "reservationCache.assumeReservation": _put,
    "reservationCache.deletePod": _delete_pod,
    "reservationCache.deletePreAllocatableCandidateOnNode": _drop_candidate,
    "reservationCache.getAllPreAllocatableCandidates": _candidates,
    "reservationCache.getReservationInfoByUID": _get,
    "reservationCache.matchedKey": _matched_word("key"),
    "reservationCache.matchedPrefix": _matched_word("prefix"),
    "reservationCache.setReservationSelectorIndexConfig": _index,
    "reservationCache.updatePod": _update_pod,
    "reservationCache.updatePreAllocatableCandidatePriority": _candidate("rank_candidate"),
    "reservationCache.updateReservation": _put,
    "reservationCache.updateReservationIfExists": _change,
    "reservationCache.updateReservationOperatingPod": _put_serving,
    "reservationEventHandler.OnAdd": _reservation_event,
    "reservationEventHandler.OnDelete": _reservation_event,
    "reservationEventHandler.OnUpdate": _reservation_event,
}
