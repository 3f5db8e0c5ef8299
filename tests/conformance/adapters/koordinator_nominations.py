# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of promises across schedulers, of nodes that a pod prefers, and of
single questions about a reservation."""

from typing import Any, Callable

from adapters import koordinator_reservation_cycles as cycles
from adapters import koordinator_reservation_objects as objects
from adapters.koordinator_objects import annotation
from adapters.koordinator_reservation_cache import held, same_entry
from adapters.koordinator_reservation_objects import found, uid
from adapters.koordinator_reservation_state import entry
from adapters.koordinator_reservation_world import Check, World, after, resource
from probe import Probe, Unanswerable

Json = dict[str, Any]
HINT = "internal.scheduling.koordinator.sh/scheduling-hint"


def _task(pod: Json | None) -> Json:
    if not pod or pod.get("kind") != "Pod":
        return {}
    spec = pod.get("spec") or {}
    return {"uid": uid(pod), "priority": spec.get("priority") or 0,
            "promised": (pod.get("status") or {}).get("nominatedNodeName", ""),
            "node": spec.get("nodeName", ""), "scheduler": spec.get("schedulerName", "")}


class Promises:
    """Operations on one nominator, and what the record has for their answers."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.ops: list[Json] = []
        self.right: list[tuple[str, Any] | None] = []

    def add(self, op: str, **arguments: Any) -> None:
        self.ops.append({"op": op} | arguments)
        self.right.append(None)

    def ask(self, step: Json, right: Any, op: str, **arguments: Any) -> None:
        self.add(op, **arguments)
        self.right[-1] = (f"step {step['n']}", right)

    def restart(self) -> None:
        """A test made a new nominator; nothing that was asked of the old one is lost."""
        if self.ops:
            self.add("reset")

    def run(self, probe: Probe) -> list[str]:
        out: list[str] = []
        start = 0
        bounds = [i for i, op in enumerate(self.ops) if op["op"] == "reset"] + [len(self.ops)]
        for end in bounds:
            answers = probe.koordinator_nominations(self.ops[start:end])
            for answer, right in zip(answers, self.right[start:end], strict=True):
                if right is not None and answer != right[1]:
                    out.append(f"{right[0]}: {answer}, recorded {right[1]}")
            start = end + 1
        return out


def _pod(script: Any, value: Any) -> Json | None:
    """The pod; null for what is none."""
    value = script.value(value)
    if not isinstance(value, dict):
        return None
    if "ref" in value:
        return found(script, value)
    inner = value.get("Obj")
    return found(script, inner) if isinstance(inner, dict) and "ref" in inner else None


PREFIX = "CrossSchedulerPodNominator."


def _made_new(step: Json) -> bool:
    return step.get("call") == "NewCrossSchedulerPodNominator" or (
        step.get("set") in ("nominator", "n") and isinstance(step.get("value"), dict)
        and step["value"].get("nominatedPodToNode") == {})


def _events(promises: Promises, step: Json) -> None:
    script, call = promises.script, step.get("call", "")
    args = script.args(step)
    if call.startswith(PREFIX + "On") and not args:
        raise Unanswerable("the record does not hold an object that a call was given")
    if call == PREFIX + "AddLocalProfileName":
        promises.add("own", name=args["profileName"])
    elif call == PREFIX + "OnAdd":
        if task := _task(_pod(script, args["obj"])):
            promises.add("put", task=task)
    elif call == PREFIX + "OnUpdate":
        before, now = _task(_pod(script, args["oldObj"])), _task(_pod(script, args["newObj"]))
        if before and now:
            promises.add("change", before=before, now=now)
    elif call == PREFIX + "OnDelete":
        if task := _task(_pod(script, args["obj"])):
            promises.add("remove", uid=task["uid"])
    elif call == PREFIX + "ShouldHandle" and step["n"] in script.results:
        if args["obj"] is None and "DeletedFinalStateUnknown" in script.case["name"]:
            raise Unanswerable("the record does not hold an object that a call was given")
        promises.ask(step, script.results[step["n"]], "concerns",
                     task=_task(_pod(script, args["obj"])))
    elif call == PREFIX + "NominatedPodsForNode" and step["n"] in script.results:
        right = [uid(found(script, one)) for one in script.value(script.results[step["n"]]) or []]
        promises.ask(step, right, "on", node=args["nodeName"])


