# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster.what_if: the table it gives, against plans of clusters that were really changed, and what
it refuses."""

import math
import unittest

from engine import muster, needs_engine, rows


@needs_engine
class WhatIf(unittest.TestCase):
    def setUp(self):
        self.cluster = self.make()

    def make(self):
        cluster = muster.Cluster()
        for pool in "ab":
            cluster.add_nodes(3, name=f"{pool}-", cpu=8, labels={"pool": pool})
        for queue, weight in (("vision", 1), ("speech", 2)):
            cluster.add_queue(queue, weight=weight)
            cluster.add_job(f"of-{queue}", queue=queue, count=60, cpu=1)
        for i in range(10):
            cluster.set_task_status(f"of-vision-{i}", "running", "b-0" if i < 8 else "a-0")
        return cluster

    def cell(self, table, queue, column):
        return list(table[column])[list(table["queue"]).index(queue)]

    def test_a_weight(self):
        told = muster.what_if(self.cluster, "muster", [{"queue": {"name": "vision", "weight": 6}}])
        self.assertEqual(list(told["queue"]), ["default", "vision", "speech"])
        self.assertEqual(self.cell(told, "vision", "deserved_before.cpu"), 16000)
        self.assertEqual(self.cell(told, "vision", "deserved_after.cpu"), 36000)
        self.assertEqual(self.cell(told, "speech", "deserved_after.cpu"), 12000)
        self.assertEqual(self.cell(told, "vision", "allocated_after.cpu"), 10000)

    def test_nodes_may_have_keywords(self):
        for nodes in ({"name": "x", "cpu": 8}, {"name": "x", "capacity": {"cpu": 8}}):
            for change in ({"node": nodes}, {"count": 1, "node": nodes}, nodes):
                told = muster.what_if(self.cluster, "muster", [{"add_nodes": change}])
                self.assertEqual(sum(told["deserved_before.cpu"]), 48000, change)
                self.assertAlmostEqual(sum(told["deserved_after.cpu"]), 56000, delta=2)
        with self.assertRaisesRegex(muster.Error, 'unknown field "cpus", did you mean "cpu"'):
            muster.what_if(self.cluster, "muster", [{"add_nodes": {"node": {"cpus": 8}}}])

    def test_as_the_plan_of_a_cluster_that_was_really_changed(self):
        changes = [
            {"remove_nodes": {"labels": {"pool": "b"}}},
            {"add_nodes": {"count": 2, "cpu": 4}},
            {"add_job": {"name": "new", "queue": "default", "count": 20, "cpu": "500m"}},
            {"remove_job": "of-speech"},
        ]
        real = self.make()
        for i in range(8):
            real.set_task_status(f"of-vision-{i}", "pending")
        for i in range(3):
            real.remove_node(f"b-{i}")
        real.add_nodes(2, name="more", cpu=4)
        real.add_job("new", queue="default", count=20, cpu="500m")
        real.remove_job("of-speech")
        for profile in ("muster", "volcano", "kube-batch"):
            for source in (self.cluster, self.cluster.freeze()):
                told = muster.what_if(source, profile, changes)
                plan = real.schedule(profile, work_budget=0)
                self.assertEqual(list(told["share_after"]), list(plan.shares["share_before"]))
                for a, b in zip(told["deserved_after.cpu"], plan.shares["deserved.cpu"]):
                    self.assertTrue(a == b or (math.isnan(a) and math.isnan(b)), (profile, a, b))
                self.assertEqual(list(told["allocated_after.cpu"]),
                                 list(plan.shares["allocated_before.cpu"]))

    def test_nothing_changes(self):
        before = self.cluster.schedule("muster")
        muster.what_if(self.cluster, "muster", [{"remove_job": "of-vision"}])
        self.assertEqual(self.cluster.schedule("muster"), before)
        self.assertEqual(rows(muster.what_if(self.cluster, None, [])), 3)

    def test_bad_input_is_named(self):
        for change, words in (
            ({"queue": {"name": "visoin", "weight": 2}},
             'changes[0]: queue "visoin" does not exist, did you mean "vision"?'),
            ({"queue": {"name": "vision", "weight": -2}}, 'queue "vision": weight is -2'),
            ({"queue": {"name": "vision", "wieght": 2}},
             'what-if: [0].queue: unknown field "wieght", did you mean "weight"?'),
            ({"queue": {"name": "vision", "limit": {"gpus": 2}}},
             'limit "gpus": no node or task names this dimension'),
            ({}, "has no change"),
            ({"add_job": {"cpu": 1}}, 'changes[0].add_job: key "name" is missing'),
            ({"remove_nodes": {"name": "z"}}, 'node "z" does not exist'),
            (3, "changes[0]: expected a dict, got 3"),
        ):
            with self.assertRaises(muster.Error) as caught:
                muster.what_if(self.cluster, "muster", [change])
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(muster.InvalidArgument):
            muster.what_if(self.cluster, "mustr", [])


if __name__ == "__main__":
    unittest.main()
