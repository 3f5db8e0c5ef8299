# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Workload mixes: what a trace is like, as small tables, and traces made from them.

    mix = muster.traces.fit(muster.traces.philly())
    mix = muster.traces.named_mix("philly")               # the same without a trace
    mix.save("mine.json")
    trace = muster.traces.load_mix("mine.json").generate(jobs=20_000, nodes=64, load=0.9, seed=7)

A mix has kinds of nodes with counts, kinds of jobs with weights, queues and users with weights, and
distributions of run times, gaps between submissions and estimates; include/muster/mix.h defines
each. Equal arguments give equal traces.
"""

import json
import os
import pathlib
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from . import _core
from .errors import InvalidArgument, ResourceExhausted, expect
from .limits import DEFAULT, Limits, integer
from .notebook import bar, table, titled
from .traces import Trace, draws
from .whole_files import write_whole

_FORM = 1
# Kinds of jobs that a mix keeps, the most frequent ones; and how many jobs give a kind run times of
# its own.
_KINDS, _OWN_RUNS, _USERS = 500, 200, 1000
_ABSENT = np.iinfo(np.int64).min
_NONE = 0xFFFFFFFF


class Mix:
    """`tables`: a dict with the keys of TraceMix in mix.h."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        expect(tables, Mapping, "mix")
        _core.generate_trace(dict(tables), {"jobs": 0})  # says what is wrong with it
        self.tables = dict(tables)

    @property
    def name(self) -> str:
        return self.tables.get("name", "")

    def generate(self,
                 *,
                 jobs: int = 5000,
                 nodes: int = 0,
                 processors: int = 0,
                 seed: int = 0,
                 load: float = 0,
                 name: str | None = None) -> Trace:
        """Makes a trace of `jobs` jobs on `nodes` nodes (or `processors` processors of a pool); 0:
        as many as the mix has.

        `load` stretches the gaps so that jobs request that part of the scarcest resource while they
        are submitted.
        """
        options = {
            "jobs": jobs, "nodes": nodes, "processors": processors, "seed": seed, "load": load
        }
        core = _core.generate_trace(self.tables, options)
        return Trace._of(core, {}, name or f"a mix of {jobs} jobs like {self.name}")

    def save(self, path: str | os.PathLike[str]) -> None:
        text = json.dumps({"muster_mix": _FORM} | self.tables, indent=1)
        write_whole(path, text + "\n")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mix) and self.tables == other.tables

    def _repr_html_(self) -> str:
        kinds = self.tables["jobs"]
        weights = [kind.get("weight", 1) for kind in kinds]
        largest = sorted(zip(weights, kinds), key=lambda pair: -pair[0])[:10]
        rows = [(bar(weight / sum(weights)), str(kind.get("tasks", 1)),
                 escape(json.dumps(kind.get("shape", {}).get("request", {}))))
                for weight, kind in largest]
        head = f": {len(kinds)} kinds of jobs"
        return titled(self.name, head, table(("part of the jobs", "tasks", "request"), rows))

    def __repr__(self) -> str:
        return f"<muster.Mix {self.name}: {len(self.tables['jobs'])} kinds of jobs>"


def load_mix(path: str | os.PathLike[str]) -> Mix:
    """What Mix.save wrote."""
    try:
        tables = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except ValueError as failure:
        raise InvalidArgument(f"{path}: not a mix: {failure}") from None
    if not isinstance(tables, dict) or tables.pop("muster_mix", None) != _FORM:
        raise InvalidArgument(f"{path}: not a mix of form {_FORM}")
    return Mix(tables)


def named_mix(name: str) -> Mix:
    """"openb", "philly" or "hpc": tables of Muster's own, from published figures."""
    return Mix(_core.named_mix(expect(name, str, "named_mix")))


def mix_names() -> list[str]:
    return list(_core.mixes)


