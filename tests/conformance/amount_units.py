# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of resource arithmetic, asked of the vectors that shares and victims are computed
with."""

from typing import Any, Callable

import quantity
from probe import Probe, Unanswerable

Json = dict[str, Any]
ZERO = 0  # the default of dimensions that are not there; -1 is infinity
EMPTY: Json = {"milliCPU": 0, "memory": 0}


def differences(got: Any, want: Any, place: str = "") -> list[str]:
    """Between an answer and the record, amount by amount; "no map" and an empty one are not
    equal."""
    if isinstance(want, dict) and isinstance(got, dict):
        lines = []
        # How many tasks a node takes is no amount here.
        for key in sorted((got.keys() | want.keys()) - {"maxTaskNum"}):
            if key not in got or key not in want:
                lines.append(f"{place}{key}: {got.get(key)}, the peer's {want.get(key)}")
            else:
                lines += differences(got[key], want[key], f"{place}{key}.")
        return lines
    if isinstance(want, (int, float)) and isinstance(got, (int, float)):
        same = abs(got - want) <= 1e-9 * max(abs(got), abs(want))
    else:
        same = got == want
    return [] if same else [f"{place or 'result'}: {got}, the peer's {want}"]


def _changed(case: Json) -> Json:
    """The receiver after the call; the record gives it only where the call changed it."""
    return case["observed"].get("argsAfter", case["state"]["args"])[0]


def _two(question: str) -> Callable[[Probe, Json, bool], list[str]]:
    def run(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
        l, r = case["state"]["args"][:2]
        return differences(probe.amount(question, l=l, r=r), _changed(case))

    return run


def _max(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    l, r = case["state"]["args"]
    return differences(probe.amount("max", l=l, r=r), case["observed"]["results"][0])


def _add_scalar(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    receiver, name, amount = case["state"]["args"]
    more = EMPTY | {"scalars": {name: amount}}
    return differences(probe.amount("plus", l=receiver, r=more), _changed(case))


def _less_equal(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    l, r, *default = case["state"]["args"]
    if default not in ([], [ZERO]):
        raise Unanswerable(
            "comparison against infinity where a name is missing: no policy asks for it")
    question = "kube_batch_less_equal" if kube_batch else "less_equal"
    return differences(probe.amount(question, l=l, r=r), case["observed"]["results"][0])


def _less(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    if not kube_batch:
        raise Unanswerable("comparison that no policy of volcano asks for")
    l, r = case["state"]["args"]
    return differences(probe.amount("kube_batch_less", l=l, r=r), case["observed"]["results"][0])


def _within_requested(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    l, r, request = case["state"]["args"]
    if request is None:
        raise Unanswerable("comparison without a request: gates always have one")
    fits, names = case["observed"]["results"]
    lines = differences(probe.amount("within_requested", l=l, r=r, request=request), fits)
    # The names are those that refuse when they alone are requested.
    alone = {name: EMPTY | {"scalars": {name: v}} for name, v in request.get("scalars", {}).items()}
    alone["cpu"] = EMPTY | {"milliCPU": request["milliCPU"]}
    alone["memory"] = EMPTY | {"memory": request["memory"]}
    refused = [
        name
        for name, amounts in sorted(alone.items())
        if not probe.amount("within_requested", l=l, r=r, request=amounts)
    ]
    return lines + differences(refused, sorted(names), "names ")


def _requested(question: str) -> Callable[[Probe, Json, bool], list[str]]:
    def run(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
        l, r, request = case["state"]["args"]
        if request is None:
            raise Unanswerable("comparison without a request: gates always have one")
        names = probe.amount(question, l=l, r=r or EMPTY, request=request)
        any_, want = case["observed"]["results"]
        return differences(bool(names), any_) + differences(sorted(names), sorted(want), "names ")

    return run


def _common(pods: bool) -> Callable[[Probe, Json, bool], list[str]]:
    def run(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
        l, r = case["state"]["args"]
        names = [n for n in probe.amount("common", l=l, r=r) if pods or n != "pods"]
        return differences(sorted(names), sorted(case["observed"]["results"][0]))

    return run


def _less_equal_names(greater: bool) -> Callable[[Probe, Json, bool], list[str]]:
    def run(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
        l, r, default = case["state"]["args"]
        if default != ZERO:
            raise Unanswerable(
                "comparison against infinity where a name is missing: no policy asks for it")
        answer, _ = case["observed"]["results"]
        return differences(probe.amount("less_equal", l=l, r=r) != greater, answer)

    return run


def _min_dimension(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    l, r, default = case["state"]["args"]
    missing = "zero" if default == ZERO else "infinite"
    return differences(probe.amount("min_dimension", l=l, r=r, missing=missing), _changed(case))


def _diff(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    l, r, default = case["state"]["args"]
    if default != ZERO:
        raise Unanswerable(
            "difference from infinity where a name is missing: no policy asks for it")
    lines = []
    for got, want in zip(probe.amount("difference", l=l, r=r), case["observed"]["results"]):
        # The peer makes both maps, even empty ones.
        lines += differences({"scalars": {}} | got, want)
    return lines


def _elastic(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    """GetElasticResources(job): what it holds above its minimum."""
    [job] = case["state"]["args"]
    minimum = quantity.parse_map(job["PodGroup"]["spec"]["minResources"], "the call")
    # In the record's units: memory in bytes, pods whole, everything else in thousandths.
    thousandths = {n: float(a if n in ("memory", "pods") else a * 1000) for n, a in minimum.items()}
    need = {"milliCPU": thousandths.pop("cpu", 0), "memory": thousandths.pop("memory", 0)}
    more, _ = probe.amount("difference", l=job["Allocated"], r=need | {"scalars": thousandths})
    return differences({"scalars": {}} | more, case["observed"]["results"][0])


def _is_empty(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    question = "kube_batch_is_empty" if kube_batch else "is_empty"
    answer = probe.amount(question, l=case["state"]["args"][0])
    return differences(answer, case["observed"]["results"][0])


def _is_zero(probe: Probe, case: Json, kube_batch: bool) -> list[str]:
    amounts, name = case["state"]["args"]
    if kube_batch:
        key = {"cpu": "milliCPU", "memory": "memory"}.get(name)
        scalars = amounts.get("scalars", {})
        alone = {key: amounts[key]} if key else {"scalars": {name: scalars.get(name, 0)}}
        zero = probe.amount("kube_batch_is_empty", l=EMPTY | alone)
    else:
        zero = name not in probe.amount("positive", l=amounts)
    return differences(zero, case["observed"]["results"][0])


UNITS: dict[str, Callable[[Probe, Json, bool], list[str]]] = {
    "Resource.Add": _two("plus"),
    "Resource.Sub": _two("minus"),
    "Resource.SetMaxResource": _two("max"),
    "Max": _max,
    "Resource.AddScalar": _add_scalar,
    "Resource.LessEqual": _less_equal,
    "Resource.Less": _less,
    "Resource.LessEqualWithDimensionAndResourcesName": _within_requested,
    "Resource.LessEqualWithResourcesName": _less_equal_names(greater=False),
    "Resource.GreaterPartly": _less_equal_names(greater=True),
    "Resource.LessEqualPartlyWithDimension": _requested("requested_within"),
    "Resource.LessEqualPartlyWithDimensionZeroFiltered": _requested("used_within"),
    "Resource.GreaterPartlyWithDimension": _requested("requested_beyond"),
    "Resource.GreaterPartlyWithRelevantDimensions": _requested("named_beyond"),
    "Intersection": _common(pods=True),
    "IntersectionWithIgnoredScalarResources": _common(pods=False),
    "Resource.MinDimensionResource": _min_dimension,
    "Resource.Diff": _diff,
    "JobInfo.GetElasticResources": _elastic,
    "Resource.IsEmpty": _is_empty,
    "Resource.IsZero": _is_zero,
}
