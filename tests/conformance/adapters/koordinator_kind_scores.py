# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of scores by kinds of resources: a strategy and a weight for each
kind, and scarce kinds of a node that a pod does not need."""

from typing import Any

from adapters.koordinator_objects import Json, resolved, thousandths
from probe import Probe, Unanswerable

# What a container that names no amount counts for: 100m, and 200 MiB.
LEAST = {"cpu": 100, "memory": 200 * 1024**2}


def _unit(name: str) -> int:
    """CPU is counted in thousandths, everything else in whole units."""
    return 1 if name == "cpu" else 1000


def _containers(rows: Any, name: str) -> list[Json]:
    out = []
    for row in rows or []:
        asked = thousandths((row.get("resources") or {}).get("requests"))
        out.append({"amount": asked[name] // _unit(name) if name in asked else None,
                    "restarts": row.get("restartPolicy") == "Always"})
    return out


def _request(probe: Probe, pod: Json, name: str) -> int:
    spec = pod.get("spec") or {}
    extra = thousandths(spec.get("overhead")).get(name, 0) // _unit(name)
    return probe.koordinator_scores(
        "request", containers=_containers(spec.get("containers"), name),
        init_containers=_containers(spec.get("initContainers"), name),
        least=LEAST.get(name, 0), overhead=extra)


def requested(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("calculatePodResourceRequest"):
        args = script.args(step)
        ours = _request(probe, resolved(script, args["pod"]), args["resource"])
        if ours != script.results[step["n"]]:
            out.append(f"{args['resource']} {ours}, recorded {script.results[step['n']]}")
    return out


def _room(script: Any, info: Json) -> tuple[Json, list[Json]]:
    held = script.value(info)["nodeInfo"]
    return (resolved(script, held["node"]),
            [resolved(script, one) for one in held.get("pods") or []])


def _settings(script: Any) -> Any:
    """What the test configures the plugin with."""
    for step in script.steps:
        if step.get("set", "").endswith("args.Resources"):
            return script.value(step["value"])
    raise Unanswerable("the record does not hold the plugin's configuration")


def _capacity(node: Json) -> dict[str, int]:
    given = thousandths((node.get("status") or {}).get("allocatable"))
    return {name: amount // _unit(name) for name, amount in given.items()}


def _asked_kinds(pod: Json) -> set[str]:
    return {name for row in (pod.get("spec") or {}).get("containers") or []
            for name, amount in thousandths((row.get("resources") or {}).get("requests")).items()
            if amount > 0}


def _scores(script: Any, score: Any) -> list[str]:
    out = []
    numbers = iter(step for step in script.steps if step.get("set", "").startswith("scoreNode"))
    for step in script.calls("Plugin.Score"):
        args = script.args(step)
        info = next(args[name] for name in ("nodeInfo", "nodeInfoArg") if name in args)
        node, pods = _room(script, info)
        ours = score(resolved(script, args["p"]), node, pods)
        right = next(numbers)["value"]
        if ours != right:
            out.append(f"score {ours}, recorded {right}")
    return out


def strategies(script: Any, probe: Probe) -> list[str]:
    rows = _settings(script)

    def score(pod: Json, node: Json, pods: list[Json]) -> int:
        capacity, kinds = _capacity(node), _asked_kinds(pod)
        shares = [{"requested": sum(_request(probe, one, name) for one in [pod, *pods]),
                   "capacity": capacity.get(name, 0), "weight": row["Weight"],
                   "prefer_full": row["Type"] == "MostAllocated"}
                  for name, row in rows.items() if name in kinds]
        return probe.koordinator_scores("strategies", shares=shares)

    return _scores(script, score)


def scarce(script: Any, probe: Probe) -> list[str]:
    rows = _settings(script)

    def score(pod: Json, node: Json, _pods: list[Json]) -> int:
        idle = set(_capacity(node)) - _asked_kinds(pod)
        return probe.koordinator_scores("scarce", idle=len(idle), scarce=len(idle & set(rows)))

    return _scores(script, score)
