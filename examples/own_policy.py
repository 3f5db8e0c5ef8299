# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Two policies of the caller's own: one prefers racks by a price list, the other keeps nodes with
GPUs for tasks that request GPUs.

    PYTHONPATH=build/release/python build/venv/bin/python examples/own_policy.py
"""

import numpy as np

import muster


class CheapRacks(muster.Policy):
    """Prefers racks by a price list; called once for each class of tasks."""

    name = "cheap-racks"

    def __init__(self, prices):
        self.prices = prices

    def score(self, task_class, nodes):
        racks = nodes.label("rack")
        price = np.array([self.prices.get(rack, 1.0) for rack in racks])
        return 1000 * (1 - price)


class GpuNodesForGpus(muster.Policy):
    """Keeps nodes with GPUs for tasks that request GPUs."""

    refusal = "kept for tasks with GPUs"

    def fit(self, task_class, nodes):
        if task_class.request.get("nvidia.com/gpu", 0) > 0:
            return np.ones(len(nodes), dtype=bool)
        return nodes.allocatable["nvidia.com/gpu"] == 0


cluster = muster.Cluster()
cluster.add_nodes(4, cpu=8, labels={"rack": "gold"})
cluster.add_nodes(4, name="s", cpu=8, labels={"rack": "silver"})
cluster.add_nodes(2, name="g", cpu=32, gpu=8, labels={"rack": "gold"})
cluster.add_job("web", count=6, min_available=1, cpu=8)
cluster.add_job("train", count=8, min_available=8, cpu=4, gpu=1)
cluster.add_job("wide", count=1, min_available=1, cpu=16)

policies = [CheapRacks({"gold": 0.9, "silver": 0.2}), GpuNodesForGpus()]
profile = "volcano:tiers=priority+gang/overcommit+predicates+nodeorder+cheap-racks+gpu-nodes-for-gpus"
plan = cluster.schedule(profile, policies=policies)
print(plan.to_text())
print(plan.explain("wide"))

nodes = dict(zip(plan.binds["task"], plan.binds["node"]))
assert sum(node.startswith("s") for task, node in nodes.items() if task.startswith("web")) == 4
assert all(node.startswith("g") for task, node in nodes.items() if task.startswith("train"))
assert "kept for tasks with GPUs" in plan.explain("wide")
