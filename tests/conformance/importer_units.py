# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of functions whose rule is the importers': what a pod requests, which sub-group it is in."""

from typing import Any, Callable

from interop import Report, kubernetes, quantity, sub_groups, volcano
from interop.access import Object

Json = dict[str, Any]
Unit = Callable[[list[Any], Any, volcano.Dialect], list[str]]


def importer_unit(case: Json, dialect: volcano.Dialect) -> list[str]:
    """How the importer's answer differs from the recorded one."""
    unit = UNITS[case["state"]["fn"]]
    return unit(case["state"]["args"], case["observed"]["results"][0], dialect)


def _pod_request(args: list[Any], result: Any, dialect: volcano.Dialect) -> list[str]:
    return _amount_lines(
        kubernetes.pod_requests(_pod(args[0]), dialect.pod_rules)[1], result, dialect
    )


def _pod_request_without_init(args: list[Any], result: Any, dialect: volcano.Dialect) -> list[str]:
    spec = args[0]["spec"]
    # Sidecars are init containers by place only.
    stays = [
        c for c in spec.get("initContainers", []) if dialect.volcano and kubernetes.is_sidecar(c)
    ]
    pod = _pod(args[0] | {"spec": spec | {"initContainers": stays}})
    return _amount_lines(kubernetes.pod_requests(pod, dialect.pod_rules)[0], result, dialect)


def _new_resource(args: list[Any], result: Any, dialect: volcano.Dialect) -> list[str]:
    return _amount_lines(quantity.parse_map(args[0], "the call"), result, dialect)


def _match_values(args: list[Any], result: Any, dialect: volcano.Dialect) -> list[str]:
    labels = args[1].get("metadata", {}).get("labels") or {}
    got = sub_groups.match_values(args[0], labels, "the call")
    return [] if got == (result or []) else [f"{got}, the peer's {result}"]


def _sub_group_id(args: list[Any], result: Any, dialect: volcano.Dialect) -> list[str]:
    got = f"{args[0]}/{sub_groups.sub_group_name(args[1], args[2])}"
    return [] if got == result else [f"{got}, the peer's {result}"]


UNITS: dict[str, Unit] = {
    "GetPodResourceRequest": _pod_request,
    "GetPodResourceWithoutInitContainers": _pod_request_without_init,
    "NewResource": _new_resource,
    "getSubJobMatchValues": _match_values,
    "getSubJobID": _sub_group_id,
}


def _pod(raw: Json) -> Object:
    return Object(
        raw | {"kind": "Pod", "metadata": {"name": "p"} | raw.get("metadata", {})}
    ).in_namespace()


def _amount_lines(amounts: quantity.Amounts, result: Json, dialect: volcano.Dialect) -> list[str]:
    """In the record's units: memory in bytes, pods whole, everything else in thousandths."""
    known = kubernetes.dimensions(
        amounts, "the call", Report(), dialect.pod_rules.ephemeral_storage
    )
    got = {n: float(a * (1 if n in ("memory", "pods") else 1000)) for n, a in known.items()}
    want = {"cpu": result.get("milliCPU", 0), "memory": result.get("memory", 0)}
    want |= result.get("scalars") or {}
    # Every pod takes one of `pods`; the tables add it, not the importer. kube-batch has it beside its amounts.
    names = sorted((got.keys() | want.keys()) - {"pods"})
    return [
        f"{n}: {got.get(n, 0):g}, the peer's {want.get(n, 0):g}"
        for n in names
        if got.get(n, 0) != want.get(n, 0)
    ]
