# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its reservation plug-in: whether a task fits a node that keeps
room for it, whether a reservation may take over running tasks, and scores of nodes. All amounts are
thousandths, as the peer compares quantities exactly."""

from typing import Any, Callable

import importers
import quantity
from probe import Probe, Unanswerable

Json = dict[str, Any]

KEY = "scheduling.koordinator.sh/"
# What the peer compares even where nothing of it is requested.
ALWAYS = ["cpu", "memory", "ephemeral-storage"]
FIELDS = {"MilliCPU": ("cpu", 1), "Memory": ("memory", 1000),
          "EphemeralStorage": ("ephemeral-storage", 1000)}
FROM_RESERVATION = "Reservation(s) "


def thousandths_of(values: Json | None) -> dict[str, int]:
    return {name: int(amount * 1000)
            for name, amount in quantity.parse_map(values, "resources").items()}


def _resource(value: Json | None) -> dict[str, int]:
    """The scheduler's own form of a list of resources."""
    value = value or {}
    out = {name: value[field] * scale for field, (name, scale) in FIELDS.items()
           if value.get(field)}
    return out | {name: amount * 1000 for name, amount in (value.get("ScalarResources")
                                                           or {}).items()}


def object_of(script: Any, value: Json | None) -> Json:
    if not value:
        return {}
    found = [one["object"] for one in script.case.get("objects") or []
             if one["ref"] == value.get("ref")]
    if len(found) != 1:
        raise Unanswerable("the record does not hold an object that a call was given")
    return found[0]


def _deep(script: Any, value: Any) -> Any:
    value = script.value(value)
    if isinstance(value, dict):
        return {key: _deep(script, one) for key, one in value.items()}
    return [_deep(script, one) for one in value] if isinstance(value, list) else value


def _reserved(script: Any, info: Json, preempted: Json | None = None) -> Json:
    """A reservation as the peer's cache holds it."""
    spec = object_of(script, info.get("Reservation")).get("spec") or {}
    total = info.get("Allocatable") or {}
    out: Json = {
        "policy": spec.get("allocatePolicy", ""),
        "total": thousandths_of(total),
        "used": thousandths_of(info.get("Allocated")),
        "kept_back": thousandths_of(info.get("Reserved")),
        "names": info.get("ResourceNames") or [],
        "tasks": len(info.get("AssignedPods") or {}),
        "preempted": thousandths_of(preempted),
    }
    if "pods" in total:
        out["most_tasks"] = int(quantity.parse(total["pods"], "pods"))
        out["preempted_tasks"] = int(quantity.parse((preempted or {}).get("pods", 0), "pods"))
    return out


def _identity(script: Any, info: Json) -> tuple[str, str]:
    """Name and UID, of the reservation or of the pod that stands for it."""
    meta = (object_of(script, info.get("Reservation")) or object_of(script, info.get("Pod"))).get(
        "metadata") or {}
    return meta.get("name", ""), meta.get("uid", "")


def _state(script: Any, before: int) -> Json:
    written = [step for step in script.calls("CycleState.Write") if step["n"] < before
               and (step["args"].get("key") == "Reservation")]
    if not written:
        raise Unanswerable("the record does not hold the state of the cycle")
    return _deep(script, written[-1]["args"]["val"])


def _node(script: Any, info: Json, state: Json, of_node: Json) -> tuple[str, Json]:
    info = info["nodeInfo"]
    node = object_of(script, info["node"])
    name = node["metadata"]["name"]
    room = (node.get("status") or {}).get("allocatable") or {}
    return name, {
        "capacity": thousandths_of(room),
        "requested": _resource(of_node.get("podRequested")),
        "held_by_owners": _resource(of_node.get("rAllocated")),
        "preempted": thousandths_of((state.get("preemptible") or {}).get(name)),
        "tasks": len(info.get("pods") or []),
        "most_tasks": int(quantity.parse(room.get("pods", 0), "pods")),
        "matched": len(of_node.get("matchedOrIgnored") or []),
    }