def _across_schedulers(script: Any, probe: Probe) -> list[str]:
    """CrossSchedulerPodNominator: which promises of other schedulers are kept."""
    promises = Promises(script)
    for step in script.steps:
        if _made_new(step):
            promises.restart()
        else:
            _events(promises, step)
    if not any(promises.right):
        raise Unanswerable("the record does not hold what the call returned")
    return promises.run(probe)


def _filtered_events(script: Any, probe: Probe) -> list[str]:
    """Events that an informer hands over if they matter; the record shows the pods alone."""
    promises = Promises(script)
    for step in script.steps:
        call = step.get("call", "")
        if call == PREFIX + "AddLocalProfileName":
            promises.add("own", name=script.args(step)["profileName"])
        elif call == PREFIX + "NominatedPodsForNode":
            right = [uid(found(script, one))
                     for one in script.value(script.results[step["n"]]) or []]
            promises.ask(step, right, "on", node=script.args(step)["nodeName"])
        elif _is_pod(step):
            promises.add("follow", before=_known(promises), now=_task(_pod(script, step["value"])))
        elif step.get("set", "").count(".") >= 2 and isinstance(step.get("value"), str):
            promises.ops[-1]["now"] |= _field(step)
    return promises.run(probe)


def _is_pod(step: Json) -> bool:
    value = step.get("value")
    return ("set" in step and isinstance(value, dict)
            and str(value.get("ref", "")).startswith("Pod "))


def _field(step: Json) -> Json:
    fields = {"Status.NominatedNodeName": "promised", "Spec.NodeName": "node",
              "Spec.SchedulerName": "scheduler"}
    name = step["set"].partition(".")[2]
    return {fields[name]: step["value"]} if name in fields else {}


def _known(promises: Promises) -> Json:
    last = [op["now"] for op in promises.ops if op["op"] == "follow"]
    return last[-1] if last else {}


def _job(script: Any, before: int) -> list[str]:
    """The tasks of the same job, which count nothing."""
    inputs = script.case["state"].get("inputs") or {}
    for key in ("nominatedPodsOfTheSameJob", "nominatedPodsToRemove"):
        if inputs.get(key):
            return inputs[key]
    for step in reversed(script.steps):
        if step["n"] < before and step.get("call") == "MakeNominatedPodsOfTheSameJob":
            return script.args(step)["uids"] or []
    return []


def _own_promises(script: Any) -> list[Json]:
    inputs = script.case["state"].get("inputs") or {}
    listed = [one for key in ("nominatedPods", "nativeNominated", "nativeNominatedPods")
              for one in inputs.get(key) or []]
    return [_task(found(script, one)) for one in listed]


def _foreign_promises(script: Any, promises: Promises) -> bool:
    """Those of the row; tests make the nominators of all rows first."""
    inputs = script.case["state"].get("inputs") or {}
    nominator = inputs.get("crossNominator") or inputs.get("crossSchedulerNominator")
    for pods in ((nominator or {}).get("nominatedPods") or {}).values():
        for one in pods:
            promises.add("put", task=_task(found(script, one)))
    return nominator is not None


