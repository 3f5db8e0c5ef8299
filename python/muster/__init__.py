# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Muster decides which task runs where.

    >>> import muster
    >>> cluster = muster.Cluster()
    >>> cluster.add_nodes(2, cpu=8, memory="32Gi", gpu=4)
    >>> cluster.add_job("train", count=16, min_available=16, cpu=1, gpu=1)
    >>> plan = cluster.schedule("volcano")
    >>> print(plan.explain("train"))
    train: pending, 8 of 16 placed, undone
      16 tasks: 2 nodes: nvidia.com/gpu

Nodes, queues, jobs and tasks go in. A plan comes out - binds, evictions, nominations, admissions -
with a reason for everything that stays pending. A plan is a pure function of the cluster, the
profile, the options and the seed. docs/python.md is the tour.

Reading dumps (`muster.interop.read_objects`) and fetching traces need nothing but Python. All else
needs the extension module.
"""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from .errors import (
    AlreadyExists,
    Cancelled,
    DeadlineExceeded,
    Error,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PolicyError,
    ResourceExhausted,
)

HAVE_ENGINE = _find_spec(__name__ + "._core") is not None

if TYPE_CHECKING or HAVE_ENGINE:
    from . import packing, rows, traces
    from ._core import version as __version__
    from .action import Action
    from .advice import (
        Diagnosis,
        Drained,
        NodesNeeded,
        Rehearsal,
        diagnose,
        drain,
        need_nodes,
        rehearse,
    )
    from .bounds import Best, Bound, PlanGap, TraceBound, best, bound
    from .cluster import Cluster
    from .forecast import Forecast, TraceForecast, forecast
    from .frames import to_arrow, to_polars
    from .plan import Plan
    from .policy import Policy
    from .replay import Replay, replay
    from .reports import ApplyReport, Assumption, Drift, Measured
    from .schedule import policies, profiles, schedule, what_if
    from .snapshot import Snapshot
    from .study import Study, compare, reproduce, sweep
    from .traces import Trace
else:

    def __getattr__(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(
            f"muster.{name} needs the extension module muster._core, which is not built: "
            "pip install . (or cmake -DMUSTER_BUILD_PYTHON=ON, and PYTHONPATH=build/release/python)"
        )


__all__ = [
    "Action",
    "AlreadyExists",
    "ApplyReport",
    "Assumption",
    "Best",
    "Bound",
    "Cancelled",
    "Cluster",
    "DeadlineExceeded",
    "Diagnosis",
    "Drained",
    "Drift",
    "Error",
    "FailedPrecondition",
    "Forecast",
    "InvalidArgument",
    "Measured",
    "NodesNeeded",
    "NotFound",
    "OutOfRange",
    "Plan",
    "PlanGap",
    "Policy",
    "PolicyError",
    "Rehearsal",
    "Replay",
    "ResourceExhausted",
    "Snapshot",
    "Study",
    "Trace",
    "TraceBound",
    "TraceForecast",
    "best",
    "bound",
    "compare",
    "diagnose",
    "drain",
    "forecast",
    "need_nodes",
    "packing",
    "policies",
    "profiles",
    "rehearse",
    "replay",
    "reproduce",
    "rows",
    "schedule",
    "sweep",
    "to_arrow",
    "to_polars",
    "traces",
    "what_if",
]
