# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Cases of tests that opened a session and called its extension points one by one."""

import copy
from collections import Counter
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


def _tasks(call: Json) -> list[Json]:
    """The tasks that a call writes out in full."""
    lists = [argument for argument in call["args"] if isinstance(argument, list)]
    return [task for tasks in lists for task in tasks if isinstance(task, dict) and "Pod" in task]


def times_of_scheduling(call: Json) -> list[str]:
    conditions = [c for t in _tasks(call) for c in t["Pod"].get("status", {}).get("conditions", [])]
    return [c["lastTransitionTime"] for c in conditions if c.get("type") == "PodScheduled"]


def told_apart(case: Json) -> Json:
    """The case with names of their own for pods of one name that differ: NAME, NAME~1, NAME~2."""
    case = copy.deepcopy(case)
    variants: dict[str, list[Json]] = {}
    for call in case["observed"]["calls"]:
        for task in _tasks(call):
            known = variants.setdefault(_name(task), [])
            if task["Pod"] not in known:
                known.append(copy.deepcopy(task["Pod"]))
            if number := known.index(task["Pod"]):
                task["Name"] += f"~{number}"
                task["Pod"]["metadata"]["name"] = task["Name"]
    return case


def with_objects_of_calls(case: Json) -> Json:
    """The case with the pods that its calls write out in full, and the groups and nodes that these
    name."""
    pods = [
        task["Pod"] | {"apiVersion": "v1", "kind": "Pod"}
        for call in case["observed"]["calls"]
        for task in _tasks(call)
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


def _domain_scores(call: Json) -> list[Any]:
    sub_job, domains = call["args"]
    space, job, *rest = sub_job.split("/")
    named = ["" if name.startswith("<") else name for name in domains]
    return ["domain_scores", f"{space}/{job}", rest[0] if rest else None, named]


def _near_scores(call: Json) -> list[Any]:
    task, nodes = call["args"]
    return ["near_scores", task, nodes, call.get("anchor")]


QUESTIONS: dict[str, Callable[[Json], list[Any]]] = {
    "BatchNodeOrderFn": _near_scores,
    "HyperNodeOrderMapFn": _domain_scores,
    "JobEnqueueable": _plain("admit"),
    "JobEnqueued": _plain("admitted"),
    # Without a beneficiary, if for a task of no job.
    "BuildVictimsPriorityQueue": lambda call: [
        "order_victims",
        *(a for a in call["args"] if a != "/"),
    ],
    "JobOrderCompareFn": _plain("compare_jobs"),
    "NodeOrderFn": _plain("score"),
    "PredicateFn": _plain("fits"),
    "Preemptable": _victims("preemptable"),
    "Reclaimable": _victims("reclaimable"),
    "VictimTasks": lambda call: ["victims", [_name(t) for t in call["args"][0]]],
}


def skip(case: Json) -> str | None:
    """Why the calls cannot be asked, read from what they are; None when they can."""
    calls = case["observed"].get("calls", [])
    if not calls:
        return "no action runs: the test works on the session itself"
    plugins = [p["name"] for t in case["config"].get("tiers", []) for p in t["plugins"]]
    for call in calls:
        if call["fn"] == "BatchNodeOrderFn" and plugins != ["network-topology-aware"]:
            return "extension point BatchNodeOrderFn is none of ours"
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
        # Policies prepare for questions about admission only where a job waits for it. This one
        # requests nothing.
        waiting = {"name": "(waiting)", "queue": scenario["queues"][0]["name"]}
        scenario = scenario | {"jobs": scenario["jobs"] + [waiting]}
    # The tests of scores by nearness take where a job is from its annotation.
    where = {
        f"{o['metadata']['namespace']}/{o['metadata']['name']}": o["metadata"].get(
            "annotations", {})
        for o in case["objects"]
        if o["kind"] == "PodGroup"
    }
    job_of = {task["name"]: task.get("job", "") for task in scenario["tasks"]}
    for call in calls:
        if call["fn"] == "BatchNodeOrderFn":
            marks = where.get(job_of.get(call["args"][0], ""), {})
            call["anchor"] = marks.get("volcano.sh/job-allocated-hypernode") or None
    answers = probe.session(scenario, [QUESTIONS[call["fn"]](call) for call in calls])
    refused = [c["args"] for c in calls if c["fn"] == "PredicateFn" and c["results"][0] is not None]
    jobs = {task["name"]: task.get("job", "") for task in scenario["tasks"]}
    lines: list[str] = []
    for call, answer in zip(calls, answers):
        want = (call.get("results") or [None])[0]
        if call["fn"] in ("Preemptable", "Reclaimable"):
            answer, want = sorted(name.partition("~")[0] for name in answer), sorted(want or [])
        elif call["fn"] == "VictimTasks":
            # How many of each job: which of its tasks, a map decides.
            answer, want = (dict(Counter(jobs[name] for name in names)) for names in (answer, want))
        elif call["fn"] == "HyperNodeOrderMapFn":
            want = {"" if n.startswith("<") else n: s
                    for n, s in want["network-topology-aware"].items()}
        elif call["fn"] == "BatchNodeOrderFn":
            # The peer gives no scores where ours are 0.
            want = want or dict.fromkeys(answer, 0.0)
        elif call["fn"] == "PredicateFn":
            want = want is None
        elif call["fn"] == "NodeOrderFn" and answer is None:
            if call["args"] in refused:
                continue  # no score is computed where both refuse
            raise Unanswerable("the score of a node that refuses the task: there is none here")
        place = f"{call['fn']}({', '.join(str(a)[:60] for a in call['args'])}) "
        lines += differences(answer, want, place)
    return lines
