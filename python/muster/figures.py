# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Figures as inline SVG, made of nothing but text. Colours are CSS variables of the page, so that they follow light
and dark: --c0 to --c7 for series, --ink, --faint."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 10, 34
COLOURS = 8


@dataclass(frozen=True)
class Line:
    label: str
    x: Sequence[float]
    y: Sequence[float | None]  # None: a gap
    colour: int
    dashed: bool = False
    step: bool = True


def seconds(value: float) -> str:
    """A length of time in few letters."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} s"


def number(value: float) -> str:
    return f"{value / 1000:.3g} k" if value >= 10000 else f"{value:.3g}"


def percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _ticks(most: float, count: int = 4) -> list[float]:
    if most <= 0:
        return [0.0]
    raw = most / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw)
    return [step * i for i in range(int(most / step + 1e-9) + 1)]


def _time_ticks(most: float) -> list[float]:
    for step in (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 86400, 7 * 86400, 14 * 86400, 28 * 86400, 91 * 86400):
        if most / step <= 8:
            return [step * i for i in range(int(most / step) + 1)]
    return [365 * 86400.0 * i for i in range(int(most / 365 / 86400) + 1)]


def _frame(title: str, body: list[str], height: int = _HEIGHT) -> str:
    return (
        f'<svg class="figure" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(body)}</svg>"
    )


def lines(title: str, series: Sequence[Line], *, y_format=number, y_most: float | None = None, log_x: bool = False) -> str:
    """Lines over time; with log_x over lengths of time, 0 to 1 s at the left edge."""
    place = (lambda x: math.log10(max(x, 1.0))) if log_x else (lambda x: x)
    x_most = max((place(max(line.x)) for line in series if len(line.x)), default=1) or 1
    known = [y for line in series for y in line.y if y is not None]
    top = y_most if y_most is not None else max(known, default=1) or 1
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    across = lambda x: _LEFT + wide * place(x) / x_most
    up = lambda y: _TOP + high * (1 - min(y, top) / top)
    body = []
    for y in _ticks(top):
        body.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up(y):.1f}" y2="{up(y):.1f}"/>')
        body.append(f'<text x="{_LEFT - 6}" y="{up(y) + 4:.1f}" text-anchor="end">{y_format(y)}</text>')
    marks = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 70 * 86400] if log_x else _time_ticks(x_most)
    for x in marks:
        if place(x) <= x_most * 1.0001:
            body.append(f'<text x="{across(x):.1f}" y="{_HEIGHT - 14}" text-anchor="middle">{seconds(x)}</text>')
    for line in series:
        path, pen, before = [], "M", 0.0
        stride = max(1, len(line.x) // 400)
        for x, y in list(zip(line.x, line.y))[::stride]:
            if y is None:
                pen = "M"
                continue
            if pen == "L" and line.step:
                path.append(f"L{across(x):.1f} {before:.1f}")
            path.append(f"{pen}{across(x):.1f} {up(y):.1f}")
            before, pen = up(y), "L"
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        body.append(
            f'<path class="line" d="{"".join(path)}" stroke="var(--c{line.colour % COLOURS})"{dash}>'
            f"<title>{escape(line.label)}</title></path>"
        )
    return _frame(title, body)


def heat(title: str, rows: Sequence[str], step: float, cells: Sequence[Sequence[float | None]], most: float) -> str:
    """A row a class, a column a stretch of `step` seconds; opaque is `most`, on a scale of logarithms."""
    columns = max((len(row) for row in cells), default=1)
    side = 18
    height = _TOP + side * len(rows) + _BOTTOM
    wide = (_WIDTH - _LEFT - _RIGHT) / columns
    body = []
    for r, (name, row) in enumerate(zip(rows, cells)):
        y = _TOP + side * r
        body.append(f'<text x="{_LEFT - 6}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        for c, value in enumerate(row):
            if value is None:
                continue
            depth = 0.06 + 0.94 * (math.log1p(value) / math.log1p(most) if most > 0 else 0)
            body.append(
                f'<rect x="{_LEFT + c * wide:.1f}" y="{y}" width="{wide - 0.5:.1f}" height="{side - 1}" '
                f'fill="var(--c0)" fill-opacity="{depth:.2f}"><title>{seconds(value)}</title></rect>'
            )
    for x in _time_ticks(step * columns):
        at = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / (step * columns)
        body.append(f'<text x="{at:.1f}" y="{height - 14}" text-anchor="middle">{seconds(x)}</text>')
    return _frame(title, body, height)


def legend(names: Sequence[tuple[str, int]]) -> str:
    return '<p class="legend">' + "".join(
        f'<span><i style="background:var(--c{colour % COLOURS})"></i>{escape(name)}</span>' for name, colour in names
    ) + "</p>"
