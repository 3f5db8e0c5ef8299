# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""YuniKorn's placement: filters, single rules and the manager of rules.

A recorded rule has its fields and not always its kind: a rule without a queue or a tag is of user,
provided or of the peer's tests. The kind of the rule that is called is in the call's name."""

from typing import Any

import yaml
from probe import Probe, Unanswerable

from adapters.yunikorn_rules import in_yaml

Json = dict[str, Any]

_KINDS = {"userRule": "user", "fixedRule": "fixed", "providedRule": "provided", "tagRule": "tag"}
_FORCED = "application.create.force"


def _filter(recorded: Json) -> Json:
    """The configuration of a filter from its fields."""
    users, groups = [
        [recorded[kind + "Exp"]["expr"]]
        if recorded.get(kind + "Exp")
        else sorted(recorded.get(kind + "List") or {})
        for kind in ("user", "group")
    ]
    return {
        "type": "allow" if recorded.get("allow") else "deny",
        "users": users,
        "groups": groups,
    }


def _rule(recorded: Json, kind: str | None) -> Json:
    if kind is None:
        kind = "fixed" if "queue" in recorded else "tag" if "tagName" in recorded else None
    if kind is None:
        raise Unanswerable("the record does not show the kind of a rule")
    rule = {
        "name": kind,
        "create": recorded.get("create", False),
        "value": recorded.get("queue", recorded.get("tagName", "")),
    }
    fields = recorded.get("filter", {})
    if not fields.get("empty"):
        rule["filter"] = _filter(fields)
    if recorded.get("parent"):
        rule["parent"] = _rule(recorded["parent"], None)
    return rule


def _app(args: list[Any]) -> Json:
    submitted, user = args[0], args[1] or {}
    tags = submitted.get("Tags") or {}
    return {
        "id": submitted.get("ApplicationID", ""),
        "queue": submitted.get("QueueName", ""),
        "tags": tags,
        "forced": tags.get(_FORCED, "").lower() == "true",
        "user": user.get("User", ""),
        "groups": user.get("Groups") or [],
    }


def _user(name: str, groups: list[str]) -> Json:
    return _app([{}, {"User": name, "Groups": groups}])


class _Case:
    """What earlier calls of the case set: queues, rules, the application."""

    def __init__(self, case: Json) -> None:
        self.queues: dict[str, bool] | None = None  # whether each is a leaf
        self.open: set[str] = set()  # queues to which all users may submit
        self.partitions: list[Json] = []
        # Rules as configured, and as managers show them.
        self.rules: list[tuple[list[Json], Json | None]] = []
        self.app: Json | None = None
        self.row = case["row"] if isinstance(case.get("row"), dict) else {}

    def take(self, step: Json) -> None:
        args = step.get("args", [])
        match step["op"]:
            case "NewConfiguredQueue":
                conf, parent = args[0], args[1]
                path = (parent["queue"] + "." if parent else "") + conf["Name"]
                self.queues = (self.queues or {}) | {
                    path.lower(): not conf.get("Parent") and not conf.get("Queues")
                }
                above = path.lower().rpartition(".")[0]
                if above in self.open or conf.get("SubmitACL") == "*":
                    self.open.add(path.lower())
            case "LoadSchedulerConfigFromByteArray":
                text = bytes.fromhex(args[0]).decode()
                self.partitions.append(yaml.safe_load(text)["partitions"][0])
            case "NewPlacementManager":
                self.rules.append((in_yaml(args[0] or []), step["result"][0]))
            case "AppPlacementManager.UpdateRules":
                self.rules = [(in_yaml(args[0] or []), None)]
            case "NewApplication":
                self.app = _app(args)
            case "Application.SetQueuePath" if self.app is not None:
                self.app["queue"] = args[0]

    def question(self, step: Json) -> tuple[Json, Any] | None:
        """What is compared, and the peer's answer."""
        kind, _, call = step["op"].partition(".")
        if kind == "Filter":
            return self._filtered(step, call)
        if step["op"] == "replaceDot":
            rule = {"name": "user", "create": True}
            app = _user(step["args"][0], [])
            return {"rule": rule, "queues": {}, "app": app}, "root." + step["result"][0]
        if call == "placeApplication" and kind in _KINDS:
            return self._placed(step, _KINDS[kind])
        if step["op"] == "AppPlacementManager.PlaceApplication":
            return self._managed(step)
        if step["op"] in ("buildRules", "AppPlacementManager.initialise"):
            return self._built(step)
        return None

    def _filtered(self, step: Json, call: str) -> tuple[Json, Any]:
        fields, arg = _filter(step["on"]), step["args"][0]
        if call == "allowUser":
            app = _user(arg.get("User", ""), arg.get("Groups") or [])
        elif call == "filterUser":
            fields, app = fields | {"type": "allow", "groups": []}, _user(arg, [])
        else:
            fields, app = fields | {"type": "allow", "users": []}, _user("", [arg])
        return {"filter": fields, "app": app}, step["result"][0]

    def _placed(self, step: Json, kind: str) -> tuple[Json, Any]:
        if self.app is None or step["args"][0] is None:
            raise Unanswerable("no application is recorded")
        if self.queues is None:
            raise Unanswerable("the queues are in no record of the case")
        rule = in_yaml(self.row["config"]) if "config" in self.row else _rule(step["on"], kind)
        path, error = step["result"]
        return {"rule": rule, "queues": self.queues, "app": self.app}, error or path

    def _managed(self, step: Json) -> tuple[Json, Any]:
        """A test may make several managers; the rules of the receiver show which it is. Of several
        trees of queues the record does not show which one the manager has."""
        rules = [conf for conf, shown in self.rules if shown is None or shown == step["on"]]
        if len(rules) != 1 or not self.partitions or self.app is None:
            raise Unanswerable("the rules of the manager are in no record of the case")
        if step["result"][0] is not None and self._is_provided(rules[0]):
            raise Unanswerable("a leaf that is open to all refuses: its state is in no record")
        wanted = step["result"][0] or self.row.get("placed", ...)
        configs = [tree | {"placementrules": rules[0]} for tree in self.partitions]
        return {"configs": configs, "place": True, "app": self.app}, wanted

    def _is_provided(self, rules: list[Json]) -> bool:
        """Whether the application names a leaf that a rule gives it and its user may use. Only a
        queue that drains refuses it then, and tests make queues drain without a recorded call."""
        path = (self.app or {}).get("queue", "").lower()
        plain = any(
            rule["name"] == "provided" and not rule.get("filter") and not rule.get("parent")
            for rule in rules
        )
        return plain and path in self.open and (self.queues or {}).get(path, False)

    def _built(self, step: Json) -> tuple[Json, Any]:
        rules = in_yaml(step["args"][0] or [])
        if any(rule["name"] == "test" for rule in rules):
            raise Unanswerable("a rule that only the peer's tests have")
        config = {"queues": [{"name": "root"}], "placementrules": rules}
        return {"configs": [config], "place": False, "app": _user("", [])}, step["result"][-1]


