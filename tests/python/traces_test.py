# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Readers of cluster traces, and Muster's own tables as CSV and Parquet."""

import gc
import pathlib
import tempfile
import unittest
import warnings

import numpy as np
from engine import ROOT, muster, needs_engine

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None
needs_arrow = unittest.skipIf(pyarrow is None, "pyarrow is not installed")

DATA = ROOT / "tests/data/traces"


@needs_engine
class Readers(unittest.TestCase):
    def test_alibaba2020(self):
        trace = muster.traces.alibaba2020(
            DATA / "pai_task_table.csv", DATA / "pai_machine_spec.csv", DATA / "pai_job_table.csv"
        )
        self.assertEqual((len(trace), len(trace.nodes)), (3, 3))
        self.assertEqual(list(trace.jobs["submit"]), [0, 50, 50])
        self.assertEqual(trace.report["dropped"]["no run time"], 1)
        self.assertEqual(muster.replay(trace, "volcano").metrics["ended"], 3)

    def test_alibaba2023(self):
        trace = muster.traces.alibaba2023(DATA / "openb_pods.csv", DATA / "openb_nodes.csv")
        self.assertEqual((list(trace.jobs["submit"]), list(trace.jobs["run"])),
                         ([0, 30], [996, 500]))
        self.assertEqual(trace.report["dropped"], {"no run time": 1})

    def test_google2019(self):
        trace = muster.traces.google2019(
            DATA / "google_instance_events.csv", DATA / "google_machine_events.csv",
            DATA / "google_collection_events.csv"
        )
        self.assertEqual((list(trace.jobs["submit"]), list(trace.jobs["run"])),
                         ([0, 3, 6], [9, 30, 60]))
        self.assertEqual(trace.queues, ["free", "batch", "mid", "production", "monitoring"])
        with self.assertRaisesRegex(muster.InvalidArgument, 'no column "time"'):
            muster.traces.google2019(DATA / "google_machine_events.csv",
                                     DATA / "pai_machine_spec.csv")

    def test_a_missing_file_is_named(self):
        with self.assertRaisesRegex(muster.NotFound,
                                    "alibaba2020: machines: there is no file nowhere.csv"):
            muster.traces.alibaba2020(DATA / "pai_task_table.csv", "nowhere.csv")

    def test_command_line_names(self):
        from muster.commands import open_trace

        for words, jobs in (
            ("alibaba2020:{0}/pai_task_table.csv:{0}/pai_machine_spec.csv", 3),
            ("alibaba2023:{0}/openb_pods.csv:{0}/openb_nodes.csv", 2),
            ("google2019:{0}/google_instance_events.csv:{0}/google_machine_events.csv", 3),
        ):
            self.assertEqual(len(open_trace(words.format(DATA))), jobs)


