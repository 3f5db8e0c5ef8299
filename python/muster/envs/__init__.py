# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Replays as a Gymnasium environment.

    import gymnasium, muster.envs
    env = gymnasium.make("muster/Replay-v0", trace=muster.traces.swf("KTH-SP2-1996-2.1-cln.swf.gz"))

Needs gymnasium; importing this package makes the name known to it.
"""

import gymnasium

from .replay import ReplayEnv

if "muster/Replay-v0" not in gymnasium.registry:
    gymnasium.register("muster/Replay-v0", entry_point="muster.envs:ReplayEnv")

__all__ = ["ReplayEnv"]
