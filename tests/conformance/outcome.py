# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What a scheduling cycle came to, and how two such outcomes differ."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Outcome:
    binds: dict[str, str] = field(default_factory=dict)  # task -> node
    evictions: list[str] = field(default_factory=list)  # tasks, a multiset
    pipelined: dict[str, str] = field(
        default_factory=dict
    )  # placed on resources still being released
    held: dict[str, str] = field(default_factory=dict)  # placed on free resources, not decided
    phases: dict[str, str] = field(default_factory=dict)  # job -> phase after the cycle

    def differences(self, other: "Outcome") -> list[str]:
        """Lines with the differences of `self` (Muster's) from `other` (the peer's). Phases: only
        the jobs it names."""
        lines: list[str] = []
        for word in ("binds", "pipelined", "held"):
            lines += _map_lines(word, getattr(self, word), getattr(other, word))
        ours, theirs = Counter(self.evictions), Counter(other.evictions)
        lines += [f"evictions: {task} only ours" for task in sorted((ours - theirs).elements())]
        lines += [
            f"evictions: {task} only the peer's" for task in sorted((theirs - ours).elements())
        ]
        mine = {job: self.phases.get(job, "") for job in other.phases}
        return lines + _map_lines("phases", mine, other.phases)


def _map_lines(word: str, ours: dict[str, str], theirs: dict[str, str]) -> list[str]:
    lines = []
    for key in sorted(ours.keys() | theirs.keys()):
        if key not in theirs:
            lines.append(f"{word}: {key} -> {ours[key]} only ours")
        elif key not in ours:
            lines.append(f"{word}: {key} -> {theirs[key]} only the peer's")
        elif ours[key] != theirs[key]:
            lines.append(f"{word}: {key} -> {ours[key]}, the peer's {theirs[key]}")
    return lines


def of_plan(scenario: dict[str, Any], plan: dict[str, Any]) -> Outcome:
    """The outcome that a plan, as `muster run --json` prints it, stands for."""
    out = Outcome(phases={job["name"]: job.get("phase", "pending") for job in scenario["jobs"]})
    for decision in plan["decisions"]:
        match decision["kind"]:
            case "bind":
                out.binds[decision["task"]] = decision["node"]
            case "nominate":
                out.pipelined[decision["task"]] = decision["node"]
            case "evict":
                out.evictions.append(decision["task"])
            case "admit":
                out.phases[decision["job"]] = "admitted"
            case "phase":
                out.phases[decision["job"]] = decision["phase"]
            case kind:
                raise ValueError(f"a decision of unknown kind {kind!r}")
    for placement in plan["tentative"]:
        (out.pipelined if placement["nominated"] else out.held)[placement["task"]] = placement[
            "node"
        ]
    return out
