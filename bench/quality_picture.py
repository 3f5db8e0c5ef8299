#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Draws tables of docs/quality.md, which bench/quality.py and bench/quality_gpus.py print.

    bench/quality_picture.py docs/quality.md -o docs

writes quality_logs.svg, the recorded logs with intervals, and quality_tenants.svg, what an age
limit of promises does on four tenants. Every mark is a number of the page: equal pages give equal
pictures. They have no fonts, scripts or links.
"""

import argparse
import html
import pathlib
import re

INK, FAINT, GOAL = "#222222", "#bbbbbb", "#b64a4a"
COLORS = ("#3b6fb6", "#d9822b")
ROW, LEFT, TOP, PANEL, GAP = 34, 96, 62, 250, 46


def tables(page: str) -> list[list[list[str]]]:
    """The tables of a page of Markdown: rows of cells, the header first."""
    found, last = [], False
    for line in page.splitlines():
        is_row = line.startswith("|")
        if is_row and not last:
            found.append([])
        if is_row and not set(line) <= set("|-"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        last = is_row
    return found


def table(page: str, *header: str) -> list[dict[str, str]]:
    """The rows of the only table with that header."""
    (rows,) = [rows for rows in tables(page) if tuple(rows[0]) == header]
    return [dict(zip(header, row)) for row in rows[1:]]


def interval(cell: str) -> tuple[float, float, float] | None:
    match = re.fullmatch(r"([\d.]+) \[([\d.]+), ([\d.]+)\]", cell)
    return tuple(map(float, match.groups())) if match else None


def text(x: float, y: float, words: str, anchor: str = "start", color: str = INK) -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">'
            f"{html.escape(words)}</text>")


def line(x0: float, y0: float, x1: float, y1: float, color: str, width: float = 1) -> str:
    return (f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{color}" '
            f'stroke-width="{width:g}"/>')


def dot(x: float, y: float, color: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>'


def picture(width: float, height: float, title: str, body: list[str]) -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'font-family="sans-serif" font-size="11" role="img" '
            f'aria-label="{html.escape(title)}">\n'
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>\n'
            + "\n".join(body) + "\n</svg>\n")


def logs(page: str) -> str:
    shaken = ("slowdown, shaken", "longest wait")
    easy = [row for row in tables(page)
            if row[0] == ["log", "slowdown, as recorded", "longest wait", *shaken]][0]
    own = [row for row in tables(page)
           if row[0] == ["log", "slowdown, as recorded", "longest wait", "shakes", *shaken]][0]
    series = {"easy:order=due": {row[0]: row[-2:] for row in easy[1:]},
              "muster": {row[0]: row[-2:] for row in own[1:]}}
    names = list(series["easy:order=due"])
    bottom = TOP + ROW * len(names)
    body = []
    for p, (title, low, high, goal) in enumerate((("mean bounded slowdown", .4, 1.2, .8),
                                                  ("longest wait", .4, 1.2, 1.05))):
        x0 = LEFT + p * (PANEL + GAP)
        at = lambda value: x0 + PANEL * (value - low) / (high - low)
        body.append(text(x0, TOP - 24, f"{title}, easy is 1"))
        for tick in (.4, .6, .8, 1, 1.2):
            body.append(line(at(tick), TOP - 6, at(tick), bottom, INK if tick == 1 else FAINT))
            body.append(text(at(tick), bottom + 14, f"{tick:g}", "middle"))
        body.append(line(at(goal), TOP - 6, at(goal), bottom, GOAL))
        body.append(text(at(goal), TOP - 9, f"goal {goal:g}", "middle", GOAL))
        for i, name in enumerate(names):
            for s, values in enumerate(series.values()):
                y = TOP + ROW * (i + .5) + 10 * (s - .5)
                if found := interval(values[name][p]):
                    middle, first, last = found
                    body += [line(at(first), y, at(last), y, COLORS[s], 2),
                             dot(at(middle), y, COLORS[s])]
    body += [text(LEFT - 8, TOP + ROW * (i + .5) + 4, name, "end") for i, name in enumerate(names)]
    for s, name in enumerate(series):
        x = LEFT + 130 * s
        body += [dot(x, bottom + 34, COLORS[s]), text(x + 8, bottom + 38, name)]
    return picture(LEFT + 2 * PANEL + GAP + 20, bottom + 50, "Recorded logs against easy", body)


def tenants(page: str) -> str:
    rows = table(page, "order", "age limit", "slowdown", "mean wait", "of wide gangs",
                 "x `easy`", "share deviation", "evictions a job")
    side, x0, y0 = 300, 60, 30
    points = [(float(row["x `easy`"]), float(row["slowdown"]), row) for row in rows]
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    low_x, high_x, low_y, high_y = .9, max(xs) + .1, min(ys) - .1, max(ys) + .1
    at_x = lambda x: x0 + 1.5 * side * (x - low_x) / (high_x - low_x)
    at_y = lambda y: y0 + side * (high_y - y) / (high_y - low_y)
    body = [line(x0, y0 + side, x0 + 1.5 * side, y0 + side, INK), line(x0, y0, x0, y0 + side, INK),
            line(at_x(1.2), y0, at_x(1.2), y0 + side, GOAL),
            text(at_x(1.2), y0 - 6, "goal 1.2", "middle", GOAL),
            text(x0, y0 - 6, "slowdown"),
            text(x0 + 1.5 * side, y0 + side + 32, "longest wait of wide gangs, easy is 1", "end")]
    for tick in range(9, int(high_x * 10) + 1):
        body.append(text(at_x(tick / 10), y0 + side + 15, f"{tick / 10:g}", "middle"))
    for tick in range(int(low_y * 10) + 1, int(high_y * 10) + 1):
        body.append(text(x0 - 8, at_y(tick / 10) + 4, f"{tick / 10:g}", "end"))
    orders = sorted({row["order"] for row in rows if row["age limit"]})
    for x, y, row in points:
        color = COLORS[orders.index(row["order"])] if row["age limit"] else INK
        words = row["age limit"] or row["order"].strip("`")
        body += [dot(at_x(x), at_y(y), color), text(at_x(x) + 6, at_y(y) - 5, words, color=color)]
    for s, order in enumerate(orders):
        x = x0 + 150 * s
        words = f"muster, {order.strip('`')}, by age limit"
        body += [dot(x, y0 + side + 50, COLORS[s]), text(x + 8, y0 + side + 54, words)]
    return picture(x0 + 1.5 * side + 70, y0 + side + 66, "Four tenants by age limit", body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="FOLDER")
    args = parser.parse_args()
    page = args.page.read_text()
    (args.output / "quality_logs.svg").write_text(logs(page))
    (args.output / "quality_tenants.svg").write_text(tenants(page))


if __name__ == "__main__":
    main()
