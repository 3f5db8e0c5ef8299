# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its elastic quota plug-in: what its handlers of nodes, quotas and pods mean to one
tree, and the numbers that a script then looks at."""

from typing import Any

import adapters.koordinator as events
from adapters.koordinator_quota_scripts import NUMBERS, _object, _operation, _task
from adapters.koordinator_webhook_scripts import _task as _member
from probe import Probe, Unanswerable

Json = dict[str, Any]

ROOT, DEFAULT = "koordinator-root-quota", "koordinator-default-quota"
HANDLERS = ("Plugin.On", "Plugin.Reserve", "Plugin.Unreserve")
# Of a group's numbers, those that a script asks for one by one.
GETTERS = {f"QuotaInfo.Get{theirs}": field for theirs, field in NUMBERS.items()}
# The plug-in's own default for tasks of no group.
DEFAULT_MAX = {"cpu": "1844674407370955161", "memory": "1844674407370955161"}


def _allocatable(node: Json) -> Json:
    return (node.get("status") or {}).get("allocatable") or {}


class Handlers:
    """One script as operations on one tree; `looks` says after how many of them what was found."""

    def __init__(self, script: Any, nobody_counts: bool = True) -> None:
        self.script = script
        self.nobody = DEFAULT if nobody_counts else "nowhere"
        self.ops: list[Json] = []
        self.looks: list[tuple[Json, str, str, int]] = []  # step, group, field ("" for all), operations before
        self.quotas: set[str] = {DEFAULT, "koordinator-system-quota"}
        self.missed: set[str] = set()  # groups that tasks named before there were any
        self.spaces: dict[str, str] = {}
        self.nodes: set[str] = set()
        self.groups: dict[str, str] = {}  # variable -> group that it holds
        self.last = ""  # group that was looked at last
        for step in script.steps:
            self._read(step)

    def _read(self, step: Json) -> None:
        if "set" in step:
            self._set(step["set"], step.get("value"))
            return
        call = step["call"]
        if call == "ElasticQuotaInterface.Create" or call.startswith("Plugin.OnQuota"):
            self._quota(step)
        elif call.startswith("Plugin.OnNode"):
            self._node(step)
        elif call.startswith("Plugin.OnPod") or call in ("Plugin.Reserve", "Plugin.Unreserve"):
            self._pod(step)
        elif call in ("GroupQuotaManager.GetQuotaInfoByName", "GroupQuotaManager.getQuotaInfoByNameNoLock"):
            self.last = step["args"]["quotaName"]
            self.looks.append((step, self.last, "", len(self.ops)))
        elif call in GETTERS:
            self.looks.append((step, self.groups.get(step.get("on") or "", self.last), GETTERS[call], len(self.ops)))
        elif call == "GroupQuotaManager.GetClusterTotalResource":
            self.ops.append({"op": "refresh", "group": ROOT})
            self.looks.append((step, ROOT, "total", len(self.ops)))
        elif call.startswith("GroupQuotaManager."):
            op = _operation(self.script, step)
            if op is not None:
                self.ops.append(op)
                if op["op"] == "refresh":
                    self.looks.append((step, op["group"], "result", len(self.ops)))
        elif call.startswith("Plugin.") and call != "Plugin.getPodAssociateQuotaName":
            raise Unanswerable("a part of the quota plug-in that is no rule of ours")

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, dict) and value.get("same_as", "").endswith(":result"):
            self.groups[name] = self.last
        if "GetQuotaInfoByName(" in name or ".CalculateInfo." in name:
            raise Unanswerable("a script that writes the peer's numbers itself")

    def _given(self, step: Json, *names: str) -> Json | None:
        for name in names:
            value = step["args"].get(name)
            if isinstance(value, dict) and "Obj" in value:
                value = value["Obj"]
            if isinstance(value, dict) and "ref" in value:
                return _object(self.script, value)
        return None

    def _quota(self, step: Json) -> None:
        quota = self._given(step, "elasticQuota", "newObj", "obj")
        if quota is None or quota["kind"] != "ElasticQuota" or "deletionTimestamp" in quota["metadata"]:
            return
        name, labels = quota["metadata"]["name"], quota["metadata"].get("labels") or {}
        if labels.get(events.PREFIX + "tree-id"):
            raise Unanswerable("several trees: each is one tree here, and the caller says which node feeds which")
        if name in events.BUILT_IN:
            raise Unanswerable("edits of built-in groups: their maximum is an option of the tree")
        if step["call"].endswith("Delete"):
            self.quotas.discard(name)
            self.ops.append({"op": "remove", "group": name})
        elif name not in self.quotas or step["call"].endswith("Update"):
            if name in self.missed:
                raise Unanswerable("tasks that wait for their group: the caller moves them when it comes")
            self.quotas.add(name)
            for space in events.annotation(quota["metadata"], "namespaces") or []:
                self.spaces[space] = name
            self.ops.append(events.group(quota))

    def _node(self, step: Json) -> None:
        node = self._given(step, "newObj", "obj")
        if node is None or node["kind"] != "Node":
            return
        name, amounts = node["metadata"].get("name", ""), events.units(_allocatable(node))
        gone = step["call"].endswith("Delete")
        old = {}
        if step["call"].endswith("Update"):
            before = self._given(step, "oldObj")
            versions = {one["metadata"].get("resourceVersion", "") for one in (before, node)}
            if len(versions) == 1:
                return
            old = events.units(_allocatable(before)) if name in self.nodes else {}
        elif gone != (name in self.nodes):
            return
        if "deletionTimestamp" in node["metadata"] and not gone:
            return
        self.nodes = self.nodes - {name} if gone else self.nodes | {name}
        sign = -1 if gone else 1
        self.ops.append(
            {"op": "total", "delta": {r: sign * amounts.get(r, 0) - old.get(r, 0) for r in amounts | old}}
        )

    def _group(self, pod: Json) -> str:
        member = _member(pod)
        space = member["namespace"]
        if member["group"] not in self.quotas:
            self.missed.add(member["group"])
        named = member["group"] or (space if space in self.quotas else self.spaces.get(space, DEFAULT))
        return self.nobody if named == DEFAULT or named not in self.quotas else named

    def _pod(self, step: Json) -> None:
        pod = self._given(step, "newObj", "obj", "p")
        if pod is None and step["call"].endswith("Delete"):
            raise Unanswerable("the record does not hold an object that a call was given")
        if pod is None or pod["kind"] != "Pod":
            return
        kind = step["call"].removeprefix("Plugin.").removeprefix("On")
        names = {"PodAdd": "add_task", "PodDelete": "remove_task", "Reserve": "reserve", "Unreserve": "unreserve"}
        op = {"group": self._group(pod), "task": _task(pod)}
        if kind == "PodUpdate":
            old = self._given(step, "oldObj")
            if pod["metadata"].get("resourceVersion", "") == old["metadata"].get("resourceVersion", ""):
                return
            op |= {"op": "update_task", "old_group": self._group(old), "old_task": _task(old)}
        self.ops.append({"op": names.get(kind, "update_task")} | op)


def handled(script: Any, probe: Probe) -> list[str]:
    found = Handlers(script)
    results = {step["n"]: script.value(script.results[step["n"]]) for step, *_ in found.looks if step["n"] in script.results}
    if not results:
        raise Unanswerable("a script that never looks at a number")
    # A gate that is not recorded: with it tasks of no group count nowhere.
    of_nobody = [results[s["n"]] for s, group, field, _ in found.looks if group == DEFAULT and field == "used"]
    if of_nobody and not any(of_nobody):
        found = Handlers(script, nobody_counts=False)
    return _compare(found, results, probe)


def _compare(found: Handlers, results: Json, probe: Probe) -> list[str]:
    options = {"scale_min": False, "guarantee_usage": False, "has_builtin": True, "default_max": events.units(DEFAULT_MAX)}
    answers = probe.quota_tree(options, found.ops)
    states: list[Json] = [{}]
    for op, answer in zip(found.ops, answers, strict=True):
        states.append(states[-1] | answer.get("groups", {}))
        if op["op"] == "remove" and "refused" not in answer:
            states[-1].pop(op["group"], None)
    out = []
    for step, group, field, done in found.looks:
        if step["n"] not in results:
            continue
        recorded, where = results[step["n"]], f"step {step['n']} ({group} {field})"
        if field in ("total", "result"):
            pairs = [(answers[done - 1].get("result"), recorded, field)]
        elif field:
            pairs = [(states[done].get(group, {}).get(field), recorded, field)]
        else:
            ours = states[done].get(group)
            if group in events.BUILT_IN:
                continue
            if (ours is None) != (recorded is None):
                out.append(f"{where}: {'no' if ours is None else 'a'} group, recorded {recorded}")
            if ours is None or recorded is None:
                continue
            pairs = [(ours[f], recorded["CalculateInfo"].get(t), f) for t, f in NUMBERS.items()]
        for left, right, name in pairs:
            left, right = events.without_zeros(left), events.without_zeros(events.units(right))
            if left != right:
                out.append(f"{where}: {name} is {left}, recorded {right}")
    return out


def group_of(script: Any, probe: Probe) -> list[str]:
    """Plugin.GetQuotaName: which group a task belongs to."""
    out, asked = [], []
    for step in script.steps:
        if step.get("call") == "ElasticQuotaInterface.Create":
            asked.append({"op": "load", "quota": events.edit(_object(script, step["args"]["elasticQuota"]))})
    for step in script.calls("Plugin.GetQuotaName"):
        task = _member(_object(script, step["args"]["pod"]))
        if task["group"]:
            # Whatever a task names is its group here; whether there is such a group is asked later.
            asked.append({"op": "load", "quota": {"name": task["group"]}})
        options = {"guarantee_usage": False, "resources_may_differ": False, "tasks": []}
        answer = probe.quota_rules(options, [*asked, {"op": "task", "task": task}])[-1]
        if answer["group"] != script.results[step["n"]]:
            out.append(f"step {step['n']}: {answer['group']}, recorded {script.results[step['n']]}")
    return out
