# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A trace, played again under a policy or profile.

    result = muster.replay(muster.traces.philly(), "volcano")
    result.jobs["start"] - result.jobs["submit"]           # every job's wait
    result.metrics["all"]["wait"]["p95"]
"""

import hashlib
import sys
import time
from collections.abc import Sequence
from functools import cached_property
from html import escape
from typing import Any, Literal, TextIO, TypedDict, Unpack

import numpy as np

from . import _core
from .action import Action, adapted_for
from .bounds import TraceBound
from .errors import InvalidArgument, expect
from .frames import absent, frame
from .notebook import table as html_table
from .policy import Policy
from .traces import Trace


class StudyOptions(TypedDict, total=False):
    """The options of muster.replay that muster.compare hands on."""

    cycles: Literal["instant", "event", "periodic", "rounds"]
    period: int
    latency: int
    eviction_seconds: int
    learnt_quantile: float
    checkpoint_interval: int
    evicted_jobs_checkpoint: bool
    restart_seconds: int
    migration_seconds: int
    node_events: Sequence[tuple[int, str, str]]
    node_seconds_between: float
    node_repair_seconds: float
    domain_seconds_between: float
    domain_repair_seconds: float
    until: int
    series_interval: int
    follow_preceding: bool
    record_placements: bool
    measure_decisions: bool


class ReplayOptions(StudyOptions, total=False):
    """The options of muster.replay. `seed` is of random failures."""

    seed: int


def replay(
    trace: Trace,
    profile: str,
    *,
    policies: Sequence[Policy | Action] = (),
    progress: bool | TextIO = False,
    **options: Unpack[ReplayOptions],
) -> "Replay":
    """Plays `trace` under a batch policy ("easy:order=sjf", on pools) or any profile of
    muster.profiles().

    `policies` are your own, as for muster.schedule; batch policies take none. They are asked in
    every cycle, and an exception of theirs ends the replay.

    `progress` writes how far it is to a stream (True: standard error): one line on a terminal, a
    line every ten seconds elsewhere.

    The options are those of ReplayOptions in replay.h:

    cycles                 "instant" (after all events of an instant), "event", "periodic" (each
                           `period` seconds) or "rounds" (both "instant" and each `period` seconds);
                           "periodic" where `period` is given alone. Under batch policies, too:
                           without it they decide at each event
    latency                seconds from a cycle's snapshot to its decisions
    learnt_quantile        profiles read bounds on run times that this part of the jobs keeps,
                           learnt from those that ended, in place of estimates
    eviction_seconds       from a decision to evict until the node is free
    checkpoint_interval, evicted_jobs_checkpoint, restart_seconds, migration_seconds
                           what a job loses when it is stopped
    node_events            a list of (time, "join" | "drain" | "fail" | "return", node or domain)
    node_seconds_between, node_repair_seconds, domain_seconds_between, domain_repair_seconds, seed
                           random failures
    until                  events after that are not played
    series_interval        seconds between samples of the series; 0: 512 samples; below 0: none
    follow_preceding       submit jobs when those before them ended and the think time has passed
    record_placements      where each task ran: `placements`
    measure_decisions      how long each cycle took: metrics["decision_time"]

    The GIL is released meanwhile. Ctrl-C ends the replay with what it has: `complete` is False.
    """
    expect(trace, Trace, "replay")
    expect(profile, str, "profile")
    given: dict[str, Any] = dict(options)
    if "period" in given:
        given.setdefault("cycles", "periodic")
    if given.get("cycles") in ("instant", "event") and "period" in given:
        raise InvalidArgument(
            f'replay: period: cycles "{given["cycles"]}" has none; "periodic" and "rounds" have'
        )
    out = stream(progress)
    if out is not None:
        given["progress"] = _Line(trace, out)
    adapted = adapted_for(policies, profile)
    return Replay(_core.replay(trace._core, profile, given, adapted), trace)


def stream(progress: Any) -> TextIO | None:
    """Where progress is written; None: nowhere."""
    if progress is None or isinstance(progress, (bool, np.bool_)):
        return sys.stderr if progress else None
    if not hasattr(progress, "write") or not hasattr(progress, "isatty"):
        raise InvalidArgument(
            f"progress: expected True, False or a stream, got {type(progress).__name__}")
    out: TextIO = progress
    return out


class _Line:
    """How far a replay is, by the time of submissions."""

    def __init__(self, trace: Trace, out: TextIO) -> None:
        submit = trace._core.columns()["submit"]
        self._first = int(submit.min()) if len(submit) else 0
        self._span = max(int(submit.max()) - self._first, 1) if len(submit) else 1
        self._out, self._terminal = out, out.isatty()
        self._begin = self._told = time.monotonic()

    def __call__(self, now: int) -> None:
        clock = time.monotonic()
        if clock - self._told < (0.2 if self._terminal else 10):
            return
        self._told = clock
        part = min(max(now - self._first, 0) * 100 // self._span, 100)
        text = f"muster: {part} % of the trace's time, {clock - self._begin:.0f} s"
        self._out.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
        self._out.flush()


class _Kept:
    """What the engine's replay answers, as plain values: a replay in another process."""

    _VALUES = ("policy", "complete", "clairvoyant", "processors")
    _TABLES = ("jobs", "counts", "metrics", "series", "placements")

    def __init__(self, values: dict[str, Any], tables: dict[str, Any]) -> None:
        vars(self).update(values)
        for name, table in tables.items():
            setattr(self, name, lambda table=table: table)

    @classmethod
    def of(cls, core: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return ({name: getattr(core, name) for name in cls._VALUES},
                {name: getattr(core, name)() for name in cls._TABLES})


def _unpickled(values: dict[str, Any], tables: dict[str, Any], trace: Trace) -> "Replay":
    return Replay(_Kept(values, tables), trace)


class Replay:
    """What came out: a row for each job of the trace, samples over time, and metrics."""

    def __init__(self, core: "_core.Replay | _Kept", trace: Trace) -> None:
        self._core: Any = core
        self.trace = trace

    def __reduce__(self) -> Any:
        return _unpickled, (*_Kept.of(self._core), self.trace)

    def __copy__(self) -> "Replay":  # it never changes
        return self

    def __deepcopy__(self, memory: Any) -> "Replay":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replay) and (self.policy, self.digest, self.trace.digest) == (
            other.policy, other.digest, other.trace.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def policy(self) -> str:
        """As it was understood."""
        return str(self._core.policy)

    @property
    def complete(self) -> bool:
        """False: it was stopped, and all here is partial."""
        return bool(self._core.complete)

    @property
    def clairvoyant(self) -> bool:
        """True: the policy read run times of jobs that had not ended, by its options or because the
        trace lacks an estimate. Compare it with its like."""
        return bool(self._core.clairvoyant)

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """submit, start, end (below 0: it did not happen), outcome, as arrays."""
        return self._core.jobs()

    @cached_property
    def jobs(self) -> Any:
        """id, submit, start, end, wait, outcome and more, one row a job; times that did not come
        are absent (NA; masked without pandas)."""
        table = dict(self.columns)
        times = {name: table[name] for name in ("submit", "start", "end")}
        times["wait"] = table["start"] - table["submit"]
        came = {name: table["start" if name == "wait" else name] >= 0 for name in times}
        words = np.array(_core.outcomes, dtype=object)
        rest = {k: v for k, v in table.items() if k not in ("submit", "start", "end", "outcome")}
        return frame(
            {"id": self.trace._core.columns()["id"]}
            | {name: absent(values, ~came[name]) for name, values in times.items()}
            | {"outcome": words[table["outcome"]]}
            | rest
        )

    @cached_property
    def counts(self) -> dict[str, int]:
        """events, passes (cycles), decisions, work, evictions, node_failures."""
        return self._core.counts()

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """As docs/replay.md defines them: submitted, started, ...; all, by_size, by_queue,
        by_user. Means and percentiles of nothing are NaN."""
        return self._core.metrics()

    def bound(
        self, *, slowdown_bound: int = 10, rounds: int = 300, steps: int = 16384
    ) -> TraceBound:
        """Means over the jobs that ended that no schedule of the trace undercuts. More `rounds` and
        finer `steps` of time cost more and come nearer. It is about schedules in which each job
        begins anew after it was stopped, and submissions are those of the trace."""
        rows = np.flatnonzero(self.columns["end"] >= 0).tolist()
        return self.trace.bound(
            slowdown_bound=slowdown_bound, rounds=rounds, steps=steps, rows=rows
        )

    @cached_property
    def samples(self) -> dict[str, Any]:
        """The series as arrays: time, running, waiting; used, capacity, fragmentation by dimension;
        queue_share, queue_deserved by queue; waiting_by_reason; share_deviation, the largest
        difference between the two (on pools of batch policies, which have no queues, -1)."""
        samples = self._core.series()
        if self._core.processors and not len(samples["time"]):
            return self._pool_samples()
        share, deserved = (
            list(samples[name].values()) for name in ("queue_share", "queue_deserved"))
        away = [np.abs(s - d) for s, d in zip(share, deserved)]
        return samples | {"share_deviation": np.max(away, axis=0) if away else np.full(len(samples["time"]), -1.0)}

    @cached_property
    def stays(self) -> dict[str, np.ndarray]:
        """What `placements` says, as arrays of row numbers: job, task, node (of trace.nodes; a pool
        is 0), from, to."""
        return self._core.placements()

    @cached_property
    def placements(self) -> Any:
        """Where each task ran, in the order in which stays began: job (its id), task (its place in
        the job), node (its name), from, to (absent: it ran when the replay ended). Empty without
        record_placements=True."""
        stays = self.stays
        names = [node["name"] for node in self.trace._core.state()["nodes"]] or ["pool"]
        return frame(
            {
                "job": self.trace._core.columns()["id"][stays["job"]],
                "task": stays["task"],
                "node": np.array(names, dtype=object)[stays["node"]],
                "from": stays["from"],
                "to": absent(stays["to"], stays["to"] < 0),
            }
        )

    @cached_property
    def pending(self) -> Any:
        """How many jobs wait for what, over time: a column `time`, and one a reason, as
        docs/replay.md lists them."""
        samples = self.samples
        reasons = samples.get("waiting_by_reason")
        if reasons is None:
            reasons = self._pool_reasons()
        return frame({"time": samples["time"], **reasons})

    def _pool_reasons(self) -> dict[str, np.ndarray]:
        """On pools of batch policies: jobs larger than what is free lack processors, the others
        wait for their turn."""
        samples, jobs = self.samples, self.columns
        tasks = self.trace._core.columns()["tasks"].astype(np.int64)
        counted = np.flatnonzero((jobs["submit"] >= 0) & (jobs["outcome"] != _core.outcomes.index("refused")))
        counted = counted[np.argsort(jobs["submit"][counted], kind="stable")]
        came, began, size = jobs["submit"][counted], jobs["start"][counted].copy(), tasks[counted]
        began[began < 0] = np.iinfo(np.int64).max
        free = samples["capacity"]["processors"] - samples["used"]["processors"]
        short = np.zeros(len(free), np.int64)
        for k, (time, there) in enumerate(
                zip(samples["time"], np.searchsorted(came, samples["time"], side="right"))):
            short[k] = np.count_nonzero((began[:there] > time) & (size[:there] > free[k]))
        return {
            "no_node: insufficient processors": short, "not_reached": samples["waiting"] - short
        }

    def _pool_samples(self, count: int = 512) -> dict[str, Any]:
        """Batch policies on pools take no samples; when jobs came, began and ended says it all."""
        jobs, tasks = self.columns, self.trace._core.columns()["tasks"].astype(np.int64)
        came, began, left = (jobs[name] >= 0 for name in ("submit", "start", "end"))
        first = int(jobs["submit"].min(where=came, initial=2**53))
        last = max(int(jobs[name].max(initial=0)) for name in ("submit", "start", "end"))
        if first > last:
            first = last
        step = max(1, -(-(last - first) // count))
        time = np.arange(first, last + step, step)

        def until(name: str, there: np.ndarray, weights: np.ndarray) -> np.ndarray:
            order = np.argsort(jobs[name][there], kind="stable")
            sums = np.concatenate(([0], np.cumsum(weights[there][order])))
            return sums[np.searchsorted(jobs[name][there][order], time, side="right")]

        one = np.ones_like(tasks)
        refused = jobs["outcome"] == _core.outcomes.index("refused")
        begun = until("start", began, one)
        return {
            "time": time,
            "running": begun - until("end", left, one),
            "waiting": until("submit", came & ~refused, one) - begun,
            "used": {"processors": until("start", began, tasks) - until("end", left, tasks)},
            "capacity": {"processors": np.full(len(time), self._core.processors)},
            "fragmentation": {},
            "queue_share": {},
            "queue_deserved": {},
        }

    @cached_property
    def series(self) -> Any:
        """The same as one table, with columns such as used.cpu and queue_share.vision; without
        queues, share_deviation is NaN."""
        table: dict[str, np.ndarray] = {}
        samples = dict(self.samples)
        if "share_deviation" in samples:
            away = samples["share_deviation"]
            samples["share_deviation"] = np.where(away < 0, np.nan, away)
        for name, column in samples.items():
            if isinstance(column, dict):
                table |= {f"{name}.{key}": values for key, values in column.items()}
            else:
                table[name] = column
        return frame(table)

    @cached_property
    def shares(self) -> Any:
        """What queues hold against what they deserve, over time: time, queue, share, deserved, both
        as the largest fraction of any dimension of the machine, and above = share - deserved. Pools
        of batch policies have no queues, and so no rows."""
        samples = self.samples
        time = samples["time"]
        queues = [q for q, share in samples["queue_share"].items() if len(share) == len(time)]
        share = np.concatenate([samples["queue_share"][q] for q in queues] or [np.zeros(0)])
        deserved = np.concatenate([samples["queue_deserved"][q] for q in queues] or [np.zeros(0)])
        return frame(
            {
                "time": np.tile(time, len(queues)),
                "queue": np.repeat(np.array(queues, dtype=object), len(time)),
                "share": share,
                "deserved": deserved,
                "above": share - deserved,
            }
        )

    @cached_property
    def digest(self) -> str:
        """64 hex digits of when each job started and ended and what became of it."""
        digest = hashlib.sha256(b"complete" if self.complete else b"partial")
        for name in ("start", "end", "outcome"):
            digest.update(np.ascontiguousarray(self.columns[name], dtype="<i8").tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        m = self.metrics
        partial = "" if self.complete else ", partial"
        wait = f"mean wait {m['all']['wait']['mean']:.0f} s" if m["started"] else "none started"
        return (
            f"<muster.Replay {self.trace.name}, {self.policy}: {m['ended']} of {m['submitted']} jobs ended, "
            f"{wait}{partial}>"
        )

    def _repr_html_(self) -> str:
        m = self.metrics
        partial = "" if self.complete else ", stopped before the end"
        head = (
            f"<b>{escape(self.trace.name)}</b> under <b>{escape(self.policy)}</b>: {m['ended']} of "
            f"{m['submitted']} jobs ended, {m['started'] - m['ended']} run, {m['refused']} refused{partial}"
        )
        names, columns = ("wait", "turnaround", "bounded_slowdown"), ("mean", "p50", "p95", "max")
        rows = [
            (name.replace("_", " "), *(f"{m['all'][name][of]:.5g}" for of in columns))
            for name in names
        ]
        seconds = html_table(("seconds", *columns), rows)
        return f"<div>{head}{seconds}</div>"
