# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Pickle, copy and equality of clusters, snapshots, plans, traces, replays and answers."""

import copy
import pickle
import unittest

import numpy as np

from engine import ROOT, muster, needs_engine, rows

SCENARIOS = sorted((ROOT / "tests/scenarios").glob("*.json"))


def again(value):
    return pickle.loads(pickle.dumps(value))


def world():
    cluster = muster.Cluster()
    cluster.add_nodes(3, cpu=8, memory="32Gi", gpu=4, labels={"zone": "a"})
    cluster.add_queue("vision", weight=2, limit={"cpu": 12})
    cluster.add_job("train", queue="vision", count=16, min_available=16, cpu=1, gpu=1)
    cluster.add_job("hello", count=2, cpu=1)
    return cluster


def tables(plan):
    """All that a plan has, as plain values."""
    names = ("decisions", "moves", "reservations", "offers", "resizes", "splits", "assignments", "places",
             "tentative", "domains", "devices", "pending", "shares")
    found = {}
    for name in names:
        table = getattr(plan, name)
        found[name] = {key: list(table[key]) for key in table}
    return repr(found)


@needs_engine
class Plans(unittest.TestCase):
    def test_plans_of_every_scenario(self):
        self.assertGreater(len(SCENARIOS), 40)
        made = 0
        for path in SCENARIOS:
            cluster = muster.Cluster.from_scenario(path)
            try:
                plan = cluster.schedule()
            except muster.Error:
                continue
            back = again(plan)
            with self.subTest(path.name):
                made += 1
                self.assertEqual(back.digest, plan.digest)
                self.assertEqual(back.to_text(), plan.to_text())
                self.assertEqual(back.to_json(), plan.to_json())
                self.assertEqual(tables(back), tables(plan))
                self.assertEqual((back.memory, back.version, back.cursor, back.complete, back.work),
                                 (plan.memory, plan.version, plan.cursor, plan.complete, plan.work))
        self.assertGreater(made, 20)

    def test_explanations_survive(self):
        plan = world().schedule("volcano")
        back = again(plan)
        for name in ("train", "train-3", "hello"):
            self.assertEqual(back.explain(name), plan.explain(name))
        with self.assertRaises(muster.NotFound):
            back.explain("nothing")

    def test_a_plan_that_was_read_and_one_of_a_snapshot(self):
        plan = world().freeze().schedule("muster")
        self.assertEqual(rows(plan.binds), rows(again(plan).binds))  # its tables are cached now
        self.assertEqual(again(plan), plan)
        self.assertIs(copy.copy(plan), plan)
        self.assertIs(copy.deepcopy([plan])[0], plan)

    def test_it_is_applied_like_the_original(self):
        cluster, other = world(), world()
        plan = cluster.schedule("volcano")
        self.assertEqual(cluster.apply(again(plan)), other.apply(other.schedule("volcano")))
        self.assertEqual(cluster.to_dict(), other.to_dict())

    def test_cut_and_changed_bytes_are_refused(self):
        state = world().schedule("volcano")._core.__reduce_ex__(2)
        core = again(world().schedule("volcano"))._core
        data = core.__getstate__()
        self.assertTrue(state)
        for spoilt in (data[:-1], data[:40], b"", data[:50] + b"\xff" + data[51:]):
            fresh = type(core).__new__(type(core))
            with self.assertRaises(muster.InvalidArgument):
                fresh.__setstate__(spoilt)


