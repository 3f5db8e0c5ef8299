# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""KAI Scheduler: whole cycles by the profile of its name, single functions by the probe."""

from typing import Any

from adapters import kai_cycles, kai_units

Case = dict[str, Any]


def skip(level: str, case: Case) -> str | None:
    if level != "cycle":
        return None
    kinds = {o["kind"] for o in case["objects"]}
    if "ResourceClaim" in kinds or "ResourceSlice" in kinds:
        return "devices of resource claims"
    if "NodeResourceTopology" in kinds:
        return "zones of nodes"
    if any("volumes" in o["spec"] for o in case["objects"] if o["kind"] == "Pod"):
        return "volumes"
    return None


rounds = kai_cycles.differences
single = kai_units.single
