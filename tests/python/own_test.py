# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Policies of the caller in replays, comparisons, sweeps, manifests and workers."""

import io
import json
import pathlib
import subprocess
import sys
import tempfile
import traceback
import unittest
from importlib.util import find_spec

import numpy as np

from engine import muster, needs_engine

if muster.HAVE_ENGINE:
    from muster import own

    class Divides(muster.Policy):
        def score(self, task_class, nodes):
            return np.zeros(len(nodes)) + 1 // 0

    class FewestFree(muster.Policy):
        """Prefers nodes with few idle GPUs."""

        def __init__(self, weight=100.0):
            self.weight = weight

        def score(self, task_class, nodes):
            return -self.weight * nodes.idle["nvidia.com/gpu"]

    class Kept(FewestFree):
        name = "kept"
        revision = 1

    class SmallestFirst(muster.Action):
        def run(self, bench):
            jobs = bench.jobs(bench.waiting())
            for job in jobs.index[np.argsort(jobs.pending, kind="stable")]:
                before = bench.save()
                for task in bench.pending_tasks(job):
                    if bench.place(task) is None:
                        break
                if bench.ready(job):
                    bench.commit(before)
                else:
                    bench.rollback(before)


SPEC = "volcano:+fewest-free"
MINE = '''import muster


class Roomy(muster.Policy):
    """Prefers nodes with many idle GPUs."""

    revision = 1

    def score(self, task_class, nodes):
        return 100 * nodes.idle["nvidia.com/gpu"]
'''


def trace(jobs=120, nodes=4, seed=0):
    return muster.traces.mix(jobs=jobs, nodes=nodes, seed=seed)


def study(**given):
    told = {"replicates": 2, "executor": "here", "cache": False, "progress": False} | given
    told = {"policies": [FewestFree()]} | told
    return muster.compare(trace(), told.pop("profiles", ["volcano", SPEC]), **told)


@needs_engine
class Replays(unittest.TestCase):
    def test_every_cycle_sees_the_books_of_its_own(self):
        seen = []

        class Watch(muster.Policy):
            def score(self, task_class, nodes):
                seen.append(float(nodes.idle["nvidia.com/gpu"].sum()))
                return np.zeros(len(nodes))

        plain = muster.replay(trace(), "volcano")
        watched = muster.replay(trace(), "volcano", policies=[Watch()])
        self.assertEqual(watched.digest, plain.digest)  # a score of zeros decides nothing
        self.assertGreater(len(set(seen)), 5)
        self.assertEqual(max(seen), 4 * 8 * 1000)

    def test_two_policies_see_the_same_books(self):
        seen = {"a": [], "b": []}

        def watching(letter):
            class Watch(muster.Policy):
                name = letter

                def score(self, task_class, nodes):
                    seen[letter].append(float(nodes.idle["nvidia.com/gpu"].sum()))
                    return np.zeros(len(nodes))

            return Watch()

        muster.replay(trace(), "volcano", policies=[watching("a"), watching("b")])
        self.assertEqual(seen["a"], seen["b"])
        self.assertGreater(len(set(seen["a"])), 5)

    def test_it_decides(self):
        plain = muster.replay(trace(), "volcano", record_placements=True)
        mine = muster.replay(trace(), SPEC, policies=[FewestFree()], record_placements=True)
        self.assertNotEqual(list(plain.placements["node"]), list(mine.placements["node"]))
        again = muster.replay(trace(), SPEC, policies=[FewestFree()])
        self.assertEqual(again.digest, mine.digest)

    def test_an_action_of_ones_own(self):
        result = muster.replay(trace(), "muster:actions=smallest-first", policies=[SmallestFirst()])
        self.assertGreater(result.metrics["started"], 50)

    def test_of_a_generator(self):
        spec = "muster:actions=smallest-first"
        result = muster.replay(trace(), spec, policies=(one for one in [SmallestFirst()]))
        self.assertEqual(result.digest,
                         muster.replay(trace(), spec, policies=[SmallestFirst()]).digest)
        with self.assertRaisesRegex(muster.InvalidArgument, "smallest-first"):
            muster.replay(trace(), "muster", policies=(one for one in [SmallestFirst()]))

    def test_an_exception_ends_it(self):
        class Fails(muster.Policy):
            def score(self, task_class, nodes):
                raise LookupError("my own words")

        with self.assertRaisesRegex(LookupError, "my own words"):
            muster.replay(trace(), "volcano", policies=[Fails()])

    def test_an_exception_names_the_run_of_a_study(self):
        for executor in ("here", "processes"):
            with self.assertRaises(ZeroDivisionError) as caught:
                muster.compare(trace(), ["volcano", "volcano:+divides"], policies=[Divides()],
                               replicates=1, executor=executor, cache=False, progress=False)
            self.assertRegex("".join(traceback.format_exception(caught.exception)),
                             r'under volcano:\+divides, (the trace as it is|replicate 1) of "')

    def test_batch_policies_take_none(self):
        pool = muster.Trace({"submit": [0], "run": [5]}, processors=2)
        with self.assertRaisesRegex(muster.InvalidArgument, "easy takes none"):
            muster.replay(pool, "easy", policies=[FewestFree()])