@needs_engine
class Clusters(unittest.TestCase):
    def test_equal_plans_now_and_later(self):
        cluster = world()
        cluster.apply(cluster.schedule("volcano"))
        cluster.remove_job("hello")
        for other in (again(cluster), copy.copy(cluster), copy.deepcopy(cluster), cluster.copy()):
            self.assertEqual(other.to_dict(), cluster.to_dict())
            self.assertEqual(other.memory, cluster.memory)
            for profile in ("volcano", "muster", "kueue"):
                self.assertEqual(other.schedule(profile).digest, cluster.schedule(profile).digest)

    def test_a_copy_is_a_cluster_of_its_own(self):
        cluster = world()
        other = cluster.copy()
        other.add_node("more", cpu=1)
        cluster.remove_job("hello")
        self.assertEqual((rows(cluster.nodes), rows(other.nodes)), (3, 4))
        self.assertEqual(rows(other.jobs), 2)

    def test_waiting_events_and_defaults_come_along(self):
        cluster = muster.Cluster.from_scenario(
            {"muster": 1, "profile": "volcano", "nodes": [{"name": "n"}]})
        cluster.apply_delta("task", 3, name="t", job="late", cpu=1)
        for other in (again(cluster), cluster.copy()):
            self.assertEqual(other.waiting_events(), [('task "t"', 'job "late"')])
            self.assertEqual(other.schedule().profile, "volcano")
            self.assertEqual(other.apply_delta("task", 2, name="t", cpu=1), "stale")

    def test_random_clusters(self):
        for seed in range(6):
            chance = np.random.default_rng(seed)
            cluster = muster.Cluster()
            cluster.add_nodes(8, cpu=16, memory="64Gi", gpu=8)
            for j in range(20):
                size = int(chance.integers(1, 6))
                least = int(chance.integers(1, size + 1))
                cluster.add_job(f"j{j}", count=size, min_available=least,
                                cpu=int(chance.integers(1, 8)), priority=int(chance.integers(0, 3)))
            for _ in range(4):
                cluster.apply(cluster.schedule("volcano"))
                if chance.random() < 0.3:
                    cluster.remove_job(cluster.jobs["name"][0])
                other = again(cluster)
                self.assertEqual(other.schedule("volcano"), cluster.schedule("volcano"))

    def test_cut_bytes_are_refused(self):
        core = world()._core
        data = core.__getstate__()
        for spoilt in (data[:-1], b"", b"12", b"7 nonsense"):
            fresh = type(core).__new__(type(core))
            with self.assertRaises(muster.InvalidArgument):
                fresh.__setstate__(spoilt)


@needs_engine
class Snapshots(unittest.TestCase):
    def test_equal_plans(self):
        cluster = world()
        cluster.apply(cluster.schedule("volcano"))
        snapshot = cluster.freeze()
        back = again(snapshot)
        self.assertEqual((back.version, repr(back)), (snapshot.version, repr(snapshot)))
        for profile in ("volcano", "muster", "yunikorn"):
            self.assertEqual(back.schedule(profile).digest, snapshot.schedule(profile).digest)
        self.assertIs(copy.copy(snapshot), snapshot)
        self.assertIs(copy.deepcopy(snapshot), snapshot)

    def test_removed_rows_are_left_out(self):
        cluster = world()
        cluster.remove_node("n0")
        snapshot = cluster.freeze()
        back = again(snapshot)
        ours, theirs = snapshot.schedule("volcano"), back.schedule("volcano")
        self.assertEqual(ours.to_text(), theirs.to_text())
        # Indices moved, so the plan is applied by names.
        report = cluster.apply(theirs)
        self.assertEqual((report.applied, report.refused), (sum(
            n for kind, n in theirs.counts.items() if kind != "pending"), []))


@needs_engine
class Traces(unittest.TestCase):
    def test_equal_digests(self):
        trace = muster.traces.mix(jobs=200, nodes=4)
        for other in (again(trace), copy.copy(trace), copy.deepcopy(trace)):
            self.assertEqual((other.digest, other.name), (trace.digest, trace.name))
        self.assertEqual(muster.replay(again(trace), "muster").digest,
                         muster.replay(trace, "muster").digest)


@needs_engine
class Protocols(unittest.TestCase):
    def test_every_one_makes_an_equal_value(self):
        cluster = world()
        cluster.apply(cluster.schedule("volcano"))
        snapshot, plan = cluster.freeze(), cluster.schedule("muster")
        trace = muster.traces.mix(jobs=50, nodes=4)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with self.subTest(protocol):
                some = {"cluster": cluster, "snapshot": snapshot, "plan": plan, "trace": trace}
                for maker in (pickle.dumps, pickle._dumps):
                    back = pickle.loads(maker(some, protocol))
                    self.assertEqual(back["cluster"].to_dict(), cluster.to_dict())
                    for name in ("cluster", "snapshot"):
                        self.assertEqual(back[name].schedule("muster").digest,
                                         cluster.schedule("muster").digest)
                    self.assertEqual((back["plan"], back["trace"].digest), (plan, trace.digest))
                core = pickle.loads(pickle.dumps(plan._core, protocol))
                self.assertEqual(core.digest, plan.digest)
        for copied in (copy.copy(plan._core), copy.deepcopy(plan._core)):
            self.assertEqual(copied.digest, plan.digest)

    def test_what_has_no_bytes_is_refused(self):
        values = []
        seen = set()
        for kind in vars(muster._core).values():
            if isinstance(kind, type) and not hasattr(kind, "__setstate__"):
                values.append(kind.__new__(kind))
                seen.add(kind.__name__)
        self.assertGreaterEqual(seen, {"Replay", "Episodes", "CycleMetrics", "Workbench"})
        for value in values:
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.assertRaisesRegex(TypeError, "cannot pickle '"):
                    pickle.dumps(value, protocol)
        for value in values:
            for copied in (copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, "cannot pickle '"):
                    copied(value)


