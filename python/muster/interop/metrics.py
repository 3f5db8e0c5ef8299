# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How busy nodes are, from values of the custom metrics API, as Volcano asks for them.

    kubectl get --raw /apis/custom.metrics.k8s.io/v1beta2/nodes/*/node_cpu_usage_avg
"""

from typing import Any

from . import quantity
from .access import get, seconds, section
from .report import ImportFailure, Report

Json = dict[str, Any]

_METRICS = {"node_cpu_usage_avg": "cpu", "node_memory_usage_avg": "memory"}


def measure(values: list[Json], nodes: list[Json], report: Report) -> None:
    """Gives nodes in scenario form their usage. A value is a part of one; of two times that of memory counts."""
    by_name = {n["name"]: n for n in nodes}
    of_metric: dict[str, list[tuple[str, str, Json]]] = {metric: [] for metric in _METRICS}
    for value in values:
        about = section(value, "describedObject", "MetricValue")
        name = get(about, "name", str, "MetricValue: describedObject", "")
        place = f"MetricValue of {about.get('kind')} {name}"
        named = get(section(value, "metric", place), "name", str, f"{place}: metric", "")
        metric = named or get(value, "metricName", str, place, "")
        if metric not in _METRICS:
            report.add(place, "metric", f"{metric!r} is not considered")
        elif about.get("kind") != "Node" or name not in by_name:
            report.add(place, "describedObject", "is no node that is there")
        else:
            of_metric[metric].append((name, place, value))
    for metric, found in of_metric.items():
        for name, place, value in found:
            part = quantity.parse(value.get("value"), f"{place}: value")
            if part < 0:
                raise ImportFailure(f"{place}: value: {value['value']!r} is less than 0")
            usage = by_name[name].setdefault("usage", {})
            usage[_METRICS[metric]] = quantity.text("percent", part * 100)
            usage["measured"] = seconds(value, "timestamp", place)
