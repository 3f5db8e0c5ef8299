# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Single steps of Kueue's search for places, on domains with given room."""

from typing import Any, Callable

from adapters.kueue_calls import differs
from adapters.kueue_topology import used_rows, of_vector, places
from probe import Probe, Unanswerable

Json = dict[str, Any]

FIELDS = ("podCount", "sliceCount", "podCountWithLeader", "sliceCountWithLeader", "leaderCount",
          "affinityScore")


def counts(state: Json) -> list[int]:
    return [state.get(field, 0) for field in FIELDS]


def _domains(state: Json) -> list[Json]:
    """Of the state of a case: [{"id", "path", "counts"}]."""
    if "domains" not in state:
        raise Unanswerable("the domains are code of the test")
    rows = []
    for one in state["domains"]:
        domain = one.get("domain", one)
        rows.append({"id": domain["id"], "path": domain["levelValues"],
                     "counts": counts(one.get("state", one))})
    return rows


def _gate(case: Json, name: str, default: bool) -> bool:
    return (case["config"].get("featureGates") or {}).get(name, default)


def _by_affinity(case: Json) -> bool:
    return _gate(case, "TASRespectNodeAffinityPreferred", False)


def _order(with_leader: bool) -> Callable[[Json, Probe], list[str]]:
    def check(case: Json, probe: Probe) -> list[str]:
        domains = _domains(case["state"])
        values = sorted(d["path"] for d in domains)
        op = {
            "op": "order",
            "rows": [{"counts": d["counts"], "rank": values.index(d["path"])} for d in domains],
            "with_leader": with_leader,
            "least_first": case["state"]["unconstrained"] and _gate(case, "TASProfileMixed", True),
            "by_affinity": _by_affinity(case),
        }
        answer = probe.kueue_topology_steps({"levels": 1, "domains": []}, [op])[0]
        return differs([domains[i]["id"] for i in answer], case["observed"]["order"])

    return check


def _set_request(case: Json, domains: list[Json], slices: int, size: int) -> Json:
    return {
        "level": 0,
        "domains": [d["path"] for d in domains],
        "slices": slices,
        "leaders": case["state"]["leaderCount"],
        "slice_size": size,
        "by_affinity": _by_affinity(case),
    }


def _set(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    domains = _domains(state)
    op = _set_request(case, domains, state["workerCount"], 1)
    # The tests choose by entropy where they do not state it.
    op |= {"op": "set", "by_entropy": state.get("prioritizeByEntropy", True)}
    answer = probe.kueue_topology_steps({"levels": 1, "domains": domains}, [op])[0]
    names = {tuple(d["path"]): d["id"] for d in domains}
    return differs([names[tuple(path)] for path in answer or []], case["observed"]["value1"])


def _even(case: Json, probe: Probe) -> list[str]:
    state = case["state"]
    domains = _domains(state)
    op = _set_request(case, domains, state["sliceCount"], state["sliceSize"])
    op |= {"op": "even", "threshold": state["threshold"]}
    answer = probe.kueue_topology_steps({"levels": 1, "domains": domains}, [op])[0]
    names = {tuple(d["path"]): d["id"] for d in domains}
    ours = {names[tuple(row["path"])]: row["counts"] for row in answer or []}
    right = case["observed"]["value1"] or {}
    return differs(ours, {name: counts(value) for name, value in right.items()})


def _balance(case: Json, probe: Probe) -> list[str]:
    params, domains = case["state"]["params"], _domains(case["state"])
    op = {
        "op": "balance",
        "count": params["count"],
        "leaders": params["leaderCount"],
        "slice_size": params["sliceSize"],
        "level": params["requestedLevelIdx"],
        "slice_level": params["sliceLevelIdx"],
        "by_affinity": _by_affinity(case),
    }
    levels = max(len(d["path"]) for d in domains)
    answer = probe.kueue_topology_steps({"levels": levels, "domains": domains}, [op])[0]
    right = case["observed"]
    return differs([answer["threshold"], len(answer["domains"])],
                   [right["threshold"], right["domainsCount"]])


def _usage(case: Json, probe: Probe) -> list[str]:
    """What an assignment uses, beside what is used already: by leaf and resource."""
    state = case["state"]
    requests = (state.get("tasRequests") or {}).get("SinglePodRequests")
    pod = of_vector(requests or (state.get("fixtures") or {}).get("singlePodRequests"))
    assigned = places(state["assignment"]) or []
    before = {name: of_vector(vector) for name, vector in (state.get("assumedUsage") or {}).items()}
    right = {name: of_vector(vector) for name, vector in (case["observed"]["value1"] or {}).items()}
    names = sorted({p["values"][-1] for p in assigned} | before.keys())
    nodes = [{"name": n, "labels": {"host": n}, "taints": [], "usable": True, "allocatable": {}}
             for n in names]
    used = used_rows([{"Values": [n], "SinglePodRequests": taken, "Count": 1}
                      for n, taken in before.items()])
    for row in used:  # the pods are part of what is given
        row["count"] = 1
        row["pod"]["pods"] = row["pod"].get("pods", 0) - 1
    used += [{"values": p["values"], "pod": pod, "count": p["count"]} for p in assigned]
    world = {
        "resources": sorted({"pods", *pod, *(r for taken in before.values() for r in taken)}),
        "nodes": nodes,
        "others": [],
        "gates": {},
        "flavors": [{"name": "flavor", "topology": "default", "levels": ["host"],
                     "node_labels": {}, "tolerations": [], "used": used}],
    }
    leaves = probe.kueue_topology(world, [{"op": "books"}])[0]
    ours = {row["leaf"][0]: row["used"] for row in leaves}
    for name, amounts in ours.items():
        ours[name] = {r: a for r, a in amounts.items() if a or r in right.get(name, {})}
    return differs(ours, right)


TESTS: dict[str, Callable[[Json, Probe], list[str]]] = {
    "pkg-cache-scheduler.TestSortedDomains": _order(with_leader=False),
    "pkg-cache-scheduler.TestSortedDomainsWithLeader": _order(with_leader=True),
    "pkg-cache-scheduler.TestSelectOptimalDomainSetToFit": _set,
    "pkg-cache-scheduler.TestPlaceSlicesOnDomainsBalanced": _even,
    "pkg-cache-scheduler.TestFindBestDomainsForBalancedPlacement": _balance,
    "pkg-cache-scheduler.TestComputeAssumedUsageFromAssignment": _usage,
    "pkg-cache-scheduler.TestAddAssumedUsage": _usage,
}


def check(case: Json, probe: Probe) -> list[str]:
    """How our answer differs from the recorded one. REQUIRES: the case's test is in TESTS."""
    return TESTS[case["test"]](case, probe)
