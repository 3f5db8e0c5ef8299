# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kubernetes quantities of records, exactly: text to rational number, and sums of maps of them."""

import re
from fractions import Fraction

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
        raise ValueError(f"{place}: {value!r} is not a quantity")
    sign, digits, exponent, suffix = match.groups()
    number = Fraction(digits) * _SUFFIX[suffix]
    if exponent:
        number *= Fraction(10) ** int(exponent[1:])
    return -number if sign == "-" else number


def parse_map(values: object, place: str) -> Amounts:
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ValueError(f"{place}: expected a mapping of resource names to quantities")
    return {name: parse(value, f"{place}[{name!r}]") for name, value in values.items()}


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
