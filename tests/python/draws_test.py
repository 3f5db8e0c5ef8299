# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Calls of Cluster with arguments drawn at random: one that is refused raises an error of the
package or of Python's arguments and changes nothing; a question changes nothing; what a cluster is
written as is read and written the same.

MUSTER_DRAWS is the number of calls, 4000 by default.
"""

import os
import random
import unittest

from engine import HAVE_ENGINE, muster, needs_engine

if HAVE_ENGINE:
    import numpy as np

DRAWS = int(os.environ.get("MUSTER_DRAWS", "4000"))
CALLS_OF_A_CLUSTER = 30
NAMES = ("a", "b", "n0", "n1", "q", "j", "j-0", "default", "", "x/y", "ü", "late")
# With values that fit them.
FIELDS = {"cpu": (1, 2, "500m"), "memory": ("1Gi",), "gpu": (1,), "queue": ("default", "q"),
          "count": (0, 1, 2), "min_available": (1, 2), "priority": (0, 5), "weight": (1, 3),
          "parent": ("", "default", "q"), "labels": ({"a": "b"},), "node": ("a", "b", "n0"),
          "status": ("running", "bound"), "job": ("j", "a"), "created": (1, 2), "domain": ("a",),
          "unschedulable": (True, False), "estimate": (60,), "request": ({"cpu": 1},),
          "capacity": ({"cpu": 8},), "limit": ({"cpu": 4},), "groups": ([],), "taints": ([],),
          "by_count": ({"count": 2},), "devices": ([],), "owner": ({"user": "u"},)}
KEYS = {"node": ("cpu", "memory", "gpu", "labels", "taints", "domain", "unschedulable", "devices"),
        "queue": ("weight", "parent", "limit", "created"),
        "job": ("queue", "count", "cpu", "min_available", "priority", "created", "estimate",
                "by_count", "owner", "groups"),
        "task": ("cpu", "memory", "job", "node", "status", "priority", "labels", "request")}
KINDS = ("node", "queue", "job", "task")
ROWS = ("add_node", "add_queue", "add_job", "add_task", "add_domain", "update_node", "update_queue",
        "update_job", "update_task", "set_flavor", "set_partition", "set_reservation",
        "set_namespace", "set_disruption_budget")
TABLES = ("add_nodes", "add_queues", "add_jobs", "add_tasks")
REMOVALS = ("remove_node", "remove_queue", "remove_job", "remove_task", "remove_domain",
            "remove_flavor", "report_bind_failed", "report_evict_failed")
PROFILES = ("muster", "volcano", "kube-scheduler", "koordinator", "kueue", "yunikorn", "kai",
            "volcano:+drf", "nope")


class Drawn:
    """One cluster, and the calls that are drawn for it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.cluster = muster.Cluster()
        if seed % 2 == 0:  # with a memory that sees events
            self.cluster.add_node("n0", cpu=4)
            self.cluster.add_job("j", count=3, cpu=2)
            self.cluster.apply(self.cluster.schedule("kube-scheduler"))

    def name(self):
        return self.random.choice(NAMES)

    def value(self, key):
        if self.random.random() < 0.85:
            return self.random.choice(FIELDS[key])
        odd = (0, 1, -1, 2, 1.5, float("nan"), float("inf"), "1", "500m", "1Gi", "Gi", "x", None,
               True, 2**40, 2**63, [], {}, {"cpu": 1}, ["a"], [1, 2], np.int64(3),
               np.array([1, 2]), b"z", object())
        return self.random.choice(odd)

    def key(self, call):
        """One that rows of the call's kind have, mostly."""
        kinds = [kind for kind in KINDS if kind in call]
        keys = KEYS[kinds[0]] if kinds and self.random.random() < 0.95 else tuple(FIELDS)
        return self.random.choice(keys)

    def fields(self, call):
        keys = {self.key(call) for _ in range(self.random.randrange(4))}
        return {key: self.value(key) for key in sorted(keys)}

    def column(self, key, rows):
        cells = [self.value(key) for _ in range(rows)]
        if self.random.random() < 0.5:
            return cells
        column = np.empty(rows, dtype=object)
        for row, cell in enumerate(cells):
            column[row] = cell
        return column

    def table(self, call):
        rows = self.random.randrange(4)
        columns = {"name": [self.name() for _ in range(rows)]}
        for _ in range(self.random.randrange(3)):
            key = self.key(call)
            columns[key] = self.column(key, rows)
        return columns

    def row(self, call):
        return {"name": self.name(), **self.fields(call)}

    def call(self):
        """A method, its arguments, and whether it is a question."""
        pick, profile = self.random.choice, self.random.choice(PROFILES)
        number, name, kind = self.random.randrange(6), self.name(), pick(KINDS)
        of_row, of_rows = pick(ROWS), pick(TABLES)
        change = pick(("queue", "job", "nodes", "remove_job", "add_job", "remove_nodes"))
        changes = [{change: pick((self.row(change), name))}][:number]
        cluster = self.cluster
        return pick((
            (getattr(cluster, of_row), (name,), self.fields(of_row), False),
            (getattr(cluster, of_rows), (self.table(of_rows),), {}, False),
            (getattr(cluster, pick(REMOVALS)), (name,), {}, False),
            (cluster.set_task_status, (name, pick(("running", "pending", "x"))), {}, False),
            (cluster.apply_delta, (kind, number, name), self.fields(kind), False),
            (cluster.reconcile, ({kind + "s": [self.row(kind)]},), {}, False),
            (lambda: cluster.apply(cluster.schedule(profile, now=number)), (), {}, False),
            (muster.diagnose, (cluster, name, profile), {"trials": pick((1, 3, -1))}, True),
            (pick((muster.rehearse, muster.what_if)), (cluster, profile, changes), {}, True),
            (muster.need_nodes, (cluster, [self.row("node")], profile), {"most": 2}, True),
            (muster.drain, (cluster, [name], profile), {}, True),
        ))


@needs_engine
class Draws(unittest.TestCase):
    def test_refused_calls_and_questions_change_nothing(self):
        changed = answered = 0
        for seed in range(DRAWS // CALLS_OF_A_CLUSTER):
            drawn = Drawn(seed)
            for _ in range(CALLS_OF_A_CLUSTER):
                method, arguments, keywords, asks = drawn.call()
                before = drawn.cluster.to_scenario()
                refused = False
                try:
                    method(*arguments, **keywords)
                except (muster.Error, ValueError, TypeError):
                    refused = True
                after = drawn.cluster.to_scenario()
                if refused or asks:
                    self.assertEqual(after, before, (seed, method, arguments, keywords))
                changed += after != before
                answered += asks and not refused
            text = drawn.cluster.to_scenario()
            self.assertEqual(muster.Cluster.from_scenario(text).to_scenario(), text, seed)
        # Not all was refused.
        self.assertGreater(changed, DRAWS // 20)
        self.assertGreater(answered, DRAWS // 40)


if __name__ == "__main__":
    unittest.main()
