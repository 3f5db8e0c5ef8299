# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Comparisons and sweeps: ranks, intervals, where runs are made, what is kept, manifests."""

import dataclasses
import io
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec

import numpy as np

from engine import muster, needs_engine
from replay_test import pool

if muster.HAVE_ENGINE:
    from muster import statistics

POLICIES = ["fcfs", "easy", "conservative"]


def study(trace=None, profiles=tuple(POLICIES), **options):
    told = {"replicates": 4, "executor": "here", "cache": False, "progress": False} | options
    return muster.compare(trace or pool(600), list(profiles), **told)


@needs_engine
class Statistics(unittest.TestCase):
    def test_percentiles_occur(self):
        self.assertEqual(statistics.percentile(np.arange(1, 101), 95), 95)
        self.assertEqual(statistics.percentile(np.array([7]), 50), 7)
        self.assertEqual(statistics.percentile(np.array([]), 50), 0)
        for percent in (-5, 100.5, 1e9, 2**62, float("nan"), float("inf")):
            with self.subTest(percent), self.assertRaisesRegex(
                    muster.InvalidArgument, r"percentile: percent is .*; must be 0 to 100"):
                statistics.percentile([1.0, 2.0], percent)

    def test_measure_agrees_with_the_engine(self):
        result = muster.replay(pool(), "easy")
        ours, engine = statistics.measure(result), result.metrics
        for name, path in [("wait_mean", ("wait", "mean")), ("wait_p95", ("wait", "p95")),
                           ("bounded_slowdown_mean", ("bounded_slowdown", "mean"))]:
            self.assertAlmostEqual(ours[name], engine["all"][path[0]][path[1]],
                                   delta=1e-9 * max(1, ours[name]))
        self.assertEqual(ours["makespan"], engine["makespan"])

    def test_warmup_counts_later_jobs_only(self):
        trace = muster.Trace({"submit": [0, 1, 100], "run": [50, 50, 50], "tasks": [4, 4, 4]},
                             processors=4)
        result = muster.replay(trace, "fcfs")
        self.assertEqual(statistics.measure(result)["wait_longest"], 49)
        late = statistics.measure(result, warmup=100)
        self.assertEqual((late["submitted"], late["wait_mean"]), (1, 0))

    def test_utilisation_by_hand(self):
        # Busy by half until the last submission, at 100.
        trace = muster.Trace({"submit": [0, 100], "run": [100, 10], "tasks": [2, 2]}, processors=4)
        self.assertAlmostEqual(statistics.measure(muster.replay(trace, "fcfs"))["utilisation"], 0.5,
                               delta=0.01)

    def test_ranks_pair_replicates(self):
        # b is above a by about 1 in every replicate, which differ by far more among themselves; c
        # is a, shaken.
        base = np.array([10.0, 90, 30, 70, 50, 20, 80, 40])
        shake = np.array([1, -1, 2, -2, 1, -1, 0.5, -0.5])
        table = statistics.rank({"b": base + 1 + shake / 10, "c": base + shake, "a": base}, False,
                                0.95, 1)
        self.assertEqual({row["name"]: (row["rank"], row["tie"]) for row in table},
                         {"a": (1, True), "c": (1, True), "b": (3, False)})
        best_first = statistics.rank({"b": base + 1, "a": base}, True, 0.95, 1)
        self.assertEqual([row["name"] for row in best_first], ["b", "a"])
        self.assertTrue(best_first[0]["low"] < best_first[0]["mean"] < best_first[0]["high"])

    def test_one_value_each_ties_only_when_equal(self):
        one = lambda x: np.array([float(x)])
        table = statistics.rank({"a": one(1), "b": one(1), "c": one(2)}, False, 0.95, 0)
        self.assertEqual([(r["rank"], r["tie"]) for r in table], [(1, True), (1, True), (3, False)])
        self.assertTrue(math.isnan(table[0]["low"]))

    def test_intervals_are_the_engines(self):
        values = [3.1, 4.1, 5.9, 2.6, 5.3, 5.8, 9.7, 9.3]
        self.assertEqual(statistics.interval(values, 0.95, 42),
                         (float.fromhex("0x1.08ccccccccccep+2"), 7.4375))
        low, high = statistics.interval(np.array(values), of="median")
        self.assertTrue(low < np.median(values) < high)
        self.assertEqual(statistics.interval(values, seed=-1),
                         statistics.interval(values, seed=2**64 - 1))
        self.assertEqual(statistics.ratio(2 * np.array(values), values), (2, 2, 2))

    def test_regression(self):
        tasks, nodes = np.array([1, 2, 3, 4, 5]), np.array([8, 1, 4, 2, 9])
        fit = statistics.least_squares(2 + 3 * tasks - nodes, {"tasks": tasks, "nodes": nodes})
        self.assertEqual(list(fit.coefficients), ["intercept", "tasks", "nodes"])
        for name, value in {"intercept": 2, "tasks": 3, "nodes": -1}.items():
            self.assertAlmostEqual(fit.coefficients[name][0], value, delta=1e-12)
        self.assertAlmostEqual(fit.r_squared, 1)
        self.assertEqual(fit.freedom, 2)
        through = statistics.least_squares([2.0, 3.0], {"x": [1, 2]}, intercept=False)
        self.assertAlmostEqual(through.coefficients["x"][0], 1.6)

    def test_statistics_refuse(self):
        for rule, call in {
            r"values\[1\]: nan is not finite": lambda: statistics.interval([1, math.nan]),
            "level: 2 is out of range": lambda: statistics.interval([1, 2], 2),
            'of: "mode" is not known': lambda: statistics.interval([1, 2], of="mode"),
            r"under\[0\]: 0 is out of range": lambda: statistics.ratio([1, 2], [0, 1]),
            r"x\[0\]: has 1 entries; must have 3, as y": lambda: statistics.least_squares(
                [1, 2, 3], {"x": [1]}),
        }.items():
            with self.subTest(rule), self.assertRaisesRegex(muster.InvalidArgument, rule):
                call()


