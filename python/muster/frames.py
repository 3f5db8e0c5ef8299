# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Tables in and out: pandas where it is there, NumPy where it is not, Arrow and others by their
to_numpy()."""

import dataclasses
import functools
import html
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .errors import InvalidArgument

Arrays = dict[str, np.ndarray]


def frame(table: Arrays) -> Any:
    """A pandas.DataFrame, or the dict of arrays itself where pandas is not installed. Integers of
    which some may be absent are a masked array, and a column of pandas' type Int64."""
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame({
        name: pandas.arrays.IntegerArray(column.data, np.ma.getmaskarray(column))
        if isinstance(column, np.ma.MaskedArray) else column for name, column in table.items()
    })


def listing(table: Arrays) -> Any:
    """As frame(), for columns of texts that are to be read: the DataFrame prints every cell whole,
    on as many lines as it needs, where pandas would cut it."""
    made = frame(table)
    return made if isinstance(made, dict) else _listing_class()(made)


@functools.cache
def _listing_class() -> Any:
    import pandas

    class Listing(pandas.DataFrame):
        @property
        def _constructor(self) -> Any:  # of the rows and columns that are selected
            return Listing

        def __repr__(self) -> str:
            return "\n".join(_grid(self._cells(), shutil.get_terminal_size((100, 24)).columns))

        def _repr_html_(self) -> str:
            from .notebook import table

            head, *rows = [list(map(html.escape, row)) for row in self._cells()]
            return table(head, rows)

        def _cells(self) -> list[list[str]]:
            head = ["", *map(str, self.columns)]
            rows = self.astype(object).to_numpy().tolist()
            return [head, *[[str(at), *map(str, row)] for at, row in zip(self.index, rows)]]

        def __reduce__(self) -> Any:  # the class is made where pandas is: pickled as pandas' own
            return pandas.DataFrame, (pandas.DataFrame(self),)

    return Listing


