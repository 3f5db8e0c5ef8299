# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded calls of its queues: what waits in a ClusterQueue, step by step."""

import json
from typing import Any, Callable

import kueue_objects as objects
from adapters.kueue_calls import differs
from adapters.kueue_states import milli
from adapters.kueue_view import state_of
from probe import Probe, Unanswerable

Json = dict[str, Any]

# Made by TestClusterQueueImpl for all its cases.
SPACES = {"ns1": {"dep": "eng"}, "ns2": {"dep": "sales"}, "ns3": {"dep": "marketing"}}
SELECTOR = {"matchExpressions": [{"key": "dep", "operator": "In", "values": ["eng", "sales"]}]}
# Kueue's "now" in records.
NOW = "2026-01-01T00:00:00Z"


def named_state(case: Json, told: Json) -> Json:
    """The object that a reference is of, or the object itself."""
    if "$ref" not in told:
        return told
    kind, _, name = told["$ref"].partition("/")
    for obj in case.get("objects") or []:
        key = "/".join(p for p in (obj["metadata"].get("namespace"), obj["metadata"]["name"]) if p)
        if obj["kind"] == kind and key == name:
            return obj
    raise Unanswerable("a reference to nothing")


def cluster_queue(name: str, **spec: Any) -> Json:
    return {"kind": "ClusterQueue", "metadata": {"name": name},
            "spec": {"namespaceSelector": {}} | spec}


def _home(workload: Json) -> str:
    return f"{workload['metadata'].get('namespace', '')}/{workload['spec'].get('queueName', '')}"


class Script:
    """Steps on one ClusterQueue, with workloads as they are first."""

    def __init__(self, case: Json, queue: Json, workloads: list[Json],
                 locals_: list[Json] | None = None, spaces: Json | None = None) -> None:
        self.case = case
        self.queue = queue
        self.ops: list[Json] = []
        self.spaces = [{"kind": "Namespace", "metadata": {"name": n, "labels": labels}}
                       for n, labels in (spaces or {}).items()]
        self.locals = locals_
        first: dict[str, Json] = {}
        for workload in workloads:
            first.setdefault(objects.key_of(workload), workload)
        self.workloads = list(first.values())

    def _world(self, workloads: list[Json]) -> Json:
        """Without LocalQueues of the record each workload has one of this ClusterQueue."""
        queues = self.locals
        if queues is None:
            names = {_home(w) for w in workloads}
            spec = {"clusterQueue": self.queue["metadata"]["name"]}
            queues = [{"kind": "LocalQueue", "spec": spec, "metadata": {
                "namespace": n.partition("/")[0], "name": n.partition("/")[2]}}
                for n in sorted(names)]
        made = [{"kind": "Workload"} | w for w in workloads]
        asked = objects.world(self.case, self.spaces + [self.queue] + queues + made)
        for w in made:
            asked["facts"][objects.key_of(w)] |= objects.retry_facts(w)
        return asked

    def do(self, op: str, workload: Json | None = None, **more: Any) -> None:
        named = {} if workload is None else {"workload": objects.key_of(workload)}
        self.ops.append({"op": op} | named | more)

    def change(self, workload: Json, helps: bool) -> None:
        asked = self._world([workload])
        self.do("change", workload, scenario=asked["scenario"], helps=helps,
                facts=asked["facts"][objects.key_of(workload)])

    def run(self, probe: Probe, hashes: dict[str, str] | None = None,
            **more: Any) -> list[Json]:
        asked = self._world(self.workloads)
        asked["now"] = objects.milliseconds(NOW)
        for name, extra in (hashes or {}).items():
            asked["facts"][name]["hash_extra"] = extra
        return probe.kueue_queue(asked, self.queue["metadata"]["name"], self.ops, **more)


