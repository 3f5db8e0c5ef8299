# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its elastic quota plug-in: what its handlers of nodes, quotas
and pods mean to our trees, the numbers that a script then looks at, whether a task is admitted, and
what is worth another look at it."""

from typing import Any

import adapters.koordinator as events
from adapters.koordinator_quota_scripts import NUMBERS, object_of, operation_of, task_of
from adapters.koordinator_webhook_scripts import member_of
from probe import Probe, Unanswerable

Json = dict[str, Any]

ROOT, DEFAULT = "koordinator-root-quota", "koordinator-default-quota"
HANDLERS = (
    "Plugin.On",
    "Plugin.Reserve",
    "Plugin.Unreserve",
    "Plugin.PreFilter",
    "Plugin.checkQuotaRecursive",
    *(HINTS := ("Plugin.isSchedulableAfter", "Plugin.updateQuotaSnapshot")),
)
# What finds its way to a handler through the API.
MADE = ("ElasticQuotaInterface.Create", "NodeInterface.Create", "PodInterface.Create")
LOOKS_AT_GROUPS = (
    "GroupQuotaManager.GetQuotaInfoByName",
    "GroupQuotaManager.getQuotaInfoByNameNoLock",
    "QuotaSnapshot.GetQuotaInfoByName",
)
# Of a group's numbers, those that a script requests one by one.
GETTERS = {f"QuotaInfo.Get{theirs}": field for theirs, field in NUMBERS.items()}
# Calls that only look up what other calls then work on.
NO_EVENTS = {
    "Plugin.getPodAssociateQuotaName",
    "Plugin.getPodAssociateQuotaNameAndTreeID",
    "Plugin.GetGroupQuotaManagerForTree",
    "Plugin.updateQuotaSnapshot",
}
# The plug-in's own default for tasks of no group.
DEFAULT_MAX = {"cpu": "1844674407370955161", "memory": "1844674407370955161"}


def _allocatable(node: Json) -> Json:
    return (node.get("status") or {}).get("allocatable") or {}


def _tree(quota: Json) -> str:
    return (quota["metadata"].get("labels") or {}).get(events.PREFIX + "tree-id", "")


def _forest_group(quota: Json) -> Json:
    """A group with what makes it the root of a tree of its own."""
    labels, out = quota["metadata"].get("labels") or {}, events.group(quota) | {
        "tree": _tree(quota)}
    if labels.get(events.PREFIX + "is-root") == "true" and out["tree"]:
        total = events.annotation(quota["metadata"], "total-resource")
        if total is not None:
            out["total"] = events.units(total)
        out["takes_from_default"] = labels.get(events.PREFIX + "ignore-default-tree") != "true"
    return out


class Handlers:
    """One script as operations on our trees; `looks` says after how many of them what was found."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.ops: list[Json] = []
        # Step, tree, group, field ("" for all), operations before.
        self.looks: list[tuple[Json, str, str, str, int]] = []
        # Step, number of the operation, its answer, what was recorded.
        self.said: list[tuple[Json, int, str, bool]] = []
        # step, operations before, trees or names of groups
        self.counts: list[tuple[Json, int, Any]] = []
        self.quotas: set[str] = {DEFAULT, "koordinator-system-quota"}
        self.missed: set[str] = set()  # groups that tasks named before there were any
        self.spaces: dict[str, str] = {}
        self.nodes: set[str] = set()
        self.groups: dict[str, tuple[str, str]] = {}  # variable -> tree and group that it holds
        self.runtimes: dict[str, Json] = {}  # that the script wrote itself
        self.options = {"by_max": False, "asks_parents": False}
        self.last = ("", "")  # tree and group that were looked at last
        objects = [one["object"] for one in script.case.get("objects") or []]
        quotas = [one for one in objects if one.get("kind") == "ElasticQuota"
                  and "name" in one.get("metadata", {})]
        self.trees = {one["metadata"]["name"]: _tree(one) for one in quotas}
        self.managers = self._managers()
        for step in script.steps:
            self._read(step)

    def _managers(self) -> dict[str, str]:
        """Variable -> its tree: that of the groups that it found."""
        found: dict[str, set[str]] = {}
        for step in self.script.steps:
            group = (step.get("args") or {}).get("quotaName")
            if step.get("call", "").startswith(("GroupQuotaManager.",
                                                "QuotaSnapshot.")) and group in self.trees:
                if self.script.results.get(step["n"]) is not None:
                    found.setdefault(step.get("on") or "", set()).add(self.trees[group])
        return {name: min(trees) for name, trees in found.items() if len(trees) == 1}

    def _tree_of(self, step: Json, group: str = ROOT) -> str:
        on, others = step.get("on") or "", {tree for tree in self.trees.values() if tree}
        if not others:
            return ""
        if on in self.managers:
            return self.managers[on]
        if on == "gqm" or on.endswith("groupQuotaManager"):
            return ""
        if group in self.trees:
            return self.trees[group]
        if len(others) > 1:
            raise Unanswerable("the record does not say which tree a variable holds")
        return min(others)

    def _read(self, step: Json) -> None:
        if "set" in step:
            self._set(step)
            return
        call = step["call"]
        if call == "ElasticQuotaInterface.Create" or call.startswith("Plugin.OnQuota"):
            self._quota(step)
        elif call == "Plugin.ReplaceQuotas":
            self._replace(step)
        elif call == "NodeInterface.Create" or call.startswith("Plugin.OnNode"):
            self._node(step)
        elif call.startswith(("PodInterface.Create", "Plugin.OnPod", "Plugin.Reserve",
                              "Plugin.Unreserve")):
            self._pod(step)
        elif call in ("Plugin.PreFilter", "Plugin.checkQuotaRecursive"):
            self._admit(step)
        elif call.startswith("Plugin.isSchedulableAfter"):
            self._hint(step)
        elif call in LOOKS_AT_GROUPS:
            group = step["args"]["quotaName"]
            self.last = (self._tree_of(step, group), group)
            if not self.runtimes:
                self.looks.append((step, *self.last, "", len(self.ops)))
        elif call in GETTERS:
            tree, group = self.groups.get(step.get("on") or "", self.last)
            self.looks.append((step, tree, group, GETTERS[call], len(self.ops)))
        elif call == "GroupQuotaManager.GetClusterTotalResource":
            tree = self._tree_of(step)
            self.ops.append({"op": "refresh", "group": ROOT, "tree": tree})
            self.looks.append((step, tree, ROOT, "total", len(self.ops)))
        elif call == "GroupQuotaManager.GetAllQuotaNames":
            self.counts.append((step, len(self.ops), self.script.results.get(step["n"])))
        elif call.startswith("GroupQuotaManager."):
            op = operation_of(self.script, step)
            if op is not None:
                self.ops.append(op | ({"tree": self._tree_of(step)} if op["op"] == "total" else {}))
                if op["op"] == "refresh":
                    tree = self._tree_of(step, op["group"])
                    self.ops[-1] |= {"tree": tree}
                    self.looks.append((step, tree, op["group"], "result", len(self.ops)))
        elif call.startswith(("Plugin.", "QuotaOverUsed")) and call not in NO_EVENTS:
            raise Unanswerable("a part of the quota plug-in that is no rule of ours")

    def _set(self, step: Json) -> None:
        name, value = step["set"], step.get("value")
        if isinstance(value, dict) and value.get("same_as", "").endswith(":result"):
            self.groups[name] = self.last
        if name == "snapshotCount":
            self.counts.append((step, len(self.ops), value))
        if name.endswith(".CalculateInfo.Runtime"):
            self.runtimes[self.groups[name.partition(".")[0]][1]] = events.units(value)
        elif "GetQuotaInfoByName(" in name or ".CalculateInfo." in name:
            raise Unanswerable("a script that writes the peer's numbers itself")
        elif name.endswith("pluginArgs.EnableRuntimeQuota"):
            self.options["by_max"] = not value
        elif name.endswith("pluginArgs.EnableCheckParentQuota"):
            self.options["asks_parents"] = value

    def _given(self, step: Json, *names: str) -> Json | None:
        for name in names:
            value = step["args"].get(name)
            if isinstance(value, dict) and "Obj" in value:
                value = value["Obj"]
            if isinstance(value, dict) and "ref" in value:
                return object_of(self.script, value)
        return None

    def _quota(self, step: Json) -> None:
        quota = self._given(step, "elasticQuota", "newObj", "obj")
        if quota is None or quota["kind"] != "ElasticQuota" or "deletionTimestamp" in quota[
            "metadata"]:
            return
        name = quota["metadata"]["name"]
        if name in events.BUILT_IN:
            raise Unanswerable("edits of built-in groups: their maximum is an option of the tree")
        if step["call"].endswith("Delete"):
            self.quotas.discard(name)
            self.ops.append({"op": "remove", "group": name})
        elif name not in self.quotas or step["call"].endswith("Update"):
            if name in self.missed:
                raise Unanswerable(
                    "tasks that wait for their group: the caller moves them when it comes")
            self.quotas.add(name)
            for space in events.annotation(quota["metadata"], "namespaces") or []:
                self.spaces[space] = name
            self.ops.append(_forest_group(quota))

    def _replace(self, step: Json) -> None:
        """All groups at once, of a plug-in that had none; parents before their children."""
        if self.ops:
            raise Unanswerable(
                "groups that are all replaced: new trees, which the caller fills again")
        puts = [_forest_group(object_of(self.script, one)) for one in step["args"]["objs"]]
        while puts:
            later = {put["group"] for put in puts}
            self.ops += [put for put in puts if put["parent"] not in later]
            puts = [put for put in puts if put["parent"] in later]
        self.quotas |= {put["group"] for put in self.ops}

    def _node(self, step: Json) -> None:
        node = self._given(step, "node", "newObj", "obj")
        if node is None or node["kind"] != "Node":
            return
        name = node["metadata"].get("name", "")
        gone = step["call"].endswith("Delete")
        if step["call"].endswith("Update"):
            before = self._given(step, "oldObj")
            versions = {one["metadata"].get("resourceVersion", "") for one in (before, node)}
            if len(versions) == 1:
                return
        elif not gone and name in self.nodes:
            return
        if "deletionTimestamp" in node["metadata"] and not gone:
            return
        self.nodes = self.nodes - {name} if gone else self.nodes | {name}
        # Nodes without a name are one node to the peer.
        op: Json = {"op": "node_gone"} if gone else {"op": "node",
                                                     "amounts": events.units(_allocatable(node))}
        self.ops.append({"name": f"node {name}"} | op)

    def _group(self, pod: Json) -> str:
        """The group that a task names, itself or by its namespace; what that comes to is the trees'
        own rule."""
        member = member_of(pod)
        space = member["namespace"]
        if member["group"] not in self.quotas:
            self.missed.add(member["group"])
        of_space = space if space in self.quotas else self.spaces.get(space, "")
        return member["group"] or ("" if of_space == DEFAULT else of_space)

    def _pod(self, step: Json) -> None:
        pod = self._given(step, "pod", "newObj", "obj", "p")
        if pod is None and step["call"].endswith("Delete"):
            raise Unanswerable("the record does not hold an object that a call was given")
        if pod is None or pod["kind"] != "Pod":
            return
        kind = step["call"].removeprefix("Plugin.").removeprefix("On")
        names = {
            "PodInterface.Create": "add_task",
            "PodAdd": "add_task",
            "PodDelete": "remove_task",
            "Reserve": "reserve",
            "Unreserve": "unreserve",
        }
        op = {"group": self._group(pod), "task": task_of(pod)}
        if kind == "PodUpdate":
            old = self._given(step, "oldObj")
            if pod["metadata"].get("resourceVersion",
                                   "") == old["metadata"].get("resourceVersion", ""):
                return
            op |= {"op": "update_task", "old_group": self._group(old), "old_task": task_of(old)}
        self.ops.append({"op": names.get(kind, "update_task")} | op)

    def _hint(self, step: Json) -> None:
        """Whether a change is worth another look at a task that waits."""
        known, result = self.script.variable("result", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        old, new = self._given(step, "oldObj"), self._given(step, "newObj")
        if old is None:
            raise Unanswerable("an event of something that is no task and no group")
        op: Json = {"waiting": self._group(self._given(step, "pod")),
                    "asks_parents": self.options["asks_parents"]}
        if step["call"].endswith("PodDeletion"):
            op |= {"op": "task_gone", "group": self._group(old), "task": task_of(old)}
        else:
            op |= {"op": "edited", "before": _forest_group(old), "after": _forest_group(new)}
        self.ops.append(op)
        self.said.append((step, len(self.ops) - 1, "may_fit", result == 1))

    def _admit(self, step: Json) -> None:
        known, status = self.script.variable("status", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        if any("hook plugin" in reason for reason in status.get("reasons") or []):
            raise Unanswerable("hooks that a caller hangs into the peer's plug-in")
        if step["call"] == "Plugin.PreFilter":
            pod = self._given(step, "pod")
            op = {"group": self._group(pod), "task": task_of(pod)} | self.options
        else:
            args = self.script.args(step)
            task = {"request": events.units(args["podRequest"])}
            op = {"group": args["curQuotaName"],
                  "task": task} | self.options | {"asks_parents": True}
        if self.runtimes and not self.options["by_max"]:
            # Groups with a runtime written into them are groups of that maximum, checked by it.
            parents = {put["group"]: put["parent"] for put in self.ops if put["op"] == "put"}
            group = op["group"] or DEFAULT
            if any(one["op"] != "put" for one in self.ops) or group not in self.runtimes:
                raise Unanswerable("a script that writes the peer's numbers itself")
            names = {DEFAULT: "tasks of no group"}
            self.looks = []
            self.ops = [
                {"op": "put", "group": names.get(g, g), "parent": parents.get(g, ""),
                 "max": self.runtimes[g]}
                for g in sorted(self.runtimes, key=lambda g: parents.get(g, "") in self.runtimes)
            ]
            op |= {"group": names.get(group, group), "by_max": True}
        self.ops.append({"op": "admit"} | op)
        self.said.append((step, len(self.ops) - 1, "admitted", status["code"] == "Success"))


def handled(script: Any, probe: Probe) -> list[str]:
    found = Handlers(script)
    results = {step["n"]: script.value(script.results[step["n"]]) for step, *_ in found.looks
               if step["n"] in script.results}
    if not found.said and not results and not found.counts:
        raise Unanswerable("a script that never looks at a number")
    # A gate that is not recorded: with it tasks of no group count nowhere.
    of_nobody = [results[s["n"]] for s, _, group, field, _ in found.looks if group == DEFAULT
                 and field == "used"]
    return _compare(found, results, not of_nobody or any(of_nobody), probe)


def _compare(found: Handlers, results: Json, takes_strangers: bool, probe: Probe) -> list[str]:
    options = {
        "scale_min": True,
        "guarantee_usage": False,
        "default_max": events.units(DEFAULT_MAX),
        "takes_strangers": takes_strangers,
    }
    answers = probe.quota_forest(options, found.ops)
    states: list[Json] = [{"": {name: {} for name in events.BUILT_IN}},
                          *(answer["trees"] for answer in answers)]
    out = []
    for step, number, answer, recorded in found.said:
        if answers[number].get(answer) != recorded:
            out.append(
                f"step {step['n']}: {answer} {answers[number].get(answer)}, recorded {recorded}")
    for step, done, recorded in found.counts:
        names = sorted(group for groups in states[done].values() for group in groups)
        ours = names if isinstance(recorded, list) else len(states[done])
        if ours != recorded:
            out.append(f"step {step['n']}: {ours}, recorded {recorded}")
    for step, tree, group, field, done in found.looks:
        if step["n"] not in results:
            continue
        recorded, where = results[step["n"]], f"step {step['n']} ({group} {field})"
        ours = states[done].get(tree, {}).get(group)
        if field in ("total", "result"):
            pairs = [(answers[done - 1].get("result"), recorded, field)]
        elif field:
            pairs = [((ours or {}).get(field), recorded, field)]
        else:
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
            asked.append({"op": "load",
                          "quota": events.edit(object_of(script, step["args"]["elasticQuota"]))})
    for step in script.calls("Plugin.GetQuotaName"):
        task = member_of(object_of(script, step["args"]["pod"]))
        if task["group"]:
            # Whatever a task names is its group here; whether there is such a group is asked later.
            asked.append({"op": "load", "quota": {"name": task["group"]}})
        options = {"guarantee_usage": False, "resources_may_differ": False, "tasks": []}
        answer = probe.quota_rules(options, [*asked, {"op": "task", "task": task}])[-1]
        if answer["group"] != script.results[step["n"]]:
            out.append(f"step {step['n']}: {answer['group']}, recorded {script.results[step['n']]}")
    return out
