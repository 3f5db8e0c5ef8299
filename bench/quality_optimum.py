#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How far each profile is from the optimum, over all small worlds: a table of docs/quality.md.

    PYTHONPATH=build/release/python python3 bench/quality_optimum.py

A world has one to three nodes of 1, 2 or 3 cpus, and one to three jobs, in every order. A job has
one to three tasks of 1 or 2 cpus each, and needs one of them or all. All have one queue and one
priority. The optimum is the most tasks that can be placed, by muster.best; a profile has one cycle.
`--stride N` takes every N-th world.
"""

import argparse
import itertools

import muster

TYPES = [(count, cpu, least) for count in (1, 2, 3) for cpu in (1, 2)
         for least in sorted({1, count})]


def worlds(stride):
    """Pairs of nodes and jobs."""
    nodes = [n for size in (1, 2, 3)
             for n in itertools.combinations_with_replacement((1, 2, 3), size)]
    jobs = [j for size in (1, 2, 3) for j in itertools.product(TYPES, repeat=size)]
    return itertools.islice(itertools.product(nodes, jobs), 0, None, stride)


def snapshot_of(nodes, jobs):
    cluster = muster.Cluster()
    for n, cpu in enumerate(nodes):
        cluster.add_node(f"n{n}", cpu=cpu, memory=100, pods=100)
    for j, (count, cpu, least) in enumerate(jobs):
        cluster.add_job(f"j{j}", count=count, min_available=least, created=j, cpu=cpu)
    return cluster.freeze()


class Row:
    """What one profile made of the worlds."""

    def __init__(self):
        self.plans = self.best = self.scarce = self.scarce_best = self.worst = 0
        self.placed = self.optimum = 0
        self.refused = ""

    def add(self, placed, optimum, scarce):
        self.plans += 1
        self.best += placed == optimum
        self.worst = max(self.worst, optimum - placed)
        if scarce:
            self.scarce += 1
            self.scarce_best += placed == optimum
            self.placed += placed
            self.optimum += optimum


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stride", type=int, default=1)
    stride = parser.parse_args().stride
    names = [str(name) for name in muster.profiles()["name"]]
    rows = {name: Row() for name in names}
    total = scarce_worlds = 0
    for nodes, jobs in worlds(stride):
        snapshot = snapshot_of(nodes, jobs)
        best = muster.best(snapshot)
        assert best.proven
        scarce = best.tasks < sum(count for count, _, _ in jobs)
        total += 1
        scarce_worlds += scarce
        for name in names:
            if rows[name].refused:
                continue
            try:
                plan = snapshot.schedule(name)
            except muster.Error as error:
                rows[name].refused = str(error)
                continue
            rows[name].add(plan.counts["bind"], best.tasks, scarce)
    print(f"{total} worlds; in {scarce_worlds} not all tasks can be placed\n")
    print("| profile | optimal | where not all fit | of the optimum there | most tasks short |")
    print("|---|---|---|---|---|")
    order = sorted(names, key=lambda n: (-rows[n].placed / max(rows[n].optimum, 1), n))
    for name in order:
        row = rows[name]
        if row.refused:
            print(f"| `{name}` | {row.refused} | | | |")
            continue
        print(f"| `{name}` | {row.best / row.plans:.1%} | {row.scarce_best / row.scarce:.1%} "
              f"| {row.placed / row.optimum:.1%} | {row.worst} |")


if __name__ == "__main__":
    main()
