# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Armada's recorded decisions: rounds of pools, and calls of the functions below them."""

import itertools
from typing import Any, Iterator

from adapters import armada_limits, armada_trades
from probe import Probe, Unanswerable

Json = dict[str, Any]

SHARES = ("fairShare", "demandCappedAdjustedFairShare", "uncappedAdjustedFairShare")
CLASSES = ("allocatedByPriorityClass", "scheduledByPriorityClass", "evictedByPriorityClass")
DRAWS = 120  # orders that are tried where the peer draws one
ROUND = "PreemptingQueueScheduler.Schedule"


def check(level: str, case: Json, probe: Probe) -> list[str]:
    if "rounds" in case:
        steps = [
            {"op": ROUND, "result": [r["result"]], "state": r["state"]} for r in case["rounds"]
        ]
    else:
        steps = [step for step in case.get("steps", []) if step["op"] in RULES]
    if not steps and any("ShortJobPenalty." in step["op"] for step in case.get("steps", [])):
        return armada_limits.short_jobs(case, probe)
    if not steps:
        raise Unanswerable(_why_no_rule(case))
    lines = []
    for i, step in enumerate(steps):
        lines += [f"step {i}, {line}" for line in RULES[step["op"]](case, step, probe)]
    return lines


# Of a case without a call of a rule: what the first call that has one of these words is about.
NO_RULES = (
    ("Pric", "prices that the peer tells and does not decide by"),
    ("IdealisedValue", "the value of an ideal pool, which the peer tells and does not decide by"),
    ("OptimisingQueueScheduler", "gangs that a scheduler of the test places"),
    ("collectIdsForGangEviction", "a step of an eviction, which is asked by whole rounds"),
    ("Reconcile", "runs that are compared with nodes before a round"),
    ("PreemptionDescriptions", "texts about decisions"),
    ("Floating", "what a pool has, as a configuration makes it"),
    ("SchedulingContext.", "sums about a round that is over"),
    ("NodeDb.", "changes of books without a decision"),
    ("Node.", "changes of books without a decision"),
    ("NewAllocatable", "changes of books without a decision"),
    ("MarkAlloc", "changes of books without a decision"),
    ("DominantResourceFairness", "objects that are made and asked nothing"),
    ("esource", "arithmetic of the peer's lists of resources"),
    ("Rl", "arithmetic of the peer's lists of resources"),
    ("Quantity", "arithmetic of the peer's lists of resources"),
    ("resolution", "arithmetic of the peer's lists of resources"),
    ("NodeType", "objects that are made and asked nothing"),
)


def _why_no_rule(case: Json) -> str:
    for word, reason in NO_RULES:
        if any(word in step["op"] for step in case.get("steps") or []):
            return reason
    return "rows without a recorded call" if not case.get("steps") else "no recorded call of a rule"


def _round(case: Json, step: Json, probe: Probe) -> list[str]:
    state, result = step["state"], step["result"][0]
    if result is None:
        raise Unanswerable("a round that a clock ended")
    db = state.get("nodeDb") or case["nodeDb"]
    recorded = _recorded(result, state, db)
    lines: list[str] = []
    for draw in _draws(state, result):
        answer = probe.armada({"op": "round", "nodeDb": db} | draw)
        if not any(fair for fair, _, _ in recorded["shares"].values()):
            answer["shares"] = recorded["shares"]  # a test that never divides the pool
        found = _differences(recorded, answer)
        if not found:
            return []
        lines = lines or found
    return lines


def _pass(case: Json, step: Json, probe: Probe) -> list[str]:
    """One pass over the queued jobs: a round in which no queue is above its share."""
    state = step["state"]
    if "evictedJobs" in state:
        raise Unanswerable("a pass over jobs that an earlier step evicted")
    pool = state["context"].get("pool", "")
    jobs = []
    for job in case.get("jobs") or []:
        seated = any(job["id"] in node.get("jobs", {}) for node in state["nodes"])
        jobs.append(job | {"queued": not seated, "pools": [pool]})
        jobs[-1]["runs"] = [run | {"pool": pool} for run in job.get("runs") or []]
    if not jobs:
        raise Unanswerable("a pass of which the queued jobs are in no record")
    config = case.get("config") or {}
    state = state | {
        "jobs": jobs,
        "protectedFractionOfFairShare": 1e300,
        "maxQueueLookback": config.get("MaxQueueLookback", 0),
        "preferLargeJobOrdering": config.get("EnablePreferLargeJobOrdering", False),
    }
    return _round(case, step | {"state": state}, probe)


