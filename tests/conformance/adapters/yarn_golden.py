# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Outcomes of the peer's own tests of the capacity scheduler: the order of sibling queues, and what
a round of preemption takes.

States of preemption are made as the peer would come to them: applications run one after another
until each holds what the state says, then they ask for what is pending.
"""

from collections import Counter
from math import ceil
from typing import Any

from probe import Probe, Unanswerable

Json = dict[str, Any]

_LEAF = {
    "ordering": "fifo",
    "userLimitFactor": "-1.0",
    "maxAmPercent": "1.0",
    "maxApplications": 1000,
    "maxParallelApps": 1000,
    "sizeBasedWeight": False,
}
# Before a full queue is divided among its users, the scheduler adds the least allocation to it. The
# tests set the limit of users without that; of containers this large it makes no difference.
_SIZE_WITH_USERS = 10


def check(level: str, case: Json, probe: Probe) -> list[str]:
    if case["test"] == "delay_scheduling_sizing":
        raise Unanswerable("advice for setting the delay of locality; no scheduler computes it")
    if "policy" in case["config"]:
        order = probe.yarn(case)
        wanted = case["expect"]["order"]
        return [] if order == wanted else [f"order: {order} instead of {wanted}"]
    if "apps" in case["state"]:
        script = _Script(100 * _SIZE_WITH_USERS)
        names = script.within_a_queue(case)
    else:
        script = _Script(case["state"]["total"])
        names = script.between_queues(case)
    answers = probe.yarn(script.case)
    selected = answers[-1].get("selected", {})
    taken = Counter(
        names[app] for containers in selected.values() for app, _ in containers
    )
    wanted = case["expect"]["preempted"]
    return [
        f"preempted from {name}: {taken[name]} instead of {wanted.get(name, 0)}"
        for name in sorted(taken.keys() | wanted.keys())
        if taken[name] != wanted.get(name, 0)
    ]


class _Script:
    """A case as runs of the peer are recorded, on one node that is the cluster."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.ops: list[Json] = [{"op": "node", "id": "n", "rack": "/r", "res": [total, total]}]
        self.pending: list[Json] = []
        self.queues: list[Json] = []
        self.case: Json = {
            "config": {
                "scheduler": "capacity",
                "calculator": "default",
                "minAlloc": [1, 1],
                "maxAlloc": [total, total],
                "nodeLocalityDelay": 40,
                "rackLocalityAdditionalDelay": -1,
                "rackLocalityFullReset": True,
                "multipleAssignments": True,
                "maxAssignments": -1,
                "maxOffSwitchAssignments": total,
                "reservationsContinueLooking": True,
                "labels": [],
                "queues": self.queues,
            },
            "ops": self.ops,
        }

    def between_queues(self, case: Json) -> dict[int, str]:
        state, config = case["state"], case["config"]
        names: dict[int, str] = {}
        priorities = any("priority" in queue for queue in _all(state["queues"]))
        self._add_root(priorities)
        self._add_level("root", state["queues"], self.total, config)
        for queue in _all(state["queues"]):
            if "children" in queue or queue["used"] + queue["pending"] == 0:
                continue
            app = len(names) + 1
            names[app] = queue["name"]
            self._run(app, self._path(queue["name"]), "u", 0, queue["used"], queue["pending"], 1)
        self._finish(config, balances=config.get("balance_after_satisfied", False))
        return names

    def within_a_queue(self, case: Json) -> dict[int, str]:
        state, config = case["state"], case["config"]
        guaranteed = state["guaranteed"] * _SIZE_WITH_USERS
        self._add_root(False)
        self._add("root.q", guaranteed, self.total)
        users = {app["user"] for app in state["apps"]}
        limit = ceil(state["guaranteed"] / len(users))
        self.queues[1]["userLimitPercent"] = 100 * limit / state["guaranteed"]
        for app in state["apps"]:
            self._run(
                app["id"], "root.q", app["user"], app["priority"], app["containers"],
                app["pending"], app["containerSize"] * _SIZE_WITH_USERS, state["amPerRunningApp"],
            )
        self._finish(config, intra=True)
        return {app["id"]: str(app["id"]) for app in state["apps"]}

    def _add_level(self, parent: str, level: list[Json], most: int, config: Json) -> None:
        for queue in level:
            own_most = min(queue.get("max", self.total), most)
            path = f"{parent}.{queue['name']}"
            row = self._add(path, queue["guaranteed"], own_most)
            row["priority"] = queue.get("priority", 0)
            row["disablePreemption"] = any(
                f".{name}." in f"{path}." for name in config.get("disabled", ())
            )
            if "children" in queue:
                row["ordering"] = self.queues[0]["ordering"]
                self._add_level(path, queue["children"], own_most, config)

    def _add_root(self, priorities: bool) -> None:
        row = self._add("root", 0, 0)
        row |= {"capacity": "100", "maxCapacity": "100"}
        row["ordering"] = "priority-utilization" if priorities else "utilization"

    def _add(self, path: str, guaranteed: int, most: int) -> Json:
        row = _LEAF | {
            "path": path,
            "capacity": f"[memory={guaranteed},vcores={guaranteed}]",
            "maxCapacity": f"[memory={most},vcores={most}]",
            "priority": 0,
            "userLimitPercent": 10000,  # in these tests users have no limit
            "disablePreemption": False,
            "disableIntraPreemption": False,
        }
        self.queues.append(row)
        return row

    def _path(self, name: str) -> str:
        return next(q["path"] for q in self.queues if q["path"].rpartition(".")[2] == name)

    def _run(self, app: int, queue: str, user: str, priority: int, held: int, pending: int,
             size: int, masters: int = 0) -> None:
        """An application that holds so many containers, the masters among them."""
        master = [size, 1] if masters and held else None
        self.ops.append({"op": "app", "id": app, "queue": queue, "user": user,
                         "priority": priority, "am": master})
        rest = held - 1 if master else held
        if rest > 0:
            self.ops.append({"op": "ask", "app": app, "asks": [[1, "*", size, 1, rest, True]]})
        self.ops += [{"op": "hb", "node": "n"}] * (2 if held else 0)
        if pending:
            self.pending.append(
                {"op": "ask", "app": app, "asks": [[1, "*", size, 1, pending, True]]}
            )

    def _finish(self, config: Json, *, balances: bool = False, intra: bool = False) -> None:
        self.ops += self.pending + [{"op": "preempt"}]
        self.case["config"]["preemption"] = {
            "maxWaitBeforeKill": 15000,
            "totalPerRound": str(config["total_preemption_per_round"]),
            "maxIgnoredOverCapacity": str(config.get("max_ignored_over_capacity", 0.1)),
            "naturalTerminationFactor": str(config.get("natural_termination_factor", 1.0)),
            "reservedContainers": False,
            "additionalBalanceReserved": False,
            "balanceAfterSatisfied": balances,
            "balanceMaxWaitBeforeKill": 0,
            "intraQueue": intra,
            "intraMinimumThreshold": str(config.get("minimum-threshold", 0.5)),
            "intraMaxAllowableLimit": str(config.get("max-allowable-limit", 0.2)),
            "intraOrderPolicy": config.get("preemption-order-policy", "userlimit_first"),
            "conservativeDrf": False,
            "intraConservativeDrf": True,
            "priorityUnderUtilized": False,
            "priorityAllowMove": False,
        }


def _all(queues: list[Json]) -> list[Json]:
    return [q for queue in queues for q in [queue, *_all(queue.get("children", []))]]
