# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What is drawn of a replay: its columns, thinned and gathered to what an eye can tell apart."""

import heapq
from typing import Any

import numpy as np

from .replay import Replay
from .statistics import leading_dimension

_NODE_ROWS, _NODE_COLUMNS = 48, 96
_REASONS = 7
_BARS = 160


def pictures(result: Replay) -> dict[str, Any]:
    """Plain values that JSON holds."""
    samples, jobs = result.samples, result.columns
    first = int(jobs["submit"][jobs["submit"] >= 0].min(initial=2**53))
    last = int(jobs["submit"].max(initial=first))
    leading = leading_dimension(samples)
    share = lambda name: [
        round(float(u) / float(c), 6) if c > 0 else None
        for u, c in zip(samples["used"][name], samples["capacity"][name])
    ]
    started = jobs["start"] >= 0
    wait = np.sort((jobs["start"] - jobs["submit"])[started])
    places = [min(len(wait) - 1, len(wait) * i // 200) for i in range(201)]
    quantiles = [int(wait[place]) for place in places] if len(wait) else []
    busiest = sorted(samples["queue_share"],
                     key=lambda q: -float(samples["queue_share"][q].sum()))[:12]
    return {
        "time": [int(t) - first for t in samples["time"]],
        "submissions_end": last - first,
        "running": samples["running"].tolist(),
        "waiting": samples["waiting"].tolist(),
        "leading": leading,
        "used": {
            name: share(name)
            for name in samples["capacity"]
            if samples["capacity"][name].max(initial=0) > 0
        },
        "fragmentation": {
            name: [round(float(x), 6) for x in column]
            for name, column in samples["fragmentation"].items()
            if name == leading
        },
        "queues": {
            name: {
                "share": [round(float(x), 6) for x in samples["queue_share"][name]],
                "deserved": [round(float(x), 6) for x in samples["queue_deserved"].get(name, ())],
            } for name in busiest
        },
        "wait_quantiles": quantiles,
        "never_started": int(((jobs["submit"] >= 0) & ~started).sum()),
        "heat": _heat(result, first, last, started),
        "pending": _pending(result),
        "nodes": None if result._core.processors else _node_heat(result, leading, first, last),
        "gantt": _gantt(result, first)
                 if result._core.processors and len(result.stays["job"]) else None,
    }


def _heat(result: Replay,
          first: int,
          last: int,
          started: np.ndarray,
          columns: int = 48) -> dict[str, Any]:
    """Mean wait by size of the job (rows: up to 1, 4, 16, ... tasks or GPUs) and time of its
    submission (columns)."""
    state = result.trace._core.state()
    size = state["columns"]["tasks"].astype(np.int64)
    gpus = [_amount(shape.get("request", {}).get("nvidia.com/gpu", 0)) for shape in state["shapes"]]
    unit = "processors" if result.trace.processors else "tasks"
    if not result.trace.processors and any(gpus):
        size, unit = np.ceil(size * np.array(gpus)[state["columns"]["shape"]]).astype(np.int64), "GPUs"
    jobs = result.columns
    step = max(1, -(-(last - first + 1) // columns))
    at = (jobs["submit"][started] - first) // step
    row = np.ceil(np.log2(np.maximum(size[started], 1)) / 2).astype(np.int64)
    rows = int(row.max(initial=0)) + 1
    cell = row * columns + at
    waits = (jobs["start"] - jobs["submit"])[started].astype(float)
    counts = np.bincount(cell, minlength=rows * columns)
    sums = np.bincount(cell, weights=waits, minlength=rows * columns)
    means = [[
        None if not counts[r * columns + c] else round(
            float(sums[r * columns + c] / counts[r * columns + c]), 3) for c in range(columns)
    ] for r in range(rows)]
    return {"unit": unit, "sizes": [4**r for r in range(rows)], "step": step, "wait": means}


_SUFFIXES = {"m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_SUFFIXES |= {f"{c}i": 1024.0 ** (i + 1) for i, c in enumerate("KMGTP")}


def _amount(quantity: Any) -> float:
    """A Kubernetes quantity, near enough to draw."""
    text = str(quantity)
    for suffix in (text[-2:], text[-1:]):
        if suffix in _SUFFIXES:
            return float(text[: -len(suffix)]) * _SUFFIXES[suffix]
    return float(text)


def _pending(result: Replay) -> dict[str, list[int]]:
    """Waiting jobs by reason over time; the rarest reasons are one."""
    table = {name: np.asarray(column) for name, column in dict(result.pending).items() if name != "time"}
    order = sorted(table, key=lambda name: -int(table[name].sum()))
    shown = {name: table[name].tolist() for name in order[:_REASONS] if table[name].any()}
    rest = [table[name] for name in order[_REASONS:]]
    return shown | ({"other": np.sum(rest, axis=0).tolist()} if rest and np.any(rest) else {})


def _node_heat(result: Replay, leading: str | None, first: int, last: int) -> dict[str, Any] | None:
    """By node (or neighbours, where there are many) and time: the part of the leading resource that
    tasks held."""
    state, stays = result.trace._core.state(), result.stays
    if leading is None or not len(stays["job"]):
        return None
    capacity = np.array(
        [_amount(node.get("capacity", {}).get(leading, 0)) for node in state["nodes"]])
    asks = np.array(
        [_amount(shape.get("request", {}).get(leading, 0)) for shape in state["shapes"]])
    with_it = np.flatnonzero(capacity > 0)
    rows = min(_NODE_ROWS, len(with_it))
    row_of = np.full(len(capacity), -1)
    row_of[with_it] = np.arange(len(with_it)) * rows // len(with_it)
    end = first + int((last - first or 1) * 1.25)
    step = max(1, -(-(end - first) // _NODE_COLUMNS))
    began = np.minimum(stays["from"], end)
    left = np.where(stays["to"] < 0, end, np.minimum(stays["to"], end))
    weight, row = asks[state["columns"]["shape"][stays["job"]]], row_of[stays["node"]]
    counts = (weight > 0) & (row >= 0)
    began, left, weight, row = began[counts], left[counts], weight[counts], row[counts]
    held = [
        np.bincount(row,
                    weight * (np.minimum(left, edge) - np.minimum(began, edge)),
                    minlength=rows) for edge in first + step * np.arange(_NODE_COLUMNS + 1)
    ]
    room = np.bincount(row_of[with_it], capacity[with_it], minlength=rows) * step
    names = [state["nodes"][int(with_it[row_of[with_it] == r][0])]["name"] for r in range(rows)]
    share = np.clip(np.diff(np.array(held), axis=0).T / room[:, None], 0, 1)
    return {
        "names": names, "step": step, "used": np.round(share, 4).tolist(),
        "nodes_a_row": len(with_it) / rows
    }


def _gantt(result: Replay, first: int) -> dict[str, Any]:
    """Of a pool: the processors that jobs held around the time when most jobs waited. Each job is
    drawn on the lowest free ones, which no policy decided."""
    stays, tasks = result.stays, result.trace._core.columns()["tasks"]
    samples = result.samples
    busiest = int(samples["time"][int(np.argmax(samples["waiting"]))])
    middle = int(np.searchsorted(stays["from"], busiest))
    begin = int(stays["from"][max(0, middle - _BARS // 2)])
    last = int(stays["from"][min(len(stays["from"]) - 1, middle + _BARS // 2)])
    to = np.where(stays["to"] < 0, np.iinfo(np.int64).max, stays["to"])
    end = max(begin + 1, last)
    there = np.flatnonzero((to > begin) & (stays["from"] < end))
    free, busy, bars = list(range(result._core.processors)), [], []
    for i in there:
        start, job = int(stays["from"][i]), int(stays["job"][i])
        while busy and busy[0][0] <= start:
            for processor in heapq.heappop(busy)[1]:
                heapq.heappush(free, processor)
        mine = [heapq.heappop(free) for _ in range(int(tasks[job]))]
        heapq.heappush(busy, (int(to[i]), mine))
        at = 0
        while at < len(mine):
            run = at
            while run + 1 < len(mine) and mine[run + 1] == mine[run] + 1:
                run += 1
            bars.append([
                max(start, begin) - begin,
                min(int(to[i]), end) - begin, mine[at], run - at + 1, job % 8
            ])
            at = run + 1
    return {"from": begin - first, "length": end - begin, "processors": result._core.processors, "bars": bars}
