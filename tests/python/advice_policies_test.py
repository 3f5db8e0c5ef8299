# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Policies and actions of the caller in advice and forecasts: they decide there as in a cycle."""

import unittest

import numpy as np

from engine import muster, needs_engine, rows

if muster.HAVE_ENGINE:

    class OnlyX(muster.Policy):
        refusal = "only zone x"

        def fit(self, task_class, nodes):
            return nodes.label("zone") == "x"

    class PutAll(muster.Action):
        def run(self, bench):
            for job in bench.waiting():
                before = bench.save()
                for task in bench.pending_tasks(job):
                    bench.place(task)
                bench.commit(before)

    class Fails(muster.Policy):
        def fit(self, task_class, nodes):
            raise LookupError("no data")

    class Reenters(muster.Policy):
        def __init__(self, cluster):
            self.cluster = cluster

        def fit(self, task_class, nodes):
            self.cluster.add_node("inside", cpu=1)


@needs_engine
class AdviceWithPolicies(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_node("x", cpu=2, labels={"zone": "x"})
        self.cluster.add_node("y", cpu=8, labels={"zone": "y"})
        self.cluster.add_job("runs", count=1, cpu=2)
        self.cluster.set_task_status("runs-0", "running", node="x")
        self.cluster.add_job("waits", count=1, cpu=2)
        self.own = [OnlyX()]

    def test_rehearse(self):
        change = [{"remove_job": "runs"}]
        told = muster.rehearse(self.cluster, "volcano:+only-x", change, policies=self.own)
        self.assertEqual(list(told.starts["after"]), ["x"])
        plain = muster.rehearse(self.cluster, "volcano", change)
        self.assertEqual(rows(plain.starts), 0)        # it starts today, on y

    def test_diagnose(self):
        told = muster.diagnose(self.cluster, "waits", "volcano", policies=self.own)
        self.assertEqual(told.waiting, 1)
        self.assertIn("only zone x", told.reason)
        self.assertIn('add 1 node like "x"', list(told.remedies["words"]))
        self.assertNotIn('add 1 node like "y"', list(told.remedies["words"]))
        self.assertEqual(muster.diagnose(self.cluster, "waits", "volcano").waiting, 0)

    def test_drain(self):
        told = muster.drain(self.cluster, ["x"], "volcano", policies=self.own)
        self.assertEqual(list(told.tasks["to"]), [""])
        self.assertIn("only zone x", told.tasks["reason"][0])
        self.assertEqual(list(muster.drain(self.cluster, ["x"], "volcano").tasks["to"]), ["y"])

    def test_need_nodes(self):
        told = muster.need_nodes(self.cluster, profile="volcano", policies=self.own)
        self.assertEqual((told.waiting_before, list(told.cheapest["type"])), (1, ["x"]))
        self.assertEqual(muster.need_nodes(self.cluster, profile="volcano").waiting_before, 0)

    def test_what_if(self):
        change = [{"queue": {"name": "default", "weight": 3}}]
        for source in (self.cluster, self.cluster.freeze()):
            told = muster.what_if(source, "volcano:+only-x", change, policies=self.own)
            plain = muster.what_if(source, "volcano", change)
            self.assertEqual(list(told["deserved_after.cpu"]), list(plain["deserved_after.cpu"]))
            with self.assertRaisesRegex(muster.Error, "only-x"):
                muster.what_if(source, "volcano:+only-x", change)

    def test_measure(self):
        plan = self.cluster.measure("volcano", policies=self.own).plan
        self.assertEqual(rows(plan.binds), 0)
        self.assertEqual(rows(self.cluster.measure("volcano").plan.binds), 1)

    def test_forecast_of_a_cluster(self):
        self.cluster.update_job("runs", estimate=100)
        self.cluster.update_job("waits", estimate=100)
        told = muster.forecast(self.cluster, "volcano", now=1000, futures=8, policies=self.own)
        self.assertGreater(list(told.jobs["start"])[0], 1000)  # once `runs` has left x
        plain = muster.forecast(self.cluster, "volcano", now=1000, futures=8)
        self.assertEqual(list(plain.jobs["start"]), [1000])

    def test_forecast_of_a_trace(self):
        number = np.arange(30)
        jobs = {"submit": 10 * number, "run": 60 + 0 * number, "shape": 0 * number}
        nodes = [{"name": "x", "capacity": {"cpu": 1}, "labels": {"zone": "x"}},
                 {"name": "y", "capacity": {"cpu": 7}, "labels": {"zone": "y"}}]
        trace = muster.Trace(jobs, nodes=nodes, shapes=[{"request": {"cpu": 1}}])
        told = muster.forecast(trace, "volcano:+only-x", futures=4, every=5, policies=self.own)
        self.assertGreater(told.waited, 10)
        self.assertEqual(muster.forecast(trace, "volcano", futures=4).waited, 0)

    def test_an_action(self):
        told = muster.rehearse(self.cluster, "volcano:actions=put-all", [{"remove_job": "runs"}],
                               policies=[PutAll()])
        self.assertEqual(rows(told.starts), 0)
        self.assertEqual(list(told.stops["task"]), ["runs-0"])
        with self.assertRaisesRegex(muster.InvalidArgument, 'does not name the action "put-all"'):
            muster.drain(self.cluster, ["x"], "volcano", policies=[PutAll()])

    def test_what_a_policy_raises_is_raised(self):
        for ask in (
            lambda own: muster.rehearse(self.cluster, "volcano", [], policies=own),
            lambda own: muster.diagnose(self.cluster, "waits", "volcano", policies=own),
            lambda own: muster.drain(self.cluster, ["x"], "volcano", policies=own),
            lambda own: muster.need_nodes(self.cluster, profile="volcano", policies=own),
            lambda own: muster.forecast(self.cluster, "volcano", policies=own),
        ):
            with self.assertRaisesRegex(LookupError, "no data"):
                ask([Fails()])
            with self.assertRaisesRegex(muster.Error, "a call runs on it"):
                ask([Reenters(self.cluster)])
            with self.assertRaisesRegex(muster.InvalidArgument, "expected a list of policies"):
                ask(OnlyX())
        self.assertEqual(list(self.cluster.nodes["name"]), ["x", "y"])
        self.assertEqual(rows(self.cluster.schedule("volcano").binds), 1)

    def test_a_wrong_word_is_told_the_right_one(self):
        for word, meant in (("policy", "policies"), ("future", "futures")):
            told = f'forecast: unknown field "{word}", did you mean "{meant}"'
            with self.assertRaisesRegex(muster.InvalidArgument, told):
                muster.forecast(self.cluster, "volcano", **{word: self.own})

    def test_pools_ask_none(self):
        trace = muster.Trace({"submit": [0, 0], "run": [9, 9]}, processors=1)
        with self.assertRaisesRegex(muster.InvalidArgument, "asks none of the caller's on a pool"):
            muster.forecast(trace, "easy", policies=self.own)


if __name__ == "__main__":
    unittest.main()
