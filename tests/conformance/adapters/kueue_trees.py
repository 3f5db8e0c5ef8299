# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded calls about trees of cohorts: quota below a node, usage, shares, ways up; and
single steps of a cycle."""

from typing import Any, Callable

import kueue_objects as objects
from adapters.kueue_calls import answered, differs, feature_gates, question_about
from adapters.kueue_plugins import replaced
from adapters.kueue_queues import Script, named_state, parents_of, cluster_queue
from adapters.kueue_states import of_objects, check_facts, readiness
from adapters.kueue_topology import of_vector
from adapters.kueue_view import HIDDEN
from probe import Probe, Unanswerable

Json = dict[str, Any]

NONE = 2**32 - 1


def _used(amounts: Any) -> dict[str, int]:
    """Without cells of 0."""
    return {cell: units for cell, units in (amounts or {}).items() if units}


# --- whole trees


def _untangled(objs: list[Json], probe: Probe) -> tuple[list[Json], set[str]]:
    """Without cohorts of which the way up has no end, and the ClusterQueues below these."""
    cohorts = [o for o in objs if o["kind"] == "Cohort"]
    queues = [o for o in objs if o["kind"] == "ClusterQueue"]
    names, parents = parents_of(cohorts, queues)
    endless = {name for i, name in enumerate(names)
               if probe.kueue_state("way_up", parents=parents, node=i) is None}
    kept = []
    for obj in objs:
        if obj["kind"] == "Cohort" and f"cohort:{obj['metadata']['name']}" in endless:
            continue
        if obj["kind"] == "ClusterQueue" and obj["metadata"]["name"] in endless:
            continue
        kept.append(obj)
    return kept, {n for n in endless if not n.startswith("cohort:")}


def _differing_node(name: str, ours: Json, right: Json) -> list[str]:
    """`right`: the peer's quota below the node, and its usage."""
    node = right.get("ResourceNode") or right.get("resourceNode") or {}
    lines = differs([name, "subtree", _used(ours["subtree"])],
                    [name, "subtree", _used(node.get("SubtreeQuota"))])
    return lines + differs([name, "usage", _used(ours["usage"])],
                           [name, "usage", _used(node.get("Usage"))])


def _cohort_of(queue: Json) -> Json | None:
    return (queue.get("ClusterQueue") or {}).get("cohort")


def _snapshot(case: Json, probe: Probe) -> list[str]:
    if "snapshot" not in case["observed"]:
        raise Unanswerable("usage of topologies is part of whole searches")
    right = (case["observed"]["snapshot"] or {}).get("Manager") or {}
    objs, endless = _untangled(case["objects"], probe)
    ours = probe.kueue_rule("tree", **question_about(case, objs))
    active = set()
    for name, queue in of_objects(case, "ClusterQueue").items():
        ready = readiness(probe, queue, check_facts(of_objects(case, "AdmissionCheck")),
                           of_objects(case, "ResourceFlavor"),
                           set(of_objects(case, "Topology")), False)
        if ready["active"] and name not in endless:
            active.add(name)
    found = right.get("clusterQueues") or {}
    lines = differs(sorted(active), sorted(found))
    for name in active & set(found):
        lines += _differing_node(name, ours[name], found[name])
        lines += differs(ours[name]["weight"], found[name]["FairWeight"])
        lines += differs(sorted(ours[name]["workloads"]),
                         sorted(found[name].get("Workloads") or {}))
    known = right.get("cohorts") or {}
    for name, cohort in known.items():
        row = ours.get(objects.cohort_name(name))
        if row is not None:
            lines += _differing_node(name, row, cohort)
    # One that is only named has no weight in records.
    for obj in objs:
        if obj["kind"] == "Cohort" and obj["metadata"]["name"] in known:
            name = obj["metadata"]["name"]
            lines += differs([name, ours[objects.cohort_name(name)]["weight"]],
                             [name, known[name]["FairWeight"]])
    return lines


