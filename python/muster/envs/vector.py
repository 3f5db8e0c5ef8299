# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Many replays that go in step. One call of the engine acts in all of them and looks at all of
them.

Environment i of a reset with seed s is ReplayEnv reset with seed s + i, and goes on drawing from
there. An episode that is over begins anew at the next step, which does nothing else (Gymnasium's
AutoresetMode.NEXT_STEP).
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode

from ..errors import InvalidArgument
from ..traces import Trace
from .episodes import Episodes, first_of


class ReplayVectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` of muster/Replay-v0, with the arguments of ReplayEnv."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self,
                 trace: Trace,
                 num_envs: int = 1,
                 jobs: int = 256,
                 window: int = 16,
                 action: str = "job") -> None:
        if num_envs < 1:
            raise InvalidArgument(f"num_envs is {num_envs}; must be above 0")
        self.num_envs = num_envs
        self._episodes = Episodes(trace, num_envs, jobs, window, action)
        self.single_action_space = self._episodes.action_space
        self.single_observation_space = self._episodes.observation_space
        batch = gymnasium.vector.utils.batch_space
        self.action_space = batch(self.single_action_space, num_envs)
        self.observation_space = batch(self.single_observation_space, num_envs)
        self._generators = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self._over = np.ones(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        seeds = seed if isinstance(
            seed, list) else [None if seed is None else seed + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise InvalidArgument(f"seed: expected {self.num_envs} of them, got {len(seeds)}")
        self._generators = [
            known if own is None else seeding.np_random(own)[0]
            for known, own in zip(self._generators, seeds)
        ]
        self._episodes.renew()
        firsts = [
            self._episodes.reset(i, self._generators[i], first_of(options))
            for i in range(self.num_envs)
        ]
        self._over[:] = False
        return self._episodes.seen, {"first": np.array(firsts)}

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        self._episodes.renew()
        rewards, over, allowed = self._episodes.step(np.asarray(actions))
        for i in np.flatnonzero(self._over):  # over before this step, which begins the next episode
            self._episodes.reset(int(i), self._generators[i])
            over[i] = False
        self._over = over
        return self._episodes.seen, rewards, over.copy(), np.zeros(self.num_envs,
                                                                   bool), {"allowed": allowed}
