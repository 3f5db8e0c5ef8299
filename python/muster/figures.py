# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Figures as inline SVG, made of nothing but text. Colours are CSS variables of the page, so that
they follow light and dark: --c0 to --c7 for series, --ink, --faint."""

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
    for step in (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 86400, 7 * 86400, 14 * 86400,
                 28 * 86400, 91 * 86400):
        if most / step <= 8:
            return [step * i for i in range(int(most / step) + 1)]
    return [365 * 86400.0 * i for i in range(int(most / 365 / 86400) + 1)]


def _frame(title: str, body: list[str], height: int = _HEIGHT) -> str:
    return (
        f'<svg class="figure" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(body)}</svg>"
    )


def lines(title: str,
          series: Sequence[Line],
          *,
          y_format=number,
          y_most: float | None = None,
          log_x: bool = False) -> str:
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
    marks = (
        [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 70 * 86400]
        if log_x else _time_ticks(x_most))
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


def stack(title: str, x: Sequence[float], layers: Sequence[Line]) -> str:
    """Layers over time, one on another from the first up; what they add up to is the upper edge."""
    stride = max(1, len(x) // 300)
    at = list(range(0, len(x), stride))
    columns = [[layer.y[i] or 0 for i in at] for layer in layers]
    x_most = max(x, default=1) or 1
    top = max((sum(column) for column in zip(*columns)), default=1) or 1
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    across = lambda t: _LEFT + wide * t / x_most
    up = lambda y: _TOP + high * (1 - y / top)
    body = []
    for y in _ticks(top):
        body.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up(y):.1f}" y2="{up(y):.1f}"/>')
        body.append(f'<text x="{_LEFT - 6}" y="{up(y) + 4:.1f}" text-anchor="end">{number(y)}</text>')
    below = [0.0] * len(at)
    for layer, column in zip(layers, columns):
        above = [low + y for low, y in zip(below, column)]
        edge = "".join(
            f"{'L' if k else 'M'}{across(x[i]):.1f} {up(above[k]):.1f}" for k, i in enumerate(at))
        back = "".join(
            f"L{across(x[at[k]]):.1f} {up(below[k]):.1f}" for k in reversed(range(len(at))))
        body.append(
            f'<path d="{edge}{back}Z" fill="var(--c{layer.colour % COLOURS})" fill-opacity="0.75">'
            f"<title>{escape(layer.label)}</title></path>"
        )
        below = above
    for t in _time_ticks(x_most):
        body.append(f'<text x="{across(t):.1f}" y="{_HEIGHT - 14}" text-anchor="middle">{seconds(t)}</text>')
    return _frame(title, body)


def gantt(title: str, bars: Sequence[tuple[float, float, int, int, int]], rows: int, begin: float,
          end: float) -> str:
    """Bars (from, to, first row, number of rows, colour) between two times; row 0 is the lowest."""
    height = 300
    wide, high = (_WIDTH - _LEFT - _RIGHT) / max(end - begin, 1), (height - _TOP - _BOTTOM) / rows
    body = []
    for y in _ticks(rows):
        up = height - _BOTTOM - y * high
        body.append(f'<text x="{_LEFT - 6}" y="{up + 4:.1f}" text-anchor="end">{number(y)}</text>')
    for start, stop, row, count, colour in bars:
        left, right = max(start, begin), min(stop, end)
        body.append(
            f'<rect x="{_LEFT + (left - begin) * wide:.1f}" y="{height - _BOTTOM - (row + count) * high:.1f}" '
            f'width="{max((right - left) * wide, 0.3):.1f}" height="{count * high:.1f}" fill="var(--c{colour % COLOURS})" '
            f'fill-opacity="0.8" stroke="var(--paper)" stroke-width="0.4"/>'
        )
    for t in _time_ticks(end - begin):
        body.append(f'<text x="{_LEFT + t * wide:.1f}" y="{height - 14}" text-anchor="middle">{seconds(t)}</text>')
    return _frame(title, body, height)


def heat(
    title: str,
    rows: Sequence[str],
    step: float,
    cells: Sequence[Sequence[float | None]],
    most: float,
    *,
    show=seconds,
    linear: bool = False,
    side: int = 18,
) -> str:
    """A row a class, a column a stretch of `step` seconds; opaque is `most`, on a scale of
    logarithms unless linear."""
    columns = max((len(row) for row in cells), default=1)
    height = _TOP + side * len(rows) + _BOTTOM
    wide = (_WIDTH - _LEFT - _RIGHT) / columns
    named = max(1, -(-13 // side))  # rows from one name to the next
    part = lambda value: value / most if linear else math.log1p(value) / math.log1p(most)
    body = []
    for r, (name, row) in enumerate(zip(rows, cells)):
        y = _TOP + side * r
        if r % named == 0:
            body.append(f'<text x="{_LEFT - 6}" y="{y + min(side, 13)}" text-anchor="end">{escape(name)}</text>')
        for c, value in enumerate(row):
            if value is None:
                continue
            depth = 0.06 + 0.94 * (min(part(value), 1) if most > 0 else 0)
            body.append(
                f'<rect x="{_LEFT + c * wide:.1f}" y="{y}" width="{wide - 0.5:.1f}" height="{side - 1}" '
                f'fill="var(--c0)" fill-opacity="{depth:.2f}"><title>{show(value)}</title></rect>'
            )
    for x in _time_ticks(step * columns):
        at = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / (step * columns)
        body.append(
            f'<text x="{at:.1f}" y="{height - 14}" text-anchor="middle">{seconds(x)}</text>')
    return _frame(title, body, height)


def legend(names: Sequence[tuple[str, int]]) -> str:
    return '<p class="legend">' + "".join(
        f'<span><i style="background:var(--c{colour % COLOURS})"></i>{escape(name)}</span>'
        for name, colour in names) + "</p>"
