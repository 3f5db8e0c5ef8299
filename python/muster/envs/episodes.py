# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What one environment and many at once share: the engine's episodes, their spaces and their
arrays."""

from typing import Any

import gymnasium
import numpy as np

from .. import _core
from ..errors import InvalidArgument, expect
from ..traces import Trace

ACTIONS = ("job", "node")


class Episodes:
    """`count` episodes of one trace, and the arrays that a look at all of them fills."""

    def __init__(self, trace: Trace, count: int, jobs: int, window: int, action: str) -> None:
        if action not in ACTIONS:
            raise InvalidArgument(f'action "{action}" is not known; there are {", ".join(ACTIONS)}')
        of = expect(trace, Trace, "trace")._core
        self.core = _core.Episodes(of, count, action == "node", jobs, window)
        self.rows = self.core.rows  # of the trace, by submission
        self.count, self.jobs = count, jobs
        self._shown, self._machine, self._actions = self.core.shape
        self._node = action == "node"
        self.renew()

    @property
    def observation_space(self) -> gymnasium.spaces.Dict:
        box = lambda shape: gymnasium.spaces.Box(0.0, 20.0, shape, np.float32)
        if self._node:
            described = {"task": box((self._shown[1],)), "nodes": box(self._machine)}
        else:
            described = {
                "jobs": box(self._shown), "free": gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32)
            }
        return gymnasium.spaces.Dict(described |
                                     {"action_mask": gymnasium.spaces.MultiBinary(self._actions)})

    @property
    def action_space(self) -> gymnasium.spaces.Discrete:
        return gymnasium.spaces.Discrete(self._actions)

    def renew(self) -> None:
        """Arrays of its own for what comes next, so that what was given away stays as it is. Each
        row is filled by a step, or by a reset where the episode is over."""
        make = lambda shape, kind: np.empty((self.count, *shape), kind)
        self._seen = {
            "jobs": make(self._shown, np.float32),
            "machine": make(self._machine, np.float32),
            "mask": make((self._actions,), np.int8),
        }

    @property
    def seen(self) -> dict[str, np.ndarray]:
        """Observations, a row an episode."""
        jobs, machine, mask = self._seen.values()
        if self._node:
            return {"task": jobs[:, 0], "nodes": machine, "action_mask": mask}
        return {"jobs": jobs, "free": machine[:, 0], "action_mask": mask}

    def reset(self, episode: int, generator: np.random.Generator, first: int | None = None) -> int:
        """Begins at `first`, or at a row drawn; which one."""
        last = len(self.rows) - self.jobs
        first = (
            int(generator.integers(0, last + 1))
            if first is None else min(max(int(first), 0), last))
        self.core.reset(episode, first, *self._seen.values())
        return first

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rewards, which episodes are over, which actions were allowed."""
        if actions.dtype.kind not in "iu":
            raise InvalidArgument(f"action: expected integers, got an array of {actions.dtype}")
        rewards, over, allowed = (
            np.zeros(self.count), np.ones(self.count, bool), np.zeros(self.count, bool))
        try:
            self.core.step(actions.astype(np.int64), *self._seen.values(), rewards, over, allowed)
        except ValueError as failure:
            raise self._refusal(actions) or failure from None
        return rewards, over, allowed

    def _refusal(self, actions: np.ndarray) -> InvalidArgument | None:
        last = self._actions - 1
        for i, action in enumerate(actions.flat):
            if not 0 <= action <= last:
                place = f"actions[{i}]" if self.count > 1 else "action"
                return InvalidArgument(
                    f"{place}: {action} is out of range; must be 0 to {last}, and {last} waits")
        return None

    def starts(self, episode: int, first: int) -> dict[int, int]:
        """When jobs started, by row of the trace."""
        began = self.core.starts(episode)
        return {int(self.rows[first + i]): int(t) for i, t in enumerate(began) if t >= 0}


def first_of(options: dict[str, Any] | None) -> int | None:
    return (options or {}).get("first")
