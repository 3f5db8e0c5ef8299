# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What goes wrong, as exceptions. The message names the place and the rule:

    muster.errors.InvalidArgument: queue "a/b": parent "a" does not exist

Each class is also the built-in exception that Python users catch for such a thing.
"""

from types import UnionType
from typing import Any


def shown(value: Any) -> str:
    """The value as errors show it: without a repr, by its type."""
    try:
        return repr(value)
    except Exception:  # of the value's own class
        return f"a value ({type(value).__name__})"


class Error(Exception):
    """Anything that Muster refuses. `code` is the word for its kind."""

    code = "UNKNOWN"

    def __str__(self) -> str:  # KeyError would quote its message
        return str(self.args[0]) if self.args else ""


class InvalidArgument(Error, ValueError):
    """A row, an option or a profile breaks a rule."""

    code = "INVALID_ARGUMENT"


class OutOfRange(Error, ValueError):
    """A quantity that no integer of 64 bits holds."""

    code = "OUT_OF_RANGE"


class AlreadyExists(Error, ValueError):
    code = "ALREADY_EXISTS"


class NotFound(Error, KeyError):
    code = "NOT_FOUND"


class FailedPrecondition(Error, RuntimeError):
    """Something else must happen first: a queue still has jobs, a cycle runs."""

    code = "FAILED_PRECONDITION"


class ResourceExhausted(Error, MemoryError):
    """A table is full."""

    code = "RESOURCE_EXHAUSTED"


class Cancelled(Error, RuntimeError):
    """`stop` was set before the cycle ended. Nothing was decided."""

    code = "CANCELLED"


class DeadlineExceeded(Error, TimeoutError):
    """The time limit passed before the cycle ended. Nothing was decided."""

    code = "DEADLINE_EXCEEDED"


class PolicyError(Error, ValueError):
    """A policy written in Python answered in a wrong form. The message names the policy, the point
    and the row."""

    code = "POLICY"


_BY_CODE = {
    kind.code: kind
    for kind in (
        InvalidArgument,
        OutOfRange,
        AlreadyExists,
        NotFound,
        FailedPrecondition,
        ResourceExhausted,
        Cancelled,
        DeadlineExceeded,
    )
}


def from_status(code: str, message: str) -> Error:
    """The exception for a status of the engine."""
    error = _BY_CODE.get(code, Error)(message)
    if type(error) is Error:
        error.code = code
    return error


def text(value: Any, place: str) -> str:
    """Returns the text; InvalidArgument: it is none, or has half of a character."""
    found = str(expect(value, str, place))
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"{place}: is not valid Unicode: {error}") from None
    return found


_BOOLS = ("bool", "bool_")  # NumPy's, by version
_WORDS = {"str": "text", "Mapping": "dict", "Iterable": "list"}


def expect(value: Any, kinds: type | UnionType, place: str) -> Any:
    """Returns the value; InvalidArgument: it is no object of these classes. A bool of NumPy counts
    as one of Python."""
    # The interop modules read objects where NumPy is not installed.
    if kinds is bool and type(value).__module__ == "numpy" and type(value).__name__ in _BOOLS:
        return bool(value)
    if not isinstance(value, kinds):
        names = [kind.__name__ for kind in getattr(kinds, "__args__", (kinds,))]
        words = " or ".join(_WORDS.get(name, name) for name in names)
        words = "True or False" if words == "bool" else f"a {words}"
        raise InvalidArgument(f"{place}: expected {words}, got {type(value).__name__}")
    return value
