# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Tables in and out as pandas, Arrow and polars; empty cells leave fields unset in all of them."""

import unittest
from importlib.util import find_spec

import numpy as np

from engine import muster, needs_engine, rows

NODES = {"name": ["a", "b"], "cpu": [4, 8], "labels.zone": ["x", None], "memory": ["1Gi", None]}
JOBS = {"submit": [0, 5], "run": [60, 60], "tasks": [4, 2]}
FORMS = {"dict of lists": dict}
if find_spec("pandas"):
    import pandas

    FORMS["pandas"] = pandas.DataFrame
if find_spec("pyarrow"):
    import pyarrow

    FORMS["Arrow"] = pyarrow.table
if find_spec("polars"):
    import polars

    FORMS["polars"] = polars.DataFrame


@needs_engine
class In(unittest.TestCase):
    def test_every_form_makes_the_same_rows(self):
        for form, make in FORMS.items():
            with self.subTest(form):
                cluster = muster.Cluster()
                self.assertEqual(cluster.add_nodes(make(NODES)), 2)
                self.assertEqual(cluster.node("a")["labels"], {"zone": "x"})
                self.assertEqual(cluster.node("b"), {"name": "b", "capacity": {"cpu": 8}})

    def test_empty_numbers_and_flags_are_unset(self):
        table = {"name": ["t", "u", "v"], "cpu": [0.5, None, 1], "priority": [None, 7, None],
                 "preemptable": [None, False, True], "started": [None, None, 5],
                 "status": ["pending", None, "pending"]}
        for form, make in FORMS.items():
            with self.subTest(form):
                cluster = muster.Cluster()
                cluster.add_tasks(make(table))
                tasks = [cluster.task(name) for name in "tuv"]
                self.assertEqual([t.get("priority", 0) for t in tasks], [0, 7, 0])
                self.assertEqual([t.get("preemptable", True) for t in tasks], [True, False, True])
                self.assertEqual([t.get("started") for t in tasks], [None, None, 5])
                self.assertNotIn("shape", cluster.task("u"))

    def test_traces(self):
        digests = {muster.Trace(make(JOBS), processors=4).digest for make in FORMS.values()}
        self.assertEqual(len(digests), 1)
        with self.assertRaises(muster.InvalidArgument):
            muster.Trace({"submit": [0, None], "run": [60, 60]}, processors=4)


@needs_engine
class Out(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=8, gpu=4)
        self.cluster.add_job("train", count=16, min_available=16, cpu=1, gpu=1)
        self.cluster.add_job("hello", count=2, cpu=1)
        plan = self.cluster.schedule("volcano")
        replay = muster.replay(muster.traces.mix(jobs=20, nodes=2), "volcano")
        self.tables = [plan.binds, plan.pending, plan.decisions, plan.shares, plan.offers,
                       self.cluster.nodes, self.cluster.tasks, replay.jobs, replay.series]

    def check(self, convert, cells):
        for table in self.tables:
            made = convert(table)
            self.assertEqual(made.shape[0], rows(table))
            for name in table:
                want, got = np.asarray(table[name]), np.asarray(cells(made, name))
                same = want == got
                if want.dtype.kind == "f":
                    same |= np.isnan(want) & np.isnan(got)
                self.assertTrue(np.all(same), name)
        again = muster.Cluster()
        again.add_nodes(convert({"name": np.array(["n"], dtype=object), "cpu": np.array([2])}))
        self.assertEqual(rows(again.nodes), 1)

    @unittest.skipUnless(find_spec("pyarrow"), "pyarrow is not installed")
    def test_arrow(self):
        self.check(muster.to_arrow, lambda made, name: made.column(name).to_pylist())
        self.assertEqual(str(muster.to_arrow(self.tables[0]).schema.field("task").type), "string")

    @unittest.skipUnless(find_spec("polars"), "polars is not installed")
    def test_polars(self):
        self.check(muster.to_polars, lambda made, name: made[name].to_list())


if __name__ == "__main__":
    unittest.main()
