# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Bounds: muster.bound, Plan.bound, muster.best, Trace.bound and Replay.bound.

The twin of the solver is HiGHS, which solves the same linear programs; without highspy those tests
are skipped.
"""

import gc
import math
import pickle
import random
import unittest

import numpy as np
from engine import muster, needs_engine

try:
    import highspy
except ImportError:
    highspy = None


def optimum(program, objective):
    """The linear program's optimum in steps, by HiGHS."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    lp = highspy.HighsLp()
    columns, rows = len(program["most"]), len(program["capacity"])
    lp.num_col_, lp.num_row_ = columns, rows
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = np.asarray(program["value"][objective], dtype=float)
    lp.col_lower_ = np.zeros(columns)
    lp.col_upper_ = np.asarray(program["most"], dtype=float)
    lp.row_lower_ = np.full(rows, -highspy.kHighsInf)
    lp.row_upper_ = np.asarray(program["capacity"], dtype=float)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.asarray(program["first"], dtype=np.int32)
    lp.a_matrix_.index_ = np.asarray(program["row"], dtype=np.int32)
    lp.a_matrix_.value_ = np.asarray(program["amount"], dtype=float)
    model.passModel(lp)
    model.run()
    assert model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return model.getInfo().objective_function_value


def proven(program, objective):
    """What the prices prove, in Python's integers."""
    prices = [int(price) for price in program["prices"][objective]]
    total = sum(int(c) * p for c, p in zip(program["capacity"], prices))
    for column, most in enumerate(program["most"]):
        left = int(program["value"][objective][column]) << 40
        for entry in range(program["first"][column], program["first"][column + 1]):
            left -= int(program["amount"][entry]) * prices[program["row"][entry]]
        total += max(left, 0) * int(most)
    return total >> 40


def world(seed, nodes=12, jobs=10):
    """A cluster of nodes of a few sizes with pools, queues with limits, and jobs that collide."""
    draw = random.Random(seed)
    cluster = muster.Cluster()
    for q in range(3):
        limits = {"limit": {"cpu": draw.randint(5, 60)}} if draw.random() < 0.5 else {}
        cluster.add_queue(f"q{q}", **limits)
    for n in range(nodes):
        cluster.add_node(
            f"n{n}", cpu=draw.choice([4, 7, 16]), memory=f"{draw.choice([8, 24, 60])}Gi",
            gpu=draw.choice([0, 3, 8]), labels={"pool": draw.choice("ab")})
    for j in range(jobs):
        shape = {"cpu": draw.choice([1, 2, 3]), "memory": f"{draw.choice([1, 3, 7])}Gi"}
        if draw.random() < 0.5:
            shape["gpu"] = draw.choice([1, 2, 4])
        if draw.random() < 0.3:
            shape["node_selector"] = {"pool": draw.choice("ab")}
        count = draw.randint(1, 12)
        cluster.add_job(f"j{j}", queue=f"q{draw.randrange(3)}", count=count,
                        min_available=draw.choice([0, 1, count]), **shape)
    return cluster


@needs_engine
class Bounds(unittest.TestCase):
    def test_a_plan_and_its_bound(self):
        cluster = muster.Cluster()
        cluster.add_nodes(2, cpu=3)
        cluster.add_job("j", count=4, cpu=2)
        plan = cluster.schedule("muster")
        gap = plan.bound()
        self.assertEqual((gap.waiting, gap.placed, gap.most, gap.gap), (4, 2, 2, 0))
        self.assertEqual(list(gap.resources["name"]), ["cpu"])
        self.assertEqual(list(gap.resources["requested"]), [8000])
        self.assertEqual(list(gap.resources["placed"]), [4000])
        self.assertEqual(list(gap.resources["most"]), [4000])
        self.assertEqual(gap.broken, ())
        self.assertEqual(muster.bound(cluster).most, 2)
        self.assertEqual(muster.best(cluster).tasks, 2)
        self.assertTrue(muster.best(cluster).proven)
        snapshot = cluster.freeze()
        self.assertEqual(snapshot.schedule("muster").bound().gap, 0)
        self.assertEqual(plan.bound(snapshot).gap, 0)

    def test_a_plan_without_its_snapshot(self):
        cluster = muster.Cluster()
        cluster.add_nodes(1, cpu=3)
        plan = cluster.schedule("muster")
        with self.assertRaisesRegex(muster.FailedPrecondition, "pass the one it was made of"):
            pickle.loads(pickle.dumps(plan)).bound()
        self.assertEqual(pickle.loads(pickle.dumps(plan)).bound(cluster).waiting, 0)
        cluster.add_nodes(1, name="m", cpu=3)
        with self.assertRaisesRegex(muster.InvalidArgument, "must be of the snapshot's"):
            plan.bound()
        del cluster
        gc.collect()
        with self.assertRaisesRegex(muster.FailedPrecondition, "pass the one it was made of"):
            plan.bound()

    def test_bad_options_are_named(self):
        cluster = muster.Cluster()
        with self.assertRaisesRegex(muster.InvalidArgument, "work: 0 is not in 1.."):
            muster.bound(cluster, work=0)
        with self.assertRaisesRegex(muster.InvalidArgument, "queue_limit"):
            muster.bound(cluster, queue_limit=False)

    def test_prices_prove_the_bound(self):
        for seed in range(30):
            bound = muster.bound(world(seed))
            for objective, steps in enumerate(bound.program["steps"]):
                self.assertEqual(proven(bound.program, objective), steps, seed)

    @unittest.skipIf(highspy is None, "highspy is not installed")
    def test_highs_is_never_above_and_hardly_below(self):
        for seed in range(60):
            bound = muster.bound(world(seed, nodes=12 + seed % 3 * 40, jobs=10 + seed % 4 * 20))
            for objective, steps in enumerate(bound.program["steps"]):
                best = optimum(bound.program, objective)
                where = (seed, str(bound.program["objective"][objective]))
                # Both are of whole steps: what HiGHS finds, rounded down, is no bound by itself.
                self.assertGreaterEqual(int(steps), math.floor(best - 1e-6 * (1 + best)), where)
                self.assertLessEqual(int(steps), best * 1.001 + 1, where)

    def test_a_trace_and_its_bound(self):
        trace = muster.Trace({"submit": [0, 0], "run": [100, 100]}, processors=1)
        bound = trace.bound(steps=400)
        self.assertLessEqual(bound.mean_wait, 50)
        self.assertGreater(bound.mean_wait, 45)
        replay = muster.replay(trace, "easy")
        self.assertEqual(replay.metrics["all"]["wait"]["mean"], 50)
        self.assertGreater(replay.bound(steps=400).mean_wait, 45)
        self.assertEqual(trace.bound(rows=[0]).mean_wait, 0)
        with self.assertRaisesRegex(muster.InvalidArgument, "rounds: 0 is not in"):
            trace.bound(rounds=0)


if __name__ == "__main__":
    unittest.main()
