# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Functions that take a cluster, a snapshot, a plan or a trace refuse all else in words."""

import unittest

from engine import muster, needs_engine

from muster import interop


@needs_engine
class WrongObjects(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=8)
        self.cluster.add_job("j", count=3, cpu=1)
        self.snapshot = self.cluster.freeze()
        self.plan = self.cluster.schedule("muster")
        self.trace = muster.traces.mix(20, 4)

    def refuses(self, words, call, *arguments, **keywords):
        with self.subTest(words):
            with self.assertRaises(muster.InvalidArgument) as caught:
                call(*arguments, **keywords)
            self.assertEqual(str(caught.exception), words)

    def test_of_a_cluster_or_a_snapshot(self):
        for name, call in (
            ("schedule", muster.schedule),
            ("what_if", lambda of: muster.what_if(of, "muster", [])),
            ("bound", muster.bound), ("best", muster.best), ("bound", self.plan.bound),
        ):
            self.refuses(f"{name}: expected a Cluster or Snapshot, got str", call, "x")
            self.refuses(f"{name}: expected a Cluster or Snapshot, got Plan", call, self.plan)

    def test_of_a_cluster(self):
        for name, call in (
            ("rehearse", lambda of: muster.rehearse(of, "muster", [])),
            ("diagnose", lambda of: muster.diagnose(of, "j")),
            ("drain", lambda of: muster.drain(of, ["n0"])),
            ("need_nodes", muster.need_nodes),
        ):
            self.refuses(f"{name}: expected a Cluster, got Snapshot", call, self.snapshot)
            self.refuses(f"{name}: expected a Cluster, got str", call, "x")
        self.refuses("forecast: expected a Cluster or Trace, got Snapshot", muster.forecast,
                     self.snapshot)

    def test_of_a_trace(self):
        for words, call in (
            ("replay", lambda of: muster.replay(of, "easy")),
            ("compare: trace", lambda of: muster.compare(of, ["easy"])),
            ("compare: trace", lambda of: muster.compare([self.trace, of], ["easy"])),
            ('sweep: axis "trace"', lambda of: muster.sweep({"trace": [of], "profile": ["easy"]})),
            ("forecast: history", lambda of: muster.forecast(self.cluster, "easy", of)),
            ("fit", muster.traces.fit),
        ):
            self.refuses(f"{words}: expected a Trace, got str", call, "KTH")
            self.refuses(f"{words}: expected a Trace, got Plan", call, self.plan)

    def test_of_a_plan(self):
        self.refuses("apply: expected a Plan, got str", self.cluster.apply, "x")
        self.refuses("apply: expected a Plan, got Snapshot", self.cluster.apply, self.snapshot)

    def test_of_limits(self):
        for call in (muster.Cluster.from_scenario,
                     lambda nodes, limits: muster.traces.alibaba2023("a", nodes, limits=limits),
                     lambda objects, limits: interop.scenario(objects, limits=limits),
                     lambda text, limits: interop.read_objects("[]", limits=limits)):
            self.refuses("limits: expected a Limits, got int", call, {}, limits=5)

    def test_of_a_profile(self):
        for call in (self.cluster.schedule, self.snapshot.schedule, self.cluster.measure,
                     lambda profile: muster.what_if(self.cluster, profile, []),
                     lambda profile: muster.rehearse(self.cluster, profile, []),
                     lambda profile: muster.diagnose(self.cluster, "j", profile),
                     lambda profile: muster.drain(self.cluster, ["n0"], profile),
                     lambda profile: muster.need_nodes(self.cluster, [], profile),
                     lambda profile: muster.forecast(self.cluster, profile),
                     lambda profile: muster.forecast(self.trace, profile),
                     lambda profile: muster.replay(self.trace, profile)):
            self.refuses("profile: expected a text, got int", call, 5)
        self.refuses("compare: profiles: expected a text, got int", muster.compare, self.trace, [5])

    def test_of_lists(self):
        for call in (muster.what_if, muster.rehearse):
            self.refuses("changes: expected a list, got int", call, self.cluster, "muster", 5)
        self.refuses("offers: expected a list, got int", muster.need_nodes, self.cluster, 5)
        self.refuses("drain: expected a list of nodes, got 5", muster.drain, self.cluster, 5)
        self.refuses("diagnose: job: expected a text, got int", muster.diagnose, self.cluster, 5)


if __name__ == "__main__":
    unittest.main()
