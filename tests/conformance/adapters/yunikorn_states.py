# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YuniKorn's decisions on recorded states: each call is made on the state before it, and its
result and what it changed are compared. Only what a call changed is compared of the world."""

from typing import Any

from probe import Probe, Unanswerable

from adapters import yunikorn_orders

Json = dict[str, Any]

# Calls with a state that decide something.
DECISIONS = {
    "Application.canReplace",
    "Application.getOutstandingRequests",
    "Application.tryAllocate",
    "Application.tryNodesNoReserve",
    "Application.tryPlaceholderAllocate",
    "Application.tryRequiredNode",
    "Application.tryReservedAllocate",
    "PartitionContext.calculateOutstandingRequests",
    "PartitionContext.tryAllocate",
    "PartitionContext.tryPlaceholderAllocate",
    "PartitionContext.tryReservedAllocate",
    "Preemptor.CheckPreconditions",
    "Preemptor.TryPreemption",
    "Preemptor.checkPreemptionQueueGuarantees",
    "Queue.FindEligiblePreemptionVictims",
    "Queue.GetCurrentPriority",
    "Queue.GetFairMaxResource",
    "Queue.GetMaxQueueSet",
    "Queue.GetMaxResource",
    "Queue.GetOutstandingRequests",
    "Queue.TryIncAllocatedResource",
    "Queue.TryReservedAllocate",
    "Queue.allocatedResFits",
    "Queue.canRunApp",
    "Queue.getHeadRoom",
    "Queue.getMaxHeadRoom",
    "Queue.setPreemptionTime",
    "Queue.sortQueues",
    "QuotaPreemptionContext.tryPreemption",
}


def _unanswerable(step: Json, listed: dict[str, str]) -> str | None:
    """Why the state does not hold what the call is about."""
    state = step["state"]
    apps = state.get("applications") or []
    known = {app["applicationID"] for app in apps}
    if any(app["state"] is None for app in apps):
        return "the application is a bare object that no queue or state machine knows"
    if any(listed.get(app["applicationID"], app["queue"]) != app["queue"] for app in apps):
        return "an application is listed by another queue than its own"
    on = step.get("on", {})
    app = on.get("app")
    if isinstance(app, str) and app not in known:
        return "the recorded state lacks the application"
    if step["op"] == "Queue.FindEligiblePreemptionVictims":
        if step["args"][1]["applicationID"] not in known:
            return "the recorded state lacks the application"
    nodes = {node["nodeID"] for node in state.get("nodesInIterationOrder") or []}
    if step["op"] == "Application.tryRequiredNode" and step["args"][0]["requiredNode"] not in nodes:
        return "the recorded state lacks the required node"
    if any(
        reservation["nodeID"] not in nodes
        for app in apps
        for reservation in app.get("reservations") or []
    ):
        return "the recorded state lacks a reserved node"
    if step["op"] == "Application.tryAllocate" and any(
        node.get("reservations") for node in state.get("nodesInIterationOrder") or []
    ):
        return "the test's iterator gives reserved nodes, which the core's leaves out"
    queue = on.get("queue")
    path = queue.get("queue") if isinstance(queue, dict) else queue
    if path is not None and path not in {q["path"] for q in state.get("queues") or []}:
        return "the recorded state lacks the queue"
    return None


def compare(step: Json, answer: Json) -> list[str]:
    """Against the closest of what the runs of the peer came to."""
    alternatives = step.get("alternatives", [])
    others = [{key: seen[key] for key in seen if seen[key]} for seen in alternatives]
    bare = {key: step[key] for key in step if key not in ("result", "decision")}
    recorded = [step] + [bare | {"result": [None]} | other for other in others]
    return min((_compare(one, answer) for one in recorded), key=len)


def _compare(step: Json, answer: Json) -> list[str]:
    lines = []
    wanted = [_plain(result) for result in step.get("result", [])]
    got = [_plain(result) for result in answer["results"]]
    if step["op"] == "Queue.FindEligiblePreemptionVictims":
        wanted = [_victims(step["result"][0])]
        got = [{path: sorted(keys) for path, keys in got[0].items()}]
    if step["op"] == "Queue.setPreemptionTime":
        wanted, got = [step["timeChange"]], [_start_changed(step, answer["results"][0])]
    if got != wanted:
        lines.append(f"{step['op']}: {got} instead of {wanted}")
    lines += _changes(step, answer)
    return lines


def _plain(result: Any) -> Any:
    """An error counts, not its words; no requests are none, whatever the list."""
    if isinstance(result, dict) and set(result) == {"error"}:
        return "error"
    if isinstance(result, list) and not result:
        return None
    return result


def _start_changed(step: Json, start: float | None) -> bool:
    """Whether the time from which a queue's limit is enforced is another than before the call."""
    queues = {queue["path"]: queue for queue in step["state"]["queues"]}
    before = queues[step["on"]["queue"]].get("quotaPreemptionStartTime")
    if before is None or start is None:
        return before is not start
    return abs(before - start) > _CLOCK


