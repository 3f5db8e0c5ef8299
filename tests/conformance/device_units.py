# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of rules about shared cards: shares of GPUs, partitions, exclusive rules, GPU
share, Ascend NPUs."""

from typing import Any, Callable

from amount_units import differences
from probe import Probe, Unanswerable
from quantity import parse

Json = dict[str, Any]
Unit = Callable[[Probe, Json, bool], list[str]]

PREFIX = "volcano.sh/vgpu-"
VGPU_NAMES = {"count": PREFIX + "number", "memory": PREFIX + "memory", "percent": "",
              "cores": PREFIX + "cores"}
GROUP_KEYS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
# A step without limits of the card gets none.
UNLIMITED = {"memory": 2**40, "most_tasks": 2**40, "type": "NVIDIA"}


def _want(case: Json) -> Any:
    return case["observed"]["results"][0]


def _after(case: Json, n: int) -> Any:
    """An argument after the call; the record gives them only where the call changed any."""
    return case["observed"].get("argsAfter", case["state"]["args"])[n]


def _amounts(resources: Json, kind: str) -> dict[str, int]:
    return {name: int(parse(value, name)) for name, value in resources.get(kind, {}).items()}


def _containers(pod: Json, names: dict[str, str]) -> Json:
    containers = [
        {kind: _amounts(c.get("resources", {}), kind) for kind in ("limits", "requests")}
        for c in pod["spec"]["containers"]
    ]
    return {"names": names, "containers": containers}


# --- shares of GPUs


def _geometries(templates: list[Json] | None) -> list[Json]:
    return [
        {
            "group": geometry.get("group", ""),
            "instances": [
                {"name": kind["name"], "memory": kind.get("memory", 0),
                 "count": kind.get("count", 0)}
                for kind in geometry.get("geometries") or []
            ],
        }
        for geometry in templates or []
    ]


def _mig(usage: Json) -> Json:
    kinds = [
        {"name": kind["name"], "memory": kind.get("memory", 0), "used": kind.get("usedIndex") or []}
        for kind in usage.get("UsageList") or []
    ]
    return {"geometry": usage.get("Index", 0), "kinds": kinds}


def _card(device: Json) -> Json:
    holders = [
        {
            "task": task,
            "group": held.get("PodGroupKey", ""),
            "memory": held.get("UsedMem", 0),
            "cores": held.get("UsedCore", 0),
        }
        for task, held in (device.get("PodMap") or {}).items()
        if held is not None
    ]
    return {
        "uuid": device.get("UUID", ""),
        "type": device.get("Type", ""),
        "memory": device.get("Memory", 0),
        "most_tasks": device.get("Number", 0),
        "tasks": device.get("UsedNum", 0),
        "used_memory": device.get("UsedMem", 0),
        "used_cores": device.get("UsedCore", 0),
        "holders": holders,
        "geometries": _geometries(device.get("MigTemplate")),
        "mig": _mig(device.get("MigUsage", {})),
    }


def _sums(card: Json) -> Json:
    return {key: card[key] for key in ("tasks", "used_memory", "used_cores")}


def _books(card: Json) -> Json:
    holders = {h["task"]: [h["memory"], h["cores"]] for h in card["holders"]}
    return _sums(card) | {"holders": holders, "mig": card["mig"]}


def _listed(annotations: Json, key: str) -> list[str]:
    return [uuid.strip() for uuid in annotations.get(key, "").split(",") if uuid.strip()]


def _request(pod: Json) -> Json:
    meta = pod.get("metadata", {})
    annotations = meta.get("annotations") or {}
    request = _containers(pod, VGPU_NAMES) | {
        "use_uuids": _listed(annotations, PREFIX + "use-gpuuuid"),
        "avoid_uuids": _listed(annotations, PREFIX + "nouse-gpuuuid"),
        "apart": annotations.get(PREFIX + "podgroup-policy") == "spread",
    }
    if PREFIX + "mode" in annotations:
        request["mode"] = annotations[PREFIX + "mode"]
    group = next((annotations[key] for key in GROUP_KEYS if annotations.get(key)), "")
    if group:
        request["group"] = f"{meta.get('namespace', '')}/{group}"
    return request | _types(annotations)


def _types(annotations: Json | None) -> Json:
    keys = (("use_types", "nvidia.com/use-gputype"), ("avoid_types", "nvidia.com/nouse-gputype"))
    return {name: annotations[key].split(",") for name, key in keys if annotations
            and key in annotations}


def _check_node(probe: Probe, case: Json, _: bool) -> list[str]:
    """checkNodeGPUSharingPredicateAndScore(pod, cards, on a copy, policy)."""
    pod, node, on_copy, policy = case["state"]["args"]
    fits, containers, score, _error = case["observed"]["results"]
    order = sorted(node["Device"], key=int)
    cards = [_card(node["Device"][index]) for index in order]
    if any(card["geometries"] for card in cards):
        raise Unanswerable("the record does not say how many units of memory a partition's unit is")
    machine = {"mode": node.get("Mode", ""), "cards": cards}
    got = probe.cards("take", machine=machine, request=_request(pod), order=policy)
    given = [
        [{"UUID": cards[g["card"]]["uuid"], "Usedmem": g["memory"], "Usedcores": g["cores"]}
         for g in grants]
        for grants in got["containers"]
    ]
    wanted = [
        [{key: d.get(key, 0) for key in ("UUID", "Usedmem", "Usedcores")} for d in devices]
        for devices in containers or []
    ]
    lines = differences(got["fits"], fits) + differences(given if fits else [], wanted)
    lines += differences(got["score"] if fits else 0, score)
    if not on_copy:
        after = _after(case, 1)["Device"]
        recorded = [_sums(_card(after[index])) for index in order]
        lines += differences([_sums(card) for card in got["cards"]], recorded)
    return lines


def _check_type(probe: Probe, case: Json, _: bool) -> list[str]:
    """checkGPUtype(annotations, type)."""
    annotations, kind = case["state"]["args"]
    return differences(probe.cards("type_allowed", card={"type": kind}, **_types(annotations)),
                       _want(case))


def _same_group(probe: Probe, case: Json, _: bool) -> list[str]:
    """deviceHasPodFromSameGroup(card, group)."""
    device, group = case["state"]["args"]
    card = _card(device or {})
    return differences(probe.cards("has_group", card=card, group=group), _want(case))


def _card_score(probe: Probe, case: Json, _: bool) -> list[str]:
    """GPUScore(policy, card)."""
    policy, device = case["state"]["args"]
    return differences(probe.cards("score", card=_card(device), order=policy), _want(case))


def _slot_text(uuid: str, geometries: list[Json], slot: list[int]) -> str:
    return f"{uuid}[{geometries[slot[0]]['group']}-{slot[1]}]"


def _slot(device: Json, name: str) -> list[int]:
    """Of "uuid[group-position]"."""
    group, _, position = name[name.index("[") + 1 : name.index("]")].rpartition("-")
    return [_geometry(device, group), int(position)]


def _geometry(device: Json, group: str) -> int:
    """-1: the card has no such."""
    names = [geometry.get("group") for geometry in device.get("MigTemplate") or []]
    return names.index(group) if group in names else -1


def _any_factor(compare: Callable[[int], list[str]]) -> list[str]:
    """How many units of memory a partition's unit is stands in the machine's configuration, which
    is not recorded; the tests have one or two."""
    return min((compare(factor) for factor in (1, 2)), key=len)


def _try_add(mode: str) -> Unit:
    def run(probe: Probe, case: Json, _: bool) -> list[str]:
        """HAMICoreFactory.TryAddPod, MIGFactory.TryAddPod(card, memory, cores)."""
        _receiver, device, memory, cores = case["state"]["args"]
        fits, name = case["observed"]["results"]
        card = _card(device) | UNLIMITED
        limits = {PREFIX + "number": 1, PREFIX + "memory": memory, PREFIX + "cores": cores}
        request = {"names": VGPU_NAMES, "containers": [{"limits": limits, "requests": {}}]}

        def compare(factor: int) -> list[str]:
            machine = {"mode": mode, "cards": [card], "memory_factor": factor}
            got = probe.cards("take", machine=machine, request=request, order="")
            lines = differences(got["fits"], fits)
            if got["fits"]:
                [[grant]] = got["containers"]
                given = card["uuid"]
                if "slot" in grant:
                    given = _slot_text(given, card["geometries"], grant["slot"])
                lines += differences(given, name)
            return lines + differences(_sums(got["cards"][0]), _sums(_card(_after(case, 1))))

        return _any_factor(compare)

    return run


def _hold(ask: str) -> Unit:
    def run(probe: Probe, case: Json, _: bool) -> list[str]:
        """HAMICoreFactory and MIGFactory .AddPod, .SubPod(card, memory, cores, pod, device)."""
        _receiver, device, memory, cores, task, name = case["state"]["args"]
        question = {"card": _card(device), "task": task, "memory": memory, "cores": cores}
        if case["state"]["fn"].startswith("MIG"):
            question["slot"] = _slot(device, name)

        def compare(factor: int) -> list[str]:
            got = probe.cards(ask, memory_factor=factor, **question)
            lines = differences(_books(got["card"]), _books(_card(_after(case, 1))))
            if ask == "remove_holder":
                lines += differences(got["known"], _want(case) is None)
            return lines

        return _any_factor(compare)

    return run


def _find_match(probe: Probe, case: Json, _: bool) -> list[str]:
    """findMatch(uuid, memory, use, geometries)."""
    uuid, memory, use, templates = case["state"]["args"]
    geometries = _geometries(templates)
    got = probe.cards("find_instance", geometries=geometries, mig=_mig(use), memory=memory)
    ours = [True, _slot_text(uuid, geometries, got[:2]), got[2]] if got else [False, "", 0]
    return differences(ours, case["observed"]["results"])


def _instance(ask: str) -> Unit:
    def run(probe: Probe, case: Json, _: bool) -> list[str]:
        """addMigUsed, subMigUsed(card, group, position)."""
        device, group, position = case["state"]["args"]
        card = _card(device)
        slot = [_geometry(device, group), position]
        got = probe.cards(ask, geometries=card["geometries"], mig=card["mig"], slot=slot)
        want = {"memory": _want(case), "mig": _card(_after(case, 0))["mig"]}
        return differences(got, want)

    return run


# --- exclusive rules


def _labels(pod: Json) -> Json:
    return pod.get("metadata", {}).get("labels") or {}


def _matches_rule(probe: Probe, case: Json, _: bool) -> list[str]:
    """podMatchesRule(pod, rule)."""
    pod, rule = case["state"]["args"]
    got = probe.cards("exclusive", rules=[rule.get("labels") or {}], labels=_labels(pod))
    return differences(bool(got["rules"]), _want(case))


def _matching_rules(probe: Probe, case: Json, _: bool) -> list[str]:
    """matchingRules(pod, rules)."""
    pod, rules = case["state"]["args"]
    asked = [rule.get("labels") or {} for rule in rules or []]
    got = probe.cards("exclusive", rules=asked, labels=_labels(pod))
    return differences(got["rules"], _want(case) or [])


def _reserved(probe: Probe, case: Json, _: bool) -> list[str]:
    """exclusiveGPUDevices.reservedGPUsForPod(pod)."""
    receiver, pod = case["state"]["args"]
    rules = [rule["labels"] for rule in receiver["cfg"]["rules"]]
    held = [
        {"task": rule, "labels": rules[int(rule)], "cards": [int(card) for card in cards]}
        for rule, cards in receiver["ruleGPUs"].items()
    ]
    got = probe.cards("exclusive", rules=rules, held=held, labels=_labels(pod))
    return differences(got["barred"], [int(card) for card in _want(case) or []])


# --- GPU share


def _amount_of(probe: Probe, pod: Json, name: str) -> int:
    def of(kind: str) -> list[int]:
        return [
            _amounts(c.get("resources", {}), "limits").get(name, 0) for c in pod["spec"].get(kind)
            or []
        ]

    return probe.cards("amount", containers=of("containers"), init_containers=of("initContainers"))


def _amount(name: str) -> Unit:
    def run(probe: Probe, case: Json, _: bool) -> list[str]:
        """getGPUMemoryOfPod, getGPUNumberOfPod(pod)."""
        return differences(_amount_of(probe, case["state"]["args"][0], name), _want(case))

    return run


MEMORY = "volcano.sh/gpu-memory"


def _gpus(probe: Probe, node: Json) -> list[Json]:
    return [
        {
            "id": device.get("ID", 0),
            "memory": device.get("Memory", 0),
            "holders": [
                {
                    "task": task,
                    "memory": _amount_of(probe, pod, MEMORY),
                    "ended": pod.get("status", {}).get("phase") in ("Succeeded", "Failed"),
                }
                for task, pod in device["PodMap"].items()
            ],
        }
        for device in node["Device"].values()
    ]


def _idle(probe: Probe, case: Json, _: bool) -> list[str]:
    """getDevicesIdleGPUMemory(cards)."""
    [node] = case["state"]["args"]
    return differences(probe.cards("shared", gpus=_gpus(probe, node))["idle"], _want(case))


def _by_memory(probe: Probe, case: Json, _: bool) -> list[str]:
    """predicateGPUbyMemory(pod, cards)."""
    pod, node = case["state"]["args"]
    got = probe.cards("shared", gpus=_gpus(probe, node), memory=_amount_of(probe, pod, MEMORY))
    return differences(got["ids"], _want(case) or [])


# --- Ascend


def _ascend(devices: dict[str, Json], kind: str) -> Json:
    config = next(iter(devices.values()), {}).get("config", {})
    return {
        "type": kind,
        "model": {
            "name": config.get("commonWord", ""),
            "allocatable": config.get("memoryAllocatable", 0),
            "capacity": config.get("memoryCapacity", 0),
            "templates": config.get("templates") or [],
        },
        "cards": [_npu(device) for device in devices.values()],
    }


def _npu(device: Json) -> Json:
    info, usage = device.get("DeviceInfo", {}), device.get("DeviceUsage", {})
    card = {
        "id": info.get("id", ""),
        "most_tasks": info.get("count", 0),
        "memory": info.get("devmem", 0),
        "cores": info.get("devcore", 0),
        "tasks": usage.get("Used", 0),
        "used_memory": usage.get("Usedmem", 0),
        "used_cores": usage.get("Usedcores", 0),
        "shares_cores": device.get("hamiVnpuCore", False),
        "holders": list(device.get("PodMap") or {}),
    }
    network = (info.get("custominfo") or {}).get("NetworkID")
    return card if network is None else card | {"network": int(network)}


def _round(probe: Probe, case: Json, _: bool) -> list[str]:
    """AscendDevice.trimMemory(memory)."""
    device, memory = case["state"]["args"]
    got = probe.cards("ascend_round", machine=_ascend({"": device}, ""), memory=memory)
    return differences(got, case["observed"]["results"])


def _may_ask(probe: Probe, case: Json, _: bool) -> list[str]:
    """verifyReq(request, card)."""
    request, device = case["state"]["args"]
    count, memory = request.get("Nums", 0), request.get("Memreq", 0)
    got = probe.cards("ascend_may_ask", machine=_ascend({"": device}, ""), count=count,
                      memory=memory)
    return differences(got, _want(case) is None)


def _fits(probe: Probe, case: Json, _: bool) -> list[str]:
    """fit(request, card, by cores)."""
    request, device, by_cores = case["state"]["args"]
    if request.get("Type") != device["config"]["commonWord"]:
        raise Unanswerable("a request of another model, which is not asked of the machine")
    got = probe.cards(
        "ascend_fits",
        machine=_ascend({"": device}, ""),
        memory=request.get("Memreq", 0),
        cores=request.get("Coresreq", 0),
        by_cores=by_cores,
    )
    return differences(got, _want(case))


def _ascend_score(probe: Probe, case: Json, _: bool) -> list[str]:
    """CalScore(policy, usage, card)."""
    policy, usage, info = case["state"]["args"]
    device = {"DeviceInfo": info, "DeviceUsage": usage}
    got = probe.cards("ascend_score", machine=_ascend({"": device}, ""), order=policy)
    return differences(got, _want(case))


# Codes of the peer, by why a machine refuses (none, no cards, part of several, no room): success,
# error, unschedulable.
CODES = (0, 1, 1, 2)


def _filter(probe: Probe, case: Json, _: bool) -> list[str]:
    """AscendDevices.FilterNode(pod, policy)."""
    receiver, pod, policy = case["state"]["args"]
    devices = receiver["Devices"]
    name = next(iter(devices.values()))["config"]["resourceName"] if devices else ""
    memory = next(iter(devices.values()))["config"]["resourceMemoryName"] if devices else ""
    names = {"count": name, "memory": memory, "percent": "", "cores": f"{name}-core"}
    annotations = pod.get("metadata", {}).get("annotations") or {}
    got = probe.cards(
        "ascend_choose",
        machine=_ascend(devices, receiver["Type"]),
        request=_containers(pod, names),
        by_cores=annotations.get("huawei.com/vnpu-mode") == "hami-core",
        order=policy,
    )
    return differences(CODES[got], _want(case))


def _add_resource(probe: Probe, case: Json, _: bool) -> list[str]:
    """AscendDevices.AddResource(pod). Devices that were given stand in an annotation as
    id,type,memory,cores:..."""
    receiver, pod = case["state"]["args"]
    text = (pod["metadata"].get("annotations") or {}).get("")
    if receiver is None or text is None or not all(len(d.split(",")) == 4 for d in text.split(":")
                                                   if d):
        raise Unanswerable("an annotation that names no devices")
    ids = list(receiver["Devices"])
    devices = [
        {"card": ids.index(one[0]), "memory": int(one[2]), "cores": int(one[3])}
        for one in (d.split(",") for d in text.split(":") if d)
        if one[0] in ids
    ]
    got = probe.cards(
        "ascend_add",
        machine=_ascend(receiver["Devices"], receiver["Type"]),
        task=pod["metadata"]["uid"],
        devices=devices,
    )
    after = [_npu(device) for device in _after(case, 0)["Devices"].values()]
    want = [[c["tasks"], c["used_memory"], c["used_cores"], sorted(c["holders"])] for c in after]
    return differences([[*sums, sorted(holders)] for *sums, holders in got], want)


UNITS: dict[str, Unit] = {
    "AscendDevice.trimMemory": _round,
    "AscendDevices.AddResource": _add_resource,
    "AscendDevices.FilterNode": _filter,
    "CalScore": _ascend_score,
    "GPUScore": _card_score,
    "HAMICoreFactory.AddPod": _hold("add_holder"),
    "HAMICoreFactory.SubPod": _hold("remove_holder"),
    "HAMICoreFactory.TryAddPod": _try_add("hami-core"),
    "MIGFactory.AddPod": _hold("add_holder"),
    "MIGFactory.SubPod": _hold("remove_holder"),
    "MIGFactory.TryAddPod": _try_add("mig"),
    "addMigUsed": _instance("add_instance"),
    "checkGPUtype": _check_type,
    "checkNodeGPUSharingPredicateAndScore": _check_node,
    "deviceHasPodFromSameGroup": _same_group,
    "exclusiveGPUDevices.reservedGPUsForPod": _reserved,
    "findMatch": _find_match,
    "fit": _fits,
    "getDevicesIdleGPUMemory": _idle,
    "getGPUMemoryOfPod": _amount(MEMORY),
    "getGPUNumberOfPod": _amount("volcano.sh/gpu-number"),
    "matchingRules": _matching_rules,
    "podMatchesRule": _matches_rule,
    "predicateGPUbyMemory": _by_memory,
    "subMigUsed": _instance("remove_instance"),
    "verifyReq": _may_ask,
}
