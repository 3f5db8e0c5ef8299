# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of functions with rules of the importers: what a pod requests, which sub-group it
is in."""

from fractions import Fraction
from typing import Any, Callable

import importers

Json = dict[str, Any]
Unit = Callable[[list[Any], Any, bool], list[str]]


def importer_unit(case: Json, profile: str) -> list[str]:
    """How the importer's answer differs from the recorded one."""
    unit = UNITS[case["state"]["fn"]]
    return unit(case["state"]["args"], case["observed"]["results"][0], profile != "kube-batch")


def _pod_request(args: list[Any], result: Any, modern: bool) -> list[str]:
    return _amount_lines(importers.requests(args[0], modern, known=True)[1], result)


def _pod_request_without_init(args: list[Any], result: Any, modern: bool) -> list[str]:
    spec = args[0]["spec"]
    # Sidecars are init containers by place only.
    stays = [
        c for c in spec.get("initContainers", []) if modern and c.get("restartPolicy") == "Always"
    ]
    pod = args[0] | {"spec": spec | {"initContainers": stays}}
    return _amount_lines(importers.requests(pod, modern, known=True)[0], result)


def _new_resource(args: list[Any], result: Any, modern: bool) -> list[str]:
    return _amount_lines(importers.amounts(args[0], modern), result)


def _match_values(args: list[Any], result: Any, modern: bool) -> list[str]:
    labels = args[1].get("metadata", {}).get("labels") or {}
    got = importers.match_values(args[0], labels)
    return [] if got == (result or []) else [f"{got}, the peer's {result}"]


def _sub_group_id(args: list[Any], result: Any, modern: bool) -> list[str]:
    got = f"{args[0]}/{importers.sub_group_name(args[1], args[2])}"
    return [] if got == result else [f"{got}, the peer's {result}"]


UNITS: dict[str, Unit] = {
    "GetPodResourceRequest": _pod_request,
    "GetPodResourceWithoutInitContainers": _pod_request_without_init,
    "NewResource": _new_resource,
    "getSubJobMatchValues": _match_values,
    "getSubJobID": _sub_group_id,
}


def _amount_lines(amounts: dict[str, Fraction], result: Json) -> list[str]:
    """In the record's units: memory in bytes, pods whole, everything else in thousandths."""
    got = {n: float(a * (1 if n in ("memory", "pods") else 1000)) for n, a in amounts.items()}
    want = {"cpu": result.get("milliCPU", 0), "memory": result.get("memory", 0)}
    want |= result.get("scalars") or {}
    # Every pod takes one of `pods`; the tables add it, not the importer. kube-batch has it beside
    # its amounts.
    names = sorted((got.keys() | want.keys()) - {"pods"})
    return [
        f"{n}: {got.get(n, 0):g}, the peer's {want.get(n, 0):g}"
        for n in names
        if got.get(n, 0) != want.get(n, 0)
    ]
