# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From a cluster to a plan, and on to the next cycle.

    PYTHONPATH=build/release/python build/venv/bin/python examples/first_plan.py
"""

import muster

cluster = muster.Cluster()
cluster.add_nodes(3, cpu=16, memory="64Gi", gpu=4)
cluster.add_queue("vision", weight=2)
cluster.add_queue("language")
cluster.add_job("train", queue="vision", count=8, min_available=8, cpu=2, memory="8Gi", gpu=1)
cluster.add_job("tune", queue="language", count=16, min_available=16, cpu=1, gpu=1)

plan = cluster.schedule("volcano")
print(repr(plan))
for task, node in zip(plan.binds["task"], plan.binds["node"]):
    print(f"start {task} on {node}")
print(plan.explain("tune"))

# The cluster follows the plan, tasks report their status, and nodes change.
cluster.apply(plan)
for task in plan.binds["task"]:
    cluster.confirm(task)
cluster.add_node("late", cpu=64, memory="256Gi", gpu=16)

plan = cluster.schedule("volcano")
print(repr(plan))
assert list(plan.binds["job"]) == ["tune"] * 16