def _distribution(values: np.ndarray, least: int) -> list[int]:
    """The smallest values that at least so many ten thousandths do not exceed."""
    ordered = np.sort(np.maximum(values, least))
    places = [max(0, -(-len(ordered) * share // 10000) - 1) for share in _core.mix_shares]
    return [int(ordered[place]) for place in places]


def _kinds(columns: Mapping[str, Any], shapes: list[Any], pool: bool) -> list[dict[str, Any]]:
    keys = [columns["tasks"].astype(np.int64)]
    keys.append(
        columns["min_tasks"].astype(np.int64) if "min_tasks" in columns else np.zeros_like(keys[0]))
    keys.append(np.zeros_like(keys[0]) if pool or not shapes else columns["shape"].astype(np.int64))
    found, which, counts = np.unique(np.stack(keys),
                                     axis=1,
                                     return_inverse=True,
                                     return_counts=True)
    which = which.reshape(-1)
    kinds = []
    for kind in np.argsort(-counts, kind="stable")[:_KINDS]:
        tasks, min_tasks, shape = (int(key) for key in found[:, kind])
        made: dict[str, Any] = {"weight": int(counts[kind]), "tasks": tasks}
        if min_tasks:
            made["min_tasks"] = min_tasks
        if shapes and not pool:
            made["shape"] = shapes[shape]
        if counts[kind] >= _OWN_RUNS:
            made["run"] = _distribution(columns["run"][which == kind], 1)
        kinds.append(made)
    return kinds


def _nodes(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Alike but for their names and domains."""
    groups: dict[str, dict[str, Any]] = {}
    for node in nodes:
        rest = {key: value for key, value in node.items() if key not in ("name", "domain", "uid_rank", "created")}
        group = groups.setdefault(json.dumps(rest, sort_keys=True), {"node": rest, "count": 0})
        group["count"] += 1
    for number, group in enumerate(groups.values()):
        group["node"] = {"name": f"k{number}-"} | group["node"]
    return list(groups.values())


def fit(trace: Trace, name: str | None = None) -> Mix:
    """The mix that a trace is like: a pure function of it.

    Keeps the 500 most frequent kinds of jobs (number of tasks and their request). A kind with 200
    jobs or more has run times of its own, the others share the trace's. Keeps the 1,000 busiest
    users. Drops deadlines, priorities, preceding jobs and domains.
    """
    if not len(expect(trace, Trace, "fit")):
        raise InvalidArgument(f"fit: {trace.name} has no jobs")
    state = trace._core.state()
    columns = state["columns"]
    times = np.sort(columns["submit"])
    gaps = np.diff(times) if len(times) > 1 else np.zeros(1, dtype=np.int64)
    tables: dict[str, Any] = {"name": name or trace.name}
    if state["processors"]:
        tables["processors"] = state["processors"]
    else:
        tables["nodes"] = _nodes(state["nodes"])
    tables["jobs"] = _kinds(columns, state["shapes"], bool(state["processors"]))
    if state["queues"]:
        counts = np.bincount(columns["queue"], minlength=len(state["queues"])).tolist()
        tables["queues"] = [
            {"queue": queue, "jobs": count} for queue, count in zip(state["queues"], counts)
        ]
    known = columns["user"][columns["user"] != _NONE]
    if len(known):
        tables["users"] = sorted(np.bincount(known).tolist(), reverse=True)[:_USERS]
    tables["run"] = _distribution(columns["run"], 1)
    tables["gaps"] = _distribution(gaps, 0)
    if times[-1] - times[0] >= 86400:
        hours = np.bincount(((times - times[0]) % 86400) // 3600, minlength=24)
        tables["hours"] = hours.tolist()
    estimates = columns["estimate"]
    if (estimates != _ABSENT).all():
        tables["estimate"] = _distribution(-(-estimates * 100 // columns["run"]), 0)
    return Mix(tables)


_MOST_LOAD = 1000
# Of gangs in a mix: GPUs and how many jobs in a thousand request them; run times in seconds at
# tenths of the jobs.
_GANGS = ((1, 700), (2, 80), (4, 90), (8, 80), (16, 35), (32, 15))
_RUNS = (20, 60, 120, 300, 600, 1200, 2700, 7200, 21600, 86400, 259200)


def mix(jobs: int = 5000, nodes: int = 64, seed: int = 0, load: float = 1.1, *,
        limits: Limits = DEFAULT) -> Trace:
    """Gangs of GPUs like those of shared training clusters, for where no recorded trace is at hand.

    Nodes of 8 GPUs; four queues of weights 4 to 1 that submit alike; most jobs are small and short,
    and few hold most of the GPU time. Submissions are spread so that the GPUs asked for are `load`
    times what there is.
    """
    jobs, nodes, seed = (integer(jobs, "mix: jobs"), integer(nodes, "mix: nodes"),
                         integer(seed, "mix: seed"))
    if jobs < 0 or nodes < 1:
        raise InvalidArgument(f"mix: {jobs} jobs on {nodes} nodes; must be 0 or more on 1 or more")
    most = expect(limits, Limits, "limits").rows
    if jobs + nodes > most:
        raise ResourceExhausted(f"mix: {jobs + nodes} rows in all; at most {most}")
    expect(load, float | int, "mix: load")
    if isinstance(load, bool) or not 0 < load <= _MOST_LOAD:
        raise InvalidArgument(f"mix: load is {load}; must be above 0 and at most {_MOST_LOAD}")
    draw = [draws(seed * 16 + i, jobs) for i in range(5)]
    thousand = (draw[0] % np.uint64(1000)).astype(np.int64)
    gpus = np.array([size for size, _ in _GANGS])[np.searchsorted(np.cumsum([n for _, n in _GANGS]),
                                                                  thousand,
                                                                  side="right")]
    tenth, within = (draw[1] % np.uint64(10)).astype(np.int64), (draw[2] % np.uint64(1000)).astype(
        np.int64)
    steps = np.array(_RUNS)
    run = steps[tenth] + (steps[tenth + 1] - steps[tenth]) * within // 1000
    length = int((gpus * run).sum() / (8 * nodes * load)) + 1
    each = np.minimum(gpus, 8)
    table = {
        "submit": np.sort((draw[3] % np.uint64(length)).astype(np.int64)),
        "run": run,
        "tasks": gpus // each,
        "shape": np.log2(each).astype(np.int64),
        "queue": (draw[4] % np.uint64(4)).astype(np.int64),
    }
    return Trace(
        table,
        nodes=[{"name": f"n{i}", "capacity": {"nvidia.com/gpu": 8}} for i in range(nodes)],
        shapes=[{"request": {"nvidia.com/gpu": 2**i}} for i in range(4)],
        queues=[{"name": f"q{i}", "weight": 4 - i} for i in range(4)],
        name=f"a mix of {jobs} gangs",
    )
