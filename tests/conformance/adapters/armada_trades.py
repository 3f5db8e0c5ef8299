# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Armada's optimiser, and the prices of its market: one job on one node, and one gang."""

from typing import Any

from probe import Probe, Unanswerable

Json = dict[str, Any]

EVICTED, CROSS_POOL = -2, -1
YEAR_ONE = 62_135_596_800  # seconds before 1970; times of runs count from there


def node(case: Json, step: Json, probe: Probe) -> list[str]:
    """Victims of the optimiser on one node."""
    if step["result"][-1] is not None:
        raise Unanswerable("a call that fails for want of a record")
    asked, job = step["args"][0], step["args"][1]["job"]
    if any("scheduled_in_current_round" in part for part in case["name"].split("/")):
        raise Unanswerable("a victim that the same round scheduled, at a priority in no record")
    receiver = step["state"].get("receiver") or {}
    state = _state(step, asked["Sctx"])
    state["optimiserConfig"] = {"MaximumJobSizeToPreempt": receiver["maximumJobSizeToPreempt"]} if (
        "maximumJobSizeToPreempt" in receiver
    ) else {}
    costs = asked.get("Queues") or {}
    question = {"of": "node", "job": job, "costs": costs} | _database(state)
    answer = _ask(probe, question)
    result = step["result"][0]
    wanted: Json = {"scheduled": result.get("scheduled", False)}
    if wanted["scheduled"]:
        wanted["victims"] = result.get("jobIdsToPreempt") or []
        wanted["cost"] = result.get("schedulingCost", 0)
        wanted["impact"] = result.get("maximumQueueImpact", 0)
    return _differ(wanted, answer)


def node_price(case: Json, step: Json, probe: Probe) -> list[str]:
    if step["result"][-1] is not None:
        raise Unanswerable("a call that fails for want of a record")
    queues = sorted({job["queue"] for job in step["state"]["jobs"]})
    pools = {pool for job in step["state"]["jobs"] for pool in job.get("bids") or {}}
    context = {"pool": next(iter(sorted(pools)), ""), "queues": [{"queue": q} for q in queues]}
    question = {"of": "node price", "job": step["args"][0]["job"]}
    answer = _ask(probe, question | _database(_state(step, context)))
    result = step["result"][0]
    wanted: Json = {"scheduled": result.get("scheduled", False)}
    if wanted["scheduled"]:
        wanted["victims"] = result.get("jobIdsToPreempt") or []
        wanted["price"] = result.get("price", 0)
    return _differ(wanted, answer)


def gang_price(case: Json, step: Json, probe: Probe) -> list[str]:
    gang, result = step["args"][0], step["result"][0]
    if step["result"][-1] is not None:
        raise Unanswerable("a call that fails for want of a record")
    queues = sorted({job["queue"] for job in step["state"]["jobs"]})
    pools = {pool for job in step["state"]["jobs"] for pool in job.get("bids") or {}}
    context = {"pool": next(iter(sorted(pools)), ""), "queues": [{"queue": q} for q in queues]}
    state = step["state"] | {"context": context}
    db = state.get("nodeDb") or case["nodeDb"]
    return _price(probe, state, db, gang, result)


def gang(case: Json, step: Json, probe: Probe) -> list[str]:
    """Places that the optimiser trades for one gang."""
    of, result = step["args"][1], step["result"]
    if result[-1] is not None:
        raise Unanswerable("a call that fails for want of a record")
    receiver = step["state"].get("receiver") or {}
    if "resultByNodeId" in (receiver.get("nodeScheduler") or {}):
        raise Unanswerable("nodes that a scheduler of the test chooses")
    least = receiver.get("minFairnessImprovementPercentage", 0)
    config = {"MinimumFairnessImprovementPercentage": least}
    question = {
        "of": "gang",
        "gang": [row["job"] for row in of["jobs"]],
        "state": step["state"] | {"optimiserConfig": config},
        "nodeDb": step["state"].get("nodeDb") or case["nodeDb"],
    }
    answer = _ask(probe, question)
    placed = [row for row in step["args_after"][-1]["jobs"] if row.get("pod", {}).get("node")]
    wanted = {
        "reason": result[2],
        "nodes": {row["job"]: row["pod"]["node"] for row in placed} if result[0] else {},
        "preempted": {row["job"]: row["preemptedBy"] for row in result[1] or []},
    }
    return _differ(wanted, answer)


def too_large(case: Json, step: Json, probe: Probe) -> list[str]:
    """A node on which the job is the only possible victim."""
    victim = step["state"]["jobs"][0] | {"queue": "victims", "preemptible": True}
    largest = step["args"][1] if len(step["args"]) > 1 else None
    victim["runs"] = [
        {"latest": True, "nodeId": "node", "pool": "pool", "scheduledAtPriority": 0, "created": 0}
    ]
    victim |= {"priorityClass": "low", "priorityClassPriority": 0, "pools": ["pool"]}
    asker = {"id": "asker", "queue": "askers", "requests": victim["requests"], "pools": ["pool"]}
    asker |= {"priorityClass": "high", "priorityClassPriority": 1, "preemptible": True}
    total = victim["requests"]
    row = {"id": "node", "nodeType": "type", "total": total, "jobs": {victim["id"]: {"cutoff": 0}}}
    row["allocatableByPriority"] = {str(p): {} for p in (EVICTED, CROSS_POOL, 0)} | {"1": total}
    context = {"pool": "pool", "totalResources": total, "queues": []}
    context["queues"] = [{"queue": queue, "weight": 1} for queue in ("askers", "victims")]
    state = {"jobs": [victim, asker], "nodes": [row], "nodeTypes": {"type": {}}, "context": context}
    state["optimiserConfig"] = {"MaximumJobSizeToPreempt": largest} if largest else {}
    answer = _ask(probe, {"of": "node", "job": "asker", "costs": {}} | _database(state))
    return _differ(not step["result"][0], answer["scheduled"])


