# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""scheduler-plugins' recorded cases: which file reads a case, and which calls are no rules of
ours."""

from typing import Any

from adapters import scheduler_plugins_capacity as capacity
from adapters import scheduler_plugins_scripts as scripts
from adapters import scheduler_plugins_zones as zones
from probe import Probe

Case = dict[str, Any]


def check(level: str, case: Case, probe: Probe) -> list[str]:
    """How our answers differ from the recorded ones."""
    config = case.get("config") or {}
    if "CapacityScheduling" in config.get("plugins", []):
        return capacity.random_case(case, probe)
    if "scoringStrategy" in config and "pods" in case["observed"]:
        return zones.random_case(case, probe)
    return scripts.check(case, probe)
