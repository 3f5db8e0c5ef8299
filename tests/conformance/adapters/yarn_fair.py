# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Single rules of YARN's fair scheduler: shares of one level, the order of two siblings, and the
shares of a small tree."""

from typing import Any

from probe import Probe

Json = dict[str, Any]


def check(level: str, case: Json, probe: Probe) -> list[str]:
    got = probe.yarn(case)
    return [
        f"{key}: {got.get(key)} instead of {value}"
        for key, value in _wanted(case).items()
        if got.get(key) != value
    ]


def _wanted(case: Json) -> Json:
    """Shares of a tree are in percent, by queue; which kind they are says the question."""
    if case["test"] == "fair_scheduler_fair_share":
        return next(iter(case["expect"].values()))
    return case["expect"]
