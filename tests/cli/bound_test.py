# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster run --bound and muster replay --bound from the outside."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = os.environ.get("MUSTER_CLI", str(ROOT / "build/release/muster"))
SCENARIO = {
    "muster": 1,
    "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": 3, "pods": 10}}],
    "jobs": [{"name": "j", "groups": [{"count": 4, "shape": {"request": {"cpu": 2}}}]}],
}


def muster(*arguments):
    return subprocess.run([MUSTER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120)


class Bound(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scenario = self.folder / "s.json"
        self.scenario.write_text(json.dumps(SCENARIO), encoding="utf-8")
        self.jobs = self.folder / "jobs.csv"
        self.jobs.write_text("submit,run\n0,100\n0,100\n", encoding="utf-8")

    def test_a_plan_as_text_json_and_csv(self):
        text = muster("run", self.scenario, "--profile", "muster", "--bound")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn("of 4 waiting tasks 2 get a node; no plan places more than 2\n"
                      "  cpu: 4 of 8 placed, no plan more than 4\n", text.stdout)
        plain = muster("run", self.scenario, "--profile", "muster").stdout
        self.assertTrue(text.stdout.startswith(plain))
        told = json.loads(
            muster("run", self.scenario, "--profile", "muster", "--bound", "--json").stdout)
        bound = told["bound"]
        self.assertGreaterEqual(bound.pop("work"), 0)
        self.assertEqual(bound, {
            "waiting": 4, "placed": 2, "most": 2, "broken": [],
            "resources": [{"name": "cpu", "requested": 8000, "placed": 4000, "most": 4000}]})
        rows = list(csv.DictReader(io.StringIO(
            muster("run", self.scenario, "--profile", "muster", "--bound", "--format",
                   "csv").stdout)))
        self.assertEqual([(row["name"], row["most"]) for row in rows if row["table"] == "bound"],
                         [("tasks", "2"), ("cpu", "4000")])

    def test_a_replay(self):
        done = muster("replay", "csv", "--file", self.jobs, "--procs", 1, "--policy", "easy",
                      "--bound")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no schedule of the 2 jobs that ended has less than\n", done.stdout)
        told = json.loads(
            muster("replay", "csv", "--file", self.jobs, "--procs", 1, "--policy", "easy",
                   "--bound", "--json").stdout)
        self.assertEqual(told["all"]["wait"]["mean"], 50)
        self.assertLessEqual(told["bound"]["mean_wait"], 50)
        self.assertGreater(told["bound"]["mean_wait"], 45)
        self.assertLessEqual(told["bound"]["mean_bounded_slowdown"], 1.5)
        self.assertEqual((told["bound"]["jobs"], told["bound"]["resource"]), (2, "processors"))

    def test_what_is_refused(self):
        for arguments, words in (
            (("run", self.scenario, "--bound", "--digest"), "exclude each other"),
            (("run", self.scenario, "--bound-work", "5"), "--bound-work needs --bound"),
            (("run", self.scenario, "--bound", "--bound-work", "0"), "--bound: work: 0 is not in"),
            (("replay", "csv", "--file", self.jobs, "--procs", 1, "--bound",
              "--follow-preceding"), "without --follow-preceding and --checkpoint"),
            (("replay", "csv", "--file", self.jobs, "--procs", 1, "--bound", "--bound-rounds",
              "0"), "--bound: rounds: 0 is not in 1..100000"),
        ):
            done = muster(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
