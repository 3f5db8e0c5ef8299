# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Volcano's and kube-batch's objects: pod groups become jobs, pods tasks, queues queues.

Rows are inserted in ascending order of their keys, because the peers' maps have no order of their own;
integer order keys (creation second, number in the pod's name, rank of the uid) carry the peers' last
tie-breaks, so that the engine compares numbers only.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterable

from . import hypernodes, kubernetes, marks, metrics, numa, quantity, sub_groups
from .access import Object, get, items, seconds, section, texts
from .configuration import PLACE, divides_tree, parse_configuration, profile_spec
from .kubernetes import PodRules
from .report import ImportFailure, Report

Json = dict[str, Any]

_GROUP_NAME = "scheduling.k8s.io/group-name"
_API_GROUPS = ("scheduling.volcano.sh", "scheduling.incubator.k8s.io")
_INT = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Dialect:
    """In what the two peers read the same objects differently."""

    profile: str
    schedulers: tuple[str, ...]
    pod_rules: PodRules = field(default_factory=PodRules)
    volcano: bool = True  # roles, ordinals, preemptable marks, sub-groups, queue limits and states


VOLCANO = Dialect("volcano", ("volcano",))
KUBE_BATCH = Dialect(
    "kube-batch",
    ("kube-batch",),
    PodRules(modern=False, ephemeral_storage=False, separate_init=True),
    volcano=False,
)

# Stands for the node of a pod that should have one and names none.
_NOWHERE = "(nowhere)"

# Kinds that this importer reads; the others are reported.
_KNOWN = {
    "Node",
    "Pod",
    "Namespace",
    "PriorityClass",
    "PodDisruptionBudget",
    "PodGroup",
    "Queue",
    "ResourceQuota",
}
_OF_VOLCANO = {"HyperNode", "NodeShard", "Numatopology"}


def scenario(
    objects: Iterable[Json],
    *,
    dialect: Dialect = VOLCANO,
    configuration: str | Json | None = None,
    unset_flags_on: bool = True,
    default_queue: str = "default",
    now: int = 0,
    binding: Iterable[str] = (),
    hyper_nodes: Iterable[Json] = (),
) -> tuple[Json, Report]:
    """A scenario and the list of what it does not say.

    `configuration` is the text of the scheduler's configuration file, or the same decoded; without it the
    profile's own configuration applies. `binding` names pods (namespace/name) that the scheduler has bound
    but the cluster has not reported yet. `hyper_nodes` are resolved topology vertices: name, tier, parent,
    nodes (all below), and tierName where there is one; without them the HyperNode objects are resolved here.
    """
    return _Import(dialect, default_queue, set(binding)).run(
        objects, configuration, unset_flags_on, now, list(hyper_nodes)
    )


class _Import:
    def __init__(self, dialect: Dialect, default_queue: str, binding: set[str]) -> None:
        self.dialect, self.default_queue, self.binding = dialect, default_queue, binding
        self.report = Report()
        self.shapes: dict[str, str] = {}  # frozen shape -> name
        self.named_shapes: Json = {}
        self.metrics: list[Json] = []
        self.parents: dict[str, str] = {}  # of queues, as they name them
        self.lists_cpus = False  # some nodes say which CPUs they have
        self.orphans: list[str] = []  # queues whose parents would leave them out of any tree

    def run(
        self,
        objects: Iterable[Json],
        conf: str | Json | None,
        unset_on: bool,
        now: int,
        hyper: list[Json],
    ) -> tuple[Json, Report]:
        kinds = kubernetes.select(self.readable(objects))
        known = _KNOWN | (_OF_VOLCANO if self.dialect.volcano else set())
        for kind in sorted(kinds.keys() - known):
            for obj in kinds[kind].values():
                self.report.add(obj.place, "", "objects of this kind are not considered")
        queues = self.queues(kinds)
        jobs = self.jobs(kinds, {q["name"] for q in queues})
        nodes = self.nodes(kinds)
        metrics.measure(self.metrics, nodes, self.report)
        if self.dialect.volcano:
            topologies = kinds.get("Numatopology", {})
            self.lists_cpus = bool(topologies)
            numa.put(topologies, nodes, self.report)
        tasks = self.tasks(kinds, nodes, jobs)
        out: Json = {"muster": 1}
        if not hyper and self.dialect.volcano:
            hyper = hypernodes.resolve(kinds.get("HyperNode", {}), kinds.get("Node", {}), self.report)
        domains = self.domains(hyper, nodes)
        self.shards(kinds.get("NodeShard", {}), nodes)
        parts = {
            "shapes": self.named_shapes,
            "nodes": nodes,
            "domains": domains,
            "namespaces": kubernetes.namespaces(kinds, self.report),
            "queues": queues,
            "jobs": list(jobs.values()),
            "tasks": tasks,
            "budgets": kubernetes.budgets(kinds, self.report),
        }
        out |= {
            key: value
            for key, value in parts.items()
            if value or key in ("nodes", "queues", "jobs", "tasks")
        }
        if conf is None:
            out["profile"] = self.dialect.profile
        else:
            decoded = parse_configuration(conf) if isinstance(conf, str) else conf
            out["profile"] = profile_spec(decoded, self.dialect.profile, unset_on, self.report)
            if self.orphans and divides_tree(decoded):
                self.close(queues)
        if now:
            out["options"] = {"now": now}
        return out, self.report

    def readable(self, objects: Iterable[Json]) -> list[Json]:
        """The objects without those of a familiar kind but another system's group."""
        out, seen = [], set()
        for raw in objects:
            if self.dialect.volcano and raw["kind"] == "MetricValue":
                self.metrics.append(raw)
                continue
            obj = Object(raw)
            if obj.kind in ("PodGroup", "Queue") and obj.group not in _API_GROUPS:
                self.report.add(
                    obj.place,
                    "apiVersion",
                    f"{raw.get('apiVersion')!r} is not a group of {self.dialect.profile}",
                )
                continue
            if (obj.kind, obj.key) in seen:
                self.report.add(obj.place, "", "given more than once; the last one counts")
            seen.add((obj.kind, obj.key))
            out.append(raw)
        return out

    # --- nodes -------------------------------------------------------------------------------------------------

    def nodes(self, kinds: dict[str, dict[str, Object]]) -> list[Json]:
        found = list(kinds.get("Node", {}).values())
        volcano = self.dialect.volcano
        if not volcano:
            found.sort(key=lambda n: n.name.encode())  # the peer's session nodes come by name
        out = []
        for obj in found:
            for name in obj.annotations:
                if "oversubscription" in name:
                    self.report.add(obj.place, f"metadata.annotations[{name!r}]", "not considered")
            # To Volcano a node is ready as soon as it exists; conditions act through taints.
            out.append(
                kubernetes.node(
                    obj,
                    self.report,
                    self.dialect.pod_rules.ephemeral_storage,
                    conditions=not volcano,
                )
            )
        return out

    def domains(self, hyper: list[Json], nodes: list[Json]) -> list[Json]:
        names = {h["name"] for h in hyper}
        out = []
        for h in hyper:
            entry: Json = {"name": h["name"], "tier": h["tier"]}
            if h.get("parent") in names:
                entry["parent"] = h["parent"]
            if h.get("tierName"):
                entry["tier_name"] = h["tierName"]
            out.append(entry)
        for node in nodes:
            holders = [h for h in hyper if node["name"] in h.get("nodes", [])]
            if not holders:
                continue
            node["domain"] = min(holders, key=lambda h: (h["tier"], h["name"]))["name"]
            way = [node["domain"]]
            parents = {entry["name"]: entry.get("parent") for entry in out}
            while (above := parents[way[-1]]) is not None and above not in way:
                way.append(above)
            for other in holders:
                if other["name"] not in way:
                    self.report.add(
                        f"HyperNode {other['name']}",
                        "spec.members",
                        f"node {node['name']!r} is in hyper node {way[0]!r} already",
                    )
        return out

    def shards(self, found: dict[str, Object], nodes: list[Json]) -> None:
        """A node belongs to the shard that wants it, once no other one has it in use."""
        wanted: dict[str, list[str]] = {}
        in_use: dict[str, set[str]] = {}
        for shard in sorted(found.values(), key=lambda s: s.name.encode()):
            for name in texts(shard.spec, "nodesDesired", shard.at("spec")):
                wanted.setdefault(name, []).append(shard.name)
            for name in texts(shard.status, "nodesInUse", shard.at("status")):
                in_use.setdefault(name, set()).add(shard.name)
        for node in nodes:
            users = in_use.get(node["name"], set())
            free = [s for s in wanted.get(node["name"], []) if users <= {s}]
            if len(free) > 1:
                self.report.add(
                    found[free[0]].place,
                    "spec.nodesDesired",
                    f"node {node['name']!r} is wanted by other shards too; it is counted to this one",
                )
            if free:
                node["shard"] = free[0]

    # --- queues ------------------------------------------------------------------------------------------------

    def queues(self, kinds: dict[str, dict[str, Object]]) -> list[Json]:
        found = sorted(kinds.get("Queue", {}).values(), key=lambda q: q.name.encode())
        names = {q.name for q in found}
        self.parents = {q.name: q.spec.get("parent") or "root" for q in found}
        out = []
        for rank, obj in enumerate(found):
            entry: Json = {
                "name": obj.name,
                "weight": get(obj.spec, "weight", int, obj.at("spec"), 0),
            }
            if obj.created:
                entry["created"] = obj.created
            entry["uid_rank"] = rank  # to the peers a queue's uid is its name
            if self.dialect.volcano:
                self.volcano_queue(obj, entry, names)
            out.append(entry)
        return out

    def volcano_queue(self, obj: Object, entry: Json, names: set[str]) -> None:
        spec = obj.at("spec")
        if get(obj.status, "state", str, obj.at("status"), "") != "Open":
            entry["state"] = "closed"
        if priority := get(obj.spec, "priority", int, spec, 0):
            entry["priority"] = priority
        if not get(obj.spec, "reclaimable", bool, spec, True):
            entry["reclaimable"] = False
        parent = get(obj.spec, "parent", str, spec, "")
        if parent and obj.name == "root":
            self.report.add(obj.place, "spec.parent", "the root has none")
        elif parent in names and not self.above_itself(obj.name):
            entry["parent"] = parent
        elif parent:
            self.orphans.append(obj.name)
            wrong = "above itself" if parent in names else "under a queue that is not there"
            self.report.add(
                obj.place,
                "spec.parent",
                f"{parent!r} would put the queue {wrong}; it stands at the top",
            )
        elif "root" in names and obj.name != "root":
            entry["parent"] = "root"
        guarantee = section(obj.spec, "guarantee", spec)
        for key, holder, name in (
            ("guaranteed", guarantee, "resource"),
            ("deserved", obj.spec, "deserved"),
            ("limit", obj.spec, "capability"),
        ):
            if holder.get(name) is not None:
                entry[key] = self.amounts(
                    holder, name, f"{spec}.guarantee" if holder is guarantee else spec
                )
        if obj.spec.get("affinity") is not None:
            entry["node_groups"] = marks.node_groups(obj)
        self.node_group_limits(obj, entry)
        for name in ("dequeueStrategy", "extendClusters"):
            if obj.spec.get(name) and (name, obj.spec[name]) != ("dequeueStrategy", "traverse"):
                self.report.add(obj.place, f"spec.{name}", "not considered")
        if path := marks.share_path(obj.annotations):
            entry["share_path"] = path

    def above_itself(self, name: str) -> bool:
        """Whether the way up from the queue comes back to it."""
        above, seen = self.parents[name], set()
        while above != "root" and above in self.parents and above not in seen:
            if above == name:
                return True
            seen.add(above)
            above = self.parents[above]
        return False

    def close(self, queues: list[Json]) -> None:
        """As the peer has it: where the tree is broken in one place, no queue takes or is given anything."""
        for queue in queues:
            queue["state"] = "closed"
        self.report.add(
            PLACE, "capacity", f"queue {self.orphans[0]!r} is not in the tree; all queues are closed"
        )

    def node_group_limits(self, obj: Object, entry: Json) -> None:
        name = "volcano.sh/nodegroup-resource-limits"
        text = obj.annotations.get(name, "")
        if not text:
            return
        place = f"metadata.annotations[{name!r}]"
        try:
            given = json.loads(text)
            if not isinstance(given, dict):
                raise ImportFailure("not a mapping")
            limits = [
                {"group": group, "limit": self.amounts(given, group, f"{obj.place}: {place}")}
                for group in given
            ]
        except (ImportFailure, ValueError):
            # No group is of this name, and who names one it does not want goes nowhere else.
            entry["node_groups"] = {"anti_required": ["(limits that cannot be read)"]}
            self.report.add(obj.place, place, "cannot be read; the queue's tasks go nowhere")
        else:
            entry["node_group_limits"] = limits

    def amounts(self, mapping: Json, key: str, place: str) -> Json:
        given = quantity.parse_map(mapping.get(key), f"{place}.{key}")
        for name in [n for n in given if n.startswith("count/")]:
            del given[name]  # object counts are a quota matter, not a scheduling one
        return quantity.resources(kubernetes.dimensions(given, f"{place}.{key}", self.report))

    # --- jobs --------------------------------------------------------------------------------------------------

    def jobs(self, kinds: dict[str, dict[str, Object]], queues: set[str]) -> dict[str, Json]:
        values, default = kubernetes.priorities(kinds)
        found = sorted(kinds.get("PodGroup", {}).values(), key=lambda g: g.key.encode())
        self.policies: dict[str, list[Json]] = {}
        out: dict[str, Json] = {}
        for rank, obj in enumerate(found):
            spec = obj.at("spec")
            queue = get(obj.spec, "queue", str, spec, "") or self.default_queue
            if queue not in queues:
                self.report.add(
                    obj.place,
                    "spec.queue",
                    f"queue {queue!r} is not there; the job is left out, its pods only occupy nodes",
                )
                continue
            entry: Json = {"name": obj.key, "queue": queue}
            named = get(obj.spec, "priorityClassName", str, spec, "")
            if named and named not in values and not named.startswith("system-"):
                self.report.add(
                    obj.place,
                    "spec.priorityClassName",
                    f"priority class {named!r} is not there; the default counts",
                )
            if priority := values.get(named, default):
                entry["priority"] = priority
            if members := get(obj.spec, "minMember", int, spec, 0):
                entry["min_available"] = members
            phase = get(obj.status, "phase", str, obj.at("status"), "")
            if phase not in _PHASES:
                raise ImportFailure(
                    f"{obj.at('status.phase')}: {phase!r} is not a phase of a pod group"
                )
            if phase not in ("", "Pending"):
                entry["phase"] = _PHASES[phase]
            if obj.created:
                entry["created"] = obj.created
            entry["uid_rank"] = rank  # to the peers a job's uid is namespace/name
            if self.dialect.volcano:
                self.volcano_job(obj, entry)
            out[obj.key] = entry
        return out

    def volcano_job(self, obj: Object, entry: Json) -> None:
        spec = obj.at("spec")
        if obj.spec.get("minResources") is not None:
            entry["min_resources"] = self.amounts(obj.spec, "minResources", spec)
        minima = section(obj.spec, "minTaskMember", spec)
        groups = []
        for role in sorted(minima, key=str.encode):
            minimum = get(minima, role, int, f"{spec}.minTaskMember", 0)
            groups.append({"name": role, "min_available": minimum})
        if groups:
            entry["groups"] = groups
        if any("volcano.sh/preemptable" in marks for marks in (obj.annotations, obj.labels)):
            entry["preemptable"] = self.mark(obj, "volcano.sh/preemptable", unset=False)
        if wish := sub_groups.wish(section(obj.spec, "networkTopology", spec), f"{spec}.networkTopology"):
            entry["topology"] = wish
        if waits := obj.annotations.get("volcano.sh/sla-waiting-time") or obj.annotations.get(
            "sla-waiting-time"
        ):
            if waiting := quantity.seconds(waits):
                entry["waiting_time"] = waiting
        if wishes := marks.group_topology(obj.annotations):
            entry["group_topology"] = wishes
        for name, key in (
            ("volcano.sh/jdb-min-available", "min_running"),
            ("volcano.sh/jdb-max-unavailable", "max_unavailable"),
        ):
            if name in obj.annotations:
                if part := marks.part_of_tasks(obj, name, self.report):
                    entry[key] = part
                break  # the first of the two that is there counts
        policies = items(obj.spec, "subGroupPolicy", spec)
        if policies:
            self.policies[obj.key] = [policy | {"place": place} for place, policy in policies]
            entry["sub_group_policies"] = [
                {
                    "name": get(p, "name", str, w, ""),
                    "min_sub_groups": get(p, "minSubGroups", int, w, 0),
                }
                for w, p in policies
            ]

    def mark(self, obj: Object, name: str, unset: bool) -> bool:
        """A boolean annotation, or else label, as the peer reads it: what does not parse is false."""
        value = obj.annotations.get(name, obj.labels.get(name))
        if value is None:
            return unset
        if value not in marks.TRUE + marks.FALSE:
            self.report.add(
                obj.place, name, f"{value!r} is neither true nor false; it counts as false"
            )
        return value in marks.TRUE

    # --- tasks -------------------------------------------------------------------------------------------------

    def tasks(
        self, kinds: dict[str, dict[str, Object]], nodes: list[Json], jobs: dict[str, Json]
    ) -> list[Json]:
        pods = sorted(kinds.get("Pod", {}).values(), key=lambda p: p.key.encode())
        images = self.dialect.volcano and any("images" in n for n in nodes)
        ranks = _ranks([get(p.metadata, "uid", str, p.at("metadata"), p.key) for p in pods])
        known = {n["name"] for n in nodes}
        out, roles = [], {}
        for pod, rank in zip(pods, ranks):
            task = self.task(pod, jobs, images)
            if task is None:
                continue
            if "node" in task and task["node"] not in known:
                why = (
                    "a pod that runs has a node"
                    if task["node"] == _NOWHERE
                    else f"node {task['node']!r} is not there"
                )
                self.report.add(pod.place, "spec.nodeName", f"{why}; an empty node stands for it")
                known.add(task["node"])
                nodes.append({"name": task["node"], "capacity": {"pods": 0}, "ready": False})
            if rank:
                task["uid_rank"] = rank
            if "group" in task:
                roles.setdefault(task["job"], set()).add(task["group"])
            out.append(task)
        for job, names in roles.items():
            groups = {g["name"]: g for g in jobs[job].get("groups", [])}
            jobs[job]["groups"] = [
                groups.get(n, {"name": n}) for n in sorted(groups.keys() | names, key=str.encode)
            ]
        sub_groups.put(out, pods, jobs, self.policies)
        return out

    def task(self, pod: Object, jobs: dict[str, Json], images: bool) -> Json | None:
        spec, phase = pod.at("spec"), get(pod.status, "phase", str, pod.at("status"), "Pending")
        scheduler = get(pod.spec, "schedulerName", str, spec, "")
        node = get(pod.spec, "nodeName", str, spec, "")
        if scheduler and scheduler not in self.dialect.schedulers and not node:
            self.report.add(
                pod.place,
                "spec.schedulerName",
                f"waits for another scheduler ({scheduler!r}); left out",
            )
            return None
        status = self.status(pod, phase, node)
        if status == "releasing" and not node:
            self.report.add(
                pod.place,
                "metadata.deletionTimestamp",
                "the pod is ending without ever having had a node; left out",
            )
            return None
        out: Json = {"name": pod.key}
        group = pod.annotations.get(_GROUP_NAME, "")
        job = f"{pod.namespace}/{group}" if group else ""
        if job in jobs:
            out["job"] = job
        elif job:
            self.report.add(
                pod.place,
                f"metadata.annotations[{_GROUP_NAME!r}]",
                f"job {job!r} is not there; the pod only occupies its node",
            )
        elif status == "pending":
            self.report.add(
                pod.place,
                f"metadata.annotations[{_GROUP_NAME!r}]",
                "the pod belongs to no job and is not scheduled",
            )
        out["shape"] = self.shape(pod, images)
        if status != "pending":
            out["status"] = status
        if status not in ("pending", "succeeded", "failed"):
            out["node"] = node or _NOWHERE
        if nominated := get(pod.status, "nominatedNodeName", str, pod.at("status"), ""):
            out["nominated_node"] = nominated
        priority = get(pod.spec, "priority", int, spec, 1)
        if self.dialect.volcano:
            own = pod.annotations.get("volcano.sh/task-priority", "")
            priority = int(own) if _INT.fullmatch(own) else priority
            role = pod.annotations.get("volcano.sh/task-spec") or pod.labels.get(
                "volcano.sh/task-spec", ""
            )
            if role and "job" in out:
                out["group"] = role
            if not self.mark(pod, "volcano.sh/preemptable", unset=True):
                out["preemptable"] = False
            parts = pod.name.split("-")
            if len(parts) >= 3 and _INT.fullmatch(parts[-1]):
                out["ordinal"] = int(parts[-1])
            if started := seconds(pod.status, "startTime", pod.at("status")):
                out["started"] = started
            if until := marks.protected_until(pod):
                out["protected_until"] = until
            if pod.spec.get("schedulingGates"):
                out["gates"] = [
                    get(g, "name", str, w, "") for w, g in items(pod.spec, "schedulingGates", spec)
                ]
        out["priority"] = priority
        if get(pod.spec, "preemptionPolicy", str, spec, "") == "Never":
            out["never_preempts"] = True
        if name := get(pod.spec, "priorityClassName", str, spec, ""):
            out["priority_class"] = name
        if pod.created:
            out["created"] = pod.created
        return out

    def status(self, pod: Object, phase: str, node: str) -> str:
        ending = pod.metadata.get("deletionTimestamp") is not None
        if phase not in ("Pending", "Running", "Succeeded", "Failed", "Unknown"):
            raise ImportFailure(f"{pod.at('status.phase')}: {phase!r} is not a phase of a pod")
        if phase in ("Running", "Pending") and ending:
            return "releasing"
        if pod.key in self.binding:
            return "binding"
        if phase == "Pending":
            return "bound" if node else "pending"
        return phase.lower()

    def shape(self, pod: Object, images: bool) -> str:
        shape = kubernetes.task_shape(pod, self.report, self.dialect.pod_rules, images)
        if self.dialect.volcano and marks.is_revocable(pod):
            shape["revocable"] = True
        if self.dialect.volcano:
            if alignment := numa.alignment(pod, self.report):
                shape["alignment"] = alignment
            # Nobody but numa-aware asks.
            if (alignment or self.lists_cpus) and numa.is_guaranteed(pod):
                shape["guaranteed"] = True
        frozen = repr(shape)
        if frozen not in self.shapes:
            self.shapes[frozen] = name = f"s{len(self.shapes)}"
            self.named_shapes[name] = shape
        return self.shapes[frozen]


_PHASES = {
    "": "pending",
    "Pending": "pending",
    "Inqueue": "admitted",
    "Running": "running",
    "Unknown": "unknown",
    "Completed": "completed",
}


def _ranks(uids: list[str]) -> list[int]:
    """Rank of each uid among all, in the order of bytes; equal uids share one."""
    order = {uid: rank for rank, uid in enumerate(sorted(set(uids), key=str.encode))}
    return [order[uid] for uid in uids]