@needs_engine
class Studies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_backfilling_beats_none(self):
        told = study(pool(2000), replicates=8)
        ranks = {row["label"]: row["rank"] for row in told.ranking(told.cells[0].trace)}
        self.assertGreater(ranks["fcfs"], ranks["easy"])
        text = str(told)
        self.assertIn("ranked by mean bounded slowdown", text)
        self.assertIn("paired bootstrap of 8 replicates", text)
        self.assertTrue(told.complete)

    def test_dominance_and_what_knows_the_future(self):
        told = study(pool(2000), profiles=["fcfs", "easy", "easy:estimate=actual"], replicates=8)
        trace = told.cells[0].trace
        pairs = {(better, worse): gains for better, worse, gains in told.dominance(trace)}
        self.assertIn("wait_mean", pairs["easy", "fcfs"])
        self.assertNotIn(("fcfs", "easy"), pairs)
        self.assertEqual(told.dominance(trace, ["goodput"]), [])
        with self.assertRaisesRegex(muster.InvalidArgument, 'no metric "wait"'):
            told.dominance(trace, ["wait"])
        self.assertEqual([told.title(i) for i in range(3)],
                         ["fcfs", "easy", "easy:estimate=actual [clairvoyant]"])
        self.assertIn("easy dominates fcfs: wait_mean", str(told))
        self.assertIn("easy:estimate=actual [clairvoyant]", told._repr_html_())

    def test_what_ends_nothing_ranks_last(self):
        told = study(pool(60), profiles=["kueue", "easy", "fcfs"], replicates=2)
        trace = told.cells[0].trace
        last = told.ranking(trace)[-1]
        self.assertEqual((last["label"], last["rank"], last["tie"]), ("kueue", 3, False))
        self.assertTrue(math.isnan(last["mean"]))
        self.assertNotIn("kueue", [better for better, _, _ in told.dominance(trace)])
        self.assertIn("kueue ended 0 of 60 jobs: it started none, and has no means", str(told))
        self.assertIn("kueue ended 0 of 60 jobs", told._repr_html_())
        told.settings = dataclasses.replace(told.settings, rank_by="evictions")
        self.assertEqual(told.ranking(trace)[-1]["label"], "kueue")

    def test_dominance_is_among_those_that_ended_the_same_jobs(self):
        until = 20000
        told = study(pool(400), profiles=["fcfs", "easy"], replicates=3, until=until)
        ended = {one.label: told.records[i][0]["metrics"]["ended"]
                 for i, one in enumerate(told.cells)}
        self.assertLess(ended["fcfs"], ended["easy"])
        self.assertEqual(told.dominance(told.cells[0].trace), [])
        self.assertIn(f"fcfs ended {ended['fcfs']} of ", str(told))

    def test_metrics_of_nodes(self):
        mix = muster.traces.named_mix("philly")
        trace = mix.generate(nodes=8, jobs=60, load=0.9, seed=1)
        volcano, fcfs = (statistics.measure(muster.replay(trace, p)) for p in ("volcano", "fcfs"))
        # What queues deserve does not depend on the policy.
        for one in (volcano, fcfs):
            self.assertTrue(0 < one["share_deviation"] < 0.1, one["share_deviation"])
        for name in ("goodput", "fragmentation"):
            self.assertTrue(0 <= volcano[name] <= 1)

    def test_equal_policies_tie(self):
        told = study(profiles=["easy", "easy:order=fifo"])
        self.assertEqual([(r["rank"], r["tie"]) for r in told.ranking(told.cells[0].trace)],
                         [(1, True), (1, True)])

    def test_processes_and_cache_change_nothing(self):
        trace, out = pool(600), io.StringIO()
        here = study(trace)
        cache = self.folder / "cache"
        spread = study(trace, executor="processes", workers=2, cache=cache, progress=out)
        again = study(trace, executor="processes", cache=cache, progress=out)
        self.assertEqual({here.digest, spread.digest, again.digest}, {here.digest})
        self.assertIn("15 of 15 replays", out.getvalue())
        self.assertIn("(15 from the cache)", out.getvalue())
        more = io.StringIO()
        study(trace, replicates=5, cache=cache, progress=more)
        self.assertIn("18 of 18 replays (15 from the cache)", more.getvalue())

    def test_a_spoilt_file_of_the_cache_is_made_anew(self):
        cache = self.folder / "cache"
        before = study(cache=cache)
        for path in cache.rglob("*.json"):
            path.write_text("{")
        self.assertEqual(study(cache=cache).digest, before.digest)

    @unittest.skipUnless(find_spec("ray"), "Ray is not installed")
    def test_ray_changes_nothing(self):
        # In a process of its own: Ray leaves threads and signal handlers in the one that starts it.
        script = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from study_test import pool, study\n"
            "print(study(pool(600), executor='ray', workers=2).digest)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(pathlib.Path(__file__).parent)],
            capture_output=True, text=True, timeout=300,
        )
        self.assertEqual(done.stdout.split()[-1:], [study().digest], done.stderr)

    def test_interrupted_and_resumed(self):
        trace, cache = pool(600), self.folder / "cache"

        class Interrupting(io.StringIO):
            def write(self, text):
                os.kill(os.getpid(), signal.SIGINT)
                return super().write(text)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            stop = Interrupting()
            stop.isatty = lambda: True  # a word after each run
            told = study(trace, cache=cache, progress=stop, executor="processes")
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertFalse(told.complete)
        self.assertIn("PARTIAL", str(told))
        out = io.StringIO()
        whole = study(trace, cache=cache, progress=out)
        self.assertTrue(whole.complete)
        self.assertIn("from the cache", out.getvalue())
        self.assertEqual(whole.digest, study(trace).digest)

    def test_sweep(self):
        told = muster.sweep(
            {"trace": [pool(200), pool(300)], "profile": ["easy", "volcano"], "latency": [0, 5]},
            replicates=2, executor="here", cache=False, progress=False,
        )
        self.assertEqual(len(told.cells), 8)
        self.assertEqual({row["label"] for row in told.ranking(told.cells[0].trace)},
                         {f"{p} latency={n}" for p in ("easy", "volcano") for n in (0, 5)})

    def test_shaken_replicates(self):
        trace = pool(300)
        resampled, shaken = study(trace, shake=False), study(trace, shake=30)
        self.assertEqual(study(trace).digest, study(trace, shake=60).digest)
        self.assertIn("Resampled replicates have other loads than the trace", str(resampled))
        self.assertNotIn("Resampled", str(shaken))
        self.assertEqual([r[0]["digest"] for r in shaken.records],
                         [r[0]["digest"] for r in resampled.records])
        self.assertNotEqual(shaken.digest, resampled.digest)
        self.assertEqual(shaken.digest, study(trace, shake={"submit": 30}).digest)
        self.assertNotEqual(shaken.digest, study(trace, shake=31).digest)
        # Replicate 2 of each policy is the same disturbed trace.
        seed = muster.runs.replicate_seed(0, 2)
        for cell, records in zip(shaken.cells, shaken.records):
            self.assertEqual(records[2]["digest"],
                             muster.replay(trace.shaken(seed, 30), cell.policy).digest)
        self.assertIn("4 replicates, shaken (submissions 30 s)", str(shaken))
        path = self.folder / "study.json"
        study(trace, shake={"submit": 5, "run": 0.1}).save(path)
        self.assertEqual(json.loads(path.read_text())["settings"]["shake"],
                         {"submit": 5, "run": 0.1})
        self.assertEqual(muster.reproduce(path, executor="here", progress=False)[1], [])

    def test_results_are_json(self):
        told = study(pool(60), profiles=["easy", "kueue"], replicates=3)
        results = json.loads(json.dumps(told.results, allow_nan=False))
        self.assertEqual((results["digest"], results["complete"]), (told.digest, True))
        (trace,) = results["traces"]
        self.assertEqual((trace["jobs"], trace["ranked_by"]), (60, "bounded_slowdown_mean"))
        first, last = trace["cells"]
        self.assertEqual((first["label"], first["rank"], last["label"]), ("easy", 1, "kueue"))
        self.assertIsNone(last["mean"])
        self.assertEqual(first["metrics"]["ended"], 60)
        means = [one["bounded_slowdown_mean"] for one in first["replicates"]]
        self.assertEqual(len(means), 3)
        self.assertAlmostEqual(first["mean"], sum(means) / 3)
        self.assertEqual(trace["dominance"], [])

    def test_nothing_shaken_is_a_tie_of_nothing(self):
        """Replicates that are not disturbed are alike, so that intervals are points."""
        for row in study(shake=0).ranking(pool(600).digest):
            self.assertEqual((row["low"], row["high"]), (row["mean"], row["mean"]))

    def test_manifest_reproduces(self):
        told = study()
        path = self.folder / "study.json"
        told.save(path)
        again, wrong = muster.reproduce(path, executor="here", progress=False)
        self.assertEqual((again.digest, wrong), (told.digest, []))
        manifest = json.loads(path.read_text())
        self.assertEqual(manifest["muster"], muster.__version__)
        self.assertGreaterEqual(manifest["revisions"]["gang"], 1)
        manifest["runs"][1][2] = "0" * 64
        path.write_text(json.dumps(manifest))
        _, wrong = muster.reproduce(path, executor="here", progress=False)
        self.assertEqual(len(wrong), 1)
        self.assertIn("easy, replicate 2: ", wrong[0])

    def test_numbers_of_numpy_are_values_of_an_axis(self):
        grid = {"trace": [pool(20)], "profile": ["easy"], "latency": np.array([0, 5])}
        told = muster.sweep(grid, replicates=np.int64(0), executor="here",
                            cache=self.folder / "cache", progress=False)
        told.save(self.folder / "study.json")
        self.assertEqual([cell.options["latency"] for cell in told.cells], [0, 5])

    def test_few_replicates_are_told(self):
        few = "With 2 replicates intervals are too narrow"
        self.assertIn(few, str(study(pool(20), replicates=2)))
        self.assertNotIn("too narrow", str(study(pool(20), replicates=10)))
        self.assertIn("fewer than two replicates have no intervals",
                      str(study(pool(20), replicates=1)))

    def test_refusals_of_forms(self):
        sweep = lambda **axes: muster.sweep(
            {"trace": [pool(9)], "profile": ["easy"]} | axes, replicates=0, cache=False,
            executor="here", progress=False)
        for rule, call in {
            "compare: profiles: expected a list, got 'easy'": lambda: muster.compare(
                pool(9), "easy"),
            'unknown option "replicate", did you mean "replicates"': lambda: study(replicate=2),
            'unknown option "latancy", did you mean "latency"': lambda: study(latancy=2),
            "replicates: expected an integer of 64 bits, got 1.5": lambda: study(replicates=1.5),
            "workers is -1; must be 1 or more": lambda: study(workers=-1),
            "workers: expected an integer": lambda: study(workers="2"),
            """axis "profile": expected a list, got 'easy'""": lambda: sweep(profile="easy"),
            'axis "trace": expected a list': lambda: sweep(trace=pool(9)),
            'axis "latency": expected a list, got 5': lambda: sweep(latency=5),
            'axis "latency" is empty': lambda: sweep(latency=[]),
            'axis "latency" has a value twice': lambda: sweep(latency=[1, 2, 1]),
            'axis "profile" has a value twice': lambda: sweep(profile=["easy", "easy"]),
        }.items():
            with self.subTest(rule), self.assertRaisesRegex(muster.InvalidArgument, rule):
                call()

    def test_refusals(self):
        for rule, call in {
            'there is no metric "waits"': lambda: study(rank_by="waits"),
            # Of a family the first, as METRICS has them.
            '"wait", did you mean "wait_mean"?': lambda: study(rank_by="wait"),
            '"bounded_slowdown", did you mean "bounded_slowdown_mean"?':
                lambda: study(rank_by="bounded_slowdown"),
            "a profile is named twice": lambda: study(profiles=["easy", "easy"]),
            'executor "cloud" is not known': lambda: study(executor="cloud"),
            "eazy": lambda: study(profiles=["eazy"]),
            'the grid has no "profile"': lambda: muster.sweep({"trace": [pool(9)]}),
            "replicates and warmup": lambda: study(replicates=-1),
            "shake: submit is -1; must be seconds": lambda: study(shake=-1),
            "shake: submit is 1.5; must be seconds": lambda: study(shake=1.5),
            'shake: unknown key "user"': lambda: study(shake={"user": 1}),
            "shake: run is 1; must be 0 or more and below 1": lambda: study(shake={"run": 1}),
        }.items():
            with self.subTest(rule), self.assertRaisesRegex(muster.InvalidArgument, rule):
                call()


if __name__ == "__main__":
    unittest.main()