def _groups(quotas: Json) -> list[Json]:
    """Resource groups with these quotas, as objects have them."""
    flavors: dict[str, list[Json]] = {}
    resources: list[str] = []
    for cell, quota in sorted(quotas.items()):
        flavor, _, name = cell.partition("/")
        row: Json = {"name": name, "nominalQuota": objects.written(name, quota.get("Nominal") or 0)}
        for key, ours in (("BorrowingLimit", "borrowingLimit"), ("LendingLimit", "lendingLimit")):
            if quota.get(key) is not None:
                row[ours] = objects.written(name, quota[key])
        flavors.setdefault(flavor, []).append(row)
        if name not in resources:
            resources.append(name)
    if not flavors:
        return []
    return [{"coveredResources": resources,
             "flavors": [{"name": f, "resources": rows} for f, rows in flavors.items()]}]


def _node(queue: Json) -> Json:
    return queue.get("ResourceNode") or queue.get("resourceNode") or {}


def _objects_of(queues: Json) -> list[Json]:
    """ClusterQueues, their cohorts and their workloads as the record of a cache shows them."""
    made: dict[tuple[str, str], Json] = {}
    for name, queue in queues.items():
        spec: Json = {"namespaceSelector": {},
                      "resourceGroups": _groups(_node(queue).get("Quotas") or {})}
        if (cohort := _cohort_of(queue)) is not None:
            spec["cohortName"] = cohort["Name"]
            quotas = _node(cohort).get("Quotas") or {}
            made["Cohort", cohort["Name"]] = {
                "kind": "Cohort", "metadata": {"name": cohort["Name"]},
                "spec": {"resourceGroups": _groups(quotas)}}
        made["ClusterQueue", name] = {"kind": "ClusterQueue", "metadata": {"name": name},
                                      "spec": spec}
        for workload in (queue.get("Workloads") or {}).values():
            made["Workload", objects.key_of(workload["Obj"])] = workload["Obj"]
    flavors = {cell.partition("/")[0] for q in queues.values()
               for cell in _node(q).get("Quotas") or {}}
    return [{"kind": "ResourceFlavor", "metadata": {"name": f}} for f in sorted(flavors)] + list(
        made.values())


def _differing_cache(ours: Json, queues: Json) -> list[str]:
    lines = []
    for name, queue in queues.items():
        lines += _differing_node(name, ours[name], queue)
        if (cohort := _cohort_of(queue)) is not None:
            name = cohort["Name"]
            lines += _differing_node(name, ours[objects.cohort_name(name)], cohort)
    return lines


def _cache(case: Json, probe: Probe) -> list[str]:
    """What the operations are is not recorded; the numbers after them follow from quotas."""
    queues = case["observed"].get("clusterQueues") or {}
    if not any(_node(q).get("Quotas") for q in queues.values()):
        raise Unanswerable(HIDDEN)
    ours = probe.kueue_rule("tree", **question_about(case, _objects_of(queues)))
    return _differing_cache(ours, queues)


