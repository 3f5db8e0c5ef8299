# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded calls of single rules: orders, shares, what a tree has left, requeuing."""

import math
from typing import Any, Callable

import kueue_objects as objects
from adapters.kueue_calls import differs, question_about
from probe import Probe, Unanswerable

Json = dict[str, Any]


def _alone(case: Json, workloads: list[Json], **queue: Any) -> Json:
    """Workloads in one queue that has nothing else, in the order given."""
    names = []
    objs: list[Json] = [
        {"kind": "ClusterQueue", "metadata": {"name": "cq"},
         "spec": {"namespaceSelector": {}} | queue},
        {"kind": "LocalQueue", "metadata": {"name": "", "namespace": ""},
         "spec": {"clusterQueue": "cq"}},
    ]
    for workload in workloads:
        meta = workload["metadata"] | {"namespace": ""}
        spec = {"podSets": []} | (workload.get("spec") or {}) | {"queueName": ""}
        objs.append(workload | {"kind": "Workload", "metadata": meta, "spec": spec})
        names.append(objects.key_of(objs[-1]))
    timestamp = (case["state"].get("workloadOrdering") or {}).get("PodsReadyRequeuingTimestamp")
    config = case["config"] | {"podsReadyRequeuingTimestamp": timestamp or "Eviction"}
    return question_about(case | {"config": config}, objs) | {"names": names}


