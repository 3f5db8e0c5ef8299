# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""When jobs that wait will start and end, from simulated futures (docs/forecast.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from . import _core
from .action import Action, adapted_for
from .cluster import Cluster
from .errors import InvalidArgument, expect
from .fields import suggestion
from .frames import Values, absent, frame
from .limits import thread_count
from .notebook import columns, titled
from .policy import Policy
from .snapshot import chosen
from .traces import Trace


_TIMES = ("start_low", "start", "start_high", "end_low", "end", "end_high", "promised", "started",
          "ended")


class ForecastOptions(TypedDict, total=False):
    """The options of muster.forecast; those of ForecastOptions in forecast.h."""

    now: int
    futures: int
    seed: int
    percent: int
    arrivals: bool
    work_budget: int
    scales: tuple[int, int, int, int]
    every: int


@dataclass(frozen=True, eq=False)
class Forecast(Values):
    """The jobs of a cluster that wait: a table with a row a job (job, start_low, start, start_high,
    end_low, end, end_high, futures). `futures` is the number of those in which the job started.
    Times are seconds; one that too few futures reached is absent (NA; masked without pandas)."""

    jobs: Any
    events: int
    complete: bool
    digest: str

    def _repr_html_(self) -> str:
        return titled("Forecast", columns(self.jobs))


@dataclass(frozen=True, eq=False)
class TraceForecast(Values):
    """Forecasts of the jobs of a trace, each at its submission, beside what became of them: a table
    with a row a forecast (job, made, start_low, start, start_high, end_low, end, end_high,
    promised, started, ended), and how good they were: `quality`."""

    jobs: Any
    quality: dict[str, float]
    policy: str
    scales: tuple[int, int, int, int]
    events: int
    waited: int
    digest: str

    def _repr_html_(self) -> str:
        rows = {"figure": list(self.quality), "value": list(self.quality.values())}
        return titled("Forecasts", columns(rows))


@overload
def forecast(
    world: Cluster,
    profile: str | None = None,
    history: Trace | None = None,
    *,
    policies: Sequence[Policy | Action] = (),
    threads: int = 1,
    **options: Unpack[ForecastOptions],
) -> Forecast: ...
@overload
def forecast(
    world: Trace,
    profile: str | None = None,
    history: None = None,
    *,
    policies: Sequence[Policy | Action] = (),
    **options: Unpack[ForecastOptions],
) -> TraceForecast: ...
def forecast(
    world: Cluster | Trace,
    profile: str | None = None,
    history: Trace | None = None,
    *,
    policies: Sequence[Policy | Action] = (),
    threads: int = 1,
    **options: Unpack[ForecastOptions],
) -> Forecast | TraceForecast:
    """Forecasts when the jobs that wait in a cluster will start and end, or how well that is
    foretold of the jobs of a trace.

    >>> muster.forecast(cluster, "easy", past, now=now).jobs
    >>> muster.forecast(trace, "easy").quality["start_held"]

    `history` is a trace of jobs that ended, from which run times and submissions are learnt. A
    trace is forecast from itself, and only from what had happened.

    futures       how many futures are simulated for a forecast (32)
    seed          of run times and submissions
    percent       of the jobs that intervals should hold (90)
    arrivals      False: nothing is submitted in a future
    work_budget   events that the futures of a forecast may have (10,000,000). On nodes a job that
                  the profile never starts costs them all, hours of cycles: set fewer there
    scales        of intervals at the beginning: `scales` of a TraceForecast
    now           of a cluster: seconds, on the clock of its jobs and of the history
    every         of a trace: every n-th job that waits is forecast
    threads       of a cluster: up to so many futures are played at once (1 to 256). Forecasts are
                  equal for every number; with `policies` they stay on the thread of the call

    `policies` are your own, as for Cluster.schedule: they are asked in every cycle of every future.
    Batch policies on a pool ask none.
    """
    given = dict(options)
    for name in given:
        if name not in ForecastOptions.__annotations__:
            known = [*ForecastOptions.__annotations__, "policies", "threads"]
            raise InvalidArgument(f'forecast: unknown field "{name}"{suggestion(name, known)}')
    threads = thread_count(threads, "forecast: threads")
    if isinstance(world, Trace):
        if threads != 1:
            raise InvalidArgument("forecast: threads: a trace is forecast on one thread")
        if history is not None:
            raise InvalidArgument("forecast: history: a trace is forecast from itself")
        policy = chosen(profile, {"profile": "easy"})
        own = adapted_for(policies, policy)
        told = _core.forecast_trace(world._core, policy, given, own)
        told["jobs"] = _jobs(told["jobs"])
        return TraceForecast(**told)
    expect(world, Cluster | Trace, "forecast")
    past = None if history is None else expect(history, Trace, "forecast: history")._core
    if "now" not in given:
        given["now"] = world._defaults.get("now", 0)
    profile = chosen(profile, world._defaults)
    own = adapted_for(policies, profile)
    told = world._core.forecast(profile, past, given, own, threads)
    told["jobs"] = _jobs(told["jobs"])
    return Forecast(**told)


def _jobs(columns: dict[str, np.ndarray]) -> Any:
    """As a table; times that the engine has as absent are absent in it."""
    never = np.iinfo(np.int64).min
    return frame({
        name: absent(column, column == never) if name in _TIMES else column
        for name, column in columns.items()
    })
