# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From keyword arguments to the fields of include/muster/spec.h.

The fields keep their names. In addition, the most frequent ones have short forms:

    add_node("n1", cpu=64, memory="256Gi", gpu=8)
        capacity={"cpu": 64, ..., "nvidia.com/gpu": 8}
    add_task("t", cpu=1, node_selector={"a": "b"})
        shape={"request": {"cpu": 1}, "node_selector": {"a": "b"}}
    add_job("j", count=16, cpu=1)
        groups=[{"count": 16, "shape": {"request": {"cpu": 1}}}]

"gpu" is short in maps of amounts, too: limit={"gpu": 4}. There it is the name of a resource where
the cluster has one of that name, as from a scenario.
"""

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import rows
from .errors import InvalidArgument, shown
from .frames import array, cells, is_column
from .limits import DEEPEST

Fields = dict[str, Any]

# The keywords of a row's methods, by kind.
_KNOWN: dict[str, frozenset[str]] = {
    kind: frozenset(keywords.__annotations__)
    for kind, keywords in (("node", rows.NodeKeywords), ("queue", rows.QueueKeywords),
                           ("job", rows.JobKeywords), ("task", rows.TaskKeywords),
                           ("reservation", rows.ReservationKeywords))
}

# Fields that are themselves maps: "settings.a/b" is a part of one, and no resource.
_MAPS = {
    name
    for keywords in (rows.NodeKeywords, rows.QueueKeywords, rows.JobKeywords, rows.TaskKeywords)
    for name, form in keywords.__annotations__.items()
    if form in (rows.Resources, rows.Labels)
} | {"shape", "usage"}

_SHORT = {"gpu": "nvidia.com/gpu", "ephemeral_storage": "ephemeral-storage"}
_PLAIN = ("cpu", "memory", "pods", "ephemeral-storage")

# Fields that map resources to amounts, at any depth; "resources" of a quota group lists them.
_AMOUNTS = {
    name for keywords in vars(rows).values() if hasattr(keywords, "__annotations__")
    for name, form in keywords.__annotations__.items() if form is rows.Resources
} | {"resources"}

SHAPE = (
    "request",
    "initial_request",
    "containers",
    "namespace",
    "labels",
    "node_selector",
    "required_node_affinity",
    "preferred_node_affinity",
    "required_affinity",
    "required_anti_affinity",
    "preferred_affinity",
    "preferred_anti_affinity",
    "tolerations",
    "spread",
    "host_ports",
    "revocable",
    "guaranteed_qos",
    "alignment",
    "pod",
)
# Fields with a list as the value of one row: a list that a keyword gives for them is no column.
_LISTS = {
    "containers",
    "required_node_affinity",
    "preferred_node_affinity",
    "required_affinity",
    "required_anti_affinity",
    "preferred_affinity",
    "preferred_anti_affinity",
    "tolerations",
    "spread",
    "host_ports",
    "taints",
    "zones",
    "devices",
    "images",
    "gates",
    "groups",
    "sub_groups",
    "sub_group_policies",
    "share_path",
    "node_group_limits",
}


def dimension(name: str) -> str | None:
    """The resource dimension that a keyword or column stands for; None: it stands for none."""
    if name in _SHORT:
        return _SHORT[name]
    if "." in name and name.split(".", 1)[0] in _MAPS:
        return None
    if name in _PLAIN or "/" in name or name.startswith("hugepages-"):
        return name
    return None


# Columns of a cluster's tables that no method takes: such a table would lose what it leaves out.
_OF_TABLES = {"queue": ("jobs",), "job": ("tasks",), "task": ("task_class",)}


_SCALARS = (str, int, float, bool)


def long_names(row: Any,
               is_resource: Callable[[str], bool],
               what: str,
               amounts: bool = False,
               depth: int = DEEPEST) -> Any:
    """The row with resources instead of short words in its maps of amounts. A word that
    `is_resource` knows is no short one. `amounts`: the row is such a map, or a list of names.
    `depth`: how many more lists and maps may be inside each other."""
    if depth < 0:
        place = what if len(what) <= 100 else f"{what[:97]}..."
        raise InvalidArgument(f"{place}: nested deeper than {DEEPEST}")

    def long(word: Any) -> Any:
        return _SHORT[word] if amounts and word in _SHORT and not is_resource(word) else word

    if isinstance(row, Mapping):
        out: Fields = {}
        for key, value in row.items():
            name = long(key)
            if name != key and name in row:
                raise InvalidArgument(f'{what}: "{name}" is given twice, once as "{key}"')
            out[name] = value if amounts or type(value) in _SCALARS else long_names(
                value, is_resource, f"{what}: {key}", key in _AMOUNTS, depth - 1)
        return out
    if isinstance(row, (list, tuple)):
        return [
            long(one) if isinstance(one, str) else
            long_names(one, is_resource, what, depth=depth - 1) for one in row
        ]
    return row


def json_text(value: Any, place: str) -> str:
    """The value as JSON."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as failure:
        raise InvalidArgument(f"{place}: expected what JSON can hold: {failure}") from None


