# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Koordinator's recorded scripts of its NUMA plug-in with zones: the resource manager's placements
and hints, and the plug-in's filter, score and reservation of nodes. A script is walked once; what
it writes becomes the books of a node, and each call that decides becomes one question."""

from typing import Any, Callable

import importers
from adapters import koordinator, koordinator_rooms
from adapters.koordinator_cpu_scripts import (NODE_POLICY, RATIO, ZONE_POLICY, full_cores,
                                              labels_of, noted, wish_of)
from adapters.koordinator_reservation_scripts import object_of
from probe import Probe, Unanswerable

Json = dict[str, Any]

STRATEGY = "node.koordinator.sh/numa-allocate-strategy"
STATE = "NodeNUMAResource"
RESTORED = "NodeNUMAResource/reservationRestoreState"
PLAIN = ["cpu", "memory", "ephemeral-storage"]
SCORING: Json = {"Type": "LeastAllocated",
                 "Resources": [{"Name": "cpu", "Weight": 1}, {"Name": "memory", "Weight": 1}]}


def _units(amounts: Json | None) -> Json:
    return koordinator.units(amounts)


def _zones(amounts: Any) -> Json:
    """{zone: amounts} of a map by zone or of a list with zones."""
    if isinstance(amounts, list):
        return {str(one.get("Node", one.get("node", 0))): _units(one.get("Resources")
                                                                or one.get("resources"))
                for one in amounts}
    return {zone: _units(of_zone) for zone, of_zone in (amounts or {}).items()}


def _cpus(cpus: Any) -> str:
    return (cpus or {}).get("cpus", "") if not isinstance(cpus, str) else cpus


def _mask(bits: Json | None) -> int | None:
    return None if bits is None else sum(1 << bit for bit in bits["bits"])


def _without_zeros(zones: Json) -> Json:
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
            "cpus": _cpus(allocation.get("CPUSet")),
            "exclusive": allocation.get("CPUExclusivePolicy", ""),
            "zones": _zones(allocation.get("NUMANodeResources")),
        }

    def hold(self, args: Json) -> None:
        book = self.books.setdefault(args["nodeName"], [])
        book.append({"op": "hold"} | self._holding(args["allocation"]))

    def release(self, args: Json) -> None:
        self.books.setdefault(args["nodeName"], []).append(
            {"op": "release", "task": args["podUID"]})

    def add_cpus(self, args: Json) -> None:
        self.topology = args["cpuTopology"]
        self.loose.append({"op": "add", "task": args["podUID"], "cpus": _cpus(args["cpuset"]),
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
            "zones": _zones(status.get("numaNodeResources")),
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
        requests = _units(state.get("requests"))
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
            claim["named"] = {"cpus": _cpus(named.get("cpuset")),
                              "zones": _zones(named.get("numaNodeResource"))}
        return claim

    def _raw_loans(self, restored: Json) -> Json:
        def parts(alloc: Json) -> Json:
            return {
                "allocatable": _zones(alloc.get("allocatable")),
                "allocated": _zones(alloc.get("allocated")),
                "remained": _zones(alloc.get("remained")),
                "allocatable_cpus": _cpus(alloc.get("allocatableCPUs")),
                "allocated_cpus": _cpus(alloc.get("allocatedCPUs")),
                "remained_cpus": _cpus(alloc.get("remainedCPUs")),
            }

        matched = []
        for name, alloc in sorted((restored.get("matched") or {}).items()):
            reservation = self._reservation(alloc["rInfo"])
            matched.append({"name": name, "reservation": reservation["name"],
                            "restricted": reservation["restricted"]} | parts(alloc))
        return {
            "matched": matched,
            "takes_over": bool(restored.get("preAllocationRInfo")),
            "allocatable": _zones(restored.get("mergedMatchedAllocatable")),
            "allocated": _zones(restored.get("mergedMatchedAllocated")),
            "unmatched_used": _zones(restored.get("mergedUnmatchedUsed")),
            "remained_cpus": _cpus(restored.get("mergedMatchedRemainCPUs")),
            "allocated_cpus": _cpus(restored.get("mergedMatchedAllocatedCPUs")),
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
        self.found[args["nodeName"]] = _mask(args["affinity"].get("NUMANodeAffinity"))

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
            "zones": [[one["Node"], _units(one.get("Resources"))]
                      for one in options.get("NUMANodeResources") or []],
            "reserved": _cpus(options.get("ReservedCPUs")),
            "most_holders": options.get("MaxRefCount") or 1,
            "ratios": ratios if own is None else {},
            "books": [*self.loose, *self.books.get(name, [])],
            "site": {
                "label": labels.get(NODE_POLICY, ""),
                "kubelet": full_cores(options.get("Policy")),
                "zone_policy": labels.get(ZONE_POLICY) or options.get("NUMATopologyPolicy") or "",
                "fewest_free": strategy == "MostAllocated",
                "ratio": ratios.get("cpu", 1),
                "allocatable": _units((node.get("status") or {}).get("allocatable")),
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


def _ask(probe: Probe, ask: str, question: Json) -> Any:
    """With all names of resources in it, in the order of names."""
    names: set[str] = {"cpu"}
    names |= set((question.get("claim") or {}).get("requests") or {})
    for _, amounts in question["zones"]:
        names |= set(amounts)
    for step in question["books"]:
        for amounts in (step.get("zones") or {}).values():
            names |= set(amounts)
    for part in ("allocatable", "requested"):
        names |= set((question.get("site") or {}).get(part) or {})
    names |= set((question.get("scorer") or {}).get("weights") or {})
    return probe.numa_site(ask, resources=sorted(names), **question)


# --- calls that decide


def _code(result: Json | None) -> str:
    return (result or {}).get("code", "Success")


def _filter(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_name(args)
    pod = object_of(walk.script, args["pod"])
    question = walk.site(name, args) | {"claim": walk.asked(pod), "scorer": walk.numa_scorer()}
    got = _ask(probe, "filter", question)
    code = "UnschedulableAndUnresolvable" if got["code"] == "no topology" else got["code"]
    recorded = _code(walk.script.results.get(step["n"]))
    if got["zones"] is not None:
        walk.found[name] = got["zones"]
    out = [] if code == recorded else [f"is {code}, recorded {recorded}"]
    later = [one for one in walk.script.calls("Store.GetAffinity") if one["n"] > step["n"]]
    if later and not out:
        known, hint = walk.script.variable("hint", later[0]["n"])
        if not known:
            known, hint = walk.script.variable("hint", later[0]["n"] + 1)
        if known and _mask(hint.get("NUMANodeAffinity")) != got["zones"]:
            out.append(f"zones {got['zones']}, recorded {hint}")
    return out


def _recorded_grant(script: Any, n: int) -> Json | None:
    """CPUs and zones that a reserved task got."""
    cpus, zones = script.variable("gotCPUs", n), script.variable("gotNUMAResource", n)
    if not cpus[0] and not zones[0]:
        for look in script.calls("getPreFilterState"):
            known, state = script.variable("state", look["n"])
            known, state = (known, state) if known else script.variable("preFilterState",
                                                                        look["n"])
            if look["n"] > n and known:
                allocation = state.get("allocation") or {}
                return {"cpus": _cpus(allocation.get("CPUSet")),
                        "zones": _zones(allocation.get("NUMANodeResources"))}
        return None
    return {"cpus": _cpus(cpus[1]), "zones": _zones(zones[1])}


def _compare_grant(got: Json | None, recorded: Json, zones_known: bool = True) -> list[str]:
    ours = got or {"cpus": "", "zones": {}}
    out = []
    if ours["cpus"] != recorded["cpus"]:
        out.append(f"takes CPUs {ours['cpus']}, recorded {recorded['cpus']}")
    if zones_known and _without_zeros(ours["zones"]) != _without_zeros(recorded["zones"]):
        out.append(f"takes {ours['zones']}, recorded {recorded['zones']}")
    return out


def _reserve(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_name(args)
    pod = object_of(walk.script, args["pod"])
    question = walk.site(name, args) | {"claim": walk.asked(pod), "scorer": walk.numa_scorer()}
    got = _ask(probe, "reserve", question)
    code = "Error" if got["code"] == "no topology" else got["code"]
    recorded = _code(walk.script.results.get(step["n"]))
    if code != recorded:
        return [f"is {code}, recorded {recorded}"]
    grant = _recorded_grant(walk.script, step["n"])
    if code != "Success" or grant is None:
        return []
    if got["grant"]:
        walk.books.setdefault(name, []).append(
            {"op": "hold", "task": (pod.get("metadata") or {}).get("uid", "")}
            | got["grant"])
    # A test looks at the zones only where it expects some.
    return _compare_grant(got["grant"], grant, bool(grant["zones"]))


def _score(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    name = walk.node_name(args)
    pod = object_of(walk.script, args.get("pod") or args["p"])
    question = walk.site(name, args) | {"claim": walk.asked(pod), "scorer": walk.scorer()}
    got = _ask(probe, "score", question)
    for variable in ("gotScore", "score"):
        known, score = walk.script.variable(variable, step["n"])
        if known:
            return [] if got == score else [f"scores {got}, recorded {score}"]
    raise Unanswerable("the record does not hold what the call returned")


def _filter_loan(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    if args.get("reservationInfo") is None:
        raise Unanswerable("the record does not hold the state of the cycle")
    name = walk.node_name(args)
    reservation = walk._reservation(args["reservationInfo"])
    pod = object_of(walk.script, args["pod"])
    takes_over = "tasks" in walk.loans.get(name, {})
    nominated = pod["metadata"]["uid"] if takes_over else reservation["name"]
    question = walk.site(name, args) | {"claim": walk.asked(None if takes_over else pod),
                                        "nominated": nominated}
    got = _ask(probe, "filter_loan", question)
    code = "UnschedulableAndUnresolvable" if got == "no topology" else got
    known, recorded = walk.script.variable("got", step["n"])
    if not known:
        known, recorded = step["n"] in walk.script.results, walk.script.results.get(step["n"])
    succeeded = [check["actual"] for check in walk.script.checks
                 if check["n"] > step["n"] and str(check["what"]).endswith("IsSuccess()")]
    if not known and succeeded:
        known, recorded = True, {"code": "Success" if succeeded[0] else "another"}
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    return [] if code == _code(recorded) else [f"is {code}, recorded {_code(recorded)}"]


def _asked_options(walk: Walk, args: Json) -> Json:
    """A question of the resource manager: its options hold the whole claim and the node."""
    options = args["options"]
    name = object_of(walk.script, args["node"])["metadata"]["name"]
    requests = _units(options.get("originalRequests") or options.get("requests"))
    policy = options.get("cpuBindPolicy", "")
    required = options.get("requiredCPUBindPolicy", False)
    question = walk.site(name, {"node": args["node"]})
    question["claim"] = {
        "binds": options.get("requestCPUBind", False),
        "milli": requests.get("cpu", 0),
        "cpus": options.get("numCPUsNeeded", 0),
        "required": policy if required else "",
        "preferred": "" if required else policy,
        "requests": requests,
        "exclusive": options.get("cpuExclusivePolicy", ""),
        "needs_loan": bool(options.get("requiredFromReservation")
                           or options.get("requiredPreAllocation")),
    }
    for key in ("preferredCPUs", "preemptibleCPUs", "reusableResources", "requiredResources"):
        if any((options.get(key) or {}).values()):
            raise Unanswerable("what a placement may reuse, given without its reservations")
    # The label of the node demands nothing of the resource manager.
    question["site"]["label"], question["site"]["kubelet"] = "", False
    return question


def _allocate(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    question = _asked_options(walk, args)
    hint = args["options"].get("hint") or {}
    if "NUMANodeAffinity" in hint:
        question["zones_found"] = _mask(hint["NUMANodeAffinity"])
    got = _ask(probe, "allocate", question)
    known, recorded = walk.script.variable("got", step["n"])
    if recorded is None:
        return [] if got is None else [f"takes {got}, recorded nothing"]
    if got is None:
        return [f"takes nothing, recorded {recorded}"]
    return _compare_grant(got, {"cpus": _cpus(recorded.get("CPUSet")),
                                "zones": _zones(recorded.get("NUMANodeResources"))})


def _hints(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    question = _asked_options(walk, args)
    question["claim"]["zone_policy"] = args["policy"]
    known, recorded = walk.script.variable("got", step["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    got = _ask(probe, "hints", question)
    theirs = {
        name: [[_mask(hint["NUMANodeAffinity"]), hint["Preferred"], hint["Score"]]
               for hint in hints]
        for name, hints in (recorded or {}).items()
    }
    return [] if got == theirs else [f"hints {got}, recorded {theirs}"]


RESTORES = ("Plugin.RestoreReservation", "Plugin.RestoreReservationPreAllocation")


def _restored(script: Any, step: Json) -> tuple[bool, Any]:
    """Whether the record holds what was restored, and that."""
    for variable in ("nodeReservationState", "nodeState"):
        found, state = script.variable(variable, step["n"])
        if found:
            return True, state
    return False, None


def _loans(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """RestoreReservation() and its twin for tasks: what is lent."""
    name = walk.node_name(args)
    _, recorded = _restored(walk.script, step)
    node = {"metadata": {"name": name}}
    options = walk.site(name, args) if name in walk.nodes or "nodeInfo" in args else None
    question = options or {"site": {}, "machine": [], "zones": [], "books": [], "node": node}
    got = _ask(probe, "loans", question)
    recorded = recorded or {}
    raw = {"matched": {name: alloc for name, alloc in (recorded.get("matched") or {}).items()}}
    keys = (("allocatable", "allocatable"), ("allocated", "allocated"), ("remained", "remained"),
            ("allocatable_cpus", "allocatableCPUs"), ("allocated_cpus", "allocatedCPUs"),
            ("remained_cpus", "remainedCPUs"))
    out = []
    if set(raw["matched"]) != set(got["matched"]):
        out.append(f"lend {sorted(got['matched'])}, recorded {sorted(raw['matched'])}")
    for one, alloc in raw["matched"].items():
        for ours, theirs in keys:
            right = _cpus(alloc.get(theirs)) if ours.endswith("cpus") else _without_zeros(
                _zones(alloc.get(theirs)))
            left = got["matched"].get(one, {}).get(ours)
            left = left if ours.endswith("cpus") else _without_zeros(left or {})
            if left != right:
                out.append(f"{one}: {ours} {left}, recorded {right}")
    for ours, theirs in (("remained_cpus", "mergedMatchedRemainCPUs"),
                         ("allocated_cpus", "mergedMatchedAllocatedCPUs"),
                         ("allocatable", "mergedMatchedAllocatable"),
                         ("allocated", "mergedMatchedAllocated"),
                         ("unmatched_used", "mergedUnmatchedUsed")):
        right = _cpus(recorded.get(theirs)) if ours.endswith("cpus") else _without_zeros(
            _zones(recorded.get(theirs)))
        left = got[ours] if ours.endswith("cpus") else _without_zeros(got[ours])
        if left != right:
            out.append(f"{ours} {left}, recorded {right}")
    return out


# --- books


def _books(walk: Walk, name: str, probe: Probe, **more: Any) -> Json:
    options = dict(walk.options.get(name) or {})
    if walk.topology is not None:
        options = {"CPUTopology": walk.topology} | options
    question = {
        "machine": machine(options.get("CPUTopology")),
        "zones": [[one["Node"], _units(one.get("Resources"))]
                  for one in options.get("NUMANodeResources") or []],
        "books": [*walk.loose, *walk.books.get(name, [])],
        "most_holders": options.get("MaxRefCount") or 1,
        "reserved": _cpus(options.get("ReservedCPUs")),
    }
    return _ask(probe, "books", question | more)


def _compare_books(walk: Walk, name: str, pods: Json | None, cpus: Json | None,
                   probe: Probe) -> list[str]:
    """Of the peer's map of pods and its map of CPUs, as far as they are recorded."""
    out = []
    # Counts of holders are kept where CPUs may have several.
    got = _books(walk, name, probe, tasks=sorted(pods or {}), most_holders=2)
    for uid, pod in (pods or {}).items():
        ours, theirs = got["tasks"][uid], {"cpus": _cpus(pod.get("CPUSet")),
                                           "zones": _zones(pod.get("NUMANodeResources"))}
        if ours != theirs:
            out.append(f"{uid} holds {ours}, recorded {theirs}")
    if cpus is not None:
        holders = {int(cpu): info["RefCount"] for cpu, info in cpus.items()}
        ours = {cpu: count for cpu, count in enumerate(got["sharers"]) if count}
        if ours != holders:
            out.append(f"CPUs have holders {ours}, recorded {holders}")
    return out


