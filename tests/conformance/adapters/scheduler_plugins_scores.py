# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of scheduler-plugins that score nodes, order the queue or exempt pods: measured
load, power, allocatable amounts, states of pods, marks of nodes, tolerated preemption."""

import json
from datetime import datetime
from math import ceil
from typing import Any

from adapters.scheduler_plugins_pods import pod as written
from probe import Probe, Unanswerable
from quantity import parse

Case = dict[str, Any]

_TOLERATION = "preemption-toleration.scheduling.x-k8s.io/"


def milli(text: str) -> int:
    return ceil(parse(text, "amount") * 1000)


def whole(text: str) -> int:
    return ceil(parse(text, "amount"))


def _same(what: str, got: Any, right: Any) -> list[str]:
    if isinstance(got, float) and isinstance(right, (int, float)):
        return [] if abs(got - right) <= 1e-9 * max(1.0, abs(right)) else [
            f"{what}: {got}, recorded {right}"]
    return [] if got == right else [f"{what}: {got}, recorded {right}"]


def _load(rs: Case) -> Case:
    return {"capacity": rs["Capacity"], "request": rs["Req"], "mean": rs["UsedAvg"],
            "deviation": rs["UsedStdev"]}


def _first(result: Any) -> Any:
    """Of what a call returned: what it was called for, without the error."""
    return result[0] if isinstance(result, list) and result else result


# --- measured load


def variation(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("computeScore")
    args = step["args"]
    op = {"op": "variation", "load": _load(script.value(args["rs"])), "margin": args["margin"],
          "sensitivity": args["sensitivity"]}
    [answer] = probe.plugin_scores([op])
    return _same("score", float(answer), script.result(step["n"]))


def moments(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("GetMuSigma")
    [answer] = probe.plugin_scores(
        [{"op": "moments", "load": _load(script.value(step["args"]["rs"]))}])
    right = script.result(step["n"])
    return [
        line
        for got, told in zip(answer, right, strict=True)
        for line in _same("moment", float(got), told)
    ]


def max_variance(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("GetMaxVariance")
    [answer] = probe.plugin_scores([{"op": "max_variance", "mean": step["args"]["m1"]}])
    return _same("variance", float(answer), script.result(step["n"]))


def fit(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("BetaDistribution.MatchMoments")
    [answer] = probe.plugin_scores(
        [{"op": "fit_beta", "mean": step["args"]["m1"], "square": step["args"]["m2"]}])
    out = _same("fits", answer is not None, script.result(step["n"]))
    told = (case["state"].get("inputs") or {}).get("fields")
    if answer is not None and told:
        out += _same("alpha", answer[0], told["alpha"]) + _same("beta", answer[1], told["beta"])
    return out


def probability(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("BetaDistribution.DistributionFunction")
    told = script.value(step["receiver"])
    op = {"op": "beta", "x": step["args"]["x"], "alpha": told["alpha"], "beta": told["beta"]}
    [answer] = probe.plugin_scores([op])
    return _same("probability", float(answer), script.result(step["n"]))


def _metric(metrics: list[Case], kind: str) -> tuple[float, float] | None:
    """(mean, deviation) in percent; the average is preferred to other values."""
    mean, deviation, averaged, found = 0.0, 0.0, False, False
    for metric in metrics:
        row = {key.lower(): value for key, value in metric.items()}
        if row.get("type") != kind:
            continue
        operator, value = row.get("operator", ""), row.get("value", 0)
        if operator == "STD":
            deviation = value
        elif operator == "AVG":
            mean, averaged, found = value, True, True
        elif operator in ("", "Latest") and not averaged:
            mean, found = value, True
    return (mean, deviation) if found else None


def risk(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("LowRiskOverCommitment.computeRisk")
    args, plugin = step["args"], script.value(step["receiver"])
    books = script.value(args["nodeRequestsAndLimits"])
    part = {"CPU": "MilliCPU", "Memory": "Memory"}[args["resourceType"]]
    capacity = books["Nodecapacity"][part]
    weight = plugin["riskLimitWeightsMap"][args["resourceName"]]
    op = {"op": "risk", "capacity": capacity, "weight": weight,
          "window": plugin["args"]["SmoothingWindowSize"]}
    for key, name in (("request", "NodeRequest"), ("limit", "NodeLimit"),
                      ("request_without", "NodeRequestMinusPod"),
                      ("limit_without", "NodeLimitMinusPod")):
        op[key] = books[name][part]
    measured = _metric(script.value(args["metrics"]), args["resourceType"])
    if measured:
        op["load"] = {"capacity": capacity, "request": 0, "mean": measured[0] * capacity / 100,
                      "deviation": measured[1] * capacity / 100}
    [answer] = probe.plugin_scores([op])
    return _same("risk", float(answer), script.result(step["n"]))


# --- scores of nodes


def _metrics(script: Any, node: str, before: int) -> list[Case]:
    """What the machine was measured to use when step `before` is taken."""
    texts = [s["value"] for s in script.steps if s.get("set") == "bytes" and s["n"] < before]
    nodes = json.loads(texts[-1])["data"]["NodeMetricsMap"] if texts else None
    return ((nodes or {}).get(node) or {}).get("metrics") or []


def _settings(script: Any, name: str) -> Case:
    for step in script.steps:
        value = step.get("value")
        if isinstance(value, dict) and value.get("Name") == name:
            return value["Args"]
    raise Unanswerable("no settings of the plug-in are recorded")


def _requested(pod: Case, resource: str, unit: Any) -> int:
    containers = pod.get("spec", {}).get("containers") or []
    sums = sum(unit((c.get("resources", {}).get("requests") or {}).get(resource, "0"))
               for c in containers)
    for c in pod.get("spec", {}).get("initContainers") or []:
        sums = max(sums, unit((c.get("resources", {}).get("requests") or {}).get(resource, "0")))
    return sums + unit((pod.get("spec", {}).get("overhead") or {}).get(resource, "0"))


def _variation_op(script: Any, step: Case, pod: Case, node: Case) -> Case:
    settings = _settings(script, "LoadVariationRiskBalancing")
    metrics = _metrics(script, node["metadata"]["name"], step["n"])
    op: Case = {"op": "node_variation", "margin": settings["SafeVarianceMargin"],
                "sensitivity": settings["SafeVarianceSensitivity"]}
    room = node["status"]["allocatable"]
    for key, kind, capacity, request in (
        ("cpu", "CPU", milli(room["cpu"]), _requested(pod, "cpu", milli)),
        ("memory", "Memory", whole(room["memory"]) / 2**20,
         _requested(pod, "memory", whole) / 2**20),
    ):
        measured = _metric(metrics, kind)
        if measured:
            op[key] = {"capacity": capacity, "request": request,
                       "mean": measured[0] * capacity / 100,
                       "deviation": measured[1] * capacity / 100}
    return op


def _cpu_percent(metrics: list[Case], last: bool) -> float:
    values = [m.get("value", 0) for m in metrics
              if m.get("type") == "CPU" and m.get("operator") in ("AVG", "Latest")]
    return (values[-1] if last else values[0]) if values else 0


def _target_op(script: Any, step: Case, pod: Case, node: Case, probe: Probe) -> Case:
    settings = _settings(script, "TargetLoadPacking")
    default = milli((settings.get("DefaultRequests") or {}).get("cpu", "1000m"))
    containers = pod.get("spec", {}).get("containers") or []
    asked = [
        {"op": "expected_cpu", "factor": float(settings["DefaultRequestsMultiplier"]),
         "otherwise": default}
        | {key: milli(c["resources"][f"{key}s"]["cpu"]) for key in ("limit", "request")
           if "cpu" in (c.get("resources", {}).get(f"{key}s") or {})}
        for c in containers
    ]
    overhead = milli((pod.get("spec", {}).get("overhead") or {}).get("cpu", "0"))
    metrics = _metrics(script, node["metadata"]["name"], step["n"])
    return {"op": "target", "capacity": milli(node["status"]["capacity"]["cpu"]),
            "used": _cpu_percent(metrics, last=True), "missing": 0,
            "pod": sum(probe.plugin_scores(asked)) + overhead,
            "target": settings["TargetUtilization"]}


def _power_op(script: Any, step: Case, pod: Case, node: Case) -> Case:
    models = [s["args"]["data"] for s in script.calls("CreateSamplePowerModel")
              if s["n"] < step["n"]]
    model = (models[-1] if models else {}).get(node["metadata"]["name"])
    read = {key.upper(): value for key, value in (model or {"k0": 0, "k1": 0, "k2": 0}).items()}
    percent = _cpu_percent(_metrics(script, node["metadata"]["name"], step["n"]), last=False)
    capacity = milli(node["status"]["capacity"]["cpu"])
    after = 100 * (percent / 100 * capacity + _requested(pod, "cpu", milli)) / capacity
    return {"op": "power", "model": read, "before": percent, "after": after}


def _allocatable_op(script: Any, node: Case) -> Case:
    [made] = script.calls("NewAllocatable")
    args = script.value(made["args"]["allocArgs"])
    room = node["status"].get("allocatable") or {}
    units = {"cpu": milli}
    return {"op": "allocatable", "least": args["mode"] == "Least",
            "amounts": [[row["Weight"], units.get(row["Name"], whole)(room.get(row["Name"], "0"))]
                        for row in args["resources"]]}


def _state_score(step: Case, script: Any) -> int:
    score = 0
    for ref in step["args"]["nodeInfo"]["nodeInfo"].get("pods") or []:
        pod = script.value(ref)
        if (pod.get("status") or {}).get("nominatedNodeName"):
            score -= 1
        elif pod["metadata"].get("deletionTimestamp"):
            score += 1
    return score


def scored(case: Case, script: Any, probe: Probe) -> list[str]:
    plugin = case["test"].partition(".")[0]
    out = []
    for step in script.calls("ScorePlugin.Score"):
        node = script.value(script.value(step["args"]["nodeInfo"])["nodeInfo"]["node"])
        pod = script.value(step["args"].get("p")) or {}
        if plugin == "podstate":
            answer = _state_score(step, script)
        else:
            if plugin == "trimaran-loadvariationriskbalancing":
                op = _variation_op(script, step, pod, node)
            elif plugin == "trimaran-targetloadpacking":
                op = _target_op(script, step, pod, node, probe)
            elif plugin == "trimaran-peaks":
                op = _power_op(script, step, pod, node)
            elif plugin == "noderesources":
                op = _allocatable_op(script, node)
            else:
                raise Unanswerable("the books of a node, which the case does not show")
            [answer] = probe.plugin_scores([op])
        out += _same(node["metadata"]["name"], answer, _first(script.result(step["n"])))
    return out + normalised(case, script, probe)


def normalised(case: Case, script: Any, probe: Probe) -> list[str]:
    op = {"trimaran-peaks": "costs"}.get(case["test"].partition(".")[0], "min_max")
    key = "costs" if op == "costs" else "scores"
    out = []
    for step in script.calls("ScoreExtensions.NormalizeScore"):
        raw = script.value(step["args"]["scores"])
        [answer] = probe.plugin_scores([{"op": op, key: [row["Score"] for row in raw]}])
        actual = [v for n, v in sorted(script.checks.items()) if n > step["n"]]
        lists = [v for v in actual if isinstance(v, list)]
        right = ([row["Score"] for row in lists[-1]] if lists
                 else [v for v in actual if isinstance(v, int) and not isinstance(v, bool)])
        out += _same("scores", answer, right[-len(raw):])
    return out



# --- marks of nodes


def _mark(step: Case, script: Any, now: Any = None) -> int | None:
    """A number of a label or annotation, or nothing."""
    args = script.value(step["receiver"])["args"]
    if args.get("metadataType") != "Number":
        raise Unanswerable("ages by the clock of the recording")
    meta = script.value(step["args"]["node"])["metadata"]
    text = (meta.get("labels" if args["metadataSource"] == "Label" else "annotations") or {}).get(
        args["metadataKey"])
    try:
        value = int(float(text))
    except (TypeError, ValueError):
        return None
    return -value if args["scoringStrategy"] == "Lowest" else value


def marks(case: Case, script: Any, probe: Probe) -> list[str]:
    out = []
    found: dict[str, int | None] = {}
    for step in script.calls("NodeMetadata.calculateScore"):
        name = script.value(step["args"]["node"])["metadata"]["name"]
        found[name] = _mark(step, script)
        score = _first(script.result(step["n"]))
        if isinstance(score, int) and not isinstance(score, bool) and found[name] is not None:
            out += _same(name, found[name], score)
    for step in script.calls("NodeMetadata.NormalizeScore"):
        raw = script.value(step["args"]["scores"])
        [answer] = probe.plugin_scores(
            [{"op": "marks", "marks": [found.get(row["Name"]) for row in raw]}])
        later = [v for n, v in sorted(script.checks.items()) if n > step["n"]]
        lists = [v for v in later if isinstance(v, list)]
        if lists:
            out += _same("scores", answer, [row["Score"] for row in lists[-1]])
        elif case["expect"].get("expectedScores"):
            wanted = case["expect"]["expectedScores"]
            out += _same("scores", answer, [wanted.get(row["Name"]) for row in raw])
        else:
            raise Unanswerable("scores of marks are not recorded")
    return out


# --- orders and exemptions


def _seconds(text: str | None) -> float:
    if not text:
        return 0.0
    head, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{head}+00:00").timestamp() + float(f"0.{fraction or 0}")


def before(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("Sort.Less")
    pods = []
    for key in ("pInfo1", "pInfo2"):
        info = script.value(step["args"][key])
        pod = script.value(info["$object"])
        [service] = probe.plugin_pods([{"op": "service", "pod": written(pod)}])
        pods.append({"priority": pod["spec"].get("priority", 0), "service": service,
                     "queued": _seconds(info.get("Timestamp"))})
    [answer] = probe.plugin_scores([{"op": "before", "a": pods[0], "b": pods[1]}])
    return _same("before", answer, script.result(step["n"]))


def _class(row: Case | None) -> Case | None:
    if row is None:
        return None
    notes = row["metadata"].get("annotations") or {}
    return {"value": row.get("value", 0),
            "minimum": notes.get(_TOLERATION + "minimum-preemptable-priority"),
            "seconds": notes.get(_TOLERATION + "toleration-seconds")}


def read_class(case: Case, script: Any, probe: Probe) -> list[str]:
    row = script.value(case["state"]["inputs"]["priorityClass"])
    [answer] = probe.plugin_scores([{"op": "read_exemption", "class": _class(row)}])
    policy = next((v for v in script.checks.values() if isinstance(v, dict) and "error" not in v),
                  None)
    if policy is None:
        return _same("policy", answer, None)
    return _same("policy", answer, {"minimum": policy["MinimumPreemptablePriority"],
                                    "seconds": policy["TolerationSeconds"]})


def exempt(case: Case, script: Any, probe: Probe) -> list[str]:
    inputs = case["state"]["inputs"]
    preemptor = script.value(inputs["preemptor"])
    victim = script.value(inputs["victimCandidate"])
    listed = script.value(inputs.get("victimCandidatePriorityClass"))
    named = victim["spec"].get("priorityClassName")
    if named and (listed is None or listed["metadata"]["name"] != named):
        return _same("error", True, bool(case["expect"].get("wantErr")))
    started = [c.get("lastTransitionTime") for c in victim.get("status", {}).get("conditions") or []
               if c["type"] == "PodScheduled" and c["status"] == "True"]
    op = {"op": "exempt", "class": _class(listed) if named else None,
          "priority": preemptor["spec"].get("priority", 0),
          "never": bool(named) and preemptor["spec"].get("preemptionPolicy") == "Never",
          "now": _seconds(inputs.get("now"))}
    if started:
        op["scheduled"] = _seconds(started[0])
    [answer] = probe.plugin_scores([op])
    return _same("exempt", answer, case["expect"]["want"])


CALLS = {
    "computeScore": variation,
    "GetMuSigma": moments,
    "GetMaxVariance": max_variance,
    "BetaDistribution.MatchMoments": fit,
    "BetaDistribution.DistributionFunction": probability,
    "LowRiskOverCommitment.computeRisk": risk,
    "ScorePlugin.Score": scored,
    "ScoreExtensions.NormalizeScore": normalised,
    "NodeMetadata.calculateScore": marks,
    "NodeMetadata.NormalizeScore": marks,
    "Sort.Less": before,
    "parsePreemptionTolerationPolicy": read_class,
}
