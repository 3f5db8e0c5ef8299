# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Replays as Gymnasium environments.

    import gymnasium, muster.envs
    env = gymnasium.make("muster/Replay-v0", trace=muster.traces.swf("KTH-SP2-1996-2.1-cln.swf.gz"))
    env = gymnasium.make("muster/Replay-v0", trace=muster.traces.philly(), action="node")
    # One call of the engine steps all 64:
    envs = gymnasium.make_vec("muster/Replay-v0", 64, trace=trace)

It needs gymnasium; importing this package registers the name there.
"""

import gymnasium

from .replay import ReplayEnv
from .vector import ReplayVectorEnv

if "muster/Replay-v0" not in gymnasium.registry:
    gymnasium.register(
        "muster/Replay-v0", entry_point="muster.envs:ReplayEnv", vector_entry_point="muster.envs:ReplayVectorEnv"
    )

__all__ = ["ReplayEnv", "ReplayVectorEnv"]
