# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kubernetes' own objects: nodes, the placement rules of pods, namespaces, priority classes, budgets.

What a pod requests follows Kubernetes' own arithmetic: the largest of what its containers request together
and what each init container needs while the sidecars started before it run, replaced by pod-level requests
where they are given, plus overhead. Schedulers that reckon otherwise say so in a `PodRules`.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterable

from . import quantity
from .access import Object, get, items, labels, section, texts
from .quantity import Amounts
from .report import ImportFailure, Report

Json = dict[str, Any]


@dataclass(frozen=True)
class PodRules:
    """How a scheduler reads what a pod asks for."""

    modern: bool = True  # sidecars, pod-level requests, overhead and resizes count
    ephemeral_storage: bool = True  # ephemeral-storage is a dimension
    separate_init: bool = False  # init containers count only in what the pod needs to start


def select(objects: Iterable[Json]) -> dict[str, dict[str, Object]]:
    """Objects by kind and key in order of first appearance; a later object of one key is an update."""
    kinds: dict[str, dict[str, Object]] = {}
    for raw in objects:
        obj = Object(raw)
        if obj.kind in ("Pod", "PodGroup", "PodDisruptionBudget", "ResourceQuota"):
            obj.in_namespace()
        kinds.setdefault(obj.kind, {})[obj.key] = obj
    return kinds


# --- resources -----------------------------------------------------------------------------------------------

_EXTENDED = re.compile(r"[A-Za-z0-9.-]+/[A-Za-z0-9_.-]+")


def is_dimension(name: str, ephemeral_storage: bool = True) -> bool:
    """Whether schedulers reckon with the resource at all; they pass over other names silently."""
    if name in ("cpu", "memory", "pods"):
        return True
    if name == "ephemeral-storage":
        return ephemeral_storage
    if name.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in name:
        return True
    return bool(_EXTENDED.fullmatch(name)) and not name.startswith("requests.")


def dimensions(
    amounts: Amounts, place: str, report: Report, ephemeral_storage: bool = True
) -> Amounts:
    out = {}
    for name, amount in amounts.items():
        if is_dimension(name, ephemeral_storage):
            out[name] = amount
        else:
            report.add(*_split(place), f"{name!r} is no resource that the scheduler reckons with")
    return out


def _split(place: str) -> tuple[str, str]:
    head, _, field = place.partition(": ")
    return head, field


def _amounts(mapping: Json, key: str, place: str) -> Amounts:
    out = quantity.parse_map(mapping.get(key), f"{place}.{key}")
    for name, amount in out.items():
        if amount < 0:
            raise ImportFailure(f"{place}.{key}[{name!r}]: {mapping[key][name]!r} is negative")
    return out


def _container_requests(
    pod: Object, rules: PodRules
) -> tuple[list[tuple[Json, Amounts]], list[tuple[Json, Amounts]]]:
    """(containers, init containers), each with what it requests."""
    spec = pod.at("spec")
    actual: dict[str, tuple[Amounts, Amounts]] = {}
    infeasible = False
    if rules.modern:
        for key in ("containerStatuses", "initContainerStatuses"):
            for place, status in items(pod.status, key, pod.at("status")):
                if isinstance(status.get("resources"), dict):
                    actual[status.get("name", "")] = (
                        _amounts(status["resources"], "requests", f"{place}.resources"),
                        _amounts(status, "allocatedResources", place),
                    )
        infeasible = any(
            c.get("type") == "PodResizePending" and c.get("reason") == "Infeasible"
            for _, c in items(pod.status, "conditions", pod.at("status"))
        )

    def requests(key: str) -> list[tuple[Json, Amounts]]:
        out = []
        for place, container in items(pod.spec, key, spec):
            amounts = _amounts(
                section(container, "resources", place), "requests", f"{place}.resources"
            )
            if container.get("name", "") in actual:
                now, allocated = actual[container.get("name", "")]
                amounts = (
                    quantity.maximum(now, allocated)
                    if infeasible
                    else quantity.maximum(amounts, now, allocated)
                )
            out.append((container, amounts))
        return out

    return requests("containers"), requests("initContainers")


def is_sidecar(container: Json) -> bool:
    return container.get("restartPolicy") == "Always"