def _grid(rows: Sequence[Sequence[str]], width: int) -> Iterable[str]:
    """Lines of cells below each other, wrapped where the columns are wider than `width`. No word is
    broken, so what has longer words gets wider lines."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    left = width - 2 * (len(widths) - 1)
    for rank, i in enumerate(sorted(range(len(widths)), key=widths.__getitem__)):
        word = max(len(piece.rstrip()) for row in rows for piece in _pieces(row[i]))
        widths[i] = max(min(widths[i], left // (len(widths) - rank)), word)
        left -= widths[i]
    for row in rows:
        cells = [_wrapped(cell, most) for cell, most in zip(row, widths)]
        for i in range(max(map(len, cells))):
            parts = [(cell[i] if i < len(cell) else "").ljust(most)
                     for cell, most in zip(cells, widths)]
            yield "  ".join(parts).rstrip()


def _pieces(text: str) -> list[str]:
    """Words, each with the blank or the sign behind it."""
    return re.findall(r"[^ +/]*[ +/]|[^ +/]+", text) or [""]


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def absent(values: np.ndarray, where: np.ndarray) -> Any:
    """Integers without those of the rows in `where`."""
    return np.ma.masked_array(values.astype(np.int64), mask=where)


def to_arrow(table: Any) -> Any:
    """Any table of Muster as a pyarrow.Table: `muster.to_arrow(plan.binds)`. Needs pyarrow."""
    try:
        import pyarrow
    except ImportError:
        raise InvalidArgument("to_arrow: pyarrow is not installed (pip install pyarrow)") from None
    return pyarrow.table({name: _listed(column) for name, column in columns(table).items()})


def to_polars(table: Any) -> Any:
    """Any table of Muster as a polars.DataFrame: `muster.to_polars(plan.binds)`. Needs polars."""
    try:
        import polars
    except ImportError:
        raise InvalidArgument("to_polars: polars is not installed (pip install polars)") from None
    return polars.DataFrame({
        name: _with_all_keys(_listed(column)) for name, column in columns(table).items()
    })


def _listed(column: Any) -> Any:
    """Texts and columns with absent cells as a list, which both libraries read; numbers as an
    array."""
    values = array(column, "column")
    return values.tolist() if values.dtype == object else values


def _with_all_keys(column: Any) -> Any:
    """The column with the keys of all its dicts in each: polars takes those of the first."""
    if not isinstance(column, list):
        return column
    dicts = [one for cell in column for one in (cell if isinstance(cell, list) else [cell])
             if isinstance(one, Mapping)]
    keys = dict.fromkeys(key for one in dicts for key in one)
    if not keys:
        return column
    whole = lambda one: ({key: one.get(key) for key in keys} if isinstance(one, Mapping) else one)
    return [[whole(one) for one in cell] if isinstance(cell, list) else whole(cell)
            for cell in column]


def is_column(value: Any) -> bool:
    """Whether `value` is one value for each row rather than one for all."""
    return hasattr(value, "to_numpy") or (isinstance(value, np.ndarray) and value.ndim > 0)


def array(value: Any, name: str) -> np.ndarray:
    """A column as a NumPy array. A cell without a value is None, or NaN where all are floats."""
    try:
        read = _array(value)
    except MemoryError:
        raise
    except Exception as failure:  # of the library that the column is of
        raise InvalidArgument(f"{name}: cannot be read as an array: {failure}") from None
    if read.ndim != 1:
        raise InvalidArgument(f"{name}: expected one dimension, got {read.ndim}")
    return read


def _array(value: Any) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        floats = value.dtype.kind == "f"
        read = value.data.copy() if floats else value.data.astype(object)
        read[np.ma.getmaskarray(value)] = np.nan if floats else None
        return read
    if hasattr(value, "to_pylist"):  # Arrow
        nested = str(value.type).startswith(_NESTED)
        if value.null_count or nested:
            listed = value.to_pylist()
            if str(value.type).startswith("map"):  # a list of pairs, which may be empty
                listed = [None if cell is None else dict(cell) for cell in listed]
            return cells([_without_absent(cell) for cell in listed] if nested else listed)
        plain = value if hasattr(value, "chunks") else value.to_numpy(zero_copy_only=False)
        return np.asarray(plain)
    if not hasattr(value, "to_numpy"):
        return np.asarray(value)
    if str(getattr(value, "dtype", "")).startswith(_NESTED):  # polars
        return cells([_without_absent(cell) for cell in value.to_list()])
    read = np.asarray(value.to_numpy())
    if read.dtype.kind == "f" and str(value.dtype).lower().startswith(("int", "uint")):
        known = value.to_list()  # large integers are no floats
        return cells([None if type(cell).__name__ == "NAType" else cell for cell in known])
    return read


# How Arrow and polars name types of lists, maps and rows.
_NESTED = ("list", "large_list", "fixed_size_list", "struct", "map", "List", "Array", "Struct")


def _without_absent(cell: Any) -> Any:
    """The cell of a nested column as lists and dicts. All rows of such a column have the same keys,
    so one without a value is one that the row does not have."""
    if isinstance(cell, Mapping):
        return {key: _without_absent(value) for key, value in cell.items() if value is not None}
    return [_without_absent(entry) for entry in cell] if isinstance(cell, list) else cell


def cells(values: Sequence[Any]) -> np.ndarray:
    """An array of objects, of which lists are whole cells."""
    read = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        read[i] = value
    return read


def columns(table: Any) -> dict[str, Any]:
    """The columns of a dict, pandas or polars DataFrame, Arrow table or record array. A LazyFrame
    of polars is collected."""
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        table = table.collect()
    if isinstance(table, Mapping):
        return _named(table, table.__getitem__)
    if isinstance(table, np.ndarray) and table.dtype.names:
        return _named(table.dtype.names, table.__getitem__)
    if hasattr(table, "schema") and hasattr(table, "column"):  # Arrow
        numbers = iter(range(len(table.schema.names)))
        return _named(table.schema.names, lambda name: table.column(next(numbers)))
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        return _named(table.columns, table.__getitem__)
    raise InvalidArgument(
        f"expected a table (a dict of arrays, a DataFrame, an Arrow table), got {type(table).__name__}"
    )


def _named(names: Iterable[Any], column: Callable[[Any], Any]) -> dict[str, Any]:
    """Refuses names of which two are one text: a table has no order that decides between them."""
    found: dict[str, Any] = {}
    for name in names:
        if str(name) in found:
            raise InvalidArgument(f'table: column "{name}" is there twice')
        found[str(name)] = column(name)
    return found


class Values:
    """For data classes with tables (eq=False): equal where all fields are, cell by cell."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not dataclasses.is_dataclass(self):
            return NotImplemented
        return all(alike(getattr(self, field.name), getattr(other, field.name))
                   for field in dataclasses.fields(self))


def alike(one: Any, other: Any) -> bool:
    """Whether two values are equal; tables and arrays by their cells. NaN equals NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, np.ndarray):
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return False
        return alike(one.tolist(), other.tolist())  # absent cells are None there
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    return bool(one == other or one != one and other != other)
