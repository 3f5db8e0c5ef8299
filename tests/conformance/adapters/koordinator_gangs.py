# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of gangs: the book of gangs call after call, what a group shares,
and places in a topology."""

import json
import re
from typing import Any

from adapters.koordinator_objects import Json, name_of, resolved
from probe import Probe, Unanswerable

PREFIX = "gang.scheduling.koordinator.sh/"
OBJECT = "pod-group.scheduling.sigs.k8s.io"
UNITS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


# --- objects


def _number(text: Any) -> int | None:
    """A decimal number of 32 bits; None where the text is none."""
    if text is None or not re.fullmatch(r"[+-]?\d+", str(text)):
        return None
    return int(text) if -2**31 <= int(text) < 2**31 else None


def nanoseconds_of(text: str | None) -> int | None:
    """A duration as Go writes it, such as 1m30s; None where the text is none."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|us|ns|h|m|s)", text or "")
    if text is None or "".join(number + unit for number, unit in parts) != text.lstrip("+-"):
        return None
    value = round(sum(float(number) * UNITS[unit] for number, unit in parts))
    return -value if text.startswith("-") else value


def _marks(notes: Json, least: int | None, wait: int | None) -> Json:
    try:
        group = json.loads(notes.get(PREFIX + "groups") or "[]")
    except ValueError:
        group = []
    return {
        "least": least,
        "total": _number(notes.get(PREFIX + "total-number")),
        "mode": notes.get(PREFIX + "mode", ""),
        "policy": notes.get(PREFIX + "match-policy") or notes.get(OBJECT + "/match-policy", ""),
        "wait": wait,
        "group": group or [],
    }


def gang_of(pod: Json) -> str:
    """The gang of a task; empty: none."""
    meta = pod.get("metadata") or {}
    labels, notes = meta.get("labels") or {}, meta.get("annotations") or {}
    name = labels.get(OBJECT) or labels.get(OBJECT + "/name") or notes.get(PREFIX + "name")
    return f"{meta.get('namespace', '')}/{name}" if name else ""


def _task(pod: Json) -> Json:
    meta = pod.get("metadata") or {}
    labels, notes = meta.get("labels") or {}, meta.get("annotations") or {}
    least = labels.get(OBJECT + "/min-available") or notes.get(PREFIX + "min-available")
    return {
        "op": "put_task", "task": name_of(pod), "gang": gang_of(pod),
        "declared": bool(labels.get(OBJECT)),
        "bound": bool((pod.get("spec") or {}).get("nodeName")),
        "marks": _marks(notes, _number(least),
                        nanoseconds_of(notes.get(PREFIX + "waiting-time"))),
    }


def _gang(group: Json, op: str = "put_gang") -> Json:
    spec = group.get("spec") or {}
    wait = spec.get("scheduleTimeoutSeconds")
    return {"op": op, "gang": name_of(group),
            "marks": _marks((group["metadata"].get("annotations") or {}), spec.get("minMember", 0),
                            None if wait is None else wait * 10**9)}


# --- the book


