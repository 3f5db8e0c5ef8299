# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kubernetes quantities, exactly: text to rational number and back to the amounts Muster counts in.

cpu and extended resources are counted in thousandths, memory-like ones and pods in whole units; what lies
between two counts is rounded up, as Kubernetes does.
"""

import math
import re
from fractions import Fraction

from .report import ImportFailure

Amounts = dict[str, Fraction]

_FORM = re.compile(
    r"([+-]?)(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i))?", re.ASCII
)
_SUFFIX = {None: Fraction(1)}
_SUFFIX |= {
    s: Fraction(10) ** (3 * (i - 3))
    for i, s in enumerate(["n", "u", "m", "", "k", "M", "G", "T", "P", "E"])
}
_SUFFIX |= {s + "i": Fraction(2) ** (10 * (i + 1)) for i, s in enumerate("KMGTPE")}


def parse(value: object, place: str) -> Fraction:
    """The number that a quantity stands for; `place` begins the message of a refusal."""
    text = (
        str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    )
    match = _FORM.fullmatch(text)
    if match is None:
        raise ImportFailure(f"{place}: {value!r} is not a quantity")
    sign, digits, exponent, suffix = match.groups()
    number = Fraction(digits) * _SUFFIX[suffix]
    if exponent:
        number *= Fraction(10) ** int(exponent[1:])
    return -number if sign == "-" else number


_UNIT_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
_DURATION = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|h|m|s)")


def seconds(text: str) -> int:
    """Whole seconds of a duration such as 1h30m; 0 when it is not one or not positive."""
    total, position = 0.0, 0
    while match := _DURATION.match(text, position):
        total += float(match[1]) * _UNIT_SECONDS[match[2]]
        position = match.end()
    return int(total) if position == len(text) else 0


def parse_map(values: object, place: str) -> Amounts:
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ImportFailure(f"{place}: expected a mapping of resource names to quantities")
    return {name: parse(value, f"{place}[{name!r}]") for name, value in values.items()}


def counts_whole(name: str) -> bool:
    """Whether a dimension is counted in whole units rather than thousandths."""
    return name in ("memory", "ephemeral-storage", "pods") or name.startswith("hugepages-")


def text(name: str, amount: Fraction) -> str | int:
    """The shortest exact form of an amount, rounded up to what Muster counts."""
    if counts_whole(name):
        return math.ceil(amount)
    milli = math.ceil(amount * 1000)
    return milli // 1000 if milli % 1000 == 0 else f"{milli}m"


def resources(amounts: Amounts) -> dict[str, str | int]:
    return {name: text(name, amount) for name, amount in amounts.items()}


def add(left: Amounts, right: Amounts) -> Amounts:
    return {
        name: left.get(name, Fraction(0)) + right.get(name, Fraction(0))
        for name in [*left, *(n for n in right if n not in left)]
    }


def maximum(*maps: Amounts) -> Amounts:
    """Per name the largest of the amounts given for it."""
    out: Amounts = {}
    for amounts in maps:
        for name, amount in amounts.items():
            out[name] = max(out[name], amount) if name in out else amount
    return out
