# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of reservations, call after call: events of the cache, what a pod
matches, what its node gets back, filters, promises and what binding takes. A script becomes a list
of operations on the books of one cluster; each answer is compared where the record has one."""

from typing import Any

from adapters import koordinator_reservation_cache as cache
from adapters import koordinator_reservation_objects as objects
from adapters.koordinator_reservation_cache import compare_cache, held
from adapters.koordinator_reservation_objects import KEY, notes, uid
from adapters.koordinator_reservation_state import (checked, deep, entry, load, of_info, read_state,
                                                    written_state)
from adapters.koordinator_reservation_world import (Check, Handler, Json, SUITE, World, after,
                                                    code_of, equals, nonzero, reasons_of, resource)
from probe import Probe, Unanswerable

FROM_RESERVATION = "Reservation(s) "


# --- cycles


def _open_cycle(world: World) -> None:
    world.need_views()
    sets = {one["set"]: one["value"] for one in world.script.steps if "set" in one}
    world.lazy = bool(sets.get("pl.enableLazyReservationRestore"))
    world.options["skips_node"] = bool(sets.get("pl.enableSkipReservationFitsNode"))
    confs = sets.get("preAllocationConfs") or []
    if confs:
        conf = confs[min(world.number, len(confs) - 1)]
        world.options["prefers_none"] = conf["PreferNoPreAllocatedPods"]
        world.options["of_cluster"] = conf["EnableClusterMode"]


def _hint(world: World, step: Json) -> Json:
    """Nodes that another plug-in named for the cycle."""
    for one in world.script.calls("CycleState.Write"):
        if one["n"] < step["n"] and one["args"].get("key") == "SchedulingHintState":
            value = world.script.value(one["args"]["val"]) or {}
            extension = (value.get("Extensions") or {}).get("Reservation")
            if extension is not None:
                return {"nodes": value.get("PreFilterNodes") or [],
                        "keeps_views": extension.get("SkipRestoreNodeInfo", False)}
    return {}


def _prepare(world: World, step: Json) -> None:
    _open_cycle(world)
    script, pod = world.script, world.object(world.script.args(step)["pod"])
    hint, world.prepared = _hint(world, step), True
    nodes = {"nodes": hint["nodes"]} if hint else {}
    restores = not world.lazy and not hint.get("keeps_views", False)
    code = code_of(script, step, ("status",))
    known, restored = after(script, step, ("restored",))

    def check(ours: Json) -> list[str]:
        out = [] if code is None else equals(code)(ours["code"])
        if known and code in (None, "Success"):
            out += equals(restored, "restored")(ours["restored"])
        return out
    if objects.is_stand_in(pod):
        row = world.reservations.get(notes(pod).get(KEY + "reservation-name", ""))
        if row is None:
            raise Unanswerable("a reservation that the scheduler does not find: an error of its "
                               "caller")
        placed, world.ops_have_own = objects.placed(pod, row), True
        world.required = placed["must_take_over"]
        running = [{"asker": objects.asker(one),
                    "node": (one.get("spec") or {}).get("nodeName", ""),
                    "holds": bool(notes(one).get(KEY + "reservation-allocated")),
                    "stand_in": objects.is_stand_in(one)} for one in world.pods.values()]
        world.ask(f"step {step['n']}", check, "prepare_reservation", placed=placed,
                  running=running, restores=restores, **nodes)
    else:
        asker = objects.asker(pod)
        world.required = "wish" in asker
        named = world.reservations.get((asker.get("wish") or {}).get("name", ""))
        if not hint and named and (named.get("status") or {}).get("nodeName"):
            nodes = {"nodes": [named["status"]["nodeName"]]}
        world.ask(f"step {step['n']}", check, "prepare_task", asker=asker,
                  shape=objects.shape(pod), restores=restores, **nodes)
    if hint.get("keeps_views") and not world.lazy:
        world.add("restore", keeps_views=True)


def _finish(world: World, step: Json) -> None:
    """AfterPreFilter: gives back what the preparation left."""
    code = code_of(world.script, step)
    if not world.lazy:
        return
    hint, only = _hint(world, step), world.script.args(step).get("preRes") or {}
    nodes = hint.get("nodes") or only.get("NodeNames")
    arguments: Json = {} if nodes is None else {"nodes": nodes}
    world.ask(f"step {step['n']}", equals(code in (None, "Success")), "restore",
              keeps_views=hint.get("keeps_views", False), **arguments)


def _pre_filter(world: World, step: Json) -> None:
    script, pod = world.script, world.object(world.script.args(step)["pod"])
    code = code_of(script, step)
    known, result = after(script, step, ("preRes", "result"))
    if objects.is_stand_in(pod):
        row = world.reservations.get(notes(pod).get(KEY + "reservation-name", ""))
        if row is None:
            raise Unanswerable("a reservation that the scheduler does not find: an error of its "
                               "caller")
        spec = row.get("spec") or {}
        world.ask(f"step {step['n']}", lambda ours: equals(code != "Error", "well formed")(
            ours == "") if code else [], "flaw", has_template=spec.get("template") is not None,
            has_owners=bool(spec.get("owners")),
            has_end=spec.get("ttl") is not None or spec.get("expires") is not None)
        if code == "Error":
            return

    def check(ours: Json) -> list[str]:
        out = [] if code is None else equals(code)(ours["code"])
        if known:
            nodes = None if result is None else sorted(result.get("NodeNames") or [])
            out += equals(nodes, "nodes")(ours["nodes"])
        return out
    world.ask(f"step {step['n']}", check, "pre_filter")


def _words(lacks: Json) -> list[str]:
    return [*(["Too many pods"] if lacks["tasks"] else []),
            *(f"Insufficient {name}" for name in lacks["resources"])]


def _same_verdict(script: Any, step: Json, required: bool) -> Check:
    code, reasons = code_of(script, step), reasons_of(script, step)

    def check(ours: Json) -> list[str]:
        if code is None:
            return []
        out = equals(code)(ours["code"])
        if out or code == "Success":
            return out
        theirs = sorted(r for r in reasons if r.endswith(" by node"))
        lacks = sorted(f"Insufficient {name} by node" for name in [
            *ours["node"]["resources"], *(["pods"] if ours["node"]["tasks"] else [])])
        if any("preempt" in reason for reason in reasons):
            lacks = []  # one word for all of them
        out += equals(theirs)(lacks)
        if required:
            right = sorted(r.removeprefix(FROM_RESERVATION).partition(", ")[0] for r in reasons
                           if r.startswith(FROM_RESERVATION))
            out += equals(right)(sorted(
                word for one in ours["reservations"] for word in _words(one)))
        return out
    return check


def _view_of(world: World, info: Json | None) -> str:
    """The node that a call was given; one that no test added becomes known."""
    info = (info or {}).get("nodeInfo") or {}
    if not info.get("node"):
        raise Unanswerable("no node: an error of the caller")
    name = world.object(info["node"])["metadata"]["name"]
    world.need_view(name, info)
    return name


def _filter(world: World, step: Json) -> None:
    script, args = world.script, world.script.args(step)
    pod = world.object(args["pod"])
    node = _view_of(world, args["nodeInfo"])
    if objects.is_stand_in(pod):
        _own(world, pod)
    ignores = objects.labels(pod).get(KEY + "reservation-ignored") == "true"
    world.ask(f"step {step['n']}", _same_verdict(script, step, world.required), "filter",
              node=node, ignores=ignores)


def _score(world: World, step: Json) -> None:
    script, args = world.script, world.script.args(step)
    pod = world.object(args["pod"])
    known, score = after(script, step, ("score",))
    if not known or not objects.is_stand_in(pod):
        return
    world.ask(f"step {step['n']}", equals(score, "score"), "score",
              node=_view_of(world, args["nodeInfo"]))


def _facts(world: World, pod: Json, reservation: Json | None) -> Json:
    meta = pod.get("metadata") or {}
    known = world.pods.get(f"{meta.get('namespace', '')}/{meta.get('name', '')}")
    status = (reservation or {}).get("status") or {}
    return {
        "task_exists": known is not None,
        "task_node": ((known or {}).get("spec") or {}).get("nodeName", ""),
        "reservation_exists": reservation is not None,
        "reservation_is_active": reservation is not None and objects.event(
            reservation) == "active",
        "reservation_waits": reservation is not None and not status.get("nodeName")
        and status.get("phase", "") in ("", "Pending"),
    }


def _listed(world: World, row: Json) -> Json | None:
    return world.reservations.get((row.get("metadata") or {}).get("name", ""))


def _promise(world: World, step: Json) -> None:
    args = world.script.args(step)
    if not args["rInfo"]:
        return
    pod, row = world.object(args["pod"]), of_info(world, args["rInfo"])
    world.add("promise", task=uid(pod), node=args["nodeName"], reservation=uid(row),
              **_facts(world, pod, _listed(world, row)))


def _promised(world: World, step: Json) -> None:
    args = world.script.args(step)
    right = world.script.value(world.script.results.get(step["n"]))
    name = "" if not right else uid(of_info(world, right))
    world.ask(f"step {step['n']}", equals(name), "reservation_of",
              task=uid(world.object(args["pod"])), node=args["nodeName"])


def _forget(world: World, step: Json) -> None:
    args = world.script.args(step)
    pod = world.object(args.get("pod") or args.get("reservePod"))
    if objects.is_stand_in(pod) or "reservePod" in args:
        world.add("forget_reservation", reservation=uid(pod))
    else:
        world.add("forget_task", task=uid(pod))


def _promise_node(world: World, step: Json) -> None:
    args = world.script.args(step)
    pod = world.object(args.get("pi") or args.get("pod"))
    name = notes(pod).get(KEY + "reservation-name", "")
    if not name:
        world.add("forget_reservation", reservation=uid(pod))
        return
    row = world.reservations.get(name)
    facts = {} if not world.reservations else {
        "reservation_exists": row is not None,
        "reservation_is_active": row is not None and objects.event(row) == "active"}
    world.add("promise_node", reservation=uid(pod), node=args["nodeName"], **facts)


def _promised_on(world: World, step: Json) -> None:
    right = world.script.value(world.script.results[step["n"]]) or []
    uids = [uid(world.object(one)) for one in right]
    world.ask(f"step {step['n']}", equals(uids), "reservations_on",
              node=world.script.args(step)["nodeName"])


def _nominate(world: World, step: Json) -> None:
    script, args = world.script, world.script.args(step)
    known, right = after(script, step, ("rInfo", "nominateRInfo"))
    if not known:
        return
    name = "" if not right else uid(of_info(world, right))
    world.need_views()
    world.ask(f"step {step['n']}", equals(name), "nominate",
              task=uid(world.object(args["pod"])), node=args["nodeName"])


def _own(world: World, pod: Json) -> None:
    """Makes the reservation that a pod stands for the one of the cycle, where no state has it."""
    if world.ops_have_own:
        return
    row = _listed(world, {"metadata": {"name": notes(pod).get(KEY + "reservation-name", "")}})
    if row is None:
        # The reservation is gone: what is known of it is its stand-in.
        row = {"kind": "Reservation", "metadata": {"uid": uid(pod)}}
    world.ops_have_own = True
    world.add("own", own=objects.placed(pod, row))


def _reserve(world: World, step: Json) -> None:
    """Plugin.Reserve, and Plugin.ReservationNominate, which promises without taking."""
    script, args = world.script, world.script.args(step)
    pod, code = world.object(args["pod"]), code_of(script, step)
    _open_cycle(world)
    world.need_view(args["nodeName"])
    if objects.is_stand_in(pod):
        _own(world, pod)
    elif not world.prepared and "podRequestsResources" not in (written_state(world, step) or {}):
        # A state that a test made up without the pod's request.
        written = written_state(world, step) or {}
        if not written.get("nodeReservationStates"):
            world.add("load", has_affinity=bool(written.get("hasAffinity")),
                      request=objects.requests(pod))
    facts = _facts(world, pod, None) | {"reservation_exists": True, "reservation_is_active": True}
    world.ask(f"step {step['n']}", equals(code) if code else lambda ours: [],
              "reserve" if step["call"].endswith("Reserve") else "promise_any",
              task=uid(pod), node=args["nodeName"], **facts,
              ignores=objects.labels(pod).get(KEY + "reservation-ignored") == "true")


def _unreserve(world: World, step: Json) -> None:
    args = world.script.args(step)
    pod = world.object(args["pod"])
    if objects.is_stand_in(pod):
        _own(world, pod)
    world.add("unreserve", node=args["nodeName"])


def _filter_nominated(world: World, step: Json) -> None:
    """Plugin.FilterNominateReservation(pod, reservation, node): it alone must do."""
    script, args = world.script, world.script.args(step)
    pod, info = world.object(args["pod"]), deep(script, args["rInfo"])
    world.need_views()
    if args["nodeName"] not in {op["view"]["name"] for op in world.ops if op["op"] == "view"}:
        raise Unanswerable("no node: an error of the caller")
    row = of_info(world, info)
    ignores = objects.labels(pod).get(KEY + "reservation-ignored") == "true"
    if (row.get("spec") or {}).get("preAllocation"):
        placed = objects.placed(world.object(info.get("Pod")) or {}, row)
        world.add("own", own=placed | {"request": _state_request(world, step)})
        world.ask(f"step {step['n']}", _same_verdict(script, step, True), "filter_one",
                  node=args["nodeName"], task=held(pod))
        return
    world.ask(f"step {step['n']}", _same_verdict(script, step, True), "filter_one",
              node=args["nodeName"], entry=[entry(world, info)], ignores=ignores)


def _state_request(world: World, step: Json) -> Json:
    return resource((written_state(world, step) or {}).get("podRequestsResources"))


def _nominate_taken(world: World, step: Json) -> None:
    """Plugin.NominatePreAllocation(reservation, node): the task that it would take over."""
    script, args = world.script, world.script.args(step)
    known, right = after(script, step, ("nominatedPod",))
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    info, state = deep(script, args["rInfo"]), deep(script, written_state(world, step)) or {}
    row = of_info(world, info)
    if row is None:
        raise Unanswerable("a reservation without an object: an error of the caller")
    placed = objects.placed(world.object(info.get("Pod")) or {}, row) | {
        "request": _state_request(world, step),
        "takes_over": bool((row.get("spec") or {}).get("preAllocation")),
        "must_take_over": bool(state.get("isPreAllocationRequired"))}
    placed["record"] = entry(world, info)["record"]
    world.need_views()
    world.add("own", own=placed)
    uids = [uid(world.object(right))] if right else []
    world.ask(f"step {step['n']}", equals(uids), "nominate_tasks", node=args["nodeName"])


def _promised_before(world: World, check: Json) -> None:
    """A test that writes promises into the nominator."""
    for reservation, nodes in (world.script.value(check["value"]) or {}).items():
        for node, pods in nodes.items():
            world.add("promise_tasks", reservation=reservation, node=node, task_node=node,
                      tasks=[uid(world.object(pod)) for pod in pods], reservation_waits=True)


def _victim(world: World, step: Json) -> None:
    args = world.script.args(step)
    pod = world.object(args.get("podInfoToAdd") or args.get("podInfoToRemove"))
    node = world.object(args["nodeInfo"]["nodeInfo"]["node"])["metadata"]["name"]
    world.add("victim", node=node, leaves=step["call"].endswith("RemovePod"), victim=held(pod))


def _reasons_of(world: World, step: Json) -> None:
    """PostFilter: why reservations did not serve the pod."""
    script, args = world.script, world.script.args(step)
    known, status = after(script, step, ("got1", "status"))
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    state = written_state(world, step) or {}
    listed = (args.get("filteredNodeStatusMap") or {}).get("nodeToStatus") or {}
    nodes = [{"tally": tally, "reasons": (listed.get(name) or {}).get("reasons") or []}
             for name, tally in (state.get("nodeReservationDiagnosis") or {}).items()]
    # What preemption answers is another plug-in's word.
    right = sorted(reason for reason in (status or {}).get("reasons") or []
                   if not reason.startswith("preemption: "))
    world.ask(f"step {step['n']}", lambda ours: equals(right)(sorted(ours)), "reasons",
              nodes=nodes, has_affinity=bool(state.get("hasAffinity")))


# --- single rules


def _named_nodes(world: World, step: Json) -> None:
    script = world.script
    known, names = after(script, step, ("got", "nodeNames", "specificNodes"))
    code = code_of(script, step, ("status", "got1"))
    if not known and code is None:
        raise Unanswerable("the record does not hold what the call returned")

    def check(ours: Json) -> list[str]:
        out = [] if code is None else equals(code != "Success", "conflict")(ours["conflict"])
        if known and code in (None, "Success"):
            out += equals(sorted(names or []))(ours["names"])
        return out
    world.ask(f"step {step['n']}", check, "named_by",
              shape=objects.shape(world.object(script.args(step)["pod"]) or {}))


def _fake_promise_node(world: World, step: Json) -> None:
    """The nominator of other plug-ins' tests, which asks nothing of the cluster."""
    args = world.script.args(step)
    world.add("promise_node", reservation=uid(world.object(args["pod"])), node=args["nodeName"])


