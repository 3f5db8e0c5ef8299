# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster/Replay-v0: Gymnasium's own check, slow twins of both questions, the starts of fcfs, seeds,
vectors, speed, and that choosing well pays."""

import math
import pathlib
import subprocess
import sys
import time
import unittest
import warnings
from importlib.util import find_spec

import numpy as np

from engine import ROOT, muster, needs_engine
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


def tightest_node(seen):
    fits = np.flatnonzero(seen["action_mask"][:-1])
    return int(fits[np.argmin(seen["nodes"][fits, 0])]) if len(fits) else len(seen["nodes"])


class Twin:
    """The rules of python/muster/envs/replay.py, restated the slow way. Nodes have one
    resource."""

    def __init__(self, rows, columns, processors=None, nodes=None, shapes=None, window=16):
        self.rows, self.c, self.window = list(rows), columns, window
        self.processors, self.nodes, self.shapes = processors, nodes, shapes
        self.now, self.waiting, self.running, self.chosen, self.starts = int(
            columns["submit"][rows[0]]), [], [], [], {}
        self.coming = list(rows)
        self.arrive()

    def arrive(self):
        while self.coming and self.c["submit"][self.coming[0]] <= self.now:
            self.waiting.append(self.coming.pop(0))

    def free(self, node=None):
        if node is None:
            return self.processors - sum(int(self.c["tasks"][job]) for _, job, _ in self.running)
        held = sum(self.shapes[self.c["shape"][job]] for _, job, on in self.running for n in on
                   if n == node)
        return self.nodes[node] - held - sum(self.shapes[self.c["shape"][self.waiting[0]]]
                                             for n in self.chosen if n == node)

    def mask(self):
        if self.nodes is None:
            places = [self.c["tasks"][job] <= self.free() for job in self.waiting[: self.window]]
            places += [False] * (self.window - len(places))
        else:
            asks = self.shapes[self.c["shape"][self.waiting[0]]] if self.waiting else math.inf
            places = [self.free(node) >= asks for node in range(len(self.nodes))]
        return [*places, bool(self.running or self.coming)]

    def start(self, job, on):
        self.waiting.remove(job)
        self.running.append((self.now + int(self.c["run"][job]), job, on))
        self.starts[int(job)] = self.now

    def choose(self, action):
        if self.nodes is None:
            return self.start(self.waiting[action], [])
        self.chosen.append(action)
        if len(self.chosen) == self.c["tasks"][self.waiting[0]]:
            on, self.chosen = self.chosen, []
            self.start(self.waiting[0], on)

    def wait(self):
        then = min([end for end, _, _ in self.running] +
                   [int(self.c["submit"][row]) for row in self.coming[:1]])
        cost = (then - self.now) * sum(1 / max(int(self.c["run"][job]), 10)
                                       for job in self.waiting) / len(self.rows)
        self.now, self.chosen = then, []
        self.running = [entry for entry in self.running if entry[0] > then]
        self.arrive()
        return -cost

    def step(self, action):
        mask, reward = self.mask(), 0.0
        if mask[action] and action < len(mask) - 1:
            self.choose(action)
        elif mask[-1]:
            reward = self.wait()
        else:
            self.choose(mask.index(True))
        while not self.waiting and self.coming:
            self.wait()
        return reward, not self.waiting


@needs_engine
@unittest.skipUnless(HAVE_GYMNASIUM, "gymnasium is not installed")
class Environment(unittest.TestCase):
    def make(self, **told):
        return gymnasium.make("muster/Replay-v0", **({"trace": pool(600), "jobs": 200} | told))

    def test_gymnasium_accepts_it(self):
        from gymnasium.utils.env_checker import check_env

        for env in (
            muster.envs.ReplayEnv(pool(600), jobs=50),
            muster.envs.ReplayEnv(muster.traces.mix(jobs=200, nodes=8), jobs=50, action="node"),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check_env(env, skip_render_check=True)

    def test_first_in_line_is_fcfs(self):
        trace = pool(600)
        env = muster.envs.ReplayEnv(trace, jobs=600)
        total = play(env, first_in_line, options={"first": 0})
        jobs = muster.replay(trace, "fcfs").jobs
        starts = np.array([env.starts[row] for row in range(600)])
        np.testing.assert_array_equal(starts, jobs["start"])
        waits = np.asarray(jobs["wait"]) / np.maximum(trace.jobs["run"], 10)
        self.assertAlmostEqual(total, -waits.mean(), places=9)

    def follow(self, env, twin, seed):
        r = np.random.default_rng(seed)
        seen, _ = env.reset(options={"first": 0})
        over = False
        while not over:
            self.assertEqual([bool(x) for x in seen["action_mask"]], [bool(x) for x in twin.mask()])
            if "free" in seen:
                self.assertAlmostEqual(float(seen["free"][0]), twin.free() / twin.processors,
                                       places=6)
                row = twin.waiting[0]
                self.assertAlmostEqual(float(seen["jobs"][0, 2]),
                                       math.log10(1 + twin.now - twin.c["submit"][row]), places=5)
                self.assertAlmostEqual(float(seen["jobs"][0, 1]),
                                       math.log10(twin.c["estimate"][row]), places=5)
            else:
                idle = [twin.free(n) / twin.nodes[n] for n in range(len(twin.nodes))]
                np.testing.assert_allclose(seen["nodes"][:, 0], idle, atol=1e-6)
                row = twin.waiting[0]
                self.assertAlmostEqual(float(seen["task"][1]),
                                       1 - len(twin.chosen) / twin.c["tasks"][row], places=6)
            # One in five is what the mask forbids.
            allowed = np.flatnonzero(seen["action_mask"])
            action = int(r.choice(allowed)) if r.random() < 0.8 else int(
                r.integers(len(seen["action_mask"])))
            seen, reward, over, _, _ = env.step(action)
            expected, is_over = twin.step(action)
            self.assertAlmostEqual(reward, expected, places=9)
            self.assertEqual(over, is_over)
        self.assertEqual(env.starts, twin.starts)

    def test_jobs_as_the_twin(self):
        for seed in range(8):
            trace = pool(120, processors=8, seed=seed)
            env = muster.envs.ReplayEnv(trace, jobs=100, window=5)
            columns = trace._core.columns()
            self.follow(env, Twin(env.rows[:100], columns, processors=8, window=5), seed)

    def test_nodes_as_the_twin(self):
        for seed in range(8):
            trace = muster.traces.mix(jobs=150, nodes=5, seed=seed)
            env = muster.envs.ReplayEnv(trace, jobs=100, action="node")
            columns = trace._core.columns()
            columns["estimate"] = columns["run"]
            self.follow(env, Twin(env.rows[:100], columns, nodes=[8] * 5, shapes=[1, 2, 4, 8]),
                        seed)

    def test_labels_and_several_resources(self):
        trace = muster.Trace(
            {"submit": [0, 0, 0], "run": [9, 9, 9], "shape": [0, 1, 2]},
            nodes=[{"name": "a", "capacity": {"cpu": 4, "memory": "8Gi"}, "labels": {"zone": "x"}},
                   {"name": "b", "capacity": {"cpu": "2500m", "memory": "32Gi"}}],
            shapes=[{"request": {"cpu": 1, "memory": "16Gi"}},
                    {"request": {"cpu": "500m"}, "node_selector": {"zone": "x"}},
                    {"request": {"cpu": 5}}],
        )
        env = muster.envs.ReplayEnv(trace, jobs=2, action="node")  # the third job fits nowhere
        seen, _ = env.reset(seed=1, options={"first": 0})
        self.assertEqual(list(seen["action_mask"]), [0, 1, 0])
        np.testing.assert_allclose(seen["task"], [0.25, 0.5, 1, math.log10(9), 0], atol=1e-6)
        np.testing.assert_allclose(seen["nodes"], [[1, 1, 1, 0.25], [1, 0.625, 1, 1]], atol=1e-6)
        # forbidden, and nothing to wait for: the one node that is left
        seen, _, over, _, told = env.step(0)
        self.assertEqual((over, told["allowed"], list(seen["action_mask"])),
                         (False, False, [1, 0, 1]))
        self.assertTrue(env.step(0)[2])
        self.assertEqual(env.starts, {0: 0, 1: 0})

    def test_seeds_reproduce(self):
        env = self.make()
        returns = [play(env, shortest_that_fits, seed=seed) for seed in (1, 2, 1)]
        self.assertEqual(returns[0], returns[2])
        self.assertNotEqual(returns[0], returns[1])

    def test_many_at_once_are_each_alone(self):
        for told in ({"trace": pool(600)}, {"trace": muster.traces.mix(jobs=200, nodes=6),
                                            "action": "node"}):
            envs = gymnasium.make_vec("muster/Replay-v0", num_envs=3, jobs=30, **told)
            self.assertIsInstance(envs.unwrapped, muster.envs.ReplayVectorEnv)
            alone = [muster.envs.ReplayEnv(jobs=30, **told) for _ in range(3)]
            r = np.random.default_rng(3)
            many, _ = envs.reset(seed=5)
            each = [env.reset(seed=5 + i)[0] for i, env in enumerate(alone)]
            over = [False] * 3
            begun_again = 0
            for _ in range(400):
                for i in range(3):
                    for name in each[i]:
                        np.testing.assert_array_equal(many[name][i], each[i][name])
                actions = [int(r.choice(np.flatnonzero(seen["action_mask"])))
                           if seen["action_mask"].any() else 0 for seen in each]
                kept = many["action_mask"].copy()
                before = many
                many, rewards, ended, cut, _ = envs.step(np.array(actions))
                # what was seen stays as it was
                np.testing.assert_array_equal(before["action_mask"], kept)
                for i, env in enumerate(alone):
                    if over[i]:
                        (each[i], _), reward, over[i] = env.reset(), 0.0, False
                        begun_again += 1
                    else:
                        each[i], reward, over[i], _, _ = env.step(actions[i])
                    self.assertEqual((rewards[i], ended[i], cut[i]), (reward, over[i], False))
            self.assertGreater(begun_again, 3)
            envs.close()

    def test_vectors_of_gymnasium(self):
        envs = gymnasium.make_vec("muster/Replay-v0", num_envs=3, vectorization_mode="sync",
                                  trace=pool(600), jobs=50)
        seen, _ = envs.reset(seed=5)
        self.assertEqual(seen["jobs"].shape, (3, 16, 3))
        for _ in range(200):
            actions = np.argmax(seen["action_mask"], axis=1)
            seen, rewards, over, cut, _ = envs.step(actions)
            self.assertTrue((rewards <= 0).all())
        envs.close()

    def test_a_hundred_thousand_steps_a_second(self):
        for told in ({"trace": pool(4000)}, {"trace": muster.traces.mix(jobs=2000, nodes=64),
                                             "action": "node"}):
            envs = muster.envs.ReplayVectorEnv(num_envs=256, **told)
            seen, _ = envs.reset(seed=1)
            best = 0.0
            for _ in range(3):  # of three, in seconds of one core, as others may use the machine
                begin, steps = time.process_time(), 0
                while steps < 50_000:
                    seen, *_ = envs.step(np.argmax(seen["action_mask"], axis=1))
                    steps += 256
                best = max(best, steps / (time.process_time() - begin))
            self.assertGreater(best, 100_000, told)

    def test_choosing_well_beats_chance(self):
        mix = muster.traces.mix(jobs=600, nodes=6, load=1.0)
        for env, choose in (
            (self.make(), shortest_that_fits),
            (self.make(trace=mix, action="node"), tightest_node),
        ):
            r = np.random.default_rng(1)
            chance = [play(env, lambda seen: int(r.choice(np.flatnonzero(seen["action_mask"]))),
                           seed=s) for s in range(5)]
            chosen = [play(env, choose, seed=s) for s in range(5)]
            self.assertGreater(sum(chosen), sum(chance))

    def test_the_example_learns(self):
        done = subprocess.run(
            [sys.executable, ROOT / "examples/replay_agent.py", "--rounds", "4"],
            capture_output=True, text=True,
            env={"PYTHONPATH": ":".join(str(p) for p in (pathlib.Path(muster.__file__).parents[1],
                                                         *sys.path) if p)},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        returns = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines()
                       if line.startswith(("random", "learned")))
        self.assertGreater(float(returns["learned"]), float(returns["random"]))

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
        for rule, told in {
            "pool of processors": {"trace": muster.traces.mix(jobs=10, nodes=2)},
            "needs a trace on nodes": {"trace": pool(10), "action": "node"},
            "jobs must be 1 to 10": {"trace": pool(10), "jobs": 11},
            "window": {"trace": pool(10), "jobs": 5, "window": 0},
            'action "nodes" is not known; there are job, node': {
                "trace": pool(10), "action": "nodes"},
        }.items():
            with self.subTest(rule), self.assertRaisesRegex(muster.InvalidArgument, rule):
                muster.envs.ReplayEnv(**told)
        with self.assertRaisesRegex(muster.InvalidArgument, "num_envs is 0"):
            muster.envs.ReplayVectorEnv(pool(10), num_envs=0, jobs=5)
        env = muster.envs.ReplayEnv(pool(10), jobs=5)
        env.reset(seed=0)
        for action, told in {
            17: "action: 17 is out of range; must be 0 to 16, and 16 waits",
            -1: "action: -1 is out of range; must be 0 to 16, and 16 waits",
            0.5: "action: expected integers, got an array of float64",
            "0": "action: expected integers, got an array of <U1",
        }.items():
            with self.subTest(action=action), self.assertRaises(muster.InvalidArgument) as caught:
                env.step(action)
            self.assertEqual(str(caught.exception), told)
        envs = muster.envs.ReplayVectorEnv(pool(10), num_envs=3, jobs=5)
        envs.reset(seed=0)
        with self.assertRaisesRegex(
                muster.InvalidArgument, r"^actions\[1\]: 17 is out of range; must be 0 to 16"):
            envs.step(np.array([0, 17, 0]))
        self.assertEqual(envs.step(np.array([16, 0, 16], np.uint8))[1].shape, (3,))


if __name__ == "__main__":
    unittest.main()