def _long_column(key: str, is_resource: Callable[[str], bool]) -> str:
    """The key of a column "limit.gpu" with the resource that the last part is short for."""
    head, _, word = key.rpartition(".")
    short = word in _SHORT and head.rpartition(".")[2] in _AMOUNTS and not is_resource(word)
    return f"{head}.{_SHORT[word]}" if short else key


def _long_cells(column: np.ndarray, key: str, is_resource: Callable[[str], bool],
                place: str) -> np.ndarray:
    """The column with long names in the cells that are maps or lists."""
    if column.dtype != object or {dict, list, tuple}.isdisjoint(map(type, column)):
        return column
    amounts = key.rpartition(".")[2] in _AMOUNTS
    return cells([
        long_names(cell, is_resource, f"{place}[{i}]", amounts) for i, cell in enumerate(column)
    ])


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown word: the nearest that is known. Of a family of names
    that begin with the word, as wait_mean and wait_p99 do with wait, it is the first in order."""
    names = list(known)
    nearest = difflib.get_close_matches(word, names, 1)
    if nearest and nearest[0].startswith(f"{word}_") and not isinstance(known, (set, frozenset)):
        nearest = [name for name in names if name.startswith(f"{word}_")]
    return f', did you mean "{nearest[0]}"?' if nearest else ""


def _check(names: Iterable[str], kind: str, what: str) -> None:
    """Refuses what is no field of the row; the engine's own words know no short forms."""
    known = _KNOWN[kind]
    for name in names:
        if name in known:
            continue
        if name in _OF_TABLES.get(kind, ()):
            raise InvalidArgument(
                f'{what}: "{name}" is a column of Cluster.{kind}s, a table without all fields of a '
                f"{kind}; Cluster.copy() and to_dict() have them all"
            )
        if dimension(name) is None and name.split(".", 1)[0] not in known and name != "name":
            raise InvalidArgument(f'{what}: unknown field "{name}"{suggestion(name, known)}')


def _gather(given: Mapping[str, Any], into: str, what: str) -> Fields:
    """Moves the dimensions among the keywords into the field `into`."""
    out: Fields = {}
    amounts: Fields = {}
    for name, value in given.items():
        if value is None:
            continue
        if (known := dimension(name)) is not None:
            if known in amounts:
                raise InvalidArgument(f'{what}: "{known}" is given twice')
            amounts[known] = value
        else:
            out[name] = value
    if amounts:
        said = out.get(into, {})
        if not isinstance(said, Mapping):
            raise InvalidArgument(f"{what}: {into}: expected a dict, got {shown(said)}")
        for name in amounts:
            if name in said:
                raise InvalidArgument(f'{what}: "{name}" is given twice, alone and in {into}')
        out[into] = {**said, **amounts}
    return out


def node(name: str, given: Mapping[str, Any]) -> Fields:
    return {"name": name, **node_row(given, f'node "{name}"')}


