# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What a run was worth in a few numbers, and which differences between runs are more than chance.

A bootstrap over replicates that are *paired*: under each policy replicate r played the same jobs.
The bootstrap draws differences of two policies on one replicate, so differences between replicates
cancel out. A policy ties with a better one if the interval of that difference holds 0.

The numbers are those of the engine (include/muster/statistics.h), equal on every machine:

    low, high = statistics.interval(wait)                       # of the mean
    factor, low, high = statistics.ratio(wait, wait_of_fcfs)    # of two means, paired
    statistics.least_squares(wait, {"tasks": tasks}).coefficients["tasks"]
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InvalidArgument
from .replay import Replay

# The smallest value that at least so many of a hundred do not exceed; 0 of none.
percentile = _core.percentile

# By metric: how it is called, and whether more of it is better.
METRICS: dict[str, tuple[str, bool]] = {
    "wait_mean": ("mean wait [s]", False),
    "wait_p50": ("median wait [s]", False),
    "wait_p95": ("95 % wait [s]", False),
    "wait_p99": ("99 % wait [s]", False),
    "wait_longest": ("longest wait [s]", False),
    "bounded_slowdown_mean": ("mean bounded slowdown", False),
    "bounded_slowdown_p95": ("95 % bounded slowdown", False),
    "turnaround_mean": ("mean turnaround [s]", False),
    "utilisation": ("utilisation", True),
    "started": ("jobs started", True),
    "ended": ("jobs ended", True),
    "makespan": ("makespan [s]", False),
    "fairness": ("fairness among queues (Jain)", True),
    "evictions": ("tasks evicted", False),
    "lost": ("work lost [task s]", False),
    "goodput": ("goodput", True),
    "share_deviation": ("share deviation", False),
    "fragmentation": ("fragmentation", False),
}
# In which a policy must not be worse than another to dominate it.
SIX = ("wait_mean", "bounded_slowdown_mean", "goodput", "share_deviation", "fragmentation",
       "evictions")
_RESAMPLES = 2000
_SEED_BITS = 0xFFFFFFFFFFFFFFFF
_LEADING = ("processors", "nvidia.com/gpu", "cpu")


def leading_dimension(samples: dict[str, Any]) -> str | None:
    """What the machine is mainly for: processors, else GPUs where it has any, else cpu."""
    for name in _LEADING:
        if name in samples["capacity"] and samples["capacity"][name].max(initial=0) > 0:
            return name
    return next(iter(samples["capacity"]), None)


def measure(result: Replay, warmup: int = 0, slowdown_bound: int = 10) -> dict[str, float]:
    """The metrics above, over jobs submitted `warmup` seconds after the first one or later.

    A job that still waits at the end counts in wait_longest with what it has waited, and in no
    mean. Means, percentiles and parts of nothing are NaN: waits where no job started, and the rest
    where none ended.
    """
    jobs = result.columns
    run = result.trace._core.columns()["run"]
    submitted = jobs["submit"] >= 0
    first = int(jobs["submit"][submitted].min()) if submitted.any() else 0
    counted = submitted & (jobs["submit"] >= first + warmup)
    started, ended = counted & (jobs["start"] >= 0), counted & (jobs["end"] >= 0)
    wait = np.sort((jobs["start"] - jobs["submit"])[started])
    turnaround = (jobs["end"] - jobs["submit"])[ended]
    slowdown = np.sort(np.maximum(1.0, turnaround / np.maximum(run[ended], slowdown_bound)))
    times = [
        int(jobs[name][jobs[name] >= 0].max())
        for name in ("submit", "start", "end")
        if (jobs[name] >= 0).any()
    ]
    now = max(times, default=first)
    still = counted & (jobs["start"] < 0) & (jobs["outcome"] == _core.outcomes.index("waiting"))
    longest = int((now - jobs["submit"][still]).max()) if still.any() else 0
    mean = lambda values: math.fsum(values.tolist()) / len(values) if len(values) else math.nan
    part = lambda values, of: percentile(values, of) if len(values) else math.nan
    lost = int(jobs["lost"].sum()) if "lost" in jobs else 0
    return {
        "submitted": int(counted.sum()),
        "started": int(started.sum()),
        "ended": int(ended.sum()),
        "refused": int((counted & (jobs["outcome"] == _core.outcomes.index("refused"))).sum()),
        "wait_mean": mean(wait),
        "wait_p50": part(wait, 50),
        "wait_p95": part(wait, 95),
        "wait_p99": part(wait, 99),
        "wait_longest": float(max(longest, int(wait[-1]))) if len(wait) else math.nan,
        "bounded_slowdown_mean": mean(slowdown),
        "bounded_slowdown_p95": part(slowdown, 95),
        "turnaround_mean": mean(turnaround),
        "utilisation": _utilisation(result.samples, first + warmup,
                                    int(jobs["submit"].max(initial=first))),
        "makespan": int(jobs["end"][ended].max()) - first if ended.any() else math.nan,
        "fairness": _fairness(result, jobs, run, ended, slowdown_bound),
        "evictions": result.counts["evictions"],
        "lost": lost,
        "goodput": float(result.metrics["goodput"]) if ended.any() or lost else math.nan,
        "share_deviation": _share_deviation(result.samples),
        "fragmentation": _fragmentation(result.samples, first + warmup,
                                        int(jobs["submit"].max(initial=first))),
    }


