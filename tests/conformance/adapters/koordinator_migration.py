# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of the arbitrator: limits of migrations, and orders of jobs."""

from typing import Any

from adapters.koordinator_objects import Json, name_of, nanoseconds, resolved
from adapters.koordinator_rebalance import EVICT, evictable, rank
from probe import Probe, Unanswerable

PASSED = "descheduler.koordinator.sh/passed-arbitration"
ARBITRATING = "descheduler.koordinator.sh/pod-arbitrating"
MADE_UP = "orders or filters that a test made up: which is not recorded"


# --- objects


def _portion(value: Any) -> Any:
    """A number, or a percentage as text."""
    if value is None:
        return None
    if isinstance(value, str):
        if not value.endswith("%"):
            raise Unanswerable("a limit that cannot be read: the caller reads it before it asks")
        return [int(value[:-1]), True]
    return [value, False]


def owner_of(pod: Json) -> Json:
    for one in (pod.get("metadata") or {}).get("ownerReferences") or []:
        if one.get("controller"):
            return one
    return {}


def _task(pod: Json) -> Json:
    meta = pod.get("metadata") or {}
    owner = owner_of(pod)
    return {
        "id": meta.get("uid", ""),
        "namespace": meta.get("namespace", ""),
        "name": meta.get("name", ""),
        "node": (pod.get("spec") or {}).get("nodeName", ""),
        "owner": owner.get("uid", ""),
        "batch_job": owner.get("kind") == "Job",
        "evict_mark": EVICT in (meta.get("annotations") or {}),
    } | rank(pod)


def _job(job: Json, passed: set[str]) -> Json:
    meta, ref = job["metadata"], (job.get("spec") or {}).get("podRef")
    created = meta.get("creationTimestamp")
    return {
        "created": (nanoseconds(created) or 0) // 10**9,
        "phase": (job.get("status") or {}).get("phase") or "Pending",
        "passed": meta.get("uid", "") in passed,
        "marked": (meta.get("annotations") or {}).get(PASSED) == "true",
        "target": None if ref is None else [ref.get("uid", ""), ref.get("namespace", ""),
                                            ref.get("name", "")],
    }


def _is_available(pod: Json) -> bool:
    status = pod.get("status") or {}
    ready = any(one["type"] == "Ready" and one["status"] == "True"
                for one in status.get("conditions") or [])
    ended = status.get("phase") in ("Succeeded", "Failed")
    return ready and not ended and pod["metadata"].get("deletionTimestamp") is None


class World:
    """The objects that a test has put into its cluster before a step, and the settings of it."""

    def __init__(self, script: Any, until: int) -> None:
        self.rows: dict[str, dict[str, Json]] = {"Pod": {}, "PodMigrationJob": {}}
        self.settings: Json = {}
        self.passed: set[str] = set()
        self.members: list[Json] = []
        for step in script.steps:
            if step["n"] >= until:
                break
            self._take(script, step)

    def take_all(self, script: Any) -> None:
        """Takes the last states of all objects, where a record lacks the writes."""
        for one in script.case.get("objects") or []:
            if one["object"].get("kind") in self.rows:
                self.rows[one["object"]["kind"]][name_of(one["object"])] = one["object"]

    def _take(self, script: Any, step: Json) -> None:
        call, name = step.get("call"), step.get("set", "")
        if call in ("Writer.Create", "SubResourceWriter.Update", "Writer.Update"):
            made = resolved(script, script.args(step).get("obj")) or {}
            if made.get("kind") in self.rows:
                self.rows[made["kind"]][name_of(made)] = made
        elif call == "filter.markJobPassedArbitration":
            self.passed.add(script.args(step)["uid"])
        elif name.startswith("a.args."):
            self.settings[name[len("a.args."):]] = script.value(step["value"])
        elif name == "a":
            made = script.value(step["value"]) or {}
            self.settings |= made.get("args") or {}
            gates = made.get("skipEvictionGates") or {}
            self.settings["skips"] = list(gates)
        elif name == "a.skipEvictionGates":
            self.settings["skips"] = list(script.value(step["value"]) or {})
        elif name == "totalPods":
            self.members = [resolved(script, one) for one in script.value(step["value"]) or []]

    def question(self, replicas: int | None, owner: str) -> Json:
        workloads = {} if replicas is None else {owner: {
            "replicas": replicas,
            "unavailable": [name_of(pod) for pod in self.members if not _is_available(pod)]}}
        return {"tasks": [_task(pod) for pod in self.rows["Pod"].values()],
                "jobs": [_job(job, self.passed) for job in self.rows["PodMigrationJob"].values()],
                "workloads": workloads}

    def limits(self) -> Json:
        get, skips = self.settings.get, self.settings.get("skips") or []
        return {
            "total": get("MaxMigratingGlobally"), "per_node": get("MaxMigratingPerNode"),
            "per_namespace": get("MaxMigratingPerNamespace"),
            "migrating": _portion(get("MaxMigratingPerWorkload")),
            "unavailable": _portion(get("MaxUnavailablePerWorkload")),
            "skips_migrating": "MaxMigratingPerWorkload" in skips,
            "skips_unavailable": "MaxUnavailablePerWorkload" in skips,
            "checks_replicas": not get("SkipCheckExpectedReplicas"),
        }


