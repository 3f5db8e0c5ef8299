# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Traces of the caller's own: short names of resources, names of queues and users, and the way
back from a trace to what it is made of."""

import pathlib
import tempfile
import unittest

import numpy as np
from engine import muster, needs_engine, present

JOBS = {"submit": [0, 1, 2], "run": [50, 50, 50], "tasks": [2, 4, 8]}
NODES = [{"name": f"n{i}", "cpu": 8, "gpu": 4} for i in range(2)]
SHAPES = [{"cpu": 1, "gpu": 1}]


@needs_engine
class Rows(unittest.TestCase):
    def test_short_names_are_those_of_a_cluster(self):
        trace = muster.Trace(JOBS | {"shape": [0, 0, 0]}, nodes=NODES, shapes=SHAPES)
        self.assertEqual(trace.nodes[0],
                         {"name": "n0", "capacity": {"cpu": 8, "nvidia.com/gpu": 4}})
        self.assertEqual(trace.shapes, [{"request": {"cpu": 1, "nvidia.com/gpu": 1}}])
        inside = muster.Trace(
            JOBS | {"shape": [0, 0, 0]},
            nodes=[{"name": n["name"], "capacity": {"cpu": 8, "gpu": 4}} for n in NODES],
            shapes=[{"request": {"cpu": 1, "gpu": 1}}])
        self.assertEqual(inside.digest, trace.digest)
        self.assertEqual(set(muster.replay(trace, "volcano").metrics["resources"]),
                         {"cpu", "nvidia.com/gpu"})
        self.assertEqual(trace.on(nodes=NODES[:1]).nodes, trace.nodes[:1])

    def test_a_resource_of_a_short_name_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs, nodes = pathlib.Path(folder, "jobs.csv"), pathlib.Path(folder, "nodes.csv")
            jobs.write_text("submit,run,request.gpu\n0,5,1\n")
            nodes.write_text("name,capacity.gpu\nn,9\n")
            trace = muster.traces.csv(jobs, nodes)
        self.assertEqual(trace.on(nodes=[{"name": "m", "capacity": {"gpu": 7}}]).nodes,
                         [{"name": "m", "capacity": {"gpu": 7}}])

    def test_names_of_queues_and_users(self):
        jobs = JOBS | {"queue": ["x", "y", "x"], "user": ["b", None, "a"]}
        trace = muster.Trace(jobs, processors=9)
        self.assertEqual((trace.queues, trace.users), (["x", "y"], ["b", "a"]))
        self.assertEqual(present(trace.jobs["queue"]), [0, 1, 0])
        self.assertEqual(present(trace.jobs["user"]), [0, None, 1])
        given = muster.Trace(jobs, processors=9, users=["a", "b"],
                             queues=["y", {"name": "x", "weight": 2}])
        self.assertEqual((given.queues, given.users), (["y", "x"], ["a", "b"]))
        self.assertEqual(present(given.jobs["queue"]), [1, 0, 1])
        self.assertEqual(present(given.jobs["user"]), [1, None, 0])
        none = type("NAType", (), {})()  # as pandas.NA
        unset = muster.Trace(JOBS | {"user": muster.frames.cells(["b", none, float("nan")])},
                             processors=9)
        self.assertEqual(present(unset.jobs["user"]), [0, None, None])
        arrays = {name: np.array(column)
                  for name, column in (JOBS | {"queue": ["x", "y", "x"]}).items()}
        self.assertEqual(muster.Trace(arrays, processors=9).queues, ["x", "y"])

    def test_a_trace_is_made_again_from_its_parts(self):
        pool = muster.traces.named_mix("hpc").generate(jobs=40, processors=64, seed=3)
        self.assertTrue(pool.users)
        again = muster.Trace(pool.jobs, processors=64, users=pool.users)
        self.assertEqual(present(again.jobs["user"]), present(pool.jobs["user"]))
        self.assertEqual(again.users, pool.users)
        mix = muster.traces.mix(jobs=40, nodes=8)
        again = muster.Trace(mix.jobs, nodes=mix.nodes, shapes=mix.shapes, queues=mix.queues)
        for name in mix.jobs:
            self.assertEqual(present(again.jobs[name]), present(mix.jobs[name]), name)
        self.assertEqual((again.nodes, again.shapes, again.queues),
                         (mix.nodes, mix.shapes, mix.queues))

    def test_what_is_wrong_is_named(self):
        for words, jobs, more in (
            ('nodes[1]: unknown field "cpus", did you mean "cpu"?', {},
             {"nodes": [NODES[0], {"name": "m", "cpus": 4}], "shapes": SHAPES}),
            ('shapes[0]: unknown field "gpus", did you mean "gpu"?', {},
             {"nodes": NODES, "shapes": [{"gpus": 1}]}),
            ('nodes[0]: "cpu" is given twice, alone and in capacity', {},
             {"nodes": [{"name": "m", "cpu": 4, "capacity": {"cpu": 3}}], "shapes": SHAPES}),
            ("nodes[0]: expected a dict", {}, {"nodes": ["n"], "shapes": SHAPES}),
            ('shapes: it has none, and jobs on nodes need one, such as [{"cpu": 1}]', {},
             {"nodes": NODES}),
            ("columns.shape[2]: there is no shape 1; shapes= lists 1", {"shape": [0, 0, 1]},
             {"nodes": NODES, "shapes": SHAPES}),
            ('columns.queue[1]: there is no queue "vison", did you mean "vision"?',
             {"queue": ["vision", "vison", "vision"]}, {"processors": 9, "queues": ["vision"]}),
            ("columns.queue[1]: expected a name, got ['y']", {"queue": muster.frames.cells(
                ["x", ["y"], "x"])}, {"processors": 9}),
            ("columns.user[2]: expected a name, got {}", {"user": muster.frames.cells(
                ["a", None, {}])}, {"processors": 9, "users": ["a"]}),
            ("columns.queue[0]: expected a name, got 7", {"queue": muster.frames.cells(
                [7, "x", "x"])}, {"processors": 9}),
            ("columns.user[0]: there is no user 7; users= lists 1", {"user": [7, 0, 0]},
             {"processors": 9, "users": ["a"]}),
        ):
            with self.subTest(words), self.assertRaises(muster.InvalidArgument) as caught:
                muster.Trace(JOBS | jobs, **more)
            self.assertTrue(str(caught.exception).startswith(f"trace: {words}"), caught.exception)
        one = muster.Trace(JOBS, nodes=NODES, shapes=SHAPES)
        two = muster.Trace(JOBS | {"shape": [0, 0, 1]}, nodes=NODES, shapes=[*SHAPES, *SHAPES])
        needs = 'on: shapes: it has none, and jobs on nodes need one, such as [{"cpu": 1}]'
        for words, trace, more in (
            (needs, muster.Trace(JOBS, processors=9), {"nodes": NODES}),
            (needs, one, {"shapes": []}),
            ("on: columns.shape[2]: there is no shape 1; shapes= lists 1", two, {"shapes": SHAPES}),
        ):
            with self.subTest(words), self.assertRaises(muster.InvalidArgument) as caught:
                trace.on(**more)
            self.assertEqual(str(caught.exception), words)
        with self.assertRaisesRegex(muster.InvalidArgument, 'no column "run"; there are "submit"'):
            muster.Trace({"submit": [0]}, processors=9)


@needs_engine
class Parts(unittest.TestCase):
    def test_a_pool_on_nodes_by_shapes(self):
        trace = muster.Trace(JOBS, processors=8).on(nodes=NODES, shapes=[{"cpu": 1}])
        self.assertEqual(trace.shapes, muster.Trace(JOBS, nodes=NODES, shapes=[{"cpu": 1}]).shapes)
        self.assertEqual(muster.replay(trace, "fcfs").metrics["ended"], len(trace))
        wide = trace.on(shapes=[{"cpu": 2}])
        self.assertEqual((wide.nodes, wide.shapes), (trace.nodes, [{"request": {"cpu": 2}}]))

    def test_a_pool_instead_of_nodes_and_back(self):
        trace = muster.Trace(JOBS | {"shape": [0, 0, 0]}, nodes=NODES, shapes=SHAPES)
        pool = trace.on(processors=8)
        self.assertEqual((pool.processors, pool.nodes), (8, []))
        self.assertEqual(muster.replay(pool, "easy").metrics["ended"], 3)
        again = pool.on(nodes=NODES)
        self.assertEqual((again.processors, again.digest), (0, trace.digest))

    def test_rows_by_a_mask(self):
        trace = muster.Trace(JOBS, processors=9)
        self.assertEqual(present(trace.select(trace.jobs["tasks"] > 2).jobs["tasks"]), [4, 8])
        self.assertEqual(present(trace.select([True, False, True]).jobs["id"]), [0, 2])
        with self.assertRaisesRegex(muster.InvalidArgument, "list of integers or 3 bools"):
            trace.select([True, False])
        with self.assertRaisesRegex(muster.InvalidArgument, "trace: rows: some are absent"):
            trace.select(muster.frames.absent(np.array([1, 1, 1]), [False, True, False]) == 1)
        with self.assertRaisesRegex(muster.InvalidArgument, "trace: rows: some are absent"):
            trace.select(muster.frames.absent(np.array([0, 1]), [False, True]))

    def test_the_first_jobs(self):
        trace = muster.Trace(JOBS, processors=9)
        self.assertEqual((len(trace.head(0)), len(trace.head(9))), (0, 3))
        with self.assertRaisesRegex(muster.InvalidArgument, "head: count is -1; must be 0 or more"):
            trace.head(-1)


if __name__ == "__main__":
    unittest.main()
