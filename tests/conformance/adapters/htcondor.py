# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""HTCondor's recorded decisions: accountant, group quotas, whole negotiation cycles."""

from typing import Any

from probe import Probe

Json = dict[str, Any]


def check(level: str, case: Json, probe: Probe) -> list[str]:
    observed = case["observed"]
    if "state" in case:
        return _quota(case, probe)
    answer = probe.condor(case)
    if isinstance(observed, list):
        return _differences("show" if "events" in case else "cycle", observed, answer)
    if "events" in case:
        (shown,) = observed.values()  # "effective of NAME at each SHOW"
        return _compare(shown, [row["effective"] for step in answer for row in step.values()])
    (cycle,) = answer
    return _compare(observed["events"], cycle["events"], "events")


def _differences(what: str, expected: list[Json], actual: list[Json]) -> list[str]:
    lines = [f"{len(actual)} of {len(expected)} records"] * (len(actual) != len(expected))
    for i, (wanted, got) in enumerate(zip(expected, actual, strict=False)):
        lines += [f"{what} {i}: {line}" for line in _compare(wanted, got)]
    return lines


def _compare(wanted: Any, got: Any, path: str = "") -> list[str]:
    """Every number to the last bit; of objects, what the record has."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [
            line
            for key, value in wanted.items()
            for line in _compare(value, got.get(key), f"{path}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(got, list):
        lines = [
            line
            for i, (a, b) in enumerate(zip(wanted, got, strict=False))
            for line in _compare(a, b, f"{path}[{i}]")
        ]
        if len(wanted) != len(got):
            lines.append(f"{path}: {len(got)} entries instead of {len(wanted)}")
        return lines
    if path.endswith("].sortKey") and isinstance(got, float):
        got = float(f"{got:.9g}")  # all the digits that the record has
    return [] if wanted == got else [f"{path}: {got} instead of {wanted}"]


def _quota(case: Json, probe: Probe) -> list[str]:
    """A single sharing-out: demand and usage of groups are given, and nothing is matched."""
    state = case["state"]
    submitters = [
        {
            "name": f"{group}.u@x" if group != "<none>" else "u@x",
            "weightedIdle": demand,
            "weightedRunning": 0,
        }
        for group, demand in state["demand"].items()
    ]
    cycle = {
        "time": 1_000_000,
        "total": state["total"],
        "usage": state["usage"],
        "matchable": {},
        "submitters": submitters,
    }
    asked = {"config": case["config"], "weighted": state["weighted"], "cycles": [cycle]}
    (answer,) = probe.condor(asked)
    got = {
        "quota": {group: row["quota"] for group, row in answer["assigned"].items()},
        "allocated": {group: row["allocated"] for group, row in answer["after"].items()},
        "limits": [[call["group"], call["limit"]] for call in answer["calls"]],
    }
    return _compare(case["observed"], got)
