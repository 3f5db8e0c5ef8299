# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Rows that calls add: a cluster holds no more than its limits, whatever adds them."""

import copy
import pickle
import unittest

from engine import HAVE_ENGINE, muster, needs_engine

if HAVE_ENGINE:
    import numpy as np
    from muster.errors import InvalidArgument, ResourceExhausted
    from muster.limits import Limits


def limited(rows):
    return muster.Cluster(limits=Limits(rows=rows))


@needs_engine
class HeldRows(unittest.TestCase):
    def refuses(self, words, call, *arguments, **keywords):
        with self.assertRaises(ResourceExhausted) as raised:
            call(*arguments, **keywords)
        self.assertIn(words, str(raised.exception))

    def test_the_default_is_that_of_files(self):
        cluster = muster.Cluster()
        self.refuses("nodes: 100000001 rows in all; at most 4000000 are held",
                     cluster.add_nodes, 100_000_000, cpu=1)
        self.refuses("jobs: 1000000002 rows", cluster.add_job, "j", count=1_000_000_000, cpu=1)
        self.assertEqual(len(cluster.nodes), 0)

    def test_one_by_one(self):
        cluster = limited(6)  # the queue "default" is one
        cluster.add_node("a", cpu=4)
        cluster.add_queue("q")
        cluster.add_job("j", count=1, cpu=1)
        cluster.add_task("t", cpu=1)
        for call in (lambda: cluster.add_node("b", cpu=4), lambda: cluster.add_queue("r"),
                     lambda: cluster.add_job("k", count=1, cpu=1),
                     lambda: cluster.add_task("u", cpu=1), lambda: cluster.add_nodes(1, cpu=4)):
            self.refuses("at most 6 are held", call)
        cluster.remove_task("t")
        cluster.add_node("b", cpu=4)
        cluster.update_node("b", cpu=5)  # adds none

    def test_tables(self):
        cluster = limited(10)
        self.refuses("nodes: 11 rows", cluster.add_nodes,
                     {"name": [f"n{i}" for i in range(10)], "cpu": np.ones(10)})
        self.refuses("queues: 11 rows", cluster.add_queues, {"name": [f"q{i}" for i in range(10)]})
        self.refuses("tasks: 11 rows", cluster.add_tasks,
                     {"name": [f"t{i}" for i in range(10)], "cpu": np.ones(10)})
        self.refuses("jobs: 11 rows", cluster.add_jobs,
                     {"name": ["a", "b"], "count": np.array([3, 5]), "cpu": [1, 1]})
        self.refuses("jobs: 15 rows", cluster.add_jobs, {"name": ["a", "b"]}, count=6, cpu=1)
        self.assertEqual(cluster.add_jobs({"name": ["a", "b"], "count": [3, 4], "cpu": [1, 1]}), 2)

    def test_tasks_by_count_are_rows_once_they_are_made(self):
        cluster = limited(4)
        cluster.add_job("j", by_count={"count": 1000}, cpu=1)
        cluster.make_tasks("j", count=2)
        self.refuses("tasks: 5 rows", cluster.make_tasks, "j", count=1)

    def test_events(self):
        cluster = limited(3)
        cluster.apply_delta("node", 1, "a", cpu=4)
        cluster.apply_delta("node", 2, "b", cpu=4)
        self.refuses('node "c": 4 rows', cluster.apply_delta, "node", 3, "c", cpu=4)
        self.assertEqual(cluster.apply_delta("node", 4, "a", cpu=8), "applied")  # is there
        events = [{"kind": "node", "generation": 5, "name": name, "cpu": 1} for name in "abc"]
        self.refuses("deltas: 4 rows", cluster.apply_deltas, events)
        self.assertEqual(list(cluster.apply_deltas(events[:2])["outcome"]), ["applied"] * 2)
        self.refuses("reconcile: 4 rows", cluster.reconcile,
                     {"nodes": [{"name": name, "cpu": 1} for name in "abcd"]})

    def test_copies_keep_the_limit(self):
        cluster = limited(2)
        cluster.add_node("a", cpu=1)
        of_text = muster.Cluster.from_scenario(cluster.to_scenario(), limits=Limits(rows=2))
        for copied in (cluster.copy(), copy.deepcopy(cluster), pickle.loads(pickle.dumps(cluster)),
                       of_text):
            self.refuses("at most 2 are held", copied.add_node, "b", cpu=1)

    def test_a_limit_may_be_higher(self):
        cluster = limited(5_000_000)
        cluster.add_nodes(10, cpu=1)
        with self.assertRaises(InvalidArgument):
            muster.Cluster(limits=5)


if __name__ == "__main__":
    unittest.main()
