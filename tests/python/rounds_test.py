# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Profile gavel: the parts of time that it computes, against HiGHS.

The memory of a first cycle has the parts. HiGHS solves the program of the paper by itself, from the
speeds: max-min over throughput on the parts, over that on an equal share, times the GPUs. Without
highspy that test is skipped.
"""

import json
import random
import unittest

import numpy as np
from engine import muster, needs_engine

try:
    import highspy
except ImportError:
    highspy = None

PARTS = 1_000_000


def draw(seed):
    """Types with their GPUs, and jobs: GPUs, and speeds by type."""
    rng = random.Random(seed)
    types = {f"t{j}": 8 * rng.randint(1, 6) for j in range(rng.randint(1, 5))}
    steps = sorted(rng.uniform(1, 10) for _ in types)
    jobs = []
    for _ in range(rng.randint(1, 40)):
        gpus = rng.choice([1, 1, 2, 4, 8])
        if rng.random() < 0.5:
            gain = rng.uniform(0, 1.3)
            speeds = {name: round(step**gain, 6) for name, step in zip(types, steps)}
        else:
            speeds = {name: float(rng.choice([0, 1, 2, 5])) for name in types}
        if not any(speeds.values()):
            speeds = {name: 1.0 for name in types}
        jobs.append((gpus, speeds))
    return types, jobs


def levels(types, jobs, parts):
    """Of each job: its throughput over that on an equal share, times its GPUs."""
    total = sum(types.values())
    out = []
    for (gpus, speeds), part in zip(jobs, parts):
        equal = sum(speeds[name] * count for name, count in types.items()) / total
        out.append(gpus / equal * sum(speeds[name] * part[name] for name in types))
    return out


def most_least(types, jobs):
    """The highest least level, where no job can be above its own fastest type."""
    names, total = list(types), sum(types.values())
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    infinity = highspy.kHighsInf
    for _ in range(len(jobs) * len(names)):
        model.addVar(0, infinity)
    model.addVar(0, infinity)
    level = len(jobs) * len(names)
    model.changeColCost(level, -1.0)
    for m, (gpus, speeds) in enumerate(jobs):
        own = np.arange(m * len(names), (m + 1) * len(names), dtype=np.int32)
        equal = sum(speeds[name] * count for name, count in types.items()) / total
        rates = [gpus * speeds[name] / equal for name in names]
        model.addRow(-infinity, 1, len(own), own, np.ones(len(own)))
        model.addRow(0, infinity, len(own) + 1, np.append(own, np.int32(level)),
                     np.array([*rates, -1.0]))
    for j, name in enumerate(names):
        of_type = np.arange(j, level, len(names), dtype=np.int32)
        model.addRow(-infinity, types[name], len(jobs), of_type,
                     np.array([float(gpus) for gpus, _ in jobs]))
    model.run()
    assert model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return model.getSolution().col_value[level]


def parts_of(types, jobs):
    cluster = muster.Cluster()
    for name, count in types.items():
        for n in range(count // 8):
            cluster.add_node(f"{name}-{n}", gpu=8, labels={"gpu-model": name})
    for m, (gpus, speeds) in enumerate(jobs):
        settings = {f"speed/{name}": str(speed) for name, speed in speeds.items()}
        cluster.add_job(f"j{m}", count=gpus, min_available=gpus, gpu=1, settings=settings)
    plan = cluster.schedule("gavel", now=1000)
    rows = json.loads(plan.memory)["slots"]["rounds"]["rows"]
    parts = []
    for m in range(len(jobs)):
        cells = rows[f"job/j{m}"][3:]
        due = dict(zip(cells[0::4], cells[3::4]))
        parts.append({name: due.get(name, 0) / PARTS for name in types})
    return parts


@needs_engine
class Rounds(unittest.TestCase):
    def test_a_period_alone_is_periodic(self):
        trace = muster.Trace({"submit": [1, 2, 3], "run": [50, 50, 50]}, processors=2)
        for profile in ("muster", "easy"):
            alone = muster.replay(trace, profile, period=100)
            self.assertEqual(alone.digest,
                             muster.replay(trace, profile, cycles="periodic", period=100).digest)
            self.assertNotEqual(alone.digest, muster.replay(trace, profile).digest)
            self.assertEqual(list(alone.jobs["start"]), [100, 100, 200])
        for cycles in ("instant", "event"):
            with self.assertRaisesRegex(muster.InvalidArgument,
                                        f'replay: period: cycles "{cycles}" has none'):
                muster.replay(trace, "muster", cycles=cycles, period=100)

    def test_parts_fit(self):
        for seed in range(40):
            types, jobs = draw(seed)
            parts = parts_of(types, jobs)
            for part in parts:
                self.assertLessEqual(sum(part.values()), 1 + 1e-9)
            for name, count in types.items():
                taken = sum(gpus * part[name] for (gpus, _), part in zip(jobs, parts))
                self.assertLessEqual(taken, count + 1e-9)

    @unittest.skipIf(highspy is None, "highspy is not installed")
    def test_the_least_level_is_within_one_percent_of_the_best(self):
        shared = 0
        for seed in range(200):
            types, jobs = draw(seed)
            least = min(levels(types, jobs, parts_of(types, jobs)))
            best = most_least(types, jobs)
            self.assertLessEqual(least, best * (1 + 1e-6), seed)
            self.assertGreaterEqual(least, best * 0.99, seed)
            shared += sum(types.values()) < sum(gpus for gpus, _ in jobs)
        self.assertGreater(shared, 50)

    def test_a_replay_moves_a_job_though_nothing_waits(self):
        """The second job does a quarter of the work of 359 s on the slow node, and the rest on the
        fast one from the next round on."""
        trace = muster.Trace(
            {"submit": [0, 1], "run": [100, 1000]},
            nodes=[{"name": name, "capacity": {"nvidia.com/gpu": 1}, "labels": {"gpu-model": name}}
                   for name in ("fast", "slow")],
            shapes=[{"request": {"nvidia.com/gpu": 1}, "labels": {"model": "m"}}],
            speeds=[("m", "fast", 1, 4), ("m", "slow", 1, 1)])
        options = {"cycles": "rounds", "period": 360, "evicted_jobs_checkpoint": True}
        ends = muster.replay(trace, "gavel", **options).jobs["end"].tolist()
        self.assertEqual(ends[0], 100)
        self.assertAlmostEqual(ends[1], 360 + 1000 - 359 // 4, delta=5)
        self.assertEqual(muster.replay(trace, "tiresias", **options).jobs["end"].tolist(),
                         [100, 4001])


if __name__ == "__main__":
    unittest.main()
