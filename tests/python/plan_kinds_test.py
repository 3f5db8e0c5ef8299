# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The table of each kind of decision."""

import unittest

from engine import muster, needs_engine


def lines(table):
    """The rows of a table, as tuples."""
    return list(zip(*(list(table[name]) for name in table)))


@needs_engine
class PlanKinds(unittest.TestCase):
    def setUp(self):
        from muster import _core

        if not hasattr(_core, "native_every_kind"):
            self.skipTest("this build has no action in C++ that makes them")
        cluster = muster.Cluster()
        cluster.add_nodes(3, cpu=4)
        cluster.add_job("old", groups=[])
        for name in ("leaver", "mover"):
            cluster.add_task(name, job="old", cpu=1, status="running", node="n0")
        shape = {"request": {"cpu": 1}}
        cluster.add_job("gang", groups=[{"name": "w", "count": 3, "shape": shape}])
        self.cluster = cluster
        snapshot, profile = cluster.freeze()._core, "muster:actions=every-kind"
        self.plan = muster.Plan(_core.schedule(snapshot, profile, {}, _core.native_every_kind()))

    def test_tables(self):
        plan = self.plan
        self.assertEqual(lines(plan.moves), [("mover", "n0", "n1", True, "gang-w-2")])
        [(task, _, until, group)] = lines(plan.reservations)
        self.assertEqual((task, until, group), ("gang-w-1", 600, "together"))
        self.assertEqual(list(plan.offers["queue"]), ["default"])
        self.assertEqual(list(plan.offers["node"]), ["n2"])
        self.assertEqual(list(plan.offers["cpu"]), [1000])
        self.assertEqual(lines(plan.resizes), [("gang", "w", 5)])
        self.assertEqual(lines(plan.splits), [("gang-w-0", 3)])
        self.assertEqual(lines(plan.assignments), [("gang", "w", 3, "cpu", "spot")])
        self.assertEqual(lines(plan.places), [("gang", "w", "b1,r7", 2), ("gang", "w", "b1,r8", 1)])

    def test_rows_without_a_task_or_a_node(self):
        rows = self.plan.decisions
        seen = {}
        columns = ("kind", "task", "task_index", "node", "node_index")
        for kind, task, index, node, node_index in zip(*(list(rows[name]) for name in columns)):
            self.assertEqual(index == -1, task == "", kind)
            self.assertEqual(node_index == -1, node == "", kind)
            seen[kind] = (task != "", node != "")
        whole = dict.fromkeys(("bind", "nominate", "evict", "move", "reserve"), (True, True))
        none = dict.fromkeys(("admit", "phase", "resize"), (False, False))
        self.assertEqual({"phase": none["phase"], **seen},
                         {**whole, **none, "offer": (False, True), "split": (True, False)})

    def test_counts(self):
        counts = self.plan.counts
        for kind in ("admit", "bind", "nominate", "evict", "move", "reserve", "offer", "split"):
            self.assertEqual(counts[kind], 1, kind)
        self.assertIn("1 moves, 1 reservations", repr(self.plan))

    def test_empty_tables(self):
        plan = muster.Cluster().schedule("muster")
        for table in ("moves", "reservations", "offers", "resizes", "splits", "assignments",
                      "places"):
            self.assertEqual(lines(getattr(plan, table)), [], table)

    def test_waiting_tasks(self):
        self.cluster.apply(self.plan)
        task = self.cluster.task("gang-w-1")
        self.assertEqual(task["status"], "waiting")
        self.assertEqual((task["waits_until"], task["waiting_group"]), (600, "together"))


if __name__ == "__main__":
    unittest.main()
