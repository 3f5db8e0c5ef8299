# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Functions that take a cluster, a snapshot, a plan or a trace refuse all else in words."""

import unittest

from engine import muster, needs_engine

from muster import interop
from muster.limits import Limits


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

    def test_of_a_mix(self):
        mix = muster.traces.mix
        self.refuses("mix: jobs: expected an integer of 64 bits, got 'a'", mix, "a")
        self.refuses("mix: seed: expected an integer of 64 bits, got 1.5", mix, seed=1.5)
        self.refuses("mix: -1 jobs on 64 nodes; must be 0 or more on 1 or more", mix, -1)
        self.refuses("mix: load: expected a float or int, got str", mix, load="a")
        for load in (0, -1, float("nan"), float("inf")):
            self.refuses(f"mix: load is {load}; must be above 0 and at most 1000", mix, load=load)
        with self.assertRaisesRegex(muster.ResourceExhausted,
                                    "mix: 1000000064 rows in all; at most 4000000"):
            mix(10**9)
        with self.assertRaisesRegex(muster.ResourceExhausted, "mix: 24 rows in all; at most 23"):
            mix(20, 4, limits=Limits(rows=23))

    def test_of_a_dump(self):
        self.refuses("dump: expected a text, got NoneType", interop.read_objects, None)
        self.refuses("dump: expected a list of objects, got NoneType", interop.scenario, None)
        self.refuses("dump: expected a list of objects, got dict", interop.scenario, {"kind": 1})
        self.assertTrue(issubclass(interop.ImportFailure, muster.Error))
        self.refuses("scenario: is not valid Unicode: 'utf-8' codec can't encode character '\\ud800' in "
                     "position 1: surrogates not allowed", muster.Cluster.from_scenario, "{\ud800")

    def test_of_limits_that_are_none(self):
        self.refuses("limits: rows: True is not in 0..9223372036854775807", Limits, True)
        self.refuses("limits: depth: 1000 is not in 0..256", Limits, depth=1000)

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

    def test_of_a_text(self):
        cluster, bad = self.cluster, (5, None, b"x", ["a"], object())
        for kind in ("node", "queue", "job", "task"):
            for name in (kind, f"update_{kind}", f"remove_{kind}"):
                for value in bad:
                    self.refuses(f"{name}: name: expected a text, got {type(value).__name__}",
                                 getattr(cluster, name), value)
        for kind in ("domain", "namespace", "flavor", "partition", "reservation"):
            self.refuses(f"remove_{kind}: name: expected a text, got int",
                         getattr(cluster, f"remove_{kind}"), 5)
        place = "set_task_status"
        status = cluster.set_task_status
        self.refuses(f"{place}: name: expected a text, got int", status, 5, "bound")
        self.refuses(f"{place}: status: expected a text, got int", status, "j-0", 5)
        self.refuses(f"{place}: node: expected a text, got int", status, "j-0", "running", 5)
        self.refuses("confirm: task: expected a text, got int", cluster.confirm, 5)
        self.refuses("report_bind_failed: task: expected a text, got int",
                     cluster.report_bind_failed, 5)
        self.refuses("report_evict_failed: task: expected a text, got int",
                     cluster.report_evict_failed, 5)
        self.refuses("remove_disruption_budget: namespace: expected a text, got int",
                     cluster.remove_disruption_budget, "b", 5)
        self.refuses("make_tasks: job: expected a text, got int", cluster.make_tasks, 5)
        self.refuses("make_tasks: count: expected an integer of 64 bits, got 'x'",
                     cluster.make_tasks, "j", "", "x")
        self.refuses("add_nodes: name: expected a text, got int", cluster.add_nodes, 2, name=5)
        self.refuses("to_scenario: profile: expected a text, got int", cluster.to_scenario, 5)
        self.refuses("to_scenario: now: expected an integer of 64 bits, got 'x'",
                     cluster.to_scenario, now="x")
        self.refuses("memory: expected a text, got int", setattr, cluster, "memory", 5)
        self.refuses("explain: name: expected a text, got int", self.plan.explain, 5)
        self.refuses("set_namespace: labels: expected a dict, got int", cluster.set_namespace, "n",
                     5)

    def test_of_events(self):
        apply = self.cluster.apply_delta
        self.refuses("apply_delta: kind: expected a text, got int", apply, 5, 1, "n")
        self.refuses("apply_delta: generation: expected an integer of 64 bits, got 'x'", apply,
                     "node", "x", "n")
        self.refuses("apply_removal: name: expected a text, got int", self.cluster.apply_removal,
                     "node", 1, 5)
        self.refuses("deltas: expected a list, got int", self.cluster.apply_deltas, 5)
        events = [{"kind": "node", "generation": 1, "name": "m", "cpu": 1},
                  {"kind": "node", "name": 5}]
        self.refuses("deltas[1]: name: expected a text, got int", self.cluster.apply_deltas, events)
        self.assertNotIn("m", self.cluster.nodes["name"].tolist())

    def test_of_policies(self):
        for call in (lambda own: self.cluster.schedule("volcano", policies=own),
                     lambda own: self.snapshot.schedule("volcano", policies=own),
                     lambda own: muster.replay(self.trace, "muster", policies=own)):
            self.refuses("policies: expected a list, got int", call, 5)
        self.refuses("compare: policies: expected a list, got int",
                     lambda own: muster.compare(self.trace, ["easy"], policies=own), 5)
        self.refuses("measure: explain_nodes: expected True or False, got str",
                     lambda flag: self.cluster.measure(explain_nodes=flag), "x")
        for call in (lambda out: muster.replay(self.trace, "easy", progress=out),
                     lambda out: muster.compare(self.trace, ["easy"], progress=out)):
            self.refuses("progress: expected True, False or a stream, got int", call, 5)

    def test_of_a_revision(self):
        class Mine(muster.Policy):
            def queue_order(self, queues):
                return [0.0] * len(queues)

        class Run(muster.Action):
            def run(self, bench):
                pass

        for bad in ("1", 1.5, True, None, -1):
            for kind, one, spec in (("policy", Mine(), "volcano:+mine"),
                                    ("action", Run(), "muster:actions=run")):
                one.revision = bad
                words = f'{kind} "{one.name}": revision is {bad!r}; must be an integer of 0 or more'
                self.refuses(words, self.cluster.schedule, spec, policies=[one])
                self.refuses(words, muster.compare, self.trace, [spec], policies=[one],
                             progress=False)

    def test_of_objects_that_hold_nothing(self):
        core = muster._core
        classes = [kind for kind in vars(core).values() if isinstance(kind, type)]
        self.assertGreater(len(classes), 10)
        calls = 0
        for kind in classes:
            for word in sorted(set(dir(kind)) - set(dir(object)) | {"__reduce__", "__reduce_ex__"}):
                if word in ("__setstate__", "__module__") or "pybind11" in word:
                    continue
                with self.subTest(kind=kind.__name__, word=word):
                    empty = kind.__new__(kind)
                    arguments = ((), ("a",), (1,), ({},), ("a", {}), (empty,), ("muster", {}, None))
                    for given in arguments:
                        with self.assertRaises((TypeError, muster.Error)):
                            attribute = getattr(empty, word)
                            self.assertTrue(callable(attribute), "a property has a value")
                            attribute(*given)
                        calls += 1
        self.assertGreater(calls, 700)
        with self.assertRaisesRegex(TypeError, "Snapshot object holds nothing; must be made by"):
            core.schedule(core.Snapshot.__new__(core.Snapshot), "muster", {}, None)
        with self.assertRaisesRegex(TypeError, "Plan object holds nothing"):
            core.Plan.__new__(core.Plan).explain("j")
        unset = core.Extensions.__new__(core.Extensions)
        for call in (lambda: core.schedule(self.snapshot._core, "muster", {}, unset),
                     lambda: self.cluster._core.schedule("muster", {}, unset),
                     lambda: core.replay(self.trace._core, "muster", {}, unset)):
            with self.assertRaisesRegex(TypeError, "Extensions object holds nothing"):
                call()


if __name__ == "__main__":
    unittest.main()
