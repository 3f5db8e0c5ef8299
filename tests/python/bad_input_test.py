# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What is wrong in the world, met from Python: odd traces, full disks, interruptions while results
are written."""

import errno
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
from engine import muster, needs_engine
from replay_test import pool


@needs_engine
class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_truncated_gzip(self):
        path = self.folder / "jobs.csv.gz"
        whole = gzip.compress(("submit,run\n" + "1,2\n" * 9999).encode())
        path.write_bytes(whole[: len(whole) // 2])
        for skip in (False, True):
            with self.assertRaisesRegex(muster.Error, r"the gzip data is cut off after line \d+"):
                muster.traces.csv(path, processors=1, skip_bad_lines=skip)

    def test_columns_that_are_none(self):
        for jobs, said in (
            ({"submit": [0], "run": [-5]}, "run"),
            ({"submit": [-1], "run": [5]}, "submit"),
            ({"submit": [0], "run": [0]}, "run"),
            ({"submit": [0.0], "run": [float("nan")]}, r'columns\["?run|run'),
            ({"submit": [0, 1], "run": [5]}, "rows"),
            ({"submit": [0], "run": [5], "tasks": [0]}, "tasks"),
            ({"submit": [0], "run": [5], "tasks": [2**33]}, "tasks"),
            ({"submit": [0], "run": [5], "queue": [3]}, "queue"),
            ({"submit": [0], "run": ["soon"]}, "run"),
            ({"submit": [0], "run": [5], "delay": [1]}, 'unknown column "delay"'),
        ):
            with self.subTest(said), self.assertRaisesRegex((muster.Error, TypeError), said):
                muster.Trace(jobs, processors=4)

    def test_out_of_order_is_as_in_order(self):
        trace = pool(500)
        order = np.random.default_rng(1).permutation(len(trace))
        a = muster.replay(trace, "easy").jobs
        b = muster.replay(trace.select(order), "easy").jobs
        # Only ties between equal submissions may fall otherwise; this trace has few, and none
        # matters to the sum.
        self.assertEqual(sorted(np.asarray(b["id"]).tolist()), sorted(np.asarray(a["id"]).tolist()))
        self.assertEqual((np.asarray(a["wait"]) < 0).sum(), (np.asarray(b["wait"]) < 0).sum())
        apart = muster.Trace({"submit": [9, 0, 5], "run": [10, 10, 10]}, processors=1)
        self.assertEqual(list(muster.replay(apart, "fcfs").jobs["start"]), [20, 0, 10])

    def test_blocks_and_shakes_without_end(self):
        trace = pool(20)
        for block in (20, 2**40, 2**70):
            drawn = trace.resampled(3, block=block)
            self.assertEqual(drawn.digest, trace.resampled(3, block=20).digest, block)
        for submit in (2**53 + 1, 2**64, -1):
            with self.assertRaisesRegex(muster.InvalidArgument, r"must be 0 to 2\^53"):
                trace.shaken(1, submit=submit)

    def test_a_million_jobs_at_one_instant(self):
        count = 1_000_000
        jobs = {"submit": np.zeros(count, dtype=int), "run": np.arange(count) % 7 + 1,
                "tasks": np.arange(count) % 3 + 1}
        result = muster.replay(muster.Trace(jobs, processors=1000), "easy")
        self.assertEqual(result.metrics["ended"], count)

    def test_jobs_larger_than_the_machine_on_nodes(self):
        nodes = [{"name": f"n{i}", "capacity": {"cpu": 4}} for i in range(2)]
        jobs = {"submit": [0, 1, 2], "run": [5] * 3, "tasks": [8, 9, 1], "shape": [0, 0, 1]}
        trace = muster.Trace(jobs, nodes=nodes, shapes=[{"request": {"cpu": 1}},
                                                        {"request": {"cpu": 5}}])
        for profile in ("muster", "volcano", "easy"):
            outcome = list(muster.replay(trace, profile).jobs["outcome"])
            self.assertEqual(outcome, ["done", "refused", "refused"], profile)


@needs_engine
class Texts(unittest.TestCase):
    def test_bytes_are_no_text(self):
        cluster = muster.Cluster()
        cluster.add_node("n", cpu=4)
        cluster.add_job("j", count=1, cpu=1)
        for call in (
            lambda text: cluster.schedule(text),
            lambda text: muster.schedule(cluster.freeze(), text),
            lambda text: cluster.set_task_status("j-0", text),
            lambda text: cluster.set_task_status(text, "running", node="n"),
            lambda text: cluster.remove_node(text),
            lambda text: cluster.make_tasks("j", text, 1),
            lambda text: muster.what_if(cluster, text, []),
            lambda text: muster.replay(pool(5), text),
        ):
            with self.assertRaises((muster.InvalidArgument, TypeError)):
                call(b"muster")
            with self.assertRaisesRegex(muster.InvalidArgument, "not valid Unicode"):
                call("\ud800")
        with self.assertRaises((muster.InvalidArgument, TypeError)):
            cluster.memory = b"{}"

    def test_names_that_are_half_characters(self):
        cluster = muster.Cluster()
        for kind in ("node", "queue", "job", "task", "domain"):
            with self.assertRaisesRegex(muster.InvalidArgument,
                                        f"{kind}: name: the text is not valid Unicode"):
                getattr(cluster, "add_" + kind)("\ud800")

    def test_errors_cut_values_between_characters(self):
        for value in ("é" * 40, "x" + "é" * 40, "xx" + "\U0001f600" * 40):
            with self.assertRaisesRegex(muster.InvalidArgument, "expected a text"):
                muster.Cluster().add_node([value])


COMPARE = """
import sys
import muster.__main__
sys.exit(muster.__main__.main(sys.argv[1:]))
"""


@needs_engine
class Disks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"

    def command(self, *words):
        path = os.pathsep.join(p for p in (str(pathlib.Path(muster.__file__).parents[1]),
                                           os.environ.get("PYTHONPATH")) if p)
        return {
            "args": [sys.executable, "-c", COMPARE, *map(str, words)], "text": True,
            "cwd": self.folder,
            "env": os.environ | {"PYTHONPATH": path, "MUSTER_CACHE": str(self.cache),
                                 "PYTHONDONTWRITEBYTECODE": "1"},
        }

    def compare(self, *words, jobs=200, replicates=2, **more):
        given = ("study", f"mix:hpc:{jobs}", "--profile", "easy", "--profile", "fcfs",
                 "--replicates", replicates, *words)
        return self.command(*given) | more

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk_at_report_time(self):
        done = subprocess.run(**self.compare("--report", "/dev/full"), capture_output=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("muster study: [Errno 28] No space left on device", done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        # The table was told before, and the runs are kept: nothing is made twice.
        self.assertIn("ranked by", done.stdout)
        self.assertTrue(os.path.exists("/dev/full") and not os.path.isfile("/dev/full"))
        again = subprocess.run(**self.compare("--report", "report.html"), capture_output=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("6 of 6 replays (6 from the cache)", again.stderr)

    def test_a_disk_that_fills_up_leaves_the_old_report(self):
        import resource

        report = self.folder / "report.html"
        report.write_text("the old one")
        subprocess.run(**self.compare(), capture_output=True, check=True)  # to have the runs
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = subprocess.run(**self.compare("--report", report, "--save",
                                             self.folder / "study.json"), capture_output=True,
                                             preexec_fn=limit)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(os.strerror(errno.EFBIG), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(report.read_text(), "the old one")
        self.assertFalse((self.folder / "study.json").exists())
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix == ".part"], [])

    def test_a_cache_that_cannot_be_written(self):
        """A study does without: all its runs are made and told, and one warning says that they are
        not kept."""
        import resource

        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
        full = subprocess.run(**self.compare(), capture_output=True, preexec_fn=limit)
        self.cache = self.folder / "no folder"
        self.cache.write_text("")
        none = subprocess.run(**self.compare("--report", "report.html"), capture_output=True)
        for done in (full, none):
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("RuntimeWarning: finished replays are not kept"), 1,
                             done.stderr)
            self.assertIn("ranked by", done.stdout)
            self.assertNotIn("PARTIAL", done.stdout)
            self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(full.stdout, none.stdout.split("report: ")[0])
        self.assertTrue((self.folder / "report.html").exists())

    def test_unknown_policy_and_trace(self):
        done = subprocess.run(**self.command("study", "mix:hpc:9", "--profile", "eazy",
                                             "--replicates", 0), capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean "easy"?', done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        for words, said in (("mix:phily", 'did you mean "philly"?'),
                            ("swf:none.swf", "there is no file"), ("mix:hpc:many", "many")):
            done = subprocess.run(**self.command("study", words, "--profile", "easy"),
                                  capture_output=True)
            self.assertEqual((done.returncode, "Traceback" in done.stderr), (2, False), done.stderr)
            self.assertIn(said, done.stderr)

    def test_interrupted_in_the_middle(self):
        """Whole runs are kept, the table and the manifest say PARTIAL, and the same call goes on
        where it was."""
        words = self.compare("--save", "study.json", "--report", "report.html", jobs=20000,
                             replicates=40)
        process = subprocess.Popen(
            **words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up and len(list(self.cache.rglob("*.json"))) < 4:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertNotIn("Traceback", stderr)
        self.assertIn("PARTIAL: it was interrupted", stdout)
        self.assertFalse(json.loads((self.folder / "study.json").read_text())["complete"])
        self.assertIn("Partial: the study was interrupted",
                      (self.folder / "report.html").read_text())
        kept = len(list(self.cache.rglob("*.json")))
        self.assertGreaterEqual(kept, 4)
        self.assertLess(kept, 82)


if __name__ == "__main__":
    unittest.main()
