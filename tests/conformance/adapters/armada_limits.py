# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Armada's limits of rounds, gangs and floating resources, and its penalty of short jobs."""

import datetime
from typing import Any

from probe import Probe, Unanswerable

Json = dict[str, Any]

UNLIMITED = 2**63 - 1
SUFFIXES = {"m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
UNITS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9}
EPOCH = datetime.datetime(1970, 1, 1)


def round_limit(case: Json, step: Json, probe: Probe) -> list[str]:
    scheduled = step["args"][0].get("ScheduledResources") or {}
    limit = step["on"].get("maximumResourcesToSchedule") or {}
    names = _names(scheduled, limit)
    question = {"rule": "round", "scheduled": _amounts(scheduled, names)}
    return _reason(step, probe, question | {"limit": _amounts(limit, names, UNLIMITED)})


def gang_limits(case: Json, step: Json, probe: Probe) -> list[str]:
    if "job scheduling duration" in step["result"][1]:
        raise Unanswerable("a limit of time, which a clock measures")
    context, gang = step["args"]
    queue = context["QueueSchedulingContexts"][gang["Queue"]]
    limits = step["on"].get("resourceLimitsPerQueuePerPriorityClass") or {}
    limit = (limits.get(gang["Queue"]) or {}).get(gang["PriorityClass"]) or {}
    held = (queue.get("AllocatedByPriorityClass") or {}).get(gang["PriorityClass"]) or {}
    names = _names(held, limit)
    question = {
        "rule": "gang",
        "pool": _limiter(context["Limiter"], context["Started"]),
        "queue": _limiter(queue["Limiter"], context["Started"]),
        "held": _amounts(held, names),
        "limit": _amounts(limit, names, UNLIMITED),
        "jobs": len(gang["JobSchedulingContexts"]),
    }
    return _reason(step, probe, question)


def made_limits(case: Json, step: Json, probe: Probe) -> list[str]:
    """The limits that a configuration comes to: what is less general is laid over the rest."""
    pool, total, config, queues = step["args"]
    made = step["result"][0]
    names = _names(total)
    by_pool = config.get("MaximumResourceFractionToScheduleByPool") or {}
    fractions = by_pool.get(pool, config.get("MaximumResourceFractionToSchedule") or {})
    wanted = made.get("maximumResourcesToSchedule")
    lines = _compare_limit(probe, total, [fractions], wanted, names)
    limits = made.get("resourceLimitsPerQueuePerPriorityClass") or {}
    for queue in queues or []:
        for name, of_class in (config.get("PriorityClasses") or {}).items():
            own = (queue.get("ResourceLimitsByPriorityClassName") or {}).get(name) or {}
            own_pool = (own.get("MaximumResourceFractionByPool") or {}).get(pool) or {}
            layers = [
                of_class.get("MaximumResourceFractionPerQueue"),
                (of_class.get("MaximumResourceFractionPerQueueByPool") or {}).get(pool),
                own.get("MaximumResourceFraction"),
                own_pool.get("MaximumResourceFraction"),
            ]
            wanted = (limits.get(queue["Name"]) or {}).get(name)
            lines += _compare_limit(probe, total, layers, wanted, names)
    return lines


def capped(case: Json, step: Json, probe: Probe) -> list[str]:
    queue, by_class = step["args"]
    limits = (step["on"].get("resourceLimitsPerQueuePerPriorityClass") or {}).get(queue) or {}
    lines = []
    for name, amounts in by_class.items():
        limit, wanted = limits.get(name) or {}, step["result"][0][name]
        names = _names(amounts, limit)
        question = {"rule": "capped", "amounts": _amounts(amounts, names)}
        answer = _ask(probe, question | {"limit": _amounts(limit, names, UNLIMITED)})
        if answer != _amounts(wanted, names):
            lines.append(f"{name}: {answer} instead of {wanted}")
    return lines


def floating(case: Json, step: Json, probe: Probe) -> list[str]:
    if step["op"].startswith("SchedulingContext"):
        pool, held = step["on"]["Pool"], step["on"]["Allocated"]
        gang, types = step["args"]
        if gang is None or types is None:
            raise Unanswerable("a call without a gang or without limits, which no round makes")
        jobs = {job["id"]: job for job in case.get("jobs") or []}
        if not gang.get("RequestsFloatingResources") or any(
            _is_away(jobs[row["JobId"]], pool) for row in gang["JobSchedulingContexts"]
        ):
            return [] if step["result"][0] else ["refused, though nothing floating is asked for"]
    else:
        (pool, held), types = step["args"], step["on"]
    limits = types["floatingResourceLimitsByPool"]
    names = _names(held, *limits.values())
    # A resource floats where some pool has it; a node's resources have no such limit.
    floats = {n for n in names if any(_amount(of.get(n, "0")) for of in limits.values())}
    resources = [{"name": name, "floating": name in floats} for name in names]
    question = {"rule": "floating", "resources": resources, "held": _amounts(held, names)}
    if pool in limits:
        question["limits"] = _amounts(limits[pool], names)
    return _reason(step, probe, question)


