# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Cells of tables for what did not happen or is not known: absent, and no number stands for it."""

import importlib.util
import math
import unittest

import numpy as np

from engine import muster, needs_engine, present

HAVE = {name: importlib.util.find_spec(name) is not None
        for name in ("pandas", "polars", "pyarrow")}


@needs_engine
class Absent(unittest.TestCase):
    def setUp(self):
        # The second job starts at 100, the third after `until`.
        self.trace = muster.Trace(
            {"submit": [0, 0, 0], "run": [100, 100, 100], "tasks": [4, 4, 4],
             "estimate": [100, None, 300], "user": [0, None, 0], "deadline": [None, 50, None],
             "preceding": [None, None, None]},
            processors=4, users=["ann"])
        self.replay = muster.replay(self.trace, "fcfs", until=150)

    def test_times_that_did_not_come(self):
        jobs = self.replay.jobs
        self.assertEqual(present(jobs["start"]), [0, 100, None])
        self.assertEqual(present(jobs["end"]), [100, None, None])
        self.assertEqual(present(jobs["wait"]), [0, 100, None])
        self.assertEqual(jobs["wait"].mean(), self.replay.metrics["all"]["wait"]["mean"])

    def test_stays_without_an_end(self):
        replay = muster.replay(self.trace, "fcfs", until=150, record_placements=True)
        self.assertIn(None, present(replay.placements["to"]))

    def test_columns_of_a_trace_and_back(self):
        jobs = self.trace.jobs
        self.assertEqual(present(jobs["estimate"]), [100, None, 300])
        self.assertEqual(present(jobs["user"]), [0, None, 0])
        self.assertEqual(present(jobs["deadline"]), [None, 50, None])
        self.assertEqual(jobs["estimate"].mean(), 200)
        again = muster.Trace(jobs, processors=4, users=["ann"])
        self.assertEqual(again.digest, self.trace.digest)
        self.assertNotIn("9223372036854775808", self.trace._repr_html_())

    def test_starts_that_no_future_reached(self):
        cluster = muster.Cluster()
        cluster.add_nodes(1, cpu=8)
        cluster.add_job("never", count=1, cpu=60)
        jobs = muster.forecast(cluster, "easy", now=0).jobs
        self.assertEqual(present(jobs["start"]), [None])
        self.assertEqual(present(jobs["start_low"]), [None])

    def test_means_of_nothing(self):
        replay = muster.replay(self.trace, "kueue")
        self.assertEqual(replay.metrics["all"]["wait"]["count"], 0)
        self.assertTrue(math.isnan(replay.metrics["all"]["wait"]["mean"]))
        self.assertTrue(math.isnan(muster.statistics.measure(replay)["wait_p95"]))
        self.assertIn("0 of 3 jobs ended, none started", repr(replay))
        # What the queue deserves and does not get.
        deviation = np.asarray(replay.series["share_deviation"])
        self.assertTrue((deviation[-1:] > 0).all() and (deviation < 1 + 1e-9).all(), deviation)

    @unittest.skipUnless(HAVE["pandas"], "pandas is not installed")
    def test_the_type_is_nullable_whether_or_not_a_cell_is_absent(self):
        for replay in (self.replay, muster.replay(self.trace, "fcfs")):
            self.assertEqual({str(replay.jobs[name].dtype) for name in ("start", "end", "wait")},
                             {"Int64"})

    @unittest.skipUnless(HAVE["pyarrow"], "pyarrow is not installed")
    def test_arrow_has_nulls(self):
        table = muster.to_arrow(self.replay.jobs)
        self.assertEqual(table.column("wait").to_pylist(), [0, 100, None])
        self.assertEqual(str(table.schema.field("wait").type), "int64")

    @unittest.skipUnless(HAVE["polars"], "polars is not installed")
    def test_polars_has_nulls(self):
        self.assertEqual(muster.to_polars(self.replay.jobs)["wait"].to_list(), [0, 100, None])


if __name__ == "__main__":
    unittest.main()
