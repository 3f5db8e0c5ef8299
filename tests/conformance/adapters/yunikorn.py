# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YuniKorn's recorded decisions: random clusters, whole scripts, decisions on states, rules."""

from typing import Any

import yaml
from probe import Probe, Unanswerable

from adapters import yunikorn_limits, yunikorn_placement, yunikorn_rules, yunikorn_states

Json = dict[str, Any]


def check(level: str, case: Json, probe: Probe) -> list[str]:
    if "ops" in case:
        return _script(case, probe)
    package = case["test"].partition(".")[0]
    if package == "common-resources":
        return yunikorn_rules.amounts(case, probe)
    if package == "common-configs":
        return yunikorn_rules.checks(case, probe)
    if package in ("scheduler", "scheduler-objects", "scheduler-tests"):
        ops = {step["op"] for step in case.get("steps", [])}
        if not ops and "row" in case:
            return yunikorn_rules.amounts(case, probe)
        if ops & set(yunikorn_rules.NODE_FITS) and "row" in case:
            return yunikorn_rules.node_fits(case, probe)
        if "SortAllocationsBasedOnAsk" in ops:
            return yunikorn_rules.victim_order(case, probe)
        return yunikorn_states.check(case, probe)
    if package == "scheduler-ugm":
        return yunikorn_limits.check(case, probe)
    if package == "scheduler-placement":
        return yunikorn_placement.check(case, probe)
    raise Unanswerable(f"a package without decisions: {package}")


# --- random clusters


def _partition(text: str) -> Json:
    return yaml.safe_load(text)["partitions"][0]


def _script(case: Json, probe: Probe) -> list[str]:
    ops = [
        op | {"config": _partition(op["config"])} if op["op"] == "config" else op
        for op in case["ops"]
    ]
    answer = probe.yunikorn("script", config=_partition(case["config"]), ops=ops)
    ours, theirs = answer["results"], [_without_texts(row) for row in case["results"]]
    lines = []
    for i, (got, wanted) in enumerate(zip(ours, theirs, strict=False)):
        if _without_texts(got) != wanted:
            lines.append(f"result {i}: {got} instead of {wanted}")
    if len(ours) != len(theirs):
        lines.append(f"{len(ours)} results instead of {len(theirs)}")
    return lines + [
        f"final {key}: {answer['final'][key]} instead of {case['final'][key]}"
        for key in case["final"]
        if answer["final"][key] != case["final"][key]
    ]


def _without_texts(row: Json) -> Json:
    """What was refused counts, not the words."""
    return {key: key in ("error", "rejected") or value for key, value in row.items()}
