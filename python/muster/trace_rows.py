# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What a trace is made of, from the words of a caller to those of the engine.

Rows of nodes and shapes have the short names of Cluster.add_node and add_task, and jobs may name
their queue and user:

    nodes([{"name": "n", "cpu": 64, "gpu": 8}], never)  # capacity={"cpu": 64, "nvidia.com/gpu": 8}
    named(array(["b", "a"]), "queue", ["a", "b"])       # [1, 0]
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import fields
from .errors import InvalidArgument

Known = Callable[[str], bool]

NONE = np.uint32(0xFFFFFFFF)
ABSENT = np.iinfo(np.int64).min
# What stands for an absent cell, by column.
UNSET: dict[str, Any] = {"estimate": ABSENT, "deadline": ABSENT, "user": NONE, "preceding": NONE}
SPEED_UNIT = 1_000_000  # the engine counts millionths of a unit of work a second
_MOST_SPEED = 1_000_000


def never(resource: str) -> bool:
    """No resource has a name that is short for another one."""
    return False


def resources_of(state: Mapping[str, Any]) -> Known:
    """Whether nodes or shapes of a trace have a resource of a name."""
    known = {name for row in state["nodes"] for name in row.get("capacity", ())}
    known |= {name for row in state["shapes"] for name in row.get("request", ())}
    return known.__contains__


def nodes(given: Sequence[Any], is_resource: Known) -> list[Any]:
    return [_row(row, f"trace: nodes[{i}]", fields.node_row, is_resource)
            for i, row in enumerate(given)]


def shapes(given: Sequence[Any], is_resource: Known) -> list[Any]:
    return [_row(row, f"trace: shapes[{i}]", fields.shape_row, is_resource)
            for i, row in enumerate(given)]


def queues(given: Sequence[Any]) -> list[Any]:
    """Rows of queues; a text is a queue of that name."""
    return [{"name": row} if isinstance(row, str) else row for row in given]


def _row(row: Any, place: str, make: Callable[[Mapping[str, Any], str], fields.Fields],
         is_resource: Known) -> Any:
    if not isinstance(row, Mapping):
        return row  # the engine refuses it
    rest = {key: value for key, value in row.items() if key != "name"}
    made: fields.Fields = fields.long_names(make(rest, place), is_resource, place)
    return made if len(rest) == len(row) else {"name": row["name"], **made}


def named(column: np.ndarray, kind: str, names: list[str]) -> np.ndarray:
    """A column of names as numbers of rows; those of `names`, or where it is empty, the column's
    own names in order, which it is filled with. Other columns come back as they are."""
    texts = column.tolist()
    if column.dtype.kind not in "OU" or not any(isinstance(text, str) for text in texts):
        return column
    unset = [_is_unset(cell) for cell in texts]
    for i, text in enumerate(texts):
        if not unset[i] and not isinstance(text, str):
            raise InvalidArgument(f"trace: columns.{kind}[{i}]: expected a name, got {text!r}")
    if not names:
        names.extend(dict.fromkeys(t for t, no in zip(texts, unset) if not no))
    place = {name: row for row, name in enumerate(names) if isinstance(name, str)}
    rows = np.empty(len(texts), dtype=object)
    for i, text in enumerate(texts):
        if not unset[i] and text not in place:
            near = fields.suggestion(text, list(place))
            raise InvalidArgument(f'trace: columns.{kind}[{i}]: there is no {kind} "{text}"{near}')
        rows[i] = None if unset[i] else place[text]
    return rows if any(unset) else rows.astype(np.int64)


def check(table: Mapping[str, np.ndarray], counts: Mapping[str, int], none: int,
          place: str = "trace") -> None:
    """Refuses jobs without run times, and numbers of rows that there are not."""
    if "run" not in table:
        there = ", ".join(f'"{name}"' for name in table)
        raise InvalidArgument(f'trace: there is no column "run"; there are {there or "none"}')
    for kind, count in counts.items():
        if kind == "shape" and not count and len(table["run"]):
            raise InvalidArgument(
                f'{place}: shapes: it has none, and jobs on nodes need one, such as [{{"cpu": 1}}]')
        column = table.get(kind, np.zeros(0))
        if column.dtype.kind not in "iuO":
            continue
        for i, row in enumerate(column.tolist()):
            if isinstance(row, int) and count <= row != none:
                raise InvalidArgument(f"{place}: columns.{kind}[{i}]: there is no {kind} {row}; "
                                      f"{kind}s= lists {count}")


def resolve(state: dict[str, Any]) -> None:
    """Numbers of rows in place of the names of queues and users, and absent cells as the engine
    has them."""
    table, queue_rows, users = state["columns"], state["queues"], state["users"]
    for kind, rows in (("queue", queue_rows), ("user", users)):
        if kind in table:
            names = [row.get("name") if isinstance(row, Mapping) else row for row in rows]
            table[kind] = named(table[kind], kind, names)
            if not rows:
                rows += [{"name": name} for name in names] if kind == "queue" else names
    for name in UNSET.keys() & table.keys():
        table[name] = _filled(table[name], UNSET[name])
    counts = {"queue": max(len(queue_rows), 1), "user": len(users)}
    if state["nodes"] or state["shapes"]:
        counts["shape"] = len(state["shapes"])
    check(table, counts, int(NONE))


def _filled(column: np.ndarray, none: Any) -> np.ndarray:
    """The column with `none` in its absent cells."""
    if column.dtype.kind not in "fO":
        return column
    where = np.array([_is_unset(cell) for cell in column.tolist()], dtype=bool)
    filled = column.astype(object)
    filled[where] = int(none)
    return filled


def _is_unset(cell: Any) -> bool:
    """None, NaN, or pandas.NA: that compared with itself is no bool."""
    if isinstance(cell, (float, np.floating)):
        return bool(cell != cell)
    return cell is None or type(cell).__name__ == "NAType"


def exact_speed(row: Sequence[Any]) -> tuple[Any, ...]:
    if len(row) != 4 or isinstance(row[3], bool) or not isinstance(row[3], (int, float)):
        raise InvalidArgument(
            f"trace: speeds: {row!r} is not (model, type, workers, units of work a second)")
    if not 1 / SPEED_UNIT <= row[3] <= _MOST_SPEED:
        raise InvalidArgument(
            f"trace: speeds: the speed of {row!r} is not from a millionth to {_MOST_SPEED}")
    return (*row[:3], round(row[3] * SPEED_UNIT))


def take(table: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
    return {
        key: [column[i] for i in rows] if isinstance(column, list) else column[rows]
        for key, column in table.items()
    }