def node_row(given: Mapping[str, Any], what: str) -> Fields:
    """The fields of a node besides its name."""
    _check(given, "node", what)
    return _gather(given, "capacity", what)


def shape_row(given: Mapping[str, Any], what: str) -> Fields:
    """The fields of a shape."""
    known = (*rows.TaskShape.__annotations__, *_PLAIN, *_SHORT)
    for name in given:
        if name not in known and dimension(name) is None:
            raise InvalidArgument(f'{what}: unknown field "{name}"{suggestion(name, known)}')
    return _gather(given, "request", what)


def shape(given: Mapping[str, Any], what: str, more: tuple[str, ...] = ()) -> Fields:
    """Moves the fields of the shape into the field "shape"; `more`: fields of the row that have
    names of shape fields."""
    out = _gather(given, "request", what)
    part = {name: out.pop(name) for name in (*SHAPE, *more) if name in out}
    if part:
        said = out.get("shape", {})
        if not isinstance(said, Mapping):
            raise InvalidArgument(f"{what}: shape: expected a dict, got {shown(said)}")
        for name in part:
            if name in said:
                raise InvalidArgument(f'{what}: "{name}" is given twice, alone and in shape')
        out["shape"] = {**said, **part}
    return out


def task(name: str, given: Mapping[str, Any]) -> Fields:
    _check(given, "task", f'task "{name}"')
    return {"name": name, **shape(given, f'task "{name}"')}


def reservation(name: str, given: Mapping[str, Any]) -> Fields:
    _check(given, "reservation", f'reservation "{name}"')
    return {"name": name, **shape(given, f'reservation "{name}"', _JOB_SHAPE)}


_GROUP = ("count", "shape", "group")
# A job asks for devices; a task may also hold some, and asks in its shape.
_JOB_SHAPE = ("devices",)


def job(name: str, given: Mapping[str, Any]) -> Fields:
    """A job; `count` or `by_count`, and what describes a shape, make one group named `group`."""
    _check(given, "job", f'job "{name}"')
    out = shape(given, f'job "{name}"', _JOB_SHAPE)
    if "count" in out or "shape" in out or "by_count" in out:
        if "groups" in out:
            raise InvalidArgument(f'job "{name}": say either groups, or count and requests')
        group: Fields = {"shape": out.pop("shape", {})}
        if "by_count" in out:
            group["by_count"] = out.pop("by_count")
        else:
            group["count"] = out.pop("count", 1)
        if "group" in out:
            group["name"] = out.pop("group")
        out["groups"] = [group]
    return {"name": name, **out}


# --- columns -------------------------------------------------------------------------------------


def _place(name: str, amounts: str, shaped: str) -> str:
    """The key of a column: "cpu" -> "capacity.cpu", "labels.zone" -> "shape.labels.zone"."""
    if (known := dimension(name)) is not None:
        return f"{amounts}.{known}"
    if name.split(".", 1)[0] in _FAMILIES and "." in name:
        return f"{shaped}{name}"
    return f"{shaped}{name}" if shaped and name in SHAPE else name


_FAMILIES = ("request", "initial_request", "labels", "node_selector")


def _refuse_overlap(key: str, name: str, constants: Fields, what: str) -> None:
    """Refuses a column that sets what a keyword sets: "capacity.cpu" beside capacity={"cpu": 8}."""
    holder: Any = constants
    while isinstance(holder, Mapping):
        if key in holder:
            raise InvalidArgument(f'{what}: "{name}" is given twice, as a column and by a keyword')
        head, _, key = key.partition(".")
        holder = holder.get(head)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, range))


def _column(value: Any, place: str) -> np.ndarray:
    """A column. One without rows is of no type, for NumPy would take it for floats."""
    if _is_list(value) and not {list, tuple}.isdisjoint(map(type, value)):
        return cells(value)  # a list in a cell is no second dimension
    read = array(value, place)
    return read if len(read) else cells([])