@needs_engine
class Studies(unittest.TestCase):
    def test_a_profile_has_what_it_names(self):
        told = study()
        alone = study(profiles=["volcano"], policies=[])
        by_label = {cell.label: told.records[i] for i, cell in enumerate(told.cells)}
        self.assertEqual([r["digest"] for r in by_label["volcano"]],
                         [r["digest"] for r in alone.records[0]])
        first = muster.replay(trace(), SPEC, policies=[FewestFree()])
        self.assertEqual(by_label[SPEC][0]["digest"], first.digest)

    def test_processes_change_nothing(self):
        self.assertEqual(study(executor="processes", workers=2).digest, study().digest)

    @unittest.skipUnless(find_spec("ray"), "Ray is not installed")
    def test_ray_changes_nothing(self):
        # In a process of its own: Ray leaves threads and signal handlers in the one that starts it.
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder, "mine.py")
            mine.write_text(MINE)
            script = (
                "import sys; sys.path.insert(0, sys.argv[1])\n"
                "from own_test import muster, own, study\n"
                "def told(where):\n"
                "    return study(executor=where, workers=2, profiles=['volcano:+roomy'],\n"
                "                 policies=own.load(sys.argv[2])).digest\n"
                "print(study(executor='ray', workers=2).digest, told('ray'), told('here'))\n"
            )
            done = subprocess.run(
                [sys.executable, "-c", script, str(pathlib.Path(__file__).parent), str(mine)],
                capture_output=True, text=True, timeout=600,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            in_module, on_ray, here = done.stdout.split()[-3:]
            self.assertEqual(in_module, study().digest)
            self.assertEqual(on_ray, here)

    def test_runs_are_kept_of_policies_with_a_revision(self):
        for policy, found in ((FewestFree(), 3), (Kept(), 6)):
            with tempfile.TemporaryDirectory() as cache:
                profiles = ["volcano", f"volcano:+{policy.name}"]
                study(profiles=profiles, policies=[policy], cache=cache)
                out = io.StringIO()
                study(profiles=profiles, policies=[policy], cache=cache, progress=out)
                self.assertIn(f"({found} from the cache)", out.getvalue())
                changed = type(policy)(weight=-100.0)
                out = io.StringIO()
                study(profiles=profiles, policies=[changed], cache=cache, progress=out)
                self.assertIn("(3 from the cache)", out.getvalue())

    def test_sweeps(self):
        told = muster.sweep(
            {"trace": [trace()], "profile": ["volcano", SPEC], "latency": [0, 5]},
            policies=[FewestFree()], replicates=0, executor="here", cache=False, progress=False,
        )
        self.assertEqual(len(told.cells), 4)
        self.assertEqual([len(cell.policies) for cell in told.cells], [0, 0, 1, 1])

    def test_of_a_generator(self):
        told, again = study(), study(policies=(one for one in [FewestFree()]))
        self.assertEqual([r["digest"] for cell in told.records for r in cell],
                         [r["digest"] for cell in again.records for r in cell])
        self.assertEqual([len(cell.policies) for cell in again.cells], [0, 1])

    def test_what_nobody_names_is_refused(self):
        with self.assertRaisesRegex(muster.InvalidArgument, 'no profile names "fewest-free"'):
            study(profiles=["volcano"])
        with self.assertRaisesRegex(muster.InvalidArgument, "write policies="):
            study(policies=FewestFree())
        with self.assertRaisesRegex(muster.InvalidArgument, "two have one name"):
            study(policies=[FewestFree(), FewestFree()])

    def test_names_in_spec_strings(self):
        mine = FewestFree()
        for spec, is_named in (
            ("volcano:+fewest-free", True), ("volcano", False), ("fewest-free", False),
            ("volcano:tiers=gang/predicates+fewest-free", True),
            ("volcano:+fewest-free(weight=2)", True), ("volcano:+fewest-free-2", False),
            ("volcano:binpack(weight=fewest-free)", False),
            ("muster:actions=fewest-free+reclaim", True),
        ):
            self.assertEqual(own.named(spec, [mine]), [mine] if is_named else [], spec)


@needs_engine
class Manifests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "study.json")

    def again(self, policies):
        return muster.reproduce(self.path, policies=policies, executor="here", progress=False)

    def test_made_again(self):
        told = study()
        told.save(self.path)
        entry = json.loads(self.path.read_text())["policies"][0]
        self.assertEqual(entry["name"], "fewest-free")
        self.assertIn("Prefers nodes with few idle GPUs", entry["source"])
        back, differences = self.again([FewestFree()])
        self.assertEqual((differences, back.digest), ([], told.digest))

    def test_a_missing_and_a_changed_policy(self):
        study().save(self.path)
        with self.assertRaisesRegex(muster.InvalidArgument, 'the policy "fewest-free"'):
            self.again([])
        _, differences = self.again([FewestFree(weight=-5.0)])
        self.assertIn("its source or its attributes are others", differences[0])
        self.assertGreater(len(differences), 1)

    def test_a_study_without_is_as_it_was(self):
        told = study(profiles=["volcano"], policies=[])
        self.assertNotIn("policies", told.manifest)
        self.assertNotIn("policies", told.manifest["cells"][0])


