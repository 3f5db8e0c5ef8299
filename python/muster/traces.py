# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Traces: jobs with the times they were submitted and ran, and the machine they ran on.

    trace = muster.traces.swf("KTH-SP2-1996-2.1-cln.swf.gz")
    trace = muster.traces.philly()                      # from MUSTER_TRACES or ../shared/traces
    trace = muster.Trace({"submit": [0, 5], "run": [60, 60], "tasks": [4, 2]}, processors=4)

A trace is never changed; what looks like a change (`head`, `on`, `resampled`) is another trace. The
readers are the engine's: docs/replay.md states what each reads and drops.
"""

import hashlib
import json
import os
import pathlib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core, tables, trace_rows
from .bounds import TraceBound
from .errors import Error, InvalidArgument, NotFound, ResourceExhausted, expect
from .fetch import folder, packed
from .fields import suggestion
from .frames import absent, array, columns, frame
from .notebook import columns as html_columns
from .notebook import titled
from .limits import DEFAULT, Limits
from .trace_rows import ABSENT, NONE, UNSET, take
from .whole_files import replacing

__all__ = [
    "Mix",
    "Trace",
    "alibaba2020",
    "alibaba2023",
    "available",
    "csv",
    "draws",
    "fit",
    "google2019",
    "hpc",
    "itp",
    "load",
    "load_mix",
    "mix",
    "mix_names",
    "named_mix",
    "openb",
    "parquet",
    "philly",
    "swf",
]

Path = str | os.PathLike[str]


class Trace:
    """Jobs and a machine: a pool of equal processors, or nodes.

    `jobs` is a table with the columns submit and run, and where they matter estimate, tasks,
    min_tasks, shape, queue, user, priority, deadline, preceding, think, id. Times are whole
    seconds.

    `processors` make a pool, on which each task takes one. `nodes` are dicts like the keywords of
    Cluster.add_node, each with its name: {"name": "n0", "cpu": 64, "gpu": 8}. There a job needs a
    `shape`, the row number of what each of its tasks requests in `shapes`: {"cpu": 4, "gpu": 1}.

    `queue` and `user` are names, or row numbers of `queues` (names, or dicts like the keywords of
    Cluster.add_queue with a name) and of `users`. Without `queues` and `users` they are those that
    the jobs name.

    `node_events`, a list of (time, "join", "drain", "fail" or "return", node or domain), is what
    happened to the nodes meanwhile. `speeds`, a list of (model, type, workers, units of work a
    second), is how fast jobs with the label "model" run on nodes with the label "gpu-model".
    """

    def __init__(
        self,
        jobs: Any,
        *,
        processors: int = 0,
        nodes: Sequence[Mapping[str, Any]] = (),
        shapes: Sequence[Mapping[str, Any]] = (),
        queues: Sequence[Mapping[str, Any] | str] = (),
        users: Sequence[str] = (),
        node_events: Sequence[tuple[int, str, str]] = (),
        speeds: Sequence[tuple[str, str, int, float]] = (),
        name: str = "trace",
    ) -> None:
        for given, names in (("users", users), ("nodes", nodes), ("shapes", shapes),
                             ("queues", queues), ("node_events", node_events), ("speeds", speeds)):
            if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
                raise InvalidArgument(f"trace: {given}: expected a list, got {names!r}")
        table = {key: array(column, key) for key, column in columns(jobs).items()}
        unknown = sorted(table.keys() - _COLUMNS)
        if unknown:
            raise InvalidArgument(
                f'trace: unknown column "{unknown[0]}"{suggestion(unknown[0], _COLUMNS)}; '
                f'there are {", ".join(sorted(_COLUMNS))}'
            )
        never = trace_rows.never
        state = {
            "name": name, "processors": processors,
            "nodes": trace_rows.nodes(nodes, never), "shapes": trace_rows.shapes(shapes, never),
            "queues": trace_rows.queues(queues), "users": list(users), "columns": table,
            "node_events": list(node_events),
            "speeds": [trace_rows.exact_speed(row) for row in speeds]
        }
        trace_rows.resolve(state)
        self._core = _core.Trace(state)
        self.report: dict[str, Any] = {}
        self.name = name

    @classmethod
    def _of(cls, core: "_core.Trace", report: dict[str, Any], name: str) -> "Trace":
        trace = cls.__new__(cls)
        trace._core = core
        trace.report = report
        trace.name = name
        return trace

    def _with(self, name: str, **members: Any) -> "Trace":
        return Trace._of(_core.Trace(self._core.state() | members), self.report, name)

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        where = f"{self.processors} processors" if self.processors else f"{len(self.nodes)} nodes"
        return f"<muster.Trace {self.name}: {len(self)} jobs, {where}>"

    def _repr_html_(self) -> str:
        where = f"{self.processors} processors" if self.processors else f"{len(self.nodes)} nodes"
        first = self.jobs
        shown = {name: first[name][:5] for name in first if name != "names"}
        return titled(self.name, f": {len(self)} jobs, {where}", html_columns(shown))

    @property
    def processors(self) -> int:
        """Of a pool; 0 where the machine has nodes."""
        return self._core.processors

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """One dict a node, in the form that `on` and the constructor take; of a pool: empty."""
        return self._core.state()["nodes"]

    @property
    def shapes(self) -> list[dict[str, Any]]:
        """What tasks request, by the column `shape` of the jobs."""
        return self._core.state()["shapes"]

    @property
    def queues(self) -> list[str]:
        """The names of the queues, by the column `queue` of the jobs."""
        return [queue["name"] for queue in self._core.state()["queues"]] or ["default"]

    @property
    def users(self) -> list[str]:
        """The names of the users, by the column `user` of the jobs."""
        return self._core.state()["users"]

    @property
    def speeds(self) -> list[tuple[str, str, int, float]]:
        """(model, type, workers, units of work a second), as given."""
        return [(model, type, workers, speed / trace_rows.SPEED_UNIT)
                for model, type, workers, speed in self._core.state().get("speeds", ())]

    @property
    def jobs(self) -> Any:
        """The columns, as a DataFrame. What a job does not have is absent (NA; masked without
        pandas): estimate and deadline, the row of its user and of the job before it."""
        table = self._core.columns()
        for name, none in UNSET.items():
            if name in table:
                table[name] = absent(table[name], table[name] == none)
        return frame(table)

    @property
    def digest(self) -> str:
        """64 hex digits of everything but the trace's name."""
        state = self._core.state()
        table = state.pop("columns")
        state.pop("name")
        names = table.pop("names", None)
        text = json.dumps([state, names], sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode())
        for key in sorted(table):
            digest.update(key.encode() + b"\0")
            digest.update(np.ascontiguousarray(table[key], dtype="<i8").tobytes())
        return digest.hexdigest()

    def bound(
        self,
        *,
        slowdown_bound: int = 10,
        rounds: int = 300,
        steps: int = 16384,
        rows: Sequence[int] | None = None,
    ) -> TraceBound:
        """Means that no schedule of the trace undercuts, over `rows` or all jobs that are no wider
        than the machine. Replay.bound compares a replay with its own."""
        chosen = None if rows is None else [int(row) for row in rows]
        return TraceBound(
            **_core.bound_trace(self._core, slowdown_bound, rounds, steps, chosen)
        )

    def save(self, path: Path) -> None:
        """One file (NumPy's npz) that `load` reads."""
        state = self._core.state() | {"name": self.name}
        table = state.pop("columns")
        names = table.pop("names", None)
        text = np.array(json.dumps([state, names]))
        with replacing(path) as file:
            np.savez_compressed(file, state=text, **table)

    def save_tables(self, folder: Path, form: str = "csv") -> list[pathlib.Path]:
        """jobs, nodes, queues and speeds as files of Muster's own form, "csv" or "parquet", that
        `csv` and `parquet` read.

        What such tables cannot say (taints, affinities, ...) is refused.
        """
        return tables.save(self, pathlib.Path(folder), form)

    def select(self, rows: Any, name: str | None = None) -> "Trace":
        """Some of the jobs, each once, in the order of `rows`: numbers, or a bool for each job, as
        trace.jobs["tasks"] > 4 is. A job loses its preceding job if that is left out."""
        if np.ma.is_masked(rows):
            raise InvalidArgument("trace: rows: some are absent; must be numbers of jobs, or True or "
                                  "False for each job")
        rows = np.asarray(rows)
        if rows.dtype == np.bool_ and rows.shape == (len(self),):
            rows = np.flatnonzero(rows)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise InvalidArgument(
                f"trace: rows: expected a list of integers or {len(self)} bools, got an array of "
                f"{rows.dtype} and shape {rows.shape}")
        rows = rows.astype(np.int64)
        outside = len(rows) and not 0 <= rows.min() <= rows.max() < len(self)
        if len(np.unique(rows)) != len(rows) or outside:
            raise InvalidArgument(
                f"trace: rows must be different and between 0 and {len(self) - 1}")
        table = take(self._core.columns(), rows)
        if "preceding" in table:
            place = np.full(len(self) + 1, NONE, dtype=np.uint32)
            place[rows] = np.arange(len(rows), dtype=np.uint32)
            table["preceding"] = place[np.minimum(table["preceding"], len(self))]
        return self._with(name or f"{self.name}, {len(rows)} jobs", columns=table)

    def head(self, count: int) -> "Trace":
        """The first `count` jobs by row."""
        if count < 0:
            raise InvalidArgument(f"head: count is {count}; must be 0 or more")
        return self.select(np.arange(min(count, len(self))), f"{self.name}, first {min(count, len(self))} jobs")

    def on(
        self,
        *,
        processors: int | None = None,
        nodes: Sequence[Mapping[str, Any]] | None = None,
        shapes: Sequence[Mapping[str, Any]] | None = None,
        queues: Sequence[Mapping[str, Any] | str] | None = None,
        name: str | None = None,
    ) -> "Trace":
        """The same jobs on another machine, with other shapes or queues (as many, in the same
        order). On a pool of `processors` each task takes one, whatever it requested of a node. Jobs
        of a pool have no shape, and need `shapes` on nodes: with [{"cpu": 1}] each task takes a
        core."""
        members: dict[str, Any] = {}
        if processors is not None and nodes is None:
            nodes = []
        state = self._core.state()
        known = trace_rows.resources_of(state)
        if nodes is not None:
            members |= {"nodes": trace_rows.nodes(nodes, known), "domains": [], "node_events": []}
            members["processors"] = processors or 0
        if shapes is not None:
            members["shapes"] = trace_rows.shapes(shapes, known)
        state |= members
        if state["nodes"]:
            table = state["columns"]
            trace_rows.check({name: table[name] for name in ("run", "shape") if name in table},
                             {"shape": len(state["shapes"])}, int(NONE), "on")
        if queues is not None:
            members["queues"] = trace_rows.queues(queues)
        return self._with(name or f"{self.name}, another machine", **members)

    def linked_users(self) -> "Trace":
        """Makes each job follow the previous job of its user. Play it with follow_preceding."""
        return Trace._of(self._core.link_users(), self.report, self.name + ", linked users")

    def resampled(self, seed: int, block: int = 50) -> "Trace":
        """As many submissions at the same times, by jobs drawn in runs of `block` from this trace,
        with replacement.

        Runs keep what consecutive jobs have to do with each other; deadlines move with their
        submission. Preceding jobs are dropped. A pure function of (trace, seed, block): SplitMix64
        draws.
        """
        if block < 1:
            raise InvalidArgument(f"resampled: block is {block}; must be above 0")
        count = len(self)
        if not count:
            return self
        block = min(block, count)
        runs = -(-count // block)
        first = (draws(seed, runs) % np.uint64(count)).astype(np.int64)
        rows = ((first[:, None] + np.arange(block)) % count).reshape(-1)[:count]
        table = self._core.columns()
        times = table["submit"]
        drawn = take({k: v for k, v in table.items() if k not in ("preceding", "think", "names")},
                      rows)
        drawn["id"] = np.arange(count)
        if "deadline" in drawn:
            known = drawn["deadline"] != ABSENT
            drawn["deadline"] = np.where(known, drawn["deadline"] - drawn["submit"] + times,
                                         ABSENT)
        drawn["submit"] = times
        return self._with(self.name, columns=drawn)

    def shaken(self, seed: int, submit: int = 60, run: float = 0.0) -> "Trace":
        """The same jobs, a little disturbed: to see how much of a result hangs on accidents of the
        input.

        Every submission is moved by up to `submit` seconds either way (not below 0), its deadline
        with it; run times and estimates are changed by up to the part `run` of them, both alike.
        (Tsafrir, Ouaknine and Feitelson, "Reducing Performance Evaluation Sensitivity and
        Variability by Input Shaking", 2007.) A pure function of its arguments.
        """
        if not 0 <= submit <= 2**53 or not 0 <= run < 1:
            raise InvalidArgument(f"shaken: submit is {submit}, run {run}; must be 0 to 2^53, and run below 1")
        table = dict(self._core.columns())
        count = len(self)
        offset = (draws(seed, count) % np.uint64(2 * submit + 1)).astype(np.int64) - submit
        moved = np.maximum(table["submit"] + offset, 0)
        if "deadline" in table:
            known = table["deadline"] != ABSENT
            table["deadline"] = np.where(known, np.maximum(table["deadline"] + moved - table["submit"], 0), ABSENT)
        table["submit"] = moved
        most = int(run * 1_000_000)
        if most:
            part = (draws(~seed, count) % np.uint64(2 * most + 1)).astype(np.int64) - most
            for name in ("run", "estimate"):
                values = table[name]
                # Whole seconds first: a product of both could pass 64 bits.
                change = values // 1_000_000 * part + values % 1_000_000 * part // 1_000_000
                fixed = (values < 0) | (values == _ENDLESS)  # not known, or it never ends
                table[name] = np.where(fixed, values, np.clip(values + change, 1, _ENDLESS))
        return self._with(self.name, columns=table)


_COLUMNS = frozenset(
    "id submit run estimate tasks min_tasks shape queue user priority deadline preceding think".
    split())
_ENDLESS = 2**53


def draws(seed: int, count: int) -> np.ndarray:
    """SplitMix64: the first `count` numbers after `seed`, as uint64."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed & 0xFFFFFFFFFFFFFFFF) + np.uint64(0x9E3779B97F4A7C15) * np.arange(
            1, count + 1, dtype=np.uint64
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def load(path: Path) -> Trace:
    """What Trace.save wrote."""
    try:
        # Opened here: NumPy leaves a file open that begins as an archive and is none.
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            table: dict[str, Any] = {key: file[key] for key in file.files}
        state, names = json.loads(str(table.pop("state")))
        if names is not None:
            table["names"] = names
        return Trace._of(_core.Trace(state | {"columns": table}), {}, str(state["name"]))
    except FileNotFoundError:
        raise NotFound(f"load: there is no file {path}") from None
    except ResourceExhausted:
        raise
    except OSError as error:
        if error.errno is not None:  # NumPy raises OSError without a number for other files, too
            raise
        raise InvalidArgument(f"load: {path} is no trace that Trace.save wrote: {error}") from error
    except (ValueError, TypeError, KeyError, AttributeError, EOFError, zipfile.BadZipFile,
            zlib.error, Error) as error:
        raise InvalidArgument(f"load: {path} is no trace that Trace.save wrote: {error}") from error


# --- readers


def available(given: Path | None = None) -> list[str]:
    """Which of the cluster traces are in the folder."""
    root = folder(given)
    marks = {"openb": "openb/pods/openb_pod_list_default.csv", "philly": "philly/philly_jobs.csv"}
    return [name for name, mark in marks.items() if packed(root / mark).exists()]


def _whole(path: pathlib.Path) -> bytes:
    return path.read_bytes()


def _read(
    kind: str,
    name: str,
    files: Mapping[str, Path | None],
    load: Callable[[pathlib.Path], bytes] = _whole,
    **options: Any,
) -> Trace:
    expect(options["limits"], Limits, "limits")
    loaded = {}
    for role, path in files.items():
        if path is None:
            continue
        try:
            loaded[role] = (str(path), load(pathlib.Path(path)))
        except FileNotFoundError:
            raise NotFound(f"{kind}: {role}: there is no file {path}") from None
    given = {key: value.as_dict() if isinstance(value, Limits) else value
             for key, value in options.items() if value is not None}
    core, report = _core.read_trace(kind, loaded, given)
    return Trace._of(core, report, name)


def _find(file: Path, sub: str, given: Path | None) -> pathlib.Path:
    path = pathlib.Path(file)
    return path if path.exists() else folder(given) / sub / path


def philly(folder: Path | None = None, *, skip_bad_lines: bool = False,
           limits: Limits = DEFAULT) -> Trace:
    """Microsoft's Philly: gangs of GPUs in virtual clusters, a queue for each."""
    root = _folder(folder) / "philly"
    files = {"jobs": packed(root / "philly_jobs.csv"), "vc_nodes": packed(root / "vc_nodes.csv")}
    return _read("philly", "philly", files,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def openb(
    folder: Path | None = None,
    *,
    list: str = "default",
    seed: int = 42,
    recorded: bool = False,
    devices: bool = False,
    skip_bad_lines: bool = False,
    limits: Limits = DEFAULT,
) -> Trace:
    """Alibaba's GPU cluster of 2023. Pods come one a second in the order `seed` and stay, or as
    `recorded`. With `devices`, policy devices gives out each GPU."""
    root = _folder(folder) / "openb"
    files: dict[str, Path] = {
        "nodes": packed(root / "openb_node_list_gpu_node.csv"),
        "pods": packed(root / "pods" / f"openb_pod_list_{list}.csv"),
    }
    if not recorded:
        files["arrivals"] = packed(root / "orders" / f"arrivals_{list}.csv")
        files["node_rank"] = packed(root / "orders" / f"noderank_{list}.csv")
    return _read("openb",
                 f"openb {list}" + (", as recorded" if recorded else ""),
                 files,
                 seed=seed, devices=devices,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def hpc(
    file: Path,
    processors: int,
    *,
    folder: Path | None = None,
    runnable: bool = False,
    skip_bad_lines: bool = False,
    limits: Limits = DEFAULT,
) -> Trace:
    """A table job_id,submit,run,procs,req_time,user. `runnable` keeps jobs without a requested
    time."""
    path = _find(file, "hpc_easy_golden", folder)
    return _read("hpc",
                 path.name, {"jobs": path},
                 processors=processors,
                 runnable=runnable,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def swf(
    file: Path,
    processors: int | None = None,
    *,
    folder: Path | None = None,
    runnable: bool = False,
    skip_bad_lines: bool = False,
    limits: Limits = DEFAULT,
) -> Trace:
    """A log in Standard Workload Format; without `processors`, as many as its header says."""
    path = _find(file, "hpc_swf", folder)
    return _read("swf",
                 path.name, {"jobs": path},
                 processors=processors,
                 runnable=runnable,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def itp(file: Path,
        nodes: int | None = None,
        *,
        folder: Path | None = None,
        skip_bad_lines: bool = False, limits: Limits = DEFAULT) -> Trace:
    """A cluster of Microsoft's ITP trace, on as many nodes of 8 GPUs as said, or as keep them four
    fifths busy."""
    path = _find(file, "ms_itp_elasticflow/raw", folder)
    return _read("itp", path.name, {"jobs": path}, nodes=nodes,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def alibaba2020(tasks: Path,
                machines: Path,
                jobs: Path | None = None,
                *,
                skip_bad_lines: bool = False, limits: Limits = DEFAULT) -> Trace:
    """Alibaba's PAI of 2020: pai_task_table, pai_machine_spec, and pai_job_table for users and
    submissions."""
    files = {"tasks": tasks, "machines": machines, "jobs": jobs}
    return _read("alibaba2020", pathlib.Path(tasks).name, files,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def alibaba2023(pods: Path, nodes: Path, *, skip_bad_lines: bool = False,
                limits: Limits = DEFAULT) -> Trace:
    """Tables of openb as they are published; pods come and go as recorded."""
    return _read("openb",
                 pathlib.Path(pods).name, {"pods": pods, "nodes": nodes},
                 skip_bad_lines=skip_bad_lines, limits=limits)


def google2019(instances: Path,
               machines: Path,
               collections: Path | None = None,
               *,
               skip_bad_lines: bool = False, limits: Limits = DEFAULT) -> Trace:
    """A cell of Google's of 2019: instance_events, machine_events, and collection_events for users,
    as flat tables."""
    files = {"instances": instances, "machines": machines, "collections": collections}
    return _read("google2019", pathlib.Path(instances).name, files,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def csv(
    jobs: Path,
    nodes: Path | None = None,
    queues: Path | None = None,
    *,
    speeds: Path | None = None,
    processors: int | None = None,
    skip_bad_lines: bool = False,
    limits: Limits = DEFAULT,
) -> Trace:
    """Muster's own tables; docs/replay.md lists the columns."""
    files = {"jobs": jobs, "nodes": nodes, "queues": queues, "speeds": speeds}
    return _read("csv",
                 pathlib.Path(jobs).name,
                 files,
                 processors=processors,
                 skip_bad_lines=skip_bad_lines, limits=limits)


def parquet(
    jobs: Path,
    nodes: Path | None = None,
    queues: Path | None = None,
    *,
    speeds: Path | None = None,
    processors: int | None = None,
    skip_bad_lines: bool = False,
    limits: Limits = DEFAULT,
) -> Trace:
    """The same tables as Parquet files (needs pyarrow). What is wrong is named as if it were a
    line: 2 is the first row."""
    files = {"jobs": jobs, "nodes": nodes, "queues": queues, "speeds": speeds}
    return _read("csv",
                 pathlib.Path(jobs).name,
                 files,
                 tables.parquet_bytes,
                 processors=processors,
                 skip_bad_lines=skip_bad_lines, limits=limits)


_folder = folder  # the readers have an argument of that name

from .mixes import (  # noqa: E402: they build on Trace
    Mix, fit, load_mix, mix, mix_names, named_mix
)
