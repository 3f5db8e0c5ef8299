# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A record of a scheduler's calls, made through ctypes, played again by `muster replay-log`."""

import ctypes
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

LIBRARY = os.environ.get("MUSTER_C", "")
CLI = os.environ.get("MUSTER_CLI", "")
TO_NUL = ctypes.c_int64(-1)
SINK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int64)


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32),
                ("user_code", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("message", ctypes.c_char * 496)]


class ClusterOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("allocator", ctypes.c_void_p),
                ("log", ctypes.c_void_p), ("log_user", ctypes.c_size_t), ("record", SINK),
                ("record_user", ctypes.c_size_t), ("record_limit", ctypes.c_int64)]


class Failure(Exception):
    pass


@unittest.skipUnless(LIBRARY and CLI, "not run by ctest, or under sanitizers")
class Record(unittest.TestCase):
    def setUp(self):
        self.lib = ctypes.CDLL(LIBRARY)
        self.lines = b""
        self.answer = 0

        def take(user, data, size):
            self.assertEqual(user, 7)
            self.lines += ctypes.string_at(data, size)
            return self.answer

        self.sink = SINK(take)

    def call(self, function, *arguments):
        error, out = Error(struct_size=ctypes.sizeof(Error)), ctypes.c_void_p()
        arguments = [ctypes.byref(out) if a is ... else a for a in arguments]
        if getattr(self.lib, "muster_" + function)(*arguments, ctypes.byref(error)):
            raise Failure(error.message.decode())
        return out

    def cluster(self, limit=0):
        options = ClusterOptions(struct_size=ctypes.sizeof(ClusterOptions), record=self.sink,
                                 record_user=7,
                                 record_limit=limit)
        cluster = self.call("cluster_new", ctypes.byref(options), ...)
        self.addCleanup(self.lib.muster_cluster_free, cluster)
        return cluster

    def add(self, cluster, **tables):
        self.call("cluster_add_json", cluster, json.dumps({"muster": 1, **tables}).encode(), TO_NUL)

    def cycle(self, cluster, profile, apply=True):
        plan = self.call("cluster_schedule", cluster, profile.encode(), None, ...)
        if apply:
            self.call("cluster_apply", cluster, plan, None, None)
        self.lib.muster_plan_free(plan)

    def life(self, cluster):
        """A scheduler's day: rows come and go, refused ones among them; cycles of two profiles."""
        self.add(cluster, nodes=[{"name": "n", "count": 4, "capacity": {"cpu": 8}}],
                 queues=[{"name": "vision", "weight": 2}],
                 jobs=[{"name": "a", "queue": "vision", "min_available": 3,
                        "groups": [{"count": 3, "shape": {"request": {"cpu": 4}}}]}])
        self.cycle(cluster, "volcano")
        with self.assertRaisesRegex(Failure, "exists already"):
            self.add(cluster, nodes=[{"name": "m"}, {"name": "n0"}])
        for task, state in (("a-0", 5), ("a-1", 5), ("a-2", 8)):
            self.call("cluster_set_task", cluster, task.encode(), TO_NUL, state, None,
                      ctypes.c_int64(0))
        self.add(cluster, nodes=[{"name": "late", "capacity": {"cpu": 64}}],
                 jobs=[{"name": "b\n\"", "groups": [{"count": 9,
                                                     "shape": {"request": {"cpu": "7500m"}}}]}])
        self.cycle(cluster, "muster")
        self.call("cluster_report_bind_failed", cluster, b"b\n\"-2", TO_NUL)
        self.call("cluster_set_task", cluster, b"b\n\"-1", TO_NUL, 6, None, ctypes.c_int64(0))
        self.call("cluster_report_evict_failed", cluster, b"b\n\"-1", TO_NUL)
        self.add(cluster, jobs=[{"name": "sweep", "groups": [{"name": "w", "by_count": {"count": 2},
                                                            "shape": {"request": {"cpu": 1}}}]}])
        self.call("cluster_make_tasks", cluster, b"sweep", TO_NUL, b"w", TO_NUL, ctypes.c_int64(2))
        self.call("cluster_remove", cluster, 4, b"a-2", TO_NUL)
        names = (ctypes.c_char_p * 2)(b"t0", b"t1")
        table = self.call("table_new", 4, ctypes.c_int64(2), None, ...)
        self.call("table_set_strings", table, b"name", names, ctypes.c_int64(2))
        jobs = (ctypes.c_char_p * 2)(b"a", b"later")
        self.call("table_set_strings", table, b"job", jobs, ctypes.c_int64(2))
        self.call("cluster_apply_deltas", cluster, table, (ctypes.c_uint64 * 2)(1, 2), None, None)
        self.add(cluster, jobs=[{"name": "later"}])
        self.call("cluster_apply_removal", cluster, 4, b"t0", TO_NUL, ctypes.c_uint64(9), None)
        self.call("table_reset", table, ctypes.c_int64(1))
        self.call("table_set_strings", table, b"name", names_of(b"t1"), ctypes.c_int64(1))
        self.call("table_set_numbers", table, b"priority", (ctypes.c_int64 * 1)(4),
                  ctypes.c_int64(1))
        self.call("cluster_put", cluster, 1, table)
        self.lib.muster_table_free(table)
        self.cycle(cluster, "volcano:+preempt", apply=False)
        self.cycle(cluster, "muster")

    def replay(self, *flags, lines=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cluster.log"
            path.write_bytes(self.lines if lines is None else lines)
            return subprocess.run([CLI, "replay-log", path, *flags], capture_output=True, text=True,
                                  check=False)

    def test_replays_to_equal_digests(self):
        self.life(self.cluster())
        done = self.replay()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(done.stdout.count(", equal: "), 4)
        self.assertTrue(done.stdout.endswith("4 cycles, 0 different\n"))
        beside = self.replay("--profile", "kube-batch")
        self.assertEqual(beside.stdout.count("  beside it kube-batch: "), 4)

    def test_a_refused_add_wakes_nothing(self):
        cluster = self.cluster()
        self.add(cluster, nodes=[{"name": "n", "capacity": {"cpu": 8}}])
        table = self.call("table_new", 4, ctypes.c_int64(1), None, ...)
        self.addCleanup(self.lib.muster_table_free, table)
        for column, value in ((b"name", b"t"), (b"job", b"later")):
            self.call("table_set_strings", table, column, names_of(value), ctypes.c_int64(1))
        self.call("cluster_apply_deltas", cluster, table, (ctypes.c_uint64 * 1)(1), None, None)
        with self.assertRaisesRegex(Failure, "does not exist"):
            self.add(cluster, jobs=[{"name": "later"}, {"name": "b", "queue": "nope"}])
        self.assertIn(b'"call":"add_refused"', self.lines)
        self.add(cluster, jobs=[{"name": "later"}])
        self.cycle(cluster, "volcano")
        done = self.replay()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(": 1 bound, ", done.stdout)
        self.assertTrue(done.stdout.endswith("1 cycles, 0 different\n"))

    def test_every_kind_of_row_is_played(self):
        cluster = self.cluster()
        self.add(cluster, flavors=[{"name": "spot"}], partitions=[{"name": "p"}],
                 reservations=[{"name": "r"}])
        for kind, name in ((9, b"spot"), (10, b"p")):
            self.call("cluster_remove", cluster, kind, name, TO_NUL)
        self.call("cluster_apply_removal", cluster, 11, b"r", TO_NUL, ctypes.c_uint64(3), None)
        done = self.replay()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_count_of_tasks_is_an_integer(self):
        begin = b'{"call":"begin","record":2}\n'
        line = b'{"call":"make_tasks","count":1e300,"group":"w","job":"j"}\n'
        done = self.replay(lines=begin + line)
        self.assertEqual(done.returncode, 2)
        self.assertIn("count: expected an integer", done.stderr)

    def test_shows_one_cycle(self):
        self.life(self.cluster())
        done = self.replay("--profile", "kube-batch", "--cycle", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith("2 cycles, 0 different\n"))
        before, shown = done.stdout.split("\ncycle 2 (line ")
        own, beside = shown.split("  beside it kube-batch: ")
        self.assertNotIn("\nbind ", before)
        self.assertRegex(own, r"(?s)\nbind .*late")
        self.assertIn("\nbind ", beside)
        self.assertIn("has 4 cycles", self.replay("--cycle", "5").stderr)
        self.assertIn("counts from 1", self.replay("--cycle", "0").stderr)

    def test_states_are_recorded(self):
        """Saving numbers rows anew, loading replaces them: a replay does both."""
        cluster = self.cluster()
        self.life(cluster)
        state = self.call("state_save", cluster, ...)
        self.cycle(cluster, "volcano", apply=False)
        self.add(cluster, jobs=[{"name": "c", "groups": [{"count": 2,
                                                          "shape": {"request": {"gpu": 1}}}]}])
        self.call("state_load", cluster, ctypes.string_at(self.lib_text(state)), TO_NUL)
        self.cycle(cluster, "muster")
        self.lib.muster_text_free(state)
        self.assertIn(b'"call":"save_state"', self.lines)
        self.assertIn(b'"call":"load_state"', self.lines)
        done = self.replay()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertTrue(done.stdout.endswith("6 cycles, 0 different\n"))

    def lib_text(self, text):
        self.lib.muster_text_data.restype = ctypes.c_void_p
        return self.lib.muster_text_data(text)

    def test_a_difference_is_seen(self):
        self.life(self.cluster())
        done = self.replay(lines=self.lines.replace(b'"cpu": 64', b'"cpu": 16'))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("DIFFERENT", done.stdout)

    def test_what_is_no_record_is_refused(self):
        for lines, words in ((b"", "no record"), (b"[]\n", ":1: no JSON object"),
                             (b'{"call":"apply"}\n', ":1: no record"),
                             (b'{"call":"begin","record":1}\n', "format is not 2"),
                             (b'{"call":"begin","record":2}\n{"call":"apply","digest":"00"}\n',
                              ":2: the plan 00 is none"),
                             (b'{"call":"begin","record":2}\n{"call":"schedule"}\n', ":2: "),
                             (b'{"call":"begin","record":2}\n'
                              b'{"call":"dance","rows":{"muster":1}}\n',
                              "unknown call")):
            done = self.replay(lines=lines)
            self.assertEqual(done.returncode, 2, lines)
            self.assertIn(words, done.stderr)

    def test_is_bounded(self):
        cluster = self.cluster(limit=700)
        self.life(cluster)
        self.assertLessEqual(len(self.lines), 700)
        self.assertTrue(self.lines.endswith(b'{"call":"end","why":"limit"}\n'))
        self.assertIn("the record ends here: limit", self.replay().stdout)

    def test_a_sink_that_refuses_ends_it(self):
        cluster = self.cluster()
        self.answer = 3
        self.life(cluster)
        self.assertEqual(self.lines.count(b"\n"), 2)


def names_of(*names):
    return (ctypes.c_char_p * len(names))(*names)


if __name__ == "__main__":
    unittest.main()