def _view(workload: Json, gates: Json, evaluated: int = 0) -> Json:
    spec = workload["spec"]
    notes = workload["metadata"].get("annotations") or {}
    boost = notes.get("kueue.x-k8s.io/priority-boost", "") if gates.get("PriorityBoost") else ""
    status = workload.get("status") or {}
    opened = {g["name"] for g in status.get("preemptionGates") or [] if g.get("state") == "Open"}
    closed = [g for g in spec.get("preemptionGates") or [] if g["name"] not in opened]
    requests = [objects.pod_requests((p.get("template") or {}).get("spec") or {})
                for p in spec.get("podSets") or []]
    return {"evaluated": evaluated, "generation": workload["metadata"].get("generation", 0),
            "spec": json.dumps(spec, sort_keys=True), "boost": boost, "gated": bool(closed),
            "requests": json.dumps(requests, sort_keys=True),
            "reclaimed": {r["name"]: r.get("count", 0)
                          for r in status.get("reclaimablePods") or []},
            "state": state_of(workload)}


def _helps(case: Json, probe: Probe, before: Json, now: Json, evaluated: int = 0) -> bool:
    gates = (case.get("config") or {}).get("featureGates") or {}
    return probe.kueue_state("helps", before=_view(before, gates, evaluated),
                             now=_view(now, gates))


def _steps(case: Json, probe: Probe) -> list[str]:
    """A queue gets workloads, some come back, some change, some leave."""
    state, right = case["state"], case["observed"]

    def of(key: str) -> list[Json]:
        return [w.get("Obj", w) for w in state.get(key) or []]

    apart, again = of("inadmissibleWorkloadsToRequeue"), of("admissibleWorkloadsToRequeue")
    script = Script(case, cluster_queue("cq", namespaceSelector=SELECTOR), spaces=SPACES,
                    workloads=of("workloadsToAdd") + apart + again + of("workloadsToUpdate") +
                    of("workloadsToDelete"))
    known = {objects.key_of(w): w for w in script.workloads}
    for w in of("workloadsToAdd"):
        script.do("push", w)
    for w in apart:
        script.do("requeue", w, reason="")
    for w in again:
        script.do("requeue", w, reason="FailedAfterNomination")
    for w in of("workloadsToUpdate"):
        script.change(w, _helps(case, probe, known[objects.key_of(w)], w))
    for w in of("workloadsToDelete"):
        script.do("delete", w)
    if state.get("queueInadmissibleWorkloads"):
        script.do("return")
    answers = script.run(probe)
    lines = differs(sorted(answers[-1]["active"]), sorted(right.get("activeWorkloads") or []))
    if state.get("queueInadmissibleWorkloads"):
        lines += differs(answers[-1]["got"], right["inadmissibleWorkloadsRequeued"])
    waiting = len(answers[-1]["active"]) + len(answers[-1]["aside"])
    return lines + differs(waiting, (case.get("expect") or {}).get("pending", waiting))


def _push_twice(case: Json, probe: Probe) -> list[str]:
    right = case["observed"]
    workload = case["state"]["workload"]["Workload"]
    script = Script(case, cluster_queue("cq"), [workload])
    script.do("push", workload)
    script.change(workload, _helps(case, probe, workload, workload))
    script.do("pop")
    last = script.run(probe)[-1]
    head = right.get("workload")
    return differs(last["got"], None if head is None else objects.key_of(head["Obj"])) + differs(
        sorted(last["aside"]), sorted(right.get("inAdmissibleWorkloads") or {}))


def _new_generation(case: Json, probe: Probe) -> list[str]:
    """The workload that the cycle looked at had the generation before."""
    right = case["observed"]
    workload = case["state"]["updatedWorkload"]
    script = Script(case, cluster_queue("cq"), [workload])
    script.do("push", workload)
    script.do("pop")
    script.do("requeue", workload, reason="")
    seen = workload["metadata"]["generation"] - 1
    script.change(workload, _helps(case, probe, workload, workload, seen))
    last = script.run(probe)[-1]
    return differs([len(last["active"]), len(last["aside"])],
                   [right["activeWorkloads"], right["inadmissibleWorkloads"]])


def _plain(name: str) -> Json:
    return {"metadata": {"name": name, "namespace": "default"},
            "spec": {"podSets": [], "queueName": ""}}


