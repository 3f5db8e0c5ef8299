# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A machine on which an agent says which job starts next, or which node a task gets.

An episode plays a stretch of `jobs` consecutive jobs of a trace: what ends and what is submitted at
an instant has happened before anything is decided at it. While no job waits there is nothing to
decide, and time goes on.

action="job", on a pool of processors. An agent that always takes the first job in line, or waits
while that does not fit, makes the starts of the policy fcfs, to the second. Observation, a dict of
arrays:
    jobs         a row for each of the `window` oldest waiting jobs: processors over those of the
                 machine, log10 of the estimate in seconds, log10 of (1 + seconds waited); zeros
                 where there is none
    free         free processors over all
    action_mask  1 for what may be done
An action is a row of `jobs`, which starts; or `window`, which waits for the next submission or end.

action="node", on nodes. Jobs go in order of submission; the agent chooses the node of the next task
of the first one, and the job starts when its last task has its node. Observation:
    task         what a task of it requests, by resource, over what the largest node has; the part
                 of its tasks that has no node yet; log10 of the estimate; log10 of (1 + seconds
                 waited)
    nodes        a row a node: for each resource what is idle over what it has, and what it has over
                 the largest node's
    action_mask  1 for what may be done
An action is a row of `nodes`; or their number, which gives back the nodes that the job has so far
and waits.

What the mask forbids counts as waiting, and where nothing is left to wait for, as the first thing
allowed.
Reward: minus what the jobs' slowdowns grew by while they waited, over the number of jobs; the
rewards of an episode add up to minus the mean of wait / max(run, 10 s).
"""

from typing import Any

import gymnasium
import numpy as np

from ..traces import Trace
from .episodes import Episodes, first_of


class ReplayEnv(gymnasium.Env):
    """muster/Replay-v0. `options={"first": row}` of reset begins at that row instead of one drawn
    by the seed."""

    metadata = {"render_modes": []}

    def __init__(self,
                 trace: Trace,
                 jobs: int = 256,
                 window: int = 16,
                 action: str = "job") -> None:
        self._episodes = Episodes(trace, 1, jobs, window, action)
        self.rows = self._episodes.rows
        self.action_space = self._episodes.action_space
        self.observation_space = self._episodes.observation_space
        self._over = True

    def reset(
            self,
            *,
            seed: int | None = None,
            options: dict[str, Any] | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        self._episodes.renew()
        self._first = self._episodes.reset(0, self.np_random, first_of(options))
        self._over = False
        return self._look(), {"first": self._first}

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self._over:
            raise gymnasium.error.ResetNeeded("the episode is over: all jobs have started")
        self._episodes.renew()
        rewards, over, allowed = self._episodes.step(np.array([action]))
        self._over = bool(over[0])
        return self._look(), float(rewards[0]), self._over, False, {"allowed": bool(allowed[0])}

    @property
    def starts(self) -> dict[int, int]:
        """When jobs of this episode started, by row of the trace."""
        return self._episodes.starts(0, self._first)

    def _look(self) -> dict[str, np.ndarray]:
        return {name: column[0] for name, column in self._episodes.seen.items()}
