# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts about ratios of CPUs, totals of devices, and which changes of a
node are worth an update."""

import json
from typing import Any, Callable

from adapters.koordinator_colocation import BATCH, is_changed, prepared
from adapters.koordinator_objects import nanoseconds, of_kind, resolved, thousandths
from probe import Probe, Unanswerable

Json = dict[str, Any]

RATIO = "node.koordinator.sh/cpu-normalization-ratio"
AMPLIFIED = "node.koordinator.sh/resource-amplification-ratio"
UNREADABLE = "a label or annotation that cannot be read: the caller reads it before it asks"
TRUE, FALSE = ("1", "t", "T", "TRUE", "true", "True"), ("0", "f", "F", "FALSE", "false", "False")


def _returned(script: Any, step: Json, name: str = "got") -> tuple[Any, bool]:
    """What a call returned, and whether it failed."""
    failed, _ = script.variable("gotErr", step["n"])
    known, got = script.variable(name, step["n"])
    if not known:
        got = script.case["expect"].get("want")
    return got, failed or bool(script.case["expect"].get("wantErr"))


def _machine(info: Json | None) -> Json | None:
    if info is None:
        return None
    lower = {key[0].lower() + key[1:]: value for key, value in info.items()}
    name = lower.get("cpuModel", lower.get("cPUModel", ""))
    return {"name": name, "hyper_threads": lower.get("hyperThreadEnabled", False),
            "turbo": lower.get("turboEnabled", False)}


def _table(strategy: Json) -> Json:
    return {"models": strategy.get("ratioModel") or {}, "fallback": strategy.get("defaultRatio")}


def _outcome(step: Json, ours: Any, got: Any, failed: bool) -> list[str]:
    refused = isinstance(ours, dict) and "refused" in ours
    if refused != failed:
        return [f"step {step['n']}: {ours}, recorded {'an error' if failed else got}"]
    if not refused and ours != got:
        return [f"step {step['n']}: {ours}, recorded {got}"]
    return []


def ratio(script: Any, probe: Probe) -> list[str]:
    """Of the table alone, or with its fallback."""
    out = []
    for call, ask in (("getCPUNormalizationRatio", "normalization"),
                      ("getCPUNormalizationRatioFromModel", "table_ratio")):
        for step in script.calls(call):
            args = script.args(step)
            machine = _machine(args["info"]) or _machine({})
            got, failed = _returned(script, step)
            ours = probe.koordinator_colocation(ask, machine=machine, on=True,
                                                rules=_table(args["strategy"]))
            out += _outcome(step, ours, got, failed)
    return out


def _of_node(config: Json, node: Json) -> Json:
    """The configuration with that of the first of the node's labels."""
    labels = node["metadata"].get("labels") or {}
    for one in config.get("nodeConfigs") or []:
        selector = one["nodeSelector"]
        if selector.get("matchExpressions"):
            raise Unanswerable("nodes that a configuration selects: the caller merges the two")
        if (selector.get("matchLabels") or {}).items() <= labels.items():
            return config | one
    return config


def _configured(script: Any, node: Json | None) -> Json:
    cache = script.case["state"]["inputs"]["fields"]["handler"]["cache"]
    if not cache.get("available"):
        raise Unanswerable("a configuration that is not there: the caller has none to ask with")
    return _of_node(cache.get("config") or {}, node or {"metadata": {}})


