# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Which policy is better here, and is that more than chance?

    study = muster.compare(muster.traces.philly(), ["muster", "volcano", "kube-batch"])
    print(study)                       # ranked, ties marked
    study.report("report.html")        # one file with pictures
    study.save("study.json")           # a manifest; muster reproduce study.json
"""

import hashlib
import inspect
import itertools
import json
import math
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, TextIO, Unpack

import numpy as np

from . import _core, own, papers, report, traces
from .action import listed
from .errors import InvalidArgument, expect
from .fields import suggestion
from .frames import frame
from .limits import integer
from .replay import ReplayOptions, StudyOptions, stream
from .runs import Cache, Run, engine_digest, make_all
from .statistics import METRICS, SIX, interval, rank
from .traces import Trace
from .whole_files import write_whole

_FORM = 1
_SHAKE = 60  # seconds, of batch logs
_FEWEST = 10  # replicates; intervals of fewer are flagged


@dataclass(frozen=True)
class Settings:
    replicates: int = 30
    warmup: int = 0
    seed: int = 0
    block: int = 50
    level: float = 0.95
    rank_by: str | None = None
    shake: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        for name in ("replicates", "warmup", "seed", "block"):
            object.__setattr__(self, name, integer(getattr(self, name), f"compare: {name}"))

    @property
    def how(self) -> str:
        """What makes replicates differ."""
        if self.shake is None:
            return "resampled"
        run = f", run times {100 * self.shake['run']:g} %" if self.shake["run"] else ""
        return f"shaken (submissions {self.shake['submit']:g} s{run})"

    def check(self) -> None:
        if self.replicates < 0 or self.warmup < 0 or self.block < 1:
            raise InvalidArgument("compare: replicates and warmup must be 0 or more, block above 0")
        if not 0 < self.level < 1:
            raise InvalidArgument(f"compare: level is {self.level}; must be between 0 and 1")
        if self.rank_by is not None and self.rank_by not in METRICS:
            raise InvalidArgument(
                f'compare: there is no metric "{self.rank_by}"{suggestion(self.rank_by, METRICS)}; '
                f'there are {", ".join(METRICS)}'
            )


def _shake(given: float | Mapping[str, float] | bool | None,
           used: Sequence[Trace]) -> dict[str, float] | None:
    """The arguments of Trace.shaken; None: replicates are resampled."""
    if given is None:
        given = _SHAKE if all(trace.processors for trace in used) else False
    if given is False:
        return None
    told = dict(given) if isinstance(given, Mapping) else {"submit": given}
    unknown = sorted(told.keys() - {"submit", "run"})
    if unknown:
        raise InvalidArgument(f'shake: unknown key "{unknown[0]}"; there are submit, run')
    submit, run = told.get("submit", 0), told.get("run", 0.0)
    if isinstance(submit, bool) or not isinstance(submit, int) or submit < 0:
        raise InvalidArgument(f"shake: submit is {submit!r}; must be seconds, a whole number of 0 or more")
    if isinstance(run, bool) or not isinstance(run, (int, float)) or not 0 <= run < 1:
        raise InvalidArgument(f"shake: run is {run!r}; must be 0 or more and below 1")
    return {"submit": submit, "run": float(run)}


def _number(value: Any) -> Any:
    """JSON has no NaN."""
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _numbers(metrics: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _number(value) for name, value in metrics.items()}


@dataclass(frozen=True)
class Cell:
    """What is compared: a policy with options on a trace. `label` tells the cells of one trace
    apart."""

    label: str
    trace: str  # its digest
    policy: str
    options: Mapping[str, Any] = field(default_factory=dict)
    # The caller's policies that the spec string names: what a manifest has of each.
    policies: tuple[Mapping[str, Any], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        if not self.policies:
            del told["policies"]
        return told


def compare(
    trace: Trace | Sequence[Trace],
    profiles: Sequence[str],
    *,
    policies: Sequence[own.Own] = (),
    replicates: int = 30,
    warmup: int = 0,
    seed: int = 0,
    block: int = 50,
    level: float = 0.95,
    rank_by: str | None = None,
    shake: float | Mapping[str, float] | bool | None = None,
    executor: str = "processes",
    workers: int | None = None,
    cache: str | os.PathLike[str] | bool = True,
    progress: bool | TextIO = True,
    **options: Unpack[StudyOptions],
) -> "Study":
    """Plays the trace (or each of several) under every profile, as it is and in `replicates`
    replicates.

    policies    your own: a profile has those that its spec string names, as in
                compare(trace, ["volcano", "volcano:+spread"], policies=[Spread()])
    warmup      jobs submitted in the first so many seconds are played and not counted
    seed, block  of the replicates: Trace.resampled
    shake       how replicates are made. Seconds that submissions move by, or a dict of them as
                "submit" and of the part that run times change by as "run": Trace.shaken. False:
                jobs are drawn anew, in blocks (Trace.resampled); their load may differ from that of
                the trace. By itself 60 where all traces are pools, else False
    level       of the intervals, which are paired bootstraps over the replicates
    rank_by     a metric of muster.statistics.METRICS; by itself the mean bounded slowdown, or the
                jobs that started where hardly any ends
    executor    "processes" on `workers` cores (all), "ray" on a Ray cluster, "here" one by one; the
                results are equal
    cache       a folder for finished runs, True for MUSTER_CACHE or ~/.cache/muster, False for
                none. A run that is there is not made again, so an interrupted call goes on where it
                was
    options     those of muster.replay, the same for all

    Ctrl-C ends it with the runs that are finished: `complete` is False then.
    """
    used = [trace] if isinstance(trace, Trace) else _traces(trace, "compare: trace")
    profiles = _specs(profiles, "compare: profiles")
    if not profiles or not used:
        raise InvalidArgument("compare: there is nothing to compare: name a trace and profiles")
    if len(set(profiles)) != len(profiles):
        raise InvalidArgument("compare: a profile is named twice")
    _check_options(options, "compare")
    policies = own.checked(policies, profiles, "compare: policies")
    settings = Settings(replicates, warmup, seed, block, level, rank_by, _shake(shake, used))
    told = {profile: _identities(profile, policies) for profile in profiles}
    plain = {name: _plain(value) for name, value in options.items()}
    cells = [
        Cell(profile, t.digest, profile, plain, told[profile]) for t in used
        for profile in profiles
    ]
    return _study(used, cells, settings, policies, executor, workers, cache, progress)


def _axis(values: Any, place: str) -> list[Any]:
    """The values of a list."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InvalidArgument(f"{place}: expected a list, got {values!r}")
    return [_plain(value) for value in values]


