# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A study as one HTML file: what was run, how the policies rank, how they did over time, and how to
run it again.

Nothing is loaded from anywhere: styles are in the page, figures are SVG in the page, and there is
no script.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from . import _core, figures
from .figures import Line
from .statistics import METRICS

if TYPE_CHECKING:
    from .study import Study

_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--faint:#d0d7de;--soft:#57606a;--c0:#0b62c4;--c1:#c2410c;
--c2:#15803d;--c3:#a21caf;--c4:#b45309;--c5:#0e7490;--c6:#be123c;--c7:#4d5563}
@media (prefers-color-scheme:dark){:root{--paper:#0f1318;--ink:#e6e9ed;--faint:#333b45;--soft:#9aa4b0;--c0:#6cb2ff;
--c1:#ff9b6a;--c2:#5fd38a;--c3:#e39bf0;--c4:#f2c14e;--c5:#5cc8dc;--c6:#ff8fa3;--c7:#b3bcc7}}
body{background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;max-width:1380px;margin:2rem auto;
padding:0 1rem}
h1{font-size:1.6rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--faint)}h3{margin:0 0 .3rem;font-size:1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.25rem .7rem;text-align:right;
border-bottom:1px solid var(--faint)}td:nth-child(2),th:nth-child(2){text-align:left}.wide{overflow-x:auto}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,560px),1fr));gap:1.4rem}
figure{margin:0}figcaption,.soft{color:var(--soft);font-size:.9rem}svg.figure{width:100%;height:auto}
svg text{font-size:11px;fill:var(--soft)}.grid{stroke:var(--faint);stroke-width:1}.line{fill:none;stroke-width:1.6}
.legend span{margin-right:1.2rem;white-space:nowrap}.legend i{display:inline-block;width:.8rem;height:.8rem;margin-right:.4rem;
border-radius:2px}code,pre{background:color-mix(in srgb,var(--faint) 35%,transparent);padding:.1rem .3rem}
pre{padding:.7rem;overflow-x:auto}.partial{border:2px solid var(--c6);padding:.5rem 1rem}
"""
_COLUMNS = (
    ("mean wait", "wait_mean", figures.seconds),
    ("95 % wait", "wait_p95", figures.seconds),
    ("longest wait", "wait_longest", figures.seconds),
    ("bounded slowdown", "bounded_slowdown_mean", lambda v: f"{v:.3f}"),
    ("utilisation", "utilisation", figures.percent),
    ("fairness", "fairness", lambda v: f"{v:.3f}"),
    ("started", "started", str),
    ("ended", "ended", str),
    ("evicted", "evictions", str),
)


def _decision_time(record: dict[str, Any]) -> str:
    """Of the replay as a whole; a figure of the machine it ran on, and no part of any digest."""
    passes = record["counts"]["passes"]
    return f"{1e6 * record['seconds'] / passes:.3g} us" if passes else ""


def _ranked(study: Study, digest: str) -> str:
    name = study.metric(digest)
    head = [
        "rank", "profile", METRICS[name][0], f"{100 * study.settings.level:g} % interval",
        *(c[0] for c in _COLUMNS), "time a cycle"
    ]
    rows = []
    for row in study.ranking(digest):
        metrics = study.records[row["cell"]][0]["metrics"]
        spread = f"{row['low']:.5g} to {row['high']:.5g}" if row["low"] == row["low"] else ""
        cells = [
            f"{row['rank']}{' tie' if row['tie'] else ''}", study.title(row["cell"]),
            f"{row['mean']:.5g}" if row["mean"] == row["mean"] else "", spread
        ]
        cells += [
            show(metrics[key]) if metrics[key] == metrics[key] else "" for _, key, show in _COLUMNS
        ]
        cells.append(_decision_time(study.records[row["cell"]][0]))
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def tables(study: Study) -> str:
    """The ranked table of each trace, as HTML."""
    return "".join(
        f"<h3>{escape(t.name)}</h3>{_ranked(study, d)}" +
        "".join(f"<p>{escape(line)}.</p>" for line in study.fewer_ended(d))
        for d, t in study.traces.items())


def _figure(title: str, svg: str, words: str) -> str:
    return f"<figure><h3>{escape(title)}</h3>{svg}<figcaption>{escape(words)}</figcaption></figure>"


def _drawn(study: Study, digest: str) -> list[str]:
    order = [row["cell"] for row in study.ranking(digest)][: figures.COLOURS]
    if not order:
        return []
    colour = {cell: place for place, cell in enumerate(sorted(order))}
    shown: list[tuple[int, str, dict[str, Any]]] = [
        (cell, study.cells[cell].label, study.records[cell][0]["pictures"]) for cell in order
    ]
    # What comes long after the last submission is cut off.
    over = lambda p: (p["submissions_end"] or 1) * 1.25
    cut = lambda p, column: [y for t, y in zip(p["time"], column) if t <= over(p)]
    times = lambda p: cut(p, p["time"])
    leading = shown[0][2]["leading"] or "nothing"
    out = [figures.legend([(study.cells[c].label, colour[c]) for c in sorted(order)]), '<div class="figures">']
    used = [
        Line(label, times(p), cut(p, p["used"].get(leading, ())), colour[c])
        for c, label, p in shown
    ]
    out.append(
        _figure("Utilisation",
                figures.lines("Utilisation over time", used, y_format=figures.percent, y_most=1),
                f"Share of {leading} held by tasks, from the first submission on."))
    waiting = [Line(label, times(p), cut(p, p["waiting"]), colour[c]) for c, label, p in shown]
    out.append(_figure("Pending jobs", figures.lines("Pending jobs over time", waiting), "Jobs submitted and not running."))
    waits = []
    for c, label, p in shown:
        total = study.records[c][0]["metrics"]["started"] + p["never_started"] or 1
        reached = 1 - p["never_started"] / total
        waits.append(Line(label, p["wait_quantiles"], [reached * i / 200 for i in range(len(p["wait_quantiles"]))], colour[c], step=False))
    out.append(
        _figure(
            "Waits",
            figures.lines("Distribution of waits",
                          waits,
                          y_format=figures.percent,
                          y_most=1,
                          log_x=True),
            "Share of jobs that waited no longer than that; jobs that never started keep a line below 100 %."
        ))
    fragments = [
        Line(label, times(p), cut(p, p["fragmentation"][leading]), colour[c])
        for c, label, p in shown
        if leading in p["fragmentation"]
    ]
    if fragments:
        out.append(
            _figure(
                "Fragmentation",
                figures.lines("Fragmentation over time",
                              fragments,
                              y_format=figures.percent,
                              y_most=1),
                f"Share of free {leading} on nodes where the most frequent task does not fit."))
    for c, label, p in shown:
        queues = list(p["queues"].items())[:6]
        if len(queues) < 2:
            continue
        series = []
        for i, (name, q) in enumerate(queues):
            series.append(Line(name, times(p), cut(p, q["share"]), i))
            if q["deserved"]:
                deserved = [y if y >= 0 else None for y in cut(p, q["deserved"])]
                series.append(Line(f"{name}, deserved", times(p), deserved, i, dashed=True))
        names = figures.legend([(name, i) for i, (name, _) in enumerate(queues)])
        out.append(_figure(f"Queues under {label}", names + figures.lines(f"Queue shares under {label}", series, y_format=figures.percent),
                           "Dominant share of the busiest queues, and, dashed, what they deserve."))
    for c, label, p in shown:
        reasons = list(p["pending"].items())
        if not reasons:
            continue
        layers = [
            Line(name, times(p), cut(p, column), i) for i, (name, column) in enumerate(reasons)
        ]
        names = figures.legend([(name, i) for i, (name, _) in enumerate(reasons)])
        out.append(_figure(f"Why jobs wait under {label}", names + figures.stack(f"Pending by reason under {label}", times(p), layers),
                           "Waiting jobs by the reason that the last cycle gave, one on another."))
    for c, label, p in shown:
        if p["nodes"] is not None:
            n = p["nodes"]
            svg = figures.heat(f"Nodes under {label}",
                               n["names"],
                               n["step"],
                               n["used"],
                               1,
                               show=figures.percent,
                               linear=True,
                               side=7)
            each = "" if n["nodes_a_row"] == 1 else f", {n['nodes_a_row']:.3g} neighbours a row"
            out.append(_figure(f"Nodes under {label}", svg, f"Part of {leading} held by tasks, by node{each}, and time; full colour is all of it."))
        if p["gantt"] is not None:
            g = p["gantt"]
            svg = figures.gantt(f"Processors under {label}", g["bars"], g["processors"], 0, g["length"])
            out.append(_figure(f"Processors under {label}", svg,
                               f"Who held the processors when most jobs waited, from {figures.seconds(g['from'])} on. Where a job is drawn was not decided."))
    most = max((v for _, _, p in shown for row in p["heat"]["wait"] for v in row if v is not None),
               default=0)
    for c, label, p in shown:
        h = p["heat"]
        rows = [f"{'to ' if i else ''}{size}" for i, size in enumerate(h["sizes"])]
        out.append(_figure(f"Who waits under {label}", figures.heat(f"Mean wait by size and time under {label}", rows, h["step"], h["wait"], most),
                           f"Mean wait of jobs by {h['unit']} (rows) and time of submission (columns); full colour is {figures.seconds(most)}."))
    out.append("</div>")
    return out


def page(study: Study, rerun: str | None = None) -> str:
    """The whole file."""
    settings = study.settings
    names = ", ".join(trace.name for trace in study.traces.values())
    drawn_anew = f"with jobs drawn anew in runs of {settings.block}"
    how = drawn_anew if settings.shake is None else settings.how
    drawn = f"and {settings.replicates} times {how} (seed {settings.seed})"
    body = [
        f"<h1>Muster: {escape(names)}</h1>",
        "" if study.complete else
        '<p class="partial">Partial: the study was interrupted, and runs are missing.</p>',
        f"<p>{len(study.cells)} policies and settings, each played on its trace as recorded" +
        (f" {drawn}" if settings.replicates else "") + ". " +
        (f"Jobs of the first {figures.seconds(settings.warmup)} are played and not counted. "
         if settings.warmup else "") +
        "Intervals are paired bootstraps over the replicates; policies whose difference may be chance are marked as ties. "
        "Everything but rank, its metric and the interval is of the trace as recorded.</p>",
    ]
    for digest, trace in study.traces.items():
        where = f"{trace.processors} processors" if trace.processors else f"{len(trace.nodes)} nodes"
        body.append(f"<h2>{escape(trace.name)}</h2><p class=soft>{len(trace)} jobs on {where}; digest {digest[:16]}</p>")
        body.append(_ranked(study, digest))
        body += [f"<p>{escape(line)}.</p>" for line in study.fewer_ended(digest)]
        body += _drawn(study, digest)
    body.append("<h2>How to run this again</h2>")
    again = rerun or 'study.save("study.json")        # then: muster reproduce study.json'
    body.append(f"<pre>{escape(again)}</pre>")
    body.append(f"<p class=soft>Muster {escape(_core.version)}; equal inputs give equal digests. This study's is {study.digest}.</p>")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Muster: {escape(names)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>\n'
        f"<body>{chr(10).join(body)}</body></html>\n"
    )