def normalization(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("Plugin.Calculate"):
        node = resolved(script, script.args(step)["node"])
        config = _configured(script, node)
        label = (node["metadata"].get("labels") or {}).get(
            "node.koordinator.sh/cpu-normalization-enabled")
        if label is not None and label not in (*TRUE, *FALSE):
            raise Unanswerable(UNREADABLE)
        machine, is_known = None, False
        for topology in of_kind(script, "NodeResourceTopology"):
            if topology["metadata"].get("name") == node["metadata"]["name"]:
                is_known = True
                text = (topology["metadata"].get("annotations") or {}).get(
                    "node.koordinator.sh/cpu-basic-info")
                try:
                    machine = _machine(None if text is None else json.loads(text))
                except ValueError:
                    raise Unanswerable(UNREADABLE) from None
        got, failed = _returned(script, step)
        ours = probe.koordinator_colocation(
            "normalization", machine=machine, rules=_table(config), on=config.get("enable"),
            label=None if label is None else label in TRUE)
        if not is_known and isinstance(ours, dict):
            raise Unanswerable("the record does not hold an object that a call was given")
        if got:
            got = float(got[0]["Annotations"][RATIO])
            ours = ours if isinstance(ours, dict) else float(f"{ours:.2f}")
        out += _outcome(step, ours, got, failed)
    return out


def _ratio_of(node: Json) -> float | None:
    text = (node["metadata"].get("annotations") or {}).get(RATIO)
    try:
        value = None if text is None else float(text)
    except ValueError:
        raise Unanswerable(UNREADABLE) from None
    if value is not None and value <= 0:
        raise Unanswerable(UNREADABLE)
    return value


def ratio_changed(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("Plugin.NeedSyncMeta"):
        args = {name: resolved(script, value) for name, value in script.args(step).items()}
        ours = probe.koordinator_colocation("ratio_changed", old=_ratio_of(args["oldNode"]),
                                            new=_ratio_of(args["newNode"]))
        _, right = script.variable("got", step["n"])
        if ours != right:
            out.append(f"changed {ours}, recorded {right}")
    return out


def text_changed(_script: Any, _probe: Probe) -> list[str]:
    raise Unanswerable("texts of an annotation that are compared: nothing is decided")


def amplification(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("Plugin.Calculate"):
        node = resolved(script, script.args(step)["node"])
        config = _configured(script, node)
        factors = config.get("resourceAmplificationRatio") or {}
        got, failed = _returned(script, step)
        ours = probe.koordinator_colocation(
            "amplification", factors=factors if config.get("enable") else {},
            normalization=_ratio_of(node))
        if got:
            text = (got[0].get("Annotations") or {}).get(AMPLIFIED)
            got = json.loads(text) if text else {}
            if "refused" not in ours:
                ours = {name: float(f"{value:.2f}") for name, value in ours.items()}
        out += _outcome(step, ours, got, failed)
    return out


# --- devices


def devices_changed(names: tuple[str, ...]) -> Callable[[Any, Probe], list[str]]:
    def rule(script: Any, probe: Probe) -> list[str]:
        out = []
        steps = script.calls("Plugin.NeedSync")
        for step in steps:
            args = {name: resolved(script, value) for name, value in script.args(step).items()}
            right = script.variable("got", step["n"])[1]
            if right is None:
                right = script.variable("needSync", step["n"])[1]
            if right is None:
                raise Unanswerable("the record does not hold what the call returned")
            ours = is_changed(probe, args["oldNode"], args["newNode"], names,
                              args["strategy"]["resourceDiffThreshold"])
            if ours != right:
                out.append(f"step {step['n']}: changed {ours}, recorded {right}")
        return out

    return rule


# --- the controller


def _age(script: Any, step: Json, name: str) -> int | None:
    """How long ago the node was last updated: tests measure from the time at which they ran."""
    context = (script.case["state"]["inputs"]["fields"].get("SyncContext") or {}).get(
        "contextMap") or {}
    latest = max((nanoseconds(when) for one in script.calls("SyncContext.WithContext")
                  for when in (script.args(one).get("m") or {}).values()), default=None)
    when = nanoseconds(context.get(f"/{name}"))
    return None if when is None or latest is None else latest - when


def sync_needed(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("NodeResourceReconciler.isNodeResourceSyncNeeded"):
        args = {name: resolved(script, value) for name, value in script.args(step).items()}
        strategy, old, new = args["strategy"], args["oldNode"], args["newNode"]
        if not new or not (new.get("status") or {}).get("allocatable"):
            raise Unanswerable("a call that lacks what its caller must give")
        due = probe.koordinator_colocation(
            "due", age=_age(script, step, new["metadata"]["name"]),
            limit=strategy["updateTimeThresholdSeconds"] * 10**9)
        ours = due or is_changed(probe, old, new, BATCH, strategy["resourceDiffThreshold"])
        _, right = script.variable("got", step["n"])
        if ours != right:
            out.append(f"update {ours}, recorded {right}")
    return out


def updated(script: Any, probe: Probe) -> list[str]:
    """updateNodeResource: the amounts that a node shows after it, old ones if none is written."""
    out = []
    for step in script.calls("NodeResourceReconciler.updateNodeResource"):
        args = {name: resolved(script, value) for name, value in script.args(step).items()}
        node = args["node"]
        fields = script.case["state"]["inputs"]["fields"]
        strategy = _of_node(fields.get("config") or {}, node)
        rows = [c["actual"] for c in script.checks
                if c["what"] in ("gotCPU.Value()", "gotMem.Value()")]
        if len(rows) != 2 or "resourceDiffThreshold" not in strategy:
            raise Unanswerable("a node that is not there, or whose amounts are not looked at")
        ours = prepared(script, step, probe, BATCH)
        new = node | {"status": node["status"] | {"allocatable": {
            name: str(amount) for name, amount in ours.items()}}}
        due = probe.koordinator_colocation(
            "due", age=_age(script, step, node["metadata"]["name"]),
            limit=strategy["updateTimeThresholdSeconds"] * 10**9)
        if not due and not is_changed(probe, node, new, BATCH, strategy["resourceDiffThreshold"]):
            left = resolved(script, script.case["expect"].get("want") or {})
            if not (left.get("status") or {}).get("allocatable"):
                raise Unanswerable("a node that is not there, or whose amounts are not looked at")
            old = thousandths(node["status"]["allocatable"], whole=True)
            ours = {name: old[name] // 1000 for name in BATCH if name in old}
        if [ours.get(name, 0) for name in BATCH] != rows:
            out.append(f"shows {ours}, recorded {rows}")
    return out
