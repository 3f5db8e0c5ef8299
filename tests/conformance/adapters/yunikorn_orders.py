# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YuniKorn's orders: where a request goes in the list of an application, and scores of nodes."""

from typing import Any

from probe import Probe

Json = dict[str, Any]

_LONG_AGO = -(10**9)  # seconds: times that a test sets to zero or absurd values


def _request(recorded: Json) -> Json:
    created = recorded.get("createTime", 0)
    seconds = _LONG_AGO if isinstance(created, str) else created
    return {
        "key": recorded["allocationKey"],
        "priority": recorded["priority"],
        "nanoseconds": round(seconds * 1_000_000_000),
    }


def _keys(recorded: list[Json]) -> list[str]:
    return [request["allocationKey"] for request in recorded]


def _insertions(steps: list[Json]) -> list[tuple[Json, Any]]:
    """The list after an insertion is the one that the next call on it had."""
    calls = [step for step in steps if step["op"].startswith("sortedRequests.")]
    questions = []
    for call, following in zip(calls, calls[1:], strict=False):
        listed, after = call.get("on") or [], _keys(following.get("on") or [])
        if call["op"] != "sortedRequests.insert":
            continue
        if sorted(after) != sorted(_keys(listed) + _keys(call["args"])):
            continue  # another list
        question = {
            "listed": [_request(request) for request in listed],
            "request": _request(call["args"][0]),
        }
        questions.append((question, after))
    return questions


def _amounts(recorded: Json) -> Json:
    """Without what the test left empty."""
    return {name: amount for name, amount in recorded.items() if amount != ""}


def _scores(steps: list[Json]) -> list[tuple[Json, Any]]:
    total: dict[str, Json] = {}
    allocated: dict[str, Json] = {}
    questions: list[tuple[Json, Any]] = []
    for step in steps:
        if step["op"] == "NewNode":
            node = step["args"][0] or {}
            resources = (node.get("SchedulableResource") or {}).get("Resources") or {}
            total[node.get("NodeID", "")] = _amounts(resources)
        elif step["op"] == "Node.AddAllocation":
            sums = allocated.setdefault(str(step["on"]["node"]), {})
            for name, amount in ((step["args"][0] or {}).get("resource") or {}).items():
                sums[name] = sums.get(name, 0) + amount
        elif step["op"].endswith("NodeSortingPolicy.ScoreNode"):
            name = step["args"][0]["node"]
            question = {
                "total": total[name],
                "allocated": allocated.get(name, {}),
                "weights": step["on"]["resourceWeights"],
                "binpacking": step["op"].startswith("binPacking"),
            }
            questions.append((question, step["result"][0]))
    return questions


def check(case: Json, probe: Probe) -> list[str] | None:
    """None: the case has no such call."""
    steps = case.get("steps", [])
    questions = _insertions(steps) + _scores(steps)
    if not questions:
        return None
    answers = probe.yunikorn("orders", steps=[question for question, _ in questions])
    return [
        f"{question}: {answer} instead of {wanted}"
        for (question, wanted), answer in zip(questions, answers, strict=True)
        if answer != wanted
    ]
