# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster/Replay-v0: Gymnasium's own check, the starts of fcfs, seeds, vectors, and that choosing well pays."""

import unittest
import warnings
from importlib.util import find_spec

import numpy as np

from engine import muster, needs_engine
from replay_test import pool

HAVE_GYMNASIUM = find_spec("gymnasium") is not None
if HAVE_GYMNASIUM and muster.HAVE_ENGINE:
    import gymnasium

    import muster.envs


def play(env, choose, **reset):
    """The return of an episode."""
    seen, _ = env.reset(**reset)
    total, over = 0.0, False
    while not over:
        seen, reward, over, cut, _ = env.step(choose(seen))
        total += reward
        assert not cut
    return total


def first_in_line(seen):
    return 0 if seen["action_mask"][0] else len(seen["jobs"])


def shortest_that_fits(seen):
    fits = np.flatnonzero(seen["action_mask"][:-1])
    return int(fits[np.argmin(seen["jobs"][fits, 1])]) if len(fits) else len(seen["jobs"])


@needs_engine
@unittest.skipUnless(HAVE_GYMNASIUM, "gymnasium is not installed")
class Environment(unittest.TestCase):
    def make(self, **told):
        return gymnasium.make("muster/Replay-v0", **({"trace": pool(600), "jobs": 200} | told))

    def test_gymnasium_accepts_it(self):
        from gymnasium.utils.env_checker import check_env

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(muster.envs.ReplayEnv(pool(600), jobs=50), skip_render_check=True)

    def test_first_in_line_is_fcfs(self):
        trace = pool(600)
        env = muster.envs.ReplayEnv(trace, jobs=600)
        total = play(env, first_in_line, options={"first": 0})
        jobs = muster.replay(trace, "fcfs").jobs
        starts = np.array([env.starts[row] for row in range(600)])
        np.testing.assert_array_equal(starts, jobs["start"])
        waits = np.asarray(jobs["wait"]) / np.maximum(trace.jobs["run"], 10)
        self.assertAlmostEqual(total, -waits.mean(), places=9)

    def test_seeds_reproduce(self):
        env = self.make()
        returns = [play(env, shortest_that_fits, seed=seed) for seed in (1, 2, 1)]
        self.assertEqual(returns[0], returns[2])
        self.assertNotEqual(returns[0], returns[1])

    def test_vectors(self):
        envs = gymnasium.make_vec("muster/Replay-v0", num_envs=3, vectorization_mode="sync", trace=pool(600), jobs=50)
        seen, _ = envs.reset(seed=5)
        self.assertEqual(seen["jobs"].shape, (3, 16, 3))
        for _ in range(200):
            actions = np.argmax(seen["action_mask"], axis=1)
            seen, rewards, over, cut, _ = envs.step(actions)
            self.assertTrue((rewards <= 0).all())
        envs.close()

    def test_choosing_well_beats_chance(self):
        env = self.make()
        r = np.random.default_rng(1)
        chance = [play(env, lambda seen: int(r.choice(np.flatnonzero(seen["action_mask"]))), seed=s) for s in range(5)]
        chosen = [play(env, shortest_that_fits, seed=s) for s in range(5)]
        self.assertGreater(sum(chosen), sum(chance))

    def test_what_the_mask_forbids_is_waiting(self):
        trace = muster.Trace({"submit": [0, 0], "run": [50, 50], "tasks": [4, 4]}, processors=4)
        env = muster.envs.ReplayEnv(trace, jobs=2, window=2)
        env.reset(seed=0)
        env.step(0)
        _, reward, over, _, told = env.step(0)
        self.assertEqual((reward, over, told), (-0.5, False, {"allowed": False}))
        self.assertTrue(env.step(2)[2])  # nothing is left to wait for: the oldest starts
        with self.assertRaises(gymnasium.error.ResetNeeded):
            env.step(0)

    def test_refusals(self):
        with self.assertRaisesRegex(muster.InvalidArgument, "pool of processors"):
            muster.envs.ReplayEnv(muster.traces.mix(jobs=10, nodes=2))
        with self.assertRaisesRegex(muster.InvalidArgument, "jobs must be 1 to 10"):
            muster.envs.ReplayEnv(pool(10), jobs=11)


if __name__ == "__main__":
    unittest.main()