# --- limits

FILTERS = {
    "filter.filterExistingPodMigrationJob": ("exists", ""),
    "filter.filterMaxMigratingGlobally": ("total", "MaxMigratingGlobally"),
    "filter.filterMaxMigratingPerNode": ("node", "MaxMigratingPerNode"),
    "filter.filterMaxMigratingPerNamespace": ("namespace", "MaxMigratingPerNamespace"),
    "filter.filterMaxMigratingOrUnavailablePerWorkload": ("workload", "-"),
    "filter.filterExpectedReplicas": ("replicas", "ExpectedReplicas"),
}


def limits(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls(*FILTERS):
        rule, gate = FILTERS[step["call"]]
        world = World(script, step["n"])
        if gate in (world.settings.get("skips") or []):
            raise Unanswerable("a limit that a gate switches off: the caller does not ask for it")
        pod = resolved(script, script.args(step)["pod"])
        task = _task(pod)
        notes = pod["metadata"].get("annotations") or {}
        inputs = script.case["state"].get("inputs") or {}
        if rule in ("workload", "replicas") and task["owner"] and "totalReplicas" not in inputs:
            raise Unanswerable("the record does not hold an object that a call was given")
        ours = probe.koordinator_rebalance(
            "migration_fits", rule=rule, task=task, limits=world.limits(),
            world=world.question(inputs.get("totalReplicas"), task["owner"]),
            arbitrating=notes.get(ARBITRATING) == "true")
        if ours != script.results[step["n"]]:
            out.append(f"{step['call']}: {ours}, recorded {script.results[step['n']]}")
    return out


def most_away_of(probe: Probe, replicas: int, limit: Any) -> int:
    return probe.koordinator_rebalance("most_away", replicas=replicas, limit=_portion(limit))


def most_away(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("GetMaxUnavailable", "GetMaxMigrating"):
        args = script.args(step)
        ours = most_away_of(probe, args["replicas"], args["intOrPercent"])
        known, right = script.variable("got", step["n"])
        if not known:
            raise Unanswerable("the record does not hold what the call returned")
        if ours != right:
            out.append(f"{args}: {ours}, recorded {right}")
    return out


def highest_cost(script: Any, probe: Probe) -> list[str]:
    """FilterPodWithMaxEvictionCost: the largest cost keeps a task, whatever else permits it."""
    out = []
    for step in script.calls("FilterPodWithMaxEvictionCost"):
        pod = resolved(script, script.args(step)["pod"])
        ours = evictable(probe, pod, {"bare": True})
        if ours != script.results[step["n"]]:
            out.append(f"{ours}, recorded {script.results[step['n']]}")
    return out


# --- orders


def _last(script: Any, *names: str) -> list[Json]:
    """The list that a test built up in a variable."""
    for step in reversed(script.steps):
        if step.get("set") in names and step["value"]:
            return [resolved(script, one) for one in script.value(step["value"])]
    raise Unanswerable("the record does not hold what the call returned")


def _owned(script: Any, pod: Json) -> Json:
    """A task; where the pods of a record have no owner, by the test's table of batch jobs."""
    task, inputs = _task(pod), script.case["state"].get("inputs") or {}
    number = (inputs.get("jobOfPodMigrationJob") or {}).get(task["name"].rpartition("-")[2])
    if task["owner"] or number is None:
        return task
    return task | {"owner": f"job {number}", "batch_job": True}


def _jobs_order(script: Any, probe: Probe, jobs: list[Json], by: list[str]) -> list[str]:
    # By name: the list has the states in which the test sorted, the cluster later ones.
    world = World(script, 0)
    world.take_all(script)
    known = {name_of(job): job for job in jobs}
    others = [job for name, job in world.rows["PodMigrationJob"].items() if name not in known]
    question = {"tasks": [_owned(script, pod) for pod in world.rows["Pod"].values()],
                "jobs": [_job(world.rows["PodMigrationJob"].get(name_of(job), job), set())
                         for job in [*jobs, *others]], "workloads": {}}
    order = probe.koordinator_rebalance("migration_order", world=question, by=by,
                                        order=list(range(len(jobs))))
    return [jobs[i]["metadata"]["name"] for i in order]


def _sorts(by: str, variable: str) -> Any:
    def rule(script: Any, probe: Probe) -> list[str]:
        found = [c["actual"] for c in script.checks if c["what"] in ("jobsOrder", "actual")]
        if not found:
            raise Unanswerable("the record does not hold what the call returned")
        jobs = _last(script, variable)
        ours = _jobs_order(script, probe, jobs, [by])
        right = script.value(found[-1])
        return [] if ours == right else [f"order {ours}, recorded {right}"]

    return rule


by_controller = _sorts("controller", "podMigrationJobs")
by_migrations = _sorts("migrations", "podMigrationJobs")


def by_creation(script: Any, probe: Probe) -> list[str]:
    """The test shows the sorted list; it sorts what it set before."""
    lists = [step["value"] for step in script.steps if step.get("set") == "fakeJobs"]
    if len(lists) != 2:
        raise Unanswerable("the record does not hold what the call returned")
    before, after = ([resolved(script, one) for one in rows] for rows in lists)
    ours = _jobs_order(script, probe, before, ["creation"])
    right = [job["metadata"]["name"] for job in after]
    return [] if ours == right else [f"order {ours}, recorded {right}"]


def migrations_of(script: Any, probe: Probe) -> list[str]:
    out = []
    for step in script.calls("getMigratingJobNum"):
        owner = script.args(step)["ownerUID"]
        world = World(script, 0)
        world.take_all(script)
        ours = probe.koordinator_rebalance("migrations_of", owner=owner,
                                           world=world.question(None, ""))
        if ours != script.results[step["n"]]:
            out.append(f"{ours} migrations, recorded {script.results[step['n']]}")
    return out


# --- rounds


def arbitrate(script: Any, probe: Probe) -> list[str]:
    """Rounds with filters by the number of a job: what passes, waits and is refused."""
    inputs = script.case["state"].get("inputs") or {}
    if "nonRetryableMap" not in inputs and "retryableMap" not in inputs:
        raise Unanswerable(MADE_UP)
    [step] = script.calls("arbitratorImpl.doOnceArbitrate")
    world = World(script, step["n"])
    jobs = list(world.rows["PodMigrationJob"].values())
    question = world.question(None, "")

    def tasks(key: str) -> list[str]:
        marked = {number for number, is_set in (inputs.get(key) or {}).items() if is_set}
        return [name_of(job["spec"]["podRef"]) for job in jobs
                if job["metadata"]["name"].rpartition("-")[2] in marked]

    ours: dict[str, set[str]] = {"passed": set(), "waits": set(), "refused": set()}
    for job, word in probe.koordinator_rebalance(
            "arbitrate", world=question, waiting=list(range(len(jobs))),
            refused=tasks("nonRetryableMap"), held=tasks("retryableMap")):
        ours[word].add(jobs[job]["metadata"]["name"].rpartition("-")[2])
    names = {"passed": "expectPassedJob", "waits": "expectWaitCollection",
             "refused": "expectFailedJob"}
    expected = script.case["expect"]
    out = []
    for word, key in names.items():
        right = {number for number, is_set in (expected.get(key) or {}).items() if is_set}
        if ours[word] != right:
            out.append(f"{word}: {sorted(ours[word])}, recorded {sorted(right)}")
    return out
