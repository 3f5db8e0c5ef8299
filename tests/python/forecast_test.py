# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Forecasts from Python: of clusters and of traces."""

import unittest

import numpy as np

from engine import muster, needs_engine, rows


def busy(jobs=200):
    """Like jobs that keep four processors busy, each as long as half of its estimate."""
    number = np.arange(jobs)
    columns = {
        "submit": 40 * number,
        "run": 60 + 60 * (number % 3),
        "estimate": 120 + 120 * (number % 3),
        "tasks": 1 + number % 3,
    }
    return muster.Trace(columns, processors=4)


@needs_engine
class Forecasts(unittest.TestCase):
    def test_of_a_trace(self):
        told = muster.forecast(busy(), "easy", futures=8, seed=3)
        self.assertEqual(told.policy, "easy")
        self.assertEqual(rows(told.jobs), told.waited)
        self.assertEqual(told.quality["forecasts"], told.waited)
        start = np.asarray(told.jobs["start"])
        self.assertTrue((start > np.asarray(told.jobs["made"])).all())
        self.assertTrue((start >= np.asarray(told.jobs["start_low"])).all())
        self.assertTrue((start <= np.asarray(told.jobs["start_high"])).all())
        again = muster.forecast(busy(), "easy", futures=8, seed=3)
        self.assertEqual(told.digest, again.digest)
        self.assertNotEqual(told.digest, muster.forecast(busy(), "easy", futures=8).digest)
        scaled = muster.forecast(busy(), "easy", futures=8, seed=3, scales=told.scales)
        self.assertNotEqual(told.digest, scaled.digest)
        self.assertIn("start_held", told._repr_html_())

    def test_of_a_cluster(self):
        cluster = muster.Cluster()
        cluster.add_nodes(1, cpu=4)
        cluster.add_job("first", count=1, min_available=1, cpu=4, estimate=100)
        cluster.add_job("second", count=1, min_available=1, cpu=4, estimate=100)
        told = muster.forecast(cluster, "fcfs", now=1000, futures=64)
        self.assertEqual(list(told.jobs["job"]), ["first", "second"])
        self.assertEqual(list(told.jobs["start"])[0], 1000)
        self.assertLessEqual(list(told.jobs["start_high"])[1], 1201)
        self.assertEqual(list(told.jobs["futures"]), [64, 64])
        self.assertTrue(told.complete)
        with_past = muster.forecast(cluster, "fcfs", busy(), now=10_000, futures=8, arrivals=False)
        self.assertNotEqual(told.digest, with_past.digest)

    def test_refusals(self):
        for options, words in (
            ({"futures": 1}, "forecast: futures: 1 is not in 3..10000"),
            ({"scales": (1, 2)}, "forecast: scales: expected four numbers, got 2"),
            ({"percnt": 80}, "percnt"),
        ):
            with self.assertRaisesRegex(muster.InvalidArgument, words):
                muster.forecast(busy(20), "easy", **options)
        with self.assertRaisesRegex(muster.InvalidArgument, "a trace is forecast from itself"):
            muster.forecast(busy(20), "easy", busy(20))
        with self.assertRaisesRegex(muster.InvalidArgument, "is not fcfs, easy or conservative"):
            muster.forecast(busy(20), "muster")


if __name__ == "__main__":
    unittest.main()
