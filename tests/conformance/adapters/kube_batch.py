# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""kube-batch's cases. The record has the form of Volcano's; the objects are read in kube-batch's
way."""

from typing import Any

from adapters import volcano as peer
import importers
import units
from outcome import Outcome
from probe import Probe

Case = dict[str, Any]

PROFILE = "kube-batch"
POLICIES = {"gang", "priority", "conformance", "drf", "proportion", "predicates", "nodeorder"}
ACTIONS = {"allocate", "backfill", "preempt", "reclaim"}


def skip(level: str, case: Case) -> str | None:
    return next(peer.reasons(level, case, POLICIES, ACTIONS), None)


def scenario(case: Case) -> dict[str, Any]:
    return importers.scenario(
        case["objects"],
        PROFILE,
        configuration=peer.configuration(case),
        unset_switches_on="yaml" in case["config"],
    )


def observed(case: Case) -> list[Outcome]:
    out = peer.observed(case)
    for one in out:
        one.phases = (
            {}
        )  # kube-batch without enqueue gives its pod groups no phase that a cycle decides
    return out


def unit(case: Case, probe: Probe) -> list[str]:
    return units.run(probe, case, PROFILE)