_CLOCK = 1e-9  # records have seconds; delays of some tests are a few nanoseconds


def _victims(snapshots: Json | None) -> Json:
    return {
        path: sorted(victim["allocationKey"] for victim in snapshot["potentialVictims"])
        for path, snapshot in (snapshots or {}).items()
        if snapshot.get("potentialVictims")
    }


def _changes(step: Json, answer: Json) -> list[str]:
    """Of the world that the state has: other objects may have changed, too."""
    ours = {kind: _changed(answer, kind, _places(step)) for kind in answer["after"]}
    lines = []
    for kind, got in ours.items():
        wanted = step.get("decision", {}).get(kind, {})
        known = {_key(name) for name in answer["before"][kind]}
        for name in sorted((got.keys() | wanted.keys()) & known):
            change = wanted.get(name)
            if isinstance(change, dict) and not _places(step):
                change = {key: item for key, item in change.items() if key != "nodeID"} or None
            if got.get(name) != change:
                lines.append(
                    f"{step['op']}: {kind} {name}: {got.get(name)} instead of {change}"
                )
    return lines


def _key(name: str) -> str:
    """Records name a request by its key, the probe by its application and key."""
    return name.rpartition(" ")[2]


def _changed(answer: Json, kind: str, places: bool) -> Json:
    changed = {}
    for name, before in answer["before"][kind].items():
        after = answer["after"][kind][name]
        if isinstance(after, dict):
            after = {key: item for key, item in after.items() if before[key] != item}
            if not places:
                after.pop("nodeID", None)
        if before != after and after != {}:
            changed[_key(name)] = after
    return changed


# Calls that a partition makes put the node of a result into the request; others leave it out.
def _places(step: Json) -> bool:
    return step["op"].startswith("PartitionContext.")


def _with_candidates(step: Json) -> Json:
    """The state of a call on quotas lacks the applications in some tests, but the receiver has
    their allocations."""
    on, state = step.get("on", {}), step["state"]
    if step["op"] != "QuotaPreemptionContext.tryPreemption" or "applications" in state:
        return state
    applications: dict[str, list[Json]] = {}
    for allocation in on["allocations"]:
        applications.setdefault(allocation["applicationID"], []).append(allocation)
    bare = {"user": "", "groups": [], "state": "Running", "submissionTime": 0.0, "pending": {}}
    bare |= {"allocated": {}, "allocatedPlaceholder": {}, "queue": on["queue"]["queue"]}
    return state | {
        "applications": [
            bare | {"applicationID": name, "allocations": allocations}
            for name, allocations in applications.items()
        ]
    }


def _early_reservation(step: Json) -> bool:
    """Whether a request younger than the default delay reserved a node."""
    reserved = step.get("decision", {}).get("reservations", {})
    for app in step["state"].get("applications") or []:
        keys = {key for key, _ in reserved.get(app["applicationID"], [])}
        keys -= {reservation["allocationKey"] for reservation in app.get("reservations", [])}
        for request in app.get("requestsInOrder", []):
            if request["allocationKey"] in keys and "requiredNode" not in request:
                if step["now"] - request["createTime"] < _RESERVATION_DELAY:
                    return True
    return False


_RESERVATION_DELAY = 2.0


_EXPIRE = 4  # the peer's number of the event that ends an application for good

# Calls that change no state of an application.
_STATELESS = {"NewApplication", "NewConfiguredQueue", "Application.SetQueue"}