def split(table: Mapping[str, Any], keywords: Mapping[str, Any], kind: str,
          is_resource: Callable[[str], bool]) -> tuple[Fields, Fields]:
    """Returns (columns by the engine's keys, constants) of a table with rows of that kind. A list
    of the table is a column; one of the keywords may be the value of each row."""
    for name in keywords.keys() & table.keys():
        raise InvalidArgument(f'{kind}s: "{name}" is a column and a keyword')
    given = {**table, **keywords}
    _check(given, kind, f"{kind}s")
    columns: Fields = {}
    constants: Fields = {}
    names: dict[str, str] = {}  # by key, as they are given
    for name, value in given.items():
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, Iterator):
            raise InvalidArgument(
                f"{kind}s: {name}: expected an array or a list, got a {type(value).__name__}")
        is_shared = name in keywords and name in _LISTS
        if not (is_column(value) or (_is_list(value) and not is_shared)):
            constants[name] = value
            continue
        if kind == "node":
            key = _place(name, "capacity", "")
        elif kind == "queue":
            key = name
        else:
            key = _place(name, "shape.request", "shape.")
        key = _long_column(key, is_resource)
        if key in columns:
            raise InvalidArgument(f'{kind}s: column "{key}" is given twice')
        place = f"{kind}s: {name}"
        columns[key] = _long_cells(_column(value, place), key, is_resource, place)
        names[key] = name
        first = next(iter(columns))
        if len(columns[key]) != len(columns[first]):
            raise InvalidArgument(
                f'{kind}s: columns differ in length: "{names[first]}" has {len(columns[first])} '
                f'rows, "{name}" has {len(columns[key])}'
            )
    if kind == "node":
        constants = _gather(constants, "capacity", "nodes")
    elif kind != "queue":
        constants = shape(constants, f"{kind}s", _JOB_SHAPE if kind == "job" else ())
    constants = long_names(constants, is_resource, f"{kind}s")
    for key, name in names.items():
        _refuse_overlap(key, name, constants, f"{kind}s")
    return columns, constants


def split_group(columns: Fields, constants: Fields) -> tuple[Fields, Fields]:
    """Takes what describes the group of each job out of the columns and constants of jobs."""
    group_columns = {
        key: columns.pop(key)
        for key in list(columns)
        if key == "count" or key.startswith("shape.")
    }
    if "group" in columns:
        group_columns["group"] = columns.pop("group")
    if not columns:
        raise InvalidArgument('jobs: column "name" is missing')
    group_constants: Fields = {
        key: constants.pop(key) for key in ("count", "by_count", "shape") if key in constants
    }
    if "group" in constants:
        name = group_constants["name"] = constants.pop("group")
        if not isinstance(name, str):
            raise InvalidArgument(f"jobs: group: expected a text, got {shown(name)}")
    if (group_columns or group_constants) and "by_count" not in group_constants:
        group_constants.setdefault("count", 1)  # also of rows with an empty cell
    return group_columns, group_constants


# Kinds of rows in a listing that keywords describe.
_KINDS = {"nodes": "node", "queues": "queue", "jobs": "job", "tasks": "task",
          "partitions": "partition", "reservations": "reservation"}


def listing(full: Any, row_of: Callable[[str, str, Fields], Fields]) -> dict[str, list[Fields]]:
    """Rows by kind, as Cluster.reconcile takes them; `row_of` makes those that have keywords."""
    if not isinstance(full, Mapping):
        raise InvalidArgument(
            f"reconcile: expected a dict of lists of rows, got {type(full).__name__}")
    made: dict[str, list[Fields]] = {}
    for kind, rows in full.items():
        if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
            raise InvalidArgument(f"reconcile: {kind}: expected a list, got {type(rows).__name__}")
        made[kind] = []
        for i, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise InvalidArgument(f"reconcile: {kind}[{i}]: expected a dict, got {shown(row)}")
            given = dict(row)
            if kind in _KINDS and "name" in given:
                given = row_of(_KINDS[kind], given.pop("name"), given)
            made[kind].append(given)
    return made
