# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Mesos' recorded decisions: the orders of its sorters, and the offers of its allocator."""

from collections import Counter
from typing import Any

from probe import Probe

Json = dict[str, Any]


def check(level: str, case: Json, probe: Probe) -> list[str]:
    answers = probe.mesos(case)
    expect = case["expect"]
    if "sort" in expect:
        return _differences("sort", expect["sort"], answers)
    if "probabilityOfPosition" in expect:
        return _frequencies(expect["probabilityOfPosition"], answers, case["config"]["tolerance"])
    if "offers" in expect:
        return _offers(expect["offers"], answers, case["state"]["events"])
    counts = Counter(offer["framework"] for offer in answers)
    wanted = expect.get("offersPerFramework") or expect["agentsPerFramework"]
    return _differences("offers", [wanted], [dict(counts)])


def _differences(place: str, wanted: list[Any], got: list[Any]) -> list[str]:
    lines = [f"{len(got)} answers instead of {len(wanted)}"] * (len(got) != len(wanted))
    return lines + [
        f"{place} {i}: {b} instead of {a}"
        for i, (a, b) in enumerate(zip(wanted, got, strict=False))
        if a != b
    ]


def _frequencies(wanted: Json, got: Json, tolerance: float) -> list[str]:
    """What the peer's own test accepts of a random order: a tolerance that the record states."""
    if wanted.keys() != got.keys():
        return [f"clients: {sorted(got)} instead of {sorted(wanted)}"]
    return [
        f"{name} at {i}: {b} instead of {a}"
        for name in wanted
        for i, (a, b) in enumerate(zip(wanted[name], got[name], strict=True))
        if abs(a - b) > tolerance
    ]


def _offers(wanted: list[Json], got: list[Json], events: list[Json]) -> list[str]:
    """An offer without resources in the record is one of the whole agent."""
    whole = {e["agent"]: e["resources"] for e in events if e["event"] == "addAgent"}
    full = [{"resources": whole[offer["agent"]]} | offer for offer in wanted]
    shown = [
        {key: value for key, value in offer.items() if key in one}
        for one, offer in zip(full, got, strict=False)
    ]
    return _differences("offer", full, shown + got[len(full) :])
