# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YARN's recorded decisions: whole runs of its capacity and fair schedulers, and single rules."""

import struct
from typing import Any

from probe import Probe

Json = dict[str, Any]


def check(level: str, case: Json, probe: Probe) -> list[str]:
    records = {row["i"]: row for row in probe.yarn(case)}
    lines = []
    for wanted in case["observed"]:
        op = case["ops"][wanted["i"]]
        place = f"{wanted['i']} {op['op']}"
        got = records.pop(wanted["i"], {})
        lines += _differences(place, wanted, got)
    lines += [f"{i}: {record} instead of nothing" for i, record in records.items()]
    return lines


def _differences(place: str, wanted: Any, got: Any) -> list[str]:
    """Every number to the last bit; those with a fraction are the peer's 32-bit floats."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [
            line
            for key in sorted(wanted.keys() | got.keys())
            for line in _differences(f"{place}.{key}", wanted.get(key), got.get(key))
        ]
    return [] if _exact(wanted) == _exact(got) else [f"{place}: {got} instead of {wanted}"]


def _exact(value: Any) -> Any:
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return struct.pack("<f", value) if isinstance(value, float) else value