def _satisfies(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    asked = _alone(case, [state["preemptor"], state["candidate"]])
    preemptor, candidate = asked.pop("names")
    ours = probe.kueue_rule("satisfies", **asked, preemptor=preemptor, candidate=candidate,
                            policy=state["policy"])
    return differs(ours, case["observed"]["value1"])


def _prefers(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    grades = [[state[g].get("preemptionMode") or 0, state[g].get("borrowingLevel") or 0]
              for g in ("a", "b")]
    ours = probe.kueue_rule(
        "prefers", a=grades[0], b=grades[1],
        prefers_preemption=(state.get("config") or {}).get("preference") == "PreemptionOverBorrowing")
    return differs(ours, case["observed"]["preferred"])


def _search(case: Json, probe: Probe) -> list[str]:
    pods = case["state"].get("podSets") or []
    full = [p.get("count") or 0 for p in pods]
    least = [full[i] if p.get("minCount") is None else p["minCount"] for i, p in enumerate(pods)]
    ours = probe.kueue_rule("counts", full=full, least=least,
                            most=case["state"].get("countLimit") or 0)
    theirs = case["observed"]
    if ours is None:
        return differs(False, theirs["found"])
    return differs([True, sum(ours)], [theirs["found"], theirs["count"]])


def _available(case: Json, probe: Probe) -> list[str]:
    used = case["state"].get("usage") or {}
    ours = probe.kueue_rule("rest", **question_about(case, case["objects"], used=used))
    theirs = case["observed"]
    return differs(ours["available"], theirs["available"]) + differs(
        ours["potential"], theirs["potentiallyAvailable"])


def _shares(case: Json, probe: Probe) -> list[str]:
    """Each line of the record: name, whether a cohort, share, resource, whether it borrows."""
    state = case["state"]
    queue = state["clusterQueue"]["$ref"].rpartition("/")[2]
    used = dict(state.get("usage") or {})
    for cell, units in (state.get("flvResQ") or {}).items():
        used[cell] = used.get(cell, 0) + units
    objs = [o for o in case["objects"] if o["kind"] != "Workload"]
    ours = probe.kueue_rule("shares", **question_about(case, objs, used={queue: used}))
    lines = []
    for told in case["observed"]["value1"]:
        name, cohort, share, *_, borrows = told.split("/")
        row = ours[objects.cohort_name(name) if cohort == "true" else name]
        mine = 2**63 - 1 if row["infinite"] else math.ceil(row["value"])
        lines += differs([name, mine, row["borrowing"]], [name, int(share), borrows == "true"])
    return lines


def _lendable(case: Json, probe: Probe) -> list[str]:
    cohort = next(o["spec"]["cohortName"] for o in case["objects"] if o["kind"] == "ClusterQueue")
    ours = probe.kueue_rule("lendable", **question_about(case, case["objects"]),
                            cohort=objects.cohort_name(cohort))
    return differs(ours, case["observed"]["lendable"])


def _reserve(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if state.get("assignmentMode") != "Preempt":
        raise Unanswerable("what fits is added whole in the cycle itself")
    objs = [o for o in case["objects"] if o["kind"] != "Workload"]
    queue = next(o["metadata"]["name"] for o in objs if o["kind"] == "ClusterQueue")
    ours = probe.kueue_rule(
        "reserve", **question_about(case, objs, used={queue: state.get("cqUsage") or {}}),
        queue=queue, usage=state["assignmentUsage"], borrowing=state.get("borrowing") or 0)
    return differs(ours, case["observed"]["reserved"])


def _order(case: Json, probe: Probe) -> list[str]:
    told = case["state"]["input"]
    workloads = [e["Head"]["Info"]["Obj"] for e in told]
    asked = _alone(case, workloads)
    names = asked.pop("names")
    entries = [
        {"workload": name, "borrowing": e["assignment"].get("Borrowing") or 0,
         "preemptor": bool(e["Head"].get("IsPreemptor")),
         "holds": objects.is_true(e["Head"]["Info"]["Obj"], "QuotaReserved")}
        for name, e in zip(names, told)
    ]
    ours = probe.kueue_rule("order", **asked, entries=entries)
    return differs([n.rpartition("/")[2] for n in ours], case["observed"]["order"])


def _requeue(strategy: str) -> Callable[[Json, Probe], list[str]]:
    def ask(case: Json, probe: Probe) -> list[str]:
        state = case["state"]
        workload = {"metadata": {"name": "one"}, "spec": {"podSets": []}}
        asked = _alone(case, [workload], queueingStrategy=strategy)
        asked.pop("names")
        question: Json = {"reason": state.get("reason") or
                          (state.get("fixtures") or {}).get("reason") or ""}
        if state.get("lastAssignment"):
            question["tried"] = state["lastAssignment"].get("LastTriedFlavorIdx") or []
        ours = probe.kueue_rule("requeue", **asked, **question)
        return [line for key, right in case["observed"].items()
                for line in differs([key, ours[key]], [key, right])]

    return ask


def _first(case: Json, probe: Probe) -> list[str]:
    asked = _alone(case, [case["state"]["w1"], case["state"]["w2"]], queueingStrategy="StrictFIFO")
    asked.pop("names")
    ours = probe.kueue_rule("pops", **asked)
    return differs(ours[0].rpartition("/")[2], case["observed"]["expected"])


TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    "pkg-cache-scheduler.TestAvailable": _available,
    "pkg-cache-queue.TestBestEffortFIFORequeueIfNotPresent": _requeue("BestEffortFIFO"),
    "pkg-cache-scheduler.TestCohortLendable": _lendable,
    "pkg-cache-scheduler.TestDominantResourceShare": _shares,
    "pkg-scheduler.TestEntryOrdering": _order,
    "pkg-scheduler-flavorassigner.TestIsPreferred": _prefers,
    "pkg-scheduler.TestResourcesToReserve": _reserve,
    "pkg-scheduler-preemption-common.TestSatisfiesPreemptionPolicy": _satisfies,
    "pkg-scheduler-flavorassigner.TestSearch": _search,
    "pkg-cache-queue.TestStrictFIFO": _first,
    "pkg-cache-queue.TestStrictFIFORequeueIfNotPresent": _requeue("StrictFIFO"),
}


def check(case: Json, probe: Probe) -> list[str]:
    return TESTS[case["test"]](case, probe)