def pod_requests(pod: Object, rules: PodRules = PodRules()) -> tuple[Amounts, Amounts]:
    """What the pod holds while it runs, and what it needs to start."""
    containers, init = _container_requests(pod, rules)
    held: Amounts = {}
    for _, amounts in containers:
        held = quantity.add(held, amounts)
    start: Amounts = {}
    running: Amounts = {}
    for container, amounts in init:
        phase = quantity.add(running, amounts)
        if rules.modern and is_sidecar(container):
            held = quantity.add(held, amounts)
            running = phase
        start = quantity.maximum(start, phase)
    needed = quantity.maximum(held, start)
    if not rules.separate_init:
        held = needed
    if rules.modern:
        pod_level = _amounts(
            section(pod.spec, "resources", pod.at("spec")), "requests", pod.at("spec.resources")
        )
        for name, amount in pod_level.items():
            if name in ("cpu", "memory") or name.startswith("hugepages-"):
                held = held | {name: amount}
                needed = needed | {name: amount}
        overhead = _amounts(pod.spec, "overhead", pod.at("spec"))
        held, needed = quantity.add(held, overhead), quantity.add(needed, overhead)
    return held, needed


# --- placement rules -------------------------------------------------------------------------------------------


def requirements(mapping: Json, key: str, place: str) -> list[Json]:
    out = []
    for where, item in items(mapping, key, place):
        entry: Json = {
            "key": get(item, "key", str, where, ""),
            "op": get(item, "operator", str, where, ""),
        }
        values = texts(item, "values", where)
        if values:
            entry["values"] = values
        out.append(entry)
    return out