def _counted(script: Any, probe: Probe) -> list[str]:
    """addNominatedPods and addMergedNominatedPods: promises that count while a pod is tried."""
    promises = Promises(script)
    calls = script.calls("addNominatedPods", "addMergedNominatedPods")
    merged = calls[0]["call"] == "addMergedNominatedPods"
    if merged:
        _foreign_promises(script, promises)
    for step in calls:
        args = script.args(step)
        known, out = script.variable("nodeInfoOut", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        node = found(script, args["nodeInfo"]["nodeInfo"]["node"])["metadata"]["name"]
        right = [uid(found(script, one)) for one in out["nodeInfo"].get("pods") or []]
        own = [task for task in _own_promises(script) if task["promised"] == node]
        promises.ask(step, right, "counted", asker=_task(found(script, args["pod"])), node=node,
                     own=own, same_job=script.value(args["podsOfSameJob"]) or [], foreign=merged)
    return promises.run(probe)


def _fits_with_promises(script: Any, probe: Probe) -> list[str]:
    """RunFilterPluginsWithNominatedPods with a filter of room alone: a pod fits a node with the
    promises that count, and without them."""
    promises = Promises(script)
    gates = {step["args"]["f"]: step["args"]["value"]
             for step in script.calls("SetFeatureGateDuringTest")}
    inputs = script.case["state"]["inputs"]
    foreign = _foreign_promises(script, promises) and gates.get("CrossSchedulerNomination", False)
    node, pod = found(script, inputs["node"]), found(script, inputs["pod"])
    own = _own_promises(script)
    name = node["metadata"]["name"]
    promises.add("counted", asker=_task(pod), node=name, own=own, same_job=_job(script, 10**9),
                 foreign=foreign)
    [*_, counted] = probe.koordinator_nominations(promises.ops)
    room = objects.amounts((node.get("status") or {}).get("allocatable"))
    known = {uid(one["object"]): one["object"] for one in reversed(script.case["objects"])}
    asked = [{"uid": one, "request": objects.requests(known[one])} for one in counted]
    view = objects.view(node, []) | {"tasks": asked}
    need = [{"uid": uid(pod), "request": objects.requests(pod)}]
    outcomes = [step["value"] for step in script.steps if step.get("set") == "status"]
    outcomes += [check["actual"] for check in script.checks if check["what"] in (
        "status", "frameworkExtender.RunFilterPluginsWithNominatedPods()")]
    fits = _room(probe, view, need, room)
    # A status of success is recorded as nothing.
    right = not outcomes or outcomes[-1] is None or outcomes[-1]["code"] == "Success"
    return [] if fits == right else [f"fits {fits} with {counted}, recorded {outcomes}"]


def _room(probe: Probe, view: Json, need: list[Json], room: Json) -> bool:
    requested: Json = {}
    for task in view["tasks"]:
        for resource, amount in task["request"].items():
            requested[resource] = requested.get(resource, 0) + amount
    lacks = probe.reservations(
        "node", request=need[0]["request"], left={}, always=["cpu", "memory"],
        node={"capacity": room, "requested": requested, "tasks": len(view["tasks"]),
              "most_tasks": view["most_tasks"]})
    return not lacks["resources"] and not lacks["tasks"]


# --- nodes that a pod prefers


def _prefers(script: Any, probe: Probe) -> list[str]:
    """Plugin.PreferNodes(pod, what earlier filters left), 100 nodes at most."""
    promises = Promises(script)
    hints = script.calls("SetSchedulingHintState")
    for step in script.calls("Plugin.PreferNodes"):
        result = script.args(step)["result"] or {}
        preferred = script.value(hints[-1]["args"]["data"])["PreferredNodes"] if hints else []
        known, names = script.variable("nodeNames", step["n"])
        promises.ask(step, script.value(names) if known else [], "preferred",
                     preferred=script.value(preferred) or [], allowed=result.get("NodeNames"),
                     most=100)
    return promises.run(probe)


def _hinted(script: Any, probe: Probe) -> list[str]:
    """A hint's annotation, as the nodes that the cycle is held to and those that it prefers."""
    promises, compared = Promises(script), 0
    for step in script.calls("Plugin.PreFilter"):
        pod = found(script, script.args(step)["pod"]) or {}
        hint = annotation(pod, HINT) or {}
        known, result = after(script, step, ("res",))
        if not known:
            continue
        compared += 1
        nodes = hint.get("nodeNames") or []
        right = [] if result is None else sorted(result["NodeNames"])
        promises.ask(step, right, "preferred", preferred=sorted(nodes), allowed=None,
                     most=len(nodes))
    if not compared:
        raise Unanswerable("reading of marks and lists: the caller reads them before it asks")
    return promises.run(probe)


# --- one reservation


def _matches_affinity(script: Any, probe: Probe) -> list[str]:
    """ReservationInfo.MatchReservationAffinity(affinity, node)."""
    out = []
    for step in script.calls("ReservationInfo.MatchReservationAffinity"):
        asked = script.calls("GetRequiredReservationAffinity")[-1]
        pod = found(script, script.args(asked)["pod"])
        info = script.value(step["receiver"])
        row = found(script, info.get("Reservation") or info.get("Pod"))
        node = found(script, script.args(step)["node"]) or {}
        [got] = probe.reservation_cycles({}, [
            {"op": "match", "record": objects.record(row), "asker": objects.asker(pod),
             "node_labels": objects.labels(node)}])
        known, right = after(script, step, ("got", "matched"))
        if step["n"] in script.results:
            known, right = True, script.results[step["n"]]
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        if got["affinity"] != right:
            out.append(f"step {step['n']}: {got['affinity']}, recorded {right}")
    return out


def _keeps_tasks_off(script: Any, probe: Probe) -> list[str]:
    """ReservationInfo.IsUnschedulable and IsTerminating, by a task that owns all reservations."""
    out = []
    for step in script.calls("ReservationInfo.IsUnschedulable", "ReservationInfo.IsTerminating"):
        row = found(script, script.case["state"]["inputs"].get("obj")
                    or script.case["state"]["inputs"].get("reservation"))
        if row is None:
            raise Unanswerable("the record does not hold an object that a call was given")
        record = objects.record(row) | {"owners": [{}], "owners_can_be_read": True, "taints": []}
        if step["call"].endswith("IsTerminating"):
            record["unschedulable"] = False
        [got] = probe.reservation_cycles({}, [
            {"op": "match", "record": record, "asker": {"object": {}}}])
        right = script.results.get(step["n"])
        if right is None:
            right = next((c["actual"] for c in script.checks if c["n"] > step["n"]), None)
        if not isinstance(right, bool):
            raise Unanswerable("the record does not hold what the call returned")
        if got["matches"] == right:
            out.append(f"step {step['n']}: matches {got['matches']}, recorded {right}")
    return out


def _updates(script: Any, probe: Probe) -> list[str]:
    """ReservationInfo.UpdateReservation and UpdatePod: what an entry keeps when its object
    changes."""
    out = []
    calls = script.calls("ReservationInfo.UpdateReservation", "ReservationInfo.UpdatePod")
    for step in calls:
        world = World(script, 0)
        before = script.value(step["receiver"])
        args = script.args(step)
        row = found(script, args.get("r") or args.get("pod"))
        found_checks = [script.value(check["actual"]) for check in script.checks
                        if check["n"] > step["n"] and check["what"] == step.get("on")]
        right = found_checks[0] if found_checks else None
        if not isinstance(right, dict):
            raise Unanswerable("the record does not hold what the call returned")
        old = entry(world, before)
        old["record"]["uid"] = uid(row)
        world.add("put", record=old["record"])
        world.add("add_tasks", uid=uid(row), tasks=old["tasks"])
        world.add("put", record=objects.record(row))
        world.ask(f"step {step['n']}", same_entry(world, right), "find", uid=uid(row))
        out += world.run(probe)
    return out


def _available(script: Any, probe: Probe) -> list[str]:
    """ReservationInfo.GetAvailable and GetAllocatedResource, as pods come and go."""
    world = World(script, 0)
    for step in script.steps:
        call, args = step.get("call", ""), script.args(step)
        if call == "NewReservationInfo":
            row = found(script, args["r"])
            world.add("put", record=objects.record(row))
        elif call == "ReservationInfo.AddAssignedPod":
            world.add("add_tasks", uid=uid(row), tasks=held(found(script, args["pod"])))
        elif call == "ReservationInfo.RemoveAssignedPod":
            world.add("remove_tasks", uid=uid(row), tasks=[uid(found(script, args["pod"]))])
        elif call in ("ReservationInfo.GetAvailable", "ReservationInfo.GetAllocatedResource"):
            key = "left" if call.endswith("GetAvailable") else "used"
            known, right = (True, script.results[step["n"]]) if step["n"] in script.results else (
                after(script, step, ("allocatedResource", "allocated", "res",
                                     "rInfo.GetAvailable()")))
            if known:
                world.ask(f"step {step['n']}", _has(key, resource(script.value(right))),
                          "find", uid=uid(row))
    if not world.checks:
        raise Unanswerable("the record does not hold what the call returned")
    return world.run(probe)


def _has(key: str, right: Json) -> Check:
    def check(ours: Json) -> list[str]:
        got = {name: amount for name, amount in ours[key].items() if amount}
        return [] if got == right else [f"{key} {got}, recorded {right}"]
    return check


CALLS: dict[str, Callable[[Any, Probe], list[str]]] = {
    "Plugin.PreferNodes": _prefers,
    "ReservationInfo.GetAvailable": _available,
    "ReservationInfo.IsTerminating": _keeps_tasks_off,
    "ReservationInfo.IsUnschedulable": _keeps_tasks_off,
    "ReservationInfo.MatchReservationAffinity": _matches_affinity,
    "ReservationInfo.UpdatePod": _updates,
    "ReservationInfo.UpdateReservation": _updates,
    "addMergedNominatedPods": _counted,
    "addNominatedPods": _counted,
}


def _no_rule(reason: str) -> Callable[[Any, Probe], list[str]]:
    def rule_of(_script: Any, _probe: Probe) -> list[str]:
        raise Unanswerable(reason)
    return rule_of


MADE_UP = _no_rule("plug-ins that a test made up: the framework hands on what they return")
QUEUE = _no_rule("copies of an entry of the peer's queue: nothing is decided")
WATCH = _no_rule("how long a cycle takes: it is watched, and nothing is decided")
WORDS = _no_rule("words of diagnoses, conditions and suggestions: nothing is decided")
REJECTER = _no_rule("the record does not name the plug-in that a status came from")
HANDLERS = _no_rule("handlers and controllers that are registered and called: nothing is decided")
GETTERS = _no_rule("getters of a cache: nothing is decided")
SERVICE = _no_rule("answers of an HTTP service: nothing is decided")
# Calls of the framework itself that decide nothing, where a script has none of CALLS.
NO_RULE = {
    "CopyQueueInfoToPod": QUEUE,
    "RecordPodQueueInfoToPod": QUEUE,
    "makePodInfoFromPod": QUEUE,
    "NewSchedulerMonitor": WATCH,
    "Diagnosis.SetSuggestion": WORDS,
    "recordScheduleDiagnosis": WORDS,
    "TakeoverNominatingInfo": REJECTER,
    "getRejecterPlugin": REJECTER,
    "ControllersMap.RegisterControllers": HANDLERS,
    "errorHandlerDispatcher.setDefaultHandler": HANDLERS,
    "ExtendedHandle.ForgetPod": HANDLERS,
    "SetReservationCache": GETTERS,
    "GetNominatedPodsOfTheSameJob": GETTERS,
    "treeManager.run": GETTERS,
    "ReservationInfo.Clone": GETTERS,
    "frameworkExtenderImpl.updatePlugins": MADE_UP,
    "FrameworkExtender.SetConfiguredPlugins": MADE_UP,
    "NewEngine": MADE_UP,
}
# Tests of which the record has no call.
UNNAMED = {
    "TestCollectSchedulePodResult": WORDS,
    "TestSetSuggestion": WORDS,
    "TestSetSuggestion_Concurrent": WORDS,
    "TestFrameworkExtenderFactory_updatePlugins_NextPodPlugin": MADE_UP,
}


def _checked(found_rule: Callable[[Any, Probe], list[str]]) -> Callable[[Any, Probe], list[str]]:
    """A record of another form fails; it does not end the run."""
    def rule_of(script: Any, probe: Probe) -> list[str]:
        try:
            return found_rule(script, probe)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"a record of another form: {error!r}") from error
    return rule_of


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of promises, hints and single reservations a script is about, if anything."""
    found_rule = _rule(script)
    return None if found_rule is None else _checked(found_rule)


def _rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    calls = {step["call"] for step in script.steps if "call" in step}
    test = script.case["test"]
    if test.startswith("scheduler-plugins-schedulinghint."):
        return _prefers if "Plugin.PreferNodes" in calls else _hinted
    if test == "scheduler-plugins-loadaware.TestQueryNode":
        return SERVICE
    if not test.startswith(("scheduler-frameworkext.", "scheduler-frameworkext-network")):
        return None
    if found_rule := next((CALLS[call] for call in CALLS if call in calls), None):
        return found_rule
    if "RunFilterPluginsWithNominatedPods" in test:
        return _fits_with_promises
    if "FilteringResourceEventHandler" in test:
        return _filtered_events
    if any(call.startswith(PREFIX) for call in calls):
        return _across_schedulers
    if any(call.startswith("FakeNominator.") for call in calls):
        return cycles.run
    unnamed = UNNAMED.get(test.partition(".")[2])
    return unnamed or next((NO_RULE[call] for call in NO_RULE if call in calls), None)
