# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Mixes: named, fitted to traces, kept as JSON, and made into traces again."""

import os
import pathlib
import tempfile
import unittest

import numpy as np
from engine import ROOT, muster, needs_engine

TRACES = pathlib.Path(os.environ.get("MUSTER_TRACES") or ROOT.parent / "shared/traces")


def quantiles(values):
    return np.quantile(np.asarray(values), [0.25, 0.5, 0.75, 0.9, 0.95])


@needs_engine
class Mixes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_named(self):
        self.assertEqual(muster.traces.mix_names(), ["openb", "philly", "hpc"])
        for name, policy in (("openb", "muster"), ("philly", "volcano"), ("hpc", "easy")):
            mix = muster.traces.named_mix(name)
            trace = mix.generate(jobs=300, seed=1, load=0.9)
            self.assertEqual(trace.digest, mix.generate(jobs=300, seed=1, load=0.9).digest)
            self.assertNotEqual(trace.digest, mix.generate(jobs=300, seed=2, load=0.9).digest)
            self.assertGreater(muster.replay(trace, policy).metrics["ended"], 290)
        self.assertEqual(len(muster.traces.named_mix("openb").generate(jobs=1).nodes), 1213)
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    'unknown mix "phily", did you mean "philly"'):
            muster.traces.named_mix("phily")

    def test_there_and_back_as_json(self):
        for name in muster.traces.mix_names():
            mix = muster.traces.named_mix(name)
            mix.save(self.folder / "mix.json")
            read = muster.traces.load_mix(self.folder / "mix.json")
            self.assertEqual(read, mix)
            self.assertEqual(read.generate(jobs=50).digest, mix.generate(jobs=50).digest)

    def test_bad_files(self):
        path = self.folder / "mix.json"
        for text, said in (
            ("{", "not a mix: "), ("[]", "not a mix of form 1"),
            ('{"jobs": []}', "not a mix of form 1"),
            ('{"muster_mix": 1, "jobs": [], "run": [], "gaps": []}', "jobs: there are none"),
            ('{"muster_mix": 1, "job": []}', 'job.*did you mean.*jobs'),
        ):
            path.write_text(text)
            with self.assertRaisesRegex(muster.InvalidArgument, said):
                muster.traces.load_mix(path)
        mix = muster.traces.named_mix("hpc")
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    "nodes: its machine is a pool of processors"):
            mix.generate(nodes=4)
        with self.assertRaisesRegex(muster.InvalidArgument, "jobs: expected between"):
            mix.generate(jobs=-1)

    def test_fit_is_like_what_it_was_fitted_to(self):
        for name in muster.traces.mix_names():
            trace = muster.traces.named_mix(name).generate(jobs=20000, seed=3)
            mix = muster.traces.fit(trace)
            self.assertEqual(mix, muster.traces.fit(trace))
            again = mix.generate(jobs=20000, seed=4)
            self.assertEqual((again.processors, len(again.nodes)),
                             (trace.processors, len(trace.nodes)))
            self.assertEqual(again.queues, trace.queues)
            for column in ("run", "tasks", "queue"):
                a, b = trace._core.columns()[column], again._core.columns()[column]
                np.testing.assert_allclose(quantiles(b), quantiles(a), rtol=0.15, atol=1,
                                           err_msg=f"{name} {column}")
            gaps = [quantiles(np.diff(t._core.columns()["submit"])) for t in (trace, again)]
            np.testing.assert_allclose(gaps[1], gaps[0], rtol=0.25, atol=2, err_msg=name)

    def test_fit_says_all_of_a_plain_trace(self):
        trace = muster.Trace(
            {"submit": [0, 10, 20, 30], "run": [60] * 4, "estimate": [90] * 4, "tasks": [3] * 4,
             "user": [1, 1, 0, 1]},
            processors=8, users=["a", "b"],
        )
        mix = muster.traces.fit(trace, "plain")
        self.assertEqual(mix.tables["jobs"], [{"weight": 4, "tasks": 3}])
        self.assertEqual((mix.tables["users"], mix.tables["processors"]), ([3, 1], 8))
        again = mix.generate(jobs=4)
        for column in ("submit", "run", "estimate", "tasks"):
            self.assertEqual(list(again.jobs[column]), list(trace.jobs[column]), column)

    def test_fit_of_nothing_and_of_one(self):
        with self.assertRaisesRegex(muster.InvalidArgument, "fit: none has no jobs"):
            muster.traces.fit(muster.Trace({"submit": [], "run": []}, processors=1, name="none"))
        one = muster.traces.fit(muster.Trace({"submit": [5], "run": [7]}, processors=1))
        self.assertEqual(list(one.generate(jobs=3).jobs["submit"]), [0, 0, 0])

    @unittest.skipUnless((TRACES / "philly").exists(), f"no philly in {TRACES}")
    def test_fit_of_a_recorded_trace(self):
        philly = muster.traces.philly(TRACES)
        mix = muster.traces.fit(philly)
        self.assertLess(len(mix.tables["jobs"]), 50)
        made = mix.generate(jobs=len(philly), seed=1)
        a, b = philly._core.columns(), made._core.columns()
        np.testing.assert_allclose(quantiles(b["run"]), quantiles(a["run"]), rtol=0.15)
        np.testing.assert_allclose(np.bincount(b["queue"]) / len(b["queue"]),
                                   np.bincount(a["queue"]) / len(a["queue"]), atol=0.01)
        work = [(t["run"] * t["tasks"].astype(np.int64)).sum() for t in (a, b)]
        np.testing.assert_allclose(work[1], work[0], rtol=0.15)
        # The named one is rounded, and has no run times of VCs; it is still of the same size.
        named = muster.traces.named_mix("philly").generate(jobs=len(philly), seed=1)._core.columns()
        np.testing.assert_allclose(quantiles(named["run"]), quantiles(a["run"]), rtol=0.2)


if __name__ == "__main__":
    unittest.main()
