# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What Koordinator's recorded scripts of its NUMA plug-in with zones build up: options and books of
nodes, the state of the cycle, loans. A script is walked step by step; the questions about a state
are in koordinator_numa_scripts."""

from typing import Any, Callable

import importers
from adapters import koordinator
from adapters.koordinator_cpu_scripts import (NODE_POLICY, RATIO, ZONE_POLICY, full_cores,
                                              labels_of, noted, wish_of)
from adapters.koordinator_reservation_scripts import object_of
from probe import Unanswerable

Json = dict[str, Any]

STRATEGY = "node.koordinator.sh/numa-allocate-strategy"
STATE = "NodeNUMAResource"
RESTORED = "NodeNUMAResource/reservationRestoreState"
PLAIN = ["cpu", "memory", "ephemeral-storage"]
SCORING: Json = {"Type": "LeastAllocated",
                 "Resources": [{"Name": "cpu", "Weight": 1}, {"Name": "memory", "Weight": 1}]}


def in_units(amounts: Json | None) -> Json:
    return koordinator.units(amounts)


def by_zone(amounts: Any) -> Json:
    """{zone: amounts} of a map by zone or of a list with zones."""
    if isinstance(amounts, list):
        return {str(one.get("Node", one.get("node", 0))): in_units(one.get("Resources")
                                                                or one.get("resources"))
                for one in amounts}
    return {zone: in_units(of_zone) for zone, of_zone in (amounts or {}).items()}


def cpu_text(cpus: Any) -> str:
    return (cpus or {}).get("cpus", "") if not isinstance(cpus, str) else cpus


def mask_of(bits: Json | None) -> int | None:
    return None if bits is None else sum(1 << bit for bit in bits["bits"])


def without_zeros(zones: Json) -> Json:
    return {zone: kept for zone, amounts in zones.items()
            if (kept := {name: amount for name, amount in amounts.items() if amount})}


class Walk:
    """The state of a script's nodes and cycle, step by step."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.options: dict[str, Json] = {}  # of nodes
        self.pending: Json = {}
        self.open: Json = self.pending  # what sets write to
        self.books: dict[str, list[Json]] = {}
        self.loose: list[Json] = []  # of an allocation that is of no node yet
        self.nodes: dict[str, Json] = {}
        self.scoring, self.numa_scoring = SCORING, SCORING
        self.state: Json | None = None
        self.claim: Json | None = None
        self.loans: dict[str, Json] = {}
        self.found: dict[str, int | None] = {}
        self.nominated = ""
        self.added: dict[str, list[Json]] = {}  # pods of nodes
        self.victims: dict[str, list[Json]] = {}
        self.topology: Json | None = None  # of books that are of no node yet

    # --- reading

    def read(self, step: Json) -> None:
        if "set" in step:
            self._set(step["set"], self.script.value(step.get("value")))
            return
        call, args = step["call"], step.get("args") or {}
        reader = READERS.get(call)
        if reader is not None:
            reader(self, {name: self.script.value(value) for name, value in args.items()})

    def _set(self, name: str, value: Any) -> None:
        part = name.rpartition(".")[2]
        if name.endswith("ScoringStrategy") and "Args" in name:
            which = "numa_scoring" if name.endswith("NUMAScoringStrategy") else "scoring"
            setattr(self, which, value or SCORING)
        elif name == "cpuTopology" and isinstance(value, dict):
            self.topology = value
        elif name == "topologyOptions" and isinstance(value, dict):
            self.pending = self.open = dict(value)
        elif name == "allocation.NUMANodeResources":
            pass  # the call that books it holds it, too
        elif name.startswith(("topologyOptions.", "options.")) and part in OPTIONS:
            self.open[part] = value

    def update_options(self, args: Json) -> None:
        options = self.options.setdefault(args["nodeName"], {})
        options |= self.pending
        self.pending, self.open = {}, options

    def create_node(self, args: Json) -> None:
        node = object_of(self.script, args["node"])
        self.nodes[node["metadata"]["name"]] = node

    def _holding(self, allocation: Json) -> Json:
        return {
            "task": allocation.get("UID", ""),
            "cpus": cpu_text(allocation.get("CPUSet")),
            "exclusive": allocation.get("CPUExclusivePolicy", ""),
            "zones": by_zone(allocation.get("NUMANodeResources")),
        }

    def hold(self, args: Json) -> None:
        book = self.books.setdefault(args["nodeName"], [])
        book.append({"op": "hold"} | self._holding(args["allocation"]))

    def release(self, args: Json) -> None:
        self.books.setdefault(args["nodeName"], []).append(
            {"op": "release", "task": args["podUID"]})

    def add_cpus(self, args: Json) -> None:
        self.topology = args["cpuTopology"]
        self.loose.append({"op": "add", "task": args["podUID"], "cpus": cpu_text(args["cpuset"]),
                           "exclusive": args["exclusivePolicy"], "zones": {}})

    def add_allocation(self, args: Json) -> None:
        self.loose.append({"op": "add"} | self._holding(args["request"]))

    def loose_release(self, args: Json) -> None:
        self.loose.append({"op": "release", "task": args["podUID"]})

    def _of_pod(self, value: Json) -> tuple[str, Json]:
        pod = object_of(self.script, value)
        status = noted(pod, "scheduling.koordinator.sh/resource-status")
        spec = noted(pod, "scheduling.koordinator.sh/resource-spec")
        return (pod.get("spec") or {}).get("nodeName", ""), {
            "task": (pod.get("metadata") or {}).get("uid", ""),
            "cpus": status.get("cpuset", ""),
            "exclusive": spec.get("preferredCPUExclusivePolicy", ""),
            "zones": by_zone(status.get("numaNodeResources")),
            "ended": (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"),
        }

    def pod_event(self, args: Json) -> None:
        old, new = args.get("oldObj") or args.get("oldPod"), args.get("newObj") or args.get(
            "obj") or args.get("pod")
        if old is not None:
            before, held = self._of_pod(old)
            now = self._of_pod(new)[0]
            if before and not now:
                self.books.setdefault(before, []).append({"op": "release", "task": held["task"]})
        name, holding = self._of_pod(new)
        if not name:
            return
        if holding.pop("ended"):
            self.books.setdefault(name, []).append({"op": "release", "task": holding["task"]})
        elif holding["cpus"] or holding["zones"]:
            self.books.setdefault(name, []).append({"op": "hold"} | holding)

    def unreserve(self, args: Json) -> None:
        if (self.state or {}).get("allocation") is not None:
            task = (object_of(self.script, args["pod"]).get("metadata") or {}).get("uid", "")
            self.release({"nodeName": args["nodeName"], "podUID": task})

    def pod_gone(self, args: Json) -> None:
        name, holding = self._of_pod(args["obj"])
        if name:
            self.books.setdefault(name, []).append({"op": "release", "task": holding["task"]})

    def add_pod(self, args: Json) -> None:
        pod = object_of(self.script, args["pod"])
        self.added.setdefault((pod.get("spec") or {}).get("nodeName", ""), []).append(pod)

    def write(self, args: Json) -> None:
        if args["key"] == STATE:
            self.state = args["val"]
            self.claim = self._claim_of_state(args["val"])
        elif args["key"] == RESTORED:
            for name, restored in (args["val"].get("nodeToState") or {}).items():
                self.loans[name] = self._raw_loans(restored)

    def _claim_of_state(self, state: Json) -> Json:
        requests = in_units(state.get("requests"))
        claim: Json = {
            "binds": state.get("requestCPUBind", False),
            "milli": requests.get("cpu", 0),
            "cpus": state.get("numCPUsNeeded", 0),
            "required": state.get("requiredCPUBindPolicy", ""),
            "preferred": state.get("preferredCPUBindPolicy", ""),
            "requests": requests,
            "exclusive": state.get("preferredCPUExclusivePolicy", ""),
            "zone_policy": state.get("podNUMATopologyPolicy", ""),
            "needs_loan": bool(state.get("hasReservationAffinity")
                               or state.get("isPreAllocationRequired")),
        }
        if state.get("podNUMAExclusive"):
            claim["alone"] = state["podNUMAExclusive"] == "Required"
        if named := state.get("designatedAllocation"):
            claim["named"] = {"cpus": cpu_text(named.get("cpuset")),
                              "zones": by_zone(named.get("numaNodeResource"))}
        return claim

    def _raw_loans(self, restored: Json) -> Json:
        def parts(alloc: Json) -> Json:
            return {
                "allocatable": by_zone(alloc.get("allocatable")),
                "allocated": by_zone(alloc.get("allocated")),
                "remained": by_zone(alloc.get("remained")),
                "allocatable_cpus": cpu_text(alloc.get("allocatableCPUs")),
                "allocated_cpus": cpu_text(alloc.get("allocatedCPUs")),
                "remained_cpus": cpu_text(alloc.get("remainedCPUs")),
            }

        matched = []
        for name, alloc in sorted((restored.get("matched") or {}).items()):
            reservation = self._reservation(alloc["rInfo"])
            matched.append({"name": name, "reservation": reservation["name"],
                            "restricted": reservation["restricted"]} | parts(alloc))
        return {
            "matched": matched,
            "takes_over": bool(restored.get("preAllocationRInfo")),
            "allocatable": by_zone(restored.get("mergedMatchedAllocatable")),
            "allocated": by_zone(restored.get("mergedMatchedAllocated")),
            "unmatched_used": by_zone(restored.get("mergedUnmatchedUsed")),
            "remained_cpus": cpu_text(restored.get("mergedMatchedRemainCPUs")),
            "allocated_cpus": cpu_text(restored.get("mergedMatchedAllocatedCPUs")),
        }

    def _reservation(self, info: Any) -> Json:
        info = self.script.value(info)
        reservation = object_of(self.script, info["Reservation"])
        uid = reservation["metadata"]["uid"]
        return {
            "name": uid,
            "task": uid,
            "owners": sorted(info.get("AssignedPods") or {}),
            "restricted": (reservation.get("spec") or {}).get("allocatePolicy") == "Restricted",
        }

    def restore(self, args: Json) -> None:
        name = self.node_name(args)
        self.loans[name] = {
            "reservations": [self._reservation(one) for one in args.get("matched") or []],
            "others": [self._reservation(one) for one in args.get("unmatched") or []],
        }

    def restore_tasks(self, args: Json) -> None:
        reservation = self._reservation(args["r"])
        tasks = [object_of(self.script, one)["metadata"]["uid"]
                 for one in args.get("preAllocatable") or []]
        self.loans[self.node_name(args)] = {
            "tasks": tasks, "reservation": reservation["name"],
            "restricted": reservation["restricted"]}

    def set_found(self, args: Json) -> None:
        self.found[args["nodeName"]] = mask_of(args["affinity"].get("NUMANodeAffinity"))

    def nominate(self, args: Json) -> None:
        self.nominated = self._reservation(args["rInfo"])["name"]

    def nominate_task(self, args: Json) -> None:
        self.nominated = object_of(self.script, args["pod"])["metadata"]["uid"]

    # --- questions

    def node_name(self, args: Json) -> str:
        if "nodeName" in args:
            return str(args["nodeName"])
        node = args.get("node") or args["nodeInfo"]["nodeInfo"]["node"]
        return str(object_of(self.script, node)["metadata"]["name"])

    def node_of(self, name: str, args: Json) -> Json:
        value = args.get("node") or (args.get("nodeInfo") or {}).get("nodeInfo", {}).get("node")
        if value is not None:
            return object_of(self.script, value)
        if name not in self.nodes:
            raise Unanswerable("a node that is not there, or whose amounts are not looked at")
        return self.nodes[name]

    def pods_of(self, name: str, args: Json) -> list[Json]:
        held = (args.get("nodeInfo") or {}).get("nodeInfo", {}).get("pods")
        if held is None:
            return self.added.get(name, [])
        return [object_of(self.script, one) for one in held]

    def site(self, name: str, args: Json) -> Json:
        """The node of a question."""
        node = self.node_of(name, args)
        options = self.options.get(name) or {}
        requested: dict[str, Any] = {}
        for pod in self.pods_of(name, args):
            asked = importers.requests({"spec": {"containers": []}, **pod})[1]
            for resource, amount in asked.items():
                requested[resource] = requested.get(resource, 0) + amount
        ratios = noted(node, RATIO) or {}
        labels = labels_of(node)
        strategy = labels.get(STRATEGY) or (
            "MostAllocated" if self.numa_scoring["Type"] == "MostAllocated" else "LeastAllocated")
        # Options with ratios of their own have amplified zones already.
        own = options.get("AmplificationRatios")
        question: Json = {
            "machine": machine(options.get("CPUTopology")),
            "zones": [[one["Node"], in_units(one.get("Resources"))]
                      for one in options.get("NUMANodeResources") or []],
            "reserved": cpu_text(options.get("ReservedCPUs")),
            "most_holders": options.get("MaxRefCount") or 1,
            "ratios": ratios if own is None else {},
            "books": [*self.loose, *self.books.get(name, [])],
            "site": {
                "label": labels.get(NODE_POLICY, ""),
                "kubelet": full_cores(options.get("Policy")),
                "zone_policy": labels.get(ZONE_POLICY) or options.get("NUMATopologyPolicy") or "",
                "fewest_free": strategy == "MostAllocated",
                "ratio": ratios.get("cpu", 1),
                "allocatable": in_units((node.get("status") or {}).get("allocatable")),
                "requested": {
                    resource: int(amount * 1000) if resource == "cpu" else int(amount)
                    for resource, amount in requested.items()
                },
            },
        }
        if name in self.loans:
            question["loans"] = self.loans[name]
        if name in self.found:
            question["zones_found"] = self.found[name]
        if self.nominated:
            question["nominated"] = self.nominated
        return question

    def asked(self, pod: Json | None) -> Json:
        if self.claim is None:
            raise Unanswerable("the record does not hold the state of the cycle")
        if (self.state or {}).get("skip"):
            raise Unanswerable("a task that requests nothing: the caller passes it over")
        claim = dict(self.claim)
        labels = labels_of(pod or {})
        notes = (pod or {}).get("metadata", {}).get("annotations") or {}
        claim["ignores_reservations"] = (
            labels.get("scheduling.koordinator.sh/reservation-ignored") == "true")
        if notes.get("scheduling.koordinator.sh/reserve-pod") == "true":
            takes = notes.get("scheduling.koordinator.sh/is-pre-allocation") == "true"
            claim["claimant"] = "take_over" if takes else "reservation"
        return claim

    def before_filter(self, step: Json, args: Json) -> None:
        """PreFilter(pod): the claim, as koordinator_cpu_scripts reads it."""
        pod = object_of(self.script, args.get("pod") or args["p"])
        requests = importers.requests({"spec": {"containers": []}, **pod})[1]
        spec = noted(pod, "scheduling.koordinator.sh/resource-spec")
        zones = noted(pod, "scheduling.koordinator.sh/numa-topology-spec")
        wish = wish_of(self.script, pod, step["n"])
        self.state = {"skip": not any(requests.values())}
        self.claim = wish | {
            "requests": {r: int(a * 1000) if r == "cpu" else int(a) for r, a in requests.items()},
            "exclusive": spec.get("preferredCPUExclusivePolicy", ""),
            "zone_policy": zones.get("numaTopologyPolicy", ""),
            "needs_loan": (labels_of(pod).get("pod.koordinator.sh/is-pre-allocation-required")
                           == "true"),
        }
        if policy := zones.get("singleNUMANodeExclusive"):
            self.claim["alone"] = policy == "Required"

    def scorer(self) -> Json:
        return _scorer(self.scoring)

    def numa_scorer(self) -> Json:
        # The weights are those of the nodes' strategy, the kind is that of the zones'.
        return _scorer({"Type": self.numa_scoring["Type"], "Resources": self.scoring["Resources"]})


def _scorer(strategy: Json) -> Json:
    return {
        "prefer_full": strategy["Type"] == "MostAllocated",
        "weights": {one["Name"]: one["Weight"] for one in strategy["Resources"]},
        "plain": PLAIN,
    }


OPTIONS = ("CPUTopology", "NUMANodeResources", "MaxRefCount", "ReservedCPUs", "Policy",
           "NUMATopologyPolicy", "AmplificationRatios")
READERS: dict[str, Callable[[Walk, Json], None]] = {
    "TopologyOptionsManager.UpdateTopologyOptions": Walk.update_options,
    "NodeInterface.Create": Walk.create_node,
    "ResourceManager.Update": Walk.hold,
    "resourceManager.Update": Walk.hold,
    "ResourceManager.Release": Walk.release,
    "NodeAllocation.addCPUs": Walk.add_cpus,
    "NodeAllocation.addPodAllocation": Walk.add_allocation,
    "NodeAllocation.release": Walk.loose_release,
    "podEventHandler.OnAdd": Walk.pod_event,
    "podEventHandler.OnUpdate": Walk.pod_event,
    "podEventHandler.updatePod": Walk.pod_event,
    "podEventHandler.OnDelete": Walk.pod_gone,
    "NodeInfo.AddPod": Walk.add_pod,
    "Plugin.Unreserve": Walk.unreserve,
    "CycleState.Write": Walk.write,
    "Plugin.RestoreReservation": Walk.restore,
    "Plugin.RestoreReservationPreAllocation": Walk.restore_tasks,
    "Store.SetAffinity": Walk.set_found,
    "ReservationNominator.AddNominatedReservation": Walk.nominate,
    "FakeNominator.AddNominatedPreAllocation": Walk.nominate_task,
}


def machine(topology: Json | None) -> list[list[int]]:
    # A core's number carries its socket's in the upper half.
    details = (topology or {}).get("CPUDetails") or {}
    return [[i["CPUID"], i["CoreID"] & 0xffff, i["NodeID"], i["SocketID"]]
            for i in details.values()]
