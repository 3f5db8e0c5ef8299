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

    def test_a_column_with_an_empty_cell_and_numbers_of_numpy(self):
        cluster = limited(10)
        self.refuses("jobs: 52 rows", cluster.add_job, "j", count=np.int64(50), cpu=1)
        shape = {"request": {"cpu": 1}}
        for groups in ([{"name": "g", "count": np.uint8(50), "shape": shape}],
                       np.array([{"name": "g", "count": 50, "shape": shape}])):
            self.refuses("jobs: 52 rows", cluster.add_job, "j", groups=groups)
        self.refuses("jobs: 11 rows", cluster.add_jobs,  # an empty cell makes one task
                     {"name": ["a", "b", "c"], "count": [5, None, np.nan], "cpu": [1, 1, 1]})
        self.refuses("jobs: 11 rows", cluster.add_jobs,
                     {"name": ["a", "b", "c"], "count": [5.0, np.nan, np.nan], "cpu": [1, 1, 1]})
        table = {"name": ["a", "b", "c"], "count": [np.int64(4), None, None], "cpu": [1, 1, 1]}
        self.assertEqual(cluster.add_jobs(table), 3)
        self.assertEqual(len(cluster.tasks), 6)

    def test_events_of_a_job_that_is_there(self):
        cluster = limited(10)  # the queue "default" is one
        cluster.apply_delta("job", 1, "j", count=1, cpu=1)
        self.refuses('job "j": 103 rows', cluster.apply_delta, "job", 2, "j", count=100, cpu=1)
        self.refuses('job "j": 11 rows', cluster.apply_delta, "job", 2, "j", count=9, cpu=1)
        self.assertEqual(cluster.apply_delta("job", 2, "j", count=8, cpu=1), "applied")
        self.assertEqual(cluster.apply_delta("job", 3, "j", count=8, cpu=1), "applied")
        self.assertEqual(cluster.apply_delta("task", 4, "j-0", job="j", cpu=1), "applied")
        self.assertEqual(cluster.apply_removal("task", 5, "j-0"), "applied")
        cluster.add_node("n", cpu=1)
        self.assertEqual(cluster.apply_delta("job", 6, "j", count=8, cpu=1), "applied")
        self.assertEqual(len(cluster.tasks), 7)  # a removed task is not made again

    def test_several_events_of_one_job_in_a_batch(self):
        cluster = limited(10)
        events = [{"kind": "job", "generation": generation, "name": "j", "count": count, "cpu": 1}
                  for generation, count in ((1, 100), (0, 1))]
        self.refuses("deltas: 102 rows", cluster.apply_deltas, events)
        self.refuses("at most 10 are held", cluster.apply_deltas, events[::-1])
        self.assertEqual(len(cluster.jobs), 0)
        events[0]["count"] = 4
        tasks = [{"kind": "task", "generation": 2, "name": f"j-{i}", "job": "j", "cpu": 1}
                 for i in range(8)]
        made = cluster.apply_deltas(events + tasks)  # four of the tasks are those of the count
        self.assertEqual(list(made["outcome"]), ["applied", "stale"] + ["applied"] * 8)

    def test_events_that_wait(self):
        cluster = limited(4)
        task = {"kind": "task", "generation": 1, "job": "late", "cpu": 1}
        self.assertEqual(cluster.apply_delta("job", 1, "j", count=1, queue="q", cpu=1), "waiting")
        self.assertEqual(cluster.apply_delta(**task, name="t"), "waiting")
        self.refuses('task "u": 5 rows', cluster.apply_delta, **task, name="u")
        self.refuses("deltas: 5 rows", cluster.apply_deltas, [{**task, "name": "u"}])
        self.refuses('job "j": 5 rows', cluster.apply_delta, "job", 2, "j", count=2, queue="q",
                     cpu=1)
        for call in (lambda: cluster.add_node("n", cpu=1), lambda: cluster.copy().add_queue("r"),
                     lambda: pickle.loads(pickle.dumps(cluster)).add_queue("r")):
            self.refuses("5 rows in all", call)
        self.assertEqual(cluster.apply_delta(**{**task, "generation": 2}, name="t"), "waiting")
        cluster.apply_removal("task", 3, "t")
        cluster.add_queue("q")
        self.assertEqual((len(cluster.jobs), len(cluster.tasks)), (1, 1))

    def test_removals_in_a_batch(self):
        def node(name, generation=3, **more):
            return {"kind": "node", "generation": generation, "name": name, **more}

        cluster = limited(3)
        cluster.apply_deltas([node("a", cpu=1), node("b", cpu=1)])
        stale, gone = node("a", 2, removed=True), node("a", 4, removed=True)
        self.refuses("deltas: 4 rows", cluster.apply_deltas, [stale, node("c", cpu=1)])
        self.refuses("deltas: 4 rows", cluster.apply_deltas, [node("c", cpu=1), gone])
        again = [gone, node("c", cpu=1), node("a", 5, cpu=1)]
        self.refuses("deltas: 4 rows", cluster.apply_deltas, again)
        # A later event may have been refused, or the removal is older than it.
        doubtful = [node("a", 6, cpu=1), gone, node("c", cpu=1)]
        self.refuses("deltas: 4 rows", cluster.apply_deltas, doubtful)
        taken = cluster.apply_deltas([gone, node("c", cpu=1), node("a", 3, cpu=1)])
        self.assertEqual(list(taken["outcome"]), ["applied", "applied", "stale"])

    def test_a_job_removed_in_a_batch_leaves_with_its_tasks(self):
        cluster = limited(6)
        task = {"kind": "task", "generation": 2, "name": "j-0", "job": "j", "cpu": 1}
        cluster.apply_deltas([
            {"kind": "job", "generation": 1, "name": "j", "count": 3, "cpu": 1}, task])
        gone = {"kind": "job", "generation": 2, "name": "j", "removed": True}
        nodes = [{"kind": "node", "generation": 1, "name": f"n{i}", "cpu": 1} for i in range(5)]
        self.refuses("deltas: 7 rows", cluster.apply_deltas, [gone, *nodes])  # the task waits
        cluster.apply_deltas([gone, *nodes[:4]])
        self.assertEqual((len(cluster.nodes), len(cluster.tasks)), (4, 0))
        self.assertEqual(cluster.waiting_events(), [('task "j-0"', 'job "j"')])

    def test_a_listing_makes_no_tasks_by_count(self):
        cluster = limited(6)
        tasks = [{"name": f"j-{i}", "job": "j", "cpu": 1} for i in range(3)]
        listing = {"queues": [{"name": "default"}], "jobs": [{"name": "j", "count": 3, "cpu": 1}],
                   "tasks": tasks}
        cluster.reconcile(listing)
        self.assertEqual(len(cluster.tasks), 3)
        cluster.add_node("n", cpu=1)
        self.refuses("at most 6 are held", cluster.add_node, "m", cpu=1)

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
