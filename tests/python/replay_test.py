# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Traces and replays from Python: readers, columns, published starts, Ctrl-C."""

import csv
import gzip
import io
import os
import pathlib
import pickle
import re
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

from engine import ROOT, muster, needs_engine, present, rows

TRACES = pathlib.Path(os.environ.get("MUSTER_TRACES") or ROOT.parent / "shared/traces")


def pool(jobs=4000, processors=16, seed=1):
    """A busy pool of our own."""
    r = np.random.default_rng(seed)
    run = r.integers(1, 500, jobs)
    table = {
        "submit": np.sort(r.integers(0, jobs * 90, jobs)),
        "run": run,
        "estimate": run * r.integers(1, 4, jobs),
        "tasks": r.integers(1, 9, jobs),
        "user": r.integers(0, 5, jobs),
    }
    return muster.Trace(table, processors=processors, users=[f"u{i}" for i in range(5)],
                        name="pool")


@needs_engine
class Traces(unittest.TestCase):
    def test_of_columns(self):
        trace = muster.Trace({"submit": [0, 5], "run": [60, 60], "tasks": [4, 2]}, processors=4)
        self.assertEqual((len(trace), trace.processors), (2, 4))
        self.assertEqual(list(trace.jobs["tasks"]), [4, 2])
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    'column "runs", did you mean "run".; there are .*run'):
            muster.Trace({"submit": [0], "runs": [1]}, processors=4)
        with self.assertRaisesRegex(muster.InvalidArgument, "run is -1; must be above 0"):
            muster.Trace({"submit": [0], "run": [-1]}, processors=4)
        with self.assertRaisesRegex(muster.InvalidArgument, "run"):
            muster.Trace({"submit": [0.0], "run": [float("nan")]}, processors=4)

    def test_select_keeps_who_precedes_whom(self):
        table = {"submit": [0, 1, 2], "run": [9, 9, 9], "preceding": [2**32 - 1, 0, 1],
                 "think": [0, 3, 4]}
        trace = muster.Trace(table, processors=4)
        self.assertEqual(present(trace.select([2, 1]).jobs["preceding"]), [1, None])
        with self.assertRaisesRegex(muster.InvalidArgument, "different"):
            trace.select([1, 1])

    def test_pickled_and_digest(self):
        trace = pool(50)
        self.assertEqual(pickle.loads(pickle.dumps(trace)).digest, trace.digest)
        self.assertNotEqual(trace.head(49).digest, trace.digest)
        self.assertNotEqual(trace.on(processors=17).digest, trace.digest)

    def test_resampled(self):
        trace = pool(1000)
        drawn = trace.resampled(7)
        self.assertEqual(drawn.digest, trace.resampled(7).digest)
        self.assertNotEqual(drawn.digest, trace.resampled(8).digest)
        self.assertTrue((drawn.jobs["submit"] == trace.jobs["submit"]).all())
        self.assertLessEqual(set(drawn.jobs["run"]), set(trace.jobs["run"]))
        pairs = set(zip(trace.jobs["run"], trace.jobs["tasks"]))
        self.assertLessEqual(set(zip(drawn.jobs["run"], drawn.jobs["tasks"])), pairs)

    def test_shaken(self):
        trace = pool(1000)
        before, after = trace._core.columns(), trace.shaken(3, 20)._core.columns()
        moved = after["submit"] - before["submit"]
        self.assertTrue((after["submit"] >= 0).all())
        far = before["submit"] >= 20
        self.assertEqual(sorted(set(moved[far].tolist())), list(range(-20, 21)))
        self.assertLess(abs(moved[far].mean()), 2)
        for name in ("run", "estimate", "tasks"):
            self.assertTrue((after[name] == before[name]).all())
        self.assertEqual(trace.shaken(3, 20).digest, trace.shaken(3, 20).digest)
        self.assertNotEqual(trace.shaken(3, 20).digest, trace.shaken(4, 20).digest)
        self.assertEqual(trace.shaken(3, 0).digest, trace.digest)

    def test_shaken_run_times(self):
        absent, endless = np.iinfo(np.int64).min, 2**53
        jobs = {"submit": [0] * 4, "run": [1, 1000, endless, 10**15],
                "estimate": [absent, 2000, endless, 10**15], "deadline": [absent, 9, 9, 9]}
        trace = muster.Trace(jobs, processors=1)
        for seed in range(200):
            table = trace.shaken(seed, 5, run=0.25)._core.columns()
            self.assertEqual((table["run"][2], table["estimate"][2], table["estimate"][0]),
                             (endless, endless, absent))
            self.assertTrue(750 <= table["run"][1] <= 1250)
            self.assertLessEqual(abs(int(table["estimate"][1]) - 2 * int(table["run"][1])), 2)
            self.assertTrue(75 * 10**13 <= table["run"][3] <= 125 * 10**13)
            self.assertGreaterEqual(table["run"][0], 1)
            # The deadline moves with the submission.
            self.assertEqual((table["deadline"] - table["submit"])[1], 9)
            self.assertEqual(table["deadline"][0], absent)
        with self.assertRaisesRegex(muster.InvalidArgument, "shaken: submit is -1"):
            trace.shaken(1, -1)

    def test_draws_are_splitmix64(self):
        # The published outputs for the seed 1234567.
        self.assertEqual(
            [int(x) for x in muster.traces.draws(1234567, 3)],
            [6457827717110365317, 3203168211198807973, 9817491932198370423],
        )

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs = pathlib.Path(folder, "jobs.csv")
            jobs.write_text("submit,run,tasks\n0,10,2\n1,x,1\n")
            with self.assertRaisesRegex(muster.InvalidArgument, r"jobs.csv:3: run: "):
                muster.traces.csv(jobs, processors=4)
            trace = muster.traces.csv(jobs, processors=4, skip_bad_lines=True)
            self.assertEqual((len(trace), trace.report["bad"]), (1, 1))
            with self.assertRaisesRegex(muster.NotFound, "philly: jobs: there is no file"):
                muster.traces.philly(folder)


