# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What Python costs over C++: building clusters from columns, and cycles with a policy written in
Python.

    export PYTHONPATH=build/release/python
    build/venv/bin/python bench/python_cost.py [--nodes 10000] [--tasks 100000]

Each figure is the best of several runs, interleaved, because other work on the machine only ever
adds. A cycle schedules --tasks tasks of --classes classes. It is timed:
  plain        without a policy from outside, nodes of equal state scored once
  apart        the same with each node in a state of its own
  native       with a policy from outside, in C++, that scores each node for each class once
  frozen       with the same score in Python
  node         with one that scores the nodes with changed books again, on a twentieth of the tasks
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

import muster
from muster import _core


class Frozen(muster.Policy):
    """Least used first, as the cycle found the nodes, with a trace of the node's own number."""

    calls = 0

    def score(self, task_class, nodes):
        self.calls += 1
        return 10 * nodes.idle["cpu"] / nodes.allocatable["cpu"] + 1e-3 * (nodes.index % 97)


class Node(Frozen):
    score_kind = "node"


def columns(nodes: int, tasks: int, classes: int, jobs: int) -> tuple[dict, dict, dict]:
    """Tables of nodes, jobs and tasks. Jobs and the classes of tasks go round."""
    at = np.arange(tasks)
    node_table = {
        "name": np.char.add("node-", np.arange(nodes).astype(str)).astype(object),
        "cpu": np.full(nodes, 64),
        "memory": np.full(nodes, 256 << 30),
        "pods": np.full(nodes, 110),
        "labels.zone": np.char.add("zone-", (np.arange(nodes) % 8).astype(str)).astype(object),
    }
    job_table = {"name": np.char.add("job-", np.arange(jobs).astype(str)).astype(object)}
    task_table = {
        "name": np.char.add("task-", at.astype(str)).astype(object),
        "job": job_table["name"][at % jobs],
        "request.cpu": np.char.add((100 + 10 * (at % jobs % classes)).astype(str),
                                   "m").astype(object),
        "memory": np.full(tasks, 1 << 30),
        "priority": at % 3,
    }
    return node_table, job_table, task_table


def build(tables: tuple[dict, dict, dict]) -> muster.Cluster:
    cluster = muster.Cluster()
    cluster.add_nodes(tables[0])
    cluster.add_jobs(tables[1], min_available=1)
    cluster.add_tasks(tables[2])
    return cluster


def build_by_row(tables: tuple[dict, dict, dict]) -> muster.Cluster:
    cluster = muster.Cluster()
    node, job, task = tables
    for i, name in enumerate(node["name"]):
        cluster.add_node(
            name,
            cpu=int(node["cpu"][i]),
            memory=int(node["memory"][i]),
            pods=int(node["pods"][i]),
            labels={"zone": node["labels.zone"][i]},
        )
    for name in job["name"]:
        cluster.add_job(name, min_available=1)
    for i, name in enumerate(task["name"]):
        cluster.add_task(
            name,
            job=task["job"][i],
            cpu=task["request.cpu"][i],
            memory=int(task["memory"][i]),
            priority=int(task["priority"][i]),
        )
    return cluster


def best(runs: int, **timed: Callable[[], object]) -> dict[str, float]:
    """Seconds of the quickest of `runs` runs of each."""
    out = dict.fromkeys(timed, float("inf"))
    for _ in range(runs):
        for name, call in timed.items():
            start = time.perf_counter()
            call()
            out[name] = min(out[name], time.perf_counter() - start)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--profile", default="volcano")
    args = parser.parse_args()

    tables = columns(args.nodes, args.tasks, args.classes, args.jobs)
    built = best(3, columns=lambda: build(tables)) | best(1, rows=lambda: build_by_row(tables))
    size = f"{args.nodes} nodes and {args.tasks} tasks"
    print(f"building a cluster of {size}")
    print(
        f"  from columns  {built['columns'] * 1e3:9.1f} ms  {built['columns'] / args.tasks * 1e6:6.2f} us a task")
    print(
        f"  row by row    {built['rows'] * 1e3:9.1f} ms  {built['rows'] / args.tasks * 1e6:6.2f} us a task")

    snapshot = build(tables).freeze()
    frozen, node = Frozen(), Node()
    apart = {"share_equal_states": False}
    native = _core.native_frozen()
    plan = snapshot.schedule(args.profile, policies=[frozen])
    if plan.digest != _core.schedule(snapshot._core, args.profile, {}, native).digest:
        raise SystemExit("the policies in C++ and Python decided differently")
    calls = frozen.calls
    seconds = best(
        args.runs,
        plain=lambda: snapshot.schedule(args.profile),
        apart=lambda: snapshot.schedule(args.profile, speed=apart),
        native=lambda: _core.schedule(snapshot._core, args.profile, {}, native),
        frozen=lambda: snapshot.schedule(args.profile, policies=[frozen]),
    )
    print(f"a cycle of {args.profile} on them ({plan.counts['bind']} binds)")
    for name, words in (
        ("plain", "no policy from outside"),
        ("apart", "each node in a state of its own"),
        ("native", "a score in C++, once for each class"),
        ("frozen", f"the same in Python, {calls} calls"),
    ):
        print(f"  {name:12}  {seconds[name] * 1e3:9.1f} ms  {words}")
    few = build(columns(args.nodes, args.tasks // 20, args.classes, args.jobs)).freeze()
    seconds |= best(1, node=lambda: few.schedule(args.profile, policies=[node]))
    print(
        f"  node          {seconds['node'] * 1e3:9.1f} ms  the same that follows the books, for {args.tasks // 20} tasks: "
        f"{node.calls} calls, {seconds['node'] / node.calls * 1e6:.0f} us each"
    )
    over = seconds["frozen"] / seconds["native"] - 1
    print(
        f"Python costs {over:+.1%} over C++; the score itself {seconds['native'] / seconds['apart'] - 1:+.1%}: other decisions")


if __name__ == "__main__":
    main()