def selector(value: Any, place: str) -> Json | None:
    """A label selector; None (absent) selects nothing."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ImportFailure(f"{place}: expected a mapping, found {value!r}")
    out: Json = {}
    if match := labels(value, "matchLabels", place):
        out["match_labels"] = match
    if expressions := requirements(value, "matchExpressions", place):
        out["match_expressions"] = expressions
    return out


def selects(wanted: Json | None, given: dict[str, str]) -> bool:
    """Whether a selector in scenario form selects an object with the labels `given`."""
    if wanted is None:
        return False
    if any(given.get(key) != value for key, value in wanted.get("match_labels", {}).items()):
        return False
    for term in wanted.get("match_expressions", []):
        present, listed = term["key"] in given, given.get(term["key"]) in term.get("values", [])
        holds = {
            "In": present and listed,
            "NotIn": not (present and listed),
            "Exists": present,
            "DoesNotExist": not present,
        }
        if not holds.get(term["op"], False):
            return False
    return True


def _node_term(term: Json, place: str) -> Json:
    out: Json = {}
    if expressions := requirements(term, "matchExpressions", place):
        out["match_expressions"] = expressions
    if fields := requirements(term, "matchFields", place):
        out["match_fields"] = fields
    return out


def _affinity_term(term: Json, place: str) -> Json:
    out: Json = {"topology_key": get(term, "topologyKey", str, place, "")}
    if (chosen := selector(term.get("labelSelector"), f"{place}.labelSelector")) is not None:
        out["selector"] = chosen
    if spaces := texts(term, "namespaces", place):
        out["namespaces"] = spaces
    if (
        chosen := selector(term.get("namespaceSelector"), f"{place}.namespaceSelector")
    ) is not None:
        out["namespace_selector"] = chosen
    return out


_REQUIRED, _PREFERRED = (
    f"{w}DuringSchedulingIgnoredDuringExecution" for w in ("required", "preferred")
)


def _affinity(pod: Object, shape: Json) -> None:
    place = pod.at("spec.affinity")
    affinity = section(pod.spec, "affinity", pod.at("spec"))
    node = section(affinity, "nodeAffinity", place)
    if node.get(_REQUIRED) is not None:
        required, where = (
            section(node, _REQUIRED, f"{place}.nodeAffinity"),
            f"{place}.nodeAffinity.{_REQUIRED}",
        )
        shape["required_node_affinity"] = [
            _node_term(t, w) for w, t in items(required, "nodeSelectorTerms", where)
        ]
    if preferred := items(node, _PREFERRED, f"{place}.nodeAffinity"):
        shape["preferred_node_affinity"] = [
            {
                "weight": get(t, "weight", int, w, 0),
                "term": _node_term(section(t, "preference", w), f"{w}.preference"),
            }
            for w, t in preferred
        ]
    for kind, word in (("podAffinity", "affinity"), ("podAntiAffinity", "anti_affinity")):
        part = section(affinity, kind, place)
        if required_terms := items(part, _REQUIRED, f"{place}.{kind}"):
            shape[f"required_{word}"] = [_affinity_term(t, w) for w, t in required_terms]
        if preferred := items(part, _PREFERRED, f"{place}.{kind}"):
            shape[f"preferred_{word}"] = [
                {
                    "weight": get(t, "weight", int, w, 0),
                    "term": _affinity_term(
                        section(t, "podAffinityTerm", w), f"{w}.podAffinityTerm"
                    ),
                }
                for w, t in preferred
            ]


def _tolerations(pod: Object, report: Report) -> list[Json]:
    out = []
    for place, item in items(pod.spec, "tolerations", pod.at("spec")):
        op = get(item, "operator", str, place, "") or "Equal"
        if op not in ("Equal", "Exists"):
            report.add(*_split(place), f"a toleration with operator {op!r} is left out")
            continue
        entry = {
            "key": get(item, "key", str, place, ""),
            "op": op,
            "value": get(item, "value", str, place, ""),
        }
        entry["effect"] = get(item, "effect", str, place, "")
        out.append({k: v for k, v in entry.items() if v and (k, v) != ("op", "Equal")})
    return out


def _spread(pod: Object) -> list[Json]:
    out = []
    for place, item in items(pod.spec, "topologySpreadConstraints", pod.at("spec")):
        entry: Json = {"topology_key": get(item, "topologyKey", str, place, "")}
        entry["max_skew"] = get(item, "maxSkew", int, place, 1)
        if get(item, "whenUnsatisfiable", str, place, "DoNotSchedule") == "ScheduleAnyway":
            entry["required"] = False
        chosen = selector(item.get("labelSelector"), f"{place}.labelSelector")
        # matchLabelKeys stand for the pod's own values of these labels; the API server may have put them
        # into the selector already.
        own = [k for k in texts(item, "matchLabelKeys", place) if k in pod.labels]
        if chosen is not None and own:
            said = {t["key"] for t in chosen.get("match_expressions", [])}
            added = [
                {"key": k, "op": "In", "values": [pod.labels[k]]} for k in own if k not in said
            ]
            chosen["match_expressions"] = chosen.get("match_expressions", []) + added
        if chosen is not None:
            entry["selector"] = chosen
        if item.get("minDomains") is not None:
            entry["min_domains"] = get(item, "minDomains", int, place)
        if item.get("nodeAffinityPolicy") == "Ignore":
            entry["honor_node_affinity"] = False
        if item.get("nodeTaintsPolicy") == "Honor":
            entry["honor_taints"] = True
        out.append(entry)
    return out


def _host_ports(pod: Object, modern: bool) -> list[Json]:
    containers = items(pod.spec, "containers", pod.at("spec"))
    if modern:
        containers += [
            (w, c) for w, c in items(pod.spec, "initContainers", pod.at("spec")) if is_sidecar(c)
        ]
    out = []
    for place, container in containers:
        for where, port in items(container, "ports", place):
            number = get(port, "hostPort", int, where, 0)
            if number <= 0:
                continue
            entry: Json = {"port": number}
            if ip := get(port, "hostIP", str, where, ""):
                entry["ip"] = ip
            if (protocol := get(port, "protocol", str, where, "TCP")) != "TCP":
                entry["protocol"] = protocol
            out.append(entry)
    return out


def task_shape(
    pod: Object, report: Report, rules: PodRules = PodRules(), images: bool = False
) -> Json:
    """Everything about the pod that decides where it may run, as a TaskShape in scenario form.

    With `images` containers are listed by image, for schedulers that score nodes by the images they hold.
    """

    def known(amounts: Amounts) -> Amounts:
        kept = dimensions(amounts, pod.at("spec.containers"), report, rules.ephemeral_storage)
        return {name: amount for name, amount in kept.items() if name != "pods"}

    held, needed = (known(a) for a in pod_requests(pod, rules))
    shape: Json = {"request": quantity.resources(held)}
    if rules.separate_init and quantity.resources(needed) != shape["request"]:
        shape["initial_request"] = quantity.resources(needed)
    containers, init = _container_requests(pod, rules)
    # One plain container says nothing that the request does not say.
    if images or len(containers) != 1 or init or known(containers[0][1]) != held:
        listed = []
        for container, amounts in containers + init:
            entry: Json = {"request": quantity.resources(known(amounts))}
            if any(container is c for c, _ in init):
                entry["sidecar" if rules.modern and is_sidecar(container) else "init"] = True
            if images and isinstance(container.get("image"), str):
                entry["image"] = container["image"]
            listed.append(entry)
        if listed:
            shape["containers"] = listed
    if pod.namespace != "default":
        shape["namespace"] = pod.namespace
    if pod.labels:
        shape["labels"] = pod.labels
    if node_labels := labels(pod.spec, "nodeSelector", pod.at("spec")):
        shape["node_selector"] = node_labels
    _affinity(pod, shape)
    for key, value in (
        ("tolerations", _tolerations(pod, report)),
        ("spread", _spread(pod)),
        ("host_ports", _host_ports(pod, rules.modern)),
    ):
        if value:
            shape[key] = value
    for place, volume in items(pod.spec, "volumes", pod.at("spec")):
        if "persistentVolumeClaim" in volume or "ephemeral" in volume:
            report.add(*_split(place), "the volume's own placement rules are not considered")
    if pod.spec.get("resourceClaims"):
        report.add(
            pod.place, "spec.resourceClaims", "devices claimed by the pod are not considered"
        )
    return shape


# --- nodes and the rest ------------------------------------------------------------------------------------------


def node(
    obj: Object, report: Report, ephemeral_storage: bool = True, conditions: bool = True
) -> Json:
    """A NodeSpec. A node that says nothing of `pods` holds none, as the peers read it."""
    place = obj.at("status")
    allocatable = _amounts(obj.status, "allocatable", place)
    capacity = _amounts(obj.status, "capacity", place)
    if obj.status.get("allocatable") is None:
        allocatable = capacity
    sides = []
    for key, amounts in (("capacity", capacity or allocatable), ("allocatable", allocatable)):
        kept = dimensions(amounts, f"{place}.{key}", report, ephemeral_storage)
        sides.append(quantity.resources({"pods": Fraction(0)} | kept))
    out: Json = {"name": obj.name, "capacity": sides[0]}
    if sides[1] != sides[0]:
        out["allocatable"] = sides[1]
    if obj.labels:
        out["labels"] = obj.labels
    taints = []
    for where, taint in items(obj.spec, "taints", obj.at("spec")):
        entry = {k: get(taint, k, str, where, "") for k in ("key", "value", "effect")}
        taints.append({k: v for k, v in entry.items() if v})
    if taints:
        out["taints"] = taints
    if get(obj.spec, "unschedulable", bool, obj.at("spec"), False):
        out["unschedulable"] = True
    if conditions:
        for _, condition in items(obj.status, "conditions", place):
            kind, holds = condition.get("type"), condition.get("status") == "True"
            if kind == "Ready" and not holds:
                out["ready"] = False
            elif (
                kind in ("NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure")
                and holds
            ):
                out[_CONDITIONS[kind]] = True
    images = []
    for where, image in items(obj.status, "images", place):
        images.append(
            {"names": texts(image, "names", where), "size": get(image, "sizeBytes", int, where, 0)}
        )
    if images:
        out["images"] = images
    return out


_CONDITIONS = {
    "NetworkUnavailable": "network_unavailable",
    "MemoryPressure": "memory_pressure",
    "DiskPressure": "disk_pressure",
    "PIDPressure": "pid_pressure",
}


def namespaces(kinds: dict[str, dict[str, Object]], report: Report) -> list[Json]:
    """Namespaces with their labels and what their quotas say is allowed and used."""
    out: dict[str, Json] = {}
    for name_space in kinds.get("Namespace", {}).values():
        out[name_space.name] = {"name": name_space.name}
        if name_space.labels:
            out[name_space.name]["labels"] = name_space.labels
    for obj in kinds.get("ResourceQuota", {}).values():
        if obj.spec.get("scopes") or obj.spec.get("scopeSelector"):
            report.add(obj.place, "spec.scopes", "not considered")
        quota: Json = {"name": obj.name}
        for key in ("hard", "used"):
            place = f"{obj.at('status')}.{key}"
            amounts = quantity.parse_map(obj.status.get(key), place)
            if known := quantity.resources(dimensions(amounts, place, report)):
                quota[key] = known
        entry = out.setdefault(obj.namespace, {"name": obj.namespace})
        entry.setdefault("quotas", []).append(quota)
    return list(out.values())


def priorities(kinds: dict[str, dict[str, Object]]) -> tuple[dict[str, int], int]:
    """(value of each priority class, value of a job that names none)."""
    values, default = {}, 0
    for obj in kinds.get("PriorityClass", {}).values():
        values[obj.name] = get(obj.raw, "value", int, obj.place + ":", 0)
        if get(obj.raw, "globalDefault", bool, obj.place + ":", False):
            default = values[obj.name]
    return values, default


def budgets(kinds: dict[str, dict[str, Object]], report: Report) -> list[Json]:
    out = []
    for obj in kinds.get("PodDisruptionBudget", {}).values():
        entry: Json = {
            "name": obj.key,
            "allowed": get(obj.status, "disruptionsAllowed", int, obj.at("status"), 0),
        }
        if obj.namespace != "default":
            entry["namespace"] = obj.namespace
        chosen = selector(obj.spec.get("selector"), obj.at("spec.selector"))
        if chosen is not None:
            entry["selector"] = chosen
        if obj.status.get("disruptedPods"):
            report.add(
                obj.place, "status.disruptedPods", "pods already being disrupted count as any other"
            )
        out.append(entry)
    return out