@needs_engine
class Replays(unittest.TestCase):
    def test_by_hand(self):
        # The first holds all four processors; the third may go ahead of nothing, the second is the
        # head.
        trace = muster.Trace({"submit": [0, 5, 6], "run": [60, 60, 10], "tasks": [3, 4, 1]},
                             processors=4)
        result = muster.replay(trace, "fcfs")
        self.assertEqual(list(result.jobs["start"]), [0, 60, 120])
        self.assertEqual(list(muster.replay(trace, "easy").jobs["wait"]), [0, 55, 0])
        self.assertEqual(list(result.jobs["outcome"]), ["done"] * 3)
        self.assertEqual(result.metrics["all"]["wait"]["max"], 114)
        self.assertTrue(result.complete)
        self.assertIn("mean wait 56 s", repr(result))

    def test_what_did_not_happen(self):
        trace = muster.Trace({"submit": [0, 5], "run": [60, 60], "tasks": [3, 9]}, processors=4)
        jobs = muster.replay(trace, "easy").jobs
        self.assertEqual(list(jobs["outcome"]), ["done", "refused"])
        self.assertEqual(jobs["start"][0], 0)
        self.assertIn(str(jobs["start"][1]), ("<NA>", "--"))  # of pandas, of NumPy alone
        self.assertEqual(rows(muster.replay(trace, "easy").shares), 0)

    def test_profile_on_nodes_with_series(self):
        trace = muster.Trace(
            {"submit": [0, 0, 30], "run": [60, 60, 60], "tasks": [2, 2, 1], "queue": [0, 1, 1]},
            nodes=[{"name": f"n{i}", "capacity": {"cpu": 2}} for i in range(2)],
            shapes=[{"request": {"cpu": 1}}],
            queues=[{"name": "a"}, {"name": "b"}],
        )
        result = muster.replay(trace, "volcano", series_interval=10)
        self.assertEqual(list(result.jobs["start"]), [0, 0, 60])
        self.assertIn("used.cpu", list(result.series))
        self.assertEqual(int(max(result.samples["used"]["cpu"])), 4000)
        self.assertEqual(list(result.samples["queue_share"]), ["a", "b"])
        deviation = result.samples["share_deviation"]
        self.assertAlmostEqual(float(deviation.max()), result.metrics["share_deviation_max"])
        self.assertAlmostEqual(float(deviation[deviation >= 0].mean()),
                               result.metrics["share_deviation_mean"])
        self.assertEqual(rows(result.series), len(result.samples["time"]))
        shares = result.shares
        self.assertEqual(rows(shares), 2 * len(result.samples["time"]))
        of_b = [k for k, queue in enumerate(shares["queue"]) if queue == "b"]
        self.assertEqual([shares["time"][k] for k in of_b], list(result.samples["time"]))
        # While a and b run, each holds and deserves half; b's second job is one cpu of four.
        first, last = of_b[0], of_b[7]
        self.assertEqual([shares[c][first] for c in ("share", "deserved", "above")], [0.5, 0.5, 0])
        self.assertEqual(shares["share"][last], 0.25)
        self.assertEqual(list(shares["share"][of_b[0]:]), list(result.samples["queue_share"]["b"]))
        self.assertEqual(list(result.metrics["resources"]), ["cpu"])
        self.assertEqual(list(result.metrics["queues"]), ["a", "b"])
        self.assertEqual(result.metrics["goodput"], 1)

    def test_training_jobs_take_turns(self):
        """At 900 s the long job has had 3,600 GPU-seconds and gives way; it leaves in a second,
        which counts."""
        trace = muster.Trace(
            {"submit": [0, 900], "run": [4000, 10], "tasks": [4, 4]},
            nodes=[{"name": "n", "capacity": {"nvidia.com/gpu": 4}}],
            shapes=[{"request": {"nvidia.com/gpu": 1}}])
        options = {"cycles": "rounds", "period": 60, "evicted_jobs_checkpoint": True}
        turns = muster.replay(trace, "tiresias", **options)
        self.assertEqual(turns.jobs["end"].tolist(), [4010, 911])
        self.assertFalse(turns.clairvoyant)
        # rho of the short job is 2 after 10 s, and that of the long one stays 1. Round 1 is the
        # first that stops a job.
        fair = muster.replay(trace, "themis:finish-time(fairness=1)", **options)
        self.assertEqual(fair.jobs["end"].tolist(), [4010, 1211])
        self.assertTrue(fair.clairvoyant)
        self.assertEqual(muster.replay(trace, "volcano").jobs["end"].tolist(), [4000, 4010])

    def test_where_tasks_ran_and_why_jobs_wait(self):
        trace = muster.Trace(
            {"id": [7, 8], "submit": [0, 5], "run": [60, 60], "tasks": [2, 1]},
            nodes=[{"name": f"n{i}", "capacity": {"cpu": 1}} for i in range(2)],
            shapes=[{"request": {"cpu": 1}}],
        )
        result = muster.replay(trace, "volcano", series_interval=10, record_placements=True,
                               measure_decisions=True)
        placed = result.placements
        self.assertEqual(list(placed["job"]), [7, 7, 8])
        self.assertEqual(sorted(placed["node"][:2]), ["n0", "n1"])
        self.assertEqual((list(placed["from"]), list(placed["to"])), ([0, 0, 60], [60, 60, 120]))
        pending = result.pending
        reason = next(name for name in pending if "insufficient cpu" in name
                      or "not_admitted" in name)
        self.assertEqual(list(pending["time"][:3]), [0, 10, 20])
        self.assertEqual(list(pending[reason][:3]), [0, 1, 1])
        self.assertEqual(result.metrics["decision_time"]["count"], result.counts["passes"])
        self.assertGreater(result.metrics["decision_time"]["max"], 0)
        self.assertEqual(rows(muster.replay(trace, "volcano").placements), 0)
        self.assertEqual(muster.replay(trace, "volcano").digest, result.digest)

    def test_pending_on_a_pool(self):
        trace = muster.Trace({"submit": [0, 0, 0], "run": [90, 90, 90], "tasks": [3, 2, 1]},
                             processors=4)
        result = muster.replay(trace, "fcfs", record_placements=True)
        self.assertEqual(list(result.placements["node"]), ["pool"] * 3)
        pending = {name: list(column)[0] for name, column in dict(result.pending).items()}
        self.assertEqual(pending, {"time": 0, "no_node: insufficient processors": 1,
                                   "not_reached": 1})
        waiting = sum(np.asarray(column) for name, column in dict(result.pending).items()
                      if name != "time")
        np.testing.assert_array_equal(waiting, result.samples["waiting"])

    def test_refusals(self):
        trace = pool(10)
        with self.assertRaisesRegex(muster.InvalidArgument, "eazy"):
            muster.replay(trace, "eazy")
        with self.assertRaisesRegex(muster.InvalidArgument, "latencies"):
            muster.replay(trace, "easy", latencies=3)
        with self.assertRaisesRegex(muster.InvalidArgument, "cycles"):
            muster.replay(trace, "volcano", cycles="often")
        with self.assertRaisesRegex(muster.InvalidArgument, r"node_events\[0\]"):
            muster.replay(trace, "volcano", node_events=[(1, "vanish", "n0")])

    def test_equal_inputs_equal_digests(self):
        trace = pool()
        self.assertEqual(muster.replay(trace, "easy").digest, muster.replay(trace, "easy").digest)
        self.assertNotEqual(muster.replay(trace, "easy").digest,
                            muster.replay(trace, "fcfs").digest)

    def test_other_threads_run_meanwhile(self):
        trace = pool(400000)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(
            muster.replay(trace, "easy:order=sjf")))
        thread.start()
        ticks = 0
        while thread.is_alive():
            ticks += 1
            time.sleep(0.001)
        self.assertEqual(len(seen), 1)
        self.assertGreater(ticks, 3)

    def test_progress_is_told_and_changes_nothing(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        for jobs in (2000, 8000, 32000, 128000):  # until it takes long enough on this machine
            trace = muster.traces.mix(jobs=jobs, nodes=16)
            out, log = Terminal(), io.StringIO()
            told = muster.replay(trace, "volcano", progress=out)
            if out.getvalue():
                break
        self.assertRegex(out.getvalue(), r"^\r\x1b\[Kmuster: [0-9]+ % of the trace's time, [0-9]+ s")
        parts = [int(part) for part in re.findall(r"muster: ([0-9]+) %", out.getvalue())]
        self.assertEqual(parts, sorted(parts))
        small = muster.traces.mix(jobs=300, nodes=16)
        self.assertEqual(muster.replay(small, "volcano", progress=log).digest,
                         muster.replay(small, "volcano").digest)
        self.assertEqual(log.getvalue(), "")  # it was over too soon
        self.assertTrue(told.complete)

    def test_ctrl_c_ends_with_what_there_is(self):
        # A backlog that grows without end, so that it lasts for many times what is waited here.
        jobs = 400000
        trace = muster.Trace(
            {"submit": np.arange(jobs), "run": np.full(jobs, 50), "tasks": np.full(jobs, 3),
             "estimate": np.full(jobs, 99)},
            processors=4,
        )
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            result = muster.replay(trace, "conservative:reservations=afresh")
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertFalse(result.complete)
        self.assertIn("partial", repr(result))
        self.assertLess(int((result.jobs["start"] >= 0).sum()), jobs)


@needs_engine
@unittest.skipUnless(TRACES.is_dir(), f"no recorded traces in {TRACES}")
class Recorded(unittest.TestCase):
    def test_published_waits(self):
        trace = muster.traces.hpc("KTH-SP2.csv.gz", 100, folder=TRACES)
        with gzip.open(TRACES / "hpc_easy_golden/KTH-SP2.csv.gz", "rt") as file:
            table = list(csv.DictReader(file))
        column = next(name for name in table[0] if name.startswith("wait_easy"))
        golden = {int(row["job_id"]): int(float(row[column])) for row in table if row[column]}
        jobs = muster.replay(trace, "easy").jobs
        waits = dict(zip((int(i) for i in jobs["id"]), (int(w) for w in jobs["wait"])))
        self.assertGreater(len(golden), 28000)
        self.assertEqual(waits, golden)

    def test_counts_of_the_folders(self):
        self.assertEqual(muster.traces.available(TRACES), ["openb", "philly"])
        philly = muster.traces.philly(TRACES)
        self.assertEqual((len(philly), len(philly.nodes), len(philly.queues)), (82229, 352, 11))
        openb = muster.traces.openb(TRACES, recorded=True)
        self.assertEqual((len(openb), len(openb.nodes)), (8151, 1213))


if __name__ == "__main__":
    unittest.main()
