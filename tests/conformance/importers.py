# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What the importers (lib/import) make of objects, asked of muster_probe.

The runner names the probe once (`use`), so that adapters, which turn records into questions deep
down, need not hand it on.
"""

import json
from fractions import Fraction
from typing import Any, Iterable

from probe import Probe

Json = dict[str, Any]
Amounts = dict[str, Fraction]

_probes: list[Probe] = []


def use(probe: Probe) -> None:
    _probes[:] = [probe]


def _ask(question: Json) -> Any:
    return _probes[0].imported(question)


def scenario(
    objects: Iterable[Json],
    profile: str = "volcano",
    *,
    configuration: Json | None = None,
    unset_switches_on: bool = True,
    default_queue: str = "default",
    now: int = 0,
    binding: Iterable[str] = (),
) -> Json:
    """A scenario with a row for each node. ValueError: what an importer refuses."""
    question: Json = {
        "objects": json.dumps(list(objects)),
        "profile": profile,
        "unset_switches_on": unset_switches_on,
        "default_queue": default_queue,
        "now": now,
        "binding": list(binding),
    }
    if configuration is not None:
        question["configuration"] = json.dumps(configuration)
    out = json.loads(_ask(question)["scenario"])
    nodes = []
    for row in out.get("nodes", []):
        count = row.pop("count", None)
        names = [row["name"]] if count is None else [f"{row['name']}{i}" for i in range(count)]
        nodes += [row | {"name": name} for name in names]
    return out | {"nodes": nodes} | {key: out.get(key, []) for key in ("queues", "jobs", "tasks")}


def profile(configuration: Json, unset_switches_on: bool = True) -> str:
    """The profile that a configuration becomes."""
    return scenario([], configuration=configuration, unset_switches_on=unset_switches_on)["profile"]


def requests(pod: Json, modern: bool = True, known: bool = False) -> tuple[Amounts, Amounts]:
    """What the pod holds while it runs, and what it needs to start; `known`: of dimensions only."""
    pod = pod | {"kind": "Pod", "metadata": {"name": "p"} | pod.get("metadata", {})}
    answer = _ask({"rule": "requests", "pod": pod, "modern": modern, "known": known})
    return _amounts(answer["held"]), _amounts(answer["needed"])


def amounts(given: Json, modern: bool = True) -> Amounts:
    """Amounts of dimensions."""
    return _amounts(_ask({"rule": "amounts", "amounts": given, "modern": modern}))


def match_values(policy: Json, labels: dict[str, str]) -> list[str]:
    return _ask({"rule": "match_values", "policy": policy, "labels": labels})


def sub_group_name(policy: str, values: list[str]) -> str:
    return _ask({"rule": "sub_group_name", "policy": policy, "values": values})


def members(selector: Json, nodes: list[Json]) -> list[str]:
    """Names of the nodes that a selector of a hyper node's member chooses."""
    return _ask({"rule": "members", "selector": selector, "nodes": nodes})


def window(text: str) -> tuple[int, int] | None:
    """The minutes of the day of a window such as 9:00-17:30."""
    minutes = _ask({"rule": "window", "text": text})
    return None if minutes is None else (minutes[0], minutes[1])


def _amounts(parts: dict[str, list[int]]) -> Amounts:
    return {name: whole + Fraction(rest, 10**9) for name, (whole, rest) in parts.items()}