def _differs(got: Any, wanted: Any) -> bool:
    failed = [isinstance(answer, dict) and "error" in answer for answer in (got, wanted)]
    if wanted is ...:  # placed, and the record does not show where
        return failed[0]
    return failed[0] != failed[1] or (not failed[0] and got != wanted)


def check(case: Json, probe: Probe) -> list[str]:
    known, questions, reasons = _Case(case), [], []
    for step in case.get("setup", []):
        known.take(step)
    for step in case.get("steps", []):
        known.take(step)
        try:
            if (question := known.question(step)) is not None:
                questions.append(question)
        except Unanswerable as reason:
            reasons.append(str(reason))
    if not questions:
        raise Unanswerable(reasons[0] if reasons else "no call that decides is recorded")
    lines, compared = [], False
    for question, wanted in questions:
        answers = _answers(question, probe)
        if any(_differs(answers[0], other) for other in answers[1:]):
            reasons.append("the record does not show which queues the manager has")
            continue
        compared = True
        if _differs(answers[0], wanted):
            lines.append(f"{question}: {answers[0]} instead of {wanted}")
    if not compared:
        raise Unanswerable(reasons[-1])
    return lines


def _answers(question: Json, probe: Probe) -> list[Any]:
    """One for each tree of queues that may be the right one."""
    configs = question.get("configs", [None])
    steps = [question | {"config": config, "op": "placement"} for config in configs]
    return probe.yunikorn("placement", steps=steps)
