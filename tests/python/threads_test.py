# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""threads= of advice and forecasts: equal answers, threads that run, and what stays on one."""

import itertools
import os
import signal
import threading
import time
import unittest

from engine import muster, needs_engine

TASKS = "/proc/self/task"  # of Linux: a folder for each thread of this process


def plain(answer):
    """All that an answer has, as text: tables column by column."""
    parts = []
    for name, value in vars(answer).items():
        if hasattr(value, "keys"):
            value = {key: list(value[key]) for key in value.keys()}
        parts.append(f"{name}: {value}")
    return "\n".join(parts)


def full(nodes=6, jobs=12):
    """A cluster with more work than room: gangs of several shapes, each with an estimate."""
    cluster = muster.Cluster()
    for i in range(nodes):
        cluster.add_node(f"n{i}", cpu=8, labels={"zone": "ab"[i % 2]},
                         taints=[{"key": "own", "effect": "NoSchedule"}] if i % 3 == 2 else [])
    for i in range(jobs):
        cluster.add_job(f"j{i}", count=2 + i % 3, min_available=2 + i % 3, cpu=2 + i % 5,
                        priority=i % 4, estimate=60 + 30 * (i % 7),
                        node_selector={"zone": "b"} if i % 4 == 3 else {})
    cluster.add_job("wide", count=9, min_available=9, cpu=6, estimate=100)
    return cluster


# Each with more than one piece of work.
CALLS = {
    "diagnose": lambda cluster, **more: muster.diagnose(cluster, "wide", "volcano", **more),
    "need_nodes": lambda cluster, **more: muster.need_nodes(
        cluster, [{"name": "a", "cpu": 8}, {"name": "b", "cpu": 32, "price": 3}], "volcano",
        **{"most": 12, **more}),
    "rehearse": lambda cluster, **more: muster.rehearse(
        cluster, "volcano", [{"add_nodes": {"cpu": 8, "count": 4}}], **more),
    "forecast": lambda cluster, **more: muster.forecast(
        cluster, "volcano", **{"now": 1000, "futures": 12, "seed": 3, **more}),
}
# What their answers have in a cluster of `full`: something was found, not only nothing twice.
HAS = {
    "diagnose": r"'more_nodes'",
    "need_nodes": r"cheapest: {'type': \['",
    "rehearse": r"'new-3'",
    "forecast": r"'start': \[.*1[1-9]\d\d",
}


@needs_engine
class Threads(unittest.TestCase):
    def test_answers_are_those_of_one_thread(self):
        cluster = full()
        for name, ask in CALLS.items():
            alone = plain(ask(cluster))
            for threads in (1, 2, 8):
                with self.subTest(name, threads=threads):
                    self.assertEqual(plain(ask(cluster, threads=threads)), alone)
            self.assertRegex(alone, HAS[name])

    def test_failures_are_those_of_one_thread(self):
        cluster = full()
        for ask in (
            lambda threads: muster.diagnose(cluster, "wid", threads=threads),
            lambda threads: muster.diagnose(cluster, "wide", trials=0, threads=threads),
            lambda threads: muster.need_nodes(cluster, profile="vulcano", threads=threads),
            lambda threads: muster.rehearse(cluster, "volcano", [{"remove_job": "x"}],
                                            threads=threads),
            lambda threads: muster.forecast(cluster, "volcano", futures=1, threads=threads),
        ):
            words = []
            for threads in (1, 4):
                with self.assertRaises(muster.Error) as raised:
                    ask(threads)
                words.append((type(raised.exception), str(raised.exception)))
            self.assertEqual(words[0], words[1])

    def test_numbers_out_of_range_are_refused(self):
        cluster = full()
        for name, ask in CALLS.items():
            place = "forecast: threads" if name == "forecast" else "threads"
            for number in (0, -1, 257, 1 << 40):
                with self.assertRaises(muster.InvalidArgument) as raised:
                    ask(cluster, threads=number)
                self.assertEqual(str(raised.exception), f"{place}: {number} is not in 1..256")
            for wrong in ("2", 2.0, None, True, 1 << 70):
                with self.assertRaises(muster.InvalidArgument) as raised:
                    ask(cluster, threads=wrong)
                self.assertEqual(str(raised.exception),
                                 f"{place}: expected an integer of 64 bits, got {wrong!r}")
            self.assertEqual(plain(ask(cluster, threads=256)), plain(ask(cluster)))

    def test_a_trace_is_forecast_on_one(self):
        trace = muster.Trace({"submit": [0, 0], "run": [9, 9]}, processors=1)
        self.assertEqual(muster.forecast(trace, "easy", threads=1).digest,
                         muster.forecast(trace, "easy").digest)
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    "forecast: threads: a trace is forecast on one thread"):
            muster.forecast(trace, "easy", threads=2)
        with self.assertRaisesRegex(muster.InvalidArgument, 'did you mean "threads"'):
            muster.forecast(trace, "easy", treads=2)

    @unittest.skipUnless(os.path.isdir(TASKS), f"needs {TASKS}")
    def test_threads_run_and_others_run_meanwhile(self):
        # Large enough that each call takes a while; two cycles take the least.
        clusters = {name: full(60, 200) for name in CALLS} | {"rehearse": full(600, 4000)}
        before = len(os.listdir(TASKS))
        for (name, ask), threads in itertools.product(CALLS.items(), (1, 4)):
            seen, ends = [], threading.Event()

            def count(seen=seen, ends=ends):
                while not ends.wait(0.001):
                    seen.append(len(os.listdir(TASKS)))

            counter = threading.Thread(target=count)
            counter.start()
            ask(clusters[name], threads=threads)
            ends.set()
            counter.join()
            with self.subTest(name, threads=threads):
                self.assertGreater(len(seen), 3)  # the call held no lock of the interpreter
                # Besides the counter. The thread that calls waits, so 4 more than without.
                self.assertEqual(max(seen) - before - 1, 0 if threads == 1 else threads)
            start = time.monotonic()  # a thread that has ended is still there for a moment
            while len(os.listdir(TASKS)) > before and time.monotonic() - start < 10:
                time.sleep(0.001)
            self.assertEqual(len(os.listdir(TASKS)), before)

    def test_policies_are_asked_on_the_thread_of_the_call(self):
        asked_on = set()

        class OnlyA(muster.Policy):
            def fit(self, task_class, nodes):
                asked_on.add(threading.get_ident())
                return nodes.label("zone") == "a"

        cluster = full()
        for name, ask in CALLS.items():
            with self.subTest(name):
                asked_on.clear()
                own = plain(ask(cluster, threads=8, policies=[OnlyA()]))
                self.assertEqual(asked_on, {threading.get_ident()})
                self.assertEqual(own, plain(ask(cluster, policies=[OnlyA()])))

    def test_ctrl_c(self):
        cluster = full(200, 600)
        before = cluster.version
        self.addCleanup(signal.signal, signal.SIGINT,
                        signal.signal(signal.SIGINT, signal.default_int_handler))
        for ask in (
            lambda: muster.forecast(cluster, "volcano", futures=10_000, work_budget=1 << 40,
                                    threads=3),
            lambda: CALLS["need_nodes"](cluster, most=1024, threads=3),
        ):
            start = time.monotonic()
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                while time.monotonic() - start < 60:  # a machine that is done sooner asks again
                    ask()
            timer.join()
            self.assertLess(time.monotonic() - start, 20)
            self.assertEqual(cluster.version, before)
        cluster.add_node("after", cpu=1)  # no call runs on it any more


if __name__ == "__main__":
    unittest.main()