class Book:
    """Calls of a record as events and questions, with what the record has for each."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.ops: list[Json] = []
        self.recorded: list[Any] = []
        self.policy, self.wait = "once-satisfied", 600 * 10**9
        self.named = ""  # the gang that the variable of a test holds

    def add(self, op: Json, recorded: Any = None) -> None:
        self.ops.append(op)
        self.recorded.append(recorded)

    def settings(self, args: Json | None) -> None:
        if args:
            self.policy = args.get("defaultMatchPolicy", self.policy)
            self.wait = nanoseconds_of(args.get("DefaultTimeout")) or self.wait

    def ask(self, probe: Probe) -> list[Any]:
        return probe.koordinator_gangs("book", policy=self.policy, wait=self.wait, ops=self.ops)


def _event(book: Book, step: Json) -> bool:
    """Takes a step that changes the book, and returns whether it was one."""
    script, call, args = book.script, step.get("call", ""), book.script.args(step)
    if call in ("GangCache.onPodAdd", "GangCache.onPodUpdate", "GangCache.onPodDelete"):
        pod = resolved(script, args.get("obj") or args.get("newObj"))
        if pod is None or "metadata" not in pod:
            raise Unanswerable("an event of something that is no task and no group")
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        if call.endswith("Delete"):
            book.add({"op": "remove_task", "task": name_of(pod), "gang": gang_of(pod)})
        elif not (call.endswith("Update") and ended):
            book.add(_task(pod))
    elif call in ("GangCache.onPodGroupAdd", "GangCache.onPodGroupUpdate"):
        group = resolved(script, args.get("obj") or args.get("newObj"))
        book.add(_gang(group, "put_gang" if call.endswith("Add") else "change_gang"))
    elif call == "GangCache.onPodGroupDelete":
        group = resolved(script, args.get("obj"))
        if group is None or "metadata" not in group:
            raise Unanswerable("an event of something that is no task and no group")
        book.add({"op": "remove_gang", "gang": name_of(group)})
    elif call == "PodGroupManager.PostBind":
        pod = resolved(script, args["pod"])
        book.add({"op": "bind", "task": name_of(pod), "gang": gang_of(pod)})
    elif call == "GangCache.getGangFromCacheByGangId":
        book.named = args["gangId"]
    else:
        return _set(book, step)
    return True


def _set(book: Book, step: Json) -> bool:
    name, value = step.get("set", ""), step.get("value")
    if name == "gang.GangGroupInfo.OnceResourceSatisfied" and value:
        book.add({"op": "satisfy", "gang": book.named})
    elif name == "gang.GangMatchPolicy":
        book.add({"op": "set_policy", "gang": book.named, "policy": value})
    elif name == "gang.Mode":
        book.add({"op": "set_mode", "gang": book.named, "mode": value})
    elif step.get("call") == "Gang.setResourceSatisfied":
        book.add({"op": "satisfy", "gang": book.named})
    elif name == "mgr.args.DefaultMatchPolicy":
        book.policy = value
    else:
        return False
    return True


ANSWERS = {"PodGroupNotSpecified": "no gang", "PodGroupNotFound": "gang missing",
           "PodGroup not specified": "no gang", "PodGroup not found": "gang missing",
           "Wait": "wait", "Success": "allow"}


def _question(book: Book, step: Json) -> None:
    script, call = book.script, step.get("call")
    pod = resolved(script, script.args(step)["pod"])
    op = {"task": name_of(pod), "gang": gang_of(pod)}
    if call == "PodGroupManager.Permit":
        known, status = script.variable("status", step["n"])
        _, timeout = script.variable("timeout", step["n"])
        right = None
        if known:
            right = {"answer": ANSWERS.get(status, status), "wait": nanoseconds_of(timeout) or 0}
        book.add(op | {"op": "permit"}, right)
    else:
        known, message = script.variable("returnMessage", step["n"])
        book.add(op | {"op": "enqueue"}, None if not known else not message)


def way(script: Any, probe: Probe) -> list[str]:
    """PreEnqueue and Permit of a manager of gangs: whether a task may go on."""
    book = Book(script)
    inputs = script.case["state"].get("inputs") or {}
    for step in script.steps:
        if step.get("call") in ("PodGroupManager.Permit", "PodGroupManager.PreEnqueue"):
            _question(book, step)
        elif not _event(book, step) and step.get("call") == "NewGangCache":
            book.settings(script.args(step).get("args"))
    if inputs.get("isNonStrictMode"):
        book.ops = [op if op["op"] != "put_gang" else op | {"marks": op["marks"] | {
            "mode": "NonStrict"}} for op in book.ops]
    out, compared = [], 0
    for op, left, right in zip(book.ops, book.ask(probe), book.recorded, strict=True):
        if right is None:
            continue
        compared += 1
        ours = left == "yes" if op["op"] == "enqueue" else left
        if ours != right:
            out.append(f"{op['op']} of {op['task']}: {left}, recorded {right}")
    if not compared:
        raise Unanswerable("the record does not hold what the call returned")
    return out


FIELDS = {"least": "MinRequiredNumber", "total": "TotalChildrenNum", "policy": "GangMatchPolicy",
          "ready": "HasGangInit"}
LISTS = {"tasks": "Children", "pending": "PendingChildren", "waiting": "WaitingForBindChildren",
         "bound": "BoundChildren"}


def _recorded_gang(gang: Json) -> Json:
    info = gang.get("GangGroupInfo") or {}
    return {
        **{ours: gang.get(theirs, "" if ours == "policy" else 0)
           for ours, theirs in FIELDS.items()},
        **{ours: sorted(gang.get(theirs) or {}) for ours, theirs in LISTS.items()},
        "strict": gang.get("Mode", "Strict") != "NonStrict",
        "group": sorted(gang.get("GangGroup") or []),
        "wait": nanoseconds_of(gang.get("WaitTime", "0s")) or 0,
        "satisfied": bool(info.get("OnceResourceSatisfied")),
    }


def _checked(script: Any, check: Json) -> Any:
    """The value of a check, which may be that of another check."""
    value = check["actual"]
    while isinstance(value, dict) and ":check" in str(value.get("same_as", "")):
        number, _, _ = value["same_as"].partition(":")
        value = next(c["expected"] for c in script.case["expect"]["checks"]
                     if c["n"] == int(number))
    return script.value(value)


def states(script: Any, probe: Probe) -> list[str]:
    """Events of tasks and gangs, compared by what the book holds in the end."""
    book = Book(script)
    for step in script.steps:
        if not _event(book, step) and step.get("call") == "NewGangCache":
            book.settings(script.args(step).get("args"))
    book.add({"op": "state"})
    found = [c for c in script.checks if c["what"] == "gangCache.gangItems"]
    if not found:
        raise Unanswerable("getters of a cache: nothing is decided")
    ours = book.ask(probe)[-1]["gangs"]
    right = {name: _recorded_gang(script.value(gang))
             for name, gang in (_checked(script, found[-1]) or {}).items()}
    out = [f"gangs {sorted(ours)}, recorded {sorted(right)}"] if ours.keys() != right.keys() else []
    for name in ours.keys() & right.keys():
        out += [f"{name}: {key} is {ours[name][key]}, recorded {value}"
                for key, value in right[name].items() if ours[name][key] != value]
    return out


def permit(script: Any, probe: Probe) -> list[str]:
    """Coscheduling.Permit, from the state of the manager that the record shows before it."""
    out = []
    codes = {"no gang": 0, "allow": 0, "gang missing": 2, "wait": 4}
    for step in script.calls("Coscheduling.Permit"):
        found = [c["actual"] for c in script.checks if c["what"] == "got.Code()"
                 and c["n"] > step["n"]]
        cache = ((step.get("receiver") or {}).get("pgMgr") or {}).get("cache")
        if not found or cache is None:
            raise Unanswerable("the record does not hold what the call returned")
        book = Book(script)
        _load(book, cache)
        pod = resolved(script, script.args(step)["pod"])
        book.add({"op": "permit", "task": name_of(pod), "gang": gang_of(pod)})
        answer = book.ask(probe)[-1]["answer"]
        if codes[answer] != found[0]:
            out.append(f"permit {answer}, recorded code {found[0]}")
    return out


def failure(script: Any, probe: Probe) -> list[str]:
    """AfterPostFilter: whether the group of a task without a place is rejected."""
    book = Book(script)
    rows = []
    for step in script.steps:
        call, args = step.get("call", ""), script.args(step)
        if call == "PodGroupInterface.Create":
            book.add(_gang(resolved(script, args["podGroup"])))
        elif call == "PodInterface.Create":
            book.add(_task(resolved(script, args["pod"])))
        elif call == "Coscheduling.PostBind":
            pod = resolved(script, args["pod"])
            book.add({"op": "bind", "task": name_of(pod), "gang": gang_of(pod)})
        elif call == "Manager.AfterPostFilter":
            known, code = script.variable("code", step["n"])
            if not known:
                raise Unanswerable("the record does not hold what the call returned")
            rejected = any("gets rejected" in reason for reason in code.get("reasons") or [])
            book.add({"op": "fail", "gang": gang_of(resolved(script, args["arg2"]))}, rejected)
            rows.append(step)
    return [f"rejects {left}, recorded {right}"
            for left, right in zip(book.ask(probe), book.recorded, strict=True)
            if right is not None and left != right]


def _load(book: Book, cache: Json) -> None:
    """The events that come to a recorded state."""
    for name, gang in (cache.get("gangItems") or {}).items():
        gang = book.script.value(gang)
        row = _recorded_gang(gang)
        if row["ready"]:
            book.add({"op": "put_gang", "gang": name, "marks": {
                "least": row["least"], "total": row["total"], "policy": row["policy"],
                "mode": "Strict" if row["strict"] else "NonStrict", "wait": row["wait"],
                "group": row["group"]}})
        none = {"least": None, "total": None, "mode": "", "policy": "", "wait": None, "group": []}
        for task in row["tasks"]:
            book.add({"op": "put_task", "task": task, "gang": name, "declared": True,
                      "bound": task in row["bound"], "marks": none})
        if row["satisfied"]:
            book.add({"op": "satisfy", "gang": name})
    for name, gang in (cache.get("gangItems") or {}).items():
        for task in _recorded_gang(book.script.value(gang))["waiting"]:
            book.add({"op": "permit", "task": task, "gang": name})


# --- groups


CALLS = {
    "RecordIfNoRepresentatives": "represent", "IsRepresentative": "is_representative",
    "DeleteIfRepresentative": "clear_if", "ClearCurrentRepresentative": "clear",
    "setResourceSatisfied": "satisfy", "AddWaitingGang": "begin_waiting",
    "RemoveWaitingGang": "end_waiting", "ClearWaitingGang": "end_all",
    "SetBindingMembers": "set_binding",
}


def _group_state(info: Json) -> Json:
    return {"representative": info.get("RepresentativePodKey", ""),
            "satisfied": bool(info.get("OnceResourceSatisfied")),
            "waiting": sorted(info.get("WaitingGangIDs") or []),
            "binding": sorted(info.get("BindingMemberPods") or [])}


def group(script: Any, probe: Probe) -> list[str]:
    """What gangs share, call after call; the state before each call is recorded."""
    made = script.calls("NewGangGroupInfo")
    if len(made) != 1:
        raise Unanswerable("getters of a cache: nothing is decided")
    ops, rows = [], []
    for step in script.steps:
        kind = CALLS.get(step.get("call", "").removeprefix("GangGroupInfo."))
        if kind is None:
            continue
        args = script.args(step)
        argument: Any = args.get("gangID") or args.get("pods")
        if args.get("pod"):
            argument = name_of(resolved(script, args["pod"]))
        ops.append([kind, argument if argument is not None else ""])
        rows.append(step)
    if not ops:
        raise Unanswerable("getters of a cache: nothing is decided")
    answers = probe.koordinator_gangs("group", gangs=script.args(made[0])["gangGroup"] or [],
                                      ops=ops)
    empty = {"representative": "", "satisfied": False, "waiting": [], "binding": []}
    out, before = [], empty
    for step, answer in zip(rows, answers, strict=True):
        if "receiver" in step:
            right = _group_state(script.value(step["receiver"]))
            if before != right:
                out.append(f"before step {step['n']}: {before}, recorded {right}")
        result = answer.pop("result")
        if step["n"] in script.results and script.results[step["n"]] is not None and (
                result != script.results[step["n"]]):
            out.append(f"step {step['n']}: {result}, recorded {script.results[step['n']]}")
        before = answer
    fields = {"gg.RepresentativePodKey": "representative",
              "gg.OnceResourceSatisfied": "satisfied", "gg.BindingMemberPods": "binding",
              "gg.WaitingGangIDs": "waiting"}
    last = {c["what"]: c["actual"] for c in script.checks if c["what"] in fields}
    for what, right in last.items():
        ours = before[fields[what]]
        if ours != (sorted(right or []) if isinstance(ours, list) else right):
            out.append(f"{what}: {ours}, recorded {right}")
    return out


def group_name(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("GetGangGroupId"):
        ours = probe.koordinator_gangs("group_name", gangs=script.args(step)["s"] or [])
        if ours != script.results[step["n"]]:
            out.append(f"group {ours}, recorded {script.results[step['n']]}")
    return out


def least(script: Any, probe: Probe) -> list[str]:
    """GetGangMinNumFromPod: the least number that a task's marks declare."""
    out = []
    for step in script.calls("GetGangMinNumFromPod"):
        pod = resolved(script, script.args(step)["pod"])
        task = _task(pod) | {"task": "ns/t", "gang": "ns/g", "declared": False, "bound": False}
        ours = probe.koordinator_gangs("book", policy="", wait=0,
                                       ops=[task, {"op": "state"}])[-1]["gangs"]["ns/g"]
        _, right = script.variable("got", step["n"])
        failed = any(c["what"] == "err" and c["actual"] for c in script.checks)
        if ours["ready"] == failed or (not failed and ours["least"] != right):
            out.append(f"least number {ours['least']}, recorded {right}")
    return out


