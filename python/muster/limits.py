# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How much one input may make: docs/limits.md.

    >>> from muster.limits import Limits
    >>> strict = Limits(rows=1000, bytes=1 << 20, depth=32)
"""

import operator
from dataclasses import asdict, dataclass
from typing import Any

from .errors import InvalidArgument, shown

DEEPEST = 256
MOST_THREADS = 256  # of MakeThreads


def integer(value: Any, place: str) -> int:
    """An integer of 64 bits; InvalidArgument: the value is none."""
    try:
        number: int | None = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not -(1 << 63) <= number < 1 << 63:
        raise InvalidArgument(f"{place}: expected an integer of 64 bits, got {shown(value)}")
    return number


def thread_count(value: Any, place: str) -> int:
    """How many threads a call may use; InvalidArgument: out of range."""
    number = integer(value, place)
    if not 1 <= number <= MOST_THREADS:
        raise InvalidArgument(f"{place}: {number} is not in 1..{MOST_THREADS}")
    return number


def most(limit: str) -> int:
    """The highest value of the limit of that name."""
    return DEEPEST if limit == "depth" else (1 << 63) - 1


@dataclass(frozen=True)
class Limits:
    """The budget of one text, or of all files of a trace, checked before memory is taken."""

    rows: int = 4_000_000  # of all tables together; a row with a count counts that many times
    bytes: int = 4 << 30  # of the text; of a gzip file, once it is inflated
    depth: int = DEEPEST  # of arrays and objects inside each other; 256 is the most

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            end = most(name)
            if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= end:
                raise InvalidArgument(f"limits: {name}: {shown(limit)} is not in 0..{end}")

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


DEFAULT = Limits()