@needs_engine
class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def everything(self):
        """A trace that needs every column."""
        return muster.Trace(
            {
                "id": [7, 8, 9], "submit": [0, 5, 9], "run": [60, 70, 80],
                "estimate": [100, 80, 90], "tasks": [1, 2, 4],
                "min_tasks": [0, 1, 4], "shape": [0, 1, 0], "queue": [1, 0, 1], "user": [0, 1, 0],
                "priority": [0, -5, 9],
                "deadline": [500, 600, 700], "preceding": [2**32 - 1, 0, 0], "think": [0, 3, 4],
            },
            nodes=[
                {"name": "n0", "capacity": {"cpu": "8", "memory": "16Gi"},
                 "labels": {"kind": "a,b"}},
                {"name": "n1", "capacity": {"cpu": "4"}},
            ],
            shapes=[{"request": {"cpu": "500m"}}, {"request": {"memory": "1Gi"},
                                                   "node_selector": {"kind": "a,b"}}],
            queues=[{"name": "q", "weight": 3, "limit": {"cpu": "6"}}, {"name": "r"}],
            users=["ann", "bob"],
        )

    def assert_same(self, a, b):
        for name, column in a._core.columns().items():
            self.assertTrue(np.array_equal(column, b._core.columns()[name]), name)
        for name in ("users", "processors"):
            self.assertEqual(a._core.state()[name], b._core.state()[name])
        self.assertEqual(a.nodes, b.nodes)
        self.assertEqual(a.queues, b.queues)
        self.assertEqual(muster.replay(a, "volcano").digest, muster.replay(b, "volcano").digest)

    def test_csv_there_and_back(self):
        trace = self.everything()
        paths = trace.save_tables(self.folder)
        self.assertEqual([path.name for path in paths], ["jobs.csv", "nodes.csv", "queues.csv"])
        self.assert_same(trace, muster.traces.csv(*paths))

    def test_speeds_of_a_table(self):
        tables = {
            "jobs": "submit,run,request.nvidia.com/gpu,label.model\n0,60,1,m\n",
            "nodes": "name,capacity.nvidia.com/gpu,label.gpu-model\na,4,k80\n",
            "speeds": "model,type,speed\nm,v100,10\nm,k80,2.5\n",
        }
        for name, text in tables.items():
            (self.folder / f"{name}.csv").write_text(text, encoding="utf-8")
        jobs, nodes, speeds = (self.folder / f"{name}.csv" for name in tables)
        fast = muster.replay(muster.traces.csv(jobs, nodes), "volcano", cycles="rounds", period=7)
        slow = muster.replay(muster.traces.csv(jobs, nodes, speeds=speeds), "volcano")
        self.assertEqual(fast.jobs["end"].tolist(), [60])
        self.assertEqual(slow.jobs["end"].tolist(), [240])

    def speedy(self):
        """A trace with ends that depend on speeds and labels."""
        return muster.Trace(
            {"submit": [0, 0], "run": [60, 60], "shape": [0, 1]},
            nodes=[{"name": "a", "capacity": {"nvidia.com/gpu": "4"},
                    "labels": {"gpu-model": "k80"}}],
            shapes=[{"request": {"nvidia.com/gpu": "1"}, "labels": {"model": "m"}},
                    {"request": {"nvidia.com/gpu": "1"}}],
            speeds=[("m", "v100", 1, 10), ("m", "k80", 1, 2.5), ("m", "k80", 2, 0.000001)],
        )

    def ends(self, trace):
        return muster.replay(trace, "volcano").jobs["end"].tolist()

    def test_speeds_last(self):
        trace = self.speedy()
        self.assertEqual(self.ends(trace), [240, 60])
        self.assertEqual(trace.speeds[1:], [("m", "k80", 1, 2.5), ("m", "k80", 2, 1e-6)])
        self.assertEqual(self.ends(trace.head(1)), [240])
        self.assertEqual(self.ends(trace.shaken(1, submit=0)), [240, 60])
        trace.save(self.folder / "trace.npz")
        read = muster.traces.load(self.folder / "trace.npz")
        self.assertEqual((read.digest, read.speeds), (trace.digest, trace.speeds))
        plain = muster.Trace(trace.jobs, nodes=trace.nodes, shapes=trace._core.state()["shapes"])
        self.assertNotEqual(plain.digest, trace.digest)
        self.assertEqual(self.ends(plain), [60, 60])

    def test_files_that_are_no_traces(self):
        path = self.folder / "trace.npz"
        self.speedy().save(path)
        whole = path.read_bytes()
        for content in (b"", b"text", b"{}", whole[:len(whole) // 2], b"PK" + whole[2:40]):
            path.write_bytes(content)
            with self.subTest(content[:10]), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", ResourceWarning)
                with self.assertRaisesRegex(
                        muster.InvalidArgument, "trace.npz is no trace that Trace.save wrote: "):
                    muster.traces.load(path)
                gc.collect()
                self.assertEqual([str(one.message) for one in told], [])  # it is closed
        with self.assertRaisesRegex(muster.NotFound, "load: there is no file .*none.npz"):
            muster.traces.load(self.folder / "none.npz")
        np.savez(path, submit=[1])
        with self.assertRaisesRegex(muster.InvalidArgument, "no trace that Trace.save wrote: "):
            muster.traces.load(path)

    def test_tables_of_speeds_there_and_back(self):
        trace = self.speedy()
        jobs, nodes, speeds = trace.save_tables(self.folder)
        self.assertEqual(speeds.read_text(encoding="utf-8"),
                         "model,type,workers,speed\nm,v100,1,10.000000\nm,k80,1,2.500000\n"
                         "m,k80,2,0.000001\n")
        read = muster.traces.csv(jobs, nodes, speeds=speeds)
        self.assert_same(trace, read)
        self.assertEqual((read.speeds, self.ends(read)), (trace.speeds, [240, 60]))

    @needs_arrow
    def test_parquet_of_speeds_there_and_back(self):
        trace = self.speedy()
        jobs, nodes, speeds = trace.save_tables(self.folder, "parquet")
        read = muster.traces.parquet(jobs, nodes, speeds=speeds)
        self.assertEqual((read.speeds, self.ends(read)), (trace.speeds, [240, 60]))

    def test_bad_speeds(self):
        for row, message in (
            (("m", "k80", 1), r"speeds: .* is not \(model, type, workers, units"),
            (("m", "k80", 0, 1.0), r"speeds\[0\]: expected an integer between 1 and .*, got 0"),
            (("m", "k80", 1, 0.0), "is not from a millionth to 1000000"),
            (("m", "k80", 1, 1e9), "is not from a millionth to 1000000"),
            (("m", "k80", 1, float("nan")), "is not from a millionth to 1000000"),
            (("m", "k80", 1, True), r"speeds: .* is not \(model, type, workers, units"),
        ):
            with self.subTest(row), self.assertRaisesRegex(muster.InvalidArgument, message):
                muster.Trace({"submit": [0], "run": [60]}, processors=1, speeds=[row])

    @needs_arrow
    def test_parquet_there_and_back(self):
        trace = self.everything()
        paths = trace.save_tables(self.folder, "parquet")
        read = muster.traces.parquet(*paths)
        self.assert_same(trace, read)
        self.assertEqual(read.digest, muster.traces.csv(*trace.save_tables(self.folder)).digest)

    @needs_arrow
    def test_parquet_of_others(self):
        """Columns of numbers, texts and absent cells, as pandas or Arrow write them."""
        path = self.folder / "jobs.parquet"
        table = {"submit": [0, 5], "run": [60.0, 0.5], "queue": ["a", "b"],
                 "request.cpu": ["1", None], "deadline": [None, 90]}
        pyarrow.parquet.write_table(pyarrow.table(table), path)
        trace = muster.traces.parquet(path, processors=4)
        self.assertEqual((list(trace.jobs["run"]), trace.queues), ([60, 1], ["a", "b"]))

    @needs_arrow
    def test_bad_parquet(self):
        path = self.folder / "jobs.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"submit": [0, 5], "run": [60.0, float("nan")]}),
                                    path)
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    'jobs.parquet:3: run: "nan" is not a number'):
            muster.traces.parquet(path, processors=4)
        self.assertEqual(muster.traces.parquet(path, processors=4,
                                               skip_bad_lines=True).report["bad"], 1)
        pyarrow.parquet.write_table(pyarrow.table({"submit": [0], "runs": [60]}), path)
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    'jobs.parquet:1: there is no column "run"'):
            muster.traces.parquet(path, processors=4)
        pyarrow.parquet.write_table(pyarrow.table({"submit": [0], "run": [[1, 2]]}), path)
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    "jobs.parquet: not a readable Parquet table"):
            muster.traces.parquet(path, processors=4)
        path.write_bytes(path.read_bytes()[:-7])
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    "jobs.parquet: not a readable Parquet table"):
            muster.traces.parquet(path, processors=4)

    def test_what_tables_cannot_say_is_refused(self):
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    'form "xlsx" is not known; there are csv, parquet'):
            self.everything().save_tables(self.folder, "xlsx")
        trace = muster.Trace(
            {"submit": [0], "run": [1]}, nodes=[{"name": "n",
                                                 "taints": [{"key": "a", "effect": "NoSchedule"}]}],
                                                 shapes=[{}]
        )
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    'a node has "taints", which no table holds'):
            trace.save_tables(self.folder)


if __name__ == "__main__":
    unittest.main()
