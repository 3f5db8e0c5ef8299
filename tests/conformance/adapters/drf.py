# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The papers' examples of DRF and hierarchical DRF."""

from fractions import Fraction
from typing import Any

from probe import Probe, Unanswerable

Case = dict[str, Any]


def check(level: str, case: Case, probe: Probe) -> list[str]:
    """How our answers differ from the papers'."""
    if "users" in case["state"]:
        return flat(case, probe)
    return tree(case, probe)


def near(left: list[float], right: list[str]) -> bool:
    return all(abs(a - Fraction(b)) <= 1e-12 * max(1, Fraction(b))
               for a, b in zip(left, right, strict=True))


def flat(case: Case, probe: Probe) -> list[str]:
    state, config, expect = case["state"], case["config"], case["expect"]
    users = state["users"]
    if config["form"] == "divisible":
        asked = [
            {"task": u["demand"], "weight": u.get("weight", 1)}
            | ({} if u.get("cap") is None else {"cap": u["cap"]})
            for u in users
        ]
        tasks = probe.drf({"capacity": state["capacity"], "divide": asked}, [])
        if "rule" in config:  # another rule; its answer must differ
            return ["the answer of another rule"] if near(tasks, expect["tasks"]) else []
        out = [] if near(tasks, expect["tasks"]) else [f"{tasks}, recorded {expect['tasks']}"]
        shares = [
            max(t * d / c for d, c in zip(u["demand"], state["capacity"], strict=True))
            for t, u in zip(tasks, users, strict=True)
        ]
        if not near(shares, expect.get("dominantShares", map(str, shares))):
            out.append(f"shares {shares}, recorded {expect['dominantShares']}")
        return out
    children = [leaf(u | {"weight": u["weight"]}) for u in users]
    if "B first" in config["tie"]:
        children.sort(key=lambda child: child["name"] != "B")
    question = {"form": "H", "capacity": state["capacity"], "children": children}
    question["stops"] = config["on_no_fit"] == "stop"
    order, end = probe.drf(question, [{"op": "fill"}, {"op": "state"}])
    out = []
    tasks = [end["tasks"][u["name"]] for u in users]
    if tasks != expect["tasks"]:
        out.append(f"{tasks}, recorded {expect['tasks']}")
    for right in (expect, case.get("observed") or {}):
        if order != right.get("order", order):
            out.append(f"{order}, recorded {right['order']}")
        if end["used"] != right.get("used", end["used"]):
            out.append(f"used {end['used']}, recorded {right['used']}")
    return out


def leaf(node: Case) -> Case:
    out = {"name": node["name"], "weight": float(Fraction(node["weight"])), "task": node["demand"]}
    return out if node.get("cap") is None else out | {"cap": node["cap"]}


def grown(node: Case) -> Case:
    if "children" not in node:
        return leaf(node)
    weight = float(Fraction(node["weight"]))
    return {"name": node["name"], "weight": weight,
            "children": [grown(c) for c in node["children"]]}


def tree(case: Case, probe: Probe) -> list[str]:
    state, expect, observed = case["state"], case["expect"], case.get("observed") or {}
    question = {
        "form": case["config"]["algorithm"],
        "capacity": state["capacity"],
        "children": [grown(child) for child in state["tree"]["children"]],
    }
    if "allocated" in state:
        ops = [{"op": "start", "leaf": n} for n, count in state["allocated"].items()
               for _ in range(count)]
        shares = probe.drf(question, [*ops, {"op": "state"}])[-1]["shares"]
        right = (observed.get("shares") or {}) | expect["shares"]
        return [
            f"share of {name} is {shares[name]}, recorded {share}"
            for name, share in right.items()
            if not near([shares[name]], [share])
        ]
    script = state.get("script")
    if script is None:
        order, end = probe.drf(question, [{"op": "fill"}, {"op": "state"}])
        steps = []
    elif script.startswith("start from the end state of E1a; up to 8 times while n22 has tasks"):
        turn = [{"op": "end", "leaf": "n22"}, {"op": "next"}, {"op": "state"}]
        count = len(observed["steps"])
        answers = probe.drf(question, [{"op": "fill"}] + turn * count + [{"op": "state"}])
        order, end = None, answers[-1]
        steps = [
            {"given": answers[i][0], "tasks": [answers[i + 1]["tasks"][n]
                                               for n in state["leafOrder"]]}
            for i in range(2, 3 * count, 3)
        ]
    else:
        raise Unanswerable(f"a script that is not read: {script}")
    out = []
    tasks = [end["tasks"][name] for name in state["leafOrder"]]
    if tasks != expect["tasks"]:
        out.append(f"{tasks}, recorded {expect['tasks']}")
    if order is not None and order != observed.get("order", order):
        out.append(f"{order}, recorded {observed['order']}")
    if script is not None and steps != observed["steps"]:
        out.append(f"{steps}, recorded {observed['steps']}")
    return out
