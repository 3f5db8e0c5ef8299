# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What ./run shows at its end, where no recorded trace is at hand and where some are."""

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = pathlib.Path(os.environ.get("MUSTER_CLI", ROOT / "build/release/muster"))


@unittest.skipUnless(CLI.exists(), "the command line is not built")
class CompareReplays(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compare(self, traces, *arguments):
        return subprocess.run(
            [sys.executable, ROOT / "tools/compare_replays.py", CLI, self.folder / "out",
             *arguments],
            capture_output=True, text=True, env=os.environ | {"MUSTER_TRACES": str(traces)})

    def page(self):
        return (self.folder / "out/index.html").read_text()

    def test_without_recorded_traces_mixes_are_played(self):
        done = self.compare("/nonexistent", "--profiles", "fcfs,easy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("No recorded traces in /nonexistent", done.stdout)
        for name in ("openb, made up", "Philly, made up"):
            self.assertIn(f"\n{name}", done.stdout)
            self.assertIn(f"<h2>{name}", self.page())
        self.assertEqual(self.page().count("<polyline"), 4)

    def test_recorded_traces_are_cut(self):
        philly = self.folder / "traces/philly"
        philly.mkdir(parents=True)
        (philly / "vc_nodes.csv").write_text("vc,nodes\na,9\nb,8\n")
        jobs = "".join(f"2017-10-0{1 + i // 10000} 07:{i // 60 % 60:02}:{i % 60:02},60.0,1,60.0,a\n"
                       for i in range(45010))
        (philly / "philly_jobs.csv.gz").write_bytes(
            gzip.compress(f"timestamp,duration,num_gpus,gpu_time,cluster\n{jobs}".encode()))
        done = self.compare(self.folder / "traces", "--profiles", "easy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Philly, an eighth of its nodes, 5,000 jobs", done.stdout)
        self.assertEqual((self.folder / "out/philly/vc_nodes.csv").read_text(),
                         "vc,nodes\na,2\nb,1\n")

    def test_the_error_of_the_command_is_shown(self):
        done = self.compare("/nonexistent", "--profiles", "nosuch")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nosuch", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
