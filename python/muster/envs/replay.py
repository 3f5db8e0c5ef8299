# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A pool of processors on which an agent says which job starts next.

An episode plays a stretch of `jobs` consecutive jobs of a trace on a pool, as muster.replay does: what ends and what is
submitted at an instant has happened before anything is decided at it. An agent that always takes the first job in
line, or waits while that does not fit, makes the starts of the policy fcfs, to the second.

Observation, a dict of arrays:
    jobs         a row for each of the `window` oldest waiting jobs: processors over those of the machine, log10 of the
                 estimate in seconds, log10 of (1 + seconds waited); zeros where there is none
    free         free processors over all
    action_mask  1 for what may be done
Action: a row of `jobs`, which starts; or `window`, which waits for the next submission or end. What the mask forbids
counts as waiting, and where nothing is left to wait for, as starting the oldest.
Reward: minus what the jobs' slowdowns grew by while they waited, over the number of jobs; the rewards of an episode add
up to minus the mean of wait / max(run, 10 s).
"""

import heapq
import math
from typing import Any

import gymnasium
import numpy as np

from ..errors import InvalidArgument
from ..traces import Trace

_BOUND = 10


class ReplayEnv(gymnasium.Env):
    """muster/Replay-v0. `options={"first": row}` of reset begins at that row instead of one drawn by the seed."""

    metadata = {"render_modes": []}

    def __init__(self, trace: Trace, jobs: int = 256, window: int = 16) -> None:
        if not trace.processors:
            raise InvalidArgument(f"{trace.name}: the environment needs a pool of processors (Trace.on(processors=))")
        table = trace._core.columns()
        fits = table["tasks"] <= trace.processors
        order = np.argsort(table["submit"], kind="stable")
        order = order[fits[order]]
        if not 0 < jobs <= len(order) or window < 1:
            raise InvalidArgument(f"{trace.name}: jobs must be 1 to {len(order)}, window above 0")
        known = np.where(table["estimate"] > 0, table["estimate"], table["run"])
        self.rows = order  # of the trace, by submission
        self._submit, self._run, self._size, self._estimate = (
            column[order].tolist() for column in (table["submit"], table["run"], table["tasks"], known)
        )
        self._processors, self._jobs, self._window = trace.processors, jobs, window
        self.action_space = gymnasium.spaces.Discrete(window + 1)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "jobs": gymnasium.spaces.Box(0.0, 20.0, (window, 3), np.float32),
                "free": gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32),
                "action_mask": gymnasium.spaces.MultiBinary(window + 1),
            }
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        last = len(self._submit) - self._jobs
        first = (options or {}).get("first")
        self._first = int(self.np_random.integers(0, last + 1)) if first is None else min(max(int(first), 0), last)
        self._next, self._end = self._first, self._first + self._jobs
        self._free, self._now = self._processors, self._submit[self._first]
        self._waiting: list[int] = []
        self._ends: list[tuple[int, int]] = []
        self.starts: dict[int, int] = {}  # by row of the trace
        self._arrive()
        return self._look(), {"first": self._first}

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if not self._waiting:
            raise gymnasium.error.ResetNeeded("the episode is over: all jobs have started")
        action, reward = int(action), 0.0
        allowed = bool(self._mask[action])
        if allowed and action < self._window:
            self._start(action)
        elif self._ends or self._next < self._end:
            reward = self._wait()
        else:
            self._start(0)
        # Where nobody waits there is nothing to decide.
        while not self._waiting and self._next < self._end:
            self._wait()
        return self._look(), reward, not self._waiting, False, {"allowed": allowed}

    def _start(self, place: int) -> None:
        job = self._waiting.pop(place)
        self._free -= self._size[job]
        heapq.heappush(self._ends, (self._now + self._run[job], job))
        self.starts[int(self.rows[job])] = self._now

    def _wait(self) -> float:
        times = [self._ends[0][0]] if self._ends else []
        if self._next < self._end:
            times.append(self._submit[self._next])
        before, self._now = self._now, min(times)
        growth = sum(1 / max(self._run[job], _BOUND) for job in self._waiting)
        while self._ends and self._ends[0][0] <= self._now:
            self._free += self._size[heapq.heappop(self._ends)[1]]
        self._arrive()
        return -(self._now - before) * growth / self._jobs

    def _arrive(self) -> None:
        while self._next < self._end and self._submit[self._next] <= self._now:
            self._waiting.append(self._next)
            self._next += 1

    def _look(self) -> dict[str, np.ndarray]:
        jobs = np.zeros((self._window, 3), np.float32)
        self._mask = np.zeros(self._window + 1, np.int8)
        for place, job in enumerate(self._waiting[: self._window]):
            jobs[place] = (
                self._size[job] / self._processors,
                math.log10(self._estimate[job]),
                math.log10(1 + self._now - self._submit[job]),
            )
            self._mask[place] = self._size[job] <= self._free
        self._mask[self._window] = bool(self._ends) or self._next < self._end
        free = np.array([self._free / self._processors], np.float32)
        return {"jobs": jobs, "free": free, "action_mask": self._mask.copy()}
