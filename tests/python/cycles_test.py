# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Cycles of a cluster, and the events that it takes between them, through the Python package."""

import pickle
import threading
import unittest

import numpy as np

from engine import muster, needs_engine, rows


def column(frame, name):
    return list(frame[name])


@needs_engine
class Cycles(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=4)
        self.cluster.add_job("low", count=8, cpu=1, priority=1, preemptable=True)

    def test_cycle_after_cycle(self):
        plan = self.cluster.schedule("volcano:+preempt")
        self.assertEqual(self.cluster.apply(plan), muster.ApplyReport(rows(plan.decisions), []))
        self.assertEqual(set(self.cluster.tasks["status"]), {"binding"})
        for name in self.cluster.tasks["name"][:7]:
            self.cluster.confirm(name)
        self.cluster.report_bind_failed("low-7")
        self.assertEqual(column(self.cluster.tasks, "status"), ["running"] * 7 + ["pending"])
        self.assertEqual(column(self.cluster.schedule("volcano:+preempt").binds, "task"), ["low-7"])

    def test_evictions(self):
        self.cluster.apply(self.cluster.schedule("volcano"))
        for name in self.cluster.tasks["name"]:
            self.cluster.confirm(name)
        self.cluster.add_job("high", count=2, min_available=1, cpu=1, priority=9)
        plan = self.cluster.schedule("volcano:+preempt")
        self.assertGreater(rows(plan.evictions), 0)
        self.assertTrue(set(plan.evictions["beneficiary"]) <= {"high-0", "high-1"})
        self.assertEqual(set(plan.evictions["job"]), {"low"})
        self.assertIn("evictions", repr(plan))

    def test_an_old_plan_is_refused_in_part(self):
        plan = self.cluster.schedule("volcano")
        self.cluster.remove_task("low-3")
        report = self.cluster.apply(plan)
        self.assertEqual(len(report.refused), 1)
        self.assertIn("low-3", report.refused[0])

    def test_budget_and_cursor(self):
        self.cluster.add_job("second", count=1, cpu=1)
        whole = self.cluster.schedule("volcano")
        cut = self.cluster.schedule("volcano", work_budget=1)
        self.assertFalse(cut.complete)
        self.assertIn("cut", repr(cut))
        self.assertLess(cut.work, whole.work)
        self.assertEqual(self.cluster.schedule("volcano", work_budget=whole.work).digest,
                         whole.digest)

    def test_a_time_limit_discards_the_cycle(self):
        before = self.cluster.version
        with self.assertRaises(muster.DeadlineExceeded) as caught:
            self.cluster.schedule("volcano", time_limit=0.0)
        self.assertIsInstance(caught.exception, TimeoutError)
        self.assertEqual(self.cluster.version, before)
        self.assertEqual(rows(self.cluster.schedule("volcano", time_limit=60.0).binds), 8)

    def test_stop_discards_the_cycle(self):
        before, stop = self.cluster.version, threading.Event()
        self.assertEqual(rows(self.cluster.schedule("volcano", stop=stop).binds), 8)
        stop.set()
        with self.assertRaisesRegex(muster.Cancelled, "nothing is decided"):
            self.cluster.schedule("volcano", stop=stop)
        self.assertEqual(self.cluster.version, before)
        with self.assertRaisesRegex(muster.InvalidArgument, "stop: expected a threading.Event"):
            self.cluster.schedule("volcano", stop=True)

    def test_an_exception_of_stop_discards_the_cycle(self):
        class Broken:
            def is_set(self):
                raise KeyError("broken")

        with self.assertRaisesRegex(KeyError, "broken"):
            self.cluster.schedule("volcano", stop=Broken())

    def test_deltas(self):
        told = self.cluster.apply_delta
        self.assertEqual(told("task", 1, name="t", job="late", cpu=1), "waiting")
        self.assertEqual(self.cluster.waiting_events(), [('task "t"', 'job "late"')])
        self.assertEqual(told("job", 2, name="late"), "applied")
        self.assertIn("t", column(self.cluster.tasks, "name"))
        self.assertEqual(self.cluster.waiting_events(), [])
        self.assertEqual(told("node", 5, name="n9", cpu=4), "applied")
        self.assertEqual(told("node", 4, name="n9", cpu=8), "stale")
        self.assertEqual(self.cluster.apply_removal("node", 6, "n9"), "applied")
        self.assertEqual(told("node", 5, name="n9", cpu=4), "stale")
        with self.assertRaisesRegex(muster.InvalidArgument, 'kind: unknown kind "pod"'):
            told("pod", 1, name="x")

    def test_measured_cycles(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=8)
        self.cluster.add_job("j")
        self.cluster.add_task("there", job="j", cpu=1, status="running", node="n1")
        self.cluster.add_task("t", job="j", cpu=1)
        profile = "volcano:tiers=priority+gang/predicates+binpack(weight=5)"
        measured = self.cluster.measure(profile, explain_nodes=True)
        self.assertEqual(measured.plan.digest, self.cluster.schedule(profile).digest)
        self.assertEqual(column(measured.actions, "action"), ["admit", "allocate", "backfill"])
        self.assertTrue(all(seconds >= 0 for seconds in measured.actions["seconds"]))
        self.assertIn("binpack", column(measured.policies, "policy"))
        self.assertGreater(measured.totals["by_table"], 0)
        choices = measured.choices
        row = column(choices, "task").index("t")
        self.assertEqual((choices["node"][row], choices["next"][row], choices["policy"][row]),
                         ("n1", "n0", "binpack"))
        self.assertGreater(choices["score"][row], choices["next_score"][row])
        self.assertEqual(len(self.cluster.measure(profile).choices["task"]), 0)
        for flag in (False, True):
            told = self.cluster.measure(profile, explain_nodes=np.bool_(flag)).choices["task"]
            self.assertEqual(len(told) > 0, flag)

    def test_deltas_of_every_kind(self):
        self.cluster = muster.Cluster()
        told = self.cluster.apply_delta
        self.assertEqual(told("domain", 1, name="rack", parent="row"), "waiting")
        self.assertEqual(told("domain", 1, name="row", tier=2), "applied")
        self.assertEqual(told("budget", 1, name="b", namespace="team", allowed=1), "applied")
        self.assertEqual(told("namespace", 1, name="team", labels={"a": "b"}), "applied")
        rows_ = self.cluster.to_dict()
        self.assertEqual({row["name"] for row in rows_["domains"]}, {"row", "rack"})
        self.assertEqual(self.cluster.apply_removal("domain", 2, "row"), "applied")
        self.assertEqual(self.cluster.waiting_events(), [('domain "rack"', 'domain "row"')])
        self.assertEqual(self.cluster.apply_removal("budget", 2, "team/b"), "applied")
        self.cluster.remove_namespace("team")
        rows_ = self.cluster.to_dict()
        for kind in ("domains", "budgets", "namespaces"):
            self.assertFalse(rows_.get(kind), kind)
        self.cluster.set_disruption_budget("b", allowed=1)
        self.cluster.remove_disruption_budget("b")
        with self.assertRaisesRegex(muster.NotFound, 'disruption budget "default/b"'):
            self.cluster.remove_disruption_budget("b")

    def test_assumptions_expire(self):
        self.cluster = muster.Cluster()
        self.cluster.add_node("n", cpu=8)
        self.cluster.add_job("j")
        self.cluster.add_task("t", job="j", cpu=1, uid="u1")
        self.cluster.apply(self.cluster.schedule("muster", now=100))
        expected = muster.Assumption("t", "binding", "n", 100)
        self.assertIn(expected, self.cluster.assumptions())
        self.assertEqual(self.cluster.expire_assumptions(159, bind=60), [])
        self.assertEqual(self.cluster.expire_assumptions(500, evict=0), [])
        self.assertIn(expected, self.cluster.expire_assumptions(160, bind=60))
        self.assertEqual(self.cluster.assumptions(), [])
        with self.assertRaisesRegex(muster.InvalidArgument, "limit of assumptions is -1"):
            self.cluster.expire_assumptions(160, bind=-1)

    def test_another_uid_is_another_task(self):
        self.cluster = muster.Cluster()
        self.cluster.add_node("n", cpu=8)
        self.cluster.add_job("j")
        told = lambda generation, uid: self.cluster.apply_delta(
            "task", generation, name="t", job="j", cpu=1, uid=uid)
        told(1, "u1")
        self.cluster.apply(self.cluster.schedule("muster"))
        told(2, "u1")
        self.assertEqual(self.cluster.task("t")["status"], "binding")
        told(3, "u2")
        self.assertEqual(self.cluster.task("t").get("status", "pending"), "pending")
        self.assertEqual(self.cluster.task("t")["uid"], "u2")

    def test_one_bad_event_stops_nothing(self):
        self.cluster.add_node("n", cpu=8)
        self.cluster.add_job("train", min_available=1, groups=[{"name": "w"}])
        pod = {"kind": "task", "generation": 1, "job": "train", "group": "w"}
        told = self.cluster.apply_deltas([
            pod | {"name": "a", "cpu": 1},
            pod | {"name": "b", "cpu": "one"},
            pod | {"name": "c", "cpus": 1},
            {"kind": "pod", "generation": 1, "name": "d"},
            pod | {"name": "e", "cpu": 1, "generation": "new"},
            {"kind": "task", "generation": 1, "name": "f", "job": "late"},
            {"kind": "node", "generation": 2, "name": "gone", "removed": True},
            pod | {"name": "g", "cpu": 1},
        ])
        self.assertEqual(column(told, "outcome"),
                         ["applied", "refused", "refused", "refused", "refused", "waiting",
                          "applied", "applied"])
        self.assertEqual(column(told, "name"), ["a", "b", "c", "d", "e", "f", "gone", "g"])
        words = dict(zip(told["name"], told["refusal"]))
        self.assertIn('unknown field "cpus", did you mean "cpu"?', words["c"])
        self.assertIn('unknown kind "pod"', words["d"])
        self.assertIn("generation", words["e"])
        self.assertEqual(words["g"], "")
        self.assertEqual([name for name, _ in self.cluster.refused_events()],
                         ['task "b"', 'task "c"'])
        plan = self.cluster.schedule("volcano")
        self.assertEqual(plan.explain("b"),
                         f'the last event of task "b" was refused: {words["b"]}\n')
        self.assertIn('the last event of task "c" was refused', plan.explain("train"))
        self.assertEqual(pickle.loads(pickle.dumps(plan)).explain("b"), plan.explain("b"))
        self.assertEqual(self.cluster.apply_delta("task", 1, name="b", job="train", group="w",
                                                  cpu=1), "applied")
        self.assertEqual([name for name, _ in self.cluster.refused_events()], ['task "c"'])
        with self.assertRaises(muster.Error):
            self.cluster.apply_delta("task", 9, name="b", cpu="two")
        self.assertIn("two", self.cluster.schedule("volcano").explain("b"))
        with self.assertRaises(muster.InvalidArgument):
            self.cluster.apply_deltas(["a"])

    def test_reconcile(self):
        full = self.cluster.to_dict()
        self.assertEqual(self.cluster.reconcile(full), [])
        full["nodes"][0]["unschedulable"] = True
        full["nodes"].append({"name": "new", "capacity": {"cpu": 1}})
        del full["tasks"][7]
        drift = self.cluster.reconcile(full)
        self.assertEqual(sorted(drift), [("different", 'node "n0"'), ("extra", 'task "low-7"'),
                                         ("missing", 'node "new"')])
        self.assertTrue(self.cluster.node("n0")["unschedulable"])

    def test_a_snapshot_stays_as_it_was(self):
        snapshot = self.cluster.freeze()
        before = snapshot.schedule("volcano").digest
        self.cluster.remove_job("low")
        self.assertEqual(snapshot.schedule("volcano").digest, before)
        self.assertIn("8 tasks", repr(snapshot))

    def test_speed_changes_no_plan(self):
        plan = self.cluster.schedule("volcano")
        for switch in ("block_winners", "share_equal_states", "infeasibility_memory",
                       "vector_kernels"):
            self.assertEqual(self.cluster.schedule("volcano", speed={switch: False}).digest,
                             plan.digest)


if __name__ == "__main__":
    unittest.main()
