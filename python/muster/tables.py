# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Muster's own tables of jobs, nodes, queues and speeds, as CSV and as Parquet; docs/replay.md
lists their columns.

A Parquet file is handed to the reader of CSV as the text its columns make, so that both forms have
one set of rules.
"""

from __future__ import annotations

import csv
import io
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InvalidArgument
from .whole_files import replacing

if TYPE_CHECKING:
    from .traces import Trace

_ABSENT = np.iinfo(np.int64).min
_NONE = 0xFFFFFFFF
_FORMS = ("csv", "parquet")


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise InvalidArgument("Parquet: pyarrow is not installed (pip install pyarrow)") from None
    return pyarrow


def parquet_bytes(path: pathlib.Path) -> bytes:
    """The table as CSV."""
    arrow = _arrow()
    data = path.read_bytes()
    try:
        table = arrow.parquet.read_table(io.BytesIO(data))
        out = io.BytesIO()
        arrow.csv.write_csv(table, out)
    except (arrow.ArrowException, OSError) as failure:
        raise InvalidArgument(f"{path}: not a readable Parquet table: {failure}") from None
    return out.getvalue()


Columns = dict[str, list[Any]]  # None: absent


def _plain(things: Sequence[Mapping[str, Any]], what: str, kept: Sequence[str]) -> None:
    for thing in things:
        more = sorted(key for key in thing if key not in kept)
        if more:
            raise InvalidArgument(f'trace: {what} has "{more[0]}", which no table holds; save it with Trace.save')


def _spread(table: Columns, prefix: str, cells: Sequence[Mapping[str, Any]]) -> None:
    names = dict.fromkeys(name for cell in cells for name in cell)
    for name in names:
        table[f"{prefix}.{name}"] = [
            None if name not in cell else str(cell[name]) for cell in cells
        ]


def _jobs(state: Mapping[str, Any]) -> Columns:
    columns, shapes = state["columns"], state["shapes"]
    if state.get("node_events"):
        raise InvalidArgument("trace: it has node events, which no table holds; save it with Trace.save")
    _plain(shapes, "a shape", ("request", "node_selector", "labels"))
    _plain(state["queues"], "a queue", ("name", "parent", "weight", "guaranteed", "limit"))
    table: Columns = {
        "id": columns["id"].tolist(), "submit": columns["submit"].tolist(),
        "run": columns["run"].tolist()
    }
    if "names" in columns:
        table["name"] = [name or None for name in columns["names"]]
    for name in ("estimate", "deadline"):
        if name in columns:
            table[name] = [None if value == _ABSENT else value for value in columns[name].tolist()]
    for name in ("tasks", "min_tasks", "priority", "think"):
        if name in columns:
            table[name] = columns[name].tolist()
    if "preceding" in columns:
        ids = table["id"]
        table["preceding"] = [
            None if row == _NONE else ids[row] for row in columns["preceding"].tolist()
        ]
    if state["queues"]:
        names = [queue["name"] for queue in state["queues"]]
        table["queue"] = [names[row] for row in columns["queue"].tolist()]
    if state["users"]:
        users = state["users"]
        table["user"] = [None if row == _NONE else users[row] for row in columns["user"].tolist()]
    if shapes:
        rows = columns["shape"].tolist()
        requests = [shape.get("request", {}) for shape in shapes]
        selectors = [shape.get("node_selector", {}) for shape in shapes]
        _spread(table, "request", [requests[row] for row in rows])
        _spread(table, "selector", [selectors[row] for row in rows])
        labels = [shape.get("labels", {}) for shape in shapes]
        _spread(table, "label", [labels[row] for row in rows])
    return {
        name: cells for name, cells in table.items() if any(cell is not None
                                                            for cell in cells) or name == "submit"
    }


def _nodes(nodes: Sequence[Mapping[str, Any]]) -> Columns:
    _plain(nodes, "a node", ("name", "capacity", "labels", "domain"))
    table: Columns = {"name": [node["name"] for node in nodes]}
    if any(node.get("domain") for node in nodes):
        table["domain"] = [node.get("domain") for node in nodes]
    _spread(table, "capacity", [node.get("capacity", {}) for node in nodes])
    _spread(table, "label", [node.get("labels", {}) for node in nodes])
    return table


def _queues(queues: Sequence[Mapping[str, Any]]) -> Columns:
    table: Columns = {"name": [queue["name"] for queue in queues]}
    if any(queue.get("parent") for queue in queues):
        table["parent"] = [queue.get("parent") or None for queue in queues]
    table["weight"] = [queue.get("weight", 1) for queue in queues]
    for prefix in ("guaranteed", "limit"):
        _spread(table, prefix, [queue.get(prefix) or {} for queue in queues])
    return table


def _speeds(rows: Sequence[tuple[str, str, int, int]]) -> Columns:
    """Of rows with speeds in millionths, which a decimal holds exactly."""
    def text(speed: int) -> str:
        return f"{speed // 1_000_000}.{speed % 1_000_000:06}"

    model, type, workers, speed = ([row[i] for row in rows] for i in range(4))
    return {"model": model, "type": type, "workers": workers, "speed": [text(s) for s in speed]}


def _write(table: Columns, path: pathlib.Path) -> None:
    if path.suffix == ".parquet":
        arrow = _arrow()
        with replacing(path) as file:
            arrow.parquet.write_table(arrow.table(table), file)
        return
    with replacing(path, text=True, newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values()))


def save(trace: Trace, folder: pathlib.Path, form: str) -> list[pathlib.Path]:
    if form not in _FORMS:
        raise InvalidArgument(f'save_tables: form "{form}" is not known; there are {", ".join(_FORMS)}')
    state = trace._core.state()
    tables = {"jobs": _jobs(state)}
    if state["nodes"]:
        tables["nodes"] = _nodes(state["nodes"])
    if state["queues"]:
        tables["queues"] = _queues(state["queues"])
    if state.get("speeds"):
        tables["speeds"] = _speeds(state["speeds"])
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{form}" for name in tables]
    for path, table in zip(paths, tables.values()):
        _write(table, path)
    return paths