def _fake_promise(world: World, step: Json) -> None:
    args = world.script.args(step)
    world.add("promise", task=uid(world.object(args["pod"])), node=args["nodeName"],
              reservation=uid(of_info(world, args["rInfo"])), reservation_is_active=True)


def _fake_forget(world: World, step: Json) -> None:
    pod = uid(world.object(world.script.args(step)["pod"]))
    world.add("forget_reservation", reservation=pod)
    world.add("forget_task", task=pod)


def _node_of(world: World, step: Json) -> None:
    world.ask(f"step {step['n']}", equals(world.script.results[step["n"]]), "node_of",
              reservation=uid(world.object(world.script.args(step)["pod"])))


def _promised_tasks(world: World, step: Json) -> None:
    script, args = world.script, world.script.args(step)
    right = script.value(script.results.get(step["n"]))
    pods = right if isinstance(right, list) else [right] if right else []
    uids = [uid(world.object(pod)) for pod in pods] or None
    world.ask(f"step {step['n']}", equals(uids), "tasks_for",
              reservation=uid(of_info(world, args["rInfo"])), node=args["nodeName"])


HANDLERS: dict[str, Handler] = cache.HANDLERS | {
    "FakeNominator.AddNominatedReservation": _fake_promise,
    "FakeNominator.AddNominatedReservePod": _fake_promise_node,
    "FakeNominator.DeleteNominatedReservePod": _fake_forget,
    "FakeNominator.DeleteNominatedReservePodOrReservation": _fake_forget,
    "FakeNominator.GetNominatedNodeForReservePod": _node_of,
    "FakeNominator.GetNominatedPreAllocation": _promised_tasks,
    "FakeNominator.GetNominatedReservation": _promised,
    "FakeNominator.NominatedReservePodForNode": _promised_on,
    "CycleState.Write": load,
    "Plugin.AfterPreFilter": _finish,
    "Plugin.BeforePreFilter": _prepare,
    "Plugin.Filter": _filter,
    "Plugin.FilterNominateReservation": _filter_nominated,
    "Plugin.GetNominatedPreAllocation": _promised_tasks,
    "Plugin.GetNominatedPreAllocations": _promised_tasks,
    "Plugin.NominatePreAllocation": _nominate_taken,
    "Plugin.ReservationNominate": _reserve,
    "Plugin.PostFilter": _reasons_of,
    "Plugin.PreFilter": _pre_filter,
    "Plugin.Reserve": _reserve,
    "Plugin.Score": _score,
    "Plugin.Unreserve": _unreserve,
    "PreFilterExtensions.AddPod": _victim,
    "PreFilterExtensions.RemovePod": _victim,
    "ReservationNominator.AddNominatedReservation": _promise,
    "ReservationNominator.DeleteNominatedReservePodOrReservation": _forget,
    "ReservationNominator.GetNominatedReservation": _promised,
    "ReservationNominator.NominateReservation": _nominate,
    "getStateData": read_state,
    "nominator.AddNominatedReservePod": _promise_node,
    "nominator.NominatedReservePodForNode": _promised_on,
    "parseSpecificNodesFromAffinity": _named_nodes,
}
# Calls that decide nothing: constructors, getters and what a test sets up beside the plug-in.
SILENT = {"GetRequiredReservationAffinity", "GetReservationNameFromReservePod", "IsReservePod",
          "NewReservationInfo", "NewReservePod", "NodeInfo.AddPod", "NodeInterface.Create",
          "ReservationInfo.AddAssignedPod", "ReservationInfo.GetReservePod",
          "ReservationInfo.IsAvailable", "ReservationInfo.IsMultiplePAPodsEnabled",
          "ReservationInfo.RefreshPreCalculated", "ReservationInfo.UID", SUITE,
          "SetReservationAvailable", "newNominator", "newReservationCache",
          "podEventHandler.isPreAllocatablePod",
          "reservationCache.DumpReservationSelectorIndex",
          "reservationCache.checkReservationSelectorIndexConsistency"}


