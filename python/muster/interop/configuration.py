# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Scheduler configurations of Volcano and kube-batch as Muster profile specs.

    actions: "enqueue, allocate"          volcano:actions=admit+allocate,
    tiers:                           ->     tiers=priority+gang(without=preemptable)
    - plugins: [priority, ...]

A switch that is not set is on in a file that a scheduler loads (enableHierarchy excepted); configurations
that tests build by hand have it off, which `unset_on` says. Both peers clean their arguments (a negative
weight is 1 again), and so does this reader, so that a spec holds what was in force.
"""

import math
import re
from fractions import Fraction
from typing import Any

from . import quantity
from .reader import read_configuration
from .report import ImportFailure, Report

Json = dict[str, Any]

PLACE = "scheduler configuration"

_WINDOW = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})", re.ASCII)

ACTIONS = {"enqueue": "admit"}  # the others keep their names

# They read a switch of allocate's, whether allocate runs or not.
GANG_ACTIONS = ("gangpreempt", "gangreclaim")

# The peers' switches -> the extension points they switch. kube-batch has the first nine.
KUBE_BATCH_FLAGS = {
    "enableJobOrder": "job_order",
    "enableJobReady": "ready",
    "enableJobPipelined": "pipelined",
    "enableTaskOrder": "task_order",
    "enablePreemptable": "preemptable",
    "enableReclaimable": "reclaimable",
    "enableQueueOrder": "queue_order",
    "enablePredicate": "fit",
    "enableNodeOrder": "score",
}
VOLCANO_FLAGS = KUBE_BATCH_FLAGS | {
    "enabledOverused": "overused",
    "enabledAllocatable": "allocatable",
    "enablePreemptive": "preemptive",
    "enableJobEnqueued": "admit",
    "enableJobStarving": "starving",
    "enabledVictim": "victims",
    "enabledSubJobOrder": "sub_group_order",
    "enabledSubJobReady": "sub_group_ready",
    "enabledSubJobPipelined": "sub_group_pipelined",
    "enabledHyperNodeOrder": "domain_score",
    "enabledHyperNodeGradient": "domain_search",
}
# Switches of points that no policy of ours has yet. What they switch is lost with the policy that has it.
_OTHER_FLAGS = {
    "enableHierarchy",
    "enabledClusterOrder",
    "enableBestNode",
    "enableTargetJob",
    "enableReservedNodes",
}

# What makes a policy kube-batch's where its rule is another than Volcano's. (kube-batch asks `valid` before any
# plugin can answer.)
_KUBE_BATCH_OPTIONS: dict[str, Json] = {
    "gang": {"best_effort_counts": "off", "count_down_victims": "off"},
    "proportion": {"kube_batch": "on"},
    "predicates": {"kube_batch": "on"},
    "nodeorder": {"kube_batch": "on", "node_affinity": 1, "pod_affinity": 1},
}
_KUBE_BATCH_OFF = {"gang": ["valid"]}

_NODEORDER = {
    "leastrequested.weight": "least_requested",
    "mostrequested.weight": "most_requested",
    "nodeaffinity.weight": "node_affinity",
    "podaffinity.weight": "pod_affinity",
    "balancedresource.weight": "balanced",
    "tainttoleration.weight": "taint_toleration",
    "imagelocality.weight": "image_locality",
    "podtopologyspread.weight": "spread",
}
_PREDICATES = {
    "predicate.NodeAffinityEnable": "node_affinity",
    "predicate.NodePortsEnable": "host_ports",
    "predicate.TaintTolerationEnable": "taints",
    "predicate.PodAffinityEnable": "pod_affinity",
    "predicate.PodTopologySpreadEnable": "spread",
}
# Switches of capacity's for quotas of claimed devices, of which no scenario speaks.
_DEVICE_QUOTAS = ("capacity.DynamicResourceAllocationEnable", "capacity.DRAConsumableCapacityEnable")
# Switches for rules about volumes and devices, which no scenario speaks of, and for caches.
_WITHOUT_EFFECT = {
    "predicate.NodeVolumeLimitsEnable",
    "predicate.VolumeZoneEnable",
    "predicate.VolumeBindingEnable",
    "predicate.CacheEnable",
}


def parse_configuration(text: str) -> Json:
    """A configuration file, decoded: actions (list), tiers, configurations."""
    decoded = read_configuration(text, PLACE)
    if decoded is None:
        return {}
    if not isinstance(decoded, dict):
        raise ImportFailure(f"{PLACE}: expected `actions` and `tiers`")
    actions = decoded.get("actions")
    if isinstance(actions, str):
        decoded["actions"] = [a.strip() for a in actions.split(",") if a.strip()]
    return decoded


def profile_spec(conf: Json, base: str, unset_on: bool, report: Report) -> str:
    """NAME:actions=...,tiers=... with everything the configuration says that the profile can take."""
    actions = _list(conf, "actions")
    arguments = {
        c.get("name"): _mapping(c, "arguments")
        for c in _list(conf, "configurations")
        if isinstance(c, dict)
    }
    cache = "predicateErrorCacheEnable"
    error_cache = _flag(arguments.get("allocate", {}).get(cache, True), cache)
    parts = []
    if actions:
        parts.append(
            "actions="
            + "+".join(
                _action(str(a), arguments.pop(a, {}), error_cache, report) for a in actions
            )
        )
    for name, rest in arguments.items():
        if rest:
            report.add(PLACE, f"configurations[{name!r}]", "the action does not run")
    tiers = []
    for i, tier in enumerate(_list(conf, "tiers")):
        plugins = _list(tier, "plugins") if isinstance(tier, dict) else []
        policies = [
            _policy(p, f"tiers[{i}].plugins[{j}]", base, unset_on, report)
            for j, p in enumerate(plugins)
        ]
        if policies:
            tiers.append("+".join(policies))
    if tiers:
        parts.append("tiers=" + "/".join(tiers))
    return base + (":" + ",".join(parts) if parts else "")


def divides_tree(conf: Json) -> bool:
    """Whether capacity runs down the tree of queues."""
    plugins = [p for tier in _list(conf, "tiers") for p in _list(tier, "plugins")]
    return any(
        p["name"] == "capacity" and _flag(p.get("enableHierarchy", False), "enableHierarchy")
        for p in plugins
    )


def _list(holder: Json, key: str) -> list[Any]:
    value = holder.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ImportFailure(f"{PLACE}: {key}: expected a list, found {value!r}")
    return value


def _mapping(holder: Json, key: str) -> Json:
    value = holder.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ImportFailure(f"{PLACE}: {key}: expected a mapping, found {value!r}")
    return value


def _options(options: Json) -> str:
    return (
        "(" + ",".join(f"{key}={value}" for key, value in options.items()) + ")" if options else ""
    )


def _action(name: str, arguments: Json, error_cache: bool, report: Report) -> str:
    options = {}
    if name in GANG_ACTIONS and not error_cache:
        options["error_cache"] = "off"
    for key, value in arguments.items():
        if name == "preempt" and key == "enableTopologyAwarePreemption":
            if _flag(value, key):
                options["topology_aware"] = "on"
        elif name in ("preempt", "allocate") and key == "predicateErrorCacheEnable":
            if not _flag(value, key):
                options["error_cache"] = "off"
        elif name in GANG_ACTIONS and key == "allowWholeBundle":
            if not _flag(value, key):
                options["whole_gangs"] = "off"
        elif key != "topologyAwarePreemptWorkerNum":
            report.add(PLACE, f"configurations[{name!r}].arguments[{key!r}]", "not considered")
    return ACTIONS.get(name, name) + _options(options)


def _flag(value: Any, key: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ImportFailure(f"{PLACE}: {key}: expected true or false, found {value!r}")


def _policy(plugin: Any, place: str, base: str, unset_on: bool, report: Report) -> str:
    if not isinstance(plugin, dict) or not isinstance(plugin.get("name"), str):
        raise ImportFailure(f"{PLACE}: {place}.name is missing")
    name = plugin["name"]
    flags = KUBE_BATCH_FLAGS if base == "kube-batch" else VOLCANO_FLAGS
    off = [
        point
        for flag, point in flags.items()
        if not _flag(plugin.get(flag, unset_on), f"{place}.{flag}")
    ]
    options = _arguments(name, _mapping(plugin, "arguments"), place, report)
    if base == "kube-batch":
        options = _KUBE_BATCH_OPTIONS.get(name, {}) | options
        off += _KUBE_BATCH_OFF.get(name, [])
    if name == "predicates" and base == "volcano" and {"preemptable", "allocatable"} <= set(off):
        options["trial_evictions"] = "off"
    if off:
        options["without"] = "|".join(off)
    if name in ("drf", "nodegroup", "capacity") and _flag(
        plugin.get("enableHierarchy", False), f"{place}.enableHierarchy"
    ):
        options["hierarchy"] = "on"
    for key in plugin.keys() - {"name", "arguments"} - set(VOLCANO_FLAGS) - _OTHER_FLAGS:
        report.add(PLACE, f"{place}.{key}", "not a switch of a plugin")
    return name + _options(options)


def _arguments(name: str, arguments: Json, place: str, report: Report) -> Json:
    options: Json = {}
    rest = dict(arguments)
    if name == "nodeorder":
        for key, option in _NODEORDER.items():
            if key in rest:
                options[option] = _integer(rest.pop(key), f"{place}.arguments[{key!r}]")
    elif name == "binpack":
        for key in ("weight", "cpu", "memory"):
            if f"binpack.{key}" in rest:
                options[key] = _weight(
                    rest.pop(f"binpack.{key}"), f"{place}.arguments['binpack.{key}']"
                )
        listed = str(rest.pop("binpack.resources", "") or "")
        for resource in [r.strip() for r in listed.split(",") if r.strip()]:
            key = f"binpack.resources.{resource}"
            options[f"resource.{resource}"] = _weight(
                rest.pop(key, 1), f"{place}.arguments[{key!r}]"
            )
    elif name == "capacity":
        if level := max(0, _integer(rest.pop("ancestorReclaimLevel", 0), f"{place}.arguments")):
            options["ancestor_reclaim_level"] = level
        for key in _DEVICE_QUOTAS:
            if key in rest and not _flag(rest[key], f"{place}.arguments[{key!r}]"):
                del rest[key]
    elif name == "overcommit" and "overcommit-factor" in rest:
        factor = _number(rest.pop("overcommit-factor"), f"{place}.arguments['overcommit-factor']")
        options["factor"] = factor if factor >= 1 else 1.2
    elif name == "sla":
        if seconds := quantity.seconds(str(rest.pop("sla-waiting-time", ""))):
            options["waiting_time"] = seconds
    elif name == "nodegroup":
        for key, option, unset in (
            ("strict", "strict", True),
            ("enablePreferredOrder", "preferred_order", False),
        ):
            if key in rest and (given := _flag(rest.pop(key), f"{place}.arguments[{key!r}]")) != unset:
                options[option] = "on" if given else "off"
    elif name == "tdm":
        options = _windows(rest, f"{place}.arguments", report)
    elif name == "usage":
        options = _usage(rest, f"{place}.arguments", report)
    elif name == "resource-strategy-fit":
        options = _strategies(rest, f"{place}.arguments")
    elif name == "task-topology" and "task-topology.weight" in rest:
        weight = rest.pop("task-topology.weight")
        options["weight"] = _integer(weight, f"{place}.arguments['task-topology.weight']")
    elif name == "numa-aware" and (weight := _integer(rest.get("weight", -1), f"{place}.arguments")) >= 0:
        options["weight"] = weight
        del rest["weight"]
    elif name == "network-topology-aware":
        options = _domains(rest, f"{place}.arguments")
    elif name == "rescheduling":
        options = _marks(rest, f"{place}.arguments")
    elif name == "predicates":
        for key, option in _PREDICATES.items():
            if key in rest and not _flag(rest.pop(key), f"{place}.arguments[{key!r}]"):
                options[option] = "off"
    for key in rest.keys() - _WITHOUT_EFFECT:
        report.add(PLACE, f"{place}.arguments[{key!r}]", f"not considered by {name}")
    return options


def _domains(rest: Json, place: str) -> Json:
    """Options of network-topology-aware. What is below 0 is as if it were not said."""
    options: Json = {}
    for key, option in (
        ("weight", "weight"),
        ("hypernode.binpack.cpu", "cpu"),
        ("hypernode.binpack.memory", "memory"),
    ):
        if key in rest:
            options[option] = _weight(rest.pop(key), f"{place}[{key!r}]")
    listed = str(rest.pop("hypernode.binpack.resources", "") or "")
    for resource in [r.strip() for r in listed.split(",") if r.strip()]:
        key = f"hypernode.binpack.resources.{resource}"
        options[f"resource.{resource}"] = _weight(rest.pop(key, 1), f"{place}[{key!r}]")
    enable = "hypernode.binpack.normal-pod.enable"
    if enable in rest and not _flag(rest.pop(enable), f"{place}[{enable!r}]"):
        options["normal_tasks"] = "off"
    fading = "hypernode.binpack.normal-pod.fading"
    if fading in rest and (given := _number(rest.pop(fading), f"{place}[{fading!r}]")) >= 0:
        options["fading"] = given
    most = "hypernode.gradient.evict.max-hypernodes"
    if most in rest and (given := _integer(rest.pop(most), f"{place}[{most!r}]")) > 0:
        options["evict_domains"] = given
    return options


def _windows(rest: Json, place: str, report: Report) -> Json:
    """Options of tdm. A window that cannot be read is one that never opens: it begins and does not end."""
    options: Json = {}
    prefix = "tdm.revocable-zone."
    for key in [k for k in rest if prefix in k]:
        zone, text = key.replace(prefix, "", 1), str(rest.pop(key))
        window = parse_window(text)
        if window is None:
            report.add(PLACE, f"{place}[{key!r}]", f"{text!r} is no window; the zone never opens")
        options[f"from.{zone}"], end = window or (0, None)
        if end is not None:
            options[f"to.{zone}"] = end
    return options


def parse_window(text: str) -> tuple[int, int] | None:
    """The minutes of the day of a window such as 9:00-17:30."""
    match = _WINDOW.fullmatch(text.strip())
    if match is None:
        return None
    from_hour, from_minute, to_hour, to_minute = (int(part) for part in match.groups())
    if max(from_hour, to_hour) > 23 or max(from_minute, to_minute) > 59:
        return None
    return 60 * from_hour + from_minute, 60 * to_hour + to_minute


def _usage(rest: Json, place: str, report: Report) -> Json:
    """Options of usage. What is no number, or out of range, leaves the default, as the peer has it."""
    options: Json = {}

    def take(given: Json, key: str, option: str, low: float, high: float, where: str) -> None:
        if key not in given:
            return
        value = given[key]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
            options[option] = value
        else:
            report.add(PLACE, f"{where}[{key!r}]", f"{value!r} does not count; the default does")

    for key, option in (("usage", "weight"), ("cpu", "cpu"), ("memory", "memory")):
        take(rest, f"{key}.weight", option, 0, 1e9, place)
        rest.pop(f"{key}.weight", None)
    thresholds, estimator = _mapping(rest, "thresholds"), _mapping(rest, "estimator")
    for key, option in (("cpu", "cpu_threshold"), ("mem", "memory_threshold")):
        take(thresholds, key, option, 0, 100, f"{place}['thresholds']")
    where = f"{place}['estimator']"
    for key, low, high in (
        ("request_ratio", 0, 1),
        ("risk_threshold", 0, 1),
        ("risk_factor", 1, 1e9),
    ):
        take(estimator, key, key, low, high, where)
    # A number is milli-cores or MiB, a text a quantity.
    for key, option, unit, scale in (
        ("be_cpu", "best_effort_cpu", 1, 1000),
        ("be_mem", "best_effort_memory", 1 << 20, 1),
    ):
        if (given := estimator.get(key)) is None:
            continue
        try:
            amount = quantity.parse(given, f"{where}[{key!r}]")
        except ImportFailure:
            amount = Fraction(-1)
        value = amount * (unit if isinstance(given, int) else scale)
        if value >= 0:
            options[option] = math.ceil(value)
        else:
            report.add(PLACE, f"{where}[{key!r}]", f"{given!r} does not count; the default does")
    for key in ("thresholds", "estimator"):
        rest.pop(key, None)
    if estimator.get("burst_ratio"):
        rest["estimator.burst_ratio"] = estimator["burst_ratio"]
    return options


def _marks(rest: Json, place: str) -> Json:
    """Options of rescheduling. Of its strategies the peer knows one."""
    options: Json = {}
    strategies = _list(rest, "strategies")
    known = [s for s in strategies if isinstance(s, dict) and s.get("name") == "lowNodeUtilization"]
    if strategies and len(known) != len(strategies):
        return options  # reported as not considered
    rest.pop("strategies", None)
    for strategy in known:
        for key, which in (("thresholds", "low"), ("targetThresholds", "high")):
            marks = _mapping(_mapping(strategy, "params"), key)
            for resource in ("cpu", "memory"):
                if resource in marks:
                    options[f"{resource}_{which}"] = _integer(
                        marks[resource], f"{place}['strategies'][{key!r}]"
                    )
    return options


def _strategies(rest: Json, place: str) -> Json:
    """Options of resource-strategy-fit; what is read is taken out of `rest`."""
    options: Json = {}
    if "resourceStrategyFitWeight" in rest:
        weight = _integer(rest.pop("resourceStrategyFitWeight"), place)
        options["weight"] = weight if weight >= 0 else 10
    resources = _mapping(rest, "resources")
    rest.pop("resources", None)
    for pattern, how in resources.items():
        if "*" in pattern and (pattern == "*" or pattern.find("*") != len(pattern) - 1):
            continue  # the peer ignores it too
        weight = _integer(how.get("weight", 1), f"{place}['resources'][{pattern!r}]")
        strategy = "most" if how.get("type") == "MostAllocated" else "least"
        options[f"{strategy}.{pattern}"] = weight if weight > 0 else 1
    sra = _mapping(rest, "sra")
    rest.pop("sra", None)
    if sra.get("enable") is True:
        options["scarce_weight"] = _weight(sra.get("weight", 0), f"{place}['sra']")
        weights = _mapping(sra, "resourceWeight")
        for name in _names(sra):
            options[f"scarce.{name}"] = _weight(weights.get(name, 1), f"{place}['sra']")
    reserves = _mapping(rest, "proportional")
    rest.pop("proportional", None)
    if reserves.get("enable") is True:
        rates = _mapping(reserves, "resourceProportion")
        for name in _names(reserves):
            for what in ("cpu", "memory"):
                rate = _number(rates.get(f"{name}.{what}", 1), f"{place}['proportional']")
                options[f"reserve_{what}.{name}"] = rate if rate >= 0 else 1
    return options


def _names(holder: Json) -> list[str]:
    return [n.strip() for n in str(holder.get("resources", "")).split(",") if n.strip()]


def _number(value: Any, place: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ImportFailure(f"{PLACE}: {place}: expected a number, found {value!r}") from None


def _integer(value: Any, place: str) -> int:
    number = _number(value, place)
    if number != int(number):
        raise ImportFailure(f"{PLACE}: {place}: expected a whole number, found {value!r}")
    return int(number)


def _weight(value: Any, place: str) -> int:
    number = _integer(value, place)
    return number if number >= 0 else 1