def _known_hashes(case: Json, probe: Probe) -> list[str]:
    state, right = case["state"], case["observed"]
    others = [_plain(f"other-{i}") for i in range(len(state.get("inadmissibleHashes") or []))]
    pushed = _plain("pushed")
    hashes = {objects.key_of(w): h for w, h in zip(others, state.get("inadmissibleHashes") or [])}
    script = Script(case, cluster_queue("cq"), others + [pushed])
    for other in others:
        script.do("remember", other)
    script.do("push", pushed)
    last = script.run(probe, hashes | {objects.key_of(pushed): state["pushHash"]})[-1]
    return differs([len(last["active"]), len(last["aside"])],
                   [right["active"], right["inadmissible"]])


def _remember(case: Json, probe: Probe) -> list[str]:
    state, right = case["state"], case["observed"]
    told = state.get("heapWorkloads") or {}
    waiting = [_plain(name) for name in told]
    other = _plain("the one that was found inadmissible")
    script = Script(case, cluster_queue("cq"), waiting + [other])
    for w in waiting:
        script.do("push", w)
    script.do("remember", other)
    hashes = {objects.key_of(w): told[w["metadata"]["name"]] for w in waiting}
    last = script.run(probe, hashes | {objects.key_of(other): state.get("hashToRecord") or ""})[-1]
    return differs([last["got"], len(last["active"]), len(last["aside"])],
                   [right["moved"], right["active"], right["inadmissible"]])


def _remembered_by(case: Json, probe: Probe) -> list[str]:
    workload = _plain("workload-1")
    script = Script(case, cluster_queue("cq"), [workload])
    script.do("requeue", workload, reason=case["state"].get("reason") or "")
    return differs(script.run(probe)[-1]["got"]["remembered"], case["observed"]["hash"])


