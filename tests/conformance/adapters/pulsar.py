# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Pulsar's recorded decisions: shedding, placement and splits of bundles."""

from typing import Any

from probe import Probe

Json = dict[str, Any]


def check(level: str, case: Json, probe: Probe) -> list[str]:
    answers = probe.pulsar(case)
    steps = case.get("cycles") or case.get("calls") or case.get("steps") or [case]
    lines = [f"{len(answers)} of {len(steps)} records"] * (len(answers) != len(steps))
    for i, (step, answer) in enumerate(zip(steps, answers, strict=False)):
        lines += _differences(f"step {i}", step["observed"], answer)
    return lines


def _differences(place: str, wanted: Any, got: Any) -> list[str]:
    """Every number to the last bit. The order of the peer's tables is given, draws are not."""
    if not isinstance(wanted, dict) or not isinstance(got, dict):
        return [] if wanted == got else [f"{place}: {got} instead of {wanted}"]
    given = {"scoreOrder", "brokerOrder", "picked"}
    return [
        f"{place}, {key}: {got.get(key)} instead of {wanted.get(key)}"
        for key in sorted((wanted.keys() | got.keys()) - given)
        if wanted.get(key) != got.get(key)
    ]
