# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Cases whose test opened a session and called its extension points one by one."""

from typing import Any, Callable

from amount_units import differences
from probe import Probe, Unanswerable

Json = dict[str, Any]
Asks = list[list[Any]]

# The task that a call names by nothing at all: some pending task.
NOBODY = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "nobody", "namespace": "nowhere", "uid": "nobody"},
    "spec": {"containers": [{}]},
    "status": {"phase": "Pending"},
}


def with_objects_of_calls(case: Json) -> Json:
    """The case with the pods that its calls write out in full, and the groups and nodes that these name."""
    pods = [
        task["Pod"] | {"apiVersion": "v1", "kind": "Pod"}
        for call in case["observed"]["calls"]
        for argument in call["args"]
        if isinstance(argument, list)
        for task in argument
        if isinstance(task, dict) and "Pod" in task
    ]
    unique = {f"{p['metadata'].get('namespace')}/{p['metadata'].get('name')}": p for p in pods}
    if not unique:
        return case
    groups, nodes = {}, {}
    for pod in unique.values():
        meta, node = pod["metadata"], pod["spec"].get("nodeName")
        if name := meta.get("annotations", {}).get("scheduling.k8s.io/group-name"):
            groups[meta.get("namespace"), name] = {
                "apiVersion": "scheduling.volcano.sh/v1beta1",
                "kind": "PodGroup",
                "metadata": {"name": name, "namespace": meta.get("namespace", "default")},
                "spec": {"queue": "default"},
            }
        if node:
            nodes[node] = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
    queue = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "default"},
    }
    more = [queue, *nodes.values(), *groups.values(), *unique.values(), NOBODY]
    return case | {"objects": case["objects"] + more}


def _name(task: Any) -> str:
    if isinstance(task, str):
        return task
    return f"{task['Namespace']}/{task['Name']}" if "Name" in task else "nowhere/nobody"


def _victims(question: str) -> Callable[[Json], list[Any]]:
    def ask(call: Json) -> list[Any]:
        evictor, candidates = call["args"]
        return [question, _name(evictor), [_name(t) for t in candidates]]

    return ask


def _plain(question: str) -> Callable[[Json], list[Any]]:
    return lambda call: [question, *call["args"]]


QUESTIONS: dict[str, Callable[[Json], list[Any]]] = {
    "JobEnqueueable": _plain("admit"),
    "JobEnqueued": _plain("admitted"),
    "BuildVictimsPriorityQueue": lambda call: ["order_victims", call["args"][0]],
    "JobOrderCompareFn": _plain("compare_jobs"),
    "NodeOrderFn": _plain("score"),
    "PredicateFn": _plain("fits"),
    "Preemptable": _victims("preemptable"),
    "Reclaimable": _victims("reclaimable"),
}


def skip(case: Json) -> str | None:
    """Why the calls cannot be asked, read from what they are; None when they can."""
    calls = case["observed"].get("calls", [])
    if not calls:
        return "no action runs: the test works on the session itself"
    for call in calls:
        if call["fn"] not in QUESTIONS:
            return f"extension point {call['fn']} is none of ours"
        named = [a for a in call["args"] if isinstance(a, dict) and a and "Pod" not in a]
        if named:
            return "a call about an object that the test made up"
    functions = {call["fn"] for call in calls}
    if {"NodeOrderFn", "BatchNodeOrderFn"} <= functions:
        return "two scores apart, which here are one"
    return None


def run(probe: Probe, case: Json, scenario: Json) -> list[str]:
    calls = case["observed"]["calls"]
    if any(call["fn"].startswith("JobEnqueue") for call in calls):
        # Policies prepare for questions about admission only where a job waits for it. This one asks for nothing.
        waiting = {"name": "(waiting)", "queue": scenario["queues"][0]["name"]}
        scenario = scenario | {"jobs": scenario["jobs"] + [waiting]}
    answers = probe.session(scenario, [QUESTIONS[call["fn"]](call) for call in calls])
    lines: list[str] = []
    for call, answer in zip(calls, answers):
        want = (call.get("results") or [None])[0]
        if call["fn"] in ("Preemptable", "Reclaimable"):
            answer, want = sorted(answer), sorted(want or [])
        elif call["fn"] == "PredicateFn":
            want = want is None
        elif call["fn"] == "NodeOrderFn" and answer is None:
            raise Unanswerable("the score of a node that refuses the task: there is none here")
        place = f"{call['fn']}({', '.join(str(a)[:60] for a in call['args'])}) "
        lines += differences(answer, want, place)
    return lines
