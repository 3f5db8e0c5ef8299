# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What adapters of Koordinator's recorded scripts of reservations share: the operations that a
suite of a test becomes, and what the record says of an answer."""

from typing import Any, Callable

from adapters import koordinator_reservation_objects as objects
from adapters.koordinator_reservation_objects import found
from probe import Probe

Json = dict[str, Any]
Check = Callable[[Any], list[str]]

ALWAYS = ["cpu", "memory", "ephemeral-storage"]
FIELDS = {"MilliCPU": ("cpu", 1), "Memory": ("memory", 1000),
          "EphemeralStorage": ("ephemeral-storage", 1000)}
SUITE = "FrameworkExtender.SetConfiguredPlugins"


def resource(value: Json | None) -> dict[str, int]:
    """The scheduler's own form of a list of resources, without zeros."""
    value = value or {}
    out = {name: value[field] * scale for field, (name, scale) in FIELDS.items()
           if value.get(field)}
    return out | {name: amount * 1000 for name, amount in (value.get("ScalarResources")
                                                           or {}).items() if amount}


def nonzero(amounts: Json) -> Json:
    return {name: amount for name, amount in amounts.items() if amount}


class World:
    """What one suite of a test makes: operations, and how to judge their answers."""

    def __init__(self, script: Any, number: int) -> None:
        self.script = script
        self.options: Json = {"always": ALWAYS}
        self.number = number
        self.ops: list[Json] = []
        self.checks: list[tuple[Json, str, Check]] = []
        self.reservations: dict[str, Json] = {}  # by name, that the API has
        self.pods: dict[str, Json] = {}  # by namespace and name
        self.views = False
        self.prepared = False  # a cycle gave back what its nodes hold twice
        self.snapshot: list[Json] = []
        self.lazy = False
        self.required = False
        self.ops_have_own = False  # the state has the reservation that looks for a node

    def add(self, op: str, **arguments: Any) -> None:
        self.ops.append({"op": op} | arguments)

    def ask(self, where: str, check: Check, op: str, **arguments: Any) -> None:
        self.add(op, **arguments)
        self.checks.append((self.ops[-1], where, check))

    def object(self, value: Any) -> Any:
        return found(self.script, value)

    def need_views(self) -> None:
        if self.views:
            return
        self.views = True
        nodes = {one["metadata"]["name"]: one for one in (
            o["object"] for o in self.script.case.get("objects") or [])
            if one.get("kind") == "Node"}
        for name, node in nodes.items():
            pods = [pod for pod in self.snapshot
                    if (pod.get("spec") or {}).get("nodeName") == name]
            self.add("view", view=objects.view(node, pods))

    def need_view(self, name: str, info: Json | None = None) -> None:
        """The node as the snapshot has it; where a test made none, as the call was given it."""
        self.need_views()
        known = {op["view"]["name"] for op in self.ops if op["op"] == "view"}
        if name in known and (self.prepared or self.snapshot or not info):
            return
        info = info or {}
        node = self.object(info["node"]) if info.get("node") else {"metadata": {"name": name}}
        pods = [self.object(pod) for pod in info.get("pods") or []]
        self.add("view", view=objects.view(node, pods))

    def run(self, probe: Probe) -> list[str]:
        if not self.checks:
            return []
        answers = probe.reservation_cycles(self.options, self.ops)
        by_op = {id(op): answer for op, answer in zip(self.ops, answers, strict=True)}
        return [f"{where}: {line}" for op, where, check in self.checks
                for line in check(by_op[id(op)])]


def equals(right: Any, what: str = "") -> Check:
    return lambda ours: [] if ours == right else [f"{what} {ours}, recorded {right}"]


def after(script: Any, step: Json, names: tuple[str, ...]) -> tuple[bool, Any]:
    """What a call of several results returned under one of these names: set or checked before the
    next call."""
    later = [s["n"] for s in script.steps if "call" in s and s["n"] > step["n"]]
    end = min(later, default=10**9)
    for one in script.steps:
        if step["n"] < one["n"] < end and one.get("set") in names:
            return True, script.value(one["value"])
    for check in script.checks:
        if step["n"] < check["n"] < end and check["what"] in names:
            return True, script.value(check["actual"])
    return False, None


def code_of(script: Any, step: Json, names: tuple[str, ...] = ("status", "got")) -> str | None:
    """The code of the status that a call returned; nothing where that is not recorded."""
    if step["n"] in script.results:
        return (script.value(script.results[step["n"]]) or {"code": "Success"})["code"]
    known, status = after(script, step, names)
    if known:
        return (status or {"code": "Success"})["code"]
    known, good = after(script, step, tuple(f"{name}.IsSuccess()" for name in names))
    if known and good:
        return "Success"
    return None


def reasons_of(script: Any, step: Json) -> list[str]:
    if step["n"] in script.results:
        status = script.value(script.results[step["n"]])
    else:
        _, status = after(script, step, ("status", "got"))
    return (status or {}).get("reasons") or []


Handler = Callable[[World, Json], None]
