# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Volcano's HyperNode objects: a tree above the nodes, told by what each vertex selects.

A member is a Node, chosen by its name (exactMatch), by a pattern of names (regexMatch) or by labels (labelMatch), or a
HyperNode, chosen by its name alone. A vertex that two others choose belongs to the first of them by tier and name.
"""

import re
from typing import Any

from . import kubernetes
from .access import Object, get, items, section
from .report import ImportFailure, Report

Json = dict[str, Any]


def resolve(hyper: dict[str, Object], nodes: dict[str, Object], report: Report) -> list[Json]:
    """Vertices as volcano.scenario takes them: name, tier, parent, tierName, nodes (right below)."""
    found = sorted(hyper.values(), key=lambda h: (get(h.spec, "tier", int, h.at("spec"), 1), h.name.encode()))
    out: list[Json] = []
    parents: dict[str, str] = {}
    for obj in found:
        entry: Json = {"name": obj.name, "tier": get(obj.spec, "tier", int, obj.at("spec"), 1), "nodes": []}
        if name := get(obj.spec, "tierName", str, obj.at("spec"), ""):
            entry["tierName"] = name
        for place, member in items(obj.spec, "members", obj.at("spec")):
            kind = get(member, "type", str, place, "")
            if kind == "Node":
                entry["nodes"] += members(member, place, nodes, report)
            elif kind == "HyperNode":
                if not section(section(member, "selector", place), "exactMatch", f"{place}.selector"):
                    head, _, field = place.partition(": ")
                    report.add(head, f"{field}.selector", "a hyper node is a member by its name alone")
                    continue
                for name in members(member, place, hyper, report):
                    if name == obj.name or parents.get(name, obj.name) != obj.name:
                        head, _, field = place.partition(": ")
                        report.add(head, field, f"hyper node {name!r} has a parent already")
                    else:
                        parents[name] = obj.name
            else:
                raise ImportFailure(f"{place}.type: expected Node or HyperNode, found {kind!r}")
        out.append(entry)
    tiers = {entry["name"]: entry["tier"] for entry in out}
    for entry in out:
        parent = parents.get(entry["name"])
        if parent is None:
            continue
        if tiers[parent] <= entry["tier"]:
            report.add(
                f"HyperNode {parent}",
                "spec.tier",
                f"is not above that of its member {entry['name']!r}; the member stands at the top",
            )
        else:
            entry["parent"] = parent
    return out


def members(member: Json, place: str, among: dict[str, Object], report: Report) -> list[str]:
    """Names of those that the member's selector chooses: by any of its three ways."""
    chosen = section(member, "selector", place)
    where = f"{place}.selector"
    found: list[str] = []
    if exact := section(chosen, "exactMatch", where):
        name = get(exact, "name", str, f"{where}.exactMatch", "")
        if name in among:
            found.append(name)
        else:
            head, _, field = where.partition(": ")
            report.add(head, f"{field}.exactMatch.name", f"{name!r} is not there")
    if pattern := section(chosen, "regexMatch", where):
        text = get(pattern, "pattern", str, f"{where}.regexMatch", "")
        try:
            form = re.compile(text)
        except re.error as error:
            raise ImportFailure(f"{where}.regexMatch.pattern: {text!r} is no pattern: {error}") from None
        found += [name for name in among if form.search(name)]
    # To the peer a selector that says nothing selects nothing.
    if any((chosen.get("labelMatch") or {}).get(key) for key in ("matchLabels", "matchExpressions")):
        labels = kubernetes.selector(chosen["labelMatch"], f"{where}.labelMatch")
        found += [name for name, obj in among.items() if kubernetes.selects(labels, obj.labels)]
    return list(dict.fromkeys(found))