def _selected(case: Json, step: Json, probe: Probe) -> list[str]:
    """The node of one job."""
    if step["result"][-1] is not None:
        raise Unanswerable("a call that fails for want of a record")
    own = step["args"][-1].get("assignedNode")
    if own is not None and all(node["id"] != own for node in step["state"]["nodes"]):
        raise Unanswerable("an evicted job of which the node is not there")
    chosen = step["result"][0] is not None
    gang = {"jobs": [step["args"][-1]]}
    question = {"op": "place", "state": step["state"], "gang": gang}
    answer = probe.armada(question | {"nodeDb": step["state"].get("nodeDb") or case["nodeDb"]})
    wanted: Json = {"placed": chosen, "jobs": {}, "preempted": {}}
    if chosen:
        row = step["args_after"][-1]
        kept = ("node", "scheduledAtPriority", "preemptedAtPriority", "method", "away")
        wanted["jobs"] = {row["job"]: {key: _placed(row)[key] for key in kept}}
    return _differences(wanted, answer)


# Orders by a priority class or a time of submission; neither is in the rows.
LACKING = (
    "by_increasing_priority_class",
    "by_decreasing_submit_time",
    "not_ordered_by_runtime",
    "first_ordered_on_priority_class",
    "second_ordered_on_bid_price",
)


def _compared(case: Json, step: Json, probe: Probe) -> list[str]:
    if any(words in case["name"] for words in LACKING):
        raise Unanswerable("the record lacks the class or the time that decides")
    question = {"op": "compare", "jobs": step["args"]}
    if step["op"].startswith("Market"):
        question["pool"] = step["on"]["Pool"]
    return _differences(step["result"][0], probe.armada(question))


def _suits_node(case: Json, step: Json, probe: Probe) -> list[str]:
    node = next(n for n in case["nodes"] if n["id"] == step["args"][0]["node"])
    free = node.get("allocatableByPriority", {}).get(str(step["args"][1]), node["total"]) or {}
    question = {"op": "suits", "job": case["row"]["req"], "node": node, "free": free}
    return _differences(step["result"][0], probe.armada(question))


def _suits_type(case: Json, step: Json, probe: Probe) -> list[str]:
    row, kind = case["row"], step["args"][0]
    labels = kind.get("labels", {})
    unset = [label for label in row.get("IndexedLabels") or {} if label not in labels]
    question = {"op": "suits", "is_type": True, "job": row["Req"], "node": kind, "unset": unset}
    return _differences(step["result"][0], probe.armada(question))


def _conditions(case: Json, step: Json, probe: Probe) -> list[str]:
    conditions, resources = step["args"]
    question = {"op": "conditions", "conditions": conditions or [], "resources": resources}
    return _differences(step["result"][0], probe.armada(question))


def _draws(state: Json, result: Json) -> Iterator[Json]:
    """The peer goes through the values of a gang's label, and enters queues into its heap, in an
    order that it draws. Here the recorded value comes first, then come other orders."""
    rows = [row for row in result.get("scheduled") or [] if "gangLabelValue" in row]
    values = {row["job"]: row["gangLabelValue"] for row in rows}
    gangs = {job["gang"]["id"]: job for job in state.get("jobs") or [] if "gang" in job}
    drawn = {gang: [values[job["id"]]] for gang, job in gangs.items() if job["id"] in values}
    yield {"state": state, "draws": drawn}
    labels = {job["gang"].get("nodeUniformity", "") for job in gangs.values()} - {""}
    for label in sorted(labels):
        of_nodes = {node.get("labels", {}).get(label) for node in state["nodes"]} - {None}
        for order in itertools.islice(itertools.permutations(sorted(of_nodes)), DRAWS):
            yield {"state": state, "draws": drawn | {gang: list(order) for gang in gangs}}
    if "marketConfig" in state:
        queues = state["context"]["queues"]
        for order in itertools.islice(itertools.permutations(queues), 1, DRAWS):
            context = state["context"] | {"queues": list(order)}
            yield {"state": state | {"context": context}, "draws": drawn}


