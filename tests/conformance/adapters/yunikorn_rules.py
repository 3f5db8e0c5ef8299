# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YuniKorn's rules without a state: arithmetic on resources, shares, checks of configurations.

A case is a list of calls, each with its arguments and results. Of an error only that there was one
is compared. A check of a configuration fails as a whole, so results beside an error do not count.
"""

from collections.abc import Callable
from typing import Any

import yaml
from probe import Probe, Unanswerable

Json = dict[str, Any]
Question = tuple[Json, list[Any]]  # a call, and the results it had

AMOUNTS = {
    "Add",
    "AddOnlyExisting",
    "CompUsageRatio",
    "CompUsageRatioSeparately",
    "CompUsageRatioSpecificTypes",
    "ComponentWiseMax",
    "ComponentWiseMin",
    "ComponentWiseMinOnlyExisting",
    "DeepEquals",
    "Equals",
    "EqualsOrEmpty",
    "FairnessRatio",
    "GetShares",
    "IsZero",
    "MergeIfNotPresent",
    "Multiply",
    "MultiplyBy",
    "NewResourceFromConf",
    "ParseQuantity",
    "ParseVCore",
    "Resource.FitIn",
    "Resource.FitInActual",
    "Resource.FitInMaxUndef",
    "Resource.FitInScore",
    "Resource.HasNegativeValue",
    "Resource.IsEmpty",
    "Resource.MatchAny",
    "Resource.StrictlyGreaterThanOnlyExisting",
    "Resource.StrictlyGreaterThanOrEqualsOnlyExisting",
    "Resource.TypeMatching",
    "StrictlyGreaterThan",
    "StrictlyGreaterThanOrEquals",
    "StrictlyGreaterThanZero",
    "Sub",
    "SubEliminateNegative",
    "SubErrorNegative",
    "SubOnlyExisting",
    "addVal",
    "compareShares",
    "getFairShare",
    "mulVal",
    "mulValRatio",
    "subVal",
}

# Calls that change their receiver; the record has the receiver before the call alone.
IN_PLACE = {"Resource.AddTo", "Resource.MultiplyTo", "Resource.Prune", "Resource.SubFrom"}

CONVERSIONS = {"NewResourceFromProto", "NewResourceFromString"}

# Maps from names of types or properties; the keys of all other maps are names of fields.
_MAPS = {"properties", "guaranteed", "max", "maxresources", "resourceweights"}


def in_yaml(value: Any) -> Any:
    """A configuration with the keys of the YAML text instead of the peer's names of fields."""
    if isinstance(value, list):
        return [in_yaml(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key.lower(): item if key.lower() in _MAPS else in_yaml(item) for key, item in value.items()
    }


def _loaded(step: Json) -> list[Question]:
    """The text of a configuration is read here, as the library takes it as values; it has one
    partition a time."""
    text = bytes.fromhex(step["args"][0]).decode()
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Unanswerable("a text that is no YAML") from error
    if not isinstance(document, dict) or not isinstance(document.get("partitions"), list):
        raise Unanswerable("a text without partitions")
    partitions = document["partitions"]
    if unknown := _unknown_fields(partitions):
        raise Unanswerable(f"a text with fields of no meaning: {', '.join(unknown)}")
    result, error = step["result"]
    if error is not None and len(partitions) > 1:
        raise Unanswerable("several partitions, one of which is refused; a Partition is one")
    wanted = [None] if error is not None else [_summary(p) for p in result["Partitions"]]
    return [
        ({"op": step["op"], "args": [partition]}, [summary, error])
        for partition, summary in zip(partitions, wanted, strict=True)
    ]


def _summary(partition: Json) -> Json:
    preemption = partition.get("Preemption", {})
    return {
        "root": _names(partition["Queues"][0]),
        "preemption": preemption.get("Enabled", True),
        "quota_preemption": preemption.get("QuotaPreemptionEnabled", False),
    }


def _names(queue: Json) -> Json:
    return {
        "name": queue["Name"],
        "limits": len(queue.get("Limits") or []),
        "queues": [_names(child) for child in queue.get("Queues") or []],
    }


_FIELDS = {
    "partition": "name queues placementrules limits preemption nodesortpolicy usergroupresolver",
    "queues": "name parent resources maxapplications properties adminacl submitacl childtemplate"
    " queues limits",
    "limits": "limit users groups maxresources maxapplications",
    "placementrules": "name create filter parent value",
    "parent": "name create filter parent value",
    "filter": "type users groups",
    "resources": "guaranteed max",
    "childtemplate": "maxapplications properties resources",
    "preemption": "enabled quotapreemptionenabled",
    "nodesortpolicy": "type resourceweights",
}


def _unknown_fields(value: Any, kind: str = "partition") -> list[str]:
    """The peer refuses such a text as a whole, before it checks anything."""
    if isinstance(value, list):
        return [field for item in value for field in _unknown_fields(item, kind)]
    if not isinstance(value, dict) or kind not in _FIELDS:
        return []
    found = [str(key) for key in value if key not in _FIELDS[kind].split()]
    return found + [field for key, item in value.items() for field in _unknown_fields(item, key)]


def _static_paths(step: Json) -> list[Question]:
    paths, error = step["result"]
    wanted = paths and [
        {
            "path": path["path"],
            "dynamic": path.get("hasDynamicPart", False),
            "create": path.get("create", False),
        }
        for path in paths
        if path["path"] != "<dynamic>"
    ]
    return _check(step, [wanted, error])


_PLACEMENT_OK = 15  # the peer's number for a path that may be


def _placement_path(step: Json) -> list[Question]:
    fits = step["result"][0] == _PLACEMENT_OK
    return _check(step, [None if fits else {"error": step["result"]}])


def _queue_resources(step: Json) -> list[Question]:
    queue, parent_most = step["args"]
    return [({"op": step["op"], "args": [in_yaml(queue), parent_most]}, step["result"])]


def _check(step: Json, results: list[Any] | None = None) -> list[Question]:
    question = {"op": step["op"], "args": in_yaml(step["args"])}
    return [(question, step["result"] if results is None else results)]


CHECKS: dict[str, Callable[[Json], list[Question]]] = {
    "IsQueueNameValid": _check,
    "LoadSchedulerConfigFromByteArray": _loaded,
    "checkLimitMaxApplications": _check,
    "checkLimitResource": _check,
    "checkLimits": _check,
    "checkLimitsStructure": _check,
    "checkNodeSortingPolicy": _check,
    "checkPlacementFilter": _check,
    "checkPlacementRule": _check,
    "checkPlacementRules": _check,
    "checkQueueHierarchyForPlacement": _placement_path,
    "checkQueueMaxApplications": _check,
    "checkQueueResource": _queue_resources,
    "checkQueues": _check,
    "checkQueuesStructure": _check,
    "getLongestPlacementPaths": _static_paths,
}


def compared(ours: list[Any], theirs: list[Any]) -> bool:
    """Of two lists of results: an error counts as such, and hides what stands beside it."""
    failed = [any(isinstance(r, dict) and set(r) == {"error"} for r in rs) for rs in (ours, theirs)]
    return failed[0] == failed[1] and (failed[0] or ours == theirs)


def _differences(steps: list[Json], ours: list[Any], theirs: list[list[Any]]) -> list[str]:
    return [
        f"{step['op']}{step['args']}: {got} instead of {wanted}"
        for step, got, wanted in zip(steps, ours, theirs, strict=True)
        if not compared(got, wanted)
    ]


def amounts(case: Json, probe: Probe) -> list[str]:
    steps = [step for step in case.get("steps", []) if step["op"] in AMOUNTS]
    steps = [{"args": []} | step for step in steps + _row(case)]
    if not steps:
        raise Unanswerable(_why_no_amounts(case))
    ours = probe.yunikorn("amounts", steps=steps)
    return [
        f"{step['op']}{step['args']}: {got} instead of {step['result']}"
        for step, got in zip(steps, ours, strict=True)
        if _amounts(got) != _amounts(step["result"])
    ]


def _amounts(results: list[Any]) -> list[Any]:
    """Without the words of errors; a sum beside an error counts. Large numbers are doubles that
    the records write out."""
    return [
        "error"
        if isinstance(result, dict) and "error" in result
        else float(result)
        if isinstance(result, int) and abs(result) > 2**63
        else result
        for result in results
    ]


# Calls that records show as rows alone: the fields of their arguments in order.
_ROWS = {
    "CalculateAbsUsedCapacity": ("capacity", "used"),
    "isAskQueueUnderGuaranteed": ("askResource", "askQueue"),
    "isVictimQueueOverGuaranteed": ("askResource", "victimQueue"),
}


def _row(case: Json) -> list[Json]:
    row, expect = case.get("row"), case.get("expect", {})
    if not isinstance(row, dict):
        return []
    fields = set(row) - {"testName"}
    for op, names in _ROWS.items():
        if op == "CalculateAbsUsedCapacity":
            fits = fields <= set(names) and isinstance(expect.get("expected"), dict)
        else:
            fits = fields == set(names)
        if fits:
            result = expect.get("expected", False)
            return [{"op": op, "args": [row.get(name) for name in names], "result": [result]}]
    return []


def _why_no_amounts(case: Json) -> str:
    ops = {step["op"] for step in case.get("steps", [])}
    if ops & IN_PLACE:
        return "the record has no result of a call that changes its receiver"
    if ops & CONVERSIONS:
        return "reads the protocol's form of a resource"
    if ops:
        return f"no rule of arithmetic: {', '.join(sorted(ops))}"
    return "no call of the peer is recorded"


# Questions whether a node holds a request: the field of the row that has the node's amounts.
NODE_FITS = {"Node.CanAllocate": "available", "Node.FitInNode": "totalRes"}


def node_fits(case: Json, probe: Probe) -> list[str]:
    steps = [
        {"op": "Resource.FitIn", "on": case["row"].get(NODE_FITS[step["op"]])}
        | {"args": step.get("args", []), "result": step["result"]}
        for step in case["steps"]
        if step["op"] in NODE_FITS
    ]
    ours = probe.yunikorn("amounts", steps=steps)
    return _differences(steps, ours, [step["result"] for step in steps])


def victim_order(case: Json, probe: Probe) -> list[str]:
    """The record has the order alone as what the test expects."""
    steps = [step for step in case["steps"] if step["op"] == "SortAllocationsBasedOnAsk"]
    wanted = case.get("expect", {}).get("expectedVictims")
    if wanted is None or len(steps) != 1:
        raise Unanswerable("the record has no order of the victims")
    [got] = probe.yunikorn("victims", steps=steps)
    return [] if got == wanted else [f"victims {got} instead of {wanted}"]


def checks(case: Json, probe: Probe) -> list[str]:
    questions, reasons = [], []
    for step in case.get("steps", []):
        try:
            questions += CHECKS[step["op"]](step) if step["op"] in CHECKS else []
        except Unanswerable as reason:
            reasons.append(str(reason))
    if not questions:
        raise Unanswerable(reasons[0] if reasons else _why_no_amounts(case))
    steps = [question for question, _ in questions]
    answers = probe.yunikorn("checks", steps=steps)
    return _differences(steps, answers, [results for _, results in questions])