def short_jobs(case: Json, probe: Probe) -> list[str]:
    """All steps of a case on one book."""
    jobs = {job["id"]: job for job in case.get("jobs") or []}
    names = _names(*[job["requests"] for job in jobs.values()])
    queues = sorted({job["queue"] for job in jobs.values()})
    steps, wanted = [], []
    first = next((step for step in case["steps"] if step.get("on")), {})
    cutoffs = (first.get("on") or {}).get("cutoffDurationByPool") or {}
    for step in case["steps"]:
        op = step["op"].rsplit(".", 1)[-1]
        if op == "SetNow":
            steps.append({"op": "now", "now": _time(step["args"][0])})
        elif op == "Snapshot":
            steps.append({"op": "penalty", "queues": queues})
            sums = step["result"][0].get("sums") or {}
            wanted.append(
                {
                    pool: {q: _amounts((sums.get(pool) or {}).get(q, {}), names) for q in queues}
                    for pool in cutoffs
                    if queues
                }
            )
        elif op in ("ReportFinishedJob", "shouldApplyPenalty"):
            if op == "shouldApplyPenalty":
                if any(words in case["name"] for words in ("preempted_time", "preempt_requested")):
                    raise Unanswerable("the record lacks the mark of preemption that decides")
                wanted.append(step["result"][0])
                if (step.get("on") or {}).get("now"):
                    steps.append({"op": "now", "now": _time(step["on"]["now"])})
            job = jobs[step["args"][0]]
            steps.append(
                {
                    "op": "report" if op == "ReportFinishedJob" else "is_short",
                    "pool": _run(job).get("pool", ""),
                    "job": _ended(job, names),
                }
            )
    question = {"op": "short_jobs", "cutoffs": {p: _duration(c) for p, c in cutoffs.items()}}
    resources = [{"name": name} for name in names]
    answers = probe.armada(question | {"resources": resources, "steps": steps})
    if [a or {} for a in answers] == [w or {} for w in wanted]:
        return []
    return [f"{answers} instead of {wanted}"]


def _ended(job: Json, names: list[str]) -> Json:
    run = _run(job)
    row = {
        "id": job["id"],
        "queue": job["queue"],
        "requests": dict(zip(names, _amounts(job["requests"], names))),
        "ended": any(job.get(key, False) for key in ("succeeded", "failed", "cancelled")),
        "preempted": run.get("preempted", False),
    }
    if "runningTime" in run:
        row["started"] = _time(run["runningTime"])
    return row


def _run(job: Json) -> Json:
    return next((run for run in job.get("runs") or [] if run.get("latest")), {})


def _is_away(job: Json, pool: str) -> bool:
    return bool(_run(job)) and _run(job)["pool"] != pool


def _ask(probe: Probe, question: Json) -> Any:
    return probe.armada({"op": "limits"} | question)


def _reason(step: Json, probe: Probe, question: Json) -> list[str]:
    """Of a reason that ends in a name what stands before the name."""
    answer = _ask(probe, question)
    wanted = step["result"][1]
    if (wanted == answer or (answer and wanted.startswith(answer))) and bool(answer) != step[
        "result"
    ][0]:
        return []
    return [f"{answer!r} instead of {wanted!r}"]


def _compare_limit(
    probe: Probe, total: Json, layers: list[Json | None], wanted: Json | None, names: list[str]
) -> list[str]:
    fractions = [[name, part] for layer in layers for name, part in (layer or {}).items()]
    question = {"rule": "fractions", "resources": [{"name": name} for name in names]}
    question |= {"total": _amounts(total, names), "fractions": fractions}
    answer = _ask(probe, question)
    if answer == _amounts(wanted or {}, names, UNLIMITED):
        return []
    return [f"{dict(zip(names, answer))} instead of {wanted}"]


def _names(*of: Json) -> list[str]:
    return sorted({name for amounts in of for name in amounts})


def _amounts(amounts: Json, names: list[str], otherwise: int = 0) -> list[int]:
    return [_amount(amounts[name]) if name in amounts else otherwise for name in names]


def _amount(text: str) -> int:
    """In thousandths."""
    if text == "unlimited":
        return UNLIMITED
    power = SUFFIXES.get(text[-1], 0)
    return int(text[:-1] if power else text) * 10 ** (power + 3)


def _limiter(limiter: Json, started: str) -> Json:
    if limiter["limit"] >= 1e9 and "last" not in limiter:
        return {"burst": limiter["burst"], "tokens": float(limiter["burst"])}
    passed = (_time(started) - _time(limiter["last"])) / 1e9
    tokens = limiter.get("tokens", 0) + passed * limiter["limit"]
    return {"burst": limiter["burst"], "tokens": min(float(limiter["burst"]), tokens)}


def _time(text: str) -> int:
    """In nanoseconds."""
    whole, _, part = text.rstrip("Z").partition(".")
    seconds = (datetime.datetime.fromisoformat(whole) - EPOCH) // datetime.timedelta(seconds=1)
    return seconds * 10**9 + int(part.ljust(9, "0") or 0)


def _duration(text: str) -> int:
    total, number = 0, ""
    for mark in text:
        if mark in UNITS:
            total += int(number) * UNITS[mark]
            number = ""
        else:
            number += mark
    return total