def _placed_gang(case: Json, step: Json, probe: Probe) -> list[str]:
    """One gang on the nodes of a database, or with the limits of a pool."""
    state, result = step["state"], step["result"]
    if result[-1] is not None:
        raise Unanswerable("a call that fails for want of a record")
    seated = {job for node in state["nodes"] for job in node.get("jobs", {})}
    evicted = {row["job"] for row in state.get("evictedJobs") or []}
    if any(row["job"] in seated - evicted for row in step["args"][-1]["jobs"]):
        raise Unanswerable("a job that has a node already is placed on another one")
    of_pool = step["op"] == "GangScheduler.Schedule"
    gang, after = step["args"][0 if of_pool else -1], step["args_after"][-1]
    question = {"op": "gang" if of_pool else "place", "state": state, "gang": gang, "draws": {}}
    for row in after["jobs"]:
        if "gangLabelValue" in row:
            question["draws"] = {gang["gangId"]: [row["gangLabelValue"]]}
    answer = probe.armada(question | {"nodeDb": state.get("nodeDb") or case["nodeDb"]})
    rows = {row["job"]: _placed(row) for row in after["jobs"] if row.get("pod", {}).get("node")}
    kept = ("node", "scheduledAtPriority", "preemptedAtPriority", "method", "away")
    wanted: Json = {"placed": result[0], "jobs": {}}
    if result[0]:
        wanted["jobs"] = {job: {key: row[key] for key in kept} for job, row in rows.items()}
    if of_pool:
        wanted["reason"] = result[1]
    else:
        wanted["preempted"] = {
            row["PreemptedJob"]["job"]: [
                row["PreemptionDetails"].get("PreemptingJob", ""),
                row["PreemptionDetails"].get("PreemptedSiblingJob", ""),
            ]
            for row in result[1] or []
        }
    return _differences(wanted, answer)


def _pool(fairness: Json) -> Json:
    names = sorted(fairness["totalResources"])
    milli = dict.fromkeys(names, -3)
    total = _amounts(fairness["totalResources"], milli)
    return {
        "total": [total.get(name, 0) for name in names],
        "multipliers": [fairness["multipliers"][name] for name in names],
    }


def _shares(case: Json, step: Json, probe: Probe) -> list[str]:
    context = step["on"]
    question = {"op": "shares"} | _pool(context["FairnessCostProvider"])
    names = sorted(context["FairnessCostProvider"]["totalResources"])
    milli = dict.fromkeys(names, -3)
    question["queues"] = {}
    for name, queue in context["QueueSchedulingContexts"].items():
        demand = _amounts(queue.get("ConstrainedDemand") or {}, milli)
        question["queues"][name] = [queue["Weight"], [demand.get(r, 0) for r in names]]
    question["weightSum"] = context.get("WeightSum", 0)
    if step["op"].endswith("TheoreticalShare"):
        question["factor"] = step["args"][0]
        return _differences(step["result"][0], probe.armada(question))
    after = step["after"]["QueueSchedulingContexts"]
    keys = [key[0].upper() + key[1:] for key in SHARES]
    wanted = {name: [queue.get(key, 0) for key in keys] for name, queue in after.items()}
    return _differences(wanted, probe.armada(question))


def _cost(case: Json, step: Json, probe: Probe) -> list[str]:
    names = sorted(step["on"]["totalResources"])
    amounts = _amounts(step["args"][0] or {}, dict.fromkeys(names, -3))
    question = {"op": "cost", "amounts": [amounts.get(name, 0) for name in names]}
    question |= _pool(step["on"]) | {"weight": step["args"][1]}
    return _differences(step["result"][0], probe.armada(question))


def _recorded(result: Json, state: Json, db: Json) -> Json:
    units = {r["name"]: r.get("scale", 0) for r in db["resources"]}
    queues = {q["queue"]: q for q in state["context"].get("queues") or []}
    return {
        "scheduled": {row["job"]: _placed(row) for row in result.get("scheduled") or []},
        "preempted": {
            row["job"]: {
                "by": row.get("preemptedBy", ""),
                "sibling": row.get("preemptedWithSibling", ""),
                "type": row["preemptionType"],
            }
            for row in result.get("preempted") or []
        },
        "unsuccessful": result.get("unsuccessful") or {},
        "rescheduled": sorted(result.get("rescheduled") or []),
        "context": _context(result["context"], units),
        "shares": {name: [q.get(key, 0) for key in SHARES] for name, q in queues.items()},
    }


