# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How errors of policies written in Python, other threads and Ctrl-C end a cycle."""

import _thread
import signal
import threading
import time
import traceback
import unittest

from engine import HAVE_ENGINE, muster, needs_engine, rows

if HAVE_ENGINE:
    import numpy as np


def cluster_of(nodes=4, cpu=4):
    cluster = muster.Cluster()
    for i in range(nodes):
        cluster.add_node(f"n{i}", cpu=cpu, labels={"zone": "ab"[i % 2]})
    return cluster


@needs_engine
class Endings(unittest.TestCase):
    def setUp(self):
        self.cluster = cluster_of()
        self.cluster.add_job("a", count=4, cpu=1)

    def test_an_exception_keeps_its_traceback(self):
        class Broken(muster.Policy):
            def score(self, task_class, nodes):
                return self.deep()

            def deep(self):
                raise ZeroDivisionError("deep inside")

        before = self.cluster.to_dict(), self.cluster.version
        for _ in range(2):
            frames = []
            try:  # assertRaises would take the traceback away
                self.cluster.schedule("volcano", policies=[Broken()])
            except ZeroDivisionError as error:
                self.assertEqual(str(error), "deep inside")
                frames = [f.name for f in traceback.extract_tb(error.__traceback__)]
            self.assertEqual(frames[-2:], ["score", "deep"])
        self.assertEqual((self.cluster.to_dict(), self.cluster.version), before)
        self.assertEqual(rows(self.cluster.schedule("volcano").binds), 4)

    def test_a_failure_is_not_remembered(self):
        class Sometimes(muster.Policy):
            broken = True

            def score(self, task_class, nodes):
                if self.broken:
                    raise RuntimeError
                return 1e6 * nodes.index

        policy = Sometimes()
        with self.assertRaises(RuntimeError):
            self.cluster.schedule("volcano", policies=[policy])
        policy.broken = False
        binds = self.cluster.schedule("volcano", policies=[policy]).binds
        self.assertEqual(dict(zip(binds["task"], binds["node"]))["a-0"], "n3")

    def test_the_cluster_is_in_use(self):
        cluster, found = self.cluster, []

        class Meddler(muster.Policy):
            def score(self, task_class, nodes):
                try:
                    cluster.add_node("sneaked", cpu=1)
                except muster.FailedPrecondition as error:
                    found.append(str(error))
                return np.zeros(len(nodes))

        cluster.schedule("volcano", policies=[Meddler()])
        self.assertEqual(len(found), 1)
        self.assertIn("a call runs on it", found[0])

    def test_views_end_with_their_cycle(self):
        kept = []

        class Keeper(muster.Policy):
            score_kind = "node"

            def score(self, task_class, nodes):
                kept.append((task_class, nodes))
                return np.zeros(len(nodes))

        self.cluster.schedule("volcano", policies=[Keeper()])
        task_class, nodes = kept[0]
        with self.assertRaisesRegex(muster.FailedPrecondition,
                                    "ends with its cycle|shown for one call"):
            nodes.idle["cpu"]
        with self.assertRaisesRegex(muster.FailedPrecondition, "ends with its cycle"):
            task_class.shape

    def test_other_threads_run_meanwhile(self):
        cluster = muster.Cluster()
        cluster.add_nodes(3000, cpu=64)
        cluster.add_jobs(name=[f"j{i}" for i in range(6000)], count=10,
                         cpu=[1 + i % 7 for i in range(6000)])
        snapshot = cluster.freeze()
        digests = []
        threads = [threading.Thread(target=lambda: digests.append(
            snapshot.schedule("volcano").digest)) for _ in range(3)]
        ticks = 0
        for thread in threads:
            thread.start()
        while any(t.is_alive() for t in threads):
            ticks += 1
            time.sleep(0.0005)
        self.assertEqual(len(set(digests)), 1)
        self.assertGreater(ticks, 3)

    def test_ctrl_c(self):
        cluster = muster.Cluster()
        cluster.add_nodes(2000, cpu=64)
        cluster.add_jobs(
            name=[f"j{i}" for i in range(20000)], count=10, min_available=1,
            **{"request.cpu": [f"{100 + i}m" for i in range(20000)]}
        )
        before = cluster.version
        # Python leaves SIGINT alone where its parent ignores it, as a shell does for what runs in
        # its background.
        self.addCleanup(signal.signal, signal.SIGINT,
                        signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            cluster.schedule("volcano")
            # a machine that is done sooner still gets its signal
            while time.monotonic() - start < 20:
                cluster.schedule("volcano", now=int(time.monotonic()))
        timer.join()
        self.assertLess(time.monotonic() - start, 20)
        self.assertEqual(cluster.version, before)


if __name__ == "__main__":
    unittest.main()
