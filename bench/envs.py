# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Steps a second of 256 learning environments in one call, of this process's CPU time.

    OPENBLAS_NUM_THREADS=1 PYTHONPATH=build/release/python build/venv/bin/python bench/envs.py
"""

import time

import numpy as np

import muster
import muster.envs

COUNT = 256
STEPS = 200_000


def busy_pool(jobs: int = 4000) -> muster.Trace:
    """Jobs of one to eight of 16 processors, one each 90 s, of four minutes."""
    r = np.random.default_rng(1)
    run = r.integers(1, 500, jobs)
    table = {
        "submit": np.sort(r.integers(0, jobs * 90, jobs)),
        "run": run,
        "estimate": run * r.integers(1, 4, jobs),
        "tasks": r.integers(1, 9, jobs),
    }
    return muster.Trace(table, processors=16, name="pool")


def measure(**told: object) -> float:
    """The best of five, the first allowed action in each step."""
    envs = muster.envs.ReplayVectorEnv(num_envs=COUNT, **told)
    seen, _ = envs.reset(seed=1)
    best = 0.0
    for _ in range(5):
        begin, steps = time.process_time(), 0
        while steps < STEPS:
            seen, *_ = envs.step(np.argmax(seen["action_mask"], axis=1))
            steps += COUNT
        best = max(best, steps / (time.process_time() - begin))
    return best


def main() -> None:
    print(f"{'question':10} {'million steps/s':>16}")
    print(f"{'job':10} {measure(trace=busy_pool()) / 1e6:16.2f}")
    mix = muster.traces.mix(jobs=2000, nodes=64)
    print(f"{'node':10} {measure(trace=mix, action='node') / 1e6:16.2f}")


if __name__ == "__main__":
    main()