def _name(script: Any, info: Json) -> str:
    return object_of(script, info["nodeInfo"]["node"])["metadata"]["name"]


def verdict(script: Any, step: Json) -> Json:
    """The status that a call returned; success is recorded as nothing."""
    if step["n"] in script.results:
        return script.results[step["n"]] or {"code": "Success"}
    later = [s["n"] for s in script.steps if "call" in s and s["n"] > step["n"]]
    found = [c for c in script.checks if c["what"] == "got" and c["n"] > step["n"]
             and c["n"] < min(later, default=c["n"] + 1)]
    if not found:
        raise Unanswerable("the record does not hold what the call returned")
    return script.value(found[0]["actual"]) or {"code": "Success"}


def _words(lacks: Json) -> list[str]:
    """What a reservation lacks, as the peer prints it."""
    return [*(["Too many pods"] if lacks["tasks"] else []),
            *(f"Insufficient {name}" for name in lacks["resources"])]


def _differs(script: Any, step: Json, answer: Json, of_reservations: bool) -> list[str]:
    recorded = verdict(script, step)
    fits = recorded["code"] == "Success"
    if answer["fits"] != fits:
        return [f"step {step['n']}: fits: {answer['fits']} {answer}, recorded {recorded}"]
    if fits:
        return []
    reasons = recorded.get("reasons") or []
    theirs = sorted(r for r in reasons if r.endswith(" by node"))
    ours = sorted(f"Insufficient {name} by node" for name in
                  [*answer["node"]["resources"], *(["pods"] if answer["node"]["tasks"] else [])])
    out = [] if ours == theirs else [f"step {step['n']}: {ours}, recorded {theirs}"]
    if of_reservations:
        theirs = sorted(r.removeprefix(FROM_RESERVATION).partition(", ")[0] for r in reasons
                        if r.startswith(FROM_RESERVATION))
        ours = sorted(word for lacks in answer["reservations"] for word in _words(lacks))
        out += [] if ours == theirs else [f"step {step['n']}: {ours}, recorded {theirs}"]
    return out


def _task_filter(script: Any, probe: Probe, step: Json, matched: list[Json] | None,
                 required: bool | None) -> list[str]:
    """A task on a node with these matched reservations; without, those of the cycle's state."""
    args, state = _deep(script, step["args"]), _state(script, step["n"])
    meta = object_of(script, args["pod"]).get("metadata") or {}
    if (meta.get("labels") or {}).get(KEY + "reservation-ignored") == "true":
        raise Unanswerable("a task that ignores reservations: the caller passes it over")
    name = _name(script, args["nodeInfo"])
    of_node = (state.get("nodeReservationStates") or {}).get(name) or {}
    _, node = _node(script, args["nodeInfo"], state, of_node)
    victims = (state.get("preemptibleInRRs") or {}).get(name) or {}
    if matched is None:
        matched = of_node.get("matchedOrIgnored") or []
        if not matched and not state.get("hasAffinity") and not victims:
            raise Unanswerable("a task without reservations: other filters decide")
    if required is None:
        required = state.get("hasAffinity", False)
    enabled = [one.get("value") for one in script.steps
               if one.get("set") == "pl.enableSkipReservationFitsNode"]
    named, asked = state.get("reservationName") or "", []
    for info in matched:
        reservation, uid = _identity(script, info)
        if named in ("", reservation):
            asked.append(_reserved(script, info, victims.get(uid)))
    answer = probe.reservations(
        "filter",
        request=_resource(state.get("podRequestsResources")),
        node=node,
        matched=asked,
        always=ALWAYS,
        has_affinity=state.get("hasAffinity", False),
        required=required,
        skips_node=bool(enabled and enabled[-1]) and len(matched) <= 1,
    )
    return _differs(script, step, answer, required)


