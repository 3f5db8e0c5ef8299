# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster replay and what is wrong in the world: damaged and odd traces, full disks, Ctrl-C."""

import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from cli_test import MUSTER, TIMEOUT, Files, muster

FULL = "/dev/full"


class BadInput(Files):
    def jobs(self, lines, name="jobs.csv", header="id,submit,run,tasks"):
        return self.write("\n".join([header, *lines]) + "\n", name)

    def replay(self, path, *flags, procs=4):
        return muster("replay", "csv", "--file", path, "--procs", procs, "--policy", "easy", *flags)

    def waits(self, *arguments, **more):
        done = self.replay(*arguments, "--decisions", "-", **more)
        self.assert_ends(done, 0)
        return dict(line.split(",") for line in done.stdout.split()[1:])

    def test_truncated_gzip(self):
        text = "".join(f"{i},{i},7,1\n" for i in range(5000))
        packed = gzip.compress(("id,submit,run,tasks\n" + text).encode())
        path = self.folder / "jobs.csv.gz"
        path.write_bytes(packed)
        self.assert_ends(self.replay(path), 0, stdout="5000 jobs")
        for size in (len(packed) // 2, len(packed) - 4, 12):
            path.write_bytes(packed[:size])
            # What is cut off is no bad line: the number of missing lines is unknown.
            for flags in ((), ("--skip-bad-lines",)):
                done = self.replay(path, *flags)
                self.assert_ends(done, 2, stdout="")
                self.assertRegex(done.stderr,
                                 r"jobs.csv.gz: the gzip data is cut off after line \d+")
        path.write_bytes(packed[:40] + bytes(40) + packed[80:])
        self.assertRegex(self.replay(path).stderr, "the gzip data is (damaged|cut off) after line")

    def test_out_of_order(self):
        lines = [f"{i},{i * 3},{5 + i % 40},{1 + i % 3}" for i in range(500)]
        shuffled = list(lines)
        random.Random(1).shuffle(shuffled)
        self.assertEqual(self.waits(self.jobs(lines)), self.waits(self.jobs(shuffled)))

    def test_numbers_that_are_none(self):
        for line, said in (
            ("1,0,-5,1", 'jobs.csv:3: run: "-5" is below 1'),
            ("1,0,0,1", 'jobs.csv:3: run: "0" is below 1'),
            ("1,-1,5,1", 'jobs.csv:3: submit: "-1" is below 0'),
            ("1,0,NaN,1", 'jobs.csv:3: run: "NaN" is not a number'),
            ("1,nan,5,1", 'jobs.csv:3: submit: "nan" is not a number'),
            ("1,0,inf,1", 'jobs.csv:3: run: "inf" is too large'),
            ("1,0,1e300,1", 'jobs.csv:3: run: "1e300" is too large'),
            ("1,0,5,1.5", 'jobs.csv:3: tasks: "1.5" is no integer'),
            ("1,0,,1", 'jobs.csv:3: run: "" is no number'),
            ("1,0,5", "jobs.csv:3: 3 fields, the header has 4"),
            ("0,0,5,1", "jobs.csv:3: id: the id is there twice"),
        ):
            path = self.jobs(["0,0,5,1", line, "2,1,5,1"])
            self.assert_ends(self.replay(path), 2, stdout="", stderr=said)
            done = self.replay(path, "--skip-bad-lines", "--json")
            self.assert_ends(done, 0)
            read = json.loads(done.stdout)["read"]
            self.assertEqual((read["lines"], read["jobs"], read["bad"]), (3, 2, 1))
            self.assertIn(said, read["bad_lines"][0])

    def test_wrong_delimiters_and_headers(self):
        for header, said in (
            ("id;submit;run;tasks", "is one column: commas separate columns"),
            ("id\tsubmit\trun\ttasks", "is one column: commas separate columns"),
            ("id submit run tasks", 'there is no column "submit"'),
            ("id,submit,runs,tasks", 'there is no column "run"'),
            ("id,submit,run,task", 'column "task" is not known, did you mean "tasks"?'),
        ):
            self.assert_ends(self.replay(self.jobs(["0,0,5,1"], header=header)), 2, stdout="",
                             stderr=said)
        self.assert_ends(self.replay(self.write("", "jobs.csv")), 2,
                         stderr="there is no header line")
        self.assert_ends(self.replay(self.folder), 2, stderr="Is a directory")

    def test_no_jobs(self):
        self.assert_ends(self.replay(self.jobs([])), 0, stdout="0 jobs")

    def test_jobs_larger_than_the_machine(self):
        path = self.jobs(["0,0,5,4", "1,1,5,5", "2,2,5,1"])
        self.assertEqual(self.waits(path), {"0": "0", "1": "", "2": "3"})
        self.assert_ends(self.replay(path), 0, stdout="2 ended, 0 running, 0 waiting, 1 refused")

    def test_a_million_jobs_at_one_instant(self):
        path = self.jobs([f"{i},9,{1 + i % 7},{1 + i % 3}" for i in range(1_000_000)])
        done = self.replay(path, "--json", procs=1000)
        self.assert_ends(done, 0)
        self.assertEqual(json.loads(done.stdout)["ended"], 1_000_000)

    def test_unknown_policies_and_options(self):
        path = self.jobs(["0,0,5,1"])
        for policy, said in (
            ("eazy", 'did you mean "easy"?'),
            ("easy:order=smalest", 'did you mean "smallest"?'),
            ("volcano:+binpak", 'did you mean "binpack"?'),
        ):
            self.assert_ends(self.replay(path, "--policy", policy), 2, stdout="", stderr=said)
        self.assert_ends(self.replay(path, "--latency", "-1"), 2, stderr="--latency: -1 is below 0")
        kept = self.replay(path, "--policy", "conservative:reservations=kept", "--latency", 3)
        self.assert_ends(kept, 2, stderr="needs a pool of processors without latency")

    @unittest.skipUnless(os.path.exists(FULL), f"there is no {FULL}")
    def test_full_disk(self):
        path = self.jobs(["0,0,5,1"])
        self.assert_ends(self.replay(path, "--decisions", FULL), 2,
                         stderr="/dev/full: No space left on device; what it holds is cut off")
        for flags in ((), ("--json",), ("--decisions", "-")):
            with open(FULL, "w", encoding="utf-8") as full:
                done = subprocess.run(
                    [MUSTER, "replay", "csv", "--file", path, "--procs", "4", *flags], stdout=full,
                    stderr=subprocess.PIPE, text=True
                )
            self.assertEqual((done.returncode, done.stderr),
                             (2, "muster: cannot write: No space left on device\n"))

    def test_folders_of_generated_traces(self):
        folder = self.folder / "not" / "there"
        made = ("--mix", "philly", "--jobs", 9, "--nodes", 4)
        self.assert_ends(muster("generate", "--trace", folder, *made), 0)
        self.assertEqual(sorted(file.name for file in folder.iterdir()),
                         ["jobs.csv", "nodes.csv", "queues.csv"])
        self.assert_ends(muster("generate", "--trace", folder / "jobs.csv", *made), 2,
                         stderr="jobs.csv: Not a directory")
        self.assert_ends(muster("generate", "--trace", self.folder / "no_mix", "--mix", "phily"), 2)
        self.assertFalse((self.folder / "no_mix").exists())

    def wait_until_caught(self, process, number):
        """Until the process has a handler of its own for the signal."""
        while process.poll() is None:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
            if int(caught.split()[1], 16) >> (number - 1) & 1:
                return
            time.sleep(0.05)
        self.fail(f"ended with {process.returncode} before it caught the signal")

    def test_interrupted(self):
        """What was played is printed, marked as partial; the second Ctrl-C would kill."""
        out = self.folder / "waits.csv"
        command = [MUSTER, "replay", "mix", "--mix", "openb", "--jobs", "200000", "--nodes", "200",
                   "--mix-load", "1.5",
                   "--policy", "volcano", "--decisions", str(out), "--json"]
        # On a slow machine the first signals come before a job has started.
        for delay in (2, 8, 32):
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )
            self.wait_until_caught(process, signal.SIGINT)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=TIMEOUT)
            self.assertEqual((process.returncode, stderr), (130, ""))
            if json.loads(stdout)["started"] > 0:
                break
        report = json.loads(stdout)
        self.assertFalse(report["complete"])
        self.assertGreater(report["started"], 0)
        self.assertLess(report["ended"], 200000)
        waits = out.read_text(encoding="utf-8").split()
        self.assertEqual(len(waits), 200001)
        self.assertEqual(sum(not line.endswith(",") for line in waits[1:]), report["started"])