def _known_reason(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    workload = _plain("wl")
    script = Script(case, cluster_queue("cq"), [workload])
    script.do("requeue", workload, reason=state["requeueReason"])
    if state.get("deleteFromInadmissible"):
        script.do("delete", workload)
    answers = script.run(probe)
    ours = answers[0]["got"]["remembered"] and objects.key_of(workload) in answers[-1]["aside"]
    return differs(ours, case["observed"]["ok"])


def _may_be_tried(case: Json, probe: Probe) -> list[str]:
    workload = case["state"]["workloadInfo"]["Obj"]
    script = Script(case, cluster_queue("cq"), [workload])
    script.do("may_be_tried", workload)
    return differs(script.run(probe)[-1]["got"], case["observed"]["value1"])


def _progress(case: Json, probe: Probe) -> list[str]:
    """Whether a workload that changes goes on with the flavors that it has not tried."""
    state = case["state"]
    now = next(o for o in case["objects"] if o["kind"] == "Workload")
    before = json.loads(json.dumps(now))
    if state.get("changeShape"):
        before["spec"]["podSets"][0]["count"] -= 3
    told = state["recorded"]
    script = Script(case, cluster_queue("cq"), [before])
    script.do("push", before)
    script.do("scanned", before, tried=told["LastTriedFlavorIdx"],
              generation=told["ClusterQueueGeneration"], cycle=told["SchedulingCycle"])
    if state.get("inadmissible") or state.get("inflight"):
        script.do("pop")
    if state.get("inadmissible"):
        script.do("requeue", before, reason="NoFit")
    script.change(now, _helps(case, probe, before, now))
    script.do("progress", now)
    ours = script.run(probe)[-1]["got"]
    return differs(ours, case["observed"].get("value1") is not None)


# --- LocalQueues


def _entrance(probe: Probe, workload: Json, locals_: list[Json], queues: set[str]) -> str:
    home = next((q for q in locals_ if objects.key_of(q) == _home(workload)), None)
    target = "" if home is None else (home.get("spec") or {}).get("clusterQueue", "")
    return probe.kueue_state("entrance", state=state_of(workload), local=home is not None,
                             cluster=target in queues)


ERRORS = {"not_waiting": "workload is inadmissible and can't be added to a LocalQueue",
          "no_local_queue": "localQueue doesn't exist or inactive",
          "no_cluster_queue": "clusterQueue doesn't exist"}


def _locals(case: Json) -> list[Json]:
    return [o for o in case.get("objects") or [] if o["kind"] == "LocalQueue"]


def _add(case: Json, probe: Probe) -> list[str]:
    """The test has one ClusterQueue, cq."""
    right = case["observed"]
    workload = named_state(case, case["state"]["workload"])
    ours = _entrance(probe, workload, _locals(case), {"cq"})
    home = {objects.key_of(workload): _home(workload)}
    assigned = home if ours in ("queued", "no_cluster_queue") else {}
    return differs(ERRORS.get(ours), (right.get("err") or {}).get("s")) + differs(
        assigned, right.get("assigned") or {})


def _requeue_strict(case: Json, probe: Probe) -> list[str]:
    """The test has one ClusterQueue, cq, of strict order."""
    state = case["state"]
    if not state.get("inClient"):
        raise Unanswerable("no workload of this name, which a lookup finds out")
    workload = named_state(case, state["workload"])
    requeued = False
    if _entrance(probe, workload, _locals(case), {"cq"}) == "queued":
        script = Script(case, cluster_queue("cq", queueingStrategy="StrictFIFO"), [workload])
        if state.get("inQueue"):
            script.do("push", workload)
        script.do("requeue", workload, reason="")
        requeued = script.run(probe)[-1]["got"]["added"]
    return differs(requeued, case["observed"]["requeued"])


def _order(probe: Probe, script: Script, count: int) -> list[str]:
    for _ in range(count):
        script.do("pop")
    return [a["got"] for a in script.run(probe)[-count:] if a["got"] is not None] if count else []


def _moved(case: Json, probe: Probe) -> list[str]:
    """The first workload changes: its queue, or itself."""
    state = case["state"]
    locals_ = [named_state(case, q) for q in state["queues"]]
    queues = [named_state(case, q) for q in state["clusterQueues"]]
    names = {q["metadata"]["name"] for q in queues}
    workloads = [named_state(case, w) for w in state["workloads"]]
    now = case["observed"].get("wl")
    if now is None:
        now = next((o for o in case["objects"] if o["kind"] == "Workload" and
                    objects.key_of(o) == objects.key_of(workloads[0])), None)
    if now is None:
        raise Unanswerable("what the workload becomes is not recorded")
    target = {objects.key_of(q): (q.get("spec") or {}).get("clusterQueue", "") for q in locals_}
    entrance = _entrance(probe, now, locals_, names)
    lines = differs(ERRORS.get(entrance), (case["observed"].get("err") or {}).get("s"))
    right = case["observed"].get("queueOrder") or {}
    for queue in queues:
        name = queue["metadata"]["name"]
        mine = [w for w in workloads if target.get(_home(w)) == name and
                _entrance(probe, w, locals_, names) == "queued"]
        enters = entrance == "queued" and target.get(_home(now)) == name
        script = Script(case, queue, mine + ([now] if enters else []), locals_=locals_)
        for w in mine:
            script.do("push", w)
        was_here = mine and mine[0] is workloads[0]
        if was_here and enters and _home(workloads[0]) == _home(now):
            script.change(now, _helps(case, probe, workloads[0], now))
        elif entrance != "not_waiting":
            if was_here:
                script.do("delete", workloads[0])
            if enters:
                script.change(now, True)
                script.do("push", now)
        ours = _order(probe, script, len(script.workloads))
        lines += differs([name, ours], [name, right.get(name) or []])
    return lines


def _heads(case: Json, probe: Probe) -> list[str]:
    """ClusterQueues of this test are active by their names."""
    locals_ = _locals(case)
    workloads = [named_state(case, w) for w in case["state"].get("workloads") or []]
    target = {objects.key_of(q): q["spec"]["clusterQueue"] for q in locals_}
    heads = []
    for name in sorted({n for n in target.values() if n.startswith("active-")}):
        mine = [w for w in workloads if target.get(_home(w)) == name]
        if mine:
            script = Script(case, cluster_queue(name), mine, locals_=locals_)
            for w in mine:
                script.do("push", w)
            heads += [n.rpartition("/")[2] for n in _order(probe, script, 1)]
    return differs(sorted(heads), sorted(case["observed"].get("workloads") or []))


def parents_of(cohorts: list[Json], queues: list[Json]) -> tuple[list[str], list[int]]:
    """Names of cohorts and queues, and the number of the parent of each."""
    names = [f"cohort:{c['metadata']['name']}" for c in cohorts]
    above = {f"cohort:{c['metadata']['name']}": (c.get("spec") or {}).get("parentName", "")
             for c in cohorts}
    for queue in queues:
        names.append(queue["metadata"]["name"])
        above[names[-1]] = (queue.get("spec") or {}).get("cohortName", "")
    for parent in list(above.values()):
        if parent and f"cohort:{parent}" not in above:
            names.append(f"cohort:{parent}")
            above[names[-1]] = ""
    none = 2**32 - 1
    return names, [names.index(f"cohort:{above[n]}") if above[n] else none for n in names]


def _returned(case: Json, probe: Probe) -> list[str]:
    """Cohorts and queues were added since the workloads were found inadmissible."""
    state, right = case["state"], case["observed"]
    queues = [named_state(case, q) for q in state["clusterQueues"]]
    names, parents = parents_of([named_state(case, c) for c in state.get("cohorts") or []], queues)
    locals_ = [named_state(case, q) for q in state["localQueues"]]
    target = {objects.key_of(q): q["spec"]["clusterQueue"] for q in locals_}
    moved, lines = 0, []
    for queue in queues:
        name = queue["metadata"]["name"]
        mine = [w for w in map(lambda w: named_state(case, w), state["workloads"])
                if target.get(_home(w)) == name]
        script = Script(case, queue, mine, locals_=locals_)
        script.do("pop")
        for w in mine:
            script.do("requeue", w, reason="")
        ends = probe.kueue_state("way_up", parents=parents, node=names.index(name)) is not None
        if ends:
            script.do("return")
        last = script.run(probe)[-1]
        moved += last["got"] if ends else 0
        for ours, key in (("active", "active"), ("aside", "inadmissible")):
            lines += differs([name, sorted(last[ours])],
                             [name, sorted((right.get(key) or {}).get(name) or [])])
    return lines + differs(moved, right["movedCount"])


def _by_usage(case: Json, probe: Probe) -> list[str]:
    """The queue of this test knows no weights of LocalQueues: each has 1."""
    state = case["state"]
    config = state.get("afsConfig")
    scope = (state["cq"]["spec"].get("admissionScope") or {}).get("admissionMode")
    locals_ = [q | {"spec": (q.get("spec") or {}) | {"clusterQueue": "cq"}} for q in state["lqs"]]
    script = Script(case, state["cq"], state["wls"], locals_=locals_)
    usage = {}
    if config is not None and scope == "UsageBasedAdmissionFairSharing":
        used = state.get("initConsumedResources") or {}
        for queue in locals_:
            key = objects.key_of(queue)
            usage[key] = probe.kueue_state(
                "usage", consumed=milli(used.get(key)), penalty={}, weight=1,
                weights=config.get("resourceWeights") or {})
    for w in state["wls"]:
        script.do("push", w)
    script.do("pop")
    ours = script.run(probe, usage=usage)[-1]["got"]
    return differs(ours, objects.key_of(case["observed"]["wl"]))


_QUEUE = "pkg-cache-queue.Test"
TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    _QUEUE + "AddOrUpdateWorkloadCarriesLastAssignment": _progress,
    _QUEUE + "AddWorkload": _add,
    _QUEUE + "BackoffWaitingTimeExpired": _may_be_tried,
    _QUEUE + "ClusterQueueImpl": _steps,
    _QUEUE + "FsAdmission": _by_usage,
    _QUEUE + "GetNoFitReason": _known_reason,
    _QUEUE + "Heads": _heads,
    _QUEUE + "PushOrUpdateGenerationChanged": _new_generation,
    _QUEUE + "PushOrUpdateRespectsInadmissibleHashes": _known_hashes,
    _QUEUE + "QueueInadmissibleWorkloads": _returned,
    _QUEUE + "RecordInadmissibleHash": _remember,
    _QUEUE + "RequeueHashTriggerByReason": _remembered_by,
    _QUEUE + "RequeueWorkloadStrictFIFO": _requeue_strict,
    _QUEUE + "UpdateWorkload": _moved,
    _QUEUE + "_PushOrUpdate": _push_twice,
}


def check(case: Json, probe: Probe) -> list[str]:
    """How our answer differs from the recorded one. REQUIRES: the case's test is in TESTS."""
    return TESTS[case["test"]](case, probe)
