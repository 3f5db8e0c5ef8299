# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Many replays at once: on all cores, on Ray, or here; each finished one is kept on disk by the
digest of its inputs.

A run is a pure function of (trace, policy, options, warm-up, replicate), so where it runs changes
nothing, and what was once computed by the same engine is never computed again.
"""

import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import pathlib
import pickle
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache as _once
from typing import Any, TextIO

import numpy as np

from . import _core, own
from .errors import InvalidArgument
from .fields import suggestion
from .limits import integer
from .pictures import pictures
from .replay import replay
from .statistics import measure
from .traces import Trace
from .whole_files import write_whole

_FORM = 4  # of what is kept; another form makes other keys


@dataclass(frozen=True)
class Run:
    """One replay to be made. `replicate` 0 plays the trace as it is, the others resample it, or
    shake it as `shake` says."""

    trace: str  # its digest
    policy: str
    options: Mapping[str, Any] = field(default_factory=dict)
    warmup: int = 0
    replicate: int = 0
    seed: int = 0
    block: int = 50
    shake: Mapping[str, float] | None = None  # the arguments of Trace.shaken
    own: tuple[Mapping[str, Any], ...] = ()  # identities of the caller's policies it plays with

    @property
    def inputs(self) -> dict[str, Any]:
        how = {"shake": dict(self.shake)} if self.shake is not None else {"block": self.block}
        drawn = {"seed": replicate_seed(self.seed, self.replicate)} | how
        inputs = {
            "trace": self.trace,
            "policy": self.policy,
            "options": dict(self.options),
            "warmup": self.warmup,
            "replicate": drawn if self.replicate else None,
        }
        return inputs | ({"policies": [dict(one) for one in self.own]} if self.own else {})

    @property
    def key(self) -> str:
        text = json.dumps(self.inputs | {"engine": engine_digest(), "form": _FORM}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def replicate_seed(seed: int, replicate: int) -> int:
    return seed * 1_000_003 + replicate


@_once
def engine_digest() -> str:
    """Of the extension module's file and of what measures a run: another build's results are not
    taken for this one's."""
    digest = hashlib.sha256(pathlib.Path(_core.__file__).read_bytes())
    for name in ("own.py", "pictures.py", "policy.py", "replay.py", "runs.py", "statistics.py", "traces.py"):
        digest.update((pathlib.Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()


# --- one run


def make(run: Run, trace: Trace, policies: Sequence[own.Own] = ()) -> dict[str, Any]:
    """A record: plain values that JSON holds. What pictures need is kept of the trace as it is, not
    of replicates. Of `policies`, it plays with those that the spec string names."""
    options: dict[str, Any] = dict(run.options)
    if run.replicate:
        seed = replicate_seed(run.seed, run.replicate)
        if run.shake is not None:
            trace = trace.shaken(seed, int(run.shake["submit"]), run.shake["run"])
        else:
            trace = trace.resampled(seed, run.block)
    else:
        options |= {"record_placements": True}
    begin = time.perf_counter()
    mine = own.named(run.policy, policies)
    try:
        result = replay(trace, run.policy, policies=mine, **options)
    except Exception as failure:  # of a policy of the caller, which knows nothing of the study
        which = f"replicate {run.replicate}" if run.replicate else "the trace as it is"
        failure.add_note(f'under {run.policy}, {which} of "{trace.name}"')
        raise
    seconds = time.perf_counter() - begin
    record: dict[str, Any] = {
        "policy": result.policy,
        "complete": result.complete,
        "clairvoyant": result.clairvoyant,
        "digest": result.digest,
        "metrics": measure(result, run.warmup),
        "which_ended": hashlib.sha256((result.columns["end"] >= 0).tobytes()).hexdigest()[:16],
        "counts": result.counts,
        "seconds": seconds,
    }
    if not run.replicate:
        record["pictures"] = pictures(result)
    return record


# --- what was computed before


class Cache:
    """Records by key, a file each; written aside and moved, so that a file is there whole or not at
    all."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        default = os.environ.get("MUSTER_CACHE") or pathlib.Path(
            os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "muster"
        )
        self.folder = pathlib.Path(folder if folder is not None else default)

    def _path(self, key: str) -> pathlib.Path:
        return self.folder / "runs" / key[:2] / f"{key}.json"

    def get(self, key: str) -> dict[str, Any] | None:
        try:
            return json.loads(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None  # not there, or not ours to read: it is computed anew

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(record))


# --- where they run. Each takes runs and gives (index, record) as they end.

_traces: Mapping[str, Trace] = {}  # of a worker process, set once when it starts
_policies: Sequence[own.Own] = ()


def _start_worker(traces: Mapping[str, Trace], policies: Sequence[own.Own]) -> None:
    global _traces, _policies
    _traces, _policies = traces, policies
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear


def _in_worker(run: Run) -> dict[str, Any]:
    return make(run, _traces[run.trace], _policies)


_Records = Iterator[tuple[int, dict[str, Any]]]


def _here(runs: Sequence[Run], traces: Mapping[str, Trace], policies: Sequence[own.Own],
          workers: int) -> _Records:
    for i, run in enumerate(runs):
        yield i, make(run, traces[run.trace], policies)


def _processes(runs: Sequence[Run], traces: Mapping[str, Trace], policies: Sequence[own.Own],
               workers: int) -> _Records:
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin" else "spawn"
    before = set(multiprocessing.active_children())
    pool = concurrent.futures.ProcessPoolExecutor(
        min(workers, len(runs)),
        multiprocessing.get_context(method),
        _start_worker,
        (traces, policies),
    )
    try:
        futures = {pool.submit(_in_worker, run): i for i, run in enumerate(runs)}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], future.result()
    except BaseException:  # also where the caller wants no more: running replays are not waited for
        for child in multiprocessing.active_children():
            if child not in before:
                child.terminate()
                child.join()
        # One may have been ended in the middle of a record. The pool's thread, which would wait for
        # the rest of it, reads the end of the pipe once no process can write.
        pool._result_queue._writer.close()  # type: ignore[attr-defined]
        # Its thread ends with them, and is waited for: it closes what the interpreter's exit would
        # write to.
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _portable(policies: Sequence[own.Own]) -> bytes:
    """The policies with their classes, where those are of no module that a worker can import."""
    from ray import cloudpickle

    local = []
    for one in policies:
        module = sys.modules.get(type(one).__module__)
        if module is not None and type(one).__module__.startswith("muster_own_"):
            cloudpickle.register_pickle_by_value(module)
            local.append(module)
    try:
        return bytes(cloudpickle.dumps(list(policies)))
    finally:
        for module in local:
            cloudpickle.unregister_pickle_by_value(module)


def _on_ray(run: Run, trace: Trace, policies: bytes) -> dict[str, Any]:
    return make(run, trace, pickle.loads(policies))


def _ray(runs: Sequence[Run], traces: Mapping[str, Trace], policies: Sequence[own.Own],
         workers: int) -> _Records:
    try:
        import ray
    except ImportError:
        raise InvalidArgument('executor "ray": Ray is not installed (pip install ray)') from None
    if not ray.is_initialized():
        path = os.pathsep.join(p for p in sys.path if p)
        ray.init(num_cpus=workers,
                 log_to_driver=False,
                 runtime_env={"env_vars": {"PYTHONPATH": path}})
    held = {digest: ray.put(trace) for digest, trace in traces.items()}
    with_policies = ray.put(_portable(policies))
    task = ray.remote(_on_ray)
    left = {task.remote(run, held[run.trace], with_policies): i for i, run in enumerate(runs)}
    try:
        while left:
            done, _ = ray.wait(list(left))
            for reference in done:
                yield left.pop(reference), ray.get(reference)
    finally:
        for reference in left:
            ray.cancel(reference, force=True)


_EXECUTORS: dict[str, Callable[[Sequence[Run], Mapping[str, Trace], Sequence[own.Own], int],
                               _Records]] = {
                                   "processes": _processes,
                                   "ray": _ray,
                                   "here": _here,
                               }


# --- all of them


class Progress:
    """One line on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, total: int, out: TextIO | None) -> None:
        self._total, self._out = total, out
        self._begin = self._told = time.monotonic()
        self._done = self._found = 0

    def step(self, from_cache: bool) -> None:
        self._done += 1
        self._found += from_cache
        if self._out is None:
            return
        terminal = self._out.isatty()
        now = time.monotonic()
        if not terminal and now - self._told < 10 and self._done < self._total:
            return
        if from_cache and self._done < self._total:
            return
        self._told = now
        made = self._done - self._found
        left = (now - self._begin) / made * (self._total - self._done) if made else 0
        text = f"muster: {self._done} of {self._total} replays"
        text += f" ({self._found} from the cache)" if self._found else ""
        text += f", {left:.0f} s left" if self._done < self._total else f", {now - self._begin:.1f} s"
        end = "\n" if not terminal or self._done == self._total else ""
        self._out.write(("\r\x1b[K" if terminal else "") + text + end)
        self._out.flush()


def make_all(
    runs: Sequence[Run],
    traces: Iterable[Trace],
    *,
    policies: Sequence[own.Own] = (),
    executor: str = "processes",
    workers: int | None = None,
    cache: Cache | None = None,
    progress: TextIO | None = None,
) -> tuple[list[dict[str, Any] | None], bool]:
    """The records, in the order of `runs`, and whether all were made: Ctrl-C leaves None for those
    that were not.

    `policies` are the caller's own: a run plays with those that its spec string names, and is kept
    if each of them has a revision. Where the cache cannot be written there is a warning, once, and
    all goes on without it.
    """
    if executor not in _EXECUTORS:
        raise InvalidArgument(
            f'executor "{executor}" is not known{suggestion(executor, _EXECUTORS)}; there are '
            f'{", ".join(_EXECUTORS)}'
        )
    if workers is not None and integer(workers, "workers") < 1:
        raise InvalidArgument(f"workers is {workers}; must be 1 or more")
    by_digest = {trace.digest: trace for trace in traces}
    records: list[dict[str, Any] | None] = [None] * len(runs)
    bar = Progress(len(runs), progress)
    keys = [run.key for run in runs] if cache is not None else []
    kept = [own.is_kept(own.named(run.policy, policies)) for run in runs]
    missing = []
    for i in range(len(runs)):
        if cache is not None and kept[i]:
            records[i] = cache.get(keys[i])
        if records[i] is None:
            missing.append(i)
        else:
            bar.step(from_cache=True)
    if not missing:
        return records, True
    made = _EXECUTORS[executor]([runs[i] for i in missing], by_digest, policies, workers
                                or len(os.sched_getaffinity(0)))
    try:
        for place, record in made:
            i = missing[place]
            records[i] = record
            if cache is not None and kept[i] and record["complete"]:
                try:
                    cache.put(keys[i], record)
                except OSError as failure:  # a full disk: the study continues without its cache
                    cache = None
                    warnings.warn(f"finished replays are not kept for a later call: {failure}",
                                  RuntimeWarning,
                                  stacklevel=4)
            bar.step(from_cache=False)
            if not record["complete"]:
                return records, False
    except KeyboardInterrupt:
        return records, False
    finally:
        made.close()  # type: ignore[attr-defined]
    return records, True