def _traces(values: Any, place: str) -> list[Trace]:
    """The traces of a list, or of one that is none."""
    listed = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    return [expect(one, Trace, place) for one in listed]


def _specs(values: Any, place: str) -> list[str]:
    return [expect(one, str, place) for one in _axis(values, place)]


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python, which a manifest and the cache can hold."""
    return value.item() if isinstance(value, np.generic) else value


def _check_options(options: Mapping[str, Any], place: str) -> None:
    """Refuses an option that no replay has, with the nearest word of the replay or of the study."""
    for name in options:
        known = (*StudyOptions.__annotations__, *inspect.signature(compare).parameters)
        if name not in StudyOptions.__annotations__:
            raise InvalidArgument(f'{place}: unknown option "{name}"{suggestion(name, known)}')


def _identities(spec: str, policies: Sequence[own.Own]) -> tuple[Mapping[str, Any], ...]:
    return tuple(own.identity(one) for one in own.named(spec, policies))


def sweep(
    grid: Mapping[str, Sequence[Any]],
    *,
    policies: Sequence[own.Own] = (),
    replicates: int = 30,
    warmup: int = 0,
    seed: int = 0,
    block: int = 50,
    level: float = 0.95,
    rank_by: str | None = None,
    shake: float | Mapping[str, float] | bool | None = None,
    executor: str = "processes",
    workers: int | None = None,
    cache: str | os.PathLike[str] | bool = True,
    progress: bool | TextIO = True,
) -> "Study":
    """Everything that a grid spans: "trace" and "profile", and options of muster.replay, a list of
    values each.

        muster.sweep({"trace": [trace], "profile": ["volcano", "muster"], "latency": [0, 1, 5]})
    """
    known = ("trace", "profile", *ReplayOptions.__annotations__)
    for name in expect(grid, Mapping, "sweep: grid"):
        if name not in known:
            raise InvalidArgument(f'sweep: unknown axis "{name}"{suggestion(name, known)}')
    axes = {name: _axis(values, f'sweep: axis "{name}"') for name, values in grid.items()}
    for name, values in axes.items():
        if not values:
            raise InvalidArgument(f'sweep: axis "{name}" is empty')
        if any(value in values[:i] for i, value in enumerate(values)):
            raise InvalidArgument(f'sweep: axis "{name}" has a value twice')
    missing = [name for name in ("trace", "profile") if name not in axes]
    if missing:
        raise InvalidArgument(f'sweep: the grid has no "{missing[0]}"')
    used = _traces(axes.pop("trace"), 'sweep: axis "trace"')
    profiles = _specs(axes.pop("profile"), 'sweep: axis "profile"')
    policies = own.checked(policies, profiles, "sweep: policies")
    cells = []
    for trace in used:
        digest = trace.digest
        for profile, *values in itertools.product(profiles, *axes.values()):
            options = dict(zip(axes, values))
            label = " ".join([profile, *(f"{name}={value}" for name, value in options.items())])
            cells.append(Cell(label, digest, profile, options, _identities(profile, policies)))
    settings = Settings(replicates, warmup, seed, block, level, rank_by, _shake(shake, used))
    return _study(used, cells, settings, policies, executor, workers, cache, progress)


def _study(
    used: list[Trace],
    cells: list[Cell],
    settings: Settings,
    policies: Sequence[own.Own] = (),
    executor: str = "processes",
    workers: int | None = None,
    cache: str | os.PathLike[str] | bool = True,
    progress: bool | TextIO = True,
) -> "Study":
    settings.check()
    by_digest = {trace.digest: trace for trace in used}
    # First each cell as it is, then replicate by replicate: what is interrupted has as many whole
    # replicates as can be.
    runs = [
        Run(cell.trace, cell.policy, cell.options, settings.warmup, r, settings.seed,
            settings.block, settings.shake, cell.policies)
        for r in range(settings.replicates + 1)
        for cell in cells
    ]
    kept = None if cache is False else Cache(None if cache is True else cache)
    out = stream(progress)
    records, complete = make_all(
        runs, used, policies=policies, executor=executor, workers=workers, cache=kept, progress=out
    )
    by_cell = [[records[r * len(cells) + i]
                for r in range(settings.replicates + 1)]
               for i in range(len(cells))]
    return Study(by_digest, cells, by_cell, settings, complete, policies)


class Study:
    """The runs of a comparison or sweep, ranked within each trace."""

    def __init__(
        self,
        used: Mapping[str, Trace],
        cells: Sequence[Cell],
        records: Sequence[Sequence[dict[str, Any] | None]],
        settings: Settings,
        complete: bool,
        policies: Sequence[own.Own] = (),
    ) -> None:
        self.traces = dict(used)
        self.cells = list(cells)
        self.records = records  # by cell, and replicate; 0 is the trace as it is
        self.settings = settings
        self.policies = tuple(policies)  # the caller's own
        self.complete = complete  # False: it was interrupted, and all here is partial

    def finished(self, trace: str) -> list[int]:
        """Returns the cells of a trace that was played as it is to its end."""
        return [
            i for i, cell in enumerate(self.cells)
            if cell.trace == trace and self.records[i][0] is not None and self.records[i][0]["complete"]
        ]

    def metric(self, trace: str) -> str:
        """What a trace's cells are ranked by."""
        if self.settings.rank_by is not None:
            return self.settings.rank_by
        first = [self.records[i][0]["metrics"] for i in self.finished(trace)]
        endless = any(2 * m["ended"] < m["started"] for m in first)
        return "started" if endless else "bounded_slowdown_mean"

    def ranking(self, trace: str) -> list[dict[str, Any]]:
        """rank, tie, label, mean, low and high of the metric, and its difference from the best of
        the rank above. A cell that started no job in some replicate has no value (NaN) of a metric
        of which less is better, and ranks last."""
        cells, name = self.finished(trace), self.metric(trace)
        whole = self._whole(cells)
        values = {str(i): self._values(i, name, whole or [0]) for i in cells}
        table = rank(values, METRICS[name][1], self.settings.level, self.settings.seed)
        for row in table:
            row["cell"] = int(row.pop("name"))
            row["label"] = self.cells[row["cell"]].label
        return table

    def _values(self, cell: int, name: str, replicates: Sequence[int]) -> np.ndarray:
        """The metric in each replicate."""
        measured = [self.records[cell][r]["metrics"] for r in replicates]
        idle = [not METRICS[name][1] and m["started"] == 0 for m in measured]
        return np.where(idle, np.nan, np.array([m[name] for m in measured], dtype=float))

    def fewer_ended(self, trace: str) -> list[str]:
        """A line for each cell that, on the trace as it is, started no job or ended fewer than
        another: its means are of other jobs."""
        cells = self.finished(trace)
        measured = {i: self.records[i][0]["metrics"] for i in cells}
        most = max((m["ended"] for m in measured.values()), default=0)
        words = {True: "it started none, and has no means", False: "its means are of those alone"}
        return [
            f"{self.cells[i].label} ended {m['ended']} of {m['submitted']} jobs: "
            f"{words[m['started'] == 0]}" for i, m in measured.items()
            if m["ended"] < most or m["started"] == 0
        ]

    def title(self, cell: int) -> str:
        """The cell's label, marked where the policy knew the future."""
        record = self.records[cell][0]
        return self.cells[cell].label + (" [clairvoyant]" if record and record["clairvoyant"] else "")

    def dominance(self, trace: str,
                  metrics: Sequence[str] = SIX) -> list[tuple[str, str, list[str]]]:
        """Pairs of cells, the first of which is worse than the second in none of the metrics and
        better in those listed. Better and worse are intervals, at the study's level, of the paired
        difference that do not hold 0. Both cells ended the same jobs in each replicate: means over
        different jobs do not compare policies. Empty with fewer than two replicates."""
        unknown = [name for name in metrics if name not in METRICS]
        if unknown:
            raise InvalidArgument(
                f'dominance: there is no metric "{unknown[0]}"; there are {", ".join(METRICS)}')
        cells = self.finished(trace)
        whole = self._whole(cells)
        which = {i: [self.records[i][r]["which_ended"] for r in whole] for i in cells}
        found = []
        for better, worse in itertools.permutations(cells, 2):
            if which[better] != which[worse]:
                continue
            gains, losses = [], []
            for name in metrics:
                sign = 1 if METRICS[name][1] else -1
                gain = sign * (self._values(better, name, whole) - self._values(worse, name, whole))
                if np.isnan(gain).any():  # of nothing
                    continue
                low, high = interval(gain, self.settings.level, self.settings.seed)
                gains += [name] if low > 0 else []
                losses += [name] if high < 0 else []
            if gains and not losses:
                found.append((self.cells[better].label, self.cells[worse].label, gains))
        return found

    def _whole(self, cells: Sequence[int]) -> list[int]:
        """Replicates that all the cells have finished."""
        return [
            r for r in range(1, self.settings.replicates + 1)
            if all(self.records[i][r] is not None and self.records[i][r]["complete"] for i in cells)
        ]

    @cached_property
    def table(self) -> Any:
        """One row a cell: trace, label, rank, tie, clairvoyant, the interval of its metric, and all
        metrics as recorded."""
        rows = []
        for digest, trace in self.traces.items():
            for row in self.ranking(digest):
                head = {
                    "trace": trace.name, "label": row["label"], "rank": row["rank"],
                    "tie": row["tie"], "clairvoyant": self.records[row["cell"]][0]["clairvoyant"],
                }
                head |= {"ranked_by": self.metric(digest), "mean": row["mean"], "low": row["low"], "high": row["high"]}
                rows.append(head | self.records[row["cell"]][0]["metrics"])
        names = list(rows[0]) if rows else []
        return frame({name: np.array([row[name] for row in rows]) for name in names})

    @cached_property
    def results(self) -> dict[str, Any]:
        """All that was measured, for JSON: {"settings": ..., "traces": [...], "complete": ...}.

        Each trace has its name, digest and number of jobs, what its cells are `ranked_by`,
        `dominance` ({"better", "worse", "by"}), and `cells` in order of rank: label, policy,
        options, clairvoyant, rank, tie, the interval (mean, low, high), `metrics` of the trace as
        recorded, and `replicates`, those of each replicate that all cells have finished. A number
        that there is not is None.
        """
        return {
            "muster": _core.version, "complete": self.complete, "digest": self.digest,
            "settings": asdict(self.settings) | {"how": self.settings.how},
            "traces": [self._result(digest, trace) for digest, trace in self.traces.items()],
        }

    def _result(self, digest: str, trace: Trace) -> dict[str, Any]:
        whole = self._whole(self.finished(digest))
        cells = []
        for row in self.ranking(digest):
            cell, records = self.cells[row["cell"]], self.records[row["cell"]]
            cells.append({
                "label": row["label"], "policy": cell.policy, "options": dict(cell.options),
                "clairvoyant": bool(records[0]["clairvoyant"]),
                "rank": row["rank"], "tie": row["tie"],
                "mean": _number(row["mean"]), "low": _number(row["low"]),
                "high": _number(row["high"]),
                "metrics": _numbers(records[0]["metrics"]),
                "replicates": [_numbers(records[r]["metrics"]) for r in whole],
            })
        return {
            "name": trace.name, "digest": digest, "jobs": len(trace),
            "ranked_by": self.metric(digest), "cells": cells,
            "dominance": [{"better": better, "worse": worse, "by": gains}
                          for better, worse, gains in self.dominance(digest)],
        }

    @cached_property
    def digest(self) -> str:
        """64 hex digits of all runs' decisions and metrics; where they ran is not in it."""
        told = [
            [cell.as_dict(), [r and [r["digest"], r["metrics"]] for r in records]]
            for cell, records in zip(self.cells, self.records)
        ]
        return hashlib.sha256(json.dumps([told, asdict(self.settings)],
                                         sort_keys=True).encode()).hexdigest()

    # --- as words

    def __str__(self) -> str:
        lines = []
        for digest, trace in self.traces.items():
            lines.append(f"{trace.name}: {len(trace)} jobs, ranked by {METRICS[self.metric(digest)][0]}")
            width = max([len(self.title(i)) for i in self.finished(digest)] + [7])
            head = ["wait mean", "wait p95", "slowdown", "used", "started", "ended", "fairness"]
            lines.append(f"  rank  {'profile':{width}}  {'mean [interval]':>28}" + "".join(f"{h:>11}" for h in head))
            for row in self.ranking(digest):
                m = self.records[row["cell"]][0]["metrics"]
                known = row["low"] == row["low"]
                spread = f" [{row['low']:.5g}, {row['high']:.5g}]" if known else ""
                cells = [f"{m['wait_mean']:.0f}", f"{m['wait_p95']:.0f}", f"{m['bounded_slowdown_mean']:.3f}"]
                cells += [f"{100 * m['utilisation']:.1f} %", str(m["started"]), str(m["ended"]), f"{m['fairness']:.3f}"]
                place = f"{row['rank']}{'=' if row['tie'] else ' '}"
                value = f"{row['mean']:.5g}{spread}"
                line = f"  {place:>4}  {self.title(row['cell']):{width}}  {value:>28}"
                lines.append(line + "".join(f"{c:>11}" for c in cells))
            lines += [f"  {line}" for line in self.fewer_ended(digest)]
            titles = {self.cells[i].label: self.title(i) for i in self.finished(digest)}
            for better, worse, gains in self.dominance(digest):
                words = f"{titles[better]} dominates {titles[worse]}"
                lines.append(f"  {words}: {', '.join(gains)}")
            lines.append("")
        settings = self.settings
        lines.append(
            f"= ties. Interval: {100 * settings.level:g} %, paired bootstrap of {settings.replicates} replicates, {settings.how}. "
            "The columns after it are of the trace as recorded."
            if settings.replicates > 1
            else "Equal ranks are equal numbers: fewer than two replicates have no intervals."
        )
        if settings.shake is None and settings.replicates > 1:
            lines.append("Resampled replicates have other loads than the trace: their means are not "
                         "those of the columns.")
        if 1 < settings.replicates < _FEWEST:
            lines.append(
                f"With {settings.replicates} replicates intervals are too narrow, and what they "
                f"decide (ranks, ties, dominance) is a hint; {_FEWEST} or more are better."
            )
        if not self.complete:
            lines.append("PARTIAL: it was interrupted; run it again to go on.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<muster.Study {len(self.cells)} cells, {len(self.traces)} traces, {self.digest[:8]}>"

    def _repr_html_(self) -> str:
        return report.tables(self)

    # --- as files

    @property
    def manifest(self) -> dict[str, Any]:
        """All that it takes to make this again, and the digests that must come out."""
        manifest = {
            "form": _FORM,
            "muster": _core.version,
            "engine": engine_digest(),
            "revisions": {policy["name"]: policy["revision"] for policy in _core.policies()},
            "complete": self.complete,
            "settings": asdict(self.settings),
            "traces": [{"digest": digest, "name": trace.name, "jobs": len(trace)}
                       for digest, trace in self.traces.items()],
            "cells": [cell.as_dict() for cell in self.cells],
            "runs": [[record and record["digest"] for record in records]
                     for records in self.records],
            "digest": self.digest,
        }
        if self.policies:
            manifest["policies"] = [
                own.identity(one) | {"source": own.source(one)} for one in self.policies
            ]
        return manifest

    def save(self, path: str | os.PathLike[str]) -> None:
        """The manifest as JSON, and beside it the traces, each in DIGEST.npz."""
        path = pathlib.Path(path)
        for digest, trace in self.traces.items():
            trace.save(path.parent / f"{digest[:16]}.npz")
        write_whole(path, json.dumps(self.manifest, indent=1) + "\n")

    def report(self, path: str | os.PathLike[str], rerun: str | None = None) -> None:
        """One HTML file that needs no network. `rerun` is the command that makes it again, for its
        readers."""
        write_whole(path, report.page(self, rerun))

    def save_figures(self, folder: str | os.PathLike[str], form: str = "svg") -> list[pathlib.Path]:
        """Figures for papers, drawn by matplotlib: "svg", "png" or "pdf"."""
        return papers.save(self, pathlib.Path(folder), form)


def reproduce(
    manifest: str | os.PathLike[str],
    *,
    policies: Sequence[own.Own] = (),
    executor: str = "processes",
    workers: int | None = None,
    cache: str | os.PathLike[str] | bool = False,
    progress: bool | TextIO = True,
) -> tuple[Study, list[str]]:
    """Makes a study again from its manifest. Returns a list of what differs; empty: nothing.

    A manifest has the sources of the caller's policies for its readers, and runs none of them: hand
    the policies in as `policies`.
    """
    path = pathlib.Path(manifest)
    told = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or told.get("form") != _FORM:
        raise InvalidArgument(f"{path}: not a manifest of form {_FORM}")
    used = [traces.load(path.parent / f"{entry['digest'][:16]}.npz") for entry in told["traces"]]
    wrong = [
        f"trace {entry['name']}: its digest is {trace.digest[:16]}, the manifest's {entry['digest'][:16]}"
        for entry, trace in zip(told["traces"], used)
        if trace.digest != entry["digest"]
    ]
    if wrong:
        raise InvalidArgument(f"{path}: {wrong[0]}")
    policies = listed(policies)
    wrong = own.chosen(told.get("policies", ()), policies, str(path))
    cells = [
        Cell(**cell | {"policies": _identities(cell["policy"], policies)}) for cell in told["cells"]
    ]
    settings = Settings(**told["settings"])
    study = _study(used, cells, settings, policies, executor, workers, cache, progress)
    for cell, before, now in zip(cells, told["runs"], study.records):
        for replicate, (old, new) in enumerate(zip(before, now)):
            if old is not None and (new is None or new["digest"] != old):
                wrong.append(f"{cell.label}, replicate {replicate}: {new and new['digest'][:16]} instead of {old[:16]}")
    return study, wrong