# --- places


def _tree(node: Json, rows: list[Json], parent: int | None, layer: str) -> None:
    rows.append({"layer": node.get("Layer", layer), "name": node.get("Name", ""),
                 "node": node.get("Layer") == "NodeTopologyLayer", "parent": parent,
                 "slots": node.get("OfferSlot", 0), "existing": node.get("ExistingPodNum", 0),
                 "score": node.get("Score", 0)})
    here = len(rows) - 1
    for child in (node.get("Children") or {}).values():
        if child is not None:
            _tree(child, rows, here, layer)


def _chain(node: Json | None, rows: list[Json]) -> int | None:
    """A domain with those above it, each above once more for every domain."""
    if node is None:
        return None
    parent = _chain(node.get("Parent"), rows)
    one: list[Json] = []
    _tree({**node, "Children": {}}, one, parent, "")
    rows += one
    return len(rows) - 1


def before(script: Any, probe: Probe) -> list[str]:
    inputs = script.case["state"].get("inputs") or {
        step["set"]: step["value"] for step in script.steps if step.get("set") in ("a", "b")}
    found = [c["actual"] for c in script.checks if c["what"] == "got"]
    if "a" not in inputs or not found:
        raise Unanswerable("the record does not hold what the call returned")
    rows: list[Json] = []
    a, b = _chain(script.value(inputs["a"]), rows), _chain(script.value(inputs["b"]), rows)
    ours = probe.koordinator_gangs("places", what="before", tree=rows, a=a, b=b,
                                   fewer_first=inputs.get("lowerOfferSlot", False))
    return [] if ours == found[0] else [f"before {ours}, recorded {found[0]}"]