def _node_allocation(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    if step["n"] not in walk.script.results:
        raise Unanswerable("the record does not hold what the call returned")
    state = walk.script.value(walk.script.results[step["n"]])
    return _compare_books(walk, args["nodeName"], state.get("allocatedPods"),
                          state.get("allocatedCPUs"), probe)


def _available(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    known, recorded = walk.script.variable("availableCPUs", step["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    preferred = args.get("preferredCPUs") or []
    sets = preferred if isinstance(preferred, list) else [preferred]
    more: Json = {"returned": [_cpus(walk.script.value(one)) for one in sets]}
    if "cpuTopology" in args:
        walk.topology = args["cpuTopology"]
        more |= {"most_holders": args["maxRefCount"], "reserved": _cpus(args.get("reservedCPUs"))}
    got = _books(walk, args.get("nodeName", ""), probe, **more)["available"]
    return [] if got == _cpus(recorded) else [f"available {got}, recorded {recorded}"]


def _preempted(walk: Walk, step: Json, args: Json, probe: Probe) -> list[str]:
    """AddPod(pod) and RemovePod(pod) of a dry run: what of the node leaves with it."""
    name = walk.node_name(args)
    value = args.get("podInfoToAdd") or args.get("podInfoToRemove")
    looks = [one for one in walk.script.calls("getPreFilterState") if one["n"] > step["n"]]
    if value is None or not looks:
        raise Unanswerable("a dry run without a task or without its state: nothing is changed")
    task = (object_of(walk.script, value).get("metadata") or {}).get("uid", "")
    op = "leaves" if step["call"] == "Plugin.RemovePod" else "stays"
    walk.victims.setdefault(name, []).append({"op": op, "task": task})
    known, state = walk.script.variable("stateData", looks[0]["n"])
    if not known:
        raise Unanswerable("the record does not hold what the call returned")
    share = state["preemptibleState"][name]["nodeAlloc"]
    theirs = {"added": _cpus(share["cpusToAdd"]), "removed": _cpus(share["cpusToRemove"]),
              "zones": _zones(share["numaResources"])}
    got = _books(walk, name, probe, victims={"node": walk.victims[name]})["node"]
    return [] if got == theirs else [f"leaves {got}, recorded {theirs}"]


DECIDE: dict[str, Callable[[Walk, Json, Json, Probe], list[str]]] = {
    "Plugin.Filter": _filter,
    "Plugin.Reserve": _reserve,
    "Plugin.Score": _score,
    "ScorePlugin.Score": _score,
    "Plugin.FilterNominateReservation": _filter_loan,
    "ResourceManager.Allocate": _allocate,
    "ResourceManager.GetTopologyHints": _hints,
    "Plugin.RestoreReservation": _loans,
    "Plugin.RestoreReservationPreAllocation": _loans,
    "resourceManager.getOrCreateNodeAllocation": _node_allocation,
    "NodeAllocation.getAvailableCPUs": _available,
    "ResourceManager.GetAvailableCPUs": _available,
    "Plugin.AddPod": _preempted,
    "Plugin.RemovePod": _preempted,
}
# Maps of the peer's books that a test looks into.
LOOKS = ("llocation.allocatedPods", "llocation.allocatedCPUs", "llocationState.allocatedPods",
         "llocationState.allocatedCPUs")


def _look(walk: Walk, check: Json, probe: Probe) -> list[str]:
    """A check of books at this point of a script."""
    [name] = walk.books.keys() if len(walk.books) == 1 else [""]
    actual = walk.script.value(check["actual"])
    pods, cpus = (actual, None) if check["what"].endswith("Pods") else (None, actual)
    out = _compare_books(walk, name, pods, cpus, probe)
    return [f"check {check['n']}: {line}" for line in out]


def _is_held(script: Any, value: Any) -> bool:
    """Whether the record holds what a value refers to."""
    try:
        script.value(value)
    except Unanswerable:
        return False
    return True


def walked(script: Any, probe: Probe) -> list[str]:
    walk, out, asked = Walk(script), [], 0
    looks = [check for check in script.checks
             if isinstance(check["what"], str) and check["what"].endswith(LOOKS)]
    for step in sorted([*script.steps, *looks], key=lambda one: one["n"]):
        if "what" in step:
            if _is_held(script, step["actual"]):
                asked += 1
                out += _look(walk, step, probe)
            continue
        walk.read(step)
        call = step.get("call", "")
        if call.endswith("Plugin.PreFilter"):
            walk.before_filter(step, script.args(step))
        if call in DECIDE and not (call in RESTORES and not _restored(script, step)[0]):
            asked += 1
            args = script.args(step)
            out += [f"step {step['n']}: {line}"
                    for line in DECIDE[call](walk, step, args, probe)]
    if not asked:
        raise Unanswerable("a script that never looks at a number")
    return out


def _unseen(_script: Any, _probe: Probe) -> list[str]:
    raise Unanswerable("a script that never looks at a number")


def rule(script: Any) -> Callable[[Any, Probe], list[str]] | None:
    """What of zones a script is about, if anything."""
    calls = {step["call"] for step in script.steps if "call" in step}
    if calls == {"TopologyOptionsManager.UpdateTopologyOptions", "podEventHandler.updatePod"}:
        return _unseen
    decides = calls & (DECIDE.keys() | {"NodeAllocation.addCPUs"})
    return koordinator_rooms.checked(walked) if decides else None