def _filters(script: Any, probe: Probe) -> list[str]:
    """Plugin.filterWithReservations(pod, node, matched reservations, required)."""
    out = []
    for step in script.calls("Plugin.filterWithReservations"):
        args = _deep(script, step["args"])
        out += _task_filter(script, probe, step, args["matchedReservations"] or [],
                            args["requiredFromReservation"])
    return out


def _fill_order(script: Any, probe: Probe) -> list[str]:
    """sortPreAllocatablePodsForDefaultMode(reservation, pods): the best fill first."""
    out = []
    for step in script.calls("sortPreAllocatablePodsForDefaultMode"):
        args = _deep(script, step["args"])
        pods = args["preAllocatablePods"] or []
        order = probe.reservations(
            "order",
            tasks=[{"request": _requests(object_of(script, pod))} for pod in pods],
            reserved=_reserved(script, args["rInfo"]))
        known, found = script.variable("sortedPods", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        if [pods[i] for i in order] != (found or []):
            out.append(f"step {step['n']}: {[pods[i] for i in order]}, recorded {found}")
    return out


def _policies(script: Any, step: Json, pod: Json, node: str) -> tuple[str, list[str]]:
    """The policy of a reservation that is placed, and those of reservations on the node."""
    made = [object_of(script, one["args"]["reservation"])
            for one in script.calls("ReservationInterface.Create") if one["n"] < step["n"]]
    name = pod["metadata"]["annotations"].get(KEY + "reservation-name", "")
    own = [one for one in made if one["metadata"]["name"] == name]
    if not own:
        raise Unanswerable("a reservation that the scheduler does not find: an error of its caller")
    others = [(one.get("spec") or {}).get("allocatePolicy", "") for one in made
              if (one.get("status") or {}).get("nodeName") == node
              and (one.get("status") or {}).get("phase") == "Available"]
    return (own[0].get("spec") or {}).get("allocatePolicy", ""), others


def _filter(script: Any, probe: Probe) -> list[str]:
    """Plugin.Filter(pod, node): of tasks, and of reservations as the pods that stand for them."""
    out = []
    for step in script.calls("Plugin.Filter"):
        args = _deep(script, step["args"])
        pod, recorded = object_of(script, args["pod"]), verdict(script, step)
        if not (args["nodeInfo"] or {}).get("nodeInfo", {}).get("node"):
            raise Unanswerable("no node: an error of the caller")
        name = _name(script, args["nodeInfo"])
        notes = (pod.get("metadata") or {}).get("annotations") or {}
        if notes.get(KEY + "reserve-pod") == "true":
            wished = notes.get(KEY + "reservation-node", "")
            if wished and wished != name:
                raise Unanswerable("a reservation for another node: the caller's selector")
            if notes.get(KEY + "is-pre-allocation") == "true":
                raise Unanswerable("reservations that take over tasks of a node: asked by itself")
            own, others = _policies(script, step, pod, name)
            if not others:
                raise Unanswerable("the only reservation of its node, of which nothing is decided")
            fits = all(probe.reservations("shares", a=own, b=other) for other in others)
            if fits != (recorded["code"] == "Success"):
                out.append(f"step {step['n']}: shares {fits}, recorded {recorded}")
            continue
        out += _task_filter(script, probe, step, None, None)
    return out


def _requests(pod: Json) -> dict[str, int]:
    _, needed = importers.requests(pod)
    return {name: int(amount * 1000) for name, amount in needed.items()}


def _pre_allocates(script: Any, probe: Probe) -> list[str]:
    """Plugin.filterWithPreAllocatablePods(reservation, node, pods, required)."""
    out = []
    for step in script.calls("Plugin.filterWithPreAllocatablePods"):
        args, state = _deep(script, step["args"]), _state(script, step["n"])
        name = _name(script, args["nodeInfo"])
        of_node = (state.get("nodeReservationStates") or {}).get(name) or {}
        _, node = _node(script, args["nodeInfo"], state, of_node)
        row = object_of(script, args["rInfo"]["Reservation"])
        policy = row.get("spec", {}).get("preAllocationPolicy") or {}
        tasks = [{"request": _requests(object_of(script, pod))}
                 for pod in args["preAllocatablePods"] or []]
        reserved = _reserved(script, args["rInfo"])
        several = policy.get("enableMultiple", False)
        if several and policy.get("mode", "Default") in ("", "Default"):
            tasks = [tasks[i] for i in probe.reservations("order", tasks=tasks,
                                                          reserved=reserved)]
        answer = probe.reservations(
            "pre_allocate",
            request=_resource(state.get("podRequestsResources")),
            node=node,
            reserved=reserved,
            tasks=tasks,
            always=ALWAYS,
            required=args["isPreAllocationRequired"],
            several=several,
        )
        out += _differs(script, step, answer, args["isPreAllocationRequired"])
    return out


def _of_node(script: Any, probe: Probe) -> list[str]:
    """fitsNode(): the resources that a node lacks."""
    out = []
    for step in script.calls("fitsNode"):
        args = script.args(step)
        got = probe.reservations(
            "node",
            request=_resource(args["podRequest"]),
            node={
                "capacity": _resource(args["nodeAllocatable"]),
                "requested": _resource(args["allPodsRequested"]),
                "held_by_owners": _resource(args["allRAllocated"]),
                "preempted": _resource(args["preemptible"]),
                "tasks": args["allocatedPods"],
                "most_tasks": args["nodeAllocatable"]["AllowedPodNumber"],
                "matched": args["matchedOrIgnored"],
            },
            left=_resource(args["rRemained"]),
            always=ALWAYS,
            ignored=args["ignoredResources"] or [],
            groups=args["ignoredResourceGroups"] or [],
        )
        ours = sorted([*got["resources"], *(["pods"] if got["tasks"] else [])])
        theirs = sorted(script.results[step["n"]] or [])
        if ours != theirs:
            out.append(f"step {step['n']}: lacks {ours}, recorded {theirs}")
    return out


def _of_reservation(script: Any, probe: Probe) -> list[str]:
    """fitsReservation(): the resources that a reservation lacks."""
    out = []
    for step in script.calls("fitsReservation"):
        args = _deep(script, step["args"])
        got = probe.reservations(
            "reservation",
            request=thousandths_of(args["podRequest"]),
            reserved=_reserved(script, args["rInfo"], args["preemptibleInRR"]),
            ignored=args["ignoredResources"] or [],
            groups=args["ignoredResourceGroups"] or [],
        )
        theirs = sorted(word.removeprefix(FROM_RESERVATION).partition(", ")[0]
                        for word in script.results[step["n"]] or [])
        if sorted(_words(got)) != theirs:
            out.append(f"step {step['n']}: lacks {_words(got)}, recorded {theirs}")
    return out


def _ignores(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("isResourceIgnored"):
        args = script.args(step)
        got = probe.reservations("ignores", name=args["name"],
                                 ignored=args["ignoredResources"] or [],
                                 groups=args["ignoredResourceGroups"] or [])
        if got != script.results[step["n"]]:
            out.append(f"step {step['n']}: {got}, recorded {script.results[step['n']]}")
    return out


def _order(script: Any, info: Json) -> int:
    labels = (object_of(script, info.get("Reservation")).get("metadata") or {}).get("labels") or {}
    try:
        return int(labels.get(KEY + "reservation-order", "0"))
    except ValueError:
        return 0


def _asked_nodes(script: Any, probe: Probe, state: Json, pod: Json, names: list[str]) -> Json:
    """Scores of nodes, and the place of each one's nominated reservation."""
    reserves = ((pod.get("metadata") or {}).get("annotations") or {}).get(
        KEY + "reserve-pod") == "true"
    nodes = [[_reserved(script, info) | {"order": _order(script, info)}
              for info in _matched(state, name) if not reserves] for name in names]
    return probe.reservations("scores", request=_requests(pod), nodes=nodes)


def _matched(state: Json, name: str) -> list[Json]:
    return ((state.get("nodeReservationStates") or {}).get(name) or {}).get(
        "matchedOrIgnored") or []


def _compare_nominated(script: Any, step: Json, matched: list[Json], place: int | None,
                       found: Json | None) -> list[str]:
    ours = "" if place is None else _identity(script, matched[place])[0]
    theirs = "" if not found else _identity(script, found)[0]
    return [] if ours == theirs else [f"step {step['n']}: {ours}, recorded {theirs}"]


def _nominates(script: Any, probe: Probe) -> list[str]:
    """Plugin.NominateReservation(pod, node)."""
    out = []
    for step in script.calls("Plugin.NominateReservation"):
        args, state = _deep(script, step["args"]), _state(script, step["n"])
        known, found = script.variable("nominateRInfo", step["n"])
        if not known and step["n"] not in script.results:
            found = next((c["actual"] for c in script.checks if c["n"] > step["n"]
                          and c["what"].startswith("nominateRInfo")), None)
        matched = _matched(state, args["nodeName"])
        got = _asked_nodes(script, probe, state, object_of(script, args["pod"]), [args["nodeName"]])
        out += _compare_nominated(script, step, matched, got["nominated"][0],
                                  _deep(script, found))
    return out


def _nominated_before(script: Any, probe: Probe) -> list[str]:
    """Plugin.PreScore(pod, nodes), then the nominated reservation of each node."""
    out = []
    looks = script.calls("ReservationNominator.GetNominatedReservation")
    if not looks:
        raise Unanswerable("a script that never looks at what is nominated")
    for step in looks:
        args, state = _deep(script, step["args"]), _state(script, step["n"])
        got = _asked_nodes(script, probe, state, object_of(script, args["pod"]), [args["nodeName"]])
        out += _compare_nominated(script, step, _matched(state, args["nodeName"]),
                                  got["nominated"][0], _deep(script, script.results[step["n"]]))
    return out


def _scores(script: Any, probe: Probe) -> list[str]:
    """Plugin.Score(pod, node), after Plugin.PreScore(pod, nodes) of the same cycle."""
    out = []
    for step in script.calls("Plugin.Score"):
        args, state = _deep(script, step["args"]), _state(script, step["n"])
        before = [one for one in script.calls("Plugin.PreScore") if one["n"] < step["n"]]
        known, score = script.variable("score", step["n"])
        if not before or not known:
            raise Unanswerable("the record does not hold what the call returned")
        pod = object_of(script, args["pod"])
        notes = (pod.get("metadata") or {}).get("annotations") or {}
        if notes.get(KEY + "is-pre-allocation") == "true":
            raise Unanswerable("scores of reservations that take over tasks: the nominator's")
        names = [_name(script, info) for info in _deep(script, before[-1]["args"])["nodeInfos"]]
        got = _asked_nodes(script, probe, state, pod, names)["raw"]
        ours = got[names.index(_name(script, args["nodeInfo"]))]
        if ours != score:
            out.append(f"step {step['n']}: {ours}, recorded {score}")
    return out


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "Plugin.filterWithReservations": _filters,
    "Plugin.filterWithPreAllocatablePods": _pre_allocates,
    "Plugin.NominateReservation": _nominates,
    "sortPreAllocatablePodsForDefaultMode": _fill_order,
    "fitsNode": _of_node,
    "fitsReservation": _of_reservation,
    "isResourceIgnored": _ignores,
}


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of reservations a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    found = next((CALLS[call] for call in CALLS if call in calls), None)
    writes = [step for step in script.calls("CycleState.Write")
              if step["args"].get("key") == "Reservation"]
    if found is not None or not (writes or "ReservationInterface.Create" in calls):
        return found
    of_cycle = {"Plugin.Score": _scores, "Plugin.PreScore": _nominated_before,
                "Plugin.Filter": _filter}
    # Other plug-ins have these phases, too.
    if any(step.get("set") == "pl.enableLazyReservationRestore" for step in script.steps) or writes:
        return next((of_cycle[call] for call in of_cycle if call in calls), None)
    return None