class Mixes(Files):
    def test_generated_tables_replay_as_the_mix_does(self):
        flags = ("--mix", "philly", "--nodes", 16, "--jobs", 400, "--seed", 7, "--mix-load", 0.9)
        self.assert_ends(muster("generate", "--trace", self.folder, *flags), 0, stdout="")
        files = ("--file", self.folder / "jobs.csv", "--nodes", self.folder / "nodes.csv",
                 "--queues", self.folder / "queues.csv")
        made = muster("replay", "mix", *flags, "--policy", "muster", "--decisions", "-")
        read = muster("replay", "csv", *files, "--policy", "muster", "--decisions", "-")
        self.assert_ends(made, 0)
        self.assertEqual(made.stdout, read.stdout)
        self.assertEqual(made.stdout, muster("replay", "mix", *flags, "--policy", "muster",
                                             "--decisions", "-").stdout)
        before = (self.folder / "jobs.csv").read_text(encoding="utf-8")
        for seed, same in ((7, True), (8, False)):
            self.assert_ends(muster("generate", "--trace", self.folder, *flags, "--seed", seed), 0)
            self.assertEqual((self.folder / "jobs.csv").read_text(encoding="utf-8") == before, same)

    def test_pools_have_no_table_of_nodes(self):
        self.assert_ends(muster("generate", "--trace", self.folder, "--mix", "hpc", "--jobs", 50),
                         0)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["jobs.csv"])
        done = muster("replay", "csv", "--file", self.folder / "jobs.csv", "--procs", 1152,
                      "--policy", "easy")
        self.assert_ends(done, 0, stdout="50 ended")

    def test_mix_of_ones_own(self):
        flat = [60] * 18
        tables = {
            "muster_mix": 1, "name": "mine",
            "nodes": [{"node": {"name": "n-", "capacity": {"cpu": 8}}, "count": 4}],
            "jobs": [{"weight": 1, "tasks": 2, "shape": {"request": {"cpu": 2}}}], "run": flat,
            "gaps": [5] * 18,
        }
        path = self.folder / "mine.json"
        path.write_text(json.dumps(tables), encoding="utf-8")
        flags = ("--mix", path, "--jobs", 200, "--seed", 3)
        made = muster("replay", "mix", *flags, "--policy", "muster", "--decisions", "-")
        self.assert_ends(made, 0)
        self.assertEqual(len(made.stdout.splitlines()), 201)
        self.assert_ends(muster("generate", "--trace", self.folder, *flags), 0, stdout="")
        self.assert_ends(muster("generate", "--mix", path), 2, stderr="--mix FILE makes traces")
        for change, said in (
            ({"gaps": [5] * 17}, "mine.json: "),
            ({"gap": flat}, 'mine.json: unknown key "gap", did you mean "gaps"?'),
            ({"jobs": [{"weight": "much"}]},
             'mine.json: jobs[0].weight: expected an integer, got "much"'),
            ({"muster_mix": 7}, "mine.json: muster_mix: form 7 is not known"),
        ):
            path.write_text(json.dumps(tables | change), encoding="utf-8")
            self.assert_ends(muster("replay", "mix", *flags), 2, stdout="", stderr=said)
        path.write_text("no json", encoding="utf-8")
        self.assert_ends(muster("replay", "mix", *flags), 2, stdout="", stderr="mine.json: byte ")
        path.unlink()
        self.assert_ends(muster("replay", "mix", *flags), 2, stdout="",
                         stderr="mine.json: No such file")

    def test_bad_flags(self):
        for flags, said in (
            (("--mix", "phily"), 'unknown mix "phily", did you mean "philly"?'),
            (("--mix", "hpc", "--nodes", 4), "nodes: its machine is a pool of processors"),
            (("--jobs", -1), "jobs: expected between 0"),
            (("--mix-load", "nan"), "load: expected between 0 and 1000, got nan"),
            (("--gang", 4), "unknown flag --gang"),
        ):
            self.assert_ends(muster("generate", "--trace", self.folder, *flags), 2, stdout="",
                             stderr=said)
            self.assert_ends(muster("replay", "mix", *flags), 2, stdout="", stderr=said)
        self.assert_ends(muster("generate", "--trace=", "--mix", "hpc"), 2,
                         stderr="--trace: must not be empty")


if __name__ == "__main__":
    unittest.main()
