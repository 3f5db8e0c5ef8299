# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Objects of Koordinator's recorded scripts as plain values: amounts in thousandths, marks of
bands and classes, and the object that a reference names."""

import datetime
import json
import math
import re
from typing import Any

import importers
import quantity
from probe import Unanswerable

Json = dict[str, Any]
Amounts = dict[str, int]

SERVICE = "koordinator.sh/qosClass"
BAND = "koordinator.sh/priority-class"


def resolved(script: Any, value: Any) -> Any:
    """The value, or the object that it refers to."""
    value = script.value(value)
    if isinstance(value, dict) and set(value) == {"ref"}:
        for one in script.case.get("objects") or []:
            if one["ref"] == value["ref"]:
                return one["object"]
        raise Unanswerable("the record does not hold an object that a call was given")
    return value


def of_kind(script: Any, kind: str) -> list[Json]:
    return [one["object"] for one in script.case.get("objects") or []
            if one["object"].get("kind") == kind]


def thousandths(values: Any, whole: bool = False) -> Amounts:
    """Amounts in thousandths, rounded up; `whole`: rounded up to whole units first."""
    given = {name: amount for name, amount in (values or {}).items() if amount is not None}
    parsed = quantity.parse_map(given, "amounts")
    return {name: math.ceil(a) * 1000 if whole else math.ceil(a * 1000)
            for name, a in parsed.items()}


def pair(values: Any) -> list[int]:
    """CPU and memory."""
    amounts = thousandths(values)
    return [amounts.get("cpu", 0), amounts.get("memory", 0)]


def requests(pod: Json) -> Amounts:
    _, needed = importers.requests(pod)
    return {name: math.ceil(amount * 1000) for name, amount in needed.items()}


def name_of(row: Json) -> str:
    meta = row.get("metadata") or row
    return f"{meta.get('namespace', '')}/{meta.get('name', '')}"


def annotation(row: Json, key: str) -> Any:
    """What the annotation holds as JSON; None where there is none or it cannot be read."""
    text = ((row.get("metadata") or {}).get("annotations") or {}).get(key)
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


def _positive(values: Any) -> Amounts:
    return {name: amount for name, amount in thousandths(values).items()
            if name in ("cpu", "memory") and amount > 0}


def kube_service(pod: Json) -> str:
    """Kubernetes' class of service."""
    if stated := (pod.get("status") or {}).get("qosClass"):
        return stated
    spec = pod.get("spec") or {}
    rows = [one.get("resources") or {}
            for one in [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]]
    asked = [(_positive(row.get("requests")), _positive(row.get("limits"))) for row in rows]
    if not any(requests or limits for requests, limits in asked):
        return "BestEffort"
    bound = all(set(limits) == {"cpu", "memory"} for _, limits in asked)
    total: list[Amounts] = [{}, {}]
    for both in asked:
        for sums, amounts in zip(total, both, strict=True):
            for name, amount in amounts.items():
                sums[name] = sums.get(name, 0) + amount
    return "Guaranteed" if bound and total[0] in (total[1], {}) else "Burstable"


def marks(pod: Json) -> Json:
    labels = (pod.get("metadata") or {}).get("labels") or {}
    return {
        "label": labels.get(BAND),
        "priority": (pod.get("spec") or {}).get("priority"),
        "service": labels.get(SERVICE),
        "kube": kube_service(pod),
    }


def nanoseconds(text: str | None) -> int | None:
    """A time of RFC 3339."""
    if text is None:
        return None
    match = re.fullmatch(r"(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", text)
    assert match, text
    moment = datetime.datetime.fromisoformat(match[1] + match[3].replace("Z", "+00:00"))
    return int(moment.timestamp()) * 10**9 + int((match[2] or "").ljust(9, "0"))