@needs_engine
class Replays(unittest.TestCase):
    def test_a_replay_goes_to_another_process(self):
        class Widest(muster.Policy):
            def job_order(self, jobs):
                return -jobs.tasks

        nodes = muster.traces.mix(jobs=60, nodes=4)
        pool = muster.traces.named_mix("hpc").generate(jobs=60, processors=20)
        for trace, profile, more in ((nodes, "volcano", {"record_placements": True}),
                                     (nodes, "volcano:+widest", {"policies": [Widest()]}),
                                     (pool, "easy", {})):
            with self.subTest(profile):
                result = muster.replay(trace, profile, **more)
                back = again(again(result))
                self.assertEqual(back, result)
                self.assertEqual((back.policy, back.digest, back.complete, back.clairvoyant),
                                 (result.policy, result.digest, result.complete,
                                  result.clairvoyant))
                for name in ("metrics", "counts", "columns", "samples", "stays", "jobs", "series",
                             "pending", "shares", "placements"):
                    self.assertTrue(
                        muster.frames.alike(getattr(back, name), getattr(result, name)), name)
                self.assertEqual(back._repr_html_(), result._repr_html_())
                self.assertEqual(back.bound(rounds=3), result.bound(rounds=3))
                self.assertIs(copy.deepcopy(result), result)
                self.assertEqual(len({result, back}), 1)
        self.assertNotEqual(muster.replay(pool, "easy"), muster.replay(pool, "fcfs"))


@needs_engine
class Tables(unittest.TestCase):
    def test_answers_with_tables_compare(self):
        cluster = world()
        plan = cluster.schedule("volcano")
        pool = muster.traces.named_mix("hpc").generate(jobs=60, processors=20)
        for ask in (
            lambda: plan.bound(), lambda: muster.bound(cluster), lambda: pool.bound(rounds=3),
            lambda: muster.forecast(pool, "easy", futures=3),
            lambda: muster.forecast(cluster, "easy", now=0, futures=3),
            lambda: muster.diagnose(cluster, "train", "volcano"),
            lambda: muster.need_nodes(cluster), lambda: muster.drain(cluster, ["n0"]),
            lambda: muster.rehearse(cluster, "volcano", []),
        ):
            one, other = ask(), ask()
            name = type(one).__name__
            self.assertTrue(one == other and not one != other, name)
            self.assertEqual(again(one), one, name)
            self.assertNotEqual(one, plan, name)
        self.assertNotEqual(plan.bound(), muster.bound(cluster))
        before = muster.bound(cluster)
        cluster.add_job("more", count=3, cpu=1)
        self.assertNotEqual(muster.bound(cluster), before)

    def test_cells(self):
        alike = muster.frames.alike
        absent = muster.frames.absent(np.array([1, 2]), np.array([True, False]))
        self.assertTrue(alike(absent, absent.copy()))
        self.assertFalse(alike(absent, muster.frames.absent(np.array([1, 2]), np.array([0, 0]))))
        self.assertTrue(alike({"a": [np.array([np.nan, 1.0])]}, {"a": [np.array([np.nan, 1.0])]}))
        self.assertFalse(alike(np.array([1.0]), np.array([1])))
        self.assertFalse(alike({"a": 1}, {"b": 1}))
        self.assertFalse(alike((1, 2), (1, 2, 3)))


if __name__ == "__main__":
    unittest.main()
