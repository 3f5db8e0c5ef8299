# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Tables in and out: pandas where it is there, NumPy where it is not, Arrow and others by their
to_numpy()."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InvalidArgument

Arrays = dict[str, np.ndarray]


def frame(table: Arrays) -> Any:
    """A pandas.DataFrame, or the dict of arrays itself where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)


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
    return polars.DataFrame({name: _listed(column) for name, column in columns(table).items()})


def _listed(column: Any) -> Any:
    """Texts as a list, which both libraries read as texts; numbers as an array."""
    values = array(column, "column")
    return values.tolist() if values.dtype == object else values


def is_column(value: Any) -> bool:
    """Whether `value` is one value for each row rather than one for all."""
    return hasattr(value, "to_numpy") or (isinstance(value, np.ndarray) and value.ndim > 0)


def array(value: Any, name: str) -> np.ndarray:
    """A column as a NumPy array."""
    if hasattr(value, "to_numpy"):
        value = np.asarray(value.to_numpy())
    elif not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if value.ndim != 1:
        raise InvalidArgument(f'column "{name}": expected one dimension, got {value.ndim}')
    return np.asarray(value)


def columns(table: Any) -> dict[str, Any]:
    """The columns of a dict, pandas or polars DataFrame, Arrow table or record array."""
    if isinstance(table, Mapping):
        return {str(name): column for name, column in table.items()}
    if isinstance(table, np.ndarray) and table.dtype.names:
        return {name: table[name] for name in table.dtype.names}
    if hasattr(table, "column_names") and hasattr(table, "column"):  # Arrow
        return {str(name): table.column(i) for i, name in enumerate(table.column_names)}
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        return {str(name): table[name] for name in table.columns}
    raise InvalidArgument(
        f"expected a table (a dict of arrays, a DataFrame, an Arrow table), got {type(table).__name__}"
    )
