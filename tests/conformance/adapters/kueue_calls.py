# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What adapters of Kueue's recorded calls share: what a record holds, and where answers differ."""

from typing import Any

import kueue_objects as objects

Json = dict[str, Any]


def differs(ours: Any, theirs: Any) -> list[str]:
    return [] if ours == theirs else [f"{ours}, the peer's {theirs}"]


def answered(case: Json) -> Any:
    """What the code answered, where the assertion has no telling name."""
    return case["observed"].get("value1")


def feature_gates(case: Json) -> Json:
    return (case.get("config") or {}).get("featureGates") or {}


def question_about(case: Json, objs: list[Json], **more: Any) -> Json:
    world = objects.world(case, objs)
    return {"config": world["config"], "scenario": world["scenario"], "facts": world["facts"],
            "policies": world["policies"]} | more