def _events(case: Json) -> dict[str, list[Json]]:
    """The events of each application, if nothing else changed their states. No event leads out of
    Expired, so what follows is on a state that the test set."""
    events: dict[str, list[Json]] = {}
    expired: set[str] = set()
    for step in case.get("steps", []):
        if step["op"] == "Application.HandleApplicationEvent":
            app = step["on"]["app"]
            if app not in expired:
                events.setdefault(app, []).append(step)
            if step["args"][0] == _EXPIRE and step["result"][0] is None:
                expired.add(app)
        elif step["op"] not in _STATELESS:
            return {}
    return events


def _compare_events(events: dict[str, list[Json]], probe: Probe) -> list[str]:
    lines = []
    for app, steps in events.items():
        ops = [{"event": step["args"][0]} for step in steps]
        for step, got in zip(steps, probe.yunikorn("events", ops=ops), strict=True):
            if (got is None) != (step["result"][0] is None):
                lines.append(f"{app}: event {step['args'][0]}: {got} instead of {step['result']}")
    return lines


# Of a case without a decision: what the first call that has one of these words is about.
NO_DECISIONS = (
    ("QuotaPreemption", "steps of quota preemption, which is asked by whole walks"),
    ("tryAcquirePreemption", "steps of quota preemption, which is asked by whole walks"),
    ("reemptionSnapshot", "steps of preemption, which is asked by whole attempts"),
    ("populateVictims", "steps of preemption, which is asked by whole attempts"),
    ("RequiredNodePreemptor", "steps of preemption, which is asked by whole attempts"),
    ("sortApplications", "orders of objects that no queue or partition lists"),
    ("sortedRequests", "orders of objects that no queue or partition lists"),
    ("odeCollection", "orders of objects that no queue or partition lists"),
    ("canAllocationReserve", "steps of a request, which is asked by whole calls"),
    ("canReplace", "steps of a request, which is asked by whole calls"),
    ("serve", "steps of a request, which is asked by whole calls"),
    ("preAllocateConditions", "steps of a request, which is asked by whole calls"),
    ("UserResourceUsage", "what trackers count, without a question"),
    ("ClusterContext", "events of a resource manager without a decision"),
    ("PartitionContext", "events of a partition without a decision"),
    ("Application", "changes of books without a decision"),
    ("Allocation", "changes of books without a decision"),
    ("Node", "changes of books without a decision"),
    ("Queue", "queues as a configuration makes them, without a decision"),
    ("Config", "queues as a configuration makes them, without a decision"),
)


def _why_no_decision(case: Json) -> str:
    for word, reason in NO_DECISIONS:
        if any(word in step["op"] for step in case.get("steps") or []):
            return reason
    return "no call is recorded that the adapter puts"


def check(case: Json, probe: Probe) -> list[str]:
    steps, reasons = [], []
    listed: dict[str, str] = {}  # by application: the queue that lists it
    collected = False
    for step in case.get("steps", []):
        collected |= step["op"] == "Preemptor.initQueueSnapshots"
        if step["op"] == "Queue.AddApplication":
            listed[step["args"][0]["app"]] = step["on"]["queue"]
        if step["op"] == "Queue.setPreemptionTime":
            # Of the calls of a row the first one has this field for its outcome.
            step = step | {"timeChange": (case.get("row") or {}).get("timeChange", False)}
        if step["op"] not in DECISIONS or not isinstance(step.get("state"), dict):
            continue
        if collected and step["op"] == "Preemptor.TryPreemption":
            reasons.append("the victims were collected in an earlier state")
        elif reason := _unanswerable(step, listed):
            reasons.append(reason)
        else:
            steps.append(step)
    if not steps and not reasons and (events := _events(case)):
        return _compare_events(events, probe)
    if not steps and (order := yunikorn_orders.check(case, probe)) is not None:
        return order
    if not steps:
        raise Unanswerable(reasons[0] if reasons else _why_no_decision(case))
    if any(_early_reservation(step) for step in steps):
        raise Unanswerable("the test sets the delay of reservations, which is in no record")
    kept = ("op", "on", "args", "now", "state")
    questions = [
        {"args": [], "on": {}}
        | {key: step[key] for key in kept if key in step}
        | {"state": _with_candidates(step)}
        for step in steps
    ]
    answers = probe.yunikorn("states", steps=questions)
    lines = [
        line for step, answer in zip(steps, answers, strict=True) for line in compare(step, answer)
    ]
    if lines and case.get("varies"):
        raise Unanswerable("a tie that the peer draws: its runs of the case differ")
    return lines
