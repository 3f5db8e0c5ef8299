# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster.rehearse, diagnose, drain and need_nodes: their tables, and what they refuse."""

import json
import unittest

from engine import muster, needs_engine, rows


@needs_engine
class Advice(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=4)
        self.cluster.add_job("runs", count=1, cpu=2)
        self.cluster.apply(self.cluster.schedule("volcano"))
        self.cluster.add_job("gang", count=4, min_available=4, cpu=2)

    def test_what_a_change_starts(self):
        told = muster.rehearse(self.cluster, "volcano", [{"add_nodes": {"cpu": 4}}])
        self.assertEqual(list(told.starts["job"]), ["gang"] * 4)
        self.assertEqual(rows(told.stops), 0)
        self.assertEqual(list(told.queues["allocated_after.cpu"]), [10000])
        told = muster.rehearse(self.cluster, "volcano",
                               [{"job": {"name": "gang", "min_available": 3}}])
        self.assertEqual(rows(told.starts), 3)
        told = muster.rehearse(self.cluster, "volcano",
                               [{"add_task": {"name": "x", "job": "gang",
                                               "shape": {"request": {"cpu": 99}}}}])
        self.assertEqual(list(told.waits["task"]), ["x"])

    def test_remedies(self):
        told = muster.diagnose(self.cluster, "gang", "volcano")
        self.assertEqual(told.waiting, 4)
        self.assertIn("undone", told.reason)
        self.assertIn("more_nodes", list(told.remedies["kind"]))
        self.assertGreater(min(told.remedies["starts"]), 0)
        for number in range(len(told.remedies["kind"])):
            starts, changes = (told.remedies[key][number] for key in ("starts", "changes"))
            made = muster.rehearse(self.cluster, told.remedies["profile"][number],
                                   json.loads(changes))
            self.assertEqual(rows(made.starts), starts, told.remedies["words"][number])
        self.assertEqual(len(told.remedies["others"]), len(told.remedies["kind"]))
        self.assertEqual(muster.diagnose(self.cluster, "runs").waiting, 0)

    def test_tasks_that_no_cycle_tries(self):
        self.cluster.add_task("lone", cpu=1)
        for plan in (self.cluster.schedule("volcano"),
                     muster.schedule(self.cluster.freeze(), "volcano")):
            self.assertEqual(plan.explain("lone"),
                             "lone waits, and has no job: profile volcano leaves it out; "
                             "lone_tasks=QUEUE in the profile makes a job of it\n")
        self.assertIn("lone: no node fits", self.cluster.schedule("kube-scheduler").explain("lone"))
        self.cluster.apply_delta("task", 1, name="late-0", job="late", cpu=1)
        plan = self.cluster.schedule("volcano")
        self.assertIn('its event waits for job "late", which is not there', plan.explain("late-0"))
        self.assertIn('1 event waits for job "late"', plan.explain("late"))

    def test_a_drain(self):
        node = self.cluster.task("runs-0")["node"]
        told = muster.drain(self.cluster, [node], "volcano")
        self.assertEqual(list(told.tasks["task"]), ["runs-0"])
        self.assertNotEqual(list(told.tasks["to"]), [node])
        self.assertEqual(rows(told.broken), 0)

    def test_missing_nodes(self):
        told = muster.need_nodes(self.cluster, [{"name": "big", "cpu": 8, "price": 3}], "volcano")
        self.assertEqual((told.waiting_before, told.waiting_after, told.price), (4, 0, 3.0))
        self.assertEqual(list(told.cheapest["count"]), [1])
        self.assertEqual(list(told.wanted["type"]), ["big"])

    def test_missing_nodes_like_those_that_are_there(self):
        told = muster.need_nodes(self.cluster, profile="ray")
        self.assertEqual(list(told.wanted["type"]), ["n0"])
        self.assertEqual(told.wanted_waiting, 0)
        few = muster.need_nodes(self.cluster, [{"name": "big", "cpu": 2, "most": 1}], "ray")
        self.assertEqual(list(few.wanted["count"]), [1])

    def test_spending_limits(self):
        rules = {"spending": {"prices": {"cpu": "1.50"}, "limit": 100}}
        self.cluster.add_queue("nlp", rules=rules, history={"spent": "99"})
        self.cluster.add_job("paid", queue="nlp", count=1, cpu=1)
        plan = self.cluster.schedule("muster")
        self.assertIn('queue "nlp" has spent 99.00 of 100.00 this month', plan.explain("paid"))

    def test_bad_input_is_named(self):
        for ask, words in (
            (lambda: muster.diagnose(self.cluster, "gangs"), 'did you mean "gang"?'),
            (lambda: muster.diagnose(self.cluster, "gang", trials=0), "trials is 0"),
            (lambda: muster.drain(self.cluster, "n0"), "expected a list of nodes"),
            (lambda: muster.drain(self.cluster, ["n9"]), 'node "n9" does not exist'),
            (lambda: muster.need_nodes(self.cluster, [{"cpu": 1}]), "expected a dict with a name"),
            (lambda: muster.rehearse(self.cluster, "volcano", [{"remove_job": "x"}]),
             'changes[0]: job "x" does not exist'),
        ):
            with self.assertRaises(muster.Error) as raised:
                ask()
            self.assertIn(words, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