def rounding(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("constrainOfferSlotByPodCountMultiple"):
        args = script.args(step)
        rows: list[Json] = []
        _tree(script.value(args["root"]), rows, None, "")
        ours = probe.koordinator_gangs("places", what="round", tree=rows,
                                       multiples=args["layerPodCountMultiple"] or {})
        for check in script.checks:
            name, _, field = check["what"].partition(".")
            if field == "OfferSlot" and name in ours and ours[name] != check["actual"]:
                out.append(f"{name} offers {ours[name]}, recorded {check['actual']}")
    return out


def distribution(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("distributeOfferSlot"):
        args = script.args(step)
        rows: list[Json] = []
        _tree(script.value(args["topologyNode"]), rows, None, "")
        ours = probe.koordinator_gangs("places", what="distribute", tree=rows,
                                       slots=args["desiredOfferSlot"],
                                       multiples=args["layerPodCountMultiple"] or {})
        given = dict(ours["nodes"])
        for check in script.checks:
            one = re.fullmatch(r'distribution\["(.*)"\]', check["what"])
            if check["what"] in ("totalSlot", "actualSlot"):
                left = ours["slots"]
            elif check["what"] == "distribution":
                left = given
            elif one:
                left = given.get(one[1], 0)
            else:
                continue
            if left != check["actual"]:
                out.append(f"{check['what']} is {left}, recorded {check['actual']}")
    return out
