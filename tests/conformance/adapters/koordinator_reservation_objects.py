# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Objects of Koordinator's reservations in the words of questions about cycles: reservations, the
pods that ask for them, and nodes. Amounts are thousandths."""

import json
import re
from typing import Any

from adapters import koordinator_objects
from adapters.koordinator_objects import annotation, resolved
import quantity

Json = dict[str, Any]

KEY = "scheduling.koordinator.sh/"
CANDIDATE = "pod.koordinator.sh/is-pre-allocatable"
RANK = "pod.koordinator.sh/pre-allocatable-priority"
SERVING = {KEY + "operating-mode": "Reservation"}
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def amounts(values: Any) -> dict[str, int]:
    return {name: int(amount * 1000)
            for name, amount in quantity.parse_map(values or {}, "amounts").items()}


def _meta(row: Json) -> Json:
    return row.get("metadata") or {}


def labels(row: Json) -> dict[str, str]:
    return _meta(row).get("labels") or {}


def notes(row: Json) -> dict[str, str]:
    return _meta(row).get("annotations") or {}


def uid(row: Json) -> str:
    return _meta(row).get("uid", "")


def _unreadable(row: Json, key: str) -> bool:
    text = notes(row).get(KEY + key)
    return bool(text) and annotation(row, KEY + key) is None


def requests(pod: Json) -> dict[str, int]:
    """What a pod needs to start; objects of tests may lack what a pod must have."""
    spec = {"containers": []} | (pod.get("spec") or {})
    named = {"apiVersion": "v1", "kind": "Pod", "spec": spec,
             "metadata": {"name": "pod", "namespace": "default"}}
    return koordinator_objects.requests(named)


def _needs(rows: Any) -> list[Any]:
    return [[row["key"], row["operator"], row.get("values") or []] for row in rows or []]


def _readable(rows: Any, more: tuple[str, ...] = ()) -> bool:
    """A set needs values, and a requirement a known operator."""
    for row in rows or []:
        if row["operator"] not in (*OPERATORS, *more):
            return False
        if (row["operator"] in ("In", "NotIn")) != bool(row.get("values")) and (
                row["operator"] in OPERATORS):
            return False
    return True


def _terms(rows: Any) -> list[Json]:
    return [{"labels": _needs(row.get("matchExpressions")),
             "fields": _needs(row.get("matchFields"))} for row in rows or []]


def shape(pod: Json) -> Json:
    """Where a pod may run, by its node selector and required node affinity."""
    spec = pod.get("spec") or {}
    out: Json = {"selector": spec.get("nodeSelector") or {}}
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution")
    if required is not None:
        out["terms"] = _terms(required.get("nodeSelectorTerms"))
    return out


def wish(affinity: Json) -> Json:
    out: Json = {"selector": affinity.get("reservationSelector") or {}, "tolerations": [
        [row.get("key", ""), row.get("operator", ""), row.get("value", ""), row.get("effect", "")]
        for row in affinity.get("tolerations") or []]}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is not None:
        out["terms"] = _terms(required.get("reservationSelectorTerms"))
    return {"name": affinity.get("name", ""), "shape": out}


def asker(pod: Json) -> Json:
    """A pod that may take from reservations."""
    affinity = annotation(pod, KEY + "reservation-affinity")
    exact = annotation(pod, KEY + "exact-match-reservation")
    readable = not (_unreadable(pod, "reservation-affinity")
                    or _unreadable(pod, "exact-match-reservation"))
    required = (affinity or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("reservationSelectorTerms") or []:
        readable &= _readable(term.get("matchExpressions"), ("Gt", "Lt"))
    meta = _meta(pod)
    out: Json = {
        "object": {"uid": uid(pod), "name": meta.get("name", ""),
                   "namespace": meta.get("namespace", "")},
        "labels": labels(pod),
        "controllers": [
            {"uid": row.get("uid", ""), "name": row.get("name", ""), "kind": row.get("kind", ""),
             "version": row.get("apiVersion", "")}
            | ({"controls": row["controller"]} if row.get("controller") is not None else {})
            for row in meta.get("ownerReferences") or []],
        "ignores": labels(pod).get(KEY + "reservation-ignored") == "true",
        "readable": readable,
        "exact": (exact or {}).get("resourceNames") or [],
        "request": requests(pod),
    }
    if affinity is not None:
        out["wish"] = wish(affinity)
    return out


def _owner(row: Json) -> Json:
    out: Json = {}
    if row.get("object") is not None:
        one = row["object"]
        out["object"] = {"uid": one.get("uid", ""), "name": one.get("name", ""),
                         "namespace": one.get("namespace", ""),
                         "version": one.get("apiVersion", "")}
    if row.get("controller") is not None:
        one = row["controller"]
        out["controller"] = {
            "uid": one.get("uid", ""), "name": one.get("name", ""), "kind": one.get("kind", ""),
            "namespace": one.get("namespace", ""), "version": one.get("apiVersion", "")}
        if one.get("controller") is not None:
            out["controller"]["controls"] = one["controller"]
    if row.get("labelSelector") is not None:
        one = row["labelSelector"]
        out["selector"] = {"labels": one.get("matchLabels") or {},
                           "needs": _needs(one.get("matchExpressions"))}
    return out


def owners_can_be_read(owners: Any) -> bool:
    return all(_readable((row.get("labelSelector") or {}).get("matchExpressions"))
               for row in owners or [])


def _kept_back(row: Json) -> dict[str, int]:
    kept = annotation(row, "node.koordinator.sh/reservation") or {}
    out = amounts(kept.get("resources"))
    if cpus := kept.get("reservedCPUs"):
        ranges = [part.partition("-") for part in cpus.split(",")]
        out["cpu"] = 1000 * sum(int(last or first) - int(first) + 1 for first, _, last in ranges)
    return out


def _condition(row: Json, kind: str) -> bool:
    listed = (row.get("status") or {}).get("conditions") or []
    return any(c["type"] == kind and c["status"] == "True" for c in listed)


def phase(row: Json) -> str:
    return (row.get("status") or {}).get("phase", "")


def is_stand_in(pod: Json) -> bool:
    """Whether a pod stands for a reservation."""
    return notes(pod).get(KEY + "reserve-pod") == "true"


def serves(pod: Json) -> bool:
    return SERVING.items() <= labels(pod).items()


def available(row: Json) -> bool:
    """Whether a reservation, or a pod that serves as one, can be taken from."""
    if row.get("kind") == "Pod":
        return phase(row) == "Running" and _condition(row, "Ready")
    return bool((row.get("status") or {}).get("nodeName")) and phase(row) == "Available"


def _restricted(row: Json, names: list[str], applies: bool) -> tuple[list[str], bool]:
    """The resources that it reserves, and whether that could be read."""
    key = "reservation-restricted-options"
    if not applies:
        return names, True
    if _unreadable(row, key):
        return names, False
    listed = (annotation(row, KEY + key) or {}).get("resources")
    kept = [name for name in names if name in (listed or [])]
    return kept or names, True


def _order(row: Json) -> int:
    text = labels(row).get(KEY + "reservation-order", "")
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else 0


def template_requests(row: Json) -> dict[str, int]:
    template = (row.get("spec") or {}).get("template")
    return {} if template is None else requests(template)


def record(row: Json) -> Json:
    """A reservation, or a pod that serves as one."""
    is_pod = row.get("kind") == "Pod"
    spec, status = row.get("spec") or {}, row.get("status") or {}
    if is_pod:
        total, owners = requests(row), annotation(row, KEY + "reservation-owners") or []
    else:
        total = amounts(status.get("allocatable")) if available(row) else template_requests(row)
        owners = spec.get("owners") or []
    policy = ("Aligned" if serves(row) else "") if is_pod else spec.get("allocatePolicy", "")
    names, read = _restricted(row, sorted(total), is_pod or policy == "Restricted")
    out = {
        "uid": uid(row),
        "node": (spec if is_pod else status).get("nodeName", ""),
        "name": _meta(row).get("name", ""),
        "labels": labels(row),
        "owners": [_owner(one) for one in owners],
        "owners_can_be_read": read and owners_can_be_read(owners),
        "taints": [] if is_pod else [[one["key"], one.get("value", ""), one.get("effect", "")]
                                     for one in spec.get("taints") or []],
        "total": total,
        "names": names,
        "kept_back": _kept_back(row),
        "policy": policy,
        "available": available(row),
        "leaving": _meta(row).get("deletionTimestamp") is not None,
        "unschedulable": not is_pod and bool(spec.get("unschedulable")),
        "once": is_pod or spec.get("allocateOnce") is not False,
        "order": _order(row),
    }
    if "pods" in total:
        out["most_tasks"] = total["pods"] // 1000
    return out


def event(row: Json) -> str:
    """What an event of a reservation means to the books."""
    if (row.get("status") or {}).get("nodeName") and phase(row) in ("Available", "Waiting"):
        return "active"
    return "ended" if phase(row) in ("Succeeded", "Failed") else "waiting"


def placed(stand_in: Json, row: Json) -> Json:
    """A reservation that looks for a node, as the pod that stands for it."""
    policy = (row.get("spec") or {}).get("preAllocationPolicy") or {}
    return {
        "record": record(row),
        "request": requests(stand_in),
        "shape": shape(stand_in),
        "node": notes(stand_in).get(KEY + "reservation-node", ""),
        "takes_over": notes(stand_in).get(KEY + "is-pre-allocation") == "true",
        "must_take_over": labels(stand_in).get(KEY + "pre-allocation-required") == "true",
        "takes_several": bool(policy.get("enableMultiple")),
        "of_cluster": policy.get("mode") == "Cluster",
    }


def shown(pod: Json | None) -> Json:
    """A pod as an event shows it."""
    if not pod:
        return {}
    rank = notes(pod).get(RANK, "")
    out: Json = {
        "uid": uid(pod),
        "node": (pod.get("spec") or {}).get("nodeName", ""),
        "candidate": labels(pod).get(CANDIDATE) == "true",
        "priority": int(rank) if re.fullmatch(r"[+-]?\d+", rank) else 0,
        "request": requests(pod),
        "holds": (annotation(pod, KEY + "reservation-allocated") or {}).get("uid", ""),
        "ended": phase(pod) in ("Succeeded", "Failed"),
        "stand_in": bool(notes(pod).get(KEY + "reservation-name")),
    }
    if serves(pod):
        out["serves"] = record(pod)
        out["holder"] = (annotation(pod, KEY + "reservation-current-owner") or {}).get("uid", "")
    return out


def view(node: Json, pods: list[Json]) -> Json:
    room = (node.get("status") or {}).get("allocatable") or {}
    return {
        "name": _meta(node)["name"],
        "labels": labels(node),
        "capacity": amounts(room),
        "most_tasks": int(quantity.parse(room.get("pods", 0), "pods")),
        "tasks": [{"uid": uid(pod), "request": requests(pod)} for pod in pods],
    }


def found(script: Any, value: Any) -> Any:
    """The object that a record refers to, or null."""
    return None if value is None else resolved(script, value)


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