@needs_engine
class CommandLine(unittest.TestCase):
    def run_muster(self, *words):
        return subprocess.run([sys.executable, "-m", "muster", *map(str, words)],
                              capture_output=True, text=True, timeout=300)

    def test_compare_and_reproduce(self):
        with tempfile.TemporaryDirectory() as folder:
            mine, manifest = pathlib.Path(folder, "mine.py"), pathlib.Path(folder, "study.json")
            mine.write_text(MINE)
            common = ["mix", "--head", "60", "--replicates", "1", "--executor", "processes",
                      "--workers", "2", "--no-cache"]
            specs = ["--profile", "volcano", "--profile", "volcano:+roomy"]
            done = self.run_muster("study", *common, *specs, "--policies", mine, "--save",
                                   manifest)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("volcano:+roomy", done.stdout)
            done = self.run_muster("reproduce", manifest, "--no-cache")
            self.assertEqual(done.returncode, 2)
            self.assertIn('the policy "roomy"', done.stderr)
            done = self.run_muster("reproduce", manifest, "--no-cache", "--policies", mine)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("equal digests", done.stdout)
            mine.write_text("x = 1\n")
            done = self.run_muster("reproduce", manifest, "--policies", mine)
            self.assertEqual(done.returncode, 2)
            self.assertIn("has no muster.Policy", done.stderr)

    def test_a_replay_names_the_study(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder, "mine.py")
            mine.write_text(MINE)
            for flag in (["--policies", mine], [f"--policies={mine}"]):
                done = self.run_muster("replay", "mix", "--policy", "volcano:+roomy", *flag)
                self.assertEqual(done.returncode, 2)
                self.assertIn("muster study TRACE --profile SPEC --replicates 0 --policies FILE.py",
                              done.stderr)
            done = self.run_muster("study", "mix", "--head", "20", "--profile", "volcano:+roomy",
                                   "--replicates", "0", "--no-cache", "--policies", mine)
            self.assertEqual((done.returncode, "volcano:+roomy" in done.stdout), (0, True))


if __name__ == "__main__":
    unittest.main()