def _placed(row: Json) -> Json:
    pod = row["pod"]
    return {
        "node": pod["node"],
        "scheduledAtPriority": pod.get("scheduledAtPriority", 0),
        "preemptedAtPriority": pod.get("preemptedAtPriority", 0),
        "method": pod["method"],
        "away": pod.get("away", False),
        "evicted": row.get("evicted", False),
        "value": row.get("gangLabelValue", ""),
        "wellKnownNodeType": pod.get("wellKnownNodeType", ""),
    }


def _context(context: Json, units: dict[str, int]) -> Json:
    amounts = lambda key, of=context: _amounts(of.get(key) or {}, units)  # noqa: E731
    text = {key: amounts(key) for key in ("allocated", "scheduledResources", "evictedResources")}
    text["termination"] = context.get("terminationReason", "")
    text["tokens"] = _tokens(context.get("limiter"))
    text["preemptionTokens"] = _tokens(context.get("fairsharePreemptionLimiter"))
    if "spotPrice" in context:
        text["spotPrice"] = context["spotPrice"]
    text["queues"] = {}
    for queue in context.get("queues") or []:
        row = {key: amounts(key, queue) for key in ("allocated", "billableResource")}
        for key in CLASSES:
            classes = (queue.get(key) or {}).items()
            amounts_of = {name: _amounts(value, units) for name, value in classes}
            row[key] = {name: value for name, value in amounts_of.items() if value}
        row["tokens"] = _tokens(queue.get("limiter"))
        if "billablePriceOverride" in queue:
            row["billablePriceOverride"] = queue["billablePriceOverride"]
        text["queues"][queue["queue"]] = row
    return text


def _tokens(limiter: Json | None) -> float | None:
    if limiter is None or isinstance(limiter["rate"], str) or limiter["rate"] > 1e300:
        return None
    return limiter["tokens"]


SUFFIXES = {"m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "u": -6, "n": -9}


def _amounts(recorded: dict[str, str], units: dict[str, int]) -> dict[str, int]:
    """In units of the dimensions, without zeros."""
    found = {}
    for name, text in recorded.items():
        power = SUFFIXES.get(text[-1], 0)
        number = int(text[:-1] if power else text)
        power -= units[name]
        number = number * 10**power if power >= 0 else number // 10**-power
        if number:
            found[name] = number
    return found


def _differences(wanted: Any, got: Any, place: str = "") -> list[str]:
    """Every number to the last bit; of a reason that ends in a name what stands before the name."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        lines = []
        for key in sorted(wanted.keys() | got.keys()):
            if key not in wanted or key not in got:
                lines.append(f"{place}{key}: {got.get(key)} instead of {wanted.get(key)}")
            else:
                lines += _differences(wanted[key], got[key], f"{place}{key}, ")
        return lines
    named = place.startswith(("unsuccessful", "reason"))
    if wanted == got or (named and got and wanted.startswith(got)):
        return []
    return [f"{place}{got} instead of {wanted}"]


RULES = {
    ROUND: _round,
    "NodeDb.ScheduleManyWithTxn": _placed_gang,
    "GangScheduler.Schedule": _placed_gang,
    "QueueScheduler.Schedule": _pass,
    "NodeDb.SelectNodeForJobWithTxn": _selected,
    "JobPriorityComparer.Compare": _compared,
    "MarketJobPriorityComparer.Compare": _compared,
    "JobRequirementsMet": _suits_node,
    "NodeTypeJobRequirementsMet": _suits_type,
    "matchesCondition": _conditions,
    "SchedulingContext.UpdateFairShares": _shares,
    "SchedulingContext.CalculateTheoreticalShare": _shares,
    "DominantResourceFairness.WeightedCostFromAllocation": _cost,
    "PreemptingNodeScheduler.Schedule": armada_trades.node,
    "FairnessOptimisingGangScheduler.Schedule": armada_trades.gang,
    "isTooLargeToEvict": armada_trades.too_large,
    "MinPriceNodeScheduler.Schedule": armada_trades.node_price,
    "GangPricer.Price": armada_trades.gang_price,
    "MarketDrivenIndicativePricer.Price": armada_trades.indicative,
    "NewSchedulingConstraints": armada_limits.made_limits,
    "schedulingConstraints.CheckRoundConstraints": armada_limits.round_limit,
    "schedulingConstraints.CheckJobConstraints": armada_limits.gang_limits,
    "schedulingConstraints.CapResources": armada_limits.capped,
    "SchedulingContext.IsWithinFloatingResourceLimits": armada_limits.floating,
    "FloatingResourceTypes.WithinLimits": armada_limits.floating,
}
