# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Inputs that stand for more than they are: refused with the place, the sum and the limit, before
memory is taken. And files that are written whole or not at all."""

import errno
import json
import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from cli_test import MUSTER, TIMEOUT, Files, muster, small

BEGIN = '{"call":"begin","record":2}\n'
SANITIZED = bool(os.environ.get("MUSTER_SANITIZED"))


def within(megabytes, *arguments):
    """The command with so much address space."""
    limit = megabytes << 20
    return subprocess.run([MUSTER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=TIMEOUT,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


class Limits(Files):
    def assert_refused(self, done, message):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def test_a_scenario(self):
        path = self.write({"muster": 1, "nodes": [{"name": "n", "count": 5_000_000}]})
        self.assert_refused(muster("run", path),
                            "nodes[0].count: 5000000 rows in all; at most 4000000 are read")
        few = self.write(small())
        self.assertEqual(muster("run", few, "--max-rows", 5).returncode, 0)
        self.assert_refused(muster("run", few, "--max-rows", 4),
                            "jobs[0].groups[0].count: 5 rows in all; at most 4 are read")
        self.assert_refused(muster("run", few, "--max-bytes", 10), "at most 10 are read")
        self.assert_refused(muster("run", few, "--max-depth", 3), "nested deeper than 3")

    def test_amounts_of_many_resources(self):
        rows = [{"name": f"n{i}", "capacity": {f"example.com/r{i}": 1}} for i in range(100)]
        path = self.write({"muster": 1, "nodes": rows})
        self.assertEqual(muster("run", path, "--max-rows", 1250).returncode, 0)
        self.assert_refused(muster("run", path, "--max-rows", 1249),
                            "scenario: 100 resources of 100 rows: 10000 amounts in all; "
                            "at most 9992 are read")
        self.assertEqual(
            muster("run", self.write({"muster": 1, "nodes": rows[:64]}), "--max-rows", 64)
            .returncode, 0)

    def test_tasks_that_are_made(self):
        path = self.write(small(jobs=[{"name": "j", "groups": [
            {"name": "w", "by_count": {"count": 100_000_000},
             "shape": {"request": {"cpu": 1}}}]}]))
        self.assert_refused(muster("run", path, "--make-tasks"),
                            'job "j": make_tasks: 100000000 rows in all; at most 4000000 are read')

    @unittest.skipIf(SANITIZED, "sanitizers take address space of their own")
    def test_memory_of_a_pod_group(self):
        # A list of 1,000 nodes for each of 4,000 pods would be 330 MB more.
        shape = {"request": {"cpu": "1500m"}}
        path = self.write({
            "muster": 1,
            "nodes": [{"name": "n", "count": 1000, "capacity": {"cpu": 8, "pods": 100}}],
            "jobs": [{"name": "g", "min_available": 4000, "pod_group": {},
                      "groups": [{"name": "w", "count": 4000, "shape": shape}]}]})
        done = within(200, "run", path, "--profile", "kube-scheduler")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("4000 bound", done.stdout)

    def test_values_of_the_flags(self):
        few = self.write(small())
        for flag in ("--max-rows", "--max-bytes", "--max-depth"):
            self.assertIn(f"{flag}: must be above 0", muster("run", few, flag, 0).stderr)
        self.assertIn("--max-seconds: must be 0 to", muster("run", few, "--max-seconds", -1).stderr)

    def test_a_trace(self):
        jobs = self.write("submit,run\n0,1\n", "jobs.csv")
        nodes = self.write("name,count,capacity.cpu\na,3,1\nb,3,1\n", "nodes.csv")
        arguments = ("replay", "csv", "--file", jobs, "--nodes", nodes, "--policy", "muster")
        self.assertEqual(muster(*arguments, "--max-rows", 7).returncode, 0)
        self.assert_refused(muster(*arguments, "--max-rows", 5),
                            "nodes.csv:3: 6 rows in all; at most 5 are read")

    def test_a_question(self):
        few = self.write(small())
        changes = self.write({"changes": [{"add_nodes": {"count": 10**12, "node": {"name": "x"}}}]},
                             "changes.json")
        self.assert_ends(muster("what-if", few, "--changes", changes), 2, stdout="",
                         stderr="changes[0]: 1000000000001 rows in all; at most 4000000 are read")

    def test_a_record(self):
        def record(*calls):
            return muster("replay-log", self.write(BEGIN + "\n".join(calls) + "\n", "log.jsonl"))

        nodes = {"muster": 1, "nodes": [{"name": "n", "count": 5_000_000}]}
        self.assert_refused(record(json.dumps({"call": "add", "rows": nodes})),
                            "log.jsonl:2: scenario: nodes[0].count: 5000001 rows in all")
        deep = "[" * 1_000_000 + "]" * 1_000_000
        self.assert_refused(record('{"call":"add","rows":%s}' % deep),
                            "log.jsonl:2: nested 1000001 deep; at most 256 is read")
        self.assert_refused(record('{"call":"bind_failed","task":"' + "[" * 999 + '"}'), "log.jsonl:2")

    def test_rows_of_a_record_add_up(self):
        lines = [json.dumps({"call": "add", "rows": {"muster": 1, "nodes": [{"name": f"{i}-", "count": 4}]}})
                 for i in range(3)]
        path = self.write(BEGIN + "\n".join(lines) + "\n", "log.jsonl")
        self.assertEqual(muster("replay-log", path, "--max-rows", 13).returncode, 0)
        self.assert_refused(muster("replay-log", path, "--max-rows", 11),
                            "log.jsonl:4: scenario: nodes[0].count: 13 rows in all; at most 11 are read")

    def test_numbers_of_a_record(self):
        schedule = {"call": "schedule", "profile": "muster", "digest": "x", "now": 0, "seed": 0, "cursor": 0}
        for call, message in (
            (schedule | {"now": 1e300}, "now: expected an integer from -9223372036854775808"),
            (schedule | {"now": 1.5}, "now: expected an integer"),
            (schedule | {"seed": -1}, "seed: expected an integer from 0 to 18446744073709551615, got -1"),
            (schedule | {"cursor": 2**32}, "cursor: expected an integer from 0 to 4294967295"),
            (schedule | {"work_budget": "x"}, 'work_budget: expected an integer'),
            ({"call": "removal", "kind": 1, "name": "x", "generation": -5}, "generation: expected an integer from 0"),
            ({"call": "remove", "kind": 1.0, "name": "x"}, "kind: expected an integer"),
            ({"call": "remove", "name": "x"}, "kind: the key is missing"),
        ):
            with self.subTest(call=call):
                path = self.write(BEGIN + json.dumps(call) + "\n", "log.jsonl")
                self.assert_refused(muster("replay-log", path), f"log.jsonl:2: {message}")

    @unittest.skipIf(SANITIZED, "sanitizers need address space")
    def test_memory_that_runs_out_is_an_error(self):
        path = self.write({"muster": 1, "nodes": [{"name": "n", "count": 50_000_000}]})
        self.assert_refused(within(400, "run", path, "--max-rows", 100_000_000), "out of memory")

    def test_time_that_runs_out_is_an_error(self):
        reader, writer = os.pipe()  # nothing ever comes
        begin = time.monotonic()
        done = subprocess.run([MUSTER, "run", "-", "--max-seconds", "1"], stdin=reader,
                              capture_output=True, text=True, timeout=TIMEOUT)
        os.close(reader), os.close(writer)
        self.assert_refused(done, "--max-seconds are over")
        self.assertGreaterEqual(time.monotonic() - begin, 0.9)


class WholeFiles(Files):
    def generate(self, path, **more):
        return subprocess.run([MUSTER, "generate", "--nodes", "3", "-o", str(path)],
                              capture_output=True, text=True, timeout=TIMEOUT, **more)

    def test_a_new_file_has_the_mode_that_the_user_wants(self):
        path = self.folder / "s.json"
        self.assertEqual(self.generate(path, umask=0o027).returncode, 0)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["s.json"])

    def test_a_file_that_is_replaced_keeps_its_mode_and_its_links(self):
        path, link = self.folder / "s.json", self.folder / "link.json"
        path.write_text("old")
        path.chmod(0o600)
        link.symlink_to(path)
        self.assertEqual(self.generate(link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(muster("run", path).returncode, 0)

    def test_a_link_that_leads_to_nothing_stays(self):
        link, between = self.folder / "link.json", self.folder / "between.json"
        link.symlink_to("between.json")
        between.symlink_to(self.folder / "s.json")
        self.assertEqual(self.generate(link).returncode, 0)
        self.assertTrue(link.is_symlink() and between.is_symlink())
        self.assertEqual(muster("run", self.folder / "s.json").returncode, 0)

    def test_a_long_name(self):
        self.assertEqual(self.generate(self.folder / ("n" * 250 + ".json")).returncode, 0)

    def test_what_fails_leaves_the_file_as_it_was(self):
        path = self.folder / "s.json"
        path.write_text("old")

        for handler in (signal.SIG_IGN, signal.SIG_DFL):
            def small_files(handler=handler):
                signal.signal(signal.SIGXFSZ, handler)
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

            done = self.generate(path, preexec_fn=small_files)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{path}: {os.strerror(errno.EFBIG)}", done.stderr)
            self.assertEqual(path.read_text(), "old")
            self.assertEqual(os.listdir(self.folder), ["s.json"])
        bad = self.write("{}", "dump.json")
        self.assertEqual(muster("import", bad, "-o", path).returncode, 2)
        self.assertEqual(path.read_text(), "old")

    def test_devices_are_written_to(self):
        self.assertEqual(self.generate("/dev/null").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(self.generate("/dev/full").returncode, 2)

    def test_a_folder_that_is_missing(self):
        done = self.generate(self.folder / "none" / "s.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("No such file or directory", done.stderr)


if __name__ == "__main__":
    unittest.main()
