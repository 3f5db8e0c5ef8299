# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A folder of inputs that once broke something: each ends with a result or with one line that says
what is wrong, in little memory and time.

The folder is no part of the repository: MUSTER_HOSTILE, or ../shared/hostile where it is there. A
file's name and content tell how it is read. Files named slow_* are for tests of growth.
"""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

from cli_test import MUSTER, ROOT

FOLDER = pathlib.Path(os.environ.get("MUSTER_HOSTILE", ROOT.parent / "shared/hostile"))
MEMORY = 4 << 30
SECONDS = 60
SANITIZED = bool(os.environ.get("MUSTER_SANITIZED"))


def is_scenario(path):
    try:
        return '"muster"' in path.read_text(encoding="utf-8")
    except ValueError:
        return False


def profiles():
    done = subprocess.run([MUSTER, "profiles", "--json"], capture_output=True, text=True,
                          timeout=SECONDS)
    return [profile["name"] for profile in json.loads(done.stdout)["profiles"]]


def bounded():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def commands(path, few):
    """The commands that read a file. `few`: a small table of jobs."""
    name, kind = path.name, path.suffix
    beside = {p.name.split("_")[0] + "_jobs": p for p in FOLDER.glob("*_jobs_*.csv")}
    if name.startswith("slow_") or "_jobs_" in name:
        return
    if kind == ".jsonl":
        yield "replay-log", path
    elif name.startswith("csv_"):
        yield "replay", "csv", "--file", beside.get("csv_jobs", few), "--nodes", path, "--policy", "muster"
    elif name.startswith("philly_"):
        yield "replay", "philly", "--file", beside["philly_jobs"], "--vcs", path, "--policy", "muster"
    elif name.startswith("itp_"):
        yield "replay", "itp", "--file", path, "--policy", "muster"
    elif kind == ".json" and is_scenario(path):
        for profile in profiles():
            yield "run", path, "--profile", profile
    elif kind in (".json", ".yaml"):
        yield "import", path, "--profile", "volcano"


@unittest.skipUnless(FOLDER.is_dir(), f"no folder of hostile inputs: {FOLDER} (MUSTER_HOSTILE)")
class Hostile(unittest.TestCase):
    def test_every_file(self):
        with tempfile.TemporaryDirectory() as folder:
            few = pathlib.Path(folder) / "jobs.csv"
            few.write_text("submit,run,request.cpu\n0,1,1\n", encoding="utf-8")
            count = 0
            for path in sorted(FOLDER.iterdir()):
                for command in commands(path, few):
                    count += 1
                    with self.subTest(command=" ".join(map(str, command))):
                        self.ends_well(command)
            self.assertGreater(count, 0)

    def ends_well(self, command):
        done = subprocess.run([MUSTER, *map(str, command)], capture_output=True, text=True,
                              timeout=SECONDS, preexec_fn=bounded)
        if done.returncode == 0:
            return
        self.assertEqual(done.returncode, 2, done.stderr[-500:])
        self.assertTrue(done.stderr.startswith("muster: "), done.stderr[-500:])
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr[-500:])
        self.assertLess(len(done.stderr), 2000)


if __name__ == "__main__":
    unittest.main()
