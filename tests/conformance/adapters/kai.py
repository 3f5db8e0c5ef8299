# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""KAI Scheduler: whole cycles by the profile of its name, single functions by the probe."""

from typing import Any

from adapters import kai_cycles, kai_objects, kai_units

Case = dict[str, Any]


def skip(level: str, case: Case) -> str | None:
    if level != "cycle":
        return None
    kinds = {o["kind"] for o in case["objects"]}
    if "ResourceClaim" in kinds or "ResourceSlice" in kinds:
        if (reason := kai_objects.claims_problem(case)) is not None:
            return reason
    if "NodeResourceTopology" in kinds:
        return "zones of nodes"
    if any("volumes" in o["spec"] for o in case["objects"] if o["kind"] == "Pod"):
        return "volumes"
    if _is_blocked(case):
        return "a filter that the test itself adds refuses the job"
    if _is_taken_back(case):
        return "the commit of what was placed fails: no decision"
    return None


def _is_blocked(case: Case) -> bool:
    """The error is one that no filter of the peer has: "blocked before" and the action's name."""
    for observed in case["observed"]["rounds"]:
        for errors in (observed.get("jobErrors") or {}).values():
            for action in observed.get("actions", []):
                if any(error.endswith(f"blocked before {action['name']}") for error in errors):
                    return True
    return False


def _is_taken_back(case: Case) -> bool:
    """Allocate alone ran over free nodes and committed nothing, the test asserts on no task, and
    the books still have what a pending task got when it was placed."""
    rounds = case["observed"]["rounds"]
    if case.get("expect") != {} or len(rounds) != 1:
        return False
    if [(a["name"], a["ops"]) for a in rounds[0]["actions"]] != [("allocate", [])]:
        return False
    return all(not node.get("used") for node in rounds[0]["nodes"].values()) and any(
        own["status"] == "Pending" and own.get("gpusAccepted")
        for own in rounds[0]["tasks"].values())


rounds = kai_cycles.differences
single = kai_units.single
