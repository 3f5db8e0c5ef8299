# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YuniKorn's limits of users and groups. Calls into the manager are played in order on one table;
what a call answers is compared. Trackers of single users, groups and queues are tables with one
user: a group's levels count as a user's do."""

from typing import Any

from probe import Probe, Unanswerable

from adapters.yunikorn_rules import in_yaml

Json = dict[str, Any]
Amounts = dict[str, int]

_ONE = "one"  # the user of a tracker


class _Script:
    """The ops of a case, and what the peer answered to each; ... where nothing is compared."""

    def __init__(self) -> None:
        self.ops: list[Json] = []
        self.wanted: list[Any] = []

    def add(self, op: Json, wanted: Any = ...) -> None:
        self.ops.append(op)
        self.wanted.append(wanted)

    def differences(self, probe: Probe) -> list[str]:
        if all(wanted is ... for wanted in self.wanted):
            return []
        answers = probe.yunikorn("limits", ops=self.ops)
        return [
            f"{op['op']} {op['user']} {op['path']} {op['app']}: {got} instead of {wanted}"
            for op, got, wanted in zip(self.ops, answers, self.wanted, strict=True)
            if wanted is not ... and got != wanted
        ]

    @property
    def answers(self) -> bool:
        return any(wanted is not ... for wanted in self.wanted)


def _key(user: Any, path: str, app: str) -> Json:
    if isinstance(user, dict):
        return {"user": user["User"], "groups": user["Groups"] or [], "path": path, "app": app}
    return {"user": user, "groups": [], "path": path, "app": app}


# --- the manager


def _managed(step: Json, script: _Script) -> None:
    args, result = step["args"], step.get("result", [...])
    match step["op"].partition(".")[2]:
        case "UpdateConfig":
            script.add({"op": "config", "queue": in_yaml(args[0])})
        case "IncreaseTrackedResource":
            path, app, usage, user = args
            if path and app and usage is not None and user["User"]:
                script.add(_key(user, path, app) | {"op": "increase", "usage": usage})
        case "DecreaseTrackedResource":
            path, app, usage, user, last = args
            if path and app and usage is not None and user["User"]:
                script.add(_key(user, path, app) | {"op": "decrease", "usage": usage, "last": last})
        case "Headroom":
            path, app, user = args
            script.add(_key(user, path, app) | {"op": "headroom"}, result[0])
        case "CanRunApp":
            path, app, user = args
            script.add(_key(user, path, app) | {"op": "canRun"}, result[0])
        case "ensureGroup":
            user, path = args
            script.add(_key(user, path, "") | {"op": "group"}, result[0])


# --- trackers


def _text(amounts: Amounts) -> dict[str, str]:
    return {
        name: f"{amount}m" if name == "vcore" else str(amount) for name, amount in amounts.items()
    }


def _config(limits: dict[str, tuple[Amounts | None, int]]) -> Json:
    """A tree of queues with one user's limits."""
    root: Json = {"name": "root", "queues": []}
    for path, (most, applications) in limits.items():
        queue = root
        for name in path.split(".")[1:]:
            below = next((q for q in queue["queues"] if q["name"] == name), None)
            if below is None:
                below = {"name": name, "queues": []}
                queue["queues"].append(below)
            queue = below
        if most or applications:
            limit = {"users": [_ONE], "maxresources": _text(most or {})}
            queue["limits"] = [limit | {"maxapplications": applications}]
    return {"op": "config", "queue": root}


def _tracked(step: Json, script: _Script, limits: dict[str, tuple[Amounts | None, int]]) -> None:
    """A call into the tracker of one user or group."""
    args, result = step.get("args", []), step.get("result", [...])
    path = ".".join(args[0]) if args and isinstance(args[0], list) else args[0] if args else ""
    match step["op"].partition(".")[2]:
        case "setLimits":
            limits[path] = (args[1], args[2])
            script.add(_config(limits))
        case "clearLimits":
            limits.pop(path, None)
            script.add(_config(limits))
        case "increaseTrackedResource":
            script.add(_key(_ONE, path, args[1]) | {"op": "increase", "usage": args[2]})
        case "decreaseTrackedResource":
            op = {"op": "decrease", "usage": args[2], "last": args[3]}
            script.add(_key(_ONE, path, args[1]) | op, result[0])
        case "headroom":
            script.add(_key(_ONE, path, "") | {"op": "headroom"}, result[0])
        case "canRunApp":
            script.add(_key(_ONE, path, args[1]) | {"op": "canRun"}, result[0])


def _own(levels: list[Json], level: Json) -> tuple[Amounts, set[str]]:
    """What a level uses, and runs, beyond the levels below it."""
    usage = dict(level["usage"] or {})
    running = set(level.get("runningApplications", []))
    for below in levels:
        if below["path"].rpartition(".")[0] == level["path"]:
            for name, amount in (below["usage"] or {}).items():
                usage[name] = usage.get(name, 0) - amount
            running -= set(below.get("runningApplications", []))
    return usage, running


def _tree(step: Json) -> bool:
    """Whether each level lies below one of the record; a test may name trackers as it likes."""
    paths = {level["path"] for level in step["on"]["queueTracker"]}
    return all("." not in path or path.rpartition(".")[0] in paths for path in paths)


def _queue_tracked(step: Json) -> _Script:
    """A call into the levels of a tracker, which the record has."""
    script = _Script()
    levels = step["on"]["queueTracker"]
    limits = {
        level["path"]: (level.get("maxResources"), level.get("maxApplications", 0))
        for level in levels
    }
    script.add(_config(limits))
    for level in levels:
        usage, running = _own(levels, level)
        everyone = running or set(level.get("runningApplications", [])) or {"unnamed"}
        for app in sorted(everyone if any(usage.values()) or running else ()):
            script.add(_key(_ONE, level["path"], app) | {"op": "increase", "usage": usage})
            usage = {}
    args, result = step["args"], step["result"]
    path = ".".join(args[0])
    if step["op"] == "QueueTracker.headroom":
        script.add(_key(_ONE, path, "") | {"op": "headroom"}, result[0])
    elif step["op"] == "QueueTracker.canRunApp":
        script.add(_key(_ONE, path, args[1]) | {"op": "canRun"}, result[0])
    return script


def check(case: Json, probe: Probe) -> list[str]:
    managed, scripts = _Script(), []
    trackers: dict[str, tuple[_Script, dict[str, tuple[Amounts | None, int]]]] = {}
    for step in case.get("steps", []):
        kind = step["op"].partition(".")[0]
        if kind == "Manager":
            _managed(step, managed)
        elif kind in ("UserTracker", "GroupTracker") and "on" in step:
            script, limits = trackers.setdefault(str(step["on"]), (_Script(), {}))
            _tracked(step, script, limits)
        elif step["op"] in ("QueueTracker.headroom", "QueueTracker.canRunApp") and _tree(step):
            scripts.append(_queue_tracked(step))
    scripts += [managed, *(script for script, _ in trackers.values())]
    if not any(script.answers for script in scripts):
        raise Unanswerable("no call that answers anything: what trackers count is in no record")
    return [line for script in scripts for line in script.differences(probe)]
