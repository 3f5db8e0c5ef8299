# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What Volcano's numa-aware reads: CPUs and zones of nodes in Numatopology objects, and how pods want to be aligned."""

import re
from fractions import Fraction
from typing import Any

from . import quantity
from .access import Object, get, items, section
from .report import ImportFailure, Report

Json = dict[str, Any]

_WISH = "volcano.sh/numa-topology-policy"
_ALIGNMENTS = ("none", "best-effort", "restricted", "single-numa-node")
_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def alignment(pod: Object, report: Report) -> str:
    wish = pod.annotations.get(_WISH, "")
    if wish and wish not in _ALIGNMENTS:
        report.add(pod.place, f"metadata.annotations[{_WISH!r}]", f"{wish!r} is no policy; none counts")
        return ""
    return wish


def is_guaranteed(pod: Object) -> bool:
    """Whether all containers have limits of cpu and memory, which are what they request."""
    if said := get(pod.status, "qosClass", str, pod.at("status"), ""):
        return said == "Guaranteed"
    sums: dict[str, dict[str, Fraction]] = {"requests": {}, "limits": {}}
    for key in ("containers", "initContainers"):
        for place, container in items(pod.spec, key, pod.at("spec")):
            resources = section(container, "resources", place)
            limits = section(resources, "limits", place)
            # What is not requested is requested as far as it is limited.
            for side, amounts in (
                ("requests", limits | section(resources, "requests", place)),
                ("limits", limits),
            ):
                for name in ("cpu", "memory"):
                    amount = quantity.parse(amounts.get(name, 0), f"{place}.resources.{side}[{name!r}]")
                    if side == "limits" and amount == 0:
                        return False
                    sums[side][name] = sums[side].get(name, Fraction(0)) + amount
    return bool(sums["limits"]) and sums["requests"] == sums["limits"]


def put(found: dict[str, Object], nodes: list[Json], report: Report) -> None:
    """Gives nodes in scenario form their zones, CPUs and alignment. CPUs that are not allocatable are not healthy."""
    by_name = {n["name"]: n for n in nodes}
    for obj in found.values():
        node, spec = by_name.get(obj.name), obj.at("spec")
        if node is None:
            report.add(obj.place, "", "no node of that name is there")
            continue
        policies = section(obj.spec, "policies", spec)
        aligned = get(policies, "TopologyManagerPolicy", str, f"{spec}.policies", "")
        if aligned in _ALIGNMENTS:
            node["alignment"] = aligned
        # Who gives no whole CPUs is as if it had said nothing.
        if policies.get("CPUManagerPolicy") == "static":
            _put_cpus(obj, node, report)


def _put_cpus(obj: Object, node: Json, report: Report) -> None:
    spec = obj.at("spec")
    of_cpu = section(section(obj.spec, "numares", spec), "cpu", f"{spec}.numares")
    allocatable = get(of_cpu, "allocatable", str, f"{spec}.numares.cpu", "")
    free = _numbers(allocatable)
    if free is None:
        report.add(obj.place, "spec.numares.cpu.allocatable", f"{allocatable!r} is no list of CPUs; none is free")
        free = set()
    details = section(obj.spec, "cpuDetail", spec)
    zones, devices = set(), []
    for key in sorted(details, key=lambda k: (len(k), k)):
        place = f"{spec}.cpuDetail[{key!r}]"
        detail = section(details, key, f"{spec}.cpuDetail")
        if not key.isdecimal():
            raise ImportFailure(f"{place}: expected the number of a CPU")
        zone, core, socket = (get(detail, k, int, place, 0) for k in ("numa", "core", "socket"))
        zones.add(zone)
        device: Json = {"name": str(int(key)), "kind": "cpu", "zone": f"node-{zone}"}
        device["links"] = [f"core-{core}", f"socket-{socket}"]
        if int(key) not in free:
            device["healthy"] = False
        devices.append(device)
    node["zones"] = [{"name": f"node-{zone}"} for zone in sorted(zones)]
    node["devices"] = devices
    reserved = section(obj.spec, "resReserved", spec).get("cpu", 0)
    total = node["capacity"].get("cpu", 0)
    left = node.get("allocatable", node["capacity"]).get("cpu", 0)
    parsed = [quantity.parse(q, f"{spec}.resReserved") for q in (reserved, total, left)]
    if devices and parsed[0] != parsed[1] - parsed[2]:
        report.add(
            obj.place,
            "spec.resReserved",
            f"cpu is {reserved}, but of {total} the node has {left} allocatable; the difference counts",
        )


def _numbers(text: str) -> set[int] | None:
    numbers: set[int] = set()
    for part in text.split(",") if text else []:
        if (match := _RANGE.fullmatch(part)) is None:
            return None
        first = int(match[1])
        numbers |= set(range(first, int(match[2] or first) + 1))
    return numbers
