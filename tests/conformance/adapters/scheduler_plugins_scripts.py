# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded scripts of scheduler-plugins' own tests: what their steps mean for quotas of namespaces
and for zones."""

from typing import Any

from adapters import scheduler_plugins_caches as caches
from adapters import scheduler_plugins_calls as calls
from adapters import scheduler_plugins_capacity as capacity
from adapters import scheduler_plugins_gangs as gangs
from adapters import scheduler_plugins_network as network
from adapters import scheduler_plugins_pods as pods
from adapters import scheduler_plugins_scores as scores
from adapters import scheduler_plugins_zones as zones
from probe import Probe, Unanswerable

Case = dict[str, Any]

# Scripts that decide nothing, by test. None of them may make a call of CALLS.
NO_RULE = {
    "what an API client may read, create or patch": (
        "coscheduling-core.TestSchemeRestriction util.TestCreateMergePatch"
    ),
    "the density and the text of a distribution, which no rule reads": (
        "trimaran-lowriskovercommitment.TestBetaDistribution_DensityFunction "
        "trimaran-lowriskovercommitment.TestBetaDistribution_Print"
    ),
    "a container of the peer's code, or a copy of one": (
        "noderesourcetopology-cache.TestClonePods noderesourcetopology-cache.TestCounterClone "
        "noderesourcetopology-cache.TestCounterDelete noderesourcetopology-cache.TestCounterIncr "
        "noderesourcetopology-cache.TestCounterKeys noderesourcetopology-cache.TestCounterLen "
        "noderesourcetopology-cache.TestNRTStoreUpdatePodsIsIndependentCopy "
        "noderesourcetopology-cache.TestNrtResourcesStoreGetUpdateDelete "
        "noderesourcetopology.TestClone sysched.TestRemove"
    ),
    "when the peer decodes what it keeps": (
        "noderesourcetopology-cache.TestNRTStoreLazyDecodeCaching"
    ),
    "a cache that keeps nothing": "noderesourcetopology-cache.TestPassthroughGetCachedNRTCopy",
    "a state of a pod in the peer's memory, which has one form here": (
        "noderesourcetopology-cache.TestHasExclusiveResources"
    ),
    "the constructor of a cache without a client": (
        "noderesourcetopology-cache.TestInitEmptyLister"
    ),
    "a constructor of a plug-in, which checks the Go types of its arguments": (
        "sysched.TestGetArgs trimaran-lowriskovercommitment.TestLowRiskOverCommitment_New "
        "trimaran-peaks.TestPeaksNew"
    ),
}
EXCUSED = {test: reason for reason, tests in NO_RULE.items() for test in tests.split()}


class Script:
    """The steps of a case, with references followed."""

    def __init__(self, case: Case) -> None:
        state = case.get("state") or {}
        self.steps = (state.get("setup") or []) + (state.get("steps") or [])
        self.objects = {o["ref"]: o["object"] for o in case.get("objects") or []}
        self.results = {r["n"]: r["result"] for r in case["observed"].get("results") or []}
        self.checks = {c["n"]: c["actual"] for c in case["observed"].get("checks") or []}
        self.told: dict[str, Any] = {}
        for step in self.steps:
            if "set" in step:
                self.told[f"{step['n']}:{step['set']}"] = step["value"]
            elif "receiver" in step:
                self.told[f"{step['n']}:receiver"] = step["receiver"]

    def value(self, value: Any) -> Any:
        while isinstance(value, dict):
            if "ref" in value:
                return self.objects[value["ref"]]
            if "same_as" not in value:
                break
            value = self.told[value["same_as"]]
        return value

    def calls(self, *names: str) -> list[Case]:
        return [step for step in self.steps if step.get("call") in names]

    def result(self, n: int) -> Any:
        """What call n returned: its own record, or the values that were set right after it."""
        if n in self.results:
            return self.results[n]
        found = []
        for step in self.steps:
            if step["n"] == n + 1 + len(found) and "set" in step:
                found.append(step["value"])
        return found[0] if len(found) == 1 else found


def check(case: Case, probe: Probe) -> list[str]:
    script = Script(case)
    names = [step["call"] for step in script.steps if "call" in step]
    known = [name for name in names if name in CALLS]
    test = case["test"]
    if test in EXCUSED:
        if known:
            raise ValueError(f"excused, but calls a rule: {known[0]}")
        raise Unanswerable(EXCUSED[test])
    if test in TESTS:
        return TESTS[test](case, script, probe)
    if known:
        return CALLS[known[0]](case, script, probe)
    if "victimCandidate" in (case["state"].get("inputs") or {}):
        return scores.exempt(case, script, probe)
    raise ValueError("neither answered nor excused")


# --- zones


def machines(script: Script) -> dict[str, Case]:
    made = [script.value(step["args"]["obj"]) for step in script.calls("Writer.Create")]
    nodes = {o["metadata"]["name"]: o for o in script.objects.values() if o["kind"] == "Node"}
    return {
        nrt["metadata"]["name"]: zones.machine(nrt, nodes[nrt["metadata"]["name"]])
        for nrt in made
        if nrt["metadata"]["name"] in nodes
    }


def judged(case: Case, script: Script, probe: Probe) -> list[str]:
    known = machines(script)
    out = []
    for step in script.calls("TopologyMatch.Filter", "TopologyMatch.Score"):
        pod = script.value(step["args"]["pod"])
        name = script.value(step["args"]["nodeInfo"]["nodeInfo"]["node"])["metadata"]["name"]
        read = pods.pod(pod)
        receiver = script.value(step.get("receiver")) or {}
        words = case["name"].replace(",", " ").split()
        strategy = receiver.get("scoreStrategyType") or next(
            (word for word in words if word in zones.STRATEGIES), "LeastAllocated"
        )
        question = {"resources": zones.names_of(known, [read]), "nodes": known}
        [answer] = probe.zones(question, [{"task": read, "strategy": strategy, "weights": {}}])
        result = script.result(step["n"])
        if step["call"] == "TopologyMatch.Score":
            score = answer["score"][name] if name in known else 100 * (not answer["guaranteed"])
            right = result[0] if isinstance(result, list) else result
            if score != right:
                out.append(f"{name}: score {score}, recorded {right}")
            continue
        refused = name in known and answer["refusal"][name] is not None
        right = "Success" if result is None else result["code"]
        if (right != "Success") != refused:
            out.append(f"{name}: {'refused' if refused else 'fits'}, recorded {result}")
    return out


def zone_question(step: Case, script: Script) -> tuple[Case, Case]:
    """(the machine, what is asked)"""
    args = step["args"]
    listed = script.value(args.get("numaNodes") or args.get("nodes"))
    read = [
        {
            "id": z["NUMAID"],
            "available": pods.amounts(z.get("Resources")),
            "distances": [[int(to), cost] for to, cost in (z.get("Costs") or {}).items()],
        }
        for z in listed
    ]
    asked = pods.amounts(script.value(args.get("resources") or args.get("containerRes")))
    names = sorted({n for z in read for n in z["available"]} | asked.keys())
    node = {"zones": read, "has": names}
    op = {"request": asked, "guaranteed": args.get("qos", "Guaranteed") == "Guaranteed"}
    return {"resources": names, "nodes": {"node": node}}, op


def fewest(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("numaNodesRequired")
    machine, op = zone_question(step, script)
    [answer] = probe.zones(machine, [{"op": "fewest_zones"} | op])
    # A mask is set only where there is one.
    told = {step["set"]: step["value"] for step in script.steps if "set" in step}
    found = told.get("bm")
    right = None if found is None else {"zones": found["bits"], "closest": told["isMinDistance"]}
    if answer is not None:
        answer["zones"].sort()
    return [] if answer == right else [f"{answer}, recorded {right}"]


def closest(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("minAvgDistanceInCombinations")
    machine, _ = zone_question(step, script)
    sets = step["args"]["numaNodesCombination"]
    answers = probe.zones(machine, [{"op": "distance", "positions": s} for s in sets])
    counts = {len(s) for s in sets}
    least = min(255, *answers)
    whole = probe.zones(machine, [{"op": "closest", "count": count} for count in counts])
    right = script.result(step["n"])
    return [] if least == right and min(whole) == right else [f"{least}, {whole}, recorded {right}"]


def concerns_none(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("onlyNonNUMAResources")
    machine, op = zone_question(step, script)
    answers = probe.zones(machine, [{"op": "concerns_none"} | op])
    right = script.result(step["n"])
    return [] if answers == [right] else [f"{answers}, recorded {right}"]


def count_score(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("normalizeScore")
    args = step["args"]
    op = {"op": "count_score", "count": args["numaNodesCount"], "closest": args["isMinAvgDistance"]}
    machine = {"resources": [], "nodes": {"node": EMPTY}}
    answers = probe.zones(machine, [op | {"most_zones": args["highestNUMAID"]}])
    right = script.result(step["n"])
    return [] if answers == [right] else [f"{answers}, recorded {right}"]


def kind(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("isHostLevelResource", "isNUMAAffineResource")
    op = {"op": "kind", "name": step["args"]["resource"]}
    [answer] = probe.zones({"resources": [], "nodes": {"node": EMPTY}}, [op])
    left = answer["may_float" if step["call"] == "isHostLevelResource" else "bound"]
    right = script.result(step["n"])
    return [] if left == right else [f"{left}, recorded {right}"]


EMPTY: Case = {"zones": [], "has": []}


def take_across(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("subtractFromNUMAs")
    machine, op = zone_question(step, script)
    [answer] = probe.zones(machine, [{"op": "take_across", "positions": step["args"]["nodes"]} |
                                     op])
    right = [pods.amounts(z["Resources"]) for z in case["expect"]["expected"]]
    return [] if answer["zones"] == right else [f"{answer['zones']}, recorded {right}"]


def take(case: Case, script: Script, probe: Probe) -> list[str]:
    [step] = script.calls("subtractResourcesFromNUMANodeList")
    machine, op = zone_question(step, script)
    [answer] = probe.zones(machine, [{"op": "take", "zone": step["args"]["numaID"]} | op])
    failed = script.result(step["n"]) is not None
    if failed or answer["refused"]:
        return [] if failed == answer["refused"] else [f"refused: {answer['refused']}, {failed}"]
    right = [pods.amounts(z["Resources"]) for z in case["expect"]["expected"]]
    return [] if answer["zones"] == right else [f"{answer['zones']}, recorded {right}"]


# --- quotas


def named(value: Case) -> dict[str, int]:
    """Amounts that the peer writes with its own names."""
    return {name: amount for name, amount in capacity.resource(value).items() if amount}


def quota_ops(infos: Case, script: Script) -> list[Case]:
    """The quotas as a plug-in was given them: their use comes with them, for all tasks together."""
    ops = []
    for name, info in (script.value(infos) or {}).items():
        op = {"op": "add", "namespace": name}
        if not info.get("pods"):
            op["used"] = named(info.get("Used") or {})
        for bound in ("Min", "Max"):
            if info.get(bound) is not None:
                op[bound.lower()] = named(info[bound])
        ops.append(op)
    return ops


def held_ops(infos: Case, script: Script) -> list[Case]:
    """The pods that the quotas were given with. What a quota uses beyond the pods that the case
    shows is held by the first of the others."""
    shown = {}
    for pod in script.objects.values():
        if pod["kind"] == "Pod":
            used = capacity.use(pod)
            shown[used["name"]] = used
    ops = []
    for space, info in (script.value(infos) or {}).items():
        rest = named(info.get("Used") or {})
        names = [f"{space}/{name}" for name in info.get("pods") or []]
        for name in sorted(names, key=lambda name: name not in shown):
            request = shown[name]["request"] if name in shown else rest
            rest = {n: rest.get(n, 0) - request.get(n, 0) for n in rest}
            ops.append({"op": "use", "namespace": space, "name": name, "request": request})
    return ops


def events(case: Case, script: Script, probe: Probe) -> list[str]:
    ops: list[Case] = []
    wanted: dict[int, Any] = {}
    started = False
    for step in script.steps:
        name, args = step.get("call", ""), step.get("args", {})
        if name.startswith("CapacityScheduling.") and not started:
            infos = (script.value(step["receiver"]) or {}).get("elasticQuotaInfos")
            ops += quota_ops(infos, script) + held_ops(infos, script)
            started = True
        if name == "CapacityScheduling.addElasticQuota":
            ops.append(capacity.limits(script.value(args["obj"])))
        elif name == "CapacityScheduling.updateElasticQuota":
            ops.append(capacity.limits(script.value(args["newObj"]), "update"))
        elif name == "CapacityScheduling.deleteElasticQuota":
            space = script.value(args["obj"])["metadata"]["namespace"]
            ops.append({"op": "remove", "namespace": space})
        elif name in ("CapacityScheduling.addPod", "CapacityScheduling.Reserve"):
            ops.append(capacity.use(script.value(args.get("obj") or args["pod"])))
        elif name in ("CapacityScheduling.deletePod", "CapacityScheduling.Unreserve"):
            ops.append(capacity.use(script.value(args.get("obj") or args["pod"]), "release"))
        elif name == "CapacityScheduling.updatePod":
            phases = [script.value(args[k]).get("status", {}).get("phase")
                      for k in ("oldObj", "newObj")]
            if phases[0] not in ("Succeeded", "Failed") and phases[1] not in ("Running", "Pending"):
                ops.append(capacity.use(script.value(args["newObj"]), "release"))
        wanted |= {check: len(ops) for check in script.checks if check == step["n"] + 1 and ops}
    answers = probe.capacity(ops)
    out = []
    for n, actual in script.checks.items():
        what = next(c["what"] for c in case["expect"]["checks"] if c["n"] == n)
        if not (what == "got" or what.startswith("cs.elasticQuotaInfos")):
            continue
        told = actual
        while isinstance(told, dict) and "same_as" in told:
            told = script.checks.get(int(told["same_as"].partition(":")[0]))
        done = [i for i, op_n in enumerate(step_numbers(script, ops)) if op_n < n]
        accounts = answers[done[-1]]["accounts"]
        if told is not None and "Namespace" in told:
            space = told["Namespace"]
            told = {space: told}
            accounts = {space: accounts[space]} if space in accounts else {}
        elif told is None:
            told, accounts = {}, {}
        out += capacity.account_differences(f"check {n}", accounts, told)
    return out


def step_numbers(script: Script, ops: list[Case]) -> list[int]:
    """Of each question the number of the step that it is for; quotas that were there come before
    all."""
    prefix = "CapacityScheduling."
    numbers = [s["n"] for s in script.steps if s.get("call", "").startswith(prefix)]
    return [-1] * (len(ops) - len(numbers)) + numbers[-len(ops) :]


def over(case: Case, script: Script, probe: Probe) -> list[str]:
    names = {"usedOverMin": "min", "usedOverMinWith": "min_with", "usedOverMaxWith": "max_with"}
    [step] = script.calls(*(f"ElasticQuotaInfo.{name}" for name in names))
    info = script.value(step["receiver"])
    more = named(script.value(step.get("args", {}).get("podRequest")) or {})
    space = info["Namespace"]
    ops = [*quota_ops({space: info}, script), {"op": "over", "namespace": space, "more": more}]
    answer = probe.capacity(ops)[-1]["over"][names[step["call"].partition(".")[2]]]
    right = script.result(step["n"])
    return [] if answer == right else [f"{answer}, recorded {right}"]


def amounts_moved(case: Case, script: Script, probe: Probe) -> list[str]:
    calls = script.calls("ElasticQuotaInfo.reserveResource", "ElasticQuotaInfo.unreserveResource")
    info = script.value(calls[0]["receiver"])
    space = info["Namespace"]
    ops = quota_ops({space: info}, script)
    for step in calls:
        request = {"namespace": space, "name": f"{step['n']}",
                   "request": named(step["args"]["request"])}
        if step["call"].endswith("unreserveResource"):
            # It gives back what it was never told of: told first, that gives back twice as much.
            ops[0]["used"] = {
                n: ops[0]["used"].get(n, 0) - request["request"].get(n, 0)
                for n in ops[0]["used"].keys() | request["request"].keys()
            }
            continue
        ops.append(request | {"op": "use"})
    account = probe.capacity(ops)[-1]["accounts"][space]
    left, right = named_back(account["used"]), named(case["expect"]["expected"]["Used"])
    return [] if left == right else [f"{left}, recorded {right}"]


def named_back(amounts: dict[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


def decide(case: Case, script: Script, probe: Probe) -> list[str]:
    out = []
    inputs = case["state"].get("inputs") or {}
    nodes = [script.value(o) for o in inputs.get("nodes") or []]
    infos = inputs.get("elasticQuotas") or {}
    ops = quota_ops(infos, script) + [capacity.node(o) for o in nodes]
    for pod in inputs.get("pods") or inputs.get("existPods") or []:
        read = script.value(pod)
        if place := read["spec"].get("nodeName"):
            ops.append({"op": "run", "task": capacity.task(read), "node": place})
    checks = [script.checks[n] for n in sorted(script.checks)]
    for step in script.calls(
        "CapacityScheduling.PreFilter",
        "Evaluator.DryRunPreemption",
        "CapacityScheduling.PostFilter",
        "preemptor.PodEligibleToPreemptOthers",
    ):
        pod = script.value(step["args"]["pod"])
        asked = {"task": capacity.task(pod)}
        if step["call"].endswith("PodEligibleToPreemptOthers"):
            status = script.value(step["args"]["nominatedNodeStatus"]) or {}
            asked |= {"op": "right",
                      "too_large": status.get("code") == "UnschedulableAndUnresolvable"}
            answer = probe.capacity([*ops, asked])[-1]["right"]
            right = next(v for v in checks[::-1] if isinstance(v, bool))
            if answer != right:
                out.append(f"may preempt: {answer}, recorded {right}")
            continue
        answer = probe.capacity([*ops, asked | {"op": "decide"}])[-1]["decision"]
        if step["call"].endswith("PreFilter"):
            right = next(script.checks[n] for n in sorted(script.checks) if n > step["n"])
            if (answer["verdict"] == "fits") != (right == 0):
                out.append(f"{pod['metadata']['name']}: {answer['verdict']}, recorded code {right}")
        elif step["call"].endswith("PostFilter"):
            result = next((v for v in checks if isinstance(v, dict) and "NominatedNodeName" in v),
                          {})
            if answer.get("chosen") != (result.get("NominatedNodeName") or None):
                out.append(f"chosen {answer.get('chosen')}, recorded {result}")
        else:
            right = [p["ref"].partition(" ")[2] for v in checks if isinstance(v, dict)
                     for p in v["Pods"]]
            victims = [v for offer in answer["offers"].values() for v in offer["victims"]]
            if victims != right:
                out.append(f"victims {victims}, recorded {right}")
    return out


# By test, where the calls do not tell it.
TESTS = {
    "nodemetadata.TestValidateArgs": scores.mark_settings,
    "noderesources.TestNodeResourcesAllocatable": scores.scored,
    "trimaran.TestGetNodeRequestsAndLimits": scores.books,
} | caches.TESTS
CALLS = {
    "TopologyMatch.Filter": judged,
    "TopologyMatch.Score": judged,
    "numaNodesRequired": fewest,
    "minAvgDistanceInCombinations": closest,
    "onlyNonNUMAResources": concerns_none,
    "normalizeScore": count_score,
    "isHostLevelResource": kind,
    "isNUMAAffineResource": kind,
    "subtractFromNUMAs": take_across,
    "subtractResourcesFromNUMANodeList": take,
    "ElasticQuotaInfo.usedOverMin": over,
    "ElasticQuotaInfo.usedOverMinWith": over,
    "ElasticQuotaInfo.usedOverMaxWith": over,
    "ElasticQuotaInfo.reserveResource": amounts_moved,
    "ElasticQuotaInfo.unreserveResource": amounts_moved,
    "CapacityScheduling.addElasticQuota": events,
    "CapacityScheduling.Reserve": events,
    "CapacityScheduling.Unreserve": events,
    "CapacityScheduling.PreFilter": decide,
    "CapacityScheduling.PostFilter": decide,
    "Evaluator.DryRunPreemption": decide,
    "preemptor.PodEligibleToPreemptOthers": decide,
} | caches.CALLS | calls.CALLS | gangs.CALLS | network.CALLS | pods.CALLS | scores.CALLS
