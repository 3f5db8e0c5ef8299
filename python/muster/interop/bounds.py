# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What decoded documents may hold: values that JSON has, no deeper and no more than the limits.

Aliases make one value stand in several places. They are counted as often as they stand, but
looked at once, so a few lines that stand for a billion values are refused in the time of a few
lines.
"""

import math
from typing import Any

from ..limits import DEEPEST, Limits
from .report import ImportFailure

_PLAIN = (bool, int, float, type(None))


def check(documents: list[Any], limits: Limits) -> None:
    """ImportFailure, with the place and the rule, where a document breaks one."""
    walk = _Walk(limits)
    repeated = 0
    for number, document in enumerate(documents, 1):
        walk.measure(document, f"document {number}")
        repeated += walk.sizes.get(id(document), (1, 0))[0]
    repeated -= walk.seen
    if repeated > limits.rows:
        raise ImportFailure(f"dump: {repeated} values that aliases repeat; at most {limits.rows} are read")


class _Walk:
    """By the identity of a container: how many values it stands for, and how deep it is."""

    def __init__(self, limits: Limits) -> None:
        self.deepest = min(limits.depth, DEEPEST)
        self.sizes: dict[int, tuple[int, int]] = {}
        self.open: set[int] = set()
        self.seen = 0

    def measure(self, value: Any, place: str, depth: int = 0) -> tuple[int, int]:
        if not isinstance(value, (dict, list)):
            self.seen += 1
            self.scalar(value, place)
            return 1, 0
        if id(value) in self.open:
            raise ImportFailure(f"{place}: an alias of what it is inside of; it would never end")
        known = self.sizes.get(id(value))
        if known is None:
            if depth >= self.deepest:
                raise ImportFailure(f"{place[:200]}: nested deeper than {self.deepest}")
            self.open.add(id(value))
            known = self.children(value, place, depth)
            self.open.remove(id(value))
            self.sizes[id(value)] = known
            self.seen += 1
        if depth + known[1] > self.deepest:
            raise ImportFailure(f"{place[:200]}: nested deeper than {self.deepest}")
        return known

    def children(self, value: Any, place: str, depth: int) -> tuple[int, int]:
        count, deepest = 1, 0
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if isinstance(value, list):
                at = f"{place}[{key}]"
            elif isinstance(key, str):
                self.scalar(key, place)
                at = f"{place}.{key}"
            else:
                raise ImportFailure(f"{place}: the key {key!r} is no text; expected it in quotes")
            more, below = self.measure(item, at, depth + 1)
            count += more
            deepest = max(deepest, below)
        return count, deepest + 1

    def scalar(self, value: Any, place: str) -> None:
        if isinstance(value, str):
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                half = f"U+{ord(value[error.start]):04X}"
                raise ImportFailure(f"{place}: the text has {half}, half of a character") from None
        elif not isinstance(value, _PLAIN):
            raise ImportFailure(f"{place}: a {type(value).__name__}, which JSON does not have")
        elif isinstance(value, float) and not math.isfinite(value):
            raise ImportFailure(f"{place}: {value} is no number of JSON")
