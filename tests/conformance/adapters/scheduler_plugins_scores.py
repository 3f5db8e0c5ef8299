# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of scheduler-plugins that score nodes, order the queue or exempt pods: measured
load, power, allocatable amounts, states of pods, marks of nodes, tolerated preemption."""

import json
from datetime import datetime
from math import ceil
from typing import Any

import importers
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


def _rows(metrics: Any) -> list[list[Any]]:
    """Of each metric: of what, which value, percent."""
    out = []
    for metric in metrics or []:
        row = {key.lower(): value for key, value in metric.items()}
        out.append([row.get("type") or "", row.get("operator") or "", row.get("value") or 0])
    return out


def _measured(kind: str, metrics: Any, capacity: int, request: int, probe: Probe) -> Case | None:
    """What of one resource was measured, in whole units (memory: mebibytes)."""
    [load] = probe.plugin_scores(
        [{"op": "measured", "metrics": _rows(metrics), "kind": kind, "capacity": capacity,
          "request": request}])
    if load is False:
        return None
    return dict(zip(("capacity", "request", "mean", "deviation"), load))


def measured(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("CreateResourceStats")
    args = step["args"]
    kind, name = args["watcherType"], args["resourceName"]
    unit, field = (milli, "MilliCPU") if name == "cpu" else (whole, "Memory")
    load = _measured(kind, args["metrics"],
                     unit(script.value(args["node"])["status"]["allocatable"][name]),
                     args["podRequest"][field], probe)
    told = {s["set"]: s["value"] for s in script.steps if "set" in s}
    out = _same("measured", load is not None, told["gotIsValid"])
    if load is not None:
        right = _load(told["gotRs"])
        out += [line for key in right for line in _same(key, load[key], right[key])]
    return out


def _both(value: Case) -> list[int]:
    return [value["MilliCPU"], value["Memory"]]


def sums(case: Case, script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("GetResourceRequested", "GetResourceLimits"):
        op = "load_request" if step["call"] == "GetResourceRequested" else "load_limit"
        pod = written(script.value(step["args"]["pod"]))
        [answer] = probe.plugin_scores([{"op": op, "pod": pod}])
        out += _same(f"{step['n']}", answer, _both(script.result(step["n"])))
    return out


def _room(node: Case, key: str = "allocatable") -> list[int]:
    room = node["status"][key]
    return [milli(room["cpu"]), whole(room["memory"])]


def books(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("GetNodeRequestsAndLimits")
    args = step["args"]
    op = {"op": "node_books", "pod": written(script.value(args["pod"])),
          "on_node": [written(script.value(pod)) for pod in args["podInfosOnNode"]],
          "allocatable": _room(script.value(args["node"]))}
    [answer] = probe.plugin_scores([op])
    right = case["expect"]["want"]
    names = {"capacity": "Nodecapacity", "request": "NodeRequest", "limit": "NodeLimit",
             "request_without": "NodeRequestMinusPod", "limit_without": "NodeLimitMinusPod"}
    out = sums(case, script, probe)
    for key, name in names.items():
        out += _same(key, [part[key] for part in answer], _both(right[name]))
    return out


def recent(case: Case, script: Any, probe: Probe) -> list[str]:
    """The clock of the record is the time of the newest pod, which came just now; where none came,
    the newest that was there is five seconds old."""
    rows = case["state"]["inputs"]["podInfoList"]
    actual = next(v for v in script.checks.values() if isinstance(v, list))
    names = [script.value(row["Pod"])["metadata"]["name"] for row in rows]
    placed = [[name, _seconds(row.get("Timestamp"))]
              for name, row in zip(names, rows, strict=True)]
    now = _seconds(actual[-1]["Timestamp"])
    for step in script.calls("PodAssignEventHandler.OnUpdate"):
        old, new = (script.value(step["args"][key]) for key in ("oldObj", "newObj"))
        if new["spec"].get("nodeName") and not old.get("spec", {}).get("nodeName"):
            placed.append([new["metadata"]["name"], now])
    [answer] = probe.plugin_scores([{"op": "recent", "placed": placed, "now": now}])
    return _same("kept", answer, case["expect"]["expectedCachePods"])


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
    op["load"] = _measured(args["resourceType"], script.value(args["metrics"]), capacity, 0, probe)
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


def _variation_op(script: Any, step: Case, pod: Case, node: Case) -> Case:
    settings = _settings(script, "LoadVariationRiskBalancing")
    return {"op": "node_variation", "allocatable": _room(node), "pod": written(pod),
            "margin": settings["SafeVarianceMargin"],
            "sensitivity": settings["SafeVarianceSensitivity"]}


def _target_op(script: Any, step: Case, pod: Case, node: Case, probe: Probe) -> Case:
    settings = _settings(script, "TargetLoadPacking")
    default = milli((settings.get("DefaultRequests") or {}).get("cpu", "1000m"))
    read = written(pod)
    asked = [
        {"op": "expected_cpu", "factor": float(settings["DefaultRequestsMultiplier"]),
         "otherwise": default}
        | {key: c[f"{key}s"]["cpu"] for key in ("limit", "request") if "cpu" in c[f"{key}s"]}
        for c in read["containers"] if not c.get("init")
    ]
    expected = sum(probe.plugin_scores(asked)) + read["overhead"].get("cpu", 0)
    return {"op": "node_target", "capacity": _room(node, "capacity")[0], "missing": 0,
            "expected": expected, "target": settings["TargetUtilization"]}


def _power_op(script: Any, step: Case, pod: Case, node: Case) -> Case:
    models = [s["args"]["data"] for s in script.calls("CreateSamplePowerModel")
              if s["n"] < step["n"]]
    model = (models[-1] if models else {}).get(node["metadata"]["name"])
    read = {key.upper(): value for key, value in (model or {"k0": 0, "k1": 0, "k2": 0}).items()}
    _, needed = importers.requests(pod)
    return {"op": "node_power", "model": read, "capacity": _room(node, "capacity")[0],
            "request": ceil(needed.get("cpu", 0) * 1000)}


def _low_risk_op(script: Any, step: Case, pod: Case, node: Case) -> Case:
    settings = _settings(script, "LowRiskOverCommitment")
    weights = settings["RiskLimitWeights"]
    on_node = step["args"]["nodeInfo"]["nodeInfo"].get("pods") or []
    return {"op": "node_low_risk", "allocatable": _room(node), "pod": written(pod),
            "on_node": [written(script.value(other)) for other in on_node],
            "weights": [weights["cpu"], weights["memory"]],
            "window": settings["SmoothingWindowSize"]}


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
    for step in script.calls("NewAllocatable"):
        weights = [[row["Name"], row["Weight"]]
                   for row in script.value(step["args"]["allocArgs"])["resources"]]
        [reason] = probe.plugin_scores([{"op": "check_allocatable", "weights": weights}])
        out += _same("settings", reason, case["expect"]["wantErr"])
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
            elif plugin == "trimaran-lowriskovercommitment":
                op = _low_risk_op(script, step, pod, node)
            else:
                op = _allocatable_op(script, node)
            if plugin.startswith("trimaran"):
                op["metrics"] = _rows(_metrics(script, node["metadata"]["name"], step["n"]))
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


class Marks:
    """The marks of nodes. The clock of the recording is not told: the first time stamp that was
    scored tells it, all others must follow."""

    def __init__(self, args: Case) -> None:
        self.args = args
        self.now: float | None = None

    def of(self, node: Case, recorded: int, probe: Probe) -> int | None:
        meta, args = node["metadata"], self.args
        source = "labels" if args["metadataSource"] == "Label" else "annotations"
        text = (meta.get(source) or {}).get(args["metadataKey"])
        if text is None:
            return None
        if args["metadataType"] == "Number":
            [mark] = probe.plugin_scores([{"op": "number_mark", "text": text,
                                           "lowest": args["scoringStrategy"] == "Lowest"}])
            return None if mark is False else mark
        try:
            at = _seconds(text)
        except ValueError:
            return None
        if self.now is None:
            self.now = at + abs(recorded)
        [mark] = probe.plugin_scores([{"op": "time_mark", "at": at, "now": self.now,
                                       "newest": args["scoringStrategy"] == "Newest"}])
        return mark


def marks(case: Case, script: Any, probe: Probe) -> list[str]:
    out = []
    found: dict[str, int | None] = {}
    reader = Marks(script.value(script.calls("NodeMetadata.calculateScore")[0]["receiver"])["args"])
    for step in script.calls("NodeMetadata.calculateScore"):
        node = script.value(step["args"]["node"])
        name = node["metadata"]["name"]
        told = [s["value"] for s in script.steps
                if s["n"] == step["n"] + 1 and s.get("set") == "score"]
        found[name] = reader.of(node, told[0] if told else 0, probe)
        if told:
            out += _same(name, found[name] or 0, told[0])
    if case["expect"].get("expectError") is not None:
        out += _same("error", None in found.values(), case["expect"]["expectError"])
    for step in script.calls("NodeMetadata.NormalizeScore"):
        names = [row["Name"] for row in script.value(step["args"]["scores"])]
        [answer] = probe.plugin_scores(
            [{"op": "marks", "marks": [found[name] for name in names]}])
        checks = [c for c in case["observed"]["checks"] if c["n"] > step["n"]]
        order = [c["actual"] for c in checks if c["what"] == "sortedScores[i].Name"]
        scores = [c["actual"] for c in checks if c["what"] == "ns.Score"]
        if order:
            ours = sorted(range(len(names)), key=lambda i: -answer[i])
            out += _same("order", [names[i] for i in ours], order)
        if scores or not order:
            out += _same("scores", answer, scores)
    return out


def mark_settings(case: Case, script: Any, probe: Probe) -> list[str]:
    args = case["config"]["args"]
    op = {"op": "check_marks", "key": args["metadataKey"], "source": args["metadataSource"],
          "type": args["metadataType"], "preference": args["scoringStrategy"]}
    [reason] = probe.plugin_scores([op])
    return _same("refused", reason != "", case["expect"]["expectError"])


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
    "CreateResourceStats": measured,
    "GetNodeRequestsAndLimits": books,
    "GetResourceRequested": sums,
    "GetResourceLimits": sums,
    "PodAssignEventHandler.OnUpdate": recent,
    "PodAssignEventHandler.cleanupCache": recent,
    "ScorePlugin.Score": scored,
    "ScoreExtensions.NormalizeScore": normalised,
    "NodeMetadata.calculateScore": marks,
    "NodeMetadata.NormalizeScore": marks,
    "Sort.Less": before,
    "parsePreemptionTolerationPolicy": read_class,
}
