# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""An agent that learns where tasks should run, and how much better that is than chance.

    python examples/replay_agent.py

Each node that fits gets a score that is linear in its observation, and the best node is taken. The
weights are found by the cross-entropy method: draw some, play an episode with each (all of them at
once), keep the best ones and draw around them. Needs gymnasium.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np

import muster
import muster.envs

PLAYERS, KEPT = 64, 8


def returns(envs: gymnasium.vector.VectorEnv, weights: np.ndarray | None, seed: int) -> np.ndarray:
    """Returns of an episode in each environment. Player i scores nodes by row i of `weights`, or
    by chance."""
    chance = np.random.default_rng(seed)
    # Every player plays the same jobs.
    seeds: Any = [seed] * envs.num_envs  # VectorEnv.reset is typed for one seed alone
    seen, _ = envs.reset(seed=seeds)
    total, over = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool)
    while not over.all():
        nodes = seen["nodes"]
        if weights is None:
            score = chance.random(nodes.shape[:2])
        else:
            asked = np.broadcast_to(seen["task"][:, None, :1], (*nodes.shape[:2], 1))
            score = (np.concatenate([nodes, nodes[..., :1] * asked],
                                    axis=2) * weights[:, None]).sum(axis=2)
        score = np.where(seen["action_mask"][:, :-1], score, -np.inf)
        waits = ~seen["action_mask"][:, :-1].any(axis=1)
        seen, rewards, ended, _, _ = envs.step(np.where(waits, nodes.shape[1],
                                                        score.argmax(axis=1)))
        total += np.where(over, 0, rewards)
        over |= ended
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    trace = muster.traces.mix(jobs=1500, nodes=8, load=1.0)
    envs = gymnasium.make_vec("muster/Replay-v0", PLAYERS, trace=trace, jobs=200, action="node")
    numbers = envs.reset()[0]["nodes"].shape[-1] + 1
    draw = np.random.default_rng(0)
    mean, spread = np.zeros(numbers), np.ones(numbers)
    for number in range(rounds):
        weights = mean + spread * draw.standard_normal((PLAYERS, numbers))
        gained = returns(envs, weights, seed=number)
        best = weights[np.argsort(gained)[-KEPT:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        print(f"round {number}: mean return {gained.mean():.3f}, best {gained.max():.3f}")
    unseen = range(1000, 1010)
    print(f"random {np.mean([returns(envs, None, seed).mean() for seed in unseen]):.4f}")
    print(
        f"learned {np.mean([returns(envs, np.tile(mean, (PLAYERS, 1)), seed)[0] for seed in unseen]):.4f}")


if __name__ == "__main__":
    main()