def _of_next_suite(script: Any, at: int) -> bool:
    """Whether a suite of plug-ins is made before anything but pods of its nodes is added."""
    for step in script.steps[at:]:
        call = step.get("call")
        if call == SUITE:
            return True
        if call not in (None, "NodeInfo.AddPod", "NewReservePod"):
            return False
    return False


def worlds(script: Any) -> list[World]:
    made = [World(script, 0)]
    pending: list[Json] = []
    seen_suite = False
    looked = sorted(script.checks, key=lambda check: check["n"])
    for at, step in enumerate(script.steps):
        while looked and looked[0]["n"] < step["n"]:
            checked(made[-1], looked.pop(0))
        call, world = step.get("call"), made[-1]
        if step.get("set") == "pl.nominator.nominatedPreAllocatable":
            _promised_before(world, step)
        if call is None:
            continue
        if call == "NodeInfo.AddPod":
            pod = world.object(script.args(step)["pod"])
            if _of_next_suite(script, at):
                pending.append(pod)
            elif world.views:
                world.add("add_to_view", node=(pod.get("spec") or {}).get("nodeName", ""),
                          tasks=held(pod))
            else:
                world.snapshot.append(pod)
        elif call == SUITE:
            if seen_suite:
                made.append(World(script, len(made)))
            seen_suite = True
            made[-1].snapshot, pending = [*made[-1].snapshot, *pending], []
        elif call in HANDLERS:
            compare_cache(world, step)
            HANDLERS[call](world, step)
        elif call not in SILENT:
            raise Unanswerable(f"a script of reservations that calls {call}")
    for check in looked:
        checked(made[-1], check)
    return made


# Calls that are no rule, by what they do.
NO_RULE = {
    "FakeNominator.AddNominatedPreAllocation":
        "the nominator of other plug-ins' tests: it promises nothing",
    "FakeNominator.ReservationNominate":
        "the nominator of other plug-ins' tests: it promises nothing",
    "Plugin.Bind": "marks that binding writes: nothing is decided",
    "Plugin.PreBind": "marks that binding writes: nothing is decided",
    "Plugin.RegisterEndpoints": "answers of an HTTP service: nothing is decided",
    "getSchedulingHint": "reading of marks and lists: the caller reads them before it asks",
    "stateData.Clone": "copies of the state of a cycle: nothing is decided",
}


def run(script: Any, probe: Probe) -> list[str]:
    """A record of another form fails; it does not end the run."""
    for step in script.steps:
        if reason := NO_RULE.get(step.get("call", "")):
            raise Unanswerable(reason)
    try:
        return _run(script, probe)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"a record of another form: {error!r}") from error


def _run(script: Any, probe: Probe) -> list[str]:
    made = worlds(script)
    if not any(world.checks for world in made):
        raise Unanswerable("the record does not hold what the call returned")
    return [line for world in made for line in world.run(probe)]