def _utilisation(samples: dict[str, Any], since: int, until: int) -> float:
    """Mean of used over capacity of the leading dimension, over the samples while jobs were
    submitted."""
    dimension = leading_dimension(samples)
    if dimension is None:
        return 0.0
    capacity, used = samples["capacity"][dimension], samples["used"][dimension]
    there = (capacity > 0) & (samples["time"] >= since) & (samples["time"] <= until)
    if not there.any():
        return 0.0
    return float(math.fsum((used[there] / capacity[there]).tolist()) / there.sum())


def _share_deviation(samples: dict[str, Any]) -> float:
    """Mean of the samples' share_deviation; 1, the worst, where there is none: on pools of batch
    policies."""
    all_of = samples.get("share_deviation", np.zeros(0))
    known = all_of[all_of >= 0]
    return float(math.fsum(known.tolist()) / len(known)) if len(known) else 1.0


def _fragmentation(samples: dict[str, Any], since: int, until: int) -> float:
    """Mean fragmentation of the leading dimension, over the samples while jobs were submitted."""
    dimension = leading_dimension(samples)
    if dimension not in samples.get("fragmentation", {}):
        return 0.0
    there = (samples["time"] >= since) & (samples["time"] <= until)
    parts = samples["fragmentation"][dimension][there]
    return float(math.fsum(parts.tolist()) / len(parts)) if len(parts) else 0.0


def _fairness(result: Replay, jobs: Any, run: np.ndarray, ended: np.ndarray, bound: int) -> float:
    """Jain's index of the queues' mean bounded slowdowns: 1 where all are treated alike, 1/n where
    one bears all, NaN where no job ended."""
    queue = result.trace._core.columns()["queue"][ended]
    slowdown = np.maximum(1.0,
                          (jobs["end"] - jobs["submit"])[ended] / np.maximum(run[ended], bound))
    if not len(queue):
        return math.nan
    totals, counts = np.bincount(queue, weights=slowdown), np.bincount(queue)
    means = totals[counts > 0] / counts[counts > 0]
    return float(means.sum() ** 2 / (len(means) * (means**2).sum()))


def interval(values: npt.ArrayLike,
             level: float = 0.95,
             seed: int = 0,
             of: str = "mean") -> tuple[float, float]:
    """A percentile-bootstrap interval of the mean or the median of `values`; NaN of fewer than
    two."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return (math.nan, math.nan)
    bootstrap = {"mean": _core.bootstrap_mean, "median": _core.bootstrap_median}.get(of)
    if bootstrap is None:
        raise InvalidArgument(f'of: "{of}" is not known; there are mean, median')
    return bootstrap(values, level, _RESAMPLES, seed & _SEED_BITS)[1:]


def ratio(over: npt.ArrayLike,
          under: npt.ArrayLike,
          level: float = 0.95,
          seed: int = 0) -> tuple[float, float, float]:
    """The mean of `over` divided by that of `under`, and its percentile-bootstrap interval:
    estimate, low, high.

    Entry i of both is replicate i, drawn together. Every entry of `under` must be above 0.
    """
    return _core.bootstrap_ratio(over, under, level, _RESAMPLES, seed & _SEED_BITS)


@dataclass(frozen=True)
class Fit:
    """A least-squares fit. Each coefficient is (value, standard error, low, high)."""

    coefficients: dict[str, tuple[float, float, float, float]]
    r_squared: float
    deviation: float  # of the residuals
    freedom: int


def least_squares(
    y: npt.ArrayLike, x: Mapping[str, npt.ArrayLike], *, intercept: bool = True, level: float = 0.95
) -> Fit:
    """Fits y by a sum of the columns x, each times a coefficient; with an intercept, which is
    called "intercept"."""
    fit = _core.least_squares(y, list(x.values()), intercept, level)
    names = ["intercept", *x] if intercept else list(x)
    return Fit(dict(zip(names, fit.pop("coefficients"))), **fit)


def rank(values: dict[str, np.ndarray], more_is_better: bool, level: float,
         seed: int) -> list[dict[str, Any]]:
    """Policies from best to worst. `values`: by policy, the metric in each replicate, in the same
    order.

    Each is compared with the best one of its rank; it shares that rank (tie) where the interval of
    the paired difference holds 0, and else begins the next. One value each: no interval, and only
    equal ones tie. A policy without a value in some replicate (NaN) has no mean and no interval;
    all such policies share the last rank.
    """
    sign = -1.0 if more_is_better else 1.0
    means = {name: float(of.mean()) for name, of in values.items()}
    order = sorted(values, key=lambda name: (math.isnan(means[name]), sign * means[name]))
    table: list[dict[str, Any]] = []
    head = None
    for place, name in enumerate(order):
        row: dict[str, Any] = {"name": name, "mean": means[name]}
        row["low"], row["high"] = _interval_if_whole(values[name], level, seed)
        difference = values[name] - values[head] if head is not None else np.zeros(1)
        row["difference"] = float(difference.mean())
        row["difference_low"], row["difference_high"] = _interval_if_whole(difference, level, seed)
        if head is None:
            tie = False
        elif math.isnan(means[name]):
            tie = math.isnan(means[head])
        elif len(difference) < 2:
            tie = bool(difference[0] == 0)
        else:
            tie = row["difference_low"] <= 0 <= row["difference_high"]
        if tie:
            row["rank"] = table[-1]["rank"]
        else:
            row["rank"], head = place + 1, name
        row["tie"] = tie
        table.append(row)
    shared = {row["rank"] for row in table if row["tie"]}
    for row in table:
        row["tie"] = row["rank"] in shared
    return table


def _interval_if_whole(values: np.ndarray, level: float, seed: int) -> tuple[float, float]:
    """The interval of the mean, NaN where a value is missing."""
    return (math.nan, math.nan) if np.isnan(values).any() else interval(values, level, seed)