def _moved(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    before = state["fixtures"]["initialSnapshot"]["Manager"]["clusterQueues"]
    ours = probe.kueue_rule("moved", **question_about(case, _objects_of(before)),
                            remove=state.get("remove") or [], add=state.get("add") or [])
    return _differing_cache(ours, answered(case)["Manager"]["clusterQueues"])


def _seen(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _cycles(case: Json, probe: Probe) -> list[str]:
    """At the end; the record has the numbers of before, too."""
    objs, _ = _untangled(case["objects"], probe)
    ours = probe.kueue_rule("tree", **question_about(case, objs))
    lines = []
    for label, values in case["observed"].items():
        name = objects.cohort_name("cohort" if label == "resource" else label)
        mine = _used(ours[name]["subtree"])
        if mine not in [_used(v.get("SubtreeQuota")) for v in _seen(values)]:
            lines.append(f"{label}: {mine}, the peer's {values}")
    return lines


def _deleted(case: Json, probe: Probe) -> list[str]:
    """The same, of all cohorts that exist."""
    ours = probe.kueue_rule("tree", **question_about(case, case["objects"]))
    right = [_used(v) for v in _seen(case["observed"]["subtreeQuota"])]
    lines = []
    for obj in case["objects"]:
        if obj["kind"] == "Cohort":
            mine = _used(ours[objects.cohort_name(obj["metadata"]["name"])]["subtree"])
            if mine not in right:
                lines.append(f"{obj['metadata']['name']}: {mine}, the peer's {right}")
    return lines


# --- ways up


def _up(cohorts: list[Json], name: str, probe: Probe) -> list[str] | None:
    """Cohorts from this one up; None: without an end."""
    names, parents = parents_of(cohorts, [])
    if f"cohort:{name}" not in names:
        return []
    node = names.index(f"cohort:{name}")
    way = probe.kueue_state("way_up", parents=parents, node=node)
    return None if way is None else [names[i].partition(":")[2] for i in [node] + way]


def _differing_way(ours: list[str] | None, right: Json) -> list[str]:
    error = "cohort has a cycle" if ours is None else None
    return differs(ours or [], right.get("ancestors") or []) + differs(
        error, (right.get("err") or {}).get("s"))


def _ancestors(case: Json, probe: Probe) -> list[str]:
    cohorts = [named_state(case, c) for c in case["state"].get("cohorts") or []]
    ours = _up(cohorts, case["state"].get("cohortName") or "", probe)
    return _differing_way(ours, case["observed"])


def _queue_ancestors(case: Json, probe: Probe) -> list[str]:
    """But for the root."""
    cohorts = [named_state(case, c) for c in case["state"].get("cohorts") or []]
    queue = named_state(case, case["state"]["cq"])
    ours = _up(cohorts, (queue.get("spec") or {}).get("cohortName", ""), probe)
    return _differing_way(ours[:-1] if ours else ours, case["observed"])


def _workload_ancestors(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if not state.get("wl"):
        raise Unanswerable("there is no workload")
    admission = (state["wl"].get("status") or {}).get("admission") or {}
    named = [named_state(case, told) for told in state.get("cqs") or []]
    queues = {q["metadata"]["name"]: q for q in named}
    queue = queues.get(admission.get("clusterQueue", ""))
    cohorts = [named_state(case, c) for c in state.get("cohorts") or []]
    name = ((queue or {}).get("spec") or {}).get("cohortName", "")
    # Cohorts that are only named exist, too.
    if name and all(c["metadata"]["name"] != name for c in cohorts):
        cohorts = cohorts + [{"metadata": {"name": name}}]
    return _differing_way(_up(cohorts, name, probe), case["observed"])


# --- shares


def _borrows(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_rule("borrows", **question_about(case, case["objects"],
                                                        used={"cq": state.get("usage") or {}}),
                            queue="cq", requested=state.get("requestedFRs") or {})
    return differs([ours["borrowing"], ours["on_requested"]],
                   [case["observed"]["borrowing"], case["observed"]["borrowingOnRequested"]])


def _share(case: Json, probe: Probe) -> list[str]:
    told = case["state"]["drs"]
    ours = probe.kueue_rule("share", share={
        "ratio": told["unweightedRatio"], "weight": told["fairWeight"],
        "borrowing": told["borrowing"]})
    right = answered(case)
    return differs(ours, right if right == "+Inf" else float(right))


def _givers(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    ours = probe.kueue_rule("givers", **question_about(case, case["objects"]),
                            evictor=state["preemptorCQ"], actions=state.get("actions") or [],
                            candidates=state.get("candidateCQs") or [])
    return differs(ours, case["observed"].get("order") or [])


def _fair_less(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if state.get("drsValues"):
        raise Unanswerable("the record keeps one share for both entries")
    workloads = [state[k]["Head"]["Info"]["Obj"] for k in ("a", "b")]
    locals_ = [{"kind": "LocalQueue", "metadata": {"namespace": w["metadata"].get("namespace", ""),
                                                   "name": ""},
                "spec": {"clusterQueue": "cq"}} for w in workloads[:1]]
    made = [w | {"kind": "Workload", "spec": {"podSets": []} | (w.get("spec") or {})}
            for w in workloads]
    asked = question_about(case, [cluster_queue("cq")] + locals_ + made)
    entries = [{"workload": objects.key_of(w),
                "preemptor": bool(state[k]["Head"].get("IsPreemptor"))}
               for k, w in zip(("a", "b"), workloads)]
    none = {"ratio": 0, "weight": 1, "borrowing": False}
    ours = probe.kueue_rule("fair_less", **asked, entries=entries, shares=[none, none])
    return differs(ours, case["observed"]["less"])


# --- usage


def _by_flavor(told: Any, queue: Json, field: str) -> dict[str, int]:
    """Amounts of the queue's flavors and resources, as a status shows them."""
    shown = {}
    for flavor in told or []:
        for one in flavor.get("resources") or []:
            shown[f"{flavor['name']}/{one['name']}"] = objects.amount(
                one["name"], one.get(field) or "0")
    return shown


def _queue_usage(case: Json, probe: Probe) -> list[str]:
    """Of all that hold quota, and of those that are admitted."""
    state, right = case["state"], case["observed"]
    queue = named_state(case, state["clusterQueue"])
    workloads = [named_state(case, w) for w in state.get("workloads") or []]
    holding = [w for w in workloads if objects.is_true(w, "QuotaReserved")]
    admitted = [w for w in holding if objects.is_true(w, "Admitted")]
    lines = differs([len(holding), len(admitted)],
                    [right["reservingWorkloads"], right["admittedWorkloads"]])
    for group, label in ((holding, "reservedResources"), (admitted, "usedResources")):
        rows = probe.kueue_rule("tree", **question_about(case, [queue] + group))
        row = rows[queue["metadata"]["name"]]
        for ours, theirs in (("usage", "total"), ("borrowed", "borrowed")):
            lines += differs([label, theirs, _used(row[ours])],
                             [label, theirs, _used(_by_flavor(right[label], queue, theirs))])
    return lines


def _local_usage(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    if not state.get("cq"):
        raise Unanswerable("there is no ClusterQueue")
    queue = named_state(case, state["cq"])
    workloads = [named_state(case, w) for w in state.get("wls") or []]
    row = probe.kueue_rule("tree", **question_about(case, [queue] + [
        w for w in workloads if objects.is_true(w, "QuotaReserved")]))[queue["metadata"]["name"]]
    return differs(_used(row["usage"]),
                   _used(_by_flavor(case["observed"]["usage"], queue, "total")))


def _cells(rows: list[Json]) -> Json:
    """A ClusterQueue that has all flavors that the rows were assigned."""
    quotas = {f"{flavor}/{name}": {} for row in rows
              for name, flavor in (row.get("Flavors") or {}).items()}
    return cluster_queue("cq", resourceGroups=_groups(quotas))


def _workload_usage(case: Json, probe: Probe) -> list[str]:
    rows = ((case["state"].get("info") or {}).get("TotalRequests")) or []
    if not rows:
        raise Unanswerable("there is no workload")
    named = [row | {"Name": str(i)} for i, row in enumerate(rows)]
    ours = probe.kueue_rule("tree", **question_about(case, [
        _cells(rows), replaced({"TotalRequests": named}, "cq")]))["cq"]["usage"]
    return differs(_used(ours), _used(answered(case).get("Assigned")))


def _total(case: Json, probe: Probe) -> list[str]:
    """What an assignment adds to its queue; quota is no obstacle here."""
    asked = case["state"]["args"]
    fields = case["state"]["fields"]
    rows = fields["PodSets"]
    quotas = {f"{flavor['Name']}/{name}": {"Nominal": 10**15} for row in rows
              for name, flavor in (row.get("Flavors") or {}).items()}
    queue = cluster_queue("cq", resourceGroups=_groups(quotas))
    info = asked["wl"]
    workload = info["Obj"] | {"spec": info["Obj"]["spec"] | {"queueName": "asked"},
                              "metadata": {"name": "asked", "namespace": "default"}}
    local = {"kind": "LocalQueue", "metadata": {"name": "asked", "namespace": "default"},
             "spec": {"clusterQueue": "cq"}}
    flavors = [{"kind": "ResourceFlavor", "metadata": {"name": n}}
               for n in sorted({cell.partition("/")[0] for cell in quotas})]
    op: Json = {"op": "assign", "queue": "cq", "workload": "default/asked"}
    given = flavors + [queue, local, workload]
    if (old := fields.get("replaceWorkloadSlice")) is not None:
        first = next(iter(rows[0]["Flavors"].values()))["Name"]
        told = [row | {"Flavors": {name: first for name in of_vector(row.get("Requests"))}}
                for row in old["TotalRequests"]]
        given.append(replaced({"TotalRequests": told}, "cq"))
        op["replaced"] = objects.key_of(given[-1])
    else:
        op["counts"] = [row["Count"] for row in rows]
    ours = probe.kueue(objects.world(case, given), [op])[0]["usage"]
    return differs(_used(ours), _used(answered(case)))


# --- places in topologies


def _with_places(case: Json, workload: Json, rows: list[Json], tas: Json) -> list[Json]:
    """One node for each flavor that has a topology, with room for all."""
    cells = {f"{flavor['Name']}/{name}": {"Nominal": 10**9} for row in rows
             for name, flavor in (row.get("Flavors") or {}).items()}
    objs: list[Json] = [{"kind": "Topology", "metadata": {"name": "hosts"}, "spec": {
        "levels": [{"nodeLabel": "kubernetes.io/hostname"}]}}]
    resources = sorted({cell.partition("/")[2] for cell in cells})
    groups = []
    for name in sorted({cell.partition("/")[0] for cell in cells}):
        spec: Json = {"nodeLabels": {"flavor": name}} if name in tas else {}
        objs.append({"kind": "ResourceFlavor", "metadata": {"name": name},
                     "spec": spec | ({"topologyName": "hosts"} if name in tas else {})})
        room = {r: objects.written(r, 10**9) for r in resources} | {"pods": "1000"}
        objs.append({"kind": "Node", "spec": {}, "metadata": {"name": name, "labels": {
            "flavor": name, "kubernetes.io/hostname": name}}, "status": {
                "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]}})
        groups += _groups({c: q for c, q in cells.items() if c.startswith(name + "/")})
    objs.append(cluster_queue("cq", resourceGroups=groups))
    objs.append({"kind": "LocalQueue", "metadata": {"name": "asked", "namespace": "default"},
                 "spec": {"clusterQueue": "cq"}})
    meta = (workload.get("metadata") or {}) | {"name": "asked", "namespace": "default"}
    objs.append(workload | {"kind": "Workload", "metadata": meta,
                            "spec": workload["spec"] | {"queueName": "asked"}})
    return objs


def _topology_mode(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    rows = state["assignment"]["PodSets"]
    objs = _with_places(case, state["workload"]["Obj"], rows, state["cq"].get("TASFlavors") or {})
    op = {"op": "assign", "queue": "cq", "workload": "default/asked"}
    ours = probe.kueue(objects.world(case, objs), [op])[0]["mode"]
    right = case["observed"]
    return differs(ours, right.get("value2", right["value1"]))


def _placed(case: Json, probe: Probe) -> list[str]:
    """Which pod sets need places: those with pods."""
    state = case["state"]
    rows = state["podSets"]
    objs = _with_places(case, {"spec": {"podSets": state["wlPodSets"]}}, rows, {"tas": {}})
    op = {"op": "assign", "queue": "cq", "workload": "default/asked",
          "counts": [row["Count"] for row in rows]}
    ours = probe.kueue(objects.world(case, objs), [op])[0]
    names = [state["wlPodSets"][p["index"]]["name"] for p in ours["podSets"] if p.get("places")]
    return differs(sorted(names), sorted(case["observed"].get("tASPodSets") or []))


def _added_places(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    rows = state["assignment"]["PodSets"]
    workload = dict(state["wl"]["Obj"])
    if (admission := state.get("prevAdmission")) is not None:
        before = [a | {"flavors": {n: f["Name"] for n, f in (row.get("Flavors") or {}).items()}}
                  for a, row in zip(admission["podSetAssignments"], rows)]
        workload["status"] = {"admission": {"clusterQueue": "cq", "podSetAssignments": before}}
    objs = _with_places(case, workload, rows, state["cq"].get("TASFlavors") or {})
    op = {"op": "added_places", "workload": "default/asked", "pod_sets": [
        {"flavors": {n: f["Name"] for n, f in (row.get("Flavors") or {}).items()},
         "places": None if row.get("TopologyAssignment") is None else
         [{"values": d["Values"], "count": d["Count"]}
          for d in row["TopologyAssignment"].get("Domains") or []]}
        for row in rows]}
    ours = probe.kueue(objects.world(case, objs), [op])[0]
    right = [[flavor, one["Values"], one["Count"], of_vector(one["SinglePodRequests"])]
             for flavor, list_ in (answered(case) or {}).items() for one in list_]
    return differs(sorted(ours, key=str), sorted(right, key=str))


# --- steps of a cycle


def _outdated(case: Json, probe: Probe) -> list[str]:
    asked = case["state"]["args"]
    last = asked["last"]
    texts = sorted({last.get("SchedulingHash", ""), asked.get("currentSchedulingHash", "")})

    def number(text: str) -> int:
        return NONE if text == "unknown" else texts.index(text)

    ours = probe.kueue_rule(
        "outdated", generation=asked["currentCQGeneration"], cycle=asked["currentSchedulingCycle"],
        hash=number(asked.get("currentSchedulingHash", "")),
        preserve=feature_gates(case).get("FlavorFungibilityPreserveScanProgress", True),
        progress={"generation": last["ClusterQueueGeneration"], "cycle": last["SchedulingCycle"],
                  "hash": number(last.get("SchedulingHash", ""))})
    return differs(ours, answered(case))


def _pending_flavors(case: Json, probe: Probe) -> list[str]:
    told = case["state"].get("state")
    if told is None:
        raise Unanswerable("there is no progress")
    ours = probe.kueue_rule("pending_flavors",
                            progress={"tried": told.get("LastTriedFlavorIdx") or []})
    return differs(ours, case["observed"]["pendingFlavors"])


def _requeued(case: Json, probe: Probe) -> list[str]:
    """In one half of the records the entry has lost its workload; it is always the same one."""
    entry, right = case["state"]["e"], case["observed"]
    workload = {"metadata": {"name": "w1", "namespace": "ns1"},
                "spec": {"podSets": [], "queueName": "q1"}}
    queue = next(o for o in case["objects"] if o["kind"] == "ClusterQueue")
    script = Script(case, queue, [entry["Head"]["Info"].get("Obj") or workload])
    script.do("requeue", script.workloads[0], reason=entry.get("requeueReason") or "",
              status=entry.get("status") or "")
    last = script.run(probe)[-1]
    name = queue["metadata"]["name"]
    return differs([last["active"], last["aside"]],
                   [(right.get("workloads") or {}).get(name) or [],
                    (right.get("inadmissible") or {}).get(name) or []])


def _skipped(case: Json, probe: Probe) -> list[str]:
    ours = probe.kueue_rule("skip", config={"gates": feature_gates(case)})
    return differs([ours["status"], ours["progress"]],
                   [case["observed"]["e.status"], not case["observed"]["lastAssignmentNil"]])


def _replaced(case: Json, probe: Probe) -> list[str]:
    asked = case["state"].get("args") or {}
    if not asked.get("wl") or not asked.get("snap"):
        raise Unanswerable("there is no workload, or no cluster")
    queues = (asked["snap"].get("Manager") or {}).get("clusterQueues") or {}
    target = asked["wl"].get("ClusterQueue") or ""
    names = {}
    objs: list[Json] = []
    for queue, row in queues.items():
        objs.append(cluster_queue(queue))
        for key, info in (row.get("Workloads") or {}).items():
            admission = {"clusterQueue": queue, "podSetAssignments": [
                {"name": p["name"], "count": p["count"]} for p in info["Obj"]["spec"]["podSets"]]}
            status = (info["Obj"].get("status") or {}) | {"admission": admission}
            objs.append(info["Obj"] | {"kind": "Workload", "status": status})
            names[key] = objects.key_of(info["Obj"])
    if target not in queues:
        raise Unanswerable("the workload has no queue")
    obj = asked["wl"]["Obj"]
    objs.append({"kind": "LocalQueue", "spec": {"clusterQueue": target},
                 "metadata": {"namespace": obj["metadata"].get("namespace", ""), "name": ""}})
    objs.append({k: v for k, v in obj.items() if k != "status"} | {"kind": "Workload"})
    question = question_about(case, objs)
    facts = question["facts"][objects.key_of(obj)]
    if "replaces" in facts:
        facts["replaces"] = names.get(facts["replaces"], facts["replaces"])
    ours = probe.kueue_rule("replaced", **question, workload=objects.key_of(obj))
    right = case["observed"].get("want.wl")
    return differs(ours, None if right is None else objects.key_of(right["Obj"]))


_CACHE = "pkg-cache-scheduler.Test"
TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    _CACHE + "Ancestors": _ancestors,
    _CACHE + "CacheClusterQueueOperations": _cache,
    _CACHE + "ClusterQueueAncestors": _queue_ancestors,
    _CACHE + "ClusterQueueUsage": _queue_usage,
    _CACHE + "CohortCycles": _cycles,
    _CACHE + "DeleteCohortUpdatesAncestorSubtreeQuota": _deleted,
    _CACHE + "IsBorrowingOn": _borrows,
    _CACHE + "LocalQueueUsage": _local_usage,
    _CACHE + "PreciseWeightedShareSerialized": _share,
    _CACHE + "Snapshot": _snapshot,
    _CACHE + "SnapshotAddRemoveWorkload": _moved,
    _CACHE + "SnapshotAddRemoveWorkloadWithLendingLimit": _moved,
    _CACHE + "WorkloadAncestors": _workload_ancestors,
    "pkg-scheduler-flavorassigner.TestAssignment_ComputeTASNetUsage": _added_places,
    "pkg-scheduler-flavorassigner.TestAssignment_TotalRequestsFor": _total,
    "pkg-scheduler-flavorassigner.TestWorkloadsTopologyRequests_ElasticJobsValidation":
        _topology_mode,
    "pkg-scheduler-flavorassigner.TestWorkloadsTopologyRequests_ErrorBranches": _topology_mode,
    "pkg-scheduler-flavorassigner.TestWorkloadsTopologyRequests_ZeroCountPodSetSkipped": _placed,
    "pkg-scheduler-preemption-fairsharing.TestMakeClusterQueueOrdering": _givers,
    "pkg-scheduler.TestEntryComparerLess": _fair_less,
    "pkg-scheduler.TestEntryMarkSkipped": _skipped,
    "pkg-scheduler.TestLastAssignmentOutdated": _outdated,
    "pkg-scheduler.TestRequeueAndUpdate": _requeued,
    "pkg-workload.TestAssignmentClusterQueueState": _pending_flavors,
    "pkg-workload.TestResourceUsage": _workload_usage,
    "pkg-workloadslicing.TestReplacedWorkloadSlice": _replaced,
}


def check(case: Json, probe: Probe) -> list[str]:
    """How our answer differs from the recorded one. REQUIRES: the case's test is in TESTS."""
    return TESTS[case["test"]](case, probe)
