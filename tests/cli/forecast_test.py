# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster forecast, on scenarios and on traces."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

CLI = os.environ.get("MUSTER_CLI", "")

SCENARIO = {
    "muster": 1,
    "nodes": [{"name": "n", "capacity": {"cpu": "4"}}],
    "jobs": [
        {"name": name, "min_available": 1, "estimate": 100, "owner": {"user": "ann"},
         "groups": [{"name": "w", "count": 1, "shape": {"request": {"cpu": "4"}}}]}
        for name in ("first", "second")
    ],
}


def muster(*arguments):
    return subprocess.run([CLI, "forecast", *arguments], capture_output=True, text=True,
                          check=False)


@unittest.skipUnless(CLI, "not run by ctest")
class Forecast(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scenario = self.write("scenario.json", json.dumps(SCENARIO))
        rows = "".join(f"{60 * i},{10 + i % 50},200,{1 + i % 4},ann\n" for i in range(200))
        self.jobs = self.write("jobs.csv", "submit,run,estimate,tasks,user\n" + rows)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def test_a_scenario(self):
        done = muster(self.scenario, "--profile", "fcfs", "--now", "12000", "--json", "--history",
                      self.jobs, "--no-arrivals")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertEqual([job["job"] for job in told["jobs"]], ["first", "second"])
        self.assertEqual(told["jobs"][0]["start"]["middle"], 12000)
        # Ann's jobs run for 60 seconds at most, and hers of 100 seconds for half as long.
        self.assertLessEqual(told["jobs"][1]["start"]["middle"], 12031)
        again = muster(self.scenario, "--profile", "fcfs", "--now", "12000", "--json", "--history",
                       self.jobs, "--no-arrivals")
        self.assertEqual(done.stdout, again.stdout)

    def test_a_trace(self):
        given = ("csv", "--file", self.jobs, "--procs", "4", "--futures", "5")
        done = muster(*given, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertEqual(told["forecasts"], told["waited"])
        rows = muster(*given, "--forecasts", "-").stdout.splitlines()
        self.assertEqual(len(rows), told["forecasts"] + 1)
        self.assertTrue(rows[0].startswith("job_id,made,start_low,start,start_high"))
        self.assertIn("within the interval", muster(*given).stdout)

    def test_refusals(self):
        for arguments, words in (
            ((self.scenario, "--futures", "1"), "forecast: futures: 1 is not in 3..10000"),
            ((self.scenario, "--scales", "1,2"),
             '--scales: "1,2" is not four numbers from 0.004 to 4096'),
            ((), "needs one FILE or KIND"),
            ((self.scenario, "--profile", "kueue"), 'profile "kueue" places no task on a node'),
            ((self.scenario, "--profile", "eazy"), 'unknown profile "eazy"; did you mean "easy"?'),
            ((self.scenario, "--history", self.write("bad.csv", "submit,run\n1,x\n")),
             "bad.csv:2: run:"),
            (("csv", "--file", self.jobs, "--procs", "4", "--policy", "muster"),
             '"muster" is not fcfs, easy or conservative'),
        ):
            done = muster(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