def indicative(case: Json, step: Json, probe: Probe) -> list[str]:
    """Prices of gangs that are described and not there. Nodes hold what runs name them."""
    shapes, result = step["args"][2], step["result"][0]
    if step["result"][-1] is not None or any(step["state"]["receiver"]["constraints"].values()):
        raise Unanswerable("a call that fails for want of a record")
    jobs = [_job(job) for job in step["state"]["jobs"]]
    nodes = [_with_holders(row, jobs) for row in case["nodes"]]
    types = {row["nodeType"]: {"labels": row.get("labels", {})} for row in nodes}
    context = {"pool": nodes[0]["pool"]}
    context["queues"] = [{"queue": q} for q in sorted({job["queue"] for job in jobs} | {"priced"})]
    lines = []
    for name, shape in shapes.items():
        members = [
            {
                "id": f"{name}-{i}",
                "queue": "priced",
                "priorityClass": "priced",
                "preemptible": True,
                "requests": shape["Resources"],
                "pools": [context["pool"]],
                "queued": True,
            }
            for i in range(shape["Size"])
        ]
        state = {"jobs": jobs + members, "nodes": nodes, "nodeTypes": types, "context": context}
        db = _database(state)["nodeDb"]
        db["indexedNodeLabels"] = sorted({label for row in nodes for label in row["labels"]})
        gang = {"jobs": [{"job": job["id"]} for job in members]}
        gang["nodeUniformity"] = shape.get("NodeUniformity", "")
        lines += _price(probe, state, db, gang, result[name])
    return lines


def _with_holders(row: Json, jobs: list[Json]) -> Json:
    held = {
        job["id"]: {"cutoff": run["scheduledAtPriority"]}
        for job in jobs
        for run in job["runs"]
        if run.get("latest") and run["nodeId"] == row["id"]
    }
    free = {name: _thousandths(amount) for name, amount in row["total"].items()}
    for job in jobs:
        for name, amount in (job["requests"] if job["id"] in held else {}).items():
            free[name] -= _thousandths(amount)
    rows = {"allocatable": {name: f"{amount}m" for name, amount in free.items()}}
    return row | rows | {"jobs": held}


def _thousandths(text: str) -> int:
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def _state(step: Json, context: Json) -> Json:
    row = step["state"]["node"]
    types = {row["nodeType"]: {"taints": row.get("taints", []), "labels": row.get("labels", {})}}
    jobs = [_job(job) for job in step["state"]["jobs"]]
    return {"jobs": jobs, "nodes": [row], "nodeTypes": types, "context": context}


def _job(job: Json) -> Json:
    """With a class of its own for each pair of class and preemptible, as rows mix them."""
    runs = [
        run | {"leaseTime": run["leaseTime"] - YEAR_ONE} if "leaseTime" in run else run
        for run in job.get("runs") or []
    ]
    name = f"{job['priorityClass']}/{job.get('preemptible', False)}"
    return job | {"runs": runs, "priorityClass": name}


def _database(state: Json) -> Json:
    """What the configuration of the nodes has to be, where the record has none."""
    names = {name for of in state["nodes"] for name in of["total"]}
    names |= {name for job in state["jobs"] for name in job.get("requests") or {}}
    names |= set(state["context"].get("totalResources") or {})
    classes = {
        job["priorityClass"]: {
            "Priority": job.get("priorityClassPriority", 0),
            "Preemptible": job.get("preemptible", False),
        }
        for job in state["jobs"]
    }
    buckets = {of["Priority"] for of in classes.values()} | {EVICTED, CROSS_POOL}
    for of in state["nodes"]:
        buckets |= {int(priority) for priority in of.get("allocatableByPriority") or {}}
    buckets |= {run["scheduledAtPriority"] for job in state["jobs"] for run in job.get("runs") or []
                if "scheduledAtPriority" in run}
    db = {
        "resources": [{"name": name, "scale": -3} for name in sorted(names)],
        "indexedResources": [{"name": min(names), "resolution": 1}],
        "priorities": sorted(buckets),
        "priorityClasses": classes,
    }
    return {"state": state, "nodeDb": db}


def _price(probe: Probe, state: Json, db: Json, gang: Json, result: Json) -> list[str]:
    question = {
        "of": "gang price",
        "gang": [row["job"] for row in gang["jobs"]],
        "uniformity": gang.get("nodeUniformity", ""),
        "state": state,
        "nodeDb": db,
    }
    answer = _ask(probe, question)
    wanted = {"reason": result.get("UnschedulableReason", ""), "price": result.get("Price", 0)}
    # Here the words go around the label's name, which the peer's pricer leaves out.
    wanted["reason"] = wanted["reason"].removesuffix(" is not indexed")
    answer["reason"] = answer["reason"].rstrip()
    return _differ(wanted, answer)


def _ask(probe: Probe, question: Json) -> Any:
    return probe.armada({"op": "trades"} | question)


def _differ(wanted: Any, got: Any) -> list[str]:
    if isinstance(wanted, dict) and "reason" in wanted and got.get("reason"):
        if wanted["reason"].startswith(got["reason"]):
            got = got | {"reason": wanted["reason"]}
    return [] if wanted == got else [f"{got} instead of {wanted}"]
